"""When a connection's statement may be stopped from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable


class StopGate:
    """Lets statements be stopped only where stopping one leaves no doubt of what it has done.

    BEGIN and COMMIT that are stopped may have been done all the same: the one leaves a transaction
    open that nobody knows of, the other an epoch that everybody takes for failed.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        """Begin closed.

        Args:
            interrupt: Stops the statement that is running; without effect where none is.
        """
        self._interrupt = interrupt
        self._lock = threading.Lock()
        self._is_open = False

    def open(self) -> None:
        """Let statements be stopped from here on."""
        with self._lock:
            self._is_open = True

    def close(self) -> None:
        """Let none be stopped from here on."""
        with self._lock:
            self._is_open = False

    def stop(self) -> None:
        """Stop the statement that is running, if it may be; callable from any thread."""
        with self._lock:
            if self._is_open:
                self._interrupt()
