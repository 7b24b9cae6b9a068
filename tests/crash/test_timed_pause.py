"""Pauses and queued rows over a crash: what was promised holds, and what is over ends."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support.server import ServerProcess, running_server


@pytest.mark.parametrize("what", ["SYSTEM", "DATABASE dev"])
def test_a_pause_whose_time_passed_while_the_server_was_down_is_over(
    tmp_path: Path, what: str
) -> None:
    killed = ServerProcess(tmp_path)
    with killed.start().connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute(f"ALTER {what} PAUSE FOR INTERVAL '1 second'".encode())
    killed.kill()
    time.sleep(1.1)
    with running_server(tmp_path) as server, server.address.connect() as connection:
        connection.execute("SET statement_timeout = '60s'")  # Else it would wait for ever.
        connection.execute("INSERT INTO t VALUES (1)")
        assert connection.execute("SELECT * FROM rw_catalog.rw_pauses").fetchall() == []


@pytest.mark.parametrize("what", ["SYSTEM", "DATABASE dev"])
def test_a_pause_that_is_not_over_goes_on_and_ends_in_time(tmp_path: Path, what: str) -> None:
    killed = ServerProcess(tmp_path)
    with killed.start().connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        paused_at = time.monotonic()
        connection.execute(f"ALTER {what} PAUSE FOR INTERVAL '6 seconds'".encode())
    killed.kill()
    with running_server(tmp_path) as server, server.address.connect() as connection:
        paused = "SELECT is_paused FROM rw_catalog.rw_databases WHERE name = 'dev'"
        is_paused = connection.execute(paused).fetchall() == [(True,)]
        assert is_paused or time.monotonic() - paused_at > 6, "it ended before its time"
        connection.execute("INSERT INTO t VALUES (1)")
        assert connection.execute(paused).fetchall() == [(False,)]


def test_rows_that_were_queued_are_applied_in_order_at_resume_after_a_crash(tmp_path: Path) -> None:
    killed = ServerProcess(tmp_path)
    with killed.start().connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n, sum(v) AS s FROM t")
        connection.execute("ALTER DATABASE dev PAUSE")
        connection.execute("SET paused_dml = 'queue'")
        for at in range(30):
            connection.execute("INSERT INTO t VALUES (%s, %s)", (at % 10, at))
        with connection.cursor().copy("COPY t FROM STDIN") as copy:
            copy.write("100\t7\n")
        assert connection.execute("SELECT n FROM m").fetchall() == [(0,)]
    killed.kill()
    with running_server(tmp_path) as server, server.address.connect() as connection:
        assert connection.execute("SELECT n FROM m").fetchall() == [(0,)]
        waiting = "SELECT state, statements, queued FROM rw_catalog.rw_catch_up"
        assert connection.execute(waiting).fetchall() == [("paused", 31, 31)]
        connection.execute("ALTER DATABASE dev RESUME")
        connection.execute("FLUSH")
        last = sorted([(at % 10, at) for at in range(20, 30)] + [(100, 7)])
        assert connection.execute("SELECT k, v FROM t ORDER BY k").fetchall() == last
        assert connection.execute("SELECT n FROM m").fetchall() == [(11,)]


def test_a_paused_view_stands_still_over_a_crash_and_catches_up(tmp_path: Path) -> None:
    killed = ServerProcess(tmp_path)
    with killed.start().connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
        connection.execute(
            "CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v"
        )
        connection.execute("CREATE MATERIALIZED VIEW above AS SELECT sum(n) AS n FROM m")
        connection.execute("INSERT INTO t SELECT i, i % 3 FROM generate_series(1, 30) AS i")
        connection.execute("ALTER MATERIALIZED VIEW m PAUSE")
        connection.execute("DELETE FROM t WHERE k <= 10")
    killed.kill()
    with running_server(tmp_path) as server, server.address.connect() as connection:
        connection.execute("INSERT INTO t VALUES (100, 1)")
        assert connection.execute("SELECT n FROM above").fetchall() == [(30,)]
        connection.execute("ALTER MATERIALIZED VIEW m RESUME")
        deadline = time.monotonic() + 10
        while connection.execute("SELECT count(*) FROM rw_catalog.rw_catch_up").fetchall() != [
            (0,)
        ]:
            assert time.monotonic() < deadline
        assert connection.execute("SELECT n FROM above").fetchall() == [(21,)]
        for name in ("m", "above"):
            check = f"CHECK MATERIALIZED VIEW {name}".encode()
            assert connection.execute(check).fetchall() == []
