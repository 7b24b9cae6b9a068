"""Kill -9 under writes that were acknowledged before they were applied, and under definitions.

Each acknowledged row is there exactly once, also when tables and databases come and go meanwhile,
and refreshed views catch up with the change log.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
import time
from pathlib import Path
from typing import Final

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.seeds import seeds
from tests.support.server import Address, Connection, ServerProcess

ROUNDS: Final = 6
WRITERS: Final = 3
DEADLINE_SECONDS: Final = 30
SEED: Final = 20130102

#: What comes and goes, each statement by itself; a kill may come between any two.
CHURN: Final = (
    "CREATE TABLE IF NOT EXISTS passing (a int)",
    "INSERT INTO passing VALUES (1)",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS over_passing AS SELECT count(*) AS n FROM passing",
    "DROP TABLE passing CASCADE",
    "CREATE DATABASE IF NOT EXISTS other",
    "DROP DATABASE other",
    "INSERT INTO changing SELECT g, g % 3 FROM generate_series(1, 30) AS g",
    "DELETE FROM changing WHERE a % 2 = 0",
    "UPDATE changing SET b = b + 1",
)


def prepare(connection: Connection) -> None:
    connection.execute("CREATE TABLE queued (a bigint)")
    connection.execute("CREATE TABLE changing (a int PRIMARY KEY, b int)")
    connection.execute("CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n FROM queued")
    connection.execute(
        "CREATE MATERIALIZED VIEW refreshed WITH (refresh.interval.sec = 1) AS "
        "SELECT b, count(*) AS n FROM changing GROUP BY b"
    )


def write(address: Address, number: int, tried: set[int], acknowledged: set[int]) -> None:
    try:
        with address.connect() as connection:
            connection.execute("SET implicit_flush = off")
            for at in itertools.count(len(tried)):
                value = at * WRITERS + number
                tried.add(value)
                connection.execute(f"INSERT INTO queued VALUES ({value})".encode())
                acknowledged.add(value)
    except psycopg.Error:
        return


def churn(address: Address, stop: threading.Event) -> None:
    try:
        with address.connect() as connection:
            connection.execute("SET implicit_flush = off")
            while not stop.is_set():
                for statement in CHURN:
                    connection.execute(statement.encode())
    except psycopg.OperationalError:
        return


def test_what_was_queued_is_applied_exactly_once(launch: Launch, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    tried: list[set[int]] = [set() for _ in range(WRITERS)]
    acknowledged: list[set[int]] = [set() for _ in range(WRITERS)]
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        prepare(connection)
    for _ in range(ROUNDS):
        stop = threading.Event()

        def writer(number: int, address: Address = server.address) -> Background[None]:
            return Background(lambda: write(address, number, tried[number], acknowledged[number]))

        def churner(address: Address = server.address, over: threading.Event = stop) -> None:
            churn(address, over)

        running = [*(writer(number) for number in range(WRITERS)), Background(churner)]
        time.sleep(chance.uniform(0.2, 1.5))
        server.kill()
        stop.set()
        for background in running:
            background.result(DEADLINE_SECONDS)
        server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            connection.execute("FLUSH")
            stored = [value for (value,) in connection.execute("SELECT a FROM queued").fetchall()]
            assert len(stored) == len(set(stored)), "a row was applied twice"
            assert set().union(*acknowledged) <= set(stored) <= set().union(*tried)
            assert connection.execute("SELECT n FROM total").fetchall() == [(len(stored),)]
            assert_refreshed(connection)


def assert_refreshed(connection: Connection) -> None:
    """The batch refresh view equals its query once an interval has passed."""
    end = time.monotonic() + DEADLINE_SECONDS
    wanted = connection.execute("SELECT b, count(*) FROM changing GROUP BY b ORDER BY b").fetchall()
    while connection.execute("SELECT b, n FROM refreshed ORDER BY b").fetchall() != wanted:
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize("seed", seeds(1, 8))
def test_what_cannot_be_applied_stands_aside_exactly_once(
    launch: Launch, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    server = launch(tmp_path / "data")
    wanted = [str(value) if value % 2 else f"x{value}" for value in range(20)]
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE stored (a text)")
        connection.execute("CREATE MATERIALIZED VIEW held AS SELECT count(*) AS n FROM stored")
        connection.execute("ALTER DATABASE dev PAUSE")
        connection.execute("SET paused_dml = 'queue'")
        for value in wanted:
            connection.execute("INSERT INTO stored VALUES (%s)", (value,))
        connection.execute("ALTER TABLE stored ADD CHECK (a < 'x')")
    server = killed_in(server, launch, chance, "ALTER DATABASE dev RESUME")
    with server.address.connect() as connection:
        connection.execute("ALTER DATABASE dev RESUME")
        connection.execute("FLUSH")
        failed = connection.execute("SELECT sqlstate FROM rw_catalog.rw_failed_writes")
        assert failed.fetchall() == [("23514",)] * 10
        connection.execute("ALTER TABLE stored DROP CONSTRAINT stored_a_check")
    server = killed_in(server, launch, chance, "ALTER DATABASE dev RETRY QUEUED WRITES")
    with server.address.connect() as connection:
        connection.execute("ALTER DATABASE dev RETRY QUEUED WRITES")
        assert not connection.execute("SELECT * FROM rw_catalog.rw_failed_writes").fetchall()
        stored = [value for (value,) in connection.execute("SELECT a FROM stored").fetchall()]
        assert sorted(stored) == sorted(wanted)
        assert connection.execute("SELECT n FROM held").fetchall() == [(len(wanted),)]


def killed_in(
    server: ServerProcess, launch: Launch, chance: random.Random, statement: str
) -> ServerProcess:
    """Kill a server at some time in a statement, or just after it, and start it again."""

    def run() -> None:
        with contextlib.suppress(psycopg.OperationalError), server.address.connect() as connection:
            connection.execute(statement.encode())

    running = Background(run)
    time.sleep(chance.uniform(0.01, 0.06))
    server.kill()
    running.result(DEADLINE_SECONDS)
    assert server.data_dir is not None
    return launch(server.data_dir)
