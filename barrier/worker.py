"""The barrier worker: one thread a database, which alone writes, as ``barrier.state`` decides."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from barrier.backfills import Backfills, Task, on_a_thread
from barrier.backlog import Backlog, backlog
from barrier.changes import Changes
from barrier.clock import Clock
from barrier.command import CancelJobs, Command, PauseInfo
from barrier.epoch import Epoch
from barrier.epoch_events import record_epoch, tell_kept, why_failed
from barrier.events import EventLog
from barrier.executor import Executor
from barrier.gate import Gate
from barrier.interrupt import Interrupt
from barrier.job import Backfilled, Job
from barrier.job_graph import is_creating
from barrier.job_state import jobs_changed, jobs_of, orphaned
from barrier.ledger import Ledger
from barrier.message import (
    NOBODY,
    Aborted,
    BackfillEnded,
    Beat,
    Committed,
    Effect,
    Held,
    Injection,
    InjectMerge,
    InjectRefresh,
    JobsChanged,
    Merged,
    Refreshed,
    Reject,
    Requested,
    Returned,
    Stepped,
    Submitted,
    Withdrawn,
    Written,
    is_creation,
    is_own,
    tickets_of,
    writes_of,
)
from barrier.outcome import Outcome
from barrier.pinning import comparison, pin
from barrier.queueing import AtWork, queue
from barrier.rest import Rest
from barrier.sequences import NO_PLACES, SequencePlace, Sequences
from barrier.set_aside import NOTHING_QUEUED, Queue
from barrier.state import BarrierState, advance
from barrier.store import Reader, Store, Upkeep
from barrier.stream.plan import Plan
from barrier.ticket import Ticket
from barrier.watchers import Watchers
from barrier.writes import WriteSet
from catalog.errors import AdminShutdown, PgError, QueryCanceled
from catalog.oid import Oid
from catalog.relation import StreamingJob
from catalog.state import Catalog

#: How often an epoch that should stop is asked to.
_ASK_AGAIN_S: Final = 0.05

#: How often who waits for a view is told how far it is.
_PROGRESS_MS: Final = 5_000


class BarrierWorker:
    """One database in time."""

    def __init__(
        self,
        store: Store,
        state: BarrierState,
        catalog: Catalog,
        *,
        clock: Clock,
        events: EventLog,
        interval_ms: Callable[[], int],
        backfills_max: Callable[[], int],
        queued: Queue = NOTHING_QUEUED,
        sequence_places: Mapping[Oid, SequencePlace] = NO_PLACES,
        runner: Callable[[Task], object] = on_a_thread,
    ) -> None:
        """Take over a recovered database; ``start`` sets it going.

        Args:
            store: Its storage.
            state: Where it stands: the committed epoch and the pauses.
            catalog: What is in it.
            clock: For epochs and ticks.
            events: Where to tell what happened.
            interval_ms: Asked at every tick for the time to the next.
            backfills_max: How many backfills may run at a time; 0 is no limit.
            queued: What was acknowledged before; what is due of it is applied first.
            sequence_places: How far its sequences are.
            runner: What sets a backfill going.
        """
        #: Stands for this database in the keys of whatever is kept of its rows.
        self.identity = object()
        #: The last epoch that there was when it was opened.
        self.opened_at: Final = state.committed
        #: What epochs did to views.
        self.ledger = Ledger()
        #: Gives out the numbers of sequences.
        self.sequences = Sequences(store, sequence_places, catalog.sequences)
        self._store = store
        self._executor = Executor(store, catalog, state.committed, queued.set_aside)
        self._clock, self._events, self._interval_ms = clock, events, interval_ms
        self._condition = threading.Condition()
        self._state, _ = advance(state, jobs_changed(state, catalog, self._executor.known.graph))
        self._tickets: dict[int, Ticket] = {}
        self._numbers = itertools.count(1)
        self._holder: int | None = None
        self._watchers = Watchers()
        #: What sessions read of the changes that are kept.
        self.changes = Changes(self._executor, self._wait, self._watchers)
        #: Where those stand who want to write while it is paused.
        self.gate = Gate(lambda: self.pause is None or self._is_stopping, self._watchers)
        self._job_errors: dict[Oid, PgError] = {}
        self._is_stopping = False
        self._at_work = AtWork()
        self._backfills = Backfills(
            store, clock, self._executor.epoch, self._end_backfill, backfills_max, runner=runner
        )
        if orphans := orphaned(catalog):
            self._enqueue(Requested(NOBODY, CancelJobs(orphans)), None)
        for write_set in queued.due:
            self._enqueue_queued(write_set)
        self._thread = threading.Thread(
            target=self._live, name=f"barrier-{state.database}", daemon=True
        )

    # --- what sessions see ----------------------------------------------------------------------

    @property
    def database(self) -> str:
        """The database's name."""
        return self._state.database

    @property
    def catalog(self) -> Catalog:
        """What is in the database as of the last committed epoch."""
        return self._executor.catalog

    @property
    def committed_epoch(self) -> Epoch:
        """The epoch that readers see."""
        return self._state.committed

    @property
    def pause(self) -> PauseInfo | None:
        """The pause that holds the database, the system's before its own."""
        return self._state.pause

    @property
    def own_pause(self) -> PauseInfo | None:
        """The database's own pause."""
        return self._state.own_pause

    def jobs(self) -> list[Job]:
        """Return the streaming jobs that are not created yet."""
        return jobs_of(self.catalog, self._progress)

    def held_by(self, oid: Oid) -> str | None:
        """Return the name of the paused view that a view stands still for, itself or another."""
        found = self._state.held.get(oid)
        return None if found is None else found.name

    def backlog(self) -> Backlog:
        """Return what waits to be applied."""
        return backlog(self._state, self._executor.known)

    def plan(self, view: StreamingJob, catalog: Catalog) -> Plan:
        """Return how a view is, or would be, maintained; for EXPLAIN."""
        return self._executor.known.plan(view, catalog)

    @property
    def twins(self) -> Mapping[str, str]:
        """Macros that give NULL where others fail, by the others' names in lower case."""
        return self._store.twins

    def rows_estimated(self, oid: Oid) -> int:
        """Return about how many rows a stored relation has."""
        return self._executor.rows_estimated(oid)

    def changed_at(self, oids: Sequence[Oid]) -> tuple[Epoch, ...] | None:
        """Return the epochs that last changed stored relations, None while one changes or is gone.

        Two equal answers mean that readers saw the same rows of them at any time in between.
        """
        return self._executor.changed_at(oids)

    def reader(self) -> Reader:
        """Open a connection for a session."""
        return self._store.reader()

    def file(self, data: bytes) -> AbstractContextManager[str]:
        """Give the path of a file with these bytes, for readers while the block runs."""
        return self._store.file(data)

    def back_up(self, target: Path, interrupt: Interrupt) -> Epoch:
        """Copy the database to a new file, while it goes on; returns the epoch of the copy."""
        return self._store.back_up(target, interrupt)

    def upkeep(self) -> Upkeep:
        """Return what looks after the stored rows; callable from any thread."""
        return self._store

    def pin(self, reader: Reader) -> Catalog:
        """Pin a reader's snapshot and return the catalog of exactly its epoch."""
        return pin(self._executor, reader).catalog

    def pin_comparison(self, reader: Reader, view: StreamingJob, inexact: frozenset[str]) -> str:
        """Pin a reader's snapshot and return the query for where a view and its query differ in it.

        Args:
            reader: Is left in a transaction.
            view: The view.
            inexact: The storage names of its columns that are floating-point numbers.

        Raises:
            PgError: It was dropped meanwhile, or cannot be compared now.
        """
        return comparison(pin(self._executor, reader), reader, view, inexact)

    # --- what sessions ask ----------------------------------------------------------------------

    def submit(self, command: Command) -> Ticket:
        """Hand a command in."""
        ticket = self._ticket()
        self._enqueue(Requested(ticket.number, command), ticket)
        return ticket

    def write(self, write_set: WriteSet, *, is_queued: bool = False) -> Ticket:
        """Hand a write set in.

        Args:
            write_set: What to write. Its staging tables belong to the worker from now on, unless
                the ticket fails.
            is_queued: Whether the ticket is collected as soon as the write set is durably queued.

        Raises:
            WriteConflict: As of ``queueing.queue``.
        """
        if not is_queued:
            ticket = self._ticket()
            self._enqueue(Written(ticket.number, write_set, self._holder_of_thread()), ticket)
            self.gate.arrive()
            return ticket
        self._enqueue_queued(queue(self._store, self._at_work, lambda: self.catalog, write_set))
        acknowledged = self._ticket()
        acknowledged.collect(self.committed_epoch)
        return acknowledged

    def discard(self, write_set: WriteSet) -> None:
        """Drop the staging tables of a write set that is not handed in, or was refused."""
        self._store.discard(write_set.staging)

    def wait_until_running(self, interrupt: Interrupt, on_wait: Callable[[], None]) -> None:
        """Return once this thread may write; see ``Gate.go_through``."""
        self.gate.go_through(interrupt, on_wait)
        if self._is_stopping:
            raise AdminShutdown.plain()

    def wait_until_created(
        self, oid: Oid, interrupt: Interrupt, on_progress: Callable[[str], object]
    ) -> None:
        """Return once a streaming job is filled.

        Args:
            oid: The view.
            interrupt: What may end the wait.
            on_progress: Is told now and then how far the job is.

        Raises:
            PgError: It could not be, it was dropped or cancelled, or the interrupt's reason.
        """
        is_done = lambda: not is_creating(self.catalog.relations.get(oid))  # noqa: E731
        while not self._wait(interrupt, is_done, _PROGRESS_MS):
            on_progress(self._progress(oid))
        if oid in self._job_errors:
            raise self._job_errors[oid]
        if oid not in self.catalog.relations:
            raise QueryCanceled("the streaming job was cancelled while it was being created")

    @contextmanager
    def exclusive(self, interrupt: Interrupt) -> Iterator[None]:
        """Hold back the writes of others while this thread evaluates a statement and hands it in.

        For a statement whose rows changed under it again and again: under the hold it cannot lose
        to anything but the epoch that is out when the hold begins.

        Args:
            interrupt: What may end the wait for one's turn.

        Raises:
            PgError: The interrupt's reason.
        """
        me = threading.get_ident()
        self._wait(interrupt, lambda: self._take_hold(me))
        try:
            yield
        finally:
            self._hold(None)
            self._watchers.tell()

    # --- its life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Set the worker going."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the epoch that is out, refuse what waits and close the storage.

        A view that is being filled is given up: nothing of it is known yet.
        """
        with self._condition:
            self._is_stopping = True
            self._condition.notify_all()
        self._watchers.tell()
        while self._thread.is_alive():
            if is_creation(self._at_work.injection):
                self._store.interrupt()
            self._thread.join(_ASK_AGAIN_S)
        with self._condition:
            waiting, self._tickets = list(self._tickets.values()), {}
        for ticket in waiting:
            ticket.fail(AdminShutdown.plain())
        self._backfills.stop()
        self.sequences.close()
        self._store.close()

    def turn(self, *, is_tick: bool) -> bool:
        """Inject and perform what is due; the worker's thread calls nothing else.

        Args:
            is_tick: Whether the barrier interval has passed.

        Returns:
            Whether there was anything.
        """
        now_ms, passed_ms = self._clock.now_ms(), self._clock.monotonic_ms()
        with self._condition:
            self._state, effects = advance(self._state, Beat(now_ms, is_tick, passed_ms))
        for effect in effects:
            self._perform(effect, now_ms)
        self._backfills.follow(self._executor.known, is_paused=self.pause is not None)
        return bool(effects)

    def _live(self) -> None:
        rest = Rest(
            self._condition,
            self._clock,
            lambda: self._state,
            lambda: self._is_stopping,
            self._executor.prepare_ahead,
        )
        next_tick_ms = self._clock.monotonic_ms() + self._interval_ms()
        while rest.until(next_tick_ms):
            is_tick = self._clock.monotonic_ms() >= next_tick_ms
            if self.turn(is_tick=is_tick) or is_tick:
                next_tick_ms = self._clock.monotonic_ms() + self._interval_ms()

    def _perform(self, effect: Effect, now_ms: int) -> None:
        match effect:
            case Reject(ticket, error):
                self._events.record(
                    "CREATE_STREAM_JOB_FAIL", database=self._state.database, error=error.message
                )
                self._finish(ticket, error)
            case Stepped():
                self._answer_steps(effect)
            case Returned():
                raise AssertionError(effect)
            case _:
                self._inject(effect, now_ms)

    def _inject(self, injection: Injection, now_ms: int) -> None:
        with self._at_work.performing(injection):
            try:
                outcome = self._executor.perform(injection, now_ms)
            except Exception as e:  # noqa: BLE001  # a bug of ours must not end the database
                self._abort(injection, why_failed(injection, e))
            else:
                self._commit(injection, outcome)

    def _abort(self, injection: Injection, error: PgError) -> None:
        kept = tuple(w for w in writes_of(injection) if w.write_set.queue_number is not None)
        tell_kept(self._events, self._state.database, kept, error)
        self._advance(Aborted(injection.epoch, kept, is_ours=is_own(injection), error=error))
        for ticket in tickets_of(injection):
            self._finish(ticket, error)
        self._watchers.tell()

    def _commit(self, injection: Injection, outcome: Outcome) -> None:
        self._job_errors |= outcome.failed_jobs
        self._advance(Committed(injection.epoch, outcome.kept))
        if outcome.is_catalog_changed:
            self._advance(jobs_changed(self._state, self.catalog, self._executor.known.graph))
        if isinstance(injection, InjectRefresh):
            self._advance(Refreshed(outcome.refreshed, injection.epoch))
        if isinstance(injection, InjectMerge):
            self._advance(Merged(injection.backfilled))
        for ticket in tickets_of(injection):
            self._finish(ticket, outcome.failures.get(ticket) or injection.epoch)
        self.ledger.add(outcome.entries)
        record_epoch(self._events, self._state.database, injection, outcome)
        self._watchers.tell()
        self._store.discard(outcome.released)

    def _end_backfill(self, backfilled: Backfilled) -> None:
        if isinstance(backfilled.outcome, PgError):  # Known before the view is gone.
            self._job_errors[backfilled.oid] = backfilled.outcome
        with self._condition:
            self._state, _ = advance(self._state, BackfillEnded(backfilled))
            self._condition.notify_all()

    # --- bookkeeping ----------------------------------------------------------------------------

    def _advance(self, event: Committed | Aborted | JobsChanged | Refreshed | Merged) -> None:
        with self._condition:
            self._state, effects = advance(self._state, event)
        for effect in effects:
            assert isinstance(effect, Stepped), effect
            self._answer_steps(effect)

    def _answer_steps(self, stepped: Stepped) -> None:
        self._events.record("STEP", database=self._state.database, epochs=stepped.steps)
        self._finish(stepped.ticket, stepped.error or self.committed_epoch)

    def _ticket(self) -> Ticket:
        return Ticket(next(self._numbers), self._withdraw)

    def _enqueue(self, work: Requested | Written, ticket: Ticket | None) -> None:
        with self._condition:
            if self._is_stopping:
                raise AdminShutdown.plain()
            if ticket is not None:
                self._tickets[ticket.number] = ticket
            self._state, _ = advance(self._state, Submitted(work))
            self._condition.notify_all()

    def _enqueue_queued(self, write_set: WriteSet) -> None:
        self._enqueue(Written(next(self._numbers), write_set), None)

    def _withdraw(self, number: int) -> bool:
        with self._condition:
            self._state, effects = advance(self._state, Withdrawn(number))
            if effects:
                del self._tickets[number]
            elif is_creation(self._at_work.injection, number):
                self._store.interrupt()
            return bool(effects)

    def _finish(self, number: int, result: Epoch | PgError) -> None:
        with self._condition:
            ticket = self._tickets.pop(number, None)
        if ticket is not None:
            ticket.finish(result)

    def _take_hold(self, holder: int) -> bool:
        """Hold others back if nobody does; returns whether."""
        with self._condition:
            if self._holder is None:
                self._hold(holder)
            return self._holder == holder

    def _hold(self, holder: int | None) -> None:
        with self._condition:
            self._holder = holder
            self._state, _ = advance(self._state, Held(holder))
            self._condition.notify_all()

    def _holder_of_thread(self) -> int | None:
        me = threading.get_ident()
        return me if self._holder == me else None

    def _progress(self, oid: Oid) -> str:
        progress = self._backfills.progress(oid)
        return f"{progress} (waiting for RESUME)" if self.pause else progress

    def _wait(self, interrupt: Interrupt, is_done: Callable[[], bool], *limit_ms: int) -> bool:
        """Wait for something; returns whether it is so, which it may not be after a limit."""
        is_so = self._watchers.wait(interrupt, lambda: is_done() or self._is_stopping, *limit_ms)
        if self._is_stopping:
            raise AdminShutdown.plain()
        return is_so
