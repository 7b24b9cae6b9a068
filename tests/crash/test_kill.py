"""Kill -9 in the middle of writes: what was acknowledged is there, and every view equals its query."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.server import Address, Connection

ROUNDS: Final = 20
WRITERS: Final = 4
SEED: Final = 20130101

VIEWS: Final = {
    "per_writer": "SELECT writer, count(*) AS n, sum(amount) AS s, max(number) AS last FROM entry GROUP BY writer",
    "totals": "SELECT count(*) AS n, coalesce(sum(n), 0)::bigint AS rows FROM per_writer",
    "joined": "SELECT e.writer, e.number, w.name FROM entry e JOIN writer w ON w.id = e.writer WHERE e.amount > 50",
    "distinct_amounts": "SELECT DISTINCT amount FROM entry",
}


@dataclass
class Writer:
    """One client; each of its statements is remembered once the server has acknowledged it."""

    number: int
    seed: int
    acknowledged: dict[int, int] = field(default_factory=dict)  #: number -> amount
    unsure: dict[int, int] = field(default_factory=dict)  #: sent, and the answer never came
    doubtful: set[int] = field(default_factory=set)  #: deleted or changed without an answer

    def write(self, address: Address) -> None:
        """Write until the connection breaks."""
        chance = random.Random(self.seed)
        at = max([*self.acknowledged, *self.unsure, 0]) + 1
        try:
            with address.connect() as connection:
                while True:
                    rows = {
                        at + i: chance.randrange(100) for i in range(chance.choice([1, 1, 5, 50]))
                    }
                    at += len(rows)
                    self._insert(connection, rows, in_block=chance.random() < 0.3)
                    if chance.random() < 0.2 and self.acknowledged:
                        self._change(connection, chance)
        except psycopg.Error:
            return

    def _insert(self, connection: Connection, rows: dict[int, int], *, in_block: bool) -> None:
        values = ", ".join(
            f"({self.number}, {number}, {amount})" for number, amount in rows.items()
        )
        self.unsure |= rows
        if in_block:
            with connection.transaction():
                connection.execute(f"INSERT INTO entry VALUES {values}".encode())
        else:
            connection.execute(f"INSERT INTO entry VALUES {values}".encode())
        self.acknowledged |= rows
        self.unsure.clear()

    def _change(self, connection: Connection, chance: random.Random) -> None:
        number = chance.choice(sorted(self.acknowledged))
        mine = f"WHERE writer = {self.number} AND number = {number}"
        self.doubtful.add(number)
        if chance.random() < 0.5:
            connection.execute(f"DELETE FROM entry {mine}".encode())
            del self.acknowledged[number]
        else:
            connection.execute(f"UPDATE entry SET amount = 77 {mine}".encode())
            self.acknowledged[number] = 77
        self.doubtful.discard(number)

    def check(self, stored: dict[int, int]) -> None:
        """Compare with what the server has after a restart, and take that as the new start.

        Of what was not answered, each statement may have happened whole or not at all.
        """
        for number in self.doubtful:
            self.acknowledged.pop(number, None)
            if number in stored:
                self.acknowledged[number] = stored[number]
        came_through = self.unsure.items() & stored.items()
        assert came_through in (set(), self.unsure.items()), "half of a statement was applied"
        if came_through:
            self.acknowledged |= self.unsure
        assert stored == self.acknowledged
        self.unsure.clear()
        self.doubtful.clear()


def rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql.encode()).fetchall()


def assert_views_equal_their_queries(connection: Connection) -> None:
    for name, query in VIEWS.items():
        assert sorted(rows(connection, f"SELECT * FROM {name}")) == sorted(
            rows(connection, query)
        ), name


def prepare(address: Address) -> None:
    with address.connect() as connection:
        connection.execute(
            "CREATE TABLE entry (writer int, number int, amount int, PRIMARY KEY (writer, number))"
        )
        connection.execute("CREATE TABLE writer (id int PRIMARY KEY, name text)")
        connection.execute("INSERT INTO writer VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd')")
        for name, query in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())


def test_no_acknowledged_row_is_lost(launch: Launch, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    writers = [Writer(number, SEED + number) for number in range(WRITERS)]
    server = launch(tmp_path / "data")
    prepare(server.address)
    for round_number in range(ROUNDS):
        threads = [threading.Thread(target=w.write, args=(server.address,)) for w in writers]
        for thread in threads:
            thread.start()
        time.sleep(chance.uniform(0.02, 0.8))
        server.kill()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive(), f"a client hangs after kill -9 in round {round_number}"
        server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            for writer in writers:
                writer.check(
                    {
                        n: a
                        for w, n, a in rows(connection, "SELECT * FROM entry")
                        if w == writer.number
                    }
                )
                writer.seed += 1000
            assert_views_equal_their_queries(connection)
    assert sum(len(w.acknowledged) for w in writers) > ROUNDS, "hardly anything was written"
    assert server.stop() == 0


@pytest.mark.parametrize("statement", ["ALTER SYSTEM", "ALTER DATABASE dev"])
def test_a_pause_outlives_kill_and_restart(statement: str, launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    prepare(server.address)
    with server.address.connect() as connection:
        connection.execute("INSERT INTO entry VALUES (0, 1, 60)")
        connection.execute(f"{statement} PAUSE".encode())
        server.kill()
    for _ in range(2):
        server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            assert rows(
                connection, "SELECT is_paused FROM rw_catalog.rw_databases WHERE name = 'dev'"
            ) == [(True,)]
            connection.execute("SET paused_dml = 'error'")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                connection.execute("INSERT INTO entry VALUES (0, 2, 60)")
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as refused:
                connection.execute("CREATE MATERIALIZED VIEW v AS SELECT * FROM entry")
            assert "root" in (refused.value.diag.message_detail or "")
        assert server.stop() == 0
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute(f"{statement} RESUME".encode())
        connection.execute("INSERT INTO entry VALUES (0, 2, 60)")
        assert_views_equal_their_queries(connection)
        assert len(rows(connection, "SELECT * FROM joined")) == 2
    server.kill()


def test_an_insert_that_waits_when_the_server_dies_is_not_applied(
    launch: Launch, tmp_path: Path
) -> None:
    server = launch(tmp_path / "data")
    prepare(server.address)
    operator, writer = server.address.connect(), server.address.connect()
    operator.execute("ALTER SYSTEM PAUSE")
    waiting = Background(lambda: writer.execute("INSERT INTO entry VALUES (0, 1, 60)"))
    waiting.assert_waits()
    server.kill()
    with pytest.raises(psycopg.OperationalError):
        waiting.result()
    operator.close()
    writer.close()
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("ALTER SYSTEM RESUME")
        assert rows(connection, "SELECT * FROM entry") == []
    assert server.stop() == 0
