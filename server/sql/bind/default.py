"""Column defaults, which are bound when the column is made."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import DatatypeMismatch, FeatureNotSupported
from catalog.types import PgType
from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder, binding
from server.sql.bind.context import BindContext
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.walker import Walker
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.query_tree import TEXT


def bind_default(
    expression: exp.Expr, target: PgType, context: BindContext, *, column: str = "?"
) -> str:
    """Return a default as DuckDB SQL text of the column's type.

    Raises:
        FeatureNotSupported: It refers to columns or holds a query.
        DatatypeMismatch: It has a type that cannot be assigned to the column.
    """
    statement = Statement(context, expression.meta.get(TEXT, ""))
    with binding(statement):
        _check(statement, expression)
        scope = Scope()
        walker = Walker(statement, scope, QueryBinder(statement).bind, {}, 0, places.DEFAULT)
        value = walker.bind(expression)
        if not can_coerce(value.type, target, Coercion.ASSIGNMENT):
            raise DatatypeMismatch(
                f'column "{column}" is of type {target.sql_name} but default expression is of '
                f"type {value.type.sql_name}",
                hint="You will need to rewrite or cast the expression.",
            )
        position = statement.position(expression)
        tree = coerce(value, target, Coercion.ASSIGNMENT, position=position).tree
        return statement.finish(tree).sql(dialect="duckdb")


def _check(statement: Statement, expression: exp.Expr) -> None:
    for node in expression.walk():
        position = statement.position(node)
        if isinstance(node, exp.Column) and node.name not in ("user", "current_role"):
            raise FeatureNotSupported(
                "cannot use column reference in DEFAULT expression", position=position
            )
        if isinstance(node, exp.Query):
            raise FeatureNotSupported(
                "cannot use subquery in DEFAULT expression", position=position
            )
        if isinstance(node, exp.Parameter):
            raise FeatureNotSupported(
                "cannot use parameters in DEFAULT expression", position=position
            )
