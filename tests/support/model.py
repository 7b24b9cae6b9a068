"""What a database must hold, worked out beside it from what its worker has acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from barrier.command import (
    ChangeCatalog,
    Command,
    CreateStreamingJob,
    Flush,
    FollowSystem,
    Pause,
    Resume,
    Step,
)
from barrier.epoch import Epoch
from barrier.message import InjectCommand, tickets_of
from barrier.ticket import Ticket
from barrier.writes import TableWrites, WriteSet
from catalog.errors import PgError
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, Table
from catalog.sqlstate import SqlState
from tests.support.queries import Row, Template
from tests.support.simulation import Crash, Simulation, given_rows, outcome

Contents: TypeAlias = dict[Oid, tuple[Row, ...]]

#: How many insertions are handed over as values.
GIVEN_SHARE = 0.5
FAULTS = {SqlState.DISK_FULL, SqlState.OUT_OF_MEMORY}
WHEN_PAUSED = {
    "cannot create streaming job with snapshot backfill when paused",
    "cannot create batch refresh job while database barrier is paused",
}


@dataclass(frozen=True)
class Change:
    """Rows of one table that a statement saw, and those it puts in their place."""

    table: Oid
    old: tuple[Row, ...] = ()
    new: tuple[Row, ...] = ()


@dataclass(eq=False)
class Pending:
    """Something that was handed in."""

    order: int
    what: Change | Command
    ticket: Ticket | None  #: None for a write that was acknowledged when it was queued.
    may_be_parked: bool  #: Whether a pause was there, or asked for, before.


@dataclass
class Model:
    """The database as it must be, and the worker that it is compared with after every turn."""

    sim: Simulation
    rows: dict[Oid, list[Row]] = field(default_factory=dict)
    keyed: set[Oid] = field(default_factory=set)
    views: dict[Oid, tuple[Template, tuple[Oid, ...]]] = field(default_factory=dict)
    pending: list[Pending] = field(default_factory=list)
    #: The tables as they were at epochs, oldest first.
    history: list[tuple[Epoch, Contents]] = field(default_factory=list)
    own_pause: bool = False
    created: set[Oid] = field(default_factory=set)
    seen: dict[Oid, list[Row]] = field(default_factory=dict)
    steps: int = 0
    turns: int = 0
    #: Whether acknowledged writes could not be applied before this turn.
    was_stalled: bool = False
    _order: int = 0

    # --- what is handed in ----------------------------------------------------------------------

    def add_table(self, *, has_key: bool) -> Table:
        table = self.sim.create_table(has_key=has_key)
        self.rows[table.oid] = []
        if has_key:
            self.keyed.add(table.oid)
        self.remember()
        return table

    def write(self, change: Change, *, is_queued: bool = False) -> None:
        table = self.sim.worker.catalog.relations[change.table]
        assert isinstance(table, Table)
        staging = []
        old = new = given = None
        if change.old:
            old = f"staging.o{self._order}"
            keys = ", ".join(str(key) for key, _ in change.old)
            self.sim.reader.run(f"CREATE TABLE {old} AS FROM r{table.oid} WHERE c1 IN ({keys})")
            staging.append(old)
        if change.new and not old and self.sim.rng.random() < GIVEN_SHARE:
            given = given_rows(table, change.new)
        elif change.new:
            new = self.sim.stage(table, change.new)
            staging.append(new)
        writes = TableWrites(table.oid, old=old, new=new, keeps_keys=bool(old and new), given=given)
        write_set = WriteSet((writes,), staging=tuple(staging))
        try:
            ticket = self.sim.worker.write(write_set, is_queued=is_queued)
        except PgError as e:
            assert e.sqlstate in FAULTS, self.told(e)
            return
        self._add(change, None if is_queued else ticket)

    def submit(self, command: Command) -> None:
        self._add(command, self.sim.worker.submit(command))

    def _add(self, what: Change | Command, ticket: Ticket | None) -> None:
        self._order += 1
        asked = any(isinstance(p.what, Pause | FollowSystem) for p in self.pending)
        is_paused = self.sim.worker.pause is not None
        self.pending.append(Pending(self._order, what, ticket, asked or is_paused))

    def withdraw(self, index: int) -> None:
        """A client takes something back that it waits for."""
        waiting = [p for p in self.pending if p.ticket is not None]
        if waiting and (ticket := waiting[index % len(waiting)].ticket) and ticket.take_back():
            self.pending.remove(waiting[index % len(waiting)])

    # --- turns ----------------------------------------------------------------------------------

    def turn(self, *, is_tick: bool = False) -> bool:
        """Let the worker take one turn, and compare; returns whether it did anything."""
        worker = self.sim.worker
        before, catalog = worker.committed_epoch, worker.catalog
        was_paused, was_stepping = worker.pause is not None, worker._state.stepping is not None
        own_pause = worker.own_pause
        self.was_stalled = worker._state.is_stalled
        self.turns += 1
        try:
            has_worked = worker.turn(is_tick=is_tick)
        except Crash:
            self.crash()
            return True
        assert worker.committed_epoch >= before, self.told("an epoch went back")
        answered = self._settle()
        if self.own_pause and worker.own_pause is None:
            is_over = own_pause is not None and own_pause.is_over(self.sim.clock.now_ms())
            assert is_over, self.told("the pause has ended by itself")
            self.own_pause = False
        is_stepping = was_stepping or any(isinstance(p.what, Step) for p in answered)
        is_stepping |= worker._state.stepping is not None
        self._count_step(answered, is_stepping=is_stepping, moved=worker.committed_epoch > before)
        if any(self._error(p) for p in answered if not isinstance(p.what, Change | Step)):
            assert worker.committed_epoch == before, self.told("a refused command costs an epoch")
            assert worker.catalog is catalog, self.told("a refused command changes the catalog")
        if worker.committed_epoch > before:
            self.remember()
        stands = was_paused and worker.pause is not None and not is_stepping
        self.check(stands_still=stands)
        return has_worked

    def drain(self) -> None:
        """Let the worker do all that is due."""
        for _ in range(1000):
            if not self.turn():
                return
        raise AssertionError(self.told("the worker never rests"))

    def fill(self) -> None:
        """Let every backfill work on a piece."""
        try:
            for task in self.sim.backfills:
                if not task.is_done:
                    task.turn()
        except Crash:
            self.crash()

    def settle_backfills(self) -> None:
        """Let all backfills come to their ends."""
        for _ in range(200):
            if all(task.is_done for task in self.sim.backfills):
                return
            self.sim.clock.pass_time(50)
            self.fill()
            self.turn()
        raise AssertionError(self.told("a backfill never ends"))

    def crash(self) -> None:
        """The process is gone in the middle of a turn, or between two."""
        state, performing = self.sim.worker._state, self.sim.worker._at_work.injection
        durable = max((epoch for epoch, _ in self.history), default=Epoch(0))
        self.sim.restart()
        recovered = self.sim.worker.committed_epoch
        is_committed = state.in_flight is not None and recovered == state.in_flight
        # What was not written down may be numbered once more.
        self.history = [(at, held) for at, held in self.history if at <= recovered]
        assert is_committed or recovered <= durable, self.told("an epoch came out of nowhere")
        known = set()
        if is_committed and performing is not None:
            known = set(tickets_of(performing))
        self._settle(
            {p.order for p in self.pending if p.ticket is not None and p.ticket.number in known}
        )
        self.pending = [p for p in self.pending if p.ticket is None]
        is_paused = self.sim.worker.own_pause is not None
        if isinstance(performing, InjectCommand) and isinstance(performing.command, Pause | Resume):
            self.own_pause = is_paused
        assert is_paused == self.own_pause, self.told("a crash changes the pause")
        for oid in [o for o in self.rows if o not in self.sim.worker.catalog.relations]:
            del self.rows[oid]
        self.steps = 0
        self.created &= self.sim.worker.catalog.relations.keys()
        if is_committed:
            self.remember()
        self.check()

    def _settle(self, happened: set[int] | None = None) -> list[Pending]:
        """Take the answers that are there, in order, and apply what was acknowledged.

        Args:
            happened: After a crash, what was in the epoch that nobody was told of.

        Returns:
            What was answered.
        """
        ((left,),) = self.sim.reader.rows("SELECT count(*) FROM queue.entries")
        queued = [p for p in self.pending if p.ticket is None]
        applied = {p.order for p in queued[: len(queued) - int(str(left))]}
        answered = []
        for p in list(self.pending):
            is_done = p.ticket is not None and p.ticket.is_done
            if not is_done and p.order not in applied and p.order not in (happened or ()):
                continue
            self.pending.remove(p)
            if is_done:
                self._check_order(p)
                answered.append(p)
            error = self._error(p) if is_done else None
            if isinstance(p.what, Change):
                self._apply(p, error, is_sure=is_done)
            elif error is None:
                self._note(p.what)
            else:
                self._check_refusal(p.what, error)
        return answered

    def _check_order(self, p: Pending) -> None:
        """First in, first out: among writes, among commands, and a write before a command.

        Writes wait while paused, and until the next tick where there is no room for some that were
        acknowledged, and with these who asks for a FLUSH; commands go on, which may make room.
        """
        for q in self.pending:
            if q.order > p.order or q.ticket is None or isinstance(q.what, Step):
                continue
            is_parked = isinstance(q.what, Change) and q.may_be_parked
            is_stalled = isinstance(q.what, Change | Flush) and self.was_stalled
            may_pass = (is_parked or is_stalled) and not isinstance(p.what, Change)
            assert may_pass, self.told(f"{p.what} overtook {q.what}")
            # The pause that has gone before it holds it.
            q.may_be_parked |= isinstance(p.what, Pause | FollowSystem)

    def _apply(self, p: Pending, error: PgError | None, *, is_sure: bool) -> None:
        change = p.what
        assert isinstance(change, Change)
        rows = self.rows.get(change.table)
        if error is not None:
            is_gone = error.sqlstate == SqlState.UNDEFINED_TABLE and rows is None
            is_late = error.sqlstate == SqlState.SERIALIZATION_FAILURE and not self._fits(change)
            assert is_gone or is_late or error.sqlstate in FAULTS, self.told(error)
            return
        if rows is None or not self._fits(change):
            assert not is_sure or p.ticket is None, self.told(f"{change} was acknowledged")
            return
        for row in change.old:
            rows.remove(row)
        if change.table in self.keyed:
            fresh = {key for key, _ in change.new}
            rows[:] = [row for row in rows if row[0] not in fresh]
        last = {row[0]: row for row in change.new}
        rows += last.values() if change.table in self.keyed else change.new

    def _fits(self, change: Change) -> bool:
        return all(row in self.rows.get(change.table, ()) for row in change.old)

    def _note(self, command: Command) -> None:
        """Take in that a command has succeeded."""
        match command:
            case Pause():
                self.own_pause = True
            case Resume():
                self.own_pause = False
            case ChangeCatalog():
                for oid in [o for o in self.rows if o not in self.sim.worker.catalog.relations]:
                    del self.rows[oid]
                self.created &= self.sim.worker.catalog.relations.keys()
            case _:
                pass

    def _check_refusal(self, command: Command, error: PgError) -> None:
        worker = self.sim.worker
        if error.message in WHEN_PAUSED:
            assert isinstance(command, CreateStreamingJob)
            stands = worker.pause is not None or worker._state.held.keys() & command.reads
            assert stands, self.told("refused although nothing is paused")
        assert error.sqlstate != SqlState.INTERNAL_ERROR, self.told(error)

    def _count_step(self, answered: Sequence[Pending], *, is_stepping: bool, moved: bool) -> None:
        if not is_stepping:
            self.steps = 0
            return
        self.steps += moved
        for p in answered:
            if isinstance(p.what, Step):
                if self._error(p) is None:
                    assert self.steps == p.what.count, self.told(f"{self.steps} epochs: {p.what}")
                self.steps = 0

    def _error(self, p: Pending) -> PgError | None:
        assert p.ticket is not None
        return outcome(p.ticket, self.sim.clock)

    # --- what must be there ---------------------------------------------------------------------

    def remember(self) -> None:
        held = {oid: tuple(rows) for oid, rows in self.rows.items()}
        self.history.append((self.sim.worker.committed_epoch, held))

    def check(self, *, stands_still: bool = False) -> None:
        """Compare all that there is with what must be there."""
        worker = self.sim.worker
        now = {oid: tuple(rows) for oid, rows in self.rows.items()}
        seen: dict[Oid, list[Row]] = {}
        for oid in self.rows:
            seen[oid] = self._stored(oid)
            assert seen[oid] == _sorted(now[oid]), self.told(f"table {oid}")
        assert self.created <= worker.catalog.relations.keys(), self.told("a view is gone")
        for oid in self.views:
            view = worker.catalog.relations.get(oid)
            if not isinstance(view, MaterializedView) or view.status is not JobStatus.CREATED:
                has_failed = view is not None and self.sim.faults.count > 0
                assert oid not in self.created or has_failed, self.told(f"{oid} has failed")
                continue
            seen[oid] = self._stored(oid)
            is_behind = view.is_standing or view.refresh_interval_s is not None
            tables = self._at(Epoch(view.refreshed_epoch)) if is_behind else now
            assert seen[oid] == _sorted(self._answer(oid, tables)), self.told(
                f"view {oid}: {view.query} at {view.refreshed_epoch}"
            )
            self.created.add(oid)
        if stands_still:
            for oid in seen.keys() & self.seen.keys():
                assert seen[oid] == self.seen[oid], self.told(f"{oid} moves while paused")
            assert seen.keys() <= self.seen.keys() | self.rows.keys(), self.told("filled paused")
        self.seen = seen

    def _stored(self, oid: Oid) -> list[Row]:
        return _sorted(self.sim.reader.rows(f"SELECT c1, c2 FROM r{oid}"))  # type: ignore[arg-type]  # numbers

    def _at(self, epoch: Epoch) -> Contents:
        return next(held for at, held in reversed(self.history) if at <= epoch)

    def _answer(self, oid: Oid, tables: Contents) -> tuple[Row, ...]:
        if oid not in self.views:
            return tables[oid]
        template, inputs = self.views[oid]
        return tuple(template.answer(*(self._answer(o, tables) for o in inputs)))

    def told(self, what: object) -> str:
        return f"seed {self.sim.seed}, turn {self.turns}: {what}"


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=repr)
