"""Columns of a table that is there which get, change or lose a sequence of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from barrier.command import Command, Flush
from barrier.sequences import SequencePlace
from catalog.errors import (
    InvalidParameterValue,
    Notice,
    ObjectNotInPrerequisiteState,
    SqlSyntaxError,
)
from catalog.oid import Oid
from catalog.relation import ROW, Column, Relation, Table, storage_name
from catalog.sequence import BOUNDS, SequenceGenerator, sequences_of
from catalog.state import Catalog
from catalog.types import PgType
from server.execute.numbered_columns import numbered_column
from server.session_state import SessionState
from server.sql.alter_statement import SetDefault, SetIdentity, SetNotNull, TableAction
from server.sql.clause import ColumnDefinition


def refuse_misfit(relation: Relation, action: TableAction) -> None:
    """Refuse what cannot be done to a column that has its values otherwise.

    Raises:
        SqlSyntaxError: It is an identity column or a generated one.
    """
    hint = None
    if not isinstance(action, (SetDefault, SetNotNull)) or not isinstance(relation, Table):
        return
    column = next((c for c in relation.columns if c.name == action.column.name), None)
    if column is None or (isinstance(action, SetNotNull) and action.is_not_null):
        return
    is_dropped = isinstance(action, SetDefault) and action.default is None
    if column.identity:
        kind, way = "an identity", "IDENTITY"
    elif isinstance(action, SetDefault) and column.generated is not None:
        kind, way = "a generated", "EXPRESSION"
    else:
        return
    if is_dropped:
        hint = f"Use ALTER TABLE ... ALTER COLUMN ... DROP {way} instead."
    raise SqlSyntaxError(
        f'column "{column.name}" of relation "{relation.name}" is {kind} column', hint=hint
    )


def check_identity_type(column: Column, target: PgType) -> None:
    """Raise InvalidParameterValue for a type that numbers of an identity column are not of."""
    if column.identity and target.oid not in BOUNDS:
        raise InvalidParameterValue("identity column type must be smallint, integer, or bigint")


def value_of_row(column: Column, definition: ColumnDefinition) -> str | None:
    """Return what a new column holds in a row that was there, as DuckDB SQL; None: NULL."""
    if definition.generated is not None:
        return "NULL"  # The worker computes it.
    if column.default is None and column.type.domain is not None:
        return f"ut{column.type.domain.oid}_check(NULL)"
    return column.default


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
