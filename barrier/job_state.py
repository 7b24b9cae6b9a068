"""The streaming jobs of a catalog as the barrier worker's decisions know them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from barrier.command import PauseInfo, PauseScope
from barrier.connector.flow import rates_of
from barrier.epoch import Epoch
from barrier.job import Job
from barrier.job_graph import JobGraph
from barrier.message import BatchRefresh, JobsChanged, ViewPause
from barrier.state import BarrierState
from catalog.oid import Oid
from catalog.relation import JobStatus, StreamingJob
from catalog.state import Catalog, streaming_jobs


def jobs_changed(state: BarrierState, catalog: Catalog, graph: JobGraph) -> JobsChanged:
    """Return the jobs of a catalog; a rhythm that is known goes on."""
    creating: set[Oid] = set()
    refreshes: dict[Oid, BatchRefresh] = {}
    for view in streaming_jobs(catalog):
        if graph.waits_for_upstream(view.oid, catalog):
            continue
        if view.status is JobStatus.CREATING:
            if not view.uses_snapshot:
                creating.add(view.oid)
        elif view.status is JobStatus.CREATED and view.refresh_interval_s is not None:
            refreshed = _latest(state.refreshes, view)
            refreshes[view.oid] = BatchRefresh(view.refresh_interval_s * 1000, refreshed)
    held = {
        oid: ViewPause(by.name, PauseInfo(PauseScope.VIEW, by.paused_by or "", by.paused_ms))
        for oid, by in graph.held.items()
    }
    catching_up = frozenset(view.oid for view in graph.catching_up)
    rates = rates_of(catalog)
    return JobsChanged(frozenset(creating), refreshes, catching_up, held, rates)


def jobs_of(catalog: Catalog, progress: Callable[[Oid], str]) -> list[Job]:
    """Return the streaming jobs that are not created yet.

    Args:
        catalog: Where they are.
        progress: Tells how far a view is.
    """
    return [
        Job(
            view.oid,
            view.definition,
            is_background=view.is_background,
            uses_snapshot=view.uses_snapshot,
            progress=progress(view.oid),
            created_ms=view.created_ms,
        )
        for view in _creating(catalog)
    ]


def orphaned(catalog: Catalog) -> frozenset[Oid]:
    """Return the views whose CREATE somebody waited for, as of a restart."""
    return frozenset(view.oid for view in _creating(catalog) if not view.is_background)


def _creating(catalog: Catalog) -> list[StreamingJob]:
    return [view for view in streaming_jobs(catalog) if view.status is JobStatus.CREATING]


def _latest(known: Mapping[Oid, BatchRefresh], view: StreamingJob) -> Epoch:
    """Return when a view was last refreshed; runs that found nothing are not in the catalog."""
    job = known.get(view.oid)
    return Epoch(max(view.refreshed_epoch, 0 if job is None else job.refreshed))
