"""A barrier worker without its thread, a clock that a test turns, and a store that fails on demand."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barrier.backfills import Task
from barrier.clock import Clock
from barrier.command import ChangeCatalog, Command, CreateStreamingJob, PauseInfo
from barrier.duckdb_reader import DuckdbReader
from barrier.duckdb_store import DuckdbAttempt, DuckdbStore
from barrier.epoch import Epoch
from barrier.events import EventLog
from barrier.given_rows import GivenRows
from barrier.interrupt import Interrupt
from barrier.kept_plans import Planning
from barrier.prelude import Prelude
from barrier.sequences import SequencePlace
from barrier.set_aside import SetAside
from barrier.state import BarrierState
from barrier.store import Recovered
from barrier.ticket import Ticket
from barrier.worker import BarrierWorker
from barrier.writes import OnKey, TableWrites, WriteSet
from catalog import types
from catalog.change import CreateRelation
from catalog.errors import DiskFull, OutOfMemory, PgError
from catalog.function import Function
from catalog.oid import Oid
from catalog.relation import Column, DefaultPrivileges, MaterializedView, Relation, Schema, Table
from catalog.secret import Secret
from catalog.sequence import SequenceGenerator
from catalog.state import Catalog, apply
from catalog.user_type import UserType

START_MS = 1_796_000_000_000


class ManualClock:
    """Time stands still until a test moves it."""

    def __init__(self) -> None:
        self.wall_ms = START_MS
        self.passed_ms = 0

    def now_ms(self) -> int:
        return self.wall_ms

    def monotonic_ms(self) -> int:
        return self.passed_ms

    def pass_time(self, milliseconds: int) -> None:
        self.wall_ms += milliseconds
        self.passed_ms += milliseconds

    def step_back(self, milliseconds: int) -> None:
        """What happens when somebody sets the machine's clock."""
        self.wall_ms -= milliseconds


class Crash(BaseException):
    """The process is gone: nothing in it goes on, whatever it catches."""


def given_rows(table: Table, rows: Sequence[tuple[Any, ...]]) -> GivenRows:
    """Rows of storage columns as values."""
    names = tuple(column.storage_name for column in table.columns)
    types = tuple(column.type.duckdb for column in table.columns)
    return GivenRows(names, types, tuple(zip(*rows, strict=True)))


