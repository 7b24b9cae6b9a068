"""DELETE: which rows go."""

from __future__ import annotations

from sqlglot import exp

from server.sql.bind.bind_query import binding
from server.sql.bind.context import BindContext
from server.sql.bind.query import aliased
from server.sql.bind.result import BoundDelete
from server.sql.bind.rows_to_write import RowsToWrite
from server.sql.bind.statement import Statement
from server.sql.bind.target import (
    bind_returning,
    carry,
    find_target,
    finish_returning,
    storage_columns,
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
        table = find_target(statement, node.table, verb)
        target = RowsToWrite(statement, table, node.alias, node.using, node.with_)
        projections = [
            aliased(exp.column(column, table=target.alias), column)
            for column in storage_columns(table)
        ]
        target.select.set("expressions", projections)
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
        returning, carried = carry(returning, target.others, target.select)
        finished = statement.finish(target.select)
        return BoundDelete(
            table,
            finished,
            finish_returning(statement, returning),
            statement.parameter_types(),
            frozenset(statement.depends_on),
            statement.needs,
            carried,
        )
