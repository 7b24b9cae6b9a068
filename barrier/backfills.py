"""The backfills of one database: which run, each on a thread of its own, and how far they are."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Final

from barrier.backfill import Backfill, drop_tables
from barrier.clock import Clock
from barrier.epoch import Epoch
from barrier.job import Backfilled
from barrier.job_graph import is_backfilling
from barrier.knowledge import Knowledge
from barrier.store import Store
from catalog.errors import InternalError, PgError
from catalog.oid import Oid
from catalog.relation import StreamingJob

_log = logging.getLogger(__name__)

#: How often a backfill that should stop is asked to, and one that may read nothing looks again.
_ASK_AGAIN_S: Final = 0.05

#: How far behind others a backfill's thread stands when they want the processor too. It does half
#: of the work of its statements; whoever inserts a row meanwhile need not share with it.
_NICENESS: Final = 10

#: How long a job rests after a piece, in times of what the piece took, while others write.
_REST: Final = 1.5


class Task:
    """One backfill on its way."""

    def __init__(
        self,
        backfill: Backfill,
        clock: Clock,
        epoch: Callable[[], Epoch],
        tell: Callable[[Backfilled], None],
    ) -> None:
        """Begin.

        Args:
            backfill: The work.
            clock: For the rate limit.
            epoch: The last one in which somebody changed something.
            tell: Is told what came of it, unless it was stopped.
        """
        self.backfill = backfill
        self._work = backfill.work()
        self._clock = clock
        self._epoch = epoch
        self._seen = epoch()
        self._tell = tell
        self._changed = threading.Condition()
        self._is_held = False
        self._is_stopped = False
        self._is_left = False
        self._has_outcome = False
        self.is_done = False
        self._next_ms = clock.monotonic_ms()

    @property
    def oid(self) -> Oid:
        """The view."""
        return self.backfill.view.oid

    def hold(self, *, is_held: bool) -> None:
        """Stop between two pieces, or go on."""
        with self._changed:
            self._is_held = is_held
            self._changed.notify_all()

    def limit(self, rate: int | None) -> None:
        """Read no more than so many rows a second from now on."""
        with self._changed:
            if rate != self.backfill.rate_limit:
                self.backfill.rate_limit = rate
                self._next_ms = self._clock.monotonic_ms()
                self._changed.notify_all()

    def stop(self, *, leaves: bool = False) -> bool:
        """Have the work given up, soon.

        Args:
            leaves: Whether its tables may stay where they are: the server ends.

        Returns:
            Whether it is; its outcome was there before otherwise.
        """
        with self._changed:
            if self._has_outcome:
                return False
            self._is_stopped = True
            self._is_left |= leaves
            self._changed.notify_all()
            if not self.is_done:
                self.backfill.interrupt()
        return True

    def run(self) -> None:
        """Work until the end."""
        while self.turn():
            self._wait()

    def turn(self) -> bool:
        """Work on one piece; returns whether there is more to do."""
        if self._is_resting and not self._is_stopped:
            return True
        outcome: PgError | None = None
        try:
            if not self._is_stopped:
                began_ms = self._clock.monotonic_ms()
                read = next(self._work, None)
                if read is not None:
                    self._put_off(read, began_ms)
                    return True
        except PgError as e:
            outcome = e
        except Exception as e:  # noqa: BLE001  # a bug of ours must not end the job in silence
            _log.exception("the backfill of %d failed", self.oid)
            outcome = InternalError("internal error", detail=repr(e))
        self._end(outcome)
        return False

    def _end(self, error: PgError | None) -> None:
        with self._changed:
            self._has_outcome = not self._is_stopped
        if error is not None or self._is_stopped:
            self._work.close()
            if not self._is_left:
                try:
                    self.backfill.give_up()
                except PgError:
                    _log.exception("what the backfill of %d left is dropped later", self.oid)
        with self._changed:
            self.backfill.close()
            self.is_done = True
        if not self._is_stopped:
            self._tell(Backfilled(self.oid, error or self.backfill.contents))

    def _put_off(self, rows: int, began_ms: int) -> None:
        """Put the next piece off by what the rate limit says, and for others to go first.

        A piece takes all threads of the engine. While others write, the time between two is
        theirs, so that most of what they do meets an engine that is free.
        """
        now_ms = self._clock.monotonic_ms()
        epoch = self._epoch()
        rest_ms = round((now_ms - began_ms) * _REST) if epoch != self._seen else 0
        self._seen = epoch
        limit = self.backfill.rate_limit
        pay_ms = rows * 1000 // limit - (now_ms - began_ms) if limit else 0
        self._next_ms = now_ms + max(rest_ms, pay_ms)

    def _wait(self) -> None:
        """Wait while held, and until the rate limit lets the next piece be read."""
        with self._changed:
            while not self._is_stopped:
                left_ms = self._next_ms - self._clock.monotonic_ms()
                if not self._is_resting and left_ms <= 0:
                    return
                self._changed.wait(None if self._is_resting else left_ms / 1000)

    @property
    def _is_resting(self) -> bool:
        return self._is_held or self.backfill.rate_limit == 0


def on_a_thread(task: Task) -> None:
    """Run a task beside everything else, and behind it."""

    def run() -> None:
        if sys.platform == "linux":  # Elsewhere it would be the whole process that stands back.
            os.nice(_NICENESS)
        task.run()

    threading.Thread(target=run, name=f"backfill-{task.oid}", daemon=True).start()


class Backfills:
    """Starts and stops backfills as the catalog says."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        epoch: Callable[[], Epoch],
        tell: Callable[[Backfilled], None],
        at_once: Callable[[], int],
        *,
        runner: Callable[[Task], object] = on_a_thread,
    ) -> None:
        """Begin without any.

        Args:
            store: The database's storage.
            clock: For ``now()`` in views and for rate limits.
            epoch: The last one in which somebody changed something.
            tell: Is told what came of each, on its own thread.
            at_once: How many may run at a time; 0 is no limit.
            runner: What sets a task going.
        """
        self._store = store
        self._clock = clock
        self._epoch = epoch
        self._tell = tell
        self._at_once = at_once
        self._runner = runner
        self._tasks: dict[Oid, Task] = {}
        self._ending: list[Task] = []

    def follow(self, known: Knowledge, *, is_paused: bool) -> None:
        """Start what is to be filled, stop what is not any more; called by the worker only."""
        wanted = _wanted(known)
        for oid in [oid for oid in self._tasks if oid not in wanted]:
            self._forget(self._tasks.pop(oid), known)
        for oid, view in wanted.items():
            if oid in self._tasks or not self._has_room() or self._is_ending(oid):
                continue
            backfill = Backfill(view, known, self._store.reader, self._clock, self._store.twins)
            task = Task(backfill, self._clock, self._epoch, self._tell)
            task.hold(is_held=is_paused)
            self._tasks[oid] = task
            self._runner(task)
        for oid, task in self._tasks.items():
            task.limit(wanted[oid].backfill_rate_limit)
            task.hold(is_held=is_paused)

    def progress(self, oid: Oid) -> str:
        """Return how far a view is; callable from any thread."""
        task = self._tasks.get(oid)
        return "0.00%" if task is None else str(task.backfill.progress)

    def stop(self) -> None:
        """Give everything up; returns when nothing runs any more."""
        tasks = [*self._tasks.values(), *self._ending]
        for task in tasks:
            task.stop(leaves=True)
        for task in tasks:
            while not task.is_done:
                task.stop(leaves=True)
                threading.Event().wait(_ASK_AGAIN_S)

    def _has_room(self) -> bool:
        limit = self._at_once()
        running = sum(not task.is_done for task in self._tasks.values())
        return limit == 0 or running < limit

    def _is_ending(self, oid: Oid) -> bool:
        """Whether an earlier backfill of a view still drops what it has made."""
        self._ending = [task for task in self._ending if not task.is_done]
        return any(task.oid == oid for task in self._ending)

    def _forget(self, task: Task, known: Knowledge) -> None:
        """Stop a task whose view is created, or gone, or cannot be filled now."""
        relation = known.catalog.relations.get(task.oid)
        if task.stop():
            self._ending.append(task)
        elif relation is None or is_backfilling(relation):
            reader = self._store.reader()
            drop_tables(reader, task.oid)
            reader.close()


def _wanted(known: Knowledge) -> Mapping[Oid, StreamingJob]:
    """Return the views that are to be filled now: what they read does not stand still.

    A view that stood still logs what it catches up with as of epochs that have passed, which a
    snapshot in between has not seen. So who reads it starts over.
    """
    return {
        view.oid: view
        for view in known.graph.backfilling
        if not known.graph.waits_for_upstream(view.oid, known.catalog)
    }
