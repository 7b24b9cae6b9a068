"""DELETE: which rows go."""

from __future__ import annotations

from collections.abc import Mapping

from server.sql.bind.bind_query import binding
from server.sql.bind.context import BindContext
from server.sql.bind.query import Cte, aliased
from server.sql.bind.result import BoundDelete
from server.sql.bind.rows_to_write import RowsToWrite
from server.sql.bind.statement import Statement
from server.sql.bind.target import (
    carry,
    find_target,
    finish_returning,
    storage_columns,
    stored_column,
)
from server.sql.statement import Delete


def bind_delete(node: Delete, context: BindContext, verb: str = "delete from") -> BoundDelete:
    """Bind a DELETE; what was parsed is left as it is.

    A row that USING pairs with several others goes once.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, node.text)
    with binding(statement):
        return delete_in(statement, node, {}, verb)


def delete_in(
    statement: Statement, node: Delete, ctes: Mapping[str, Cte], verb: str = "delete from"
) -> BoundDelete:
    """Bind a DELETE as a part of a statement; ``ctes`` are what it may name beside its own."""
    target = find_target(statement, node.table, verb)
    rows = RowsToWrite(statement, target, node.alias, node.using, node.with_, ctes=ctes)
    projections = [
        aliased(stored_column(target, column, rows.alias), column)
        for column in storage_columns(target.table)
    ]
    rows.select.set("expressions", projections)
    rows.bind_where(node.where)
    returning = rows.bind_returning(node.returning)
    returning, carried = carry(returning, rows.others, rows.select)
    finished = statement.finish(rows.select)
    return BoundDelete(
        target.table,
        finished,
        finish_returning(statement, returning),
        statement.parameter_types(),
        frozenset(statement.depends_on),
        statement.needs,
        carried,
    )
