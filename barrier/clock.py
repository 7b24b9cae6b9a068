"""Where time comes from: the only module that reads a clock."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Two readings: what the wall says and what has passed."""

    def now_ms(self) -> int:
        """Milliseconds since 1970-01-01T00:00:00Z; may step back when somebody sets the clock."""
        ...

    def monotonic_ms(self) -> int:
        """Milliseconds since an arbitrary origin; never decreases."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


def wall_clock_us() -> int:
    """Return the time of day in microseconds since 1970, of which SQL tells more than epochs do."""
    return time.time_ns() // 1000
