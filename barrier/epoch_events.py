"""What an epoch leaves in the event log and in the server's log."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from barrier.command import (
    CreateStreamingJob,
    DiscardWrites,
    Pause,
    PauseScope,
    PauseView,
    Resume,
    ResumeView,
    RetryWrites,
)
from barrier.events import EventLog
from barrier.message import (
    InjectCommand,
    Injection,
    Written,
)
from barrier.outcome import Outcome
from catalog.errors import InternalError, PgError

_log = logging.getLogger(__name__)


def record_epoch(events: EventLog, database: str, injection: Injection, outcome: Outcome) -> None:
    """Tell of a committed epoch: what it carried and which jobs failed in it."""
    events.record(
        "BARRIER_COMPLETE",
        database=database,
        epoch=injection.epoch,
        rows=outcome.rows_in,
        views=len(outcome.entries),
    )
    if outcome.kept:
        tell_kept(events, database, outcome.kept, outcome.failures[outcome.kept[0].ticket])
    for failed in outcome.set_aside:
        _log.error("acknowledged write %d stands aside: %s", failed.number, failed.message)
        events.record("WRITE_FAIL", database=database, write=failed.number, error=failed.message)
    for oid, tolerated in outcome.tolerant.items():
        name, error = tolerated.view.name, tolerated.error
        _log.warning("an expression of %s is NULL for some rows: %s", name, error.message)
        events.record(
            "STREAM_EXPRESSION_ERROR", database=database, job=oid, name=name, error=error.message
        )
    for oid, error in outcome.failed_jobs.items():
        # What the engine said is a bug of ours, and in the log alone.
        cause = error if isinstance(error, InternalError) else None
        _log.warning("streaming job %d failed: %s", oid, error.message, exc_info=cause)
        events.record("STREAM_JOB_FAIL", database=database, job=oid, error=error.message)
    if not isinstance(injection, InjectCommand):
        return
    match injection.command:
        case Pause(user):
            events.record("PAUSE", scope=PauseScope.DATABASE, database=database, user=user)
        case Resume(user):
            events.record("RESUME", scope=PauseScope.DATABASE, database=database, user=user)
        case PauseView(oid, user):
            events.record("PAUSE", scope=PauseScope.VIEW, database=database, job=oid, user=user)
        case ResumeView(oid, user):
            events.record("RESUME", scope=PauseScope.VIEW, database=database, job=oid, user=user)
        case RetryWrites(user, number):
            events.record("WRITE_RETRY", database=database, write=number, user=user)
        case DiscardWrites(user, number):
            events.record("WRITE_DISCARD", database=database, write=number, user=user)
        case CreateStreamingJob(view):
            events.record("CREATE_STREAM_JOB", database=database, name=view.name)
        case _:
            pass


def why_failed(injection: Injection, error: Exception) -> PgError:
    """Return why an epoch failed as an error of ours; what is a bug of ours is logged whole."""
    ours = (
        error if isinstance(error, PgError) else InternalError("internal error", detail=repr(error))
    )
    if isinstance(ours, InternalError):
        _log.error("epoch %d failed", injection.epoch, exc_info=error)
    return ours


def tell_kept(events: EventLog, database: str, kept: Sequence[Written], error: PgError) -> None:
    """Tell of acknowledged writes that could not be applied; they are tried again."""
    if kept:
        _log.error("%d acknowledged write sets stay queued: %s", len(kept), error.message)
        events.record("WRITE_DELAY", database=database, writes=len(kept), error=error.message)
