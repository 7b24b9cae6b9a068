"""UPDATE: which rows change and what they become."""

from __future__ import annotations

from collections.abc import Mapping

from server.sql.bind import walker as places
from server.sql.bind.assignment import bind_assignments, old_and_new
from server.sql.bind.bind_query import binding
from server.sql.bind.context import BindContext
from server.sql.bind.query import Cte
from server.sql.bind.result import BoundUpdate
from server.sql.bind.rows_to_write import RowsToWrite
from server.sql.bind.statement import Statement
from server.sql.bind.target import (
    carry,
    find_target,
    finish_returning,
)
from server.sql.bind.written_view import view_checks
from server.sql.statement import Update


def bind_update(node: Update, context: BindContext) -> BoundUpdate:
    """Bind an UPDATE; what was parsed is left as it is.

    A row that FROM pairs with several others changes once.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, node.text)
    with binding(statement):
        return update_in(statement, node, {})


def update_in(statement: Statement, node: Update, ctes: Mapping[str, Cte]) -> BoundUpdate:
    """Bind an UPDATE as a part of a statement; ``ctes`` are what it may name beside its own."""
    target = find_target(statement, node.table, "update")
    rows = RowsToWrite(statement, target, node.alias, node.from_, node.with_, ctes=ctes)
    walker = rows.walker
    rows.bind_where(node.where)
    returning = rows.bind_returning(node.returning)
    with walker.within(places.UPDATE):
        assignments = bind_assignments(walker, target, node.assignments, rows.alias)
    rows.select.set("expressions", old_and_new(target, rows.alias, assignments))
    returning, carried = carry(returning, rows.others, rows.select)
    finished = statement.finish(rows.select)
    return BoundUpdate(
        target.table,
        finished,
        finish_returning(statement, returning),
        statement.parameter_types(),
        frozenset(statement.depends_on),
        statement.needs,
        carried,
        () if target.written is None else view_checks(statement, target.written),
    )
