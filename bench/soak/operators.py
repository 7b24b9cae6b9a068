"""Clients that read, create, pause and take backups."""

from __future__ import annotations

import time

from bench.soak.client import Client, Soak
from bench.soak.contents import PASSING, STANDING
from tests.support.server import Connection


class Reader(Client):
    """Looks at what belongs together, in one snapshot."""

    def act(self, connection: Connection) -> None:
        with connection.transaction():
            held = connection.execute(
                "SELECT bool_or(is_paused) FROM rw_catalog.rw_materialized_views"
            ).fetchone()
            rows = connection.execute("SELECT count(*), coalesce(sum(amount), 0) FROM entry")
            total = connection.execute("SELECT coalesce(n, 0), coalesce(s, 0) FROM total")
            expected, found = rows.fetchone(), total.fetchone()
            catching_up = connection.execute(
                "SELECT count(*) FROM rw_catalog.rw_catch_up WHERE state LIKE 'catching%'"
            ).fetchone()
        if held == (False,) and catching_up == (0,) and expected != found:
            again = connection.execute("CHECK MATERIALIZED VIEW total").fetchall()
            if again:
                self.soak.problem(f"a snapshot has {expected} rows, its view {found}: {again}")
        self.soak.note("snapshots read")
        time.sleep(0.1)


class Creator(Client):
    """Creates views in every way and drops them again."""

    def act(self, connection: Connection) -> None:
        name = f"passing_{self.name.split()[1]}"
        in_background = self.chance.random() < 0.5
        limit = self.chance.choice([-1, -1, 50_000, 300_000])
        connection.execute(f"SET background_ddl = {in_background}".encode())
        connection.execute(f"SET backfill_rate_limit = {limit}".encode())
        connection.execute(
            f"SET paused_ddl = {self.chance.choice(['reject', 'start_paused'])}".encode()
        )
        option = " WITH (refresh.interval.sec = 1)" if self.chance.random() < 0.2 else ""
        query = self.chance.choice(PASSING)
        connection.execute(f"SET statement_timeout = {self.chance.choice([500, 60_000])}".encode())
        try:
            connection.execute(f"CREATE MATERIALIZED VIEW {name}{option} AS {query}".encode())
            self.soak.note("views created")
            self._use(connection, name)
        finally:
            if not connection.closed:
                connection.execute("SET statement_timeout = '120s'")
                connection.execute(f"DROP MATERIALIZED VIEW IF EXISTS {name} CASCADE".encode())

    def _use(self, connection: Connection, name: str) -> None:
        match self.chance.randrange(5):
            case 0:
                jobs = connection.execute("SHOW JOBS").fetchall()
                for job in jobs:
                    connection.execute(f"CANCEL JOBS {job[0]}".encode())
                    self.soak.note("jobs cancelled")
            case 1:
                connection.execute(f"ALTER MATERIALIZED VIEW {name} PAUSE".encode())
                time.sleep(self.chance.uniform(0, 0.5))
                connection.execute(f"ALTER MATERIALIZED VIEW {name} RESUME".encode())
            case _:
                connection.execute("SET statement_timeout = '10s'")
                connection.execute("WAIT")
                found = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
                self.soak.note("views checked")
                if found:
                    self.soak.problem(f"{name} differs from its query: {found[:3]}")


class Operator(Client):
    """Pauses what there is to pause, and lets it go on."""

    def act(self, connection: Connection) -> None:
        time.sleep(self.chance.uniform(0.5, 4))
        rest = self.chance.uniform(0.1, 2)
        match self.chance.randrange(6):
            case 0:
                self._between(connection, "ALTER SYSTEM PAUSE", rest, "ALTER SYSTEM RESUME")
            case 1:
                pause = "ALTER DATABASE dev PAUSE"
                self._between(connection, pause, rest, "ALTER DATABASE dev RESUME")
            case 2:
                name = self.chance.choice(list(STANDING))
                alter = f"ALTER MATERIALIZED VIEW {name}"
                self._between(connection, f"{alter} PAUSE", rest, f"{alter} RESUME")
            case 3:
                connection.execute("ALTER DATABASE dev PAUSE FOR INTERVAL '1 second'")
                time.sleep(1.2)
            case 4:
                connection.execute("ALTER DATABASE dev PAUSE")
                connection.execute("ALTER DATABASE dev STEP 3")
                connection.execute("ALTER DATABASE dev RESUME")
            case _:
                connection.execute("RECOVER")
        self.soak.note("pauses")

    def _between(self, connection: Connection, begin: str, rest: float, end: str) -> None:
        connection.execute(begin.encode())
        time.sleep(rest)
        connection.execute(end.encode())


class Keeper(Client):
    """Takes backups.

    Attributes:
        taken: Those that were acknowledged: the name, and how many rows the table that only grows
            had before and after.
    """

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.taken: list[tuple[str, int, int]] = []

    def act(self, connection: Connection) -> None:
        time.sleep(self.chance.uniform(20, 60))
        name, before = f"backup-{time.monotonic_ns()}", self._grown(connection)
        connection.execute(f"BACKUP TO '{name}'".encode())
        self.taken.append((name, before, self._grown(connection)))
        self.soak.note("backups")

    @staticmethod
    def _grown(connection: Connection) -> int:
        row = connection.execute("SELECT count(*) FROM queued").fetchone()
        assert row is not None
        return int(row[0])
