"""What ALTER TABLE does to a table's rows, and to the views above them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from barrier import change_log, kept_changes, retention, watermark
from barrier.row_facts import refuse_disobedience, refuse_doubled_key, refuse_rows
from barrier.table_program import TableProgram
from catalog.errors import FeatureNotSupported
from catalog.oid import Oid
from catalog.relation import JobStatus, StreamingJob, Table

if TYPE_CHECKING:
    from barrier.run import Run


def alter_table(run: Run, before: Table, after: Table, values: Mapping[int, str]) -> None:
    """Let a table's rows follow its columns, and the views follow both.

    Raises:
        PgError: There are rows that may not be there from now on.
    """
    program = TableProgram(after)
    is_moved = before.storage_columns != after.storage_columns or bool(values)
    is_moved |= before.primary_key != after.primary_key
    if not is_moved and run.outcome.rewrites:
        run.run_all(TableProgram(before).drop_indexes())
        run.run_all(program.follow(before, {}, rewrites=True))
        run.run_all(program.create_indexes())
    elif not is_moved:
        run.run_all(program.reindex(before))
    else:
        kept_changes.close_log(run, before, before.key)
        refuse_doubled_key(run.attempt, before, after, values)
        # The engine changes no table that has indexes.
        run.run_all(TableProgram(before).drop_indexes())
        run.run_all(program.follow(before, values))
        run.run_all(program.create_indexes())
    if before.layout != after.layout or values:
        refuse_rows(run.attempt, before, after, values)
    refuse_disobedience(run.attempt, run.known.catalog, before, after, values)
    run.run_all(watermark.alter(before, after))
    run.run_all(retention.follow(before, after, run.now_ms))
    if is_moved:
        if before.primary_key and not after.primary_key:
            count = run.attempt.value(f"SELECT count(*) FROM {program.storage}")
            run.known.row_ids.next[after.oid] = count + 1
        run.known.changed[after.oid] = run.known.epoch
        if after.oid in run.known.graph.subscriptions:
            run.keep_log(after.oid)
        _plan_anew(run, after.oid)


def _plan_anew(run: Run, altered: Oid) -> None:
    """Compile the views that read a table whose columns are others now.

    Their rows are what they were; what they remember beside them may hold other columns, and
    then it is made again. Only those whose queries are others may have other rows, and what
    stands on them.
    """
    others = {altered}
    moved = run.rewritten
    for oid, before in sorted(run.known.plans.items()):
        if others.isdisjoint(run.known.graph.inputs[oid]):
            continue
        view = run.known.catalog.relations[oid]
        assert isinstance(view, StreamingJob), oid
        plan = run.known.plan(view)
        run.known.plans[oid] = plan
        if plan.as_input() != before.as_input():
            if oid in run.known.graph.log_readers:
                raise change_log.other_columns(run.known.graph.log_readers[oid])
            others.add(oid)
        if not moved.isdisjoint(run.known.graph.inputs[oid]):
            moved.add(oid)
        if oid in moved and oid in run.known.graph.change_readers:
            raise FeatureNotSupported(
                f'cannot alter what materialized view "{view.name}" reads',
                detail="Jobs follow its changelog, and it would have other rows for no change.",
            )
        is_other = oid in moved or plan.create() != before.create()
        if view.status is JobStatus.CREATED and is_other:
            run.attempt.set_time(run.known.times.get(oid, run.now_ms))
            with run.computing(view), kept_changes.filled_anew(run, view, before):
                run.run_all(s.sql for s in plan.refill(before, needs_delta=False))
            run.known.changed[oid] = run.known.epoch
