"""What a transaction writes, as long as no other statement can see it.

Rows that an INSERT gives as plain values need no engine to evaluate them. In a transaction they
wait, the latest of all that it has written, until another statement could see them; then they go
where the rest of its writes are. So does what the only statement of a transaction has written.
Most blocks only insert, or change one thing, and what they did is handed in as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from barrier.given_rows import GIVEN_ROWS_MAX, GivenRows, GivenValue
from barrier.writes import ORDINAL, TableWrites
from catalog.relation import Table
from server.execute.block_writes import add_to_block
from server.execute.evaluate import Evaluated
from server.session_state import SessionState
from server.sql.bind.result import BoundInsert, ParameterList
from server.transaction import GivenTable, SingleWrite

#: What values are that need no look.
_NOT_NULL: Final = frozenset({int, float, str, bool})
_VALUES: Final = _NOT_NULL | {type(None)}


def given_rows(
    state: SessionState, bound: BoundInsert, parameters: Sequence[object]
) -> GivenRows | None:
    """Return the rows of an INSERT; None if there is more to be done with them.

    Args:
        state: The session.
        bound: The statement.
        parameters: All of the client's parameters.
    """
    table = bound.table
    if bound.plain is None or table.checks or table.has_key_rules or table.binds_rows:
        return None
    if table.primary_key and state.settings.show("insert_conflict") == "error":
        return None
    lists = [
        [parameters[n - 1] for n in values.numbers] if isinstance(values, ParameterList) else values
        for values in bound.constants
    ]
    rows = len(lists[0])
    if rows > GIVEN_ROWS_MAX:
        return None
    columns: list[Sequence[GivenValue]] = []
    for column, place in zip(table.columns, bound.plain, strict=True):
        values = [None] * rows if place is None else lists[place]
        may_be_null = column.is_nullable and column.number not in table.primary_key
        kinds = _VALUES if may_be_null else _NOT_NULL
        if any(type(value) not in kinds for value in values):
            return None  # The evaluation tells what is wrong.
        columns.append(cast("Sequence[GivenValue]", values))
    names = tuple(column.storage_name for column in table.columns)
    types = tuple(column.type.duckdb for column in table.columns)
    return GivenRows(names, types, tuple(columns))


def given_writes(table: Table, rows: GivenRows) -> TableWrites:
    """Return what the worker is to do with new rows."""
    return TableWrites(
        table.oid, rows=rows.rows, ordinals=rows.rows, layout=table.layout, given=rows
    )


def add_given(state: SessionState, table: Table, rows: GivenRows) -> None:
    """Add new rows to a transaction."""
    if state.transaction.single is not None:
        settle(state)
    given = state.transaction.given.setdefault(table.oid, GivenTable(table))
    given.add(rows)
    if given.count > GIVEN_ROWS_MAX:
        settle(state)


def add_evaluated(state: SessionState, evaluated: Evaluated, seen: int | None) -> None:
    """Add a statement's writes to a transaction that waits for no foreign key.

    Args:
        state: The session.
        evaluated: The writes; their staging tables are the transaction's from now on.
        seen: The epoch that had last changed the table before its rows were read, if known.
    """
    transaction = state.transaction

    def settle_it() -> None:
        add_to_block(state, evaluated)
        state.drop_staging(evaluated.staging)

    if transaction.has_written or evaluated.table.binds_rows:
        settle_it()
    elif evaluated.rows:
        transaction.made |= set(evaluated.staging)
        transaction.single = SingleWrite(evaluated.write_set(seen), settle_it)
    else:
        state.drop_staging(evaluated.staging)


def settle(state: SessionState) -> None:
    """Put what waits to the rest of what the transaction has written, for others to see it.

    Raises:
        PgError: The engine could not; the transaction has failed.
    """
    transaction = state.transaction
    single, transaction.single = transaction.single, None
    if single is not None:
        single.settle()
    given, transaction.given = transaction.given, {}
    for waiting in given.values():
        item, count = waiting.rows().item(ORDINAL), waiting.count
        add_to_block(state, Evaluated(waiting.table, count, new=item, ordinals=count))
