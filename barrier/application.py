"""Applying write sets inside an epoch's transaction.

Sets are applied in the order in which they came. Neighbours that only insert are applied together,
so that an epoch's statements do not grow with the number of clients. A set that lost a race is
left out and its error kept; nothing of it is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from barrier import mirror_place
from barrier.epoch import Epoch
from barrier.given_change import GivenChange, deletion, update
from barrier.given_rows import GivenRows
from barrier.kept_plans import Planning
from barrier.message import Written
from barrier.new_keys import KeysMet, NewKeys
from barrier.obedience import Obedience
from barrier.row_facts import misfit
from barrier.set_aside import SetAside, may_pass
from barrier.store import Attempt
from barrier.table_program import TableProgram
from barrier.watermark import on_time
from barrier.writes import (
    WEIGHT,
    OnKey,
    ReadConflict,
    TableWrites,
    WriteConflict,
    WriteSet,
)
from catalog.errors import PgError, UndefinedTable, UniqueViolation
from catalog.oid import Oid
from catalog.relation import ROW_ID, Relation, Table
from catalog.state import Catalog

#: For fewer rows than this, the time to plan a statement is what counts.
_FEW_ROWS: Final = 1000


class WriteFailed(Exception):  # not an error of ours: the attempt goes on without it
    """Applying a write set broke the transaction; the epoch is tried again without it."""

    def __init__(self, tickets: frozenset[int], error: PgError) -> None:
        super().__init__(str(error))
        self.tickets = tickets
        self.error = error


@dataclass
class RowIds:
    """The next free ``_row_id`` of each table without primary key."""

    next: dict[Oid, int] = field(default_factory=dict)

    def take(self, oid: Oid, count: int) -> None:
        """Use up ``count`` identifiers."""
        self.next[oid] = self.next.get(oid, 0) + count


@dataclass(frozen=True, slots=True)
class _Arriving:
    """New rows that are stored as they come.

    Attributes:
        query: The query for them, with their values as parameters where these are given.
        planning: How it is planned.
        rows: The values; or None.
    """

    query: str
    planning: Planning
    rows: GivenRows | None = None


@dataclass
class Application:
    """One epoch's writes, as far as they have been applied.

    Attributes:
        changed_at: When a relation last changed, as far as that is known.
        first: When it did where that is not known, or before.
        recorded: The tables whose change somebody reads; of others it may be left out.
        new_keys: Where new rows may be stored at once; it learns.
        now_ms: The time, in milliseconds since 1970.
        set_aside: Acknowledged writes that could not be applied, by their number; it is kept up.
        failures: Errors by ticket; those sets are not applied.
        inserted: Rows added so far by table, replaced ones included.
        deleted: Rows taken away so far by table, replaced ones included.
        told: Of some tables all rows of the delta, as values.
    """

    attempt: Attempt
    catalog: Catalog
    row_ids: RowIds
    changed_at: Mapping[Oid, Epoch]
    first: Epoch
    recorded: frozenset[Oid]
    new_keys: NewKeys
    now_ms: int
    set_aside: dict[int, SetAside]
    failures: dict[int, PgError] = field(default_factory=dict)
    inserted: dict[Oid, int] = field(default_factory=dict)
    deleted: dict[Oid, int] = field(default_factory=dict)
    told: dict[Oid, GivenRows] = field(default_factory=dict)
    # How many steps wrote rows into each delta; 0 means that it exists and is empty.
    _touches: dict[Oid, int] = field(default_factory=dict)

    @property
    def changed(self) -> frozenset[Oid]:
        """The tables that have other rows than before."""
        return frozenset(self.inserted.keys() | self.deleted.keys())

    def apply(self, writes: Sequence[Written], *, together: bool = True) -> None:
        """Apply write sets in order.

        Args:
            writes: The sets; those that have failed already are passed over.
            together: Whether neighbours that only insert may share statements; without, an error
                is one set's own.

        Raises:
            WriteFailed: A statement failed; the transaction is gone.
            KeysMet: As it says; the same can be done again.
        """
        queued = {w.ticket: w for w in writes if w.write_set.queue_number is not None}
        fitted = [self._on_time(self._fitted(written)) for written in writes]
        for group in _groups(fitted) if together else ([written] for written in fitted):
            there = [written for written in group if self._is_known(written)]
            known = [written for written in there if written.ticket not in self.failures]
            with _blame(known):
                known = [w for w in known if self._suits(w, queued.get(w.ticket))]
                if group[0].write_set.is_plain_insert and not self._are_bound(known):
                    self._insert_together(known)
                else:
                    self._apply_one(known)
            for written in group:
                if written.ticket in queued:
                    self._settle(queued[written.ticket])

    def expire(self, oid: Oid, old: str) -> None:
        """Take rows away whose time has passed; ``old`` is the FROM item for them."""
        self._change(TableWrites(oid, old=old))

    def consolidate(self) -> None:
        """Bring each delta that more than one step wrote into its shortest form."""
        for oid, touches in self._touches.items():
            if touches > 1 and self.deleted.get(oid, 0):
                self.attempt.run(self._program(oid).consolidate())

    def _is_known(self, written: Written) -> bool:
        for writes in written.write_set.tables:
            if not isinstance(self._found(writes.table), Table):
                self.failures[written.ticket] = UndefinedTable(
                    "the table was dropped while the statement waited"
                )
                return False
            if not self._program(writes.table).fits(writes):
                self.failures[written.ticket] = WriteConflict.plain()
        return True

    def _are_bound(self, group: Iterable[Written]) -> bool:
        """Whether some rows are for tables that bind theirs to others since they were queued."""
        oids = {writes.table for written in group for writes in written.write_set.tables}
        return any(self.catalog.table(oid).binds_rows for oid in oids)

    def _is_bound(self, oid: Oid) -> bool:
        """Whether a table's rows are bound to others, by what it says or another says of it."""
        return self.catalog.table(oid).binds_rows or bool(self.catalog.referring(oid))

    def _fitted(self, written: Written) -> Written:
        """Return acknowledged writes as rows of the tables as they are now; others as they are."""
        write_set = written.write_set
        if write_set.queue_number is None:
            return written
        # The rows of a table that was dropped have gone with it.
        tables = tuple(
            self._program(writes.table).fitted(writes)
            for writes in write_set.tables
            if isinstance(self._found(writes.table), Table)
        )
        return replace(written, write_set=replace(write_set, tables=tables or write_set.tables))

    def _on_time(self, written: Written) -> Written:
        write_set = on_time(written.write_set, self.catalog)
        return written if write_set is written.write_set else replace(written, write_set=write_set)

    def _suits(self, written: Written, queued: Written | None) -> bool:
        """Whether rows obey what was asked of single rows only after they were acknowledged."""
        if queued is None:
            return True
        layouts = {writes.table: writes.layout for writes in queued.write_set.tables}
        for writes in written.write_set.tables:
            if layouts[writes.table] in ((), writes.layout) or writes.new is None:
                continue
            error = misfit(self.attempt, self.catalog.table(writes.table), writes.new)
            if error is not None:
                self.failures[written.ticket] = error
                return False
        return True

    def _settle(self, queued: Written) -> None:
        """Take an acknowledged write set out of the queue, unless it is still due."""
        number, error = queued.write_set.queue_number, self.failures.get(queued.ticket)
        assert number is not None
        # What has no table any more will never be applied.
        if error is None or isinstance(error, UndefinedTable):
            self.attempt.take_queued(queued.write_set)
            self.set_aside.pop(number, None)
        elif number in self.set_aside or not may_pass(error, queued.tries):
            failed = SetAside.of(queued.write_set, error, self.now_ms)
            self.attempt.set_aside(failed)
            self.set_aside[number] = failed

    def _insert_together(self, group: list[Written]) -> None:
        by_table: dict[Oid, list[TableWrites]] = {}
        for written in group:
            for writes in written.write_set.tables:
                if writes.new is not None or writes.given is not None:
                    by_table.setdefault(writes.table, []).append(writes)
        for oid, sources in by_table.items():
            arriving = self._arriving(oid, sources)
            if arriving is None:
                spelled_out = [source.spelled_out() for source in sources]
                self._store_incoming(oid, self._gather(oid, spelled_out))
            else:
                self._store(oid, arriving)

    def _arriving(self, oid: Oid, sources: list[TableWrites]) -> _Arriving | None:
        """Return new rows that can be stored without a look at those that are there.

        Returns:
            None if there is more to be done.
        """
        program = self._program(oid)
        has_key = bool(program.table.primary_key)
        if has_key and (oid in self._touches or not self.new_keys.is_expected(oid)):
            return None
        next_row_id = self.row_ids.next.get(oid, 0)
        given = [source.given for source in sources if source.given is not None]
        if len(given) == len(sources):
            rows = GivenRows.joined(given)
            if has_key:
                rows = rows.latest(program.table.key)
            else:
                rows = rows.with_ids(ROW_ID, next_row_id + 1)
                self.row_ids.take(oid, rows.rows + 1)
            return _Arriving(rows.query(), Planning.AS_WRITTEN, rows)
        sources = [source.spelled_out() for source in sources]
        if has_key:
            return _Arriving(program.new_rows(sources), _planning(sources))
        if any(source.ordinals is None or source.has_row_id for source in sources):
            return None
        self.row_ids.take(oid, sum(source.ordinals or 0 for source in sources) + 1)
        return _Arriving(program.numbered_rows(sources, next_row_id), _planning(sources))

    def _store(self, oid: Oid, arriving: _Arriving) -> None:
        """Store new rows as they come, with a copy in the delta only where one is wanted.

        Raises:
            KeysMet: A key is there already, which the engine's index of them tells.
        """
        program = self._program(oid)
        query, planning, rows = arriving.query, arriving.planning, arriving.rows
        parameters = () if rows is None else rows.parameters()
        is_first = oid not in self._touches
        if oid in self.recorded:
            weighed = f"SELECT *, 1::BIGINT AS {WEIGHT} FROM ({query})"
            self._record(oid, weighed, planning, parameters)
            self._tell(oid, rows)
            if is_first:
                query, parameters, planning = f"FROM {program.delta}", (), Planning.KEPT
        stored = program.insert(f"SELECT {', '.join(program.columns)} FROM ({query})")
        try:
            inserted = self.attempt.run(stored, planning=planning, parameters=parameters)
        except UniqueViolation as e:
            if not program.table.primary_key:
                raise
            raise KeysMet(oid) from e
        self._count(self.inserted, oid, inserted)

    def _apply_one(self, group: list[Written]) -> None:
        for written in group:
            write_set = written.write_set
            if not self._is_as_read(write_set):
                self.failures[written.ticket] = ReadConflict.plain()
            elif any(map(self._has_lost, write_set.tables)):
                self.failures[written.ticket] = WriteConflict.plain()
            else:
                self._apply_whole(written.ticket, write_set)

    def _apply_whole(self, ticket: int, write_set: WriteSet) -> None:
        """Apply a write set if it obeys the constraints between rows."""
        if any(self._is_bound(writes.table) for writes in write_set.tables):
            write_set = write_set.spelled_out()
        obedience = Obedience(
            self.attempt, self.catalog, lambda oids: self._is_as_seen(write_set, oids), write_set
        )
        error = obedience.error()
        if error is not None:
            self.failures[ticket] = error
            return
        for writes in write_set.tables:
            if writes.change is not None and not writes.change.turns_zeros:
                self._change_given(writes.table, writes.change)
            else:
                self._change(writes.spelled_out())
        for oid, epoch in write_set.followed:
            self.attempt.run(mirror_place.move(oid, epoch))

    def _is_as_seen(self, write_set: WriteSet, oids: Iterable[Oid]) -> bool:
        """Whether no rows of some tables have changed since a write set was looked at."""
        at = write_set.obeyed_at
        return at is not None and all(
            oid not in self.changed and self.changed_at.get(oid, self.first) <= at for oid in oids
        )

    def _is_as_read(self, write_set: WriteSet) -> bool:
        """Whether nothing has changed what a write set stands on, so that it might begin now."""
        read_at = write_set.read_at
        return read_at is None or all(
            oid in self.catalog.relations
            and oid not in self.changed
            and self.changed_at.get(oid, read_at) <= read_at
            for oid in write_set.read
        )

    def _has_lost(self, writes: TableWrites) -> bool:
        """Whether rows that were read are no longer there as they were."""
        if not writes.takes_away:
            return False
        oid = writes.table
        if oid not in self._touches and writes.seen == self.changed_at.get(oid, self.first):
            return False  # No epoch, nor this one so far, has changed the table since.
        old = writes.spelled_out().old
        assert old is not None
        return self.attempt.value(self._program(oid).count_missing(old)) > 0

    def _change_given(self, oid: Oid, change: GivenChange) -> None:
        """Have rows that are there become others in their place, or go."""
        change = change.to_others()
        if not change.rows:
            return
        program = self._program(oid)
        key = program.table.key
        if oid in self.recorded:
            delta = change.weighed(WEIGHT)
            self._record(oid, delta.query(), parameters=delta.parameters())
            self._tell(oid, delta)
        if change.new is None:
            rows = change.old.only(key)
            statement = deletion(program.storage, rows)
        else:
            rows = change.new.only((*key, *change.others()))
            statement = update(program.storage, key, rows)
            self._count(self.inserted, oid, change.rows)
        self.attempt.run(statement, parameters=rows.parameters())
        self._count(self.deleted, oid, change.rows)

    def _change(self, writes: TableWrites) -> None:
        """Take old rows away and store the incoming ones."""
        oid, program = writes.table, self._program(writes.table)
        is_arriving, incoming = writes.new is not None, program.incoming
        if writes.keeps_keys and writes.new is not None:
            incoming = writes.new  # They are what will be stored.
        elif is_arriving:
            self._gather(oid, [writes])
        reads_storage = is_arriving and program.table.primary_key and not writes.keeps_keys
        planning = Planning.OPTIMIZED if reads_storage else _planning([writes])
        recorded = self._record(oid, program.changed_rows(writes, incoming), planning)
        # What a change adds and what it takes away may be equal, so each may be all of it.
        self._count(self.deleted, oid, recorded)
        if writes.old is not None and not writes.keeps_keys:
            self.attempt.run(program.delete_keys(writes.old))
        if not is_arriving:
            return
        if writes.keeps_keys or writes.on_key is OnKey.REPLACE:
            self.attempt.run(program.delete_keys(incoming))
        self._count(self.inserted, oid, recorded)
        # The names of staging tables never come again.
        kept = Planning.KEPT if incoming == program.incoming else _planning([writes])
        self.attempt.run(program.insert_incoming(incoming), planning=kept)

    def _gather(self, oid: Oid, sources: list[TableWrites]) -> int:
        program = self._program(oid)
        next_row_id = self.row_ids.next.get(oid, 0)
        query = program.incoming_rows(sources, next_row_id)
        count = self.attempt.fill(
            program.incoming, query, like=program.stored_rows, planning=_planning(sources)
        )
        if not program.table.primary_key:
            self.row_ids.take(oid, count + 1)
        return count

    def _store_incoming(self, oid: Oid, arriving: int) -> None:
        program = self._program(oid)
        recorded = self._record(oid, program.arriving_rows())
        # Every incoming row is recorded once; what is more are the rows that they replace.
        replaced = recorded - arriving
        if replaced:
            self._count(self.deleted, oid, replaced)
            self._touches[oid] += 1
            self.attempt.run(program.delete_keys(program.incoming))
            self.new_keys.met(oid)
        else:
            self.new_keys.looked(oid)
        self._count(self.inserted, oid, arriving)
        self.attempt.run(program.insert_incoming(), planning=Planning.KEPT)

    def _record(
        self,
        oid: Oid,
        query: str,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        program = self._program(oid)
        if oid not in self._touches:
            count = self.attempt.fill(
                program.delta,
                query,
                like=program.empty_delta,
                planning=planning,
                parameters=parameters,
            )
        else:
            count = self.attempt.run(
                f"INSERT INTO {program.delta} BY NAME {query}",
                planning=planning,
                parameters=parameters,
            )
        self._touches[oid] = self._touches.get(oid, 0) + (1 if count else 0)
        self.told.pop(oid, None)
        return count

    def _tell(self, oid: Oid, rows: GivenRows | None) -> None:
        """Take note of what has just been recorded of a table, if it is all that has been."""
        if rows is not None and self._touches.get(oid) == 1:
            self.told[oid] = rows
        else:
            self.told.pop(oid, None)

    @staticmethod
    def _count(counts: dict[Oid, int], oid: Oid, rows: int) -> None:
        if rows:
            counts[oid] = counts.get(oid, 0) + rows

    def _program(self, oid: Oid) -> TableProgram:
        return TableProgram(self.catalog.table(oid))

    def _found(self, oid: Oid) -> Relation | None:
        return self.catalog.readers.get(oid) or self.catalog.relations.get(oid)


def _groups(writes: Iterable[Written]) -> Iterator[list[Written]]:
    """Yield runs of plain inserts together and everything else one by one."""
    run: list[Written] = []
    for written in writes:
        if written.write_set.is_plain_insert:
            run.append(written)
            continue
        if run:
            yield run
            run = []
        yield [written]
    if run:
        yield run


def _planning(sources: Iterable[TableWrites]) -> Planning:
    """Return how to plan a query for the rows of staging tables, whose names never come again."""
    few = sum(source.ordinals or source.rows or _FEW_ROWS for source in sources) < _FEW_ROWS
    return Planning.AS_WRITTEN if few else Planning.OPTIMIZED


@contextmanager
def _blame(group: list[Written]) -> Iterator[None]:
    """Turn an error of the engine into WriteFailed for the sets that were being applied."""
    try:
        yield
    except PgError as e:
        raise WriteFailed(frozenset(written.ticket for written in group), e) from e
