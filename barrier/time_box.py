"""A time that work in a barrier may take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from barrier.alarm import ALARMS


class TimeBox:
    """Stops the engine when the time is up; after the block it never does."""

    def __init__(self, limit_ms: int, stop: Callable[[], None]) -> None:
        self._limit_ms = limit_ms
        self._stop = stop
        self._lock = threading.Lock()
        self._is_open = False
        #: Whether the time was up before the block ended.
        self.is_up = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Count the time of the block."""
        self._is_open = True
        cancel = ALARMS.after(self._limit_ms, self._ring)
        try:
            yield
        finally:
            cancel()
            with self._lock:
                self._is_open = False

    def _ring(self) -> None:
        with self._lock:
            if self._is_open:
                self.is_up = True
                self._stop()
