"""Statements about the session itself: parameters, transactions, cursors, notifications.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from sqlglot import exp

from server.sql.clause import Option, QualifiedName
from server.sql.source import Parsed, Source


@dataclass(frozen=True, slots=True)
class Use(Parsed):
    """USE a database."""

    database: str


class SetScope(StrEnum):
    """How long a SET lasts: until the session or the transaction ends."""

    SESSION = "SESSION"
    LOCAL = "LOCAL"


@dataclass(frozen=True, slots=True)
class Set(Parsed):
    """SET of a parameter; None is DEFAULT."""

    name: str
    values: tuple[str, ...] | None
    scope: SetScope = SetScope.SESSION


@dataclass(frozen=True, slots=True)
class Reset(Parsed):
    """RESET of a parameter; ``all`` resets every one."""

    name: str


@dataclass(frozen=True, slots=True)
class Discard(Parsed):
    """DISCARD."""

    what: str  #: ``all``, ``plans``, ``sequences`` or ``temp``.


@dataclass(frozen=True, slots=True)
class TransactionModes:
    """What BEGIN and SET TRANSACTION may say; None where nothing is said."""

    is_read_only: bool | None = None
    isolation: str | None = None  #: In lower case: ``repeatable read``.
    is_deferrable: bool | None = None


@dataclass(frozen=True, slots=True)
class SetConstraints(Parsed):
    """SET CONSTRAINTS; without names it is ALL."""

    names: tuple[QualifiedName, ...]
    is_deferred: bool


@dataclass(frozen=True, slots=True)
class LockTable(Parsed):
    """LOCK TABLE.

    Attributes:
        mode: As it is written, in upper case.
        is_patient: Whether it may wait, without NOWAIT.
    """

    tables: tuple[QualifiedName, ...]
    mode: str
    is_patient: bool


@dataclass(frozen=True, slots=True)
class SetTransaction(Parsed):
    """SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION."""

    modes: TransactionModes
    is_session: bool = False


@dataclass(frozen=True, slots=True)
class Begin(Parsed):
    """BEGIN or START TRANSACTION."""

    modes: TransactionModes = TransactionModes()


@dataclass(frozen=True, slots=True)
class Commit(Parsed):
    """COMMIT or END."""

    is_chained: bool = False


@dataclass(frozen=True, slots=True)
class Rollback(Parsed):
    """ROLLBACK or ABORT."""

    is_chained: bool = False


@dataclass(frozen=True, slots=True)
class Savepoint(Parsed):
    """SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True)
class RollbackTo(Parsed):
    """ROLLBACK TO SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True)
class ReleaseSavepoint(Parsed):
    """RELEASE SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True)
class ExecuteStatement(Parsed):
    """EXECUTE."""

    name: str
    arguments: tuple[exp.Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate(Parsed):
    """DEALLOCATE one prepared statement."""

    name: str


@dataclass(frozen=True, slots=True)
class DeallocateAll(Parsed):
    """DEALLOCATE ALL."""


@dataclass(frozen=True, slots=True)
class DeclareCursor(Parsed):
    """DECLARE ... CURSOR."""

    name: str
    query: exp.Expr
    query_source: Source
    is_binary: bool = False
    is_scroll: bool | None = None  #: None when neither SCROLL nor NO SCROLL is said.
    is_holdable: bool = False


class FetchDirection(StrEnum):
    """How FETCH counts; PRIOR is BACKWARD 1, FIRST is ABSOLUTE 1, LAST is ABSOLUTE -1."""

    FORWARD = "FORWARD"
    BACKWARD = "BACKWARD"
    ABSOLUTE = "ABSOLUTE"
    RELATIVE = "RELATIVE"


@dataclass(frozen=True, slots=True)
class Fetch(Parsed):
    """FETCH from a cursor."""

    cursor: str
    direction: FetchDirection = FetchDirection.FORWARD
    count: int | None = 1  #: None is ALL.
    options: tuple[Option, ...] = ()  #: ``timeout``, of a cursor over changes.


@dataclass(frozen=True, slots=True)
class Move(Parsed):
    """MOVE: FETCH that gives no rows."""

    cursor: str
    direction: FetchDirection = FetchDirection.FORWARD
    count: int | None = 1


@dataclass(frozen=True, slots=True)
class CloseCursor(Parsed):
    """CLOSE; None is ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Listen(Parsed):
    """LISTEN."""

    channel: str


@dataclass(frozen=True, slots=True)
class Unlisten(Parsed):
    """UNLISTEN; None is every channel."""

    channel: str | None


@dataclass(frozen=True, slots=True)
class Notify(Parsed):
    """NOTIFY."""

    channel: str
    payload: str = ""


TransactionStatement: TypeAlias = (
    Begin
    | Commit
    | Rollback
    | Savepoint
    | RollbackTo
    | ReleaseSavepoint
    | SetTransaction
    | SetConstraints
    | LockTable
)
