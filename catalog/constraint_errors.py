"""Errors about what a table asks of its rows, beside NOT NULL and keys."""

from __future__ import annotations

from catalog.errors import PgError, Place
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