class FaultyAttempt:
    """An attempt of which any step may fail, or be the last of the process."""

    def __init__(self, attempt: DuckdbAttempt, faults: Faults) -> None:
        self._attempt = attempt
        self._faults = faults

    def set_time(self, now_ms: int) -> None:
        self._attempt.set_time(now_ms)

    def set_time_zone(self, name: str) -> None:
        self._attempt.set_time_zone(name)

    def run(
        self,
        sql: str,
        *,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        self._faults.strike()
        return self._attempt.run(sql, planning=planning, parameters=parameters)

    def fill(
        self,
        name: str,
        query: str,
        *,
        like: str | None = None,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        self._faults.strike()
        return self._attempt.fill(name, query, like=like, planning=planning, parameters=parameters)

    def forget_temporaries(self) -> None:
        self._attempt.forget_temporaries()

    def value(self, sql: str) -> int:
        self._faults.strike()
        return self._attempt.value(sql)

    def row(self, sql: str) -> tuple[object, ...] | None:
        self._faults.strike()
        return self._attempt.row(sql)

    def put_schema(self, schema: Schema) -> None:
        self._attempt.put_schema(schema)

    def drop_schema(self, name: str) -> None:
        self._attempt.drop_schema(name)

    def put_relation(self, relation: Relation) -> None:
        self._faults.strike()
        self._attempt.put_relation(relation)

    def drop_relation(self, relation: Relation) -> None:
        self._attempt.drop_relation(relation)

    def put_object(self, held: Function | SequenceGenerator | UserType | Secret) -> None:
        self._faults.strike()
        self._attempt.put_object(held)

    def drop_object(self, oid: Oid) -> None:
        self._attempt.drop_object(oid)

    def put_defaults(self, defaults: Sequence[DefaultPrivileges]) -> None:
        self._faults.strike()
        self._attempt.put_defaults(defaults)

    def put_place(self, oid: Oid, rows: int | None) -> None:
        self._faults.strike()
        self._attempt.put_place(oid, rows)

    def put_pause(self, pause: object) -> None:
        self._faults.strike()
        self._attempt.put_pause(pause)  # type: ignore[arg-type]  # passed on as it came

    def set_aside(self, failed: SetAside) -> None:
        self._faults.strike()
        self._attempt.set_aside(failed)

    def take_queued(self, write_set: WriteSet) -> None:
        self._attempt.take_queued(write_set)

    def commit(self, epoch: Epoch) -> None:
        self._faults.strike()
        self._attempt.commit(epoch)
        self._faults.crash()  # It is durable, and nobody has been told.

    def rollback(self) -> None:
        self._attempt.rollback()


class FaultyReader(DuckdbReader):
    """A connection of the worker's own on which work that changes something may fail."""

    def __init__(self, sound: DuckdbReader, faults: Faults) -> None:
        super().__init__(sound._connection)
        self._faults = faults

    def run(self, sql: str, parameters: Sequence[object] = ()) -> int:
        self._faults.strike()
        return super().run(sql, parameters)

    def commit(self) -> None:
        self._faults.strike()
        super().commit()


@dataclass
class Faults:
    """How often a step fails, and how many steps there are before the process is gone."""

    rng: random.Random
    rate: float = 0.0
    count: int = 0
    steps_left: int | None = None

    def strike(self) -> None:
        self.crash()
        if self.rng.random() < self.rate:
            self.count += 1
            if self.rng.random() < 0.5:
                raise OutOfMemory("out of memory")
            raise DiskFull("could not extend file: No space left on device")

    def crash(self) -> None:
        if self.steps_left is None:
            return
        self.steps_left -= 1
        if self.steps_left < 0:
            self.steps_left = None
            raise Crash


class FaultyStore:
    """A store in memory whose attempts fail now and then."""

    def __init__(self, faults: Faults) -> None:
        self._store = DuckdbStore(None, Prelude(), settings={"threads": "1"})
        self._faults = faults
        self.twins = self._store.twins

    def recover(self) -> Recovered:
        return self._store.recover()

    def attempt(self) -> FaultyAttempt:
        return FaultyAttempt(self._store.attempt(), self._faults)

    def prepare_ahead(self) -> bool:
        return self._store.prepare_ahead()

    def reader(self) -> FaultyReader:
        return FaultyReader(self._store.reader(), self._faults)

    def sound_reader(self) -> DuckdbReader:
        """A reader of the test's own."""
        return self._store.reader()

    def file(self, data: bytes) -> AbstractContextManager[str]:
        return self._store.file(data)

    def back_up(self, target: Path, interrupt: Interrupt) -> Epoch:
        return self._store.back_up(target, interrupt)

    def checkpoint(self, interrupt: Interrupt) -> bool:
        return self._store.checkpoint(interrupt)

    def analyze(self, name: str, columns: Sequence[str], interrupt: Interrupt) -> None:
        self._store.analyze(name, columns, interrupt)

    def interrupt(self) -> None:
        self._store.interrupt()

    def put_sequence(self, oid: Oid, place: SequencePlace) -> None:
        self._store.put_sequence(oid, place)

    def drop_sequence(self, oid: Oid) -> None:
        self._store.drop_sequence(oid)

    def queue(self, write_set: WriteSet) -> WriteSet:
        self._faults.strike()
        return self._store.queue(write_set)

    def unqueue(self, write_set: WriteSet) -> None:
        self._store.unqueue(write_set)

    def discard(self, names: Sequence[str]) -> None:
        self._store.discard(names)

    def rows_estimated(self, name: str) -> int:
        return self._store.rows_estimated(name)

    def close(self) -> None:
        """Kept open: the next worker recovers from what was committed."""

    def end(self) -> None:
        self._store.close()


@dataclass
class Simulation:
    """One database whose worker takes turns when it is told to."""

    seed: int
    fault_rate: float = 0.0
    clock: ManualClock = field(default_factory=ManualClock)
    rng: random.Random = field(init=False)
    faults: Faults = field(init=False)
    worker: BarrierWorker = field(init=False)
    events: EventLog = field(init=False)
    reader: DuckdbReader = field(init=False)
    #: What the system has decided, which a restart does not change.
    system_pause: PauseInfo | None = None
    #: Backfills that were set going; each works on a piece when it is told to.
    backfills: list[Task] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.faults = Faults(random.Random(self.seed + 1))
        self._store = FaultyStore(self.faults)
        self._oids = itertools.count(16384)
        self._names = itertools.count(1)
        self.reader = self._store.sound_reader()
        self._boot()
        self.faults.rate = self.fault_rate

    def restart(self) -> None:
        """Throw the worker away, with all that was not committed, and recover."""
        rate, self.faults.rate = self.faults.rate, 0.0
        for task in self.backfills:
            if not task.is_done and task.stop(leaves=True):
                task.turn()
        self._boot()
        self.faults.rate = rate

    def _boot(self) -> None:
        recovered = self._store.recover()
        catalog = Catalog("dev", Oid(1))

        for relation in recovered.relations:
            catalog = apply(catalog, CreateRelation(relation))
        state = BarrierState(
            "dev",
            committed=recovered.epoch,
            own_pause=recovered.pause,
            system_pause=self.system_pause,
        )
        clock: Clock = self.clock
        self.events = EventLog(clock)
        self.worker = BarrierWorker(
            self._store,
            state,
            catalog,
            clock=clock,
            events=self.events,
            interval_ms=lambda: 1000,
            backfills_max=lambda: 1,
            queued=recovered.queued,
            runner=self.backfills.append,
        )

    def turn(self, *, is_tick: bool = False) -> None:
        """Let the worker do all that is due."""
        while self.worker.turn(is_tick=is_tick):
            is_tick = False

    def ask(self, command: Command) -> PgError | None:
        """Submit a command, take turns until it is answered, return its error."""
        ticket = self.worker.submit(command)
        self.turn()
        return outcome(ticket, self.clock)

    def create_table(self, columns: int = 2, *, has_key: bool = True) -> Table:
        oid = Oid(next(self._oids))
        table = Table(
            oid=oid,
            schema="public",
            name=f"t{oid}",
            owner="root",
            columns=tuple(Column(f"a{n}", types.INT4, n) for n in range(1, columns + 1)),
            primary_key=(1,) if has_key else (),
        )
        rate, self.faults.rate = self.faults.rate, 0.0
        error = self.ask(ChangeCatalog((CreateRelation(table),)))
        self.faults.rate = rate
        assert error is None, error
        return table

    def view(
        self, query: str, *reads: Table | MaterializedView, **options: object
    ) -> MaterializedView:
        oid = Oid(next(self._oids))
        return MaterializedView(
            oid=oid,
            schema="public",
            name=f"m{oid}",
            owner="root",
            columns=(),
            query=query,
            depends_on=frozenset(r.oid for r in reads),
            is_strict=True,
            **options,  # type: ignore[arg-type]  # fields of the dataclass by name
        )

    def create_view(self, view: MaterializedView) -> PgError | None:
        return self.ask(CreateStreamingJob(view))

    def stage(self, table: Table, rows: Sequence[tuple[object, ...]]) -> str:
        """Put rows of storage columns into a staging table."""
        name = f"staging.s{next(self._names)}"
        columns = ", ".join(f"{c.storage_name} {c.type.duckdb}" for c in table.columns)
        self.reader.run(f"CREATE TABLE {name} ({columns}, __ord BIGINT)")
        for order, row in enumerate(rows):
            marks = ", ".join("?" * (len(row) + 1))
            self.reader.run(f"INSERT INTO {name} VALUES ({marks})", (*row, order))
        return name

    def give(self, table: Table, *rows: tuple[Any, ...]) -> Ticket:
        """Insert rows that are handed over as values."""
        return self.worker.write(WriteSet((TableWrites(table.oid, given=given_rows(table, rows)),)))

    def insert(
        self, table: Table, *rows: tuple[object, ...], on_key: OnKey = OnKey.REPLACE
    ) -> Ticket:
        return self.worker.write(self.inserted(table, *rows, on_key=on_key))

    def inserted(
        self, table: Table, *rows: tuple[object, ...], on_key: OnKey = OnKey.REPLACE
    ) -> WriteSet:
        """The write set of an INSERT."""
        writes = TableWrites(table.oid, new=self.stage(table, rows), on_key=on_key)
        assert writes.new is not None
        return WriteSet((writes,), staging=(writes.new,))

    def delete(self, table: Table, condition: str) -> Ticket:
        name = f"staging.s{next(self._names)}"
        self.reader.run(f"CREATE TABLE {name} AS FROM r{table.oid} WHERE {condition}")
        return self.worker.write(WriteSet((TableWrites(table.oid, old=name),), staging=(name,)))

    def rows(self, relation: Table | MaterializedView) -> list[tuple[object, ...]]:
        """The visible rows of a relation, sorted."""
        if isinstance(relation, Table):
            columns = ", ".join(c.storage_name for c in relation.columns)
        else:
            names = self.reader.rows(f"SELECT column_name FROM (DESCRIBE r{relation.oid})")
            columns = ", ".join(str(n) for (n,) in names if str(n).startswith("c"))
        return sorted(self.reader.rows(f"SELECT {columns} FROM r{relation.oid}"), key=repr)

    def recomputed(self, view: MaterializedView) -> list[tuple[object, ...]]:
        """What the view's query gives from scratch, sorted."""
        return sorted(self.reader.rows(view.query), key=repr)

    def end(self) -> None:
        self.reader.close()
        self._store.end()


def outcome(ticket: Ticket, clock: Clock) -> PgError | None:
    """Return the error of a ticket that is done, or None for success."""
    assert ticket.is_done
    try:
        ticket.wait(Interrupt(clock))
    except PgError as e:
        return e
    return None
