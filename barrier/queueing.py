"""Acknowledging a write before it is applied: it is in the durable queue, and it will fit.

Nobody can be told any more of a row that a table does not take. A definition looks at the queue
before it makes a table another (``barrier.row_facts``), and who queues looks at the definitions: at
the one that is at work, which may have looked before, and at what there is after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from barrier.message import Injection, redefines
from barrier.store import Store
from barrier.table_program import TableProgram
from barrier.writes import WriteConflict, WriteSet
from catalog.oid import Oid
from catalog.relation import Table
from catalog.state import Catalog


class AtWork:
    """What the worker does at the moment, for threads that depend on it.

    Attributes:
        injection: What it does, or did last.
    """

    def __init__(self) -> None:
        self.injection: Injection | None = None
        self._is_at_work = False
        self._condition = threading.Condition()

    @contextmanager
    def performing(self, injection: Injection) -> Iterator[None]:
        """Tell what is performed in the block."""
        with self._condition:
            self.injection, self._is_at_work = injection, True
        try:
            yield
        finally:
            with self._condition:
                self._is_at_work = False
                self._condition.notify_all()

    def await_definition(self, tables: Collection[Oid]) -> None:
        """Wait for the end of what is at work now, if it makes one of some tables another."""
        with self._condition:
            found = self.injection
            while self._is_at_work and self.injection is found and redefines(found, tables):
                self._condition.wait()


def queue(
    store: Store, at_work: AtWork, catalog: Callable[[], Catalog], write_set: WriteSet
) -> WriteSet:
    """Make a write set durable before it is applied.

    Args:
        store: Where.
        at_work: What the worker does.
        catalog: Tells what there is.
        write_set: Its staging tables are not needed any more.

    Returns:
        The same with its new tables.

    Raises:
        WriteConflict: A table has become another since it was evaluated; nothing is queued.
    """
    queued = store.queue(write_set.spelled_out())
    at_work.await_definition({writes.table for writes in write_set.tables})
    relations = catalog().relations
    tables = [(relations.get(writes.table), writes) for writes in write_set.tables]
    if not all(isinstance(t, Table) and TableProgram(t).fits(writes) for t, writes in tables):
        store.unqueue(queued)
        raise WriteConflict.plain()
    store.discard(write_set.staging)
    return queued
