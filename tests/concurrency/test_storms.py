"""Sessions that pause, resume, step, create, drop, cancel and vanish, all at once, and nobody hangs."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from typing import Final

import psycopg
import pytest

from tests.support.background import Background
from tests.support.seeds import seeds
from tests.support.server import Address, Connection, hang_up, running_server

SESSIONS: Final = 8
SECONDS: Final = 4.0
#: Nothing here takes longer once everything flows.
PATIENCE_SECONDS: Final = 60

STATEMENTS: Final = (
    *["INSERT INTO t SELECT g, {n} FROM generate_series({n}, {n} + 20) AS g"] * 4,
    "UPDATE t SET v = v + 1 WHERE k % 10 = {n} % 10",
    "DELETE FROM t WHERE k % 50 = {n} % 50",
    "COPY t TO STDOUT",
    "ALTER SYSTEM PAUSE",
    "ALTER SYSTEM PAUSE FOR INTERVAL '100 milliseconds'",
    *["ALTER SYSTEM RESUME"] * 3,
    "ALTER DATABASE dev PAUSE",
    "ALTER DATABASE dev PAUSE FOR INTERVAL '50 milliseconds'",
    *["ALTER DATABASE dev RESUME"] * 3,
    "ALTER DATABASE dev STEP {n}",
    "ALTER MATERIALIZED VIEW total PAUSE",
    *["ALTER MATERIALIZED VIEW total RESUME"] * 2,
    "ALTER MATERIALIZED VIEW v{few} PAUSE",
    "ALTER MATERIALIZED VIEW v{few} RESUME",
    *["CREATE MATERIALIZED VIEW v{few} AS SELECT v, count(*) AS n FROM big GROUP BY v"] * 3,
    "CREATE MATERIALIZED VIEW v{few} AS SELECT b.k, t.v FROM big AS b JOIN t ON t.k = b.k",
    "CREATE MATERIALIZED VIEW v{few} WITH (refresh.interval.sec = 1) AS SELECT sum(v) AS s FROM t",
    "CREATE MATERIALIZED VIEW v{few} AS SELECT * FROM v{fewer}",
    *["DROP MATERIALIZED VIEW IF EXISTS v{few} CASCADE"] * 4,
    "CANCEL JOBS {job}",
    "CANCEL JOBS {job}, {n}",
    "ALTER MATERIALIZED VIEW v{few} SET BACKFILL_RATE_LIMIT = {n}000",
    "CREATE TABLE IF NOT EXISTS u (a int)",
    "INSERT INTO u VALUES ({n})",
    "ALTER TABLE u ADD COLUMN IF NOT EXISTS b int",
    "DROP TABLE IF EXISTS u CASCADE",
    "WAIT",
    "FLUSH",
    "RECOVER",
    "SELECT * FROM total",
    "SHOW JOBS",
    "SET background_ddl = {on}",
    "SET paused_dml = '{manner}'",
    "SET paused_ddl = '{ddl}'",
    "SET implicit_flush = {on}",
    "SET backfill_rate_limit = {rate}",
    "SET streaming_use_snapshot_backfill = {on}",
)


def statement(chance: random.Random, jobs: list[str]) -> str:
    return chance.choice(STATEMENTS).format(
        n=chance.randrange(1, 200),
        few=chance.randrange(4),
        fewer=chance.randrange(4),
        on=chance.choice(("on", "off")),
        manner=chance.choice(("wait", "error", "queue")),
        ddl=chance.choice(("reject", "start_paused")),
        rate=chance.choice((-1, 0, 1000, 100_000)),
        job=chance.choice(jobs or ["1"]),
    )


class Stormer:
    """A session that says anything, is cancelled, or vanishes in the middle."""

    def __init__(self, address: Address, seed: str, is_over: threading.Event) -> None:
        self._address = address
        self._chance = random.Random(seed)
        self._is_over = is_over
        self._connection: Connection | None = None
        #: Held while the socket is closed, or shut from another thread: it shall be no other one.
        self._closing = threading.Lock()
        self.unexpected: list[str] = []

    def rage(self) -> None:
        while not self._is_over.is_set():
            try:
                self._connection = self._address.connect(prepare_threshold=None)
                for _ in range(self._chance.randrange(5, 40)):
                    self._say(self._connection)
            except psycopg.OperationalError:
                continue  # It was made to vanish.
            finally:
                with self._closing:
                    if self._connection is not None:
                        self._connection.close()

    def _say(self, connection: Connection) -> None:
        limit, said = self._chance.choice((100, 500, 2000)), ""
        try:
            connection.execute(f"SET statement_timeout = {limit}".encode())
            jobs = [str(job[0]) for job in connection.execute("SHOW JOBS").fetchall()]
            said = statement(self._chance, jobs)
            if said.startswith("COPY"):
                with connection.cursor().copy(said.encode()) as copy:
                    list(copy)
            else:
                connection.execute(said.encode())
        except (psycopg.InternalError, psycopg.errors.InternalError_) as e:
            if e.sqlstate is None and connection.closed:  # The driver's: its socket was shut.
                raise psycopg.OperationalError from e
            self.unexpected.append(f"{said}: {e}")
        except psycopg.OperationalError:
            if connection.closed:
                raise
        except psycopg.Error:
            pass  # What is refused here is refused for good reasons.

    def disturb(self, chance: random.Random) -> None:
        """From another thread: cancel what it says, or have it vanish."""
        vanishes = chance.random() >= 0.6
        with self._closing, suppress(psycopg.Error, OSError):
            connection = self._connection
            if connection is None or connection.closed:
                return
            if not vanishes:
                connection.cancel()
                return
            hang_up(connection)


@pytest.mark.parametrize("seed", seeds(1, 12))
def test_nobody_hangs_and_nothing_is_wrong_after_a_storm(seed: int) -> None:
    with running_server() as server:
        address = server.address
        with address.connect() as connection:
            prepare(connection)
        is_over = threading.Event()
        stormers = [Stormer(address, f"{seed} {n}", is_over) for n in range(SESSIONS)]
        raging = [Background(stormer.rage) for stormer in stormers]
        chance = random.Random(seed)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            time.sleep(chance.uniform(0, 0.1))
            chance.choice(stormers).disturb(chance)
        is_over.set()
        with address.connect() as connection:
            connection.execute("SET statement_timeout = '60s'")
            calm_down(connection)
            for background in raging:
                background.result(PATIENCE_SECONDS)
            calm_down(connection)
            check(connection)
        assert [said for stormer in stormers for said in stormer.unexpected] == []


def prepare(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
    connection.execute("CREATE TABLE big (k int PRIMARY KEY, v int)")
    connection.execute("INSERT INTO big SELECT i, i % 10 FROM generate_series(1, 120000) AS i")
    connection.execute("CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, sum(v) AS s FROM t")
    connection.execute("CREATE MATERIALIZED VIEW twice AS SELECT n * 2 AS n FROM total")


def calm_down(connection: Connection) -> None:
    connection.execute("ALTER SYSTEM RESUME")
    connection.execute("ALTER DATABASE dev RESUME")
    names = connection.execute("SELECT name FROM rw_catalog.rw_materialized_views").fetchall()
    for (name,) in names:
        try:
            connection.execute(f"ALTER MATERIALIZED VIEW {name} RESUME".encode())
        except psycopg.errors.UndefinedTable:
            continue  # Somebody was faster.
    for job in connection.execute("SHOW JOBS").fetchall():
        connection.execute(f"CANCEL JOBS {job[0]}".encode())


def check(connection: Connection) -> None:
    connection.execute("WAIT")
    connection.execute("FLUSH")
    connection.execute("RECOVER")
    end = time.monotonic() + PATIENCE_SECONDS
    behind = "SELECT * FROM rw_catalog.rw_catch_up"
    while (left := connection.execute(behind).fetchall()) and time.monotonic() < end:
        time.sleep(0.1)
    assert left == []
    assert connection.execute("SHOW JOBS").fetchall() == []
    assert connection.execute("SELECT * FROM rw_catalog.rw_pauses").fetchall() == []
    names = connection.execute("SELECT name FROM rw_catalog.rw_materialized_views").fetchall()
    for (name,) in names:
        differences = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
        assert differences == [], name
    connection.execute("INSERT INTO t VALUES (-1, 1)")
    counts = "SELECT (SELECT count(*) FROM t) * 2 = (SELECT n FROM twice)"
    assert connection.execute(counts).fetchone() == (True,)
