"""One thread that calls functions when their time has come, for everybody in the process."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable
from typing import Final

from barrier.clock import SystemClock

_LOG: Final = logging.getLogger(__name__)


class Alarms:
    """Calls that wait for their time; their thread lives as long as the process, if at all."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._changed = threading.Condition()
        self._numbers = itertools.count()
        #: When, a number that tells calls of one time apart, and what.
        self._calls: list[tuple[int, int, Callable[[], None]]] = []
        self._canceled: set[int] = set()
        self._is_started = False

    def after(self, wait_ms: int, call: Callable[[], None]) -> Callable[[], None]:
        """Have ``call`` called once, on the alarms' thread; returns what takes that back.

        ``call`` must not wait: the calls of others come after it.
        """
        with self._changed:
            number = next(self._numbers)
            due_ms = self._clock.monotonic_ms() + wait_ms
            heapq.heappush(self._calls, (due_ms, number, call))
            if not self._is_started:
                self._is_started = True
                threading.Thread(target=self._run, name="alarms", daemon=True).start()
            if self._calls[0][1] == number:
                self._changed.notify()
        return lambda: self._cancel(number)

    def _cancel(self, number: int) -> None:
        with self._changed:
            self._canceled.add(number)
            # What was taken back must not pile up until its time comes: limits may be long.
            if len(self._canceled) * 2 > len(self._calls):
                self._calls = [c for c in self._calls if c[1] not in self._canceled]
                heapq.heapify(self._calls)
                self._canceled.clear()

    def _run(self) -> None:
        while True:
            call = self._next()
            try:
                call()
            except Exception:  # noqa: BLE001  The calls of others must come.
                _LOG.exception("an alarm failed")

    def _next(self) -> Callable[[], None]:
        """Wait for the next call that is due."""
        with self._changed:
            while True:
                if not self._calls:
                    self._changed.wait()
                    continue
                due_ms, number, call = self._calls[0]
                if number in self._canceled:
                    heapq.heappop(self._calls)
                    self._canceled.discard(number)
                    continue
                left_ms = due_ms - self._clock.monotonic_ms()
                if left_ms <= 0:
                    heapq.heappop(self._calls)
                    return call
                self._changed.wait(left_ms / 1000)


ALARMS: Final = Alarms()
