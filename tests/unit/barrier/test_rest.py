"""A worker uses its rests, and is never kept from its work by what it does in them."""

from __future__ import annotations

import threading

from barrier.clock import SystemClock
from barrier.command import Flush
from barrier.message import Requested, Submitted
from barrier.rest import Rest
from barrier.state import BarrierState, advance

IDLE = BarrierState("dev")
BUSY, _ = advance(IDLE, Submitted(Requested(1, Flush())))
CLOCK = SystemClock()


class Worker:
    """Stands where it is told, and does so many things ahead."""

    def __init__(self, state: BarrierState, pieces: int) -> None:
        self.state = state
        self.pieces = pieces
        self.is_stopping = False

    def use(self) -> bool:
        self.pieces -= 1
        return self.pieces > 0

    def rest(self, ms: int) -> bool:
        rest = Rest(
            threading.Condition(), CLOCK, lambda: self.state, lambda: self.is_stopping, self.use
        )
        return rest.until(CLOCK.monotonic_ms() + ms)


def test_a_rest_is_used_until_there_is_no_more_to_do_ahead() -> None:
    worker = Worker(IDLE, 3)
    assert worker.rest(40)
    assert worker.pieces == 0


def test_who_has_work_does_nothing_ahead() -> None:
    worker = Worker(BUSY, 3)
    assert worker.rest(10_000)
    assert worker.pieces == 3


def test_work_that_comes_meanwhile_ends_what_is_done_ahead() -> None:
    worker = Worker(IDLE, 10**9)
    use = worker.use

    def meanwhile() -> bool:
        worker.state = BUSY
        return use()

    worker.use = meanwhile  # type: ignore[method-assign]
    assert worker.rest(10_000)
    assert worker.pieces == 10**9 - 1


def test_an_error_in_what_is_done_ahead_is_nobodys() -> None:
    worker = Worker(IDLE, 3)

    def fail() -> bool:
        raise AssertionError

    worker.use = fail  # type: ignore[method-assign]
    assert worker.rest(20)


def test_who_is_to_stop_rests_no_longer() -> None:
    worker = Worker(IDLE, 3)
    worker.is_stopping = True
    assert not worker.rest(10_000)
    assert worker.pieces == 3
