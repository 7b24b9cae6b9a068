"""Writers that remember, operators that change everything under them, and kill -9 in between.

Queued writes, definitions, pauses, cancels and ended sessions at once, on files: afterwards each
acknowledged row is there exactly once, no transaction by half, and each view equals its query.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.seeds import seeds
from tests.support.server import Address, Connection

ROUNDS: Final = 3
WRITERS: Final = 3
OPERATORS: Final = 2
PATIENCE_SECONDS: Final = 60

OPERATIONS: Final = (
    *["ALTER DATABASE dev PAUSE"] * 2,
    "ALTER SYSTEM PAUSE",
    "ALTER SYSTEM PAUSE FOR INTERVAL '100 milliseconds'",
    *["ALTER DATABASE dev RESUME"] * 4,
    *["ALTER SYSTEM RESUME"] * 3,
    "ALTER DATABASE dev STEP {n}",
    "ALTER TABLE kept ADD COLUMN IF NOT EXISTS x{few} int DEFAULT {n}",
    "ALTER TABLE kept DROP COLUMN IF EXISTS x{few} CASCADE",
    *["ALTER TABLE kept ADD CONSTRAINT c{few} CHECK (id <= {top})"] * 3,
    *["ALTER TABLE kept DROP CONSTRAINT IF EXISTS c{few}"] * 4,
    "ALTER TABLE kept ADD CONSTRAINT u UNIQUE (id)",
    "ALTER TABLE kept DROP CONSTRAINT IF EXISTS u",
    "ALTER TABLE kept ALTER COLUMN note TYPE int USING 0",
    "ALTER TABLE kept ALTER COLUMN note TYPE text",
    *["ALTER DATABASE dev RETRY QUEUED WRITES"] * 2,
    "ALTER DATABASE dev RETRY QUEUED WRITE {n}",
    "CREATE MATERIALIZED VIEW v{few} AS SELECT id % 10 AS k, count(*) AS n FROM kept GROUP BY 1",
    (
        "CREATE MATERIALIZED VIEW v{few} AS SELECT DISTINCT ON (k.id % 10) k.id, p.id AS q FROM kept k"
        " LEFT JOIN pair p ON p.id = k.id ORDER BY k.id % 10, 100 / (k.id + 1), k.id"
    ),
    "CREATE MATERIALIZED VIEW v{few} WITH (refresh.interval.sec = 1) AS SELECT sum(id) FROM kept",
    "CREATE MATERIALIZED VIEW v{few} AS SELECT * FROM v{fewer}",
    *["DROP MATERIALIZED VIEW IF EXISTS v{few} CASCADE"] * 3,
    "CREATE INDEX IF NOT EXISTS ix{few} ON kept (id)",
    "DROP INDEX IF EXISTS ix{few}",
    "ALTER MATERIALIZED VIEW v{few} PAUSE",
    *["ALTER MATERIALIZED VIEW v{few} RESUME"] * 2,
    "ALTER TABLE kept RENAME TO renamed",
    *["ALTER TABLE renamed RENAME TO kept"] * 3,
    "CREATE TABLE IF NOT EXISTS passing (a int UNIQUE)",
    "INSERT INTO passing SELECT g FROM generate_series(1, 20) AS g ON CONFLICT DO NOTHING",
    "TRUNCATE passing",
    "DROP TABLE IF EXISTS passing CASCADE",
    "RECOVER",
    "FLUSH",
    "CHECKPOINT",
    (
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND random() < 0.3"
    ),
    (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND random() < 0.1"
    ),
    "CREATE DATABASE other",
    "DROP DATABASE other",
)


class Person(ABC):
    """Somebody who says things until it is over, and comes back when the connection is gone."""

    def __init__(self, address: Address, chance: random.Random, is_over: threading.Event) -> None:
        self._address = address
        self._chance = chance
        self._is_over = is_over
        self.unexpected: list[str] = []

    def work(self) -> None:
        while not self._is_over.is_set():
            try:
                with self._address.connect(prepare_threshold=None) as connection:
                    self._begin(connection)
                    for _ in range(self._chance.randrange(3, 30)):
                        if not self._is_over.is_set():
                            self._try(connection)
            except psycopg.Error:
                time.sleep(0.02)

    @abstractmethod
    def _begin(self, connection: Connection) -> None:
        """Set what the session is to have."""

    @abstractmethod
    def _say(self, connection: Connection) -> None:
        """Say one thing."""

    def _try(self, connection: Connection) -> None:
        try:
            self._say(connection)
        except psycopg.Error as e:
            if connection.closed:
                raise
            if (e.sqlstate or "").startswith("XX"):
                self.unexpected.append(str(e))


class Writer(Person):
    """Remembers what it has tried to write, and what was acknowledged."""

    def __init__(
        self,
        address: Address,
        chance: random.Random,
        is_over: threading.Event,
        numbers: Iterator[int],
    ) -> None:
        super().__init__(address, chance, is_over)
        self._numbers = numbers
        self.tried: set[int] = set()
        self.acknowledged: set[int] = set()
        self.paired: set[int] = set()

    def _begin(self, connection: Connection) -> None:
        limit, flush = self._chance.choice((300, 1000, 5000)), self._chance.choice(("on", "off"))
        manner = self._chance.choice(("wait", "queue", "queue", "error"))
        for setting in (
            f"statement_timeout = {limit}",
            f"implicit_flush = {flush}",
            f"paused_dml = {manner}",
        ):
            connection.execute(f"SET {setting}".encode())

    def _say(self, connection: Connection) -> None:
        ids = [next(self._numbers) for _ in range(self._chance.choice((1, 1, 2, 5)))]
        rows = ", ".join(f"({number})" for number in ids)
        self.tried.update(ids)
        match self._chance.choice(("insert", "insert", "block", "copy")):
            case "insert":
                connection.execute(f"INSERT INTO kept (id) VALUES {rows}".encode())
            case "block":
                with connection.transaction():
                    connection.execute(f"INSERT INTO kept (id) VALUES {rows}".encode())
                    connection.execute(f"INSERT INTO pair VALUES {rows}".encode())
                self.paired.update(ids)
            case _:
                with connection.cursor().copy("COPY kept (id) FROM STDIN") as copy:
                    for number in ids:
                        copy.write_row((number,))
        self.acknowledged.update(ids)


class Operator(Person):
    """Does whatever an operator may do."""

    def _begin(self, connection: Connection) -> None:
        connection.execute("SET statement_timeout = '1500ms'")

    def _say(self, connection: Connection) -> None:
        operation, top = self._chance.choice(OPERATIONS), 0
        if "{top}" in operation:
            ((top,),) = connection.execute("SELECT coalesce(max(id), 0) FROM kept").fetchall()
        said = operation.format(
            n=self._chance.randrange(1, 8),
            few=self._chance.randrange(3),
            fewer=self._chance.randrange(3),
            top=top,
        )
        connection.execute(said.encode())
        time.sleep(self._chance.uniform(0, 0.03))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(0, 12))
def test_nothing_acknowledged_is_lost_or_doubled_in_a_storm(
    launch: Launch, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE kept (id bigint, note text)")
        connection.execute("CREATE TABLE pair (id bigint)")
        connection.execute("CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n FROM kept")
    numbers, writers = itertools.count(1), list[Writer]()
    for turn in range(ROUNDS):
        is_over = threading.Event()

        def own_chance(name: str, number: int, part: str = f"{seed} {turn}") -> random.Random:
            return random.Random(f"{part} {name} {number}")

        now = [
            Writer(server.address, own_chance("writer", n), is_over, numbers)
            for n in range(WRITERS)
        ]
        others = [
            Operator(server.address, own_chance("operator", n), is_over) for n in range(OPERATORS)
        ]
        writers += now
        people: list[Person] = [*now, *others]
        working = [Background(person.work) for person in people]
        time.sleep(chance.uniform(1, 5))
        if chance.random() < 0.7:
            server.kill()
        is_over.set()
        if server.is_running:
            with server.address.connect() as connection:
                connection.execute("ALTER SYSTEM RESUME")
                connection.execute("ALTER DATABASE dev RESUME")
        for background in working:
            background.result(PATIENCE_SECONDS)
        if not server.is_running:
            server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            calm_down(connection)
            check(connection, writers)
        assert [said for person in people for said in person.unexpected] == []


def calm_down(connection: Connection) -> None:
    """Let everything flow, and wait until it has."""
    connection.execute("SET statement_timeout = '60s'")
    connection.execute("ALTER SYSTEM RESUME")
    connection.execute("ALTER DATABASE dev RESUME")
    for view in views(connection):
        connection.execute(f"ALTER MATERIALIZED VIEW {view} RESUME".encode())
    for statement in ("WAIT", "FLUSH", "RECOVER"):
        connection.execute(statement.encode())
    end = time.monotonic() + PATIENCE_SECONDS
    while left := connection.execute("SELECT * FROM rw_catalog.rw_catch_up").fetchall():
        assert time.monotonic() < end, left
        time.sleep(0.1)


def views(connection: Connection) -> list[str]:
    found = connection.execute("SELECT name FROM rw_catalog.rw_materialized_views").fetchall()
    return [name for (name,) in found]


def check(connection: Connection, writers: list[Writer]) -> None:
    assert_equal_to_their_queries(connection)
    for name in ("v0", "v1", "v2"):
        connection.execute(f"DROP MATERIALIZED VIEW IF EXISTS {name} CASCADE".encode())
    connection.execute("ALTER TABLE IF EXISTS renamed RENAME TO kept")
    for constraint in ("c0", "c1", "c2", "u"):
        statement = f"ALTER TABLE kept DROP CONSTRAINT IF EXISTS {constraint}"
        connection.execute(statement.encode())
    connection.execute("ALTER TABLE kept ALTER COLUMN note TYPE text")
    connection.execute("ALTER DATABASE dev RETRY QUEUED WRITES")
    assert connection.execute("SELECT * FROM rw_catalog.rw_failed_writes").fetchall() == []
    stored = [number for (number,) in connection.execute("SELECT id FROM kept").fetchall()]
    paired = {number for (number,) in connection.execute("SELECT id FROM pair").fetchall()}
    assert len(stored) == len(set(stored)), "a row was stored twice"
    acknowledged = set[int]().union(*(writer.acknowledged for writer in writers))
    tried = set[int]().union(*(writer.tried for writer in writers))
    assert acknowledged <= set(stored) <= tried
    assert set[int]().union(*(writer.paired for writer in writers)) <= paired <= set(stored)
    assert_equal_to_their_queries(connection)


def assert_equal_to_their_queries(connection: Connection) -> None:
    for view in views(connection):
        differing = connection.execute(f"CHECK MATERIALIZED VIEW {view}".encode()).fetchall()
        assert differing == [], view
