"""Having the mirrors in one database follow what they mirror; see ``barrier.mirrors``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from barrier import change_log, identity, mirror_place
from barrier.clock import Clock
from barrier.epoch import ZERO, Epoch, unix_ms
from barrier.interrupt import Interrupt
from barrier.kept_changes import as_of
from barrier.knowledge import Knowledge
from barrier.store import GIVEN, Reader
from barrier.table_program import TableProgram
from barrier.worker import BarrierWorker
from barrier.writes import ORDINAL, WEIGHT, TableWrites, WriteSet
from catalog.errors import AdminShutdown, InternalError, PgError, SerializationFailure
from catalog.oid import Oid
from catalog.relation import Mirror
from catalog.state import Catalog

#: How long nobody looks whether there is something to follow, unless told that there is.
_LOOK_AGAIN_S: Final = 1.0

#: How often it is tried to get one's turn.
_TRY_AGAIN_S: Final = 0.05

#: How far the epoch that is written down may be behind one up to which nothing has changed.
_WRITE_DOWN_MS: Final = 10_000


def mirrors_in(catalog: Catalog) -> list[Mirror]:
    """Return the mirrors in a database."""
    return [r for r in catalog.relations.values() if isinstance(r, Mirror)]


def unread_mirrors(catalog: Catalog) -> frozenset[Oid]:
    """Return the mirrors in a database that no view reads."""
    return frozenset(m.oid for m in mirrors_in(catalog) if not catalog.dependents(m.oid))


@dataclass(slots=True)
class _Behind:
    """A mirror and what it has not seen.

    Attributes:
        mirror: The mirror.
        since: The epoch there that it is of.
        upto: The epoch there that it is to be of.
        query: The net changes in between, or all rows, as a query there; None is no change.
        is_whole: Whether it is compared as a whole.
    """

    mirror: Mirror
    since: Epoch
    upto: Epoch
    query: str | None
    is_whole: bool = True


class Follower:
    """Has the mirrors of one database follow, on a thread of its own."""

    def __init__(
        self,
        worker: BarrierWorker,
        clock: Clock,
        allocate_name: Callable[[], str],
        worker_of: Callable[[Oid], BarrierWorker | None],
        tell: Callable[[str, PgError], object],
    ) -> None:
        """Begin; ``start`` sets it going.

        Args:
            worker: The database.
            clock: For waits.
            allocate_name: Gives names of staging tables.
            worker_of: Finds another database by its OID.
            tell: Is told why mirrors of a database cannot follow.
        """
        self._worker = worker
        self._allocate_name = allocate_name
        self._worker_of = worker_of
        self._tell = tell
        self._reader = worker.reader()
        #: Of which epoch there each mirror is, as it was written down last.
        self.positions: dict[Oid, Epoch] = {}
        self._there: dict[Oid, tuple[BarrierWorker, Reader]] = {}
        self._turn = threading.Lock()
        self._news = threading.Event()
        self._is_stopping = False
        self._interrupt = Interrupt(clock)
        self._thread = threading.Thread(
            target=self._live, name=f"mirrors-{worker.database}", daemon=True
        )

    def start(self) -> None:
        """Go."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what is out, and go no further."""
        self._is_stopping = True
        self._interrupt.set(AdminShutdown.plain())
        self._news.set()
        if self._thread is not threading.current_thread():
            self._thread.join()
        for worker, reader in self._there.values():
            worker.changes.unfollow(self._news.set)
            with suppress(PgError):
                reader.close()
        self._reader.close()

    def _live(self) -> None:
        told: str | None = None
        while not self._is_stopping:
            self._news.wait(_LOOK_AGAIN_S)
            self._news.clear()
            catalog = self._worker.catalog
            try:
                self.step(self._interrupt)
                told = None
            except SerializationFailure:
                self._news.set()
            except PgError as e:
                if self._worker.catalog is not catalog:  # A mirror may have been dropped.
                    self._news.set()
                elif e.message != told and not isinstance(e, AdminShutdown):  # Once.
                    told = e.message
                    self._tell(self._worker.database, e)

    def step(self, interrupt: Interrupt) -> None:
        """Bring all mirrors up to date once.

        Raises:
            PgError: It cannot be done, or the interrupt's reason.
        """
        while not self._turn.acquire(timeout=_TRY_AGAIN_S):
            interrupt.check()
        try:
            by_database: dict[Oid, list[Mirror]] = {}
            for mirror in mirrors_in(self._worker.catalog):
                by_database.setdefault(mirror.source_database, []).append(mirror)
            for database, mirrors in sorted(by_database.items()):
                self._step(database, mirrors, interrupt)
        finally:
            self._turn.release()

    def _step(self, database: Oid, mirrors: list[Mirror], interrupt: Interrupt) -> None:
        there = self._reader_of(database)
        if there is None:
            return
        upstream, reader = there
        self._learn(mirrors, upstream.opened_at)
        failed: PgError | None = None
        behind: list[_Behind] = []
        tables: list[TableWrites] = []
        staging: list[str] = []
        known = upstream.changes.pin_all(reader)
        try:
            for mirror in mirrors:
                try:
                    behind += self._behind(known, mirror)
                except PgError as e:
                    failed = e  # The others go on.
            self._reader.begin()
            for one in behind:
                tables += self._writes(one, reader, staging)
            self._reader.commit()
            if tables or any(map(_is_overdue, behind)):
                followed = tuple((one.mirror.oid, one.upto) for one in behind)
                writes = WriteSet(tuple(tables), tuple(staging), followed=followed)
                self._worker.write(writes).wait(interrupt)
                self.positions |= dict(followed)
                staging = []
        finally:
            reader.rollback()
            self._reader.rollback()
            self._worker.discard(WriteSet((), staging=tuple(staging)))
        if failed is not None:
            raise failed

    def _reader_of(self, database: Oid) -> tuple[BarrierWorker, Reader] | None:
        known = self._there.get(database)
        upstream = self._worker_of(database)
        if upstream is None:
            return None
        if known is None or known[0] is not upstream:
            known = self._there[database] = (upstream, upstream.reader())
            upstream.changes.follow(self._news.set)
        return known

    def _learn(self, mirrors: list[Mirror], opened_at: Epoch) -> None:
        """Find out of which epochs mirrors are that have not been looked at yet.

        Args:
            mirrors: Those that follow one database.
            opened_at: The last epoch that there was when that one was opened.
        """
        for mirror in mirrors:
            if mirror.oid not in self.positions:
                ((epoch,),) = self._reader.rows(mirror_place.read(mirror.oid))
                found = Epoch(int(str(epoch)))
                # An epoch that is not there any more is none that changes can be counted from,
                # though others have come since: what is followed was restored from before it.
                self.positions[mirror.oid] = found if found <= opened_at else ZERO

    def _behind(self, known: Knowledge, mirror: Mirror) -> Iterator[_Behind]:
        """Yield what a mirror has not seen.

        Raises:
            ObjectNotInPrerequisiteState: What it follows is no longer maintained.
        """
        source = known.catalog.relations.get(mirror.source)
        subscriptions = known.graph.subscriptions.get(mirror.source, ())
        if source is None or not subscriptions:
            return  # Which is refused, but for a backup that was restored.
        known.check_maintained(source)
        since, upto = self.positions[mirror.oid], as_of(source, known.epoch)
        oldest = min(subscriptions, key=lambda s: s.since_epoch)
        complete_since = max(oldest.since_epoch, known.forgotten.get(mirror.source, ZERO))
        if not complete_since <= since <= upto:
            everything = f"SELECT *, 1::BIGINT AS {WEIGHT} FROM r{source.oid}"
            yield _Behind(mirror, since, upto, everything)
            return
        if since == upto:
            return
        query = None
        if known.logged.get(source.oid, upto) > since:
            past = [change_log.past(source.oid, p.upto) for p in oldest.layouts if p.upto > since]
            logs = (*past, change_log.name(source.oid))
            names = [column.storage_name for column in mirror.columns]
            query = change_log.net_change(logs, names, since, upto)
        yield _Behind(mirror, since, upto, query, is_whole=False)

    def _writes(self, behind: _Behind, there: Reader, staging: list[str]) -> Iterator[TableWrites]:
        """Yield what brings a mirror up to date, if it is not.

        Args:
            behind: What it has not seen.
            there: Reads the other database.
            staging: Is given the staging tables.
        """
        if behind.query is None:
            return
        mirror, program = behind.mirror, TableProgram(behind.mirror)
        changes, new, old, whole = (self._allocate_name() for _ in range(4))
        staging += [changes, new, old, whole]
        self._bring(mirror, behind.query, there, whole if behind.is_whole else changes)
        if behind.is_whole:
            self._reader.run(f"CREATE TABLE {changes} AS {_difference(program, whole)}")
        names = ", ".join(program.visible)
        arriving = self._reader.run(
            f"CREATE TABLE {new} AS SELECT {names}, row_number() OVER () AS {ORDINAL} FROM "
            f"(SELECT {names}, unnest(range({WEIGHT})) FROM {changes} WHERE {WEIGHT} > 0)"
        )
        leaving = self._reader.run(f"CREATE TABLE {old} AS {_leaving(program, changes)}")
        ((gone,),) = self._reader.rows(
            f"SELECT coalesce(-sum({WEIGHT}), 0)::BIGINT FROM {changes} WHERE {WEIGHT} < 0"
        )
        if leaving != int(str(gone)):
            raise InternalError(f"the mirror of relation {mirror.source} is not as it was")
        if arriving or leaving:
            yield TableWrites(
                mirror.oid,
                old if leaving else None,
                new if arriving else None,
                rows=arriving,
            )

    def _bring(self, mirror: Mirror, query: str, there: Reader, name: str) -> None:
        """Copy rows of a query there, which have their weights, to a staging table here."""
        # Arrow's intervals count nanoseconds and have no room for 300 years of them.
        types = {c.storage_name: c.type.duckdb for c in mirror.columns}
        sent = [f"{c}::{t.replace('INTERVAL', 'VARCHAR')} AS {c}" for c, t in types.items()]
        taken = [f"{c}::{t} AS {c}" for c, t in types.items()]
        self._reader.run_after(
            f"CREATE TABLE {name} AS SELECT {', '.join((*taken, WEIGHT))} FROM {GIVEN}",
            there,
            f"SELECT {', '.join((*sent, WEIGHT))} FROM ({query}) AS q",
        )


