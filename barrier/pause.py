"""The words of a pause: what a client is told that meets one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from barrier.command import PauseInfo, PauseScope
from catalog.errors import ObjectNotInPrerequisiteState

#: The primary messages are RisingWave's, word for word: tools look for them.
SNAPSHOT_BACKFILL_REFUSED: Final = "cannot create streaming job with snapshot backfill when paused"
BATCH_REFRESH_REFUSED: Final = "cannot create batch refresh job while database barrier is paused"


def refuse_snapshot_backfill(database: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    """Build the error for a streaming job that would have to be filled from a snapshot now."""
    return _refuse(SNAPSHOT_BACKFILL_REFUSED, database, pause)


def refuse_batch_refresh(database: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    """Build the error for a batch refresh job."""
    return _refuse(BATCH_REFRESH_REFUSED, database, pause)


def refuse_write(database: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    """Build the error for a write of a session that does not want to wait."""
    return _refuse(f'cannot write while database "{database}" is paused', database, pause)


def waiting_notice(database: str) -> str:
    """Return what a session is told when its write begins to wait."""
    return f'database "{database}" is paused; waiting for RESUME'


def describe(database: str, pause: PauseInfo) -> str:
    """Return a sentence that tells what was paused, by whom and since when."""
    since = datetime.fromtimestamp(pause.since_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S+00")
    what = "The system" if pause.scope is PauseScope.SYSTEM else f'Database "{database}"'
    return f'{what} was paused by user "{pause.user}" at {since}.'


def resuming_statement(database: str, pause: PauseInfo) -> str:
    """Return the statement that ends the pause."""
    if pause.scope is PauseScope.SYSTEM:
        return "ALTER SYSTEM RESUME"
    return f"ALTER DATABASE {database} RESUME"


def _refuse(message: str, database: str, pause: PauseInfo) -> ObjectNotInPrerequisiteState:
    return ObjectNotInPrerequisiteState(
        message,
        detail=describe(database, pause),
        hint=f"Run {resuming_statement(database, pause)} and try again.",
    )
