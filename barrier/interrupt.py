"""What can end a session's wait or its running query: cancel, time limit, disconnect, shutdown.

One per session. Whatever waits on behalf of a statement waits here, so that no wait is deaf.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from barrier.alarm import ALARMS
from barrier.clock import Clock
from catalog.errors import PgError, QueryCanceled


class Interrupt:
    """A flag with a reason and a deadline.

    A FATAL reason (shutdown, a vanished client) stays set: every later statement ends with it too.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._condition = threading.Condition()
        self._error: PgError | None = None
        self._deadline_ms: int | None = None
        self._is_armed = False
        self._callbacks: list[Callable[[], None]] = []

    def arm(self, timeout_ms: int | None) -> None:
        """Begin a statement: forget an earlier cancel and set the deadline; 0 and None are none."""
        with self._condition:
            self._is_armed = True
            if self._error is not None and self._error.severity != "FATAL":
                self._error = None
            self._deadline_ms = self._clock.monotonic_ms() + timeout_ms if timeout_ms else None

    def disarm(self) -> None:
        """End a statement: a cancel that comes now has come too late and does nothing."""
        with self._condition:
            self._is_armed = False
            self._deadline_ms = None
            if self._error is not None and self._error.severity != "FATAL":
                self._error = None

    def set(self, error: PgError) -> None:
        """End what waits or runs with ``error``; callable from any thread."""
        with self._condition:
            if error.severity != "FATAL" and not self._is_armed:
                return
            if self._error is None or error.severity == "FATAL":
                self._error = error
            callbacks = tuple(self._callbacks)
            self._condition.notify_all()
        for callback in callbacks:
            callback()

    def error(self) -> PgError | None:
        """Return the reason to end, or None."""
        with self._condition:
            return self._reason()

    def check(self) -> None:
        """Raise the reason to end, if there is one."""
        if (error := self.error()) is not None:
            raise error

    @contextmanager
    def on_set(self, callback: Callable[[], None]) -> Iterator[None]:
        """While the block runs, call ``callback`` when there is a reason to end, from any thread.

        Raises:
            PgError: The reason, when it came before the block or during it and the block ended by
                any exception.
        """
        self.check()
        with self._condition:
            self._callbacks.append(callback)
            stop_timer = self._start_timer()
        try:
            yield
        except Exception as e:
            if (error := self.error()) is not None and error is not e:
                raise error from e
            raise
        finally:
            with self._condition:
                self._callbacks.remove(callback)
            if stop_timer is not None:
                stop_timer()

    def wait_for(
        self,
        is_done: Callable[[], bool],
        subscribe: Callable[[Callable[[], None]], object],
        *,
        limit_ms: int | None = None,
    ) -> bool:
        """Wait until ``is_done()`` or there is a reason to end.

        Args:
            is_done: What is waited for.
            subscribe: Is given a function to be called, from any thread, when ``is_done`` may have
                changed; called once, before the wait.
            limit_ms: How long to wait at most.

        Returns:
            Whether it is done. When it is not, ``error()`` tells why the wait ended, unless it
            took too long.
        """
        subscribe(self.wake)
        until_ms = None if limit_ms is None else self._clock.monotonic_ms() + limit_ms
        with self._condition:
            while not is_done():
                if self._reason() is not None:
                    return False
                left_s = None
                if until_ms is not None:
                    left_s = (until_ms - self._clock.monotonic_ms()) / 1000
                    if left_s <= 0:
                        return False
                self._condition.wait(self._remaining_s(left_s))
        return True

    def sleep(self, wait_ms: int) -> None:
        """Let that time pass.

        Raises:
            PgError: The reason to end, when it came before.
        """
        until_ms = self._clock.monotonic_ms() + wait_ms
        with self._condition:
            while (error := self._reason()) is None:
                left_s = (until_ms - self._clock.monotonic_ms()) / 1000
                if left_s <= 0:
                    return
                # Longer than a lock can wait for is waited for in parts.
                self._condition.wait(self._remaining_s(min(left_s, threading.TIMEOUT_MAX)))
        raise error

    def countdown(self, length_ms: int) -> Callable[[], int]:
        """Return what tells how many milliseconds are left of a time that begins now."""
        until_ms = self._clock.monotonic_ms() + length_ms
        return lambda: until_ms - self._clock.monotonic_ms()

    def wake(self) -> None:
        """Let a wait look again at what it waits for."""
        with self._condition:
            self._condition.notify_all()

    def _reason(self) -> PgError | None:
        if self._error is None and self._is_over():
            self._error = QueryCanceled.by_timeout()
        return self._error

    def _is_over(self) -> bool:
        return self._deadline_ms is not None and self._clock.monotonic_ms() >= self._deadline_ms

    def _remaining_s(self, at_most_s: float | None = None) -> float | None:
        """Return how long there is to wait: until the deadline, and no longer than asked for."""
        if self._deadline_ms is None:
            return at_most_s
        left_s = max(self._deadline_ms - self._clock.monotonic_ms(), 0) / 1000 + 0.001
        return left_s if at_most_s is None else min(left_s, at_most_s)

    def _start_timer(self) -> Callable[[], None] | None:
        """Have the deadline noticed while nobody waits here; returns what takes that back."""
        remaining = self._remaining_s()
        if remaining is None:
            return None
        return ALARMS.after(int(remaining * 1000) + 1, self._time_out)

    def _time_out(self) -> None:
        with self._condition:
            if self._reason() is None:
                return
            callbacks = tuple(self._callbacks)
        for callback in callbacks:
            callback()
