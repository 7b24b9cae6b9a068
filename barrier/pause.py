"""The words of a pause: what a client is told that meets one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from barrier.command import PauseInfo, PauseScope
from catalog.errors import ObjectNotInPrerequisiteState

#: The primary messages are RisingWave's, word for word: tools look for them.
SNAPSHOT_BACKFILL_REFUSED: Final = "cannot create streaming job with snapshot backfill when paused"
BATCH_REFRESH_REFUSED: Final = "cannot create batch refresh job while database barrier is paused"


def refuse_snapshot_backfill(name: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    """Build the error for a streaming job that would have to be filled from a snapshot now."""
    return _refuse(SNAPSHOT_BACKFILL_REFUSED, name, pause)


def refuse_batch_refresh(name: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    """Build the error for a batch refresh job."""
    return _refuse(BATCH_REFRESH_REFUSED, name, pause)


def refuse_write(database: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    """Build the error for a write of a session that does not want to wait."""
    return _refuse(f'cannot write while database "{database}" is paused', database, pause)


def refuse_step(database: str) -> ObjectNotInPrerequisiteState:
    """Build the error for a step of a database that flows."""
    return ObjectNotInPrerequisiteState(
        f'database "{database}" is not paused',
        detail="Only a paused database makes single steps.",
        hint=f"Run ALTER DATABASE {database} PAUSE first.",
    )


def queued_notice(database: str) -> str:
    """Return what a session is told whose rows are kept for RESUME."""
    return f'database "{database}" is paused; the rows are queued until RESUME'


def waiting_notice(database: str) -> str:
    """Return what a session is told when its write begins to wait."""
    return f'database "{database}" is paused; waiting for RESUME'


def describe(name: str, pause: PauseInfo) -> str:
    """Return a sentence that tells what was paused, by whom and since when."""
    what = {
        PauseScope.SYSTEM: "The system",
        PauseScope.DATABASE: f'Database "{name}"',
        PauseScope.VIEW: f'Materialized view "{name}"',
    }[pause.scope]
    said = f'{what} was paused by user "{pause.user}" at {_moment(pause.since_ms)}'
    if pause.until_ms is None:
        return f"{said}."
    return f"{said}, until {_moment(pause.until_ms)}."


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S+00")


def resuming_statement(name: str, pause: PauseInfo) -> str:
    """Return the statement that ends the pause."""
    if pause.scope is PauseScope.SYSTEM:
        return "ALTER SYSTEM RESUME"
    kind = "DATABASE" if pause.scope is PauseScope.DATABASE else "MATERIALIZED VIEW"
    return f"ALTER {kind} {name} RESUME"


def _refuse(message: str, name: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    return ObjectNotInPrerequisiteState(
        message,
        detail=describe(name, pause),
        hint=f"Run {resuming_statement(name, pause)} and try again.",
    )
