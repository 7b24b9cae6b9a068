"""A server whose clock is set back and forward, also across kill -9: epochs grow and views are right."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import pytest

from tests.support.server import Connection, ServerProcess

HOUR_MS: Final = 3_600_000
DEADLINE_SECONDS: Final = 20

VIEWS: Final = {
    "total": "SELECT count(*) AS n, sum(v) AS s FROM t",
    "fresh": "SELECT v FROM t WHERE ts > now() - INTERVAL '10 minutes'",
}


class Steered:
    """A server's wall clock."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(0)

    def set(self, ahead_ms: int) -> None:
        self.ahead_ms = ahead_ms
        waiting = self.file.with_suffix(".new")
        waiting.write_text(str(ahead_ms))
        waiting.rename(self.file)

    def seconds(self) -> float:
        return time.time() + self.ahead_ms / 1000


def epoch(connection: Connection) -> int:
    ((highest,),) = connection.execute(
        "SELECT coalesce(max(epoch), 0) FROM rw_catalog.rw_epochs"
    ).fetchall()
    return int(highest)


def write(connection: Connection, clock: Steered, value: int) -> None:
    """Write a row of this moment; every view follows, and the epoch grows."""
    before = epoch(connection)
    connection.execute("INSERT INTO t VALUES (to_timestamp(%s), %s)", (clock.seconds(), value))
    assert epoch(connection) > before
    assert (value,) in connection.execute("SELECT v FROM fresh").fetchall()
    for view in VIEWS:
        assert connection.execute(f"CHECK MATERIALIZED VIEW {view}".encode()).fetchall() == []
    end = time.monotonic() + DEADLINE_SECONDS
    while connection.execute("SELECT n FROM refreshed").fetchall() != [(value,)]:
        assert time.monotonic() < end, "the batch refresh view stands still"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_clock_that_is_set_back_stops_nothing(tmp_path: Path) -> None:
    clock = Steered(tmp_path / "clock")
    program = ("-m", "tests.support.steered_server", str(clock.file))
    server = ServerProcess(tmp_path / "data", program=program)
    server.start()
    with server.address.connect() as connection:
        connection.execute("ALTER SYSTEM SET barrier_interval_ms = 100")
        connection.execute("CREATE TABLE t (ts timestamptz, v int)")
        for name, query in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
        connection.execute(
            "CREATE MATERIALIZED VIEW refreshed WITH (refresh.interval.sec = 1) AS"
            " SELECT count(*) AS n FROM t"
        )
        write(connection, clock, 1)
        clock.set(-HOUR_MS)
        write(connection, clock, 2)
        last = epoch(connection)
        connection.execute("ALTER DATABASE dev PAUSE FOR INTERVAL '200 milliseconds'")
        connection.execute("INSERT INTO t VALUES (NULL, 3)")
        assert connection.execute("SELECT n FROM total").fetchall() == [(3,)]
    server.kill()
    server.start()
    with server.address.connect() as connection:
        write(connection, clock, 4)
        assert epoch(connection) > last
        clock.set(HOUR_MS)
        write(connection, clock, 5)
        assert connection.execute("SELECT v FROM fresh").fetchall() == [(5,)]
    server.kill()
