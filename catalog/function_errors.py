"""Errors about functions that users make."""

from __future__ import annotations

from catalog.errors import PgError
from catalog.sqlstate import SqlState


class DuplicateFunction(PgError, sqlstate=SqlState.DUPLICATE_FUNCTION):
    """There is a function of that name with such arguments."""


class InvalidFunctionDefinition(PgError, sqlstate=SqlState.INVALID_FUNCTION_DEFINITION):
    """What a function is made of does not fit together."""
