"""Where those stand who want to write to a paused database.

They wait before they evaluate, so that they see what is there then. A step lets those through that
stand there now, and begins when they have handed in what they came with.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from barrier.interrupt import Interrupt
from barrier.watchers import Watchers

#: The longest wait for those who were let through; who takes longer is in a later step.
_ARRIVAL_MS: Final = 5000


class Gate:
    """The way to a database's queue; safe to use from all threads."""

    def __init__(self, is_open: Callable[[], bool], watchers: Watchers) -> None:
        """Begin with nobody there.

        Args:
            is_open: Whether everybody may go through.
            watchers: Are told when that changes.
        """
        self._is_open = is_open
        self._watchers = watchers
        self._lock = threading.Lock()
        self._standing: set[int] = set()
        self._let_in: set[int] = set()

    def go_through(self, interrupt: Interrupt, on_wait: Callable[[], None]) -> None:
        """Return once this thread may write.

        Args:
            interrupt: What may end the wait.
            on_wait: Called once if there is anything to wait for.

        Raises:
            PgError: The interrupt's reason.
        """
        if self._is_open():
            return
        on_wait()
        me = threading.get_ident()
        with self._lock:
            self._standing.add(me)
        try:
            self._watchers.wait(interrupt, lambda: self._is_open() or me in self._let_in)
        except BaseException:
            self.arrive()
            raise
        finally:
            with self._lock:
                self._standing.discard(me)

    def arrive(self) -> None:
        """This thread has handed in what it came with, or has nothing to hand in."""
        if not self._let_in:
            return
        with self._lock:
            self._let_in.discard(threading.get_ident())
        self._watchers.tell()

    def let_in(self, interrupt: Interrupt) -> None:
        """Let those through who stand here; returns when they have arrived.

        Raises:
            PgError: The interrupt's reason.
        """
        with self._lock:
            self._let_in |= self._standing
            coming = frozenset(self._let_in)
        self._watchers.tell()
        try:
            self._watchers.wait(interrupt, lambda: not coming & self._let_in, _ARRIVAL_MS)
        finally:
            with self._lock:
                self._let_in -= coming
