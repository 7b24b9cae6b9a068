"""The maintenance window: pause, what is refused, what waits, and what RESUME sets going."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from barrier.clock import Clock
from server.demo.screen import Screen

BACKFILL_ERROR: Final = "cannot create streaming job with snapshot backfill when paused"
REFRESH_ERROR: Final = "cannot create batch refresh job while database barrier is paused"

_BACKFILL: Final = "CREATE MATERIALIZED VIEW tails AS SELECT DISTINCT tailnum FROM flights"
_REFRESH: Final = (
    "CREATE MATERIALIZED VIEW hourly WITH (refresh.interval.sec = 60) AS SELECT flights FROM pulse"
)
_LATE_FLIGHT: Final = (
    "INSERT INTO flights (id, carrier, origin, dest) VALUES (1000000, 'UA', 'EWR', 'IAH')"
)
_REMOVE_FLIGHT: Final = "DELETE FROM flights WHERE id = 1000000"
_WAIT_SECONDS: Final = 2.0
_PATIENCE_SECONDS: Final = 30.0

Connection = psycopg.Connection[Any]


@dataclass
class Window:
    """What the maintenance window has shown."""

    refusals_right: int = 0
    waited_ms: int = 0
    was_still: bool = False  #: Nothing moved while paused.
    came_through: bool = False  #: The waiting insert is there, once.

    @property
    def holds(self) -> bool:
        """Whether all went as it must."""
        return self.refusals_right == 2 and self.was_still and self.came_through


def pause_and_resume(connect: Callable[[], Connection], screen: Screen, clock: Clock) -> Window:
    """Play the window through, and leave the tables as they were."""
    window = Window()
    with connect() as operator, connect() as client:
        _run(operator, screen, "ALTER SYSTEM PAUSE")
        for statement, message in ((_BACKFILL, BACKFILL_ERROR), (_REFRESH, REFRESH_ERROR)):
            window.refusals_right += _refused(operator, screen, statement) == message
        before = _flights(operator)
        waiting = _Waiting(client, screen, _LATE_FLIGHT, clock)
        window.was_still = waiting.is_still(_WAIT_SECONDS) and _flights(operator) == before
        screen.note(f"It waits. Reading goes on: pulse still shows {before:,} flights.")
        _run(operator, screen, "ALTER SYSTEM RESUME")
        window.waited_ms = waiting.end()
        window.came_through = _flights(operator) == before + 1
        screen.note(
            f"The insert came through {window.waited_ms / 1000:.1f} s after it was sent, "
            f"and pulse shows {_flights(operator):,}. The refused statement now succeeds:"
        )
        _run(operator, screen, _BACKFILL)
        operator.execute("DROP MATERIALIZED VIEW tails")
        operator.execute(_REMOVE_FLIGHT.encode())
    return window


class _Waiting:
    """A statement in a thread of its own, since it waits."""

    def __init__(self, client: Connection, screen: Screen, statement: str, clock: Clock) -> None:
        self._client = client
        self._screen = screen
        self._clock = clock
        self._statement = statement
        self._done = threading.Event()
        self._error: psycopg.Error | None = None
        self._tag: str | None = None
        client.add_notice_handler(self._on_notice)
        screen.typed(statement)
        self._began = clock.monotonic_ms()
        threading.Thread(target=self._run, daemon=True).start()

    def is_still(self, seconds: float) -> bool:
        """Tell whether it has not ended after so long."""
        return not self._done.wait(seconds)

    def end(self) -> int:
        """Wait for its end, print its tag, and return how many milliseconds it took."""
        if not self._done.wait(_PATIENCE_SECONDS):
            self._client.cancel_safe()
            self._done.wait(_PATIENCE_SECONDS)
        if self._error is not None:
            raise self._error
        self._screen.answered(self._tag or "")
        return self._clock.monotonic_ms() - self._began

    def _run(self) -> None:
        try:
            self._tag = self._client.execute(self._statement.encode()).statusmessage
        except psycopg.Error as e:
            self._error = e
        finally:
            self._done.set()

    def _on_notice(self, notice: psycopg.errors.Diagnostic) -> None:
        self._screen.answered(f"{notice.severity}:  {notice.message_primary}", "yellow")


def _run(connection: Connection, screen: Screen, statement: str) -> None:
    screen.typed(statement)
    screen.answered(connection.execute(statement.encode()).statusmessage or "")


def _refused(connection: Connection, screen: Screen, statement: str) -> str | None:
    """Return the primary message of the error, having shown all of it as psql does."""
    screen.typed(statement)
    try:
        connection.execute(statement.encode())
    except psycopg.Error as e:
        told = e.diag
        screen.answered(f"{told.severity}:  {told.message_primary}", "red")
        if told.message_detail:
            screen.answered(f"DETAIL:  {told.message_detail}")
        if told.message_hint:
            screen.answered(f"HINT:  {told.message_hint}")
        return told.message_primary
    return None


def _flights(connection: Connection) -> int:
    row = connection.execute("SELECT flights FROM pulse").fetchone()
    assert row is not None
    return int(row[0])
