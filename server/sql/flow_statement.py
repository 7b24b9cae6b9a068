"""Statements that stop and move the flow, and the one that copies everything away.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from server.sql.clause import QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class PauseTime:
    """How long a pause lasts: an interval as written, and the field behind it."""

    text: str
    field: str
    position: int


@dataclass(frozen=True, slots=True)
class AlterSystemPause(Parsed):
    """ALTER SYSTEM PAUSE; None is until RESUME."""

    time: PauseTime | None = None


@dataclass(frozen=True, slots=True)
class AlterSystemResume(Parsed):
    """ALTER SYSTEM RESUME."""


@dataclass(frozen=True, slots=True)
class AlterDatabasePause(Parsed):
    """ALTER DATABASE ... PAUSE; None is until RESUME."""

    database: str
    time: PauseTime | None = None


@dataclass(frozen=True, slots=True)
class AlterDatabaseResume(Parsed):
    """ALTER DATABASE ... RESUME."""

    database: str


@dataclass(frozen=True, slots=True)
class AlterDatabaseStep(Parsed):
    """ALTER DATABASE ... STEP; the count as written."""

    database: str
    count: str = "1"
    position: int = 0


@dataclass(frozen=True, slots=True)
class AlterDatabaseWrites(Parsed):
    """ALTER DATABASE ... RETRY | DISCARD QUEUED WRITE n | WRITES; None is all of them."""

    database: str
    is_retry: bool
    number: int | None


@dataclass(frozen=True, slots=True)
class AlterViewPause(Parsed):
    """ALTER MATERIALIZED VIEW ... PAUSE."""

    view: QualifiedName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterViewResume(Parsed):
    """ALTER MATERIALIZED VIEW ... RESUME."""

    view: QualifiedName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterViewRate(Parsed):
    """ALTER MATERIALIZED VIEW ... SET BACKFILL_RATE_LIMIT; None is DEFAULT."""

    view: QualifiedName
    limit: str | None
    position: int
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Backup(Parsed):
    """BACKUP TO a directory."""

    target: str


FlowStatement: TypeAlias = (
    AlterSystemPause
    | AlterSystemResume
    | AlterDatabasePause
    | AlterDatabaseResume
    | AlterDatabaseStep
    | AlterDatabaseWrites
    | AlterViewPause
    | AlterViewResume
    | AlterViewRate
    | Backup
)
