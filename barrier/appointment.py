"""A call at a time of the wall clock, which somebody may set meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from barrier.alarm import ALARMS
from barrier.clock import Clock

#: After this the clock is looked at again.
_LONGEST_WAIT_MS: Final = 60_000


class Appointment:
    """At most one time at which something is to be done."""

    def __init__(self, clock: Clock, call: Callable[[], None]) -> None:
        """Make none yet.

        Args:
            clock: Whose time it is.
            call: Called on a thread of its own, perhaps too early: then it asks again.
        """
        self._clock = clock
        self._call = call
        self._cancel: Callable[[], None] = lambda: None

    def at(self, time_ms: int | None) -> None:
        """Be called at a time in milliseconds since 1970, and at no other; None is never."""
        self._cancel()
        self._cancel = lambda: None
        if time_ms is not None:
            wait_ms = min(max(time_ms - self._clock.now_ms(), 0), _LONGEST_WAIT_MS)
            # The alarms' thread is everybody's and must not wait for a disk.
            thread = threading.Thread(target=self._call, name="appointment", daemon=True)
            self._cancel = ALARMS.after(wait_ms, thread.start)
