"""Errors about what roles give to each other."""

from __future__ import annotations

from catalog.errors import PgError
from catalog.sqlstate import SqlState


class InvalidGrant(PgError, sqlstate=SqlState.INVALID_GRANT_OPERATION):
    """Something cannot be granted, or not to or by that role."""
