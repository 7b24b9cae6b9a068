"""Tickets: what somebody who asked the barrier worker for something holds until it is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from barrier.epoch import Epoch
from barrier.interrupt import Interrupt
from catalog.errors import PgError

#: How often work that has begun is asked to stop.
_ASK_AGAIN_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Collected:
    """The work was done; its effects are in this committed epoch."""

    epoch: Epoch


class Ticket:
    """Waits, then *collected* or *failed*, once and for good."""

    def __init__(self, number: int, withdraw: Callable[[int], bool]) -> None:
        self.number = number
        self._withdraw = withdraw
        self._lock = threading.Lock()
        self._outcome: Collected | PgError | None = None
        self._wake: Callable[[], None] | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is an outcome."""
        return self._outcome is not None

    def collect(self, epoch: Epoch) -> None:
        """Give the ticket its success."""
        self._finish(Collected(epoch))

    def fail(self, error: PgError) -> None:
        """Give the ticket its failure."""
        self._finish(error)

    def finish(self, result: Epoch | PgError) -> None:
        """Give the ticket its success or its failure."""
        if isinstance(result, PgError):
            self.fail(result)
        else:
            self.collect(result)

    def take_back(self) -> bool:
        """Take the work back; False when it has begun."""
        return self._withdraw(self.number)

    def wait(self, interrupt: Interrupt, *, takes_back: bool = True) -> Collected:
        """Wait for the outcome.

        When interrupted the work is taken back if it has not begun. If it has, it is waited for:
        a view that is being filled is stopped, what others share an epoch with goes on.

        Args:
            interrupt: What may end the wait.
            takes_back: Whether the work is taken back when the wait is ended. If not, it goes on
                without anybody who waits.

        Raises:
            PgError: The work failed, or the interrupt's error.
        """
        if not interrupt.wait_for(lambda: self.is_done, self._subscribe):
            error = interrupt.error()
            assert error is not None
            if not takes_back or self._withdraw(self.number):
                raise error
            done = threading.Event()
            self._subscribe(done.set)
            # Some work can be stopped in the middle, but not between two of its statements.
            while not done.wait(_ASK_AGAIN_S):
                self._withdraw(self.number)
        match self._outcome:
            case Collected() as collected:
                return collected
            case PgError() as error:
                raise error
            case None:
                raise AssertionError(self.number)

    def settle(self) -> None:
        """Wait for an outcome, whatever it is, and whatever would end another wait."""
        done = threading.Event()
        self._subscribe(done.set)
        done.wait()

    def _subscribe(self, wake: Callable[[], None]) -> None:
        with self._lock:
            self._wake = wake
            is_done = self.is_done
        if is_done:
            wake()

    def _finish(self, outcome: Collected | PgError) -> None:
        with self._lock:
            assert self._outcome is None, self.number
            self._outcome = outcome
            wake = self._wake
        if wake is not None:
            wake()