def _is_overdue(behind: _Behind) -> bool:
    """Whether the epoch that is written down is far behind."""
    return unix_ms(behind.upto) - unix_ms(behind.since) >= _WRITE_DOWN_MS


def _difference(program: TableProgram, whole: str) -> str:
    """Return the query for what makes a mirror have all rows of another table, and no others."""
    come = identity.without(program.visible, whole, program.storage)
    gone = identity.without(program.visible, program.storage, whole)
    return (
        f"SELECT *, 1::BIGINT AS {WEIGHT} FROM ({come}) "
        f"UNION ALL SELECT *, -1::BIGINT FROM ({gone})"
    )


def _leaving(program: TableProgram, changes: str) -> str:
    """Return the query for the rows of a mirror that changes take away."""
    rows = f"SELECT r.* FROM {program.storage} AS r JOIN {changes} AS g ON g.{WEIGHT} < 0"
    if program.table.primary_key:
        return f"{rows} AND " + " AND ".join(f"r.{c} = g.{c}" for c in program.table.key)
    # Rows that are equal are anybody's: as many go as have gone there.
    same = identity.identical(program.visible, "r", "g")
    equal = ", ".join([*(f"r.{c}" for c in program.visible), identity.apart(program.visible, "r")])
    return (
        f"{rows} AND {same} "
        f"QUALIFY row_number() OVER (PARTITION BY {equal}) <= -any_value(g.{WEIGHT}) OVER "
        f"(PARTITION BY {equal})"
    )
