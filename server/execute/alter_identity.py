"""Columns of a table that is there which get, change or lose a sequence of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from barrier.command import Command, Flush
from barrier.sequences import SequencePlace
from catalog.errors import Notice, ObjectNotInPrerequisiteState
from catalog.oid import Oid
from catalog.relation import ROW, Column, Table, storage_name
from catalog.sequence import SequenceGenerator, sequences_of
from catalog.state import Catalog
from server.execute.numbered_columns import numbered_column
from server.session_state import SessionState
from server.sql.alter_statement import SetIdentity
from server.sql.clause import ColumnDefinition


def number_of_row(sequence: SequenceGenerator) -> str:
    """Return the number that a new column holds in a row that was there, as DuckDB SQL."""
    count = f"row_number() OVER (ORDER BY {ROW}.rowid)"
    return f"{sequence.start} + {sequence.increment} * ({count} - 1)"


def perform_numbered(
    state: SessionState, table: Table, sequences: Sequence[SequenceGenerator], command: Command
) -> None:
    """Have the rows of a table numbered, and sequences go on from there.

    Args:
        state: The session.
        table: The table.
        sequences: Those of the new columns.
        command: What numbers the rows.

    Raises:
        PgError: It cannot be done, or the wait was ended.
    """
    with state.worker.exclusive(state.interrupt):
        state.perform(Flush())  # What others have handed in is there then.
        ((count,),) = state.reader.rows(f"SELECT count(*) FROM {storage_name(table.oid)}")
        rows = int(str(count))
        for sequence in sequences if rows else ():
            last = sequence.start + sequence.increment * (rows - 1)
            state.worker.sequences.move(sequence, SequencePlace(last, is_called=True))
        state.perform(command)


def with_identity(
    state: SessionState, catalog: Catalog, table: Table, column: Column, action: SetIdentity
) -> tuple[Column, SequenceGenerator | None, Oid | None]:
    """Return a column as an identity column, or as none.

    Returns:
        The column, the sequence that it gets, and the one that goes.

    Raises:
        ObjectNotInPrerequisiteState: It is one already, or none, or has what one has not.
        PgError: What is said of its sequence does not fit together.
    """
    where = f'column "{column.name}" of relation "{table.name}"'
    if action.sequence is None and not column.identity:
        if not action.identity and action.if_exists:
            state.notice(Notice(f"{where} is not an identity column, skipping"))
            return column, None, None
        raise ObjectNotInPrerequisiteState(f"{where} is not an identity column")
    if action.sequence is None and action.identity:
        return replace(column, identity=action.identity), None, None
    if action.sequence is None:
        (held,) = sequences_of(column.default)
        return replace(column, identity="", default=None, default_source=None), None, held
    if column.is_nullable:
        raise ObjectNotInPrerequisiteState(
            f"{where} must be declared NOT NULL before identity can be added"
        )
    if column.identity:
        raise ObjectNotInPrerequisiteState(f"{where} is already an identity column")
    if column.default is not None:
        raise ObjectNotInPrerequisiteState(f"{where} already has a default value")
    definition = ColumnDefinition(
        column.name, column.type.name, identity=action.identity, sequence=action.sequence
    )
    numbered, sequence = numbered_column(
        state, catalog, table, column, definition=definition, taken=set()
    )
    return numbered, sequence, None
