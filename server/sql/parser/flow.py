"""PAUSE, RESUME, STEP and what failed behind ALTER, and BACKUP."""

from __future__ import annotations

from typing import Final

from server.sql.flow_statement import (
    AlterDatabasePause,
    AlterDatabaseResume,
    AlterDatabaseStep,
    AlterDatabaseWrites,
    AlterSystemPause,
    AlterSystemResume,
    AlterViewPause,
    AlterViewRate,
    AlterViewResume,
    Backup,
    FlowStatement,
    PauseTime,
)
from server.sql.parser.cursor import Cursor
from server.sql.statement import QualifiedName

_FIELDS: Final = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def parse_system(cursor: Cursor) -> FlowStatement | None:
    """Parse what may stand behind ALTER SYSTEM; None if it is something else."""
    if cursor.accept("PAUSE"):
        return AlterSystemPause(_time(cursor), source=cursor.source)
    if cursor.accept("RESUME"):
        cursor.expect_end()
        return AlterSystemResume(source=cursor.source)
    return None


def parse_database(cursor: Cursor, name: str) -> FlowStatement | None:
    """Parse what may stand behind ALTER DATABASE and its name; None if it is something else."""
    if cursor.accept("PAUSE"):
        return AlterDatabasePause(name, _time(cursor), source=cursor.source)
    if cursor.accept("RESUME"):
        cursor.expect_end()
        return AlterDatabaseResume(name, source=cursor.source)
    if cursor.accept("STEP"):
        if cursor.is_at_end:
            return AlterDatabaseStep(name, source=cursor.source)
        position = cursor.position
        count = cursor.number()
        cursor.expect_end()
        return AlterDatabaseStep(name, count, position, source=cursor.source)
    if action := cursor.accept_any("RETRY", "DISCARD"):
        cursor.expect("QUEUED")
        is_one = cursor.expect_any("WRITE", "WRITES") == "WRITE"
        number = cursor.integer() if is_one else None
        cursor.expect_end()
        return AlterDatabaseWrites(name, action == "RETRY", number, source=cursor.source)
    return None


def parse_view(cursor: Cursor, name: QualifiedName, *, if_exists: bool) -> FlowStatement | None:
    """Parse what may stand behind ALTER MATERIALIZED VIEW and its name."""
    if cursor.accept("SET", "BACKFILL_RATE_LIMIT"):
        cursor.expect_any("=", "TO")
        position = cursor.position
        limit = None if cursor.accept("DEFAULT") else cursor.number()
        cursor.expect_end()
        return AlterViewRate(name, limit, position, if_exists, source=cursor.source)
    action = cursor.accept_any("PAUSE", "RESUME")
    if not action:
        return None
    cursor.expect_end()
    if action == "PAUSE":
        return AlterViewPause(name, if_exists, source=cursor.source)
    return AlterViewResume(name, if_exists, source=cursor.source)


def parse_backup(cursor: Cursor) -> Backup:
    """Parse BACKUP."""
    cursor.expect("BACKUP", "TO")
    target = cursor.string()
    cursor.expect_end()
    return Backup(target, source=cursor.source)


def _time(cursor: Cursor) -> PauseTime | None:
    """Take ``FOR INTERVAL '...' [field]`` and the end of the statement."""
    if not cursor.accept("FOR"):
        cursor.expect_end()
        return None
    cursor.expect("INTERVAL")
    position = cursor.position
    text = cursor.string()
    field = cursor.accept_any(*_FIELDS).lower()
    cursor.expect_end()
    return PauseTime(text, field, position)
