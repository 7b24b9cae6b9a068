"""Kill -9: how far time has come, what was emitted and what a temporal join has shown are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Launch
from tests.support.server import Connection

TABLES = (
    "CREATE TABLE e (t timestamp, k int, WATERMARK FOR t AS t - interval '5 minutes') APPEND ONLY",
    "CREATE TABLE d (k int PRIMARY KEY, v int)",
    (
        "CREATE MATERIALIZED VIEW met AS SELECT e.t, d.v FROM e"
        " LEFT JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON e.k = d.k"
    ),
)
EMITTED = (
    "CREATE MATERIALIZED VIEW hours AS SELECT window_start AS h, count(*) AS n FROM"
    " tumble(e, t, interval '1 hour') GROUP BY window_start EMIT ON WINDOW CLOSE"
)
HOURS = "SELECT extract(hour FROM h)::int, n FROM hours ORDER BY 1"
MET = "SELECT extract(hour FROM t)::int, v FROM met ORDER BY 1"


def insert(connection: Connection, *rows: tuple[str, int]) -> None:
    values = ", ".join(f"('2024-01-01 {time}', {key})" for time, key in rows)
    connection.execute(f"INSERT INTO e VALUES {values}".encode())


@pytest.mark.parametrize(
    "paused", [pytest.param(False, marks=pytest.mark.slow), True], ids=["flowing", "paused"]
)
def test_time_goes_on_where_it_was(launch: Launch, tmp_path: Path, *, paused: bool) -> None:
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        for statement in (*TABLES, EMITTED):
            connection.execute(statement.encode())
        connection.execute("INSERT INTO d VALUES (1, 10)")
        insert(connection, ("08:10", 1), ("08:20", 2), ("09:30", 1))
        connection.execute("UPDATE d SET v = 11")
        connection.execute("CREATE MATERIALIZED VIEW altered AS SELECT k FROM e WHERE k = 1")
        connection.execute("ALTER MATERIALIZED VIEW altered AS SELECT k FROM e")
        if paused:
            connection.execute("ALTER MATERIALIZED VIEW hours PAUSE")
            insert(connection, ("10:30", 2))
    server.kill()
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        assert connection.execute(HOURS).fetchall() == [(8, 2)]
        assert connection.execute("CHECK MATERIALIZED VIEW hours").fetchall() == []
        if not paused:
            insert(connection, ("10:30", 2))
        insert(connection, ("08:59", 1), ("09:59", 1), ("10:26", 1))  # The first two are late.
        if paused:
            assert connection.execute(HOURS).fetchall() == [(8, 2)]
            connection.execute("ALTER MATERIALIZED VIEW hours RESUME")
        insert(connection, ("11:10", 2))
        for _ in range(50):
            if paused:
                connection.execute("FLUSH")
        assert connection.execute(HOURS).fetchall() == [(8, 2), (9, 1), (10, 2)]
        assert connection.execute("CHECK MATERIALIZED VIEW hours").fetchall() == []
        assert connection.execute("CHECK MATERIALIZED VIEW altered").fetchall() == []
        assert connection.execute("SELECT count(*) FROM altered WHERE k = 2").fetchone() == (3,)
        met = connection.execute(MET).fetchall()
        assert sorted(met, key=str) == sorted(
            [(8, 10), (8, None), (9, 10), (10, None), (10, 11), (11, None)], key=str
        )
