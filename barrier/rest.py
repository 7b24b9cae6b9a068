"""How a worker waits for what comes next."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from barrier.clock import Clock
from barrier.state import BarrierState, ends_at_ms, has_work

#: Nothing to do for so long is time to use for the epochs that come.
_REST_MS: Final = 5


@dataclass(frozen=True)
class Rest:
    """The pauses between a worker's turns.

    Attributes:
        condition: Is told when there is work, and when the worker is to stop.
        clock: The worker's.
        state: Returns where the worker stands.
        is_stopping: Whether it is to stop.
        use: Does a little of what can be done ahead; returns whether there may be more.
    """

    condition: threading.Condition
    clock: Clock
    state: Callable[[], BarrierState]
    is_stopping: Callable[[], bool]
    use: Callable[[], bool]

    def until(self, time_ms: int) -> bool:
        """Return when there is work, and at this time by the monotonic clock at the latest.

        Returns:
            False if the worker is to stop.
        """
        if not self._wait(time_ms, limit_ms=_REST_MS):
            # A bug there must not end the database; whoever needs it meets it again.
            with suppress(Exception):
                while not self._is_over() and self.use():
                    pass
            self._wait(time_ms)
        return not self.is_stopping()

    def _is_over(self) -> bool:
        return self.is_stopping() or has_work(self.state())

    def _wait(self, time_ms: int, *, limit_ms: float = math.inf) -> bool:
        """Wait as ``until`` does; returns whether it was that, and not that the limit passed."""
        with self.condition:
            while not self._is_over():
                end_ms = ends_at_ms(self.state()) - self.clock.now_ms()
                remaining_ms = min(time_ms - self.clock.monotonic_ms(), end_ms)
                if remaining_ms <= 0:
                    break
                is_woken = self.condition.wait(min(remaining_ms, limit_ms) / 1000)
                if not is_woken and limit_ms < remaining_ms:
                    return False
        return True
