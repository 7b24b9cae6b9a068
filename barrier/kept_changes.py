"""The change logs that subscriptions keep: since when, of which columns, and for how long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from barrier import change_log, identity
from barrier.epoch import Epoch, at
from barrier.job_graph import stands_still
from barrier.knowledge import Knowledge
from barrier.stream.plan import InputRelation, Plan
from catalog.change import CreateRelation, ReplaceRelation
from catalog.oid import Oid
from catalog.relation import PastLayout, Relation, StreamingJob, Subscription

if TYPE_CHECKING:
    from barrier.run import Run

#: Tells since which epoch all changes of a relation are wanted elsewhere; None is of none.
Pinned: TypeAlias = Callable[[Oid], Epoch | None]

#: The longest time for which a change is kept beyond its retention, in milliseconds.
_SLACK_MS: Final = 60_000

#: The part of a retention for which it is.
_SLACK_SHARE: Final = 8


def as_of(relation: Relation, now: Epoch) -> Epoch:
    """Return the epoch that a relation's rows are of: views that stand still are behind."""
    if isinstance(relation, StreamingJob) and stands_still(relation):
        return Epoch(relation.refreshed_epoch)
    return now


def begun(known: Knowledge, creation: CreateRelation) -> CreateRelation:
    """Return what creates a subscription that keeps changes from now on.

    Raises:
        ObjectNotInPrerequisiteState: What it is of has no rows to change.
    """
    subscription = creation.relation
    assert isinstance(subscription, Subscription), creation
    if (source := known.catalog.relations.get(subscription.source)) is None:
        return creation  # Which the catalog refuses.
    known.check_maintained(source)
    since = as_of(source, known.epoch)
    return replace(creation, relation=replace(subscription, since_epoch=since))


def close_log(run: Run, before: Relation, key: tuple[str, ...]) -> None:
    """End the log of a relation that gets other columns; as ``set_log_aside``.

    Raises:
        PgError: A job is behind, and would not know the columns before.
    """
    if before.oid in run.known.graph.log_readers:
        raise change_log.other_columns(run.known.graph.log_readers[before.oid])
    if before.oid in run.known.graph.subscriptions:
        set_log_aside(run, before, key)


def set_log_aside(run: Run, before: Relation, key: tuple[str, ...]) -> None:
    """Keep the log of a relation as that of the columns which it had before this epoch.

    Args:
        run: The epoch.
        before: The relation with these columns.
        key: What identified its rows.
    """
    epoch, layout = run.known.epoch, PastLayout(run.known.epoch, before.columns, key)
    subscriptions = run.known.graph.subscriptions[before.oid]
    logs = run.known.graph.logs
    for subscription in subscriptions:
        others = tuple(past for past in subscription.layouts if past.upto != epoch)
        run.change(ReplaceRelation(replace(subscription, layouts=(*others, layout))))
    # What is given other columns twice in an epoch has logged nothing in between.
    is_first = change_log.past(before.oid, epoch) not in logs
    log = change_log.name(before.oid)
    run.attempt.run(change_log.set_aside(before.oid, epoch) if is_first else change_log.drop(log))
    run.known.oldest.pop(before.oid, None)


@contextmanager
def filled_anew(run: Run, view: StreamingJob, before: Plan | None) -> Iterator[None]:
    """Log what a block makes of the rows of a view that it fills anew.

    Args:
        run: The epoch.
        view: The view.
        before: The plan that its rows are of.
    """
    if before is None or view.oid not in run.known.graph.subscriptions:
        yield
        return
    was, rows, kept = before.as_input(), f"r{view.oid}", f"x{view.oid}_was"
    names = ", ".join(was.columns)
    run.attempt.run(f"CREATE OR REPLACE TEMP TABLE {kept} AS SELECT {names} FROM {rows}")
    yield
    now = run.known.plans[view.oid].as_input()
    if (was.columns, was.key) == (now.columns, now.key):
        gone, come = (
            identity.without(was.columns, one, other) for one, other in ((kept, rows), (rows, kept))
        )
        _log(run, was, gone, -1)
        _log(run, now, come, 1)
    else:
        _log(run, was, f"SELECT {names} FROM {kept}", -1)
        set_log_aside(run, view, was.key)
        run.attempt.run(change_log.create(view.oid, now.columns))
        _log(run, now, f"SELECT {', '.join(now.columns)} FROM {rows}", 1)
    run.attempt.run(f"DROP TABLE {kept}")


def _log(run: Run, relation: InputRelation, rows: str, weight: int) -> None:
    names, epoch = ", ".join(relation.columns), run.known.epoch
    rows = f"SELECT *, {weight} FROM ({rows})"
    run.attempt.run(change_log.enter(relation.oid, names, rows, epoch))
    run.known.logged[relation.oid] = epoch
    run.known.oldest.setdefault(relation.oid, epoch)


def overdue(known: Knowledge, now_ms: int, pinned: Pinned) -> frozenset[Oid]:
    """Return the relations of whose changes some are kept longer than anybody wants them.

    Args:
        known: The database.
        now_ms: The time, in milliseconds since 1970.
        pinned: Tells what else is wanted.
    """
    found = set()
    for oid, subscriptions in known.graph.subscriptions.items():
        floor = _floor(known, oid, now_ms - 2 * _slack_ms(known, oid), pinned)
        oldest = [layout.upto for s in subscriptions for layout in s.layouts]
        if oid in known.oldest:
            oldest.append(known.oldest[oid])
        if oldest and min(oldest) <= floor:
            found.add(oid)
    return frozenset(found)


def trim(run: Run, oids: Iterable[Oid], pinned: Pinned) -> None:
    """Forget the changes of relations that nobody wants any more."""
    before = run.known.graph
    for oid in sorted(oids):
        floor = _floor(run.known, oid, run.now_ms - _slack_ms(run.known, oid), pinned)
        run.attempt.run(change_log.prune(oid, floor))
        run.known.forgotten[oid] = floor
        run.known.oldest.pop(oid, None)
        if oldest := run.attempt.value(change_log.oldest(oid)):
            run.known.oldest[oid] = Epoch(oldest)
        for subscription in before.subscriptions[oid]:
            kept = tuple(layout for layout in subscription.layouts if layout.upto > floor)
            if kept != subscription.layouts:
                run.change(ReplaceRelation(replace(subscription, layouts=kept)))
    run.drop_unread_logs(before)


def prune(run: Run) -> None:
    """Forget what jobs will not ask for again, of relations without subscription."""
    graph = run.known.graph
    for oid, readers in graph.log_readers.items():
        if oid not in graph.subscriptions:
            oldest = Epoch(min(view.refreshed_epoch for view in readers))
            run.attempt.run(change_log.prune(oid, oldest))


def _slack_ms(known: Knowledge, oid: Oid) -> int:
    """Return for how long changes are kept that a query may just have looked for, at least."""
    shortest_ms = min(s.retention_ms for s in known.graph.subscriptions[oid])
    return min(_SLACK_MS, shortest_ms // _SLACK_SHARE)


def _floor(known: Knowledge, oid: Oid, now_ms: int, pinned: Pinned) -> Epoch:
    """Return the epoch up to which nobody wants a relation's changes."""
    graph = known.graph
    wanted = [at(now_ms - s.retention_ms) for s in graph.subscriptions[oid]]
    wanted += [Epoch(job.refreshed_epoch) for job in graph.log_readers.get(oid, ())]
    if (elsewhere := pinned(oid)) is not None:
        wanted.append(elsewhere)
    return min(wanted)
