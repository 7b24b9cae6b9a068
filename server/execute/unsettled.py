"""What a transaction writes, as long as no other statement can see it.

Rows that an INSERT gives as plain values need no engine to evaluate them. In a transaction they
wait, the latest of all that it has written, until another statement could see them; then they go
where the rest of its writes are. So does what the only statement
that writes to a table has written. Most blocks only insert, or change a table once, and what they
did is handed in as it came.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias, cast

from barrier.given_change import GivenChange
from barrier.given_rows import GIVEN_ROWS_MAX, GivenRows, GivenValue
from barrier.writes import ORDINAL, TableWrites
from catalog.oid import Oid
from catalog.relation import Table
from server.execute.binding import Binding
from server.execute.block_writes import add_to_block, seen_at
from server.execute.evaluate import Evaluated
from server.execute.few_changes import change_writes, evaluated_change
from server.session_state import SessionState
from server.sql.bind.result import (
    BoundDelete,
    BoundInsert,
    BoundMerge,
    BoundQuery,
    BoundUpdate,
    ParameterList,
)
from server.transaction import GivenTable, SingleWrite

AnyBinding: TypeAlias = (
    Binding[BoundQuery]
    | Binding[BoundInsert]
    | Binding[BoundUpdate]
    | Binding[BoundDelete]
    | Binding[BoundMerge]
)

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
    if table.oid in state.transaction.single:
        settle(state, {table.oid})
    given = state.transaction.given.setdefault(table.oid, GivenTable(table))
    given.add(rows)
    if given.count > GIVEN_ROWS_MAX:
        settle(state, {table.oid})


def add_evaluated(state: SessionState, evaluated: Evaluated) -> None:
    """Add a statement's writes to a transaction, if no foreign key has a say in them.

    Args:
        state: The session.
        evaluated: The writes; their staging tables are the transaction's from now on. What had
            been written to the table before is settled.
    """
    transaction, table = state.transaction, evaluated.table

    def settle_it() -> None:
        add_to_block(state, evaluated)
        state.drop_staging(evaluated.staging)

    if table.oid in transaction.staged or table.binds_rows:
        settle_it()
    elif evaluated.rows:
        transaction.made |= set(evaluated.staging)
        (writes,) = evaluated.write_set(seen_at(state, table)).tables
        staging = tuple(evaluated.staging)
        transaction.single[table.oid] = SingleWrite(writes, staging, settle_it)
    else:
        state.drop_staging(evaluated.staging)


def add_change(state: SessionState, table: Table, change: GivenChange) -> None:
    """Add the rows that a statement changes to a transaction; what it wrote before is settled."""
    if change.rows:
        state.transaction.single[table.oid] = SingleWrite(
            change_writes(table, change, seen_at(state, table)),
            (),
            lambda: add_to_block(state, evaluated_change(table, change)),
        )


def settle(state: SessionState, tables: Collection[Oid] | None = None) -> None:
    """Put what waits to the rest of what the transaction has written, for others to see it.

    Args:
        state: The session.
        tables: What is about to be read or written; None: that is not known.

    Raises:
        PgError: The engine could not; the transaction has failed.
    """
    transaction = state.transaction
    for oid in transaction.unsettled if tables is None else transaction.unsettled & set(tables):
        # One table has what a statement wrote, or new rows, not both.
        if (single := transaction.single.pop(oid, None)) is not None:
            single.settle()
        if (given := transaction.given.pop(oid, None)) is not None:
            item = given.rows().item(ORDINAL)
            rows = Evaluated(given.table, given.count, new=item, ordinals=given.count)
            add_to_block(state, rows)


def touched(binding: AnyBinding) -> frozenset[Oid] | None:
    """Return the stored relations that a statement reads or writes; None if it is not known."""
    stored = binding.reading().stored
    if stored is None:
        return None
    written = () if isinstance(binding.bound, BoundQuery) else (binding.bound.table.oid,)
    return frozenset([*stored, *written])
