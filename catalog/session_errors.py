"""Errors about sessions: what they wait for, how long they are left alone, their cursors."""

from __future__ import annotations

from catalog.errors import PgError
from catalog.sqlstate import SqlState


class DeadlockDetected(PgError, sqlstate=SqlState.DEADLOCK_DETECTED):
    """Sessions wait for each other in a ring."""


class LockNotAvailable(PgError, sqlstate=SqlState.LOCK_NOT_AVAILABLE):
    """A lock was not had in time."""


class IdleInTransactionTimeout(PgError, sqlstate=SqlState.IDLE_IN_TRANSACTION_SESSION_TIMEOUT):
    """A client has left its transaction alone for too long."""

    @classmethod
    def plain(cls) -> IdleInTransactionTimeout:
        """Build the error with PostgreSQL's own wording."""
        text = "terminating connection due to idle-in-transaction timeout"
        return cls(text, severity="FATAL")


class IdleSessionTimeout(PgError, sqlstate=SqlState.IDLE_SESSION_TIMEOUT):
    """A client has left its session alone for too long."""

    @classmethod
    def plain(cls) -> IdleSessionTimeout:
        """Build the error with PostgreSQL's own wording."""
        return cls("terminating connection due to idle-session timeout", severity="FATAL")


class InvalidCursorDefinition(PgError, sqlstate=SqlState.INVALID_CURSOR_DEFINITION):
    """A cursor cannot be declared that way."""
