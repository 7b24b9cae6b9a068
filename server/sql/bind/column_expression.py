"""Expressions over the columns of one row: generated columns, CHECK, USING of ALTER COLUMN TYPE.

The row goes by the alias ``ROW``.
"""

from __future__ import annotations

from sqlglot import exp, parse_one

from barrier.proctime import is_clock
from catalog.constraint_errors import InvalidObjectDefinition
from catalog.errors import DatatypeMismatch, FeatureNotSupported, UndefinedParameter
from catalog.relation import ROW, Column, Table
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
from server.sql.struct_change import changed_struct, is_struct_change
from server.sql.typed import Typed
from server.sql.volatility import is_volatile


def bind_using(
    expression: exp.Expr, table: Table, column: Column, context: BindContext, *, target: PgType
) -> str:
    """Return what a column becomes, as DuckDB SQL over the table's rows.

    Raises:
        DatatypeMismatch: It has a type that does not become the column's.
        PgError: It makes no sense.
    """
    statement = Statement(context, expression.meta.get(TEXT, ""))
    with binding(statement):
        value = _walker(statement, table, places.UPDATE).bind(expression)
        if not can_coerce(value.type, target, Coercion.ASSIGNMENT):
            raise DatatypeMismatch(
                f'result of USING clause for column "{column.name}" cannot be cast automatically '
                f"to type {target.sql_name}",
                hint="You might need to add an explicit cast.",
            )
        made = coerce(value, target, Coercion.ASSIGNMENT, position=statement.position(expression))
        return statement.finish(made.tree).sql(dialect="duckdb")


def bind_generated(expression: exp.Expr, table: Table, column: Column, context: BindContext) -> str:
    """Return what a generated column holds, as DuckDB SQL over the row's other columns.

    Raises:
        PgError: It makes no sense, is not the same each time, or reads generated columns.
    """
    statement = Statement(context, expression.meta.get(TEXT, ""))
    with binding(statement):
        refuse_queries(statement, expression, "column generation expression")
        _refuse_generated(statement, expression, table)
        value = _walker(statement, table, places.GENERATION).bind(expression)
        if not can_coerce(value.type, column.type, Coercion.ASSIGNMENT):
            raise DatatypeMismatch(
                f'column "{column.name}" is of type {column.type.sql_name} but default expression '
                f"is of type {value.type.sql_name}",
                hint="You will need to rewrite or cast the expression.",
            )
        position = statement.position(expression)
        tree = coerce(value, column.type, Coercion.ASSIGNMENT, position=position).tree
        if is_volatile(tree) and not _is_proctime(expression, tree):
            raise InvalidObjectDefinition("generation expression is not immutable")
        return statement.finish(tree).sql(dialect="duckdb")


def _is_proctime(expression: exp.Expr, tree: exp.Expr) -> bool:
    """Whether an expression varies only by ``proctime()``, which is when the row is written."""
    called = {call.name.lower() for call in expression.find_all(exp.Anonymous)}
    if "proctime" not in called or any(map(is_clock, expression.walk())):
        return False
    return not is_volatile(tree.transform(lambda node: exp.null() if is_clock(node) else node))


def bind_index_expression(expression: exp.Expr, table: Table, context: BindContext) -> str:
    """Return an index's expression as DuckDB SQL over the row's columns.

    Raises:
        PgError: It makes no sense, or is not the same each time.
    """
    statement = Statement(context, expression.meta.get(TEXT, ""))
    with binding(statement):
        refuse_queries(statement, expression, "index expression")
        value = _walker(statement, table, places.INDEX).bind(expression)
        if is_volatile(value.tree):
            raise InvalidObjectDefinition(
                "functions in index expression must be marked IMMUTABLE",
                position=statement.position(expression),
            )
        return statement.finish(value.tree).sql(dialect="duckdb")


def bind_index_condition(condition: exp.Expr, table: Table, context: BindContext) -> str:
    """Return which rows a partial index is of, as DuckDB SQL over the row's columns.

    Raises:
        PgError: It makes no sense, or is not the same each time.
    """
    statement = Statement(context, condition.meta.get(TEXT, ""))
    with binding(statement):
        refuse_queries(statement, condition, "index predicate")
        tree = _walker(statement, table, places.INDEX_PREDICATE).condition(condition, "WHERE")
        if is_volatile(tree):
            raise InvalidObjectDefinition(
                "functions in index predicate must be marked IMMUTABLE",
                position=statement.position(condition),
            )
        return statement.finish(tree).sql(dialect="duckdb")


