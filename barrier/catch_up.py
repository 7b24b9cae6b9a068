"""Pausing single views, and letting them catch up.

A view that is paused stands still, and all that reads it stands still with it, of the same epoch.
What they read logs its changes. When nothing holds them any more they replay the logs in pieces of
a bounded size, each an epoch of its own between those of the others: after every piece all of them
equal their queries at the epoch that they have caught up with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from barrier import change_log, kept_changes
from barrier.epoch import Epoch
from barrier.job_graph import is_filled
from barrier.run import Run
from catalog.change import ReplaceRelation
from catalog.errors import UndefinedTable
from catalog.oid import Oid
from catalog.relation import JobStatus, StreamingJob

#: The most logged changes that one epoch replays, unless a single epoch has more.
PIECE_ROWS_MAX: Final = 100_000


def pause_view(run: Run, oid: Oid, user: str) -> None:
    """Have a view and all that reads it stand still from this epoch on.

    Raises:
        UndefinedTable: It was dropped meanwhile.
    """
    view = _view(run, oid)
    if view.paused_by is None:
        run.change(ReplaceRelation(replace(view, paused_by=user, paused_ms=run.now_ms)))
    for relation in run.known.catalog.closure([oid]):
        if is_filled(relation) and relation.refresh_interval_s is None and not relation.is_standing:
            epoch = run.known.epoch
            run.change(ReplaceRelation(replace(relation, is_standing=True, refreshed_epoch=epoch)))
            run.log_inputs(relation)


def resume_view(run: Run, oid: Oid) -> None:
    """Let a view go on, and what stands still because of it.

    Raises:
        UndefinedTable: It was dropped meanwhile.
    """
    view = _view(run, oid)
    if view.paused_by is not None:
        run.change(ReplaceRelation(replace(view, paused_by=None, paused_ms=0)))


def catch_up(run: Run, oids: frozenset[Oid]) -> None:
    """Bring views that may go on forward by one piece."""
    relations = run.known.catalog.relations
    # One that has failed meanwhile has taken those that read it with it.
    views = [
        view
        for oid in sorted(oids)
        if isinstance(view := relations[oid], StreamingJob) and view.status is JobStatus.CREATED
    ]
    upto = _piece_end(run, views)
    before = run.known.graph
    for view in views:
        if upto is None or view.refreshed_epoch < upto:
            run.replay(view.oid, upto)
    run.drop_unread_logs(before)
    kept_changes.prune(run)


def _piece_end(run: Run, views: list[StreamingJob]) -> Epoch | None:
    """Return the epoch up to which a piece goes; None is now."""
    since: dict[Oid, Epoch] = {}
    for view in views:
        for upstream in run.known.graph.inputs[view.oid]:
            epoch = Epoch(view.refreshed_epoch)
            since[upstream] = min(epoch, since.get(upstream, epoch))
    rows = sum(
        run.attempt.value(change_log.count_after(oid, epoch)) for oid, epoch in since.items()
    )
    if rows <= PIECE_ROWS_MAX:
        return None
    return Epoch(run.attempt.value(change_log.piece_end(since, PIECE_ROWS_MAX)))


def _view(run: Run, oid: Oid) -> StreamingJob:
    view = run.known.catalog.relations.get(oid)
    if not isinstance(view, StreamingJob):
        raise UndefinedTable("the materialized view was dropped meanwhile")
    return view
