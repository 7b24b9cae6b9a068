"""What changes tables in an epoch, and what follows from it: clients, flows, and sinks on the way.

The views are stepped in their order. A sink's change goes into its table when it has been stepped,
and a table into which sinks write is not looked at before the last of them has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from barrier import delivery, retention
from barrier.application import Application, WriteFailed
from barrier.connector.pull import Pull
from barrier.message import Written
from barrier.new_keys import NewKeys
from barrier.stream.plan import ChangeSize
from barrier.stream.program import delta_name
from catalog.oid import Oid
from catalog.relation import Sink

if TYPE_CHECKING:
    from barrier.run import Run


def write(
    run: Run,
    writes: Sequence[Written],
    new_keys: NewKeys,
    *,
    together: bool,
    is_moving: bool,
    pulls: Sequence[Pull] = (),
) -> None:
    """Apply write sets, and what flows in; maintain every view above what changed."""
    known, failures = run.known, run.outcome.failures
    application = _application(run, new_keys)
    for table in retention.due(known, run.now_ms) if is_moving else ():
        application.expire(table.oid, retention.expired(table, run.now_ms))
    application.apply(writes, together=together)
    for pull in pulls:
        application.apply([pull.written()])
        if pull.ticket not in failures:
            known.places[pull.table.oid] = pull.first + pull.count
            run.attempt.put_place(pull.table.oid, pull.first + pull.count)
    application.consolidate()
    _follow(run, application, is_moving=is_moving)


def deliver(run: Run, sink: Sink, before: str | None = None) -> None:
    """Bring into a sink's table what its result has become outside of ``write``.

    Args:
        run: The epoch.
        sink: The sink; its result is there.
        before: What has its result as it was; None is nothing.
    """
    columns = [column.storage_name for column in sink.columns]
    query = everything = delivery.everything(sink.oid, columns)
    if before is not None:
        query = delivery.difference(sink.oid, columns, before)
    run.attempt.fill(delta_name(sink.oid), query, like=everything)
    bring(run, sink)


def bring(run: Run, sink: Sink) -> None:
    """Bring a sink's change into its table, and maintain every view above."""
    run.changes = {}
    keys = NewKeys()
    keys.met(sink.target)  # What is there is looked at: nobody would do it again.
    application = _application(run, keys)
    _feed(run, sink, application)
    _follow(run, application, is_moving=False)
    run.changes = {}


def _application(run: Run, new_keys: NewKeys) -> Application:
    known = run.known
    return Application(
        run.attempt,
        known.catalog,
        known.row_ids,
        known.changed,
        known.first,
        known.graph.read | known.graph.log_readers.keys() | known.observed,
        new_keys,
        run.now_ms,
        known.set_aside,
        run.outcome.failures,
    )


def _feed(run: Run, sink: Sink, application: Application) -> None:
    """Bring a sink's change, which is in its delta, into its table."""
    written = delivery.delivered(sink, run.known.catalog.table(sink.target))
    with run.computing(sink):
        try:
            application.apply([written])
        except WriteFailed as e:
            raise e.error from e
        if (error := run.outcome.failures.pop(written.ticket, None)) is not None:
            raise error
        application.consolidate()


def _follow(run: Run, application: Application, *, is_moving: bool) -> None:
    """Maintain every view above what an application has changed; sinks change more of it."""
    run.told = application.told
    fed, noted = run.known.graph.fed, set[Oid]()

    def note(oids: Iterable[Oid]) -> None:
        """Take tables as they are: nothing more is written to them in this epoch."""
        new = [oid for oid in oids if oid in application.changed and oid not in noted]
        noted.update(new)
        for oid in new:
            _note_table(run, oid, application)

    note(oid for oid in application.changed if oid not in fed)
    for view in run.known.graph.maintained:
        note(run.known.graph.upstream[view.oid] & fed.keys())
        run.step(view, is_moving=is_moving)
        if isinstance(view, Sink) and view.oid in run.changes:
            _feed(run, view, application)
    note(application.changed)
    retention.keep_time(run.attempt, run.known, application.changed, run.now_ms)


def _note_table(run: Run, oid: Oid, application: Application) -> None:
    inserted, deleted = application.inserted.get(oid, 0), application.deleted.get(oid, 0)
    run.known.changed[oid] = run.known.epoch
    run.note_change(oid, ChangeSize(inserted, deleted))
    run.rows_in += inserted + deleted
