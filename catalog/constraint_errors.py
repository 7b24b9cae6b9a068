"""Errors about what a table asks of its rows, beside NOT NULL and keys."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.constraint import ForeignKey, UniqueKey
from catalog.errors import ObjectNotInPrerequisiteState, PgError, Place, UniqueViolation
from catalog.relation import Table
from catalog.sqlstate import SqlState


class GeneratedAlways(PgError, sqlstate=SqlState.GENERATED_ALWAYS):
    """A value was given for a column that is computed."""


class SequenceLimitExceeded(PgError, sqlstate=SqlState.SEQUENCE_GENERATOR_LIMIT_EXCEEDED):
    """A sequence has no further number."""


class InvalidObjectDefinition(PgError, sqlstate=SqlState.INVALID_OBJECT_DEFINITION):
    """What is to be made could not do what it is for."""


class CheckViolation(PgError, sqlstate=SqlState.CHECK_VIOLATION):
    """A row fails a CHECK constraint."""

    @classmethod
    def of(cls, schema: str, table: str, constraint: str, *, detail: str) -> CheckViolation:
        """Build the error with PostgreSQL's own wording."""
        error = cls(
            f'new row for relation "{table}" violates check constraint "{constraint}"',
            detail=detail,
        )
        error.place = Place(schema, table, constraint=constraint)
        return error


class CheckOptionViolation(PgError, sqlstate=SqlState.WITH_CHECK_OPTION_VIOLATION):
    """A row that is written through a view is none of its rows."""


class ForeignKeyViolation(PgError, sqlstate=SqlState.FOREIGN_KEY_VIOLATION):
    """A row refers to one that is not there, or would not be there any more."""


class InvalidForeignKey(PgError, sqlstate=SqlState.INVALID_FOREIGN_KEY):
    """A foreign key refers to what is no key."""


def key_text(names: Sequence[str], values: Sequence[object]) -> str:
    """Return a key as details of messages show it."""
    shown = ", ".join("null" if value is None else str(value) for value in values)
    return f"Key ({', '.join(names)})=({shown})"


def failing_row(values: Sequence[object]) -> str:
    """Return the detail that shows the row which is refused."""
    shown = ", ".join("null" if value is None else str(value) for value in values)
    return f"Failing row contains ({shown})."


def duplicate_key(table: Table, key: UniqueKey, values: Sequence[object]) -> UniqueViolation:
    """Build the error for a key that is there already, with PostgreSQL's own wording."""
    error = UniqueViolation(
        f'duplicate key value violates unique constraint "{key.name}"',
        detail=f"{key_text(key.shown, values)} already exists.",
    )
    error.place = Place(table.schema, table.name, constraint=key.name)
    return error


def not_unique(table: Table, key: UniqueKey, values: Sequence[object]) -> UniqueViolation:
    """Build the error for rows that a unique index cannot be made of."""
    error = UniqueViolation(
        f'could not create unique index "{key.name}"',
        detail=f"{key_text(key.shown, values)} is duplicated.",
    )
    error.place = Place(table.schema, table.name, constraint=key.name)
    return error


def _names(table: Table, numbers: Sequence[int]) -> list[str]:
    names = {column.number: column.name for column in table.columns}
    return [names[number] for number in numbers]


def missing_reference(
    table: Table, key: ForeignKey, target: Table, values: Sequence[object]
) -> ForeignKeyViolation:
    """Build the error for a row that refers to one that is not there."""
    shown = key_text(_names(table, key.columns), values)
    return _referring(table, key, f'{shown} is not present in table "{target.name}".')


def mixed_reference(table: Table, key: ForeignKey) -> ForeignKeyViolation:
    """Build the error for a row that refers to something with a part of its key."""
    return _referring(
        table, key, "MATCH FULL does not allow mixing of null and nonnull key values."
    )


def _referring(table: Table, key: ForeignKey, detail: str) -> ForeignKeyViolation:
    error = ForeignKeyViolation(
        f'insert or update on table "{table.name}" violates foreign key constraint "{key.name}"',
        detail=detail,
    )
    error.place = Place(table.schema, table.name, constraint=key.name)
    return error


def still_referenced(
    table: Table, key: ForeignKey, target: Table, values: Sequence[object]
) -> ForeignKeyViolation:
    """Build the error for a row that others still refer to."""
    shown = key_text(_names(target, key.target_columns), values)
    error = ForeignKeyViolation(
        f'update or delete on table "{target.name}" violates foreign key constraint "{key.name}"'
        f' on table "{table.name}"',
        detail=f'{shown} is still referenced from table "{table.name}".',
    )
    error.place = Place(table.schema, table.name, constraint=key.name)
    return error


def deferrable_arbiter() -> ObjectNotInPrerequisiteState:
    """Build the error for ON CONFLICT with a key that may wait for the transaction's end."""
    return ObjectNotInPrerequisiteState(
        "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as "
        "arbiters"
    )
