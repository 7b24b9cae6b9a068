"""What can end a session's wait or its running query: cancel, time limit, disconnect, shutdown.

One per session. Whatever waits on behalf of a statement waits here, so that no wait is deaf.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
            timer = self._start_timer()
        try:
            yield
        except Exception as e:
            if (error := self.error()) is not None and error is not e:
                raise error from e
            raise
        finally:
            with self._condition:
                self._callbacks.remove(callback)
            if timer is not None:
                timer.cancel()

    def wait_for(
        self, is_done: Callable[[], bool], subscribe: Callable[[Callable[[], None]], object]
    ) -> bool:
        """Wait until ``is_done()`` or there is a reason to end.

        Args:
            is_done: What is waited for.
            subscribe: Is given a function to be called, from any thread, when ``is_done`` may have
                changed; called once, before the wait.

        Returns:
            Whether it is done. When it is not, ``error()`` tells why the wait ended.
        """
        subscribe(self.wake)
        with self._condition:
            while not is_done():
                if self._reason() is not None:
                    return False
                self._condition.wait(self._remaining_s())
        return True

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

    def _remaining_s(self) -> float | None:
        if self._deadline_ms is None:
            return None
        return max(self._deadline_ms - self._clock.monotonic_ms(), 0) / 1000 + 0.001

    def _start_timer(self) -> threading.Timer | None:
        remaining = self._remaining_s()
        if remaining is None:
            return None
        timer = threading.Timer(remaining, self._time_out)
        timer.daemon = True
        timer.start()
        return timer

    def _time_out(self) -> None:
        with self._condition:
            if self._reason() is None:
                return
            callbacks = tuple(self._callbacks)
        for callback in callbacks:
            callback()
