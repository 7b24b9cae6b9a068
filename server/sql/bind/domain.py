"""The conditions of domains, in which VALUE is the value."""

from __future__ import annotations

from sqlglot import exp

from catalog.oid import INVALID_OID
from catalog.types import PgType
from catalog.user_type import VALUE
from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder, binding
from server.sql.bind.column_expression import refuse_queries
from server.sql.bind.context import BindContext
from server.sql.bind.scope import FromItem, Scope, ScopeColumn
from server.sql.bind.statement import Statement
from server.sql.bind.walker import Walker
from server.sql.query_tree import TEXT
from server.sql.typed import Typed


def bind_domain_check(condition: exp.Expr, base: PgType, context: BindContext) -> str:
    """Return a domain's condition as DuckDB SQL over ``VALUE``.

    Raises:
        PgError: It makes no sense.
    """
    statement = Statement(context, condition.meta.get(TEXT, ""))
    with binding(statement):
        refuse_queries(statement, condition, "check constraint")
        value = ScopeColumn("value", Typed(exp.column(VALUE), base), INVALID_OID, 0)
        scope = Scope([FromItem("", "", (value,))], [value])
        walker = Walker(
            statement,
            scope,
            QueryBinder(statement).bind,
            {},
            statement.new_level(),
            places.CHECK,
        )
        return statement.finish(walker.condition(condition, "CHECK")).sql(dialect="duckdb")