def bind_check(condition: exp.Expr, table: Table, context: BindContext) -> str:
    """Return the condition of CHECK as DuckDB SQL over the row's columns.

    Raises:
        PgError: It makes no sense.
    """
    statement = Statement(context, condition.meta.get(TEXT, ""))
    with binding(statement):
        refuse_queries(statement, condition, "check constraint")
        tree = _walker(statement, table, places.CHECK).condition(condition, "CHECK")
        return statement.finish(tree).sql(dialect="duckdb")


def bind_watermark(expression: exp.Expr, table: Table, column: Column, context: BindContext) -> str:
    """Return the expression of a watermark as DuckDB SQL over the row's columns.

    Raises:
        DatatypeMismatch: It is of another type than the column.
        PgError: It makes no sense, or is not the same each time.
    """
    statement = Statement(context, expression.meta.get(TEXT, ""))
    with binding(statement):
        refuse_queries(statement, expression, "watermark expression")
        value = _walker(statement, table, places.INDEX).bind(expression)
        if is_volatile(value.tree):
            raise InvalidObjectDefinition(
                "functions in watermark expression must be marked IMMUTABLE",
                position=statement.position(expression),
            )
        if value.type != column.type:
            raise DatatypeMismatch(
                "The return value type of the watermark expression must be identical to the "
                "watermark column data type. Current data type of watermark return value: "
                f"`{value.type.sql_name}`, column `{column.type.sql_name}`",
                position=statement.position(expression),
            )
        return statement.finish(value.tree).sql(dialect="duckdb")


def columns_of_row(sql: str) -> frozenset[int]:
    """Return the numbers of the columns that an expression over a row reads."""
    tree = parse_one(sql, read="duckdb")
    return frozenset(int(c.name[1:]) for c in tree.find_all(exp.Column) if c.table == ROW)


def _walker(statement: Statement, table: Table, place: places.Place) -> Walker:
    item = target_item(table, ROW, table.name)
    scope = Scope([item], list(item.columns))
    level = statement.new_level()
    return Walker(statement, scope, QueryBinder(statement).bind, {}, level, place)


def refuse_queries(statement: Statement, expression: exp.Expr, where: str) -> None:
    """Refuse subqueries and parameters; ``where`` is for the message."""
    for node in expression.walk():
        if isinstance(node, exp.Query):
            raise FeatureNotSupported(
                f"cannot use subquery in {where}", position=statement.position(node)
            )
        if isinstance(node, exp.Parameter):
            raise UndefinedParameter(
                f"there is no parameter ${node.name}", position=statement.position(node)
            )


def _refuse_generated(statement: Statement, expression: exp.Expr, table: Table) -> None:
    generated = {column.name for column in table.columns if column.generated is not None}
    for node in expression.find_all(exp.Column):
        if node.name in generated:
            raise InvalidObjectDefinition(
                f'cannot use generated column "{node.name}" in column generation expression',
                detail="A generated column cannot reference another generated column.",
                position=statement.position(node),
            )


def converted_column(column: Column, target: PgType) -> str:
    """Return a column's values as those of another type, as DuckDB SQL over the table's rows.

    Raises:
        DatatypeMismatch: No assignment does that.
    """
    if not can_coerce(column.type, target, Coercion.ASSIGNMENT):
        raise DatatypeMismatch(
            f'column "{column.name}" cannot be cast automatically to type {target.sql_name}',
            hint=f'You might need to specify "USING {column.name}::{target.display()}".',
        )
    read = Typed(exp.column(column.storage_name, table=ROW), column.type)
    return coerce(read, target, Coercion.ASSIGNMENT).tree.sql(dialect="duckdb")


def changed_column(column: Column, target: PgType) -> str:
    """Return a column's values with the fields of another type, as of ``changed_struct``."""
    read = exp.column(column.storage_name, table=ROW)
    return changed_struct(read, column.type, target).sql(dialect="duckdb")


def converted_default(column: Column, target: PgType) -> str | None:
    """Return a column's default as one of another type.

    Raises:
        DatatypeMismatch: No assignment does that.
    """
    if column.default is None:
        return None
    if is_struct_change(column.type, target):
        default = parse_one(column.default, read="duckdb")
        return changed_struct(default, column.type, target).sql(dialect="duckdb")
    if not can_coerce(column.type, target, Coercion.ASSIGNMENT):
        raise DatatypeMismatch(
            f'default for column "{column.name}" cannot be cast automatically to type '
            f"{target.sql_name}"
        )
    value = Typed(parse_one(column.default, read="duckdb"), column.type)
    return coerce(value, target, Coercion.ASSIGNMENT).tree.sql(dialect="duckdb")
