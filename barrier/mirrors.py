"""Mirrors: the rows of relations of other databases, which follow the change logs there.

A materialized view over a relation of another database reads a mirror of it, a table of its own
database that no name means. What the relation's log says since the epoch that the mirror is of is
read there on a snapshot, and handed in here as a write set that says so; the epoch here that
applies the rows writes down the epoch there, so that after any crash each change is applied once.
All mirrors of one other database move together and are of one epoch there, but for those of views
that stand still.

The database that is followed keeps what a mirror has not seen, however old it is, and keeps the
last subscription of a relation for as long as there is a mirror of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from barrier.clock import Clock
from barrier.command import ChangeCatalog, Command
from barrier.epoch import ZERO, Epoch
from barrier.follower import Follower, mirrors_in, unread_mirrors
from barrier.interrupt import Interrupt
from barrier.worker import BarrierWorker
from catalog.change import AlterRelation, DropRelations
from catalog.dependence import describe
from catalog.errors import DependentObjectsStillExist, PgError
from catalog.oid import Oid
from catalog.relation import Mirror, Relation, Subscription, Table
from catalog.state import Catalog

#: How often it is tried to get at what others hold.
_TRY_AGAIN_S: Final = 0.05


class Mirrors:
    """The mirrors of all databases of a server."""

    def __init__(
        self,
        workers: Callable[[], Iterable[BarrierWorker]],
        clock: Clock,
        allocate_name: Callable[[], str],
        record: Callable[..., object],
    ) -> None:
        """Begin; nothing is followed before ``start``.

        Args:
            workers: Gives the databases.
            clock: For waits.
            allocate_name: Gives names of staging tables.
            record: Takes events down.
        """
        self._workers = workers
        self._clock = clock
        self._allocate_name = allocate_name
        self._record = record
        self._lock = threading.RLock()
        self._has_started = False
        self._followers: dict[Oid, Follower] = {}
        self._found: dict[Oid, tuple[Catalog, list[Mirror]]] = {}

    # --- what is followed -----------------------------------------------------------------------

    def mirrors_of(self, database: Oid, source: Oid) -> list[tuple[BarrierWorker, Mirror]]:
        """Return the mirrors of a relation, with the databases that they are in."""
        return [
            (worker, mirror)
            for worker in self._workers()
            for mirror in self._mirrors_in(worker.catalog)
            if (mirror.source_database, mirror.source) == (database, source)
        ]

    def _mirrors_in(self, catalog: Catalog) -> list[Mirror]:
        """Return the mirrors in a database; looked for once in a catalog."""
        known = self._found.get(catalog.database_oid)
        if known is None or known[0] is not catalog:
            known = self._found[catalog.database_oid] = (catalog, mirrors_in(catalog))
        return known[1]

    def pinned(self, database: Oid, source: Oid) -> Epoch | None:
        """Return the epoch after which all changes of a relation are wanted; None is of none."""
        if not self._has_started:
            return ZERO  # Not every database is known yet.
        found = self.mirrors_of(database, source)
        return min((self._position(worker, m) for worker, m in found), default=None)

    def _position(self, worker: BarrierWorker, mirror: Mirror) -> Epoch:
        follower = self._followers.get(worker.catalog.database_oid)
        return ZERO if follower is None else follower.positions.get(mirror.oid, ZERO)

    @contextmanager
    def crossing(self, interrupt: Interrupt) -> Iterator[None]:
        """While the block runs nobody else makes a mirror, or takes away what one follows.

        Raises:
            PgError: The interrupt's reason.
        """
        while not self._lock.acquire(timeout=_TRY_AGAIN_S):
            interrupt.check()
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def guarding(
        self, worker: BarrierWorker, command: Command, interrupt: Interrupt
    ) -> Iterator[None]:
        """Refuse a command that would take away what a mirror follows; else let the block run.

        Raises:
            DependentObjectsStillExist: It would.
        """
        if not isinstance(command, ChangeCatalog) or not _concerns_subscribed(worker, command):
            yield
            return
        with self.crossing(interrupt):
            for change in command.changes:
                match change:
                    case DropRelations(oids):
                        self._refuse_drop(worker.catalog, oids)
                    case AlterRelation(Table() as before, Table() as after, values=values):
                        self._refuse_columns(worker.catalog, before, after, values.keys())
                    case _:
                        pass
            yield

    def refuse_drop_of(self, database: Oid) -> None:
        """Refuse to drop a database that others follow.

        Raises:
            DependentObjectsStillExist: They do.
        """
        views = [
            view
            for worker in self._workers()
            if worker.catalog.database_oid != database
            for mirror in self._mirrors_in(worker.catalog)
            if mirror.source_database == database
            for view in _readers(worker, mirror)
        ]
        if views:
            raise _referenced(views)

    def _refuse_drop(self, catalog: Catalog, oids: frozenset[Oid]) -> None:
        known = catalog.relations
        sources = {known[oid].oid for oid in oids if oid in known}
        sources |= {s.source for oid in oids if isinstance(s := known.get(oid), Subscription)}
        for source in sorted(sources):
            is_kept = source not in oids and any(
                isinstance(s, Subscription) and s.source == source and s.oid not in oids
                for s in known.values()
            )
            found = self.mirrors_of(catalog.database_oid, source)
            if found and not is_kept:
                raise _referenced([v for worker, m in found for v in _readers(worker, m)])

    def _refuse_columns(
        self, catalog: Catalog, before: Table, after: Table, changed: Iterable[int]
    ) -> None:
        found = self.mirrors_of(catalog.database_oid, before.oid)
        types = {column.number: column.type for column in after.columns}
        for worker, mirror in found:
            numbers = {column.number for column in mirror.columns}
            is_same = all(
                types.get(c.number) is not None and types[c.number].duckdb == c.type.duckdb
                for c in mirror.columns
            )
            if not is_same or numbers & set(changed) or before.primary_key != after.primary_key:
                raise _referenced(_readers(worker, mirror))

    # --- following ------------------------------------------------------------------------------

    def start(self) -> None:
        """Set all mirrors going, but for those of views that have not come to be."""
        for worker in self._workers():
            if unread := unread_mirrors(worker.catalog):
                worker.submit(ChangeCatalog((DropRelations(unread),)))
            self.follow(worker)
        self._has_started = True

    def follow(self, worker: BarrierWorker) -> None:
        """Have the mirrors of a database follow from now on, if there are any."""
        oid = worker.catalog.database_oid
        with self._lock:
            known = self._followers.get(oid)
            if known is None and mirrors_in(worker.catalog):
                self._followers[oid] = Follower(
                    worker, self._clock, self._allocate_name, self._worker_of, self._tell
                )
                self._followers[oid].start()

    def fill(self, worker: BarrierWorker, interrupt: Interrupt) -> None:
        """Bring a database's mirrors up to date; returns when that is committed.

        Raises:
            PgError: It cannot be done, or the interrupt's reason.
        """
        self.follow(worker)
        self._followers[worker.catalog.database_oid].step(interrupt)

    def forget(self, database: Oid) -> None:
        """Follow nothing any more in a database that goes away."""
        with self._lock:
            follower = self._followers.pop(database, None)
        if follower is not None:
            follower.stop()

    def stop(self) -> None:
        """Follow nothing any more."""
        for database in list(self._followers):
            self.forget(database)

    def _worker_of(self, database: Oid) -> BarrierWorker | None:
        return next((w for w in self._workers() if w.catalog.database_oid == database), None)

    def _tell(self, database: str, error: PgError) -> None:
        self._record("MIRROR_FAIL", database=database, error=error.message)


def _concerns_subscribed(worker: BarrierWorker, command: ChangeCatalog) -> bool:
    known = worker.catalog.relations
    subscribed = {s.source for s in known.values() if isinstance(s, Subscription)}
    for change in command.changes:
        match change:
            case DropRelations(oids):
                if any(
                    oid in subscribed or isinstance(known.get(oid), Subscription) for oid in oids
                ):
                    return True
            case AlterRelation(Table() as before) if before.oid in subscribed:
                return True
            case _:
                pass
    return False


def _readers(worker: BarrierWorker, mirror: Mirror) -> list[tuple[str, Relation]]:
    return [(worker.database, view) for view in worker.catalog.dependents(mirror.oid)]


def _referenced(views: list[tuple[str, Relation]]) -> DependentObjectsStillExist:
    return DependentObjectsStillExist(
        f"Referenced by {len(views)} cross-db objects.",
        detail="\n".join(
            f"{describe(view)} of database {database} follows it" for database, view in views
        ),
        hint="Drop them first.",
    )
