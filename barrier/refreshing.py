"""When batch refresh jobs are due."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from barrier.epoch import Epoch, unix_ms
from barrier.message import BatchRefresh, Seen
from catalog.oid import Oid


def seen_at(
    seen: Mapping[Oid, Seen], refreshes: Mapping[Oid, BatchRefresh], passed_ms: int
) -> Mapping[Oid, Seen]:
    """Return since when jobs are as they are, after a look at them."""
    return {
        oid: found
        if (found := seen.get(oid)) is not None and found.refreshed == job.refreshed
        else Seen(job.refreshed, passed_ms)
        for oid, job in refreshes.items()
    }


def due_jobs(
    refreshes: Mapping[Oid, BatchRefresh],
    seen: Mapping[Oid, Seen],
    creating: Collection[Oid],
    committed: Epoch,
    passed_ms: int,
) -> frozenset[Oid]:
    """Return the jobs whose interval has passed, but for those that are not filled yet.

    Args:
        refreshes: The jobs.
        seen: Since when they are as they are, as far as this process has seen it.
        creating: The jobs that are not filled yet.
        committed: The last committed epoch.
        passed_ms: The time that has passed.
    """
    return frozenset(
        oid
        for oid, job in refreshes.items()
        if oid not in creating
        and committed > job.refreshed
        and job.interval_ms <= max(_ages(job, seen.get(oid), committed, passed_ms))
    )


def _ages(
    job: BatchRefresh, seen: Seen | None, committed: Epoch, passed_ms: int
) -> tuple[int, int]:
    """Return how long ago a job last ran: as epochs tell it, and as this process has seen it.

    Epochs stand still, but for a millisecond each, while a clock that was set back catches up.
    """
    watched = 0 if seen is None else passed_ms - seen.passed_ms
    return unix_ms(committed) - unix_ms(job.refreshed), watched
