"""Errors about sessions: what they wait for, how long they are left alone, what they have named."""

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


class DuplicatePreparedStatement(PgError, sqlstate=SqlState.DUPLICATE_PREPARED_STATEMENT):
    """A prepared statement of that name exists."""


class UndefinedPreparedStatement(PgError, sqlstate=SqlState.INVALID_SQL_STATEMENT_NAME):
    """A prepared statement was named that does not exist."""

    @classmethod
    def named(cls, name: str) -> UndefinedPreparedStatement:
        """Build the error with PostgreSQL's own wording."""
        if not name:
            return cls("unnamed prepared statement does not exist")
        return cls(f'prepared statement "{name}" does not exist')


class InvalidCursorState(PgError, sqlstate=SqlState.INVALID_CURSOR_STATE):
    """A portal is not in a state in which that can be done."""


class DuplicateCursor(PgError, sqlstate=SqlState.DUPLICATE_CURSOR):
    """A portal of that name exists."""


class UndefinedCursor(PgError, sqlstate=SqlState.INVALID_CURSOR_NAME):
    """A portal was named that does not exist."""

    @classmethod
    def named(cls, name: str) -> UndefinedCursor:
        """Build the error with PostgreSQL's own wording."""
        return cls(f'portal "{name}" does not exist')
