"""Kill -9 under a subscription: who goes on from the last that it saw misses and repeats nothing."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.server import Address, Connection

#: How often the server dies.
ROUNDS: Final = (1, pytest.param(6, marks=pytest.mark.slow))
SEED: Final = 33
SIGNS: Final = {"Insert": 1, "UpdateInsert": 1, "Delete": -1, "UpdateDelete": -1}


class Follower:
    """Replays what happens to a view, over as many servers as it takes."""

    def __init__(self, connection: Connection) -> None:
        self.rows: Counter[tuple[Any, ...]] = Counter()
        connection.execute("DECLARE c SUBSCRIPTION CURSOR FOR s FULL")
        self.seen_ms = 0
        self.fetch(connection)

    def fetch(self, connection: Connection) -> int:
        """Take what there is; all of an epoch is given at once."""
        given = connection.execute("FETCH ALL FROM c").fetchall()
        for *row, op, at_ms in given:
            if at_ms is None or at_ms > self.seen_ms:
                self.rows[tuple(row)] += SIGNS[op]
        self.seen_ms = max([self.seen_ms, *(row[-1] or 0 for row in given)])
        return len(given)

    def left(self) -> Counter[tuple[Any, ...]]:
        """The rows that are there now; a negative count would show."""
        return Counter({row: count for row, count in self.rows.items() if count})

    def resume(self, connection: Connection) -> None:
        connection.execute(f"DECLARE c SUBSCRIPTION CURSOR FOR s SINCE {self.seen_ms}".encode())

    def follow(self, address: Address, stop: threading.Event) -> None:
        with contextlib.suppress(psycopg.OperationalError), address.connect() as connection:
            self.resume(connection)
            while not stop.is_set():
                self.fetch(connection)


def write(address: Address, stop: threading.Event, chance: random.Random) -> None:
    with contextlib.suppress(psycopg.OperationalError), address.connect() as connection:
        while not stop.is_set():
            k, v = chance.randrange(20), chance.randrange(5)
            connection.execute(f"INSERT INTO t VALUES ({k}, {v})".encode())
            connection.execute(f"DELETE FROM t WHERE v = {chance.randrange(5)}".encode())


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_follower_of_changes_has_the_view_after_every_kill(
    launch: Launch, tmp_path: Path, rounds: int
) -> None:
    chance = random.Random(SEED)
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT v, count(*) n FROM t GROUP BY v")
        connection.execute("CREATE SUBSCRIPTION s FROM m WITH (retention = '1D')")
        connection.execute("INSERT INTO t VALUES (1, 1)")
        follower = Follower(connection)
        connection.execute("INSERT INTO t VALUES (2, 1)")
        follower.fetch(connection)
    for _ in range(rounds):
        stop, address = threading.Event(), server.address
        busy = [
            Background(lambda: write(address, stop, chance)),  # noqa: B023  # of this round
            Background(lambda: follower.follow(address, stop)),  # noqa: B023
        ]
        time.sleep(chance.uniform(0.2, 0.8))
        server.kill()
        stop.set()
        for background in busy:
            background.result()
        server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            follower.resume(connection)
            while follower.fetch(connection):
                pass
            assert follower.left() == Counter(connection.execute("SELECT * FROM m").fetchall())


def add(address: Address, stop: threading.Event, chance: random.Random) -> None:
    with contextlib.suppress(psycopg.OperationalError), address.connect() as connection:
        while not stop.is_set():
            connection.execute(f"INSERT INTO t VALUES ({chance.randrange(4)})".encode())
            connection.execute(
                f"INSERT INTO t SELECT v FROM t WHERE v = {chance.randrange(4)}".encode()
            )
            connection.execute(f"DELETE FROM t WHERE v = {chance.randrange(4)}".encode())


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_view_of_another_database_has_each_change_once_after_every_kill(
    launch: Launch, tmp_path: Path, rounds: int
) -> None:
    chance = random.Random(SEED)
    rows = "SELECT v, count(*) FROM {} GROUP BY v ORDER BY v"
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("CREATE DATABASE other")
        connection.execute("CREATE TABLE t (v int)")
        connection.execute("CREATE SUBSCRIPTION s FROM t WITH (retention = '1s')")
    with server.address.of_database("other").connect() as connection:
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM dev.public.t")
    for _ in range(rounds):
        stop, address = threading.Event(), server.address
        busy = Background(lambda: add(address, stop, chance))  # noqa: B023  # of this round
        time.sleep(chance.uniform(0.2, 0.8))
        server.kill()
        stop.set()
        busy.result()
        time.sleep(chance.choice([0, 1.5]))  # What is older than the retention is wanted too.
        server = launch(tmp_path / "data")
        there, here = server.address, server.address.of_database("other")
        with there.connect() as source, here.connect() as follower:
            wanted = source.execute(rows.format("t").encode()).fetchall()
            end = time.monotonic() + 15
            while follower.execute(rows.format("m").encode()).fetchall() != wanted:
                assert time.monotonic() < end
                time.sleep(0.05)


@pytest.mark.slow
def test_a_view_of_another_database_follows_one_that_was_set_back(
    launch: Launch, tmp_path: Path
) -> None:
    data, rows = tmp_path / "data", "SELECT v, count(*) FROM {} GROUP BY v ORDER BY v"
    server = launch(data)
    with server.address.connect() as connection:
        connection.execute("CREATE DATABASE other")
        connection.execute("CREATE TABLE t (v int)")
        connection.execute("INSERT INTO t VALUES (1), (1), (2), (NULL)")
        connection.execute("CREATE SUBSCRIPTION s FROM t WITH (retention = '1D')")
        ((oid,),) = connection.execute(
            "SELECT oid FROM pg_database WHERE datname = 'dev'"
        ).fetchall()
    with server.address.of_database("other").connect() as connection:
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM dev.public.t")
    server.stop()
    file = data / f"{oid}.duckdb"
    before = file.read_bytes()
    for is_set_back in (False, True):
        server = launch(data)
        there, here = server.address, server.address.of_database("other")
        with there.connect() as source, here.connect() as follower:
            if not is_set_back:
                source.execute("DELETE FROM t WHERE v = 1")
                source.execute("INSERT INTO t VALUES (3)")
            wanted = source.execute(rows.format("t").encode()).fetchall()
            assert len(wanted) == 3
            end = time.monotonic() + 15
            while follower.execute(rows.format("m").encode()).fetchall() != wanted:
                assert time.monotonic() < end
                time.sleep(0.05)
        server.stop()
        file.write_bytes(before)
