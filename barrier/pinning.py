"""Reading a database at one epoch, with what was known of it then."""

from __future__ import annotations

from barrier import change_log
from barrier.epoch import Epoch
from barrier.executor import Executor
from barrier.job_graph import reads_logs
from barrier.knowledge import Knowledge
from barrier.store import Reader
from barrier.stream.comparison import difference
from catalog.errors import ObjectNotInPrerequisiteState, UndefinedTable
from catalog.relation import StreamingJob


def pin(executor: Executor, reader: Reader) -> Knowledge:
    """Pin a reader's snapshot and return what is known as of exactly its epoch.

    An epoch is committed a moment before it is known.
    """
    while True:
        epoch = reader.begin()
        known = executor.known
        if epoch == known.epoch:
            return known
        reader.rollback()


def comparison(
    known: Knowledge, reader: Reader, view: StreamingJob, inexact: frozenset[str]
) -> str:
    """Return the query for where a view and its query differ; see ``difference``.

    A batch refresh job is compared as of its last run, a view that stands still as of then.

    Args:
        known: What is known as of the reader's epoch.
        reader: Whoever is to run the query.
        view: The view.
        inexact: The storage names of its columns that are floating-point numbers.

    Raises:
        UndefinedTable: The view was dropped meanwhile.
        ObjectNotInPrerequisiteState: It is not filled, it has failed, or it reads the clock and has
            not been stepped yet.
    """
    found = known.catalog.relations.get(view.oid)
    if not isinstance(found, StreamingJob):
        raise UndefinedTable.named(view.name)
    known.check_maintained(found)
    if known.plans[view.oid].runs_every_epoch:
        if view.oid not in known.times:
            raise ObjectNotInPrerequisiteState(
                f'materialized view "{view.name}" has not moved since the server was started',
                hint="Try again after the next barrier.",
            )
        reader.set_time(known.times[view.oid])
    reader.set_time_zone(found.time_zone)
    earlier = {}
    if reads_logs(found):
        epoch = Epoch(found.refreshed_epoch)
        earlier = {
            oid: change_log.rewound(oid, known.columns(oid), epoch)
            for oid in known.graph.inputs[view.oid]
        }
    columns = [column.storage_name for column in found.columns]
    return difference(view.oid, found.query, columns, inexact, earlier)
