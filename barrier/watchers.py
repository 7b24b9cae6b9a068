"""Those who wait for something about a database to become so, and look again when they are told."""

from __future__ import annotations

import threading
from collections.abc import Callable

from barrier.interrupt import Interrupt


class Watchers:
    """Who waits; safe to use from all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wakes: list[Callable[[], None]] = []

    def wait(
        self, interrupt: Interrupt, is_done: Callable[[], bool], limit_ms: int | None = None
    ) -> bool:
        """Wait until something is so.

        Returns:
            Whether it is, which it may not be after a limit.

        Raises:
            PgError: The interrupt's reason.
        """
        wake = interrupt.wake
        try:
            is_so = interrupt.wait_for(is_done, self._add, limit_ms=limit_ms)
            if not is_so:
                interrupt.check()
            return is_so
        finally:
            with self._lock:
                if wake in self._wakes:
                    self._wakes.remove(wake)

    def follow(self, wake: Callable[[], None]) -> None:
        """Have a function called whenever somebody should look again, from any thread."""
        self._add(wake)

    def unfollow(self, wake: Callable[[], None]) -> None:
        """Take ``follow`` back."""
        with self._lock:
            self._wakes.remove(wake)

    def tell(self) -> None:
        """Have everybody look again."""
        with self._lock:
            wakes = tuple(self._wakes)
        for wake in wakes:
            wake()

    def _add(self, wake: Callable[[], None]) -> None:
        with self._lock:
            self._wakes.append(wake)
