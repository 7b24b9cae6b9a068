"""The two barriers of a view that a job of its own fills: where it begins, and where it ends."""

from __future__ import annotations

import time
from dataclasses import replace

from barrier.job import Contents
from barrier.run import Run
from barrier.writing import deliver
from catalog.change import CreateRelation, ReplaceRelation
from catalog.errors import UndefinedTable
from catalog.oid import Oid
from catalog.relation import JobStatus, Relation, Sink, StreamingJob


def register(run: Run, view: StreamingJob, based_on: tuple[Relation, ...]) -> None:
    """Take a view on that a job of its own fills; its change logs begin with this epoch.

    Raises:
        PgError: It cannot be created.
    """
    creating = replace(
        view, status=JobStatus.CREATING, uses_snapshot=True, refreshed_epoch=run.known.epoch
    )
    run.change(CreateRelation(creating, based_on))
    check_inputs(run, view.oid)
    run.log_inputs(creating)


def merge(run: Run, oid: Oid, contents: Contents) -> None:
    """Replay what a backfill has not seen; from now on the view is maintained.

    Raises:
        ObjectNotInPrerequisiteState: What it reads has failed meanwhile.
    """
    before = run.known.graph
    view = run.known.catalog.relations[oid]
    assert isinstance(view, StreamingJob), oid
    check_inputs(run, oid)
    created = replace(
        view, status=JobStatus.CREATED, query=contents.query, refreshed_epoch=contents.epoch
    )
    began = time.perf_counter()
    run.known.plans[oid] = contents.plan
    run.known.sizes[oid] = run.attempt.value(f"SELECT count(*) FROM r{oid}")
    run.change(ReplaceRelation(created))
    run.replay(oid)
    run.known.changed[oid] = run.known.epoch
    if isinstance(created, Sink):
        deliver(run, created)
    run.drop_unread_logs(before)
    rows_in = sum(run.known.sizes.get(upstream, 0) for upstream in before.inputs[oid])
    run.enter(created, "fill", rows_in, run.known.sizes[oid], began)


def limit_backfill(run: Run, oid: Oid, limit: int | None) -> None:
    """Have a view's job read so many rows a second from now on; also of one that is filled.

    Raises:
        UndefinedTable: It was dropped meanwhile.
    """
    view = run.known.catalog.relations.get(oid)
    if not isinstance(view, StreamingJob):
        raise UndefinedTable("the materialized view was dropped meanwhile")
    run.change(ReplaceRelation(replace(view, backfill_rate_limit=limit)))


def check_inputs(run: Run, oid: Oid) -> None:
    """Refuse a view over one that has failed or is not filled itself.

    Raises:
        ObjectNotInPrerequisiteState: It reads such a view.
    """
    for upstream in run.known.graph.upstream[oid]:
        run.known.check_maintained(run.known.catalog.stored(upstream))
