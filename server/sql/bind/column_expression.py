"""Expressions over the columns of one row: USING of ALTER COLUMN TYPE."""

from __future__ import annotations

from sqlglot import exp, parse_one

from catalog.errors import DatatypeMismatch
from catalog.relation import Column, Table
from catalog.types import PgType
from server.sql.bind import walker as places
from server.sql.bind.bind_query import QueryBinder, binding
from server.sql.bind.context import BindContext
from server.sql.bind.scope import Scope
from server.sql.bind.statement import Statement
from server.sql.bind.target import target_item
from server.sql.bind.walker import Walker
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.query_tree import TEXT
from server.sql.typed import Typed


def bind_using(
    expression: exp.Expr,
    table: Table,
    column: Column,
    context: BindContext,
    *,
    target: PgType,
    row: str,
) -> str:
    """Return what a column becomes, as DuckDB SQL over the table's rows under an alias.

    Raises:
        DatatypeMismatch: It has a type that does not become the column's.
        PgError: It makes no sense.
    """
    statement = Statement(context, expression.meta.get(TEXT, ""))
    with binding(statement):
        item = target_item(table, row)
        scope = Scope([item], list(item.columns))
        walker = Walker(
            statement, scope, QueryBinder(statement).bind, {}, statement.new_level(), places.UPDATE
        )
        value = walker.bind(expression)
        if not can_coerce(value.type, target, Coercion.ASSIGNMENT):
            raise DatatypeMismatch(
                f'result of USING clause for column "{column.name}" cannot be cast automatically '
                f"to type {target.sql_name}",
                hint="You might need to add an explicit cast.",
            )
        made = coerce(value, target, Coercion.ASSIGNMENT, position=statement.position(expression))
        return statement.finish(made.tree).sql(dialect="duckdb")


def converted_column(column: Column, target: PgType, row: str) -> str:
    """Return a column's values as those of another type, as DuckDB SQL over rows under an alias.

    Raises:
        DatatypeMismatch: No assignment does that.
    """
    if not can_coerce(column.type, target, Coercion.ASSIGNMENT):
        raise DatatypeMismatch(
            f'column "{column.name}" cannot be cast automatically to type {target.sql_name}',
            hint=f'You might need to specify "USING {column.name}::{target.display()}".',
        )
    read = Typed(exp.column(column.storage_name, table=row), column.type)
    return coerce(read, target, Coercion.ASSIGNMENT).tree.sql(dialect="duckdb")


def converted_default(column: Column, target: PgType) -> str | None:
    """Return a column's default as one of another type.

    Raises:
        DatatypeMismatch: No assignment does that.
    """
    if column.default is None:
        return None
    if not can_coerce(column.type, target, Coercion.ASSIGNMENT):
        raise DatatypeMismatch(
            f'default for column "{column.name}" cannot be cast automatically to type '
            f"{target.sql_name}"
        )
    value = Typed(parse_one(column.default, read="duckdb"), column.type)
    return coerce(value, target, Coercion.ASSIGNMENT).tree.sql(dialect="duckdb")
