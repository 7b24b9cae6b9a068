"""UPDATE: which rows change and what they become."""

from __future__ import annotations

from server.sql.bind import walker as places
from server.sql.bind.assignment import bind_assignments, old_and_new
from server.sql.bind.bind_query import binding
from server.sql.bind.context import BindContext
from server.sql.bind.result import BoundUpdate
from server.sql.bind.rows_to_write import RowsToWrite
from server.sql.bind.statement import Statement
from server.sql.bind.target import (
    bind_returning,
    carry,
    find_target,
    finish_returning,
)
from server.sql.statement import Update


def bind_update(node: Update, context: BindContext) -> BoundUpdate:
    """Bind an UPDATE; what was parsed is left as it is.

    A row that FROM pairs with several others changes once.

    Raises:
        PgError: A name, type or shape is wrong, as PostgreSQL would say.
    """
    statement = Statement(context, node.text)
    with binding(statement):
        table = find_target(statement, node.table, "update")
        target = RowsToWrite(statement, table, node.alias, node.from_, node.with_)
        walker = target.walker
        target.bind_where(node.where)
        returning = bind_returning(
            statement,
            target.binder,
            table,
            node.returning,
            target.ctes,
            name=node.alias,
            others=target.others,
        )
        with walker.within(places.UPDATE):
            assignments = bind_assignments(walker, table, node.assignments)
        target.select.set("expressions", old_and_new(table, target.alias, assignments))
        returning, carried = carry(returning, target.others, target.select)
        finished = statement.finish(target.select)
        return BoundUpdate(
            table,
            finished,
            finish_returning(statement, returning),
            statement.parameter_types(),
            frozenset(statement.depends_on),
            statement.needs,
            carried,
        )
