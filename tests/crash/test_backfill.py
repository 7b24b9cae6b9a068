"""kill -9 while a view is filled beside the barriers: its job starts over, or is gone."""

from __future__ import annotations

import random
import time
from pathlib import Path

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.server import Connection

SEED = 7
ROUNDS = 5
QUERY = "SELECT v, count(*) AS n, sum(k) AS s FROM t GROUP BY v"


def prepare(connection: Connection, rows: int = 300_000) -> None:
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
    connection.execute(
        f"INSERT INTO t SELECT i, i % 1000 FROM generate_series(1, {rows}) AS i".encode()
    )


def jobs(connection: Connection) -> list[tuple[object, ...]]:
    return connection.execute("SHOW JOBS").fetchall()


def test_a_background_job_starts_over_wherever_the_server_was_killed(
    launch: Launch, tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        prepare(connection)
        connection.execute("SET background_ddl = on")
        connection.execute("SET backfill_rate_limit = 400000")
        connection.execute(f"CREATE MATERIALIZED VIEW m AS {QUERY}".encode())
    for number in range(ROUNDS):
        with server.address.connect() as connection:
            key = 1_000_000 + number
            connection.execute(f"INSERT INTO t VALUES ({key}, {number})".encode())
            # Before, while and after it is filled.
            time.sleep(chance.uniform(0, 1.2))
            server.kill()
        server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("WAIT")
        assert jobs(connection) == []
        assert connection.execute("CHECK MATERIALIZED VIEW m").fetchall() == []
        connection.execute("DELETE FROM t WHERE v = 5")
        assert connection.execute("CHECK MATERIALIZED VIEW m").fetchall() == []
    assert server.stop() == 0


def test_a_job_whose_statement_died_with_the_server_is_gone(launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    with server.address.connect() as operator, server.address.connect() as creator:
        prepare(operator)
        creator.execute("SET backfill_rate_limit = 100000")
        creation = Background(
            lambda: creator.execute(f"CREATE MATERIALIZED VIEW m AS {QUERY}".encode())
        )
        end = time.monotonic() + 10
        while not jobs(operator):
            assert time.monotonic() < end
        time.sleep(0.5)
        server.kill()
        with pytest.raises(psycopg.OperationalError):
            creation.result(10)
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        end = time.monotonic() + 10
        while jobs(connection):
            assert time.monotonic() < end
        connection.execute(f"CREATE MATERIALIZED VIEW m AS {QUERY}".encode())
        assert connection.execute("CHECK MATERIALIZED VIEW m").fetchall() == []
    assert server.stop() == 0
