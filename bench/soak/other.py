"""Another database, with pauses of its own, that follows a table of the first."""

from __future__ import annotations

import time
from typing import Final

from bench.soak.client import Client, Soak, until
from tests.support.server import Connection

OTHER: Final = "other"

PREPARATION: Final = (
    (
        "CREATE TABLE arrived (v bigint) WITH (connector = 'datagen', fields.v.kind = 'sequence', "
        "fields.v.start = '1', fields.v.end = '100000000', datagen.rows.per.second = '200')"
    ),
    (
        "CREATE MATERIALIZED VIEW arrivals AS "
        "SELECT count(*) AS n, coalesce(sum(v), 0) AS s, coalesce(max(v), 0) AS m FROM arrived"
    ),
    "CREATE MATERIALIZED VIEW copied AS SELECT * FROM dev.public.entry",
)


class Neighbour(Client):
    """Pauses the other database and looks whether anything moves in it."""

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.seen = 0

    def act(self, connection: Connection) -> None:
        with self.soak.address.of_database(OTHER).connect(prepare_threshold=None) as there:
            there.execute("SET statement_timeout = '120s'")
            connection.execute(f"ALTER DATABASE {OTHER} PAUSE".encode())
            try:
                before = self._state(there)
                time.sleep(self.chance.uniform(0.2, 2))
                self._expect_still(there, before)
                if self.chance.random() < 0.5:
                    connection.execute(f"ALTER DATABASE {OTHER} STEP 2".encode())
                    self.soak.note("steps of the other database")
            finally:
                if not connection.closed:
                    connection.execute(f"ALTER DATABASE {OTHER} RESUME".encode())
        self.soak.note("pauses of the other database")
        time.sleep(self.chance.uniform(0.2, 3))

    def check(self, connection: Connection) -> None:
        connection.execute(f"ALTER DATABASE {OTHER} RESUME".encode())
        with self.soak.address.of_database(OTHER).connect() as there:
            there.execute("SET statement_timeout = '120s'")
            self._state(there)
            ((n, total),) = connection.execute(
                "SELECT count(*), coalesce(sum(number), 0) FROM entry"
            ).fetchall()
            copied = "SELECT count(*) = {} AND coalesce(sum(number), 0) = {} FROM copied"
            until(self.soak, there, copied.format(n, total))
            here = set(connection.execute("SELECT * FROM entry").fetchall())
            if set(there.execute("SELECT * FROM copied").fetchall()) != here:
                self.soak.problem(f"{self.name}: the copy in another database differs")

    def _state(self, there: Connection) -> tuple[int, int]:
        """How much there is of what arrives and of what is copied."""
        ((n, total, last, copied),) = there.execute(
            "SELECT n, s, m, (SELECT count(*) FROM copied) FROM arrivals"
        ).fetchall()
        if last != n or total != n * (n + 1) // 2:
            self.soak.problem(f"{self.name}: {n} numbers up to {last} with the sum {total}")
        if n < self.seen:
            self.soak.problem(f"{self.name}: {n} numbers where {self.seen} had been")
        self.soak.counts["ticks of the other database"] = self.seen = n
        return n, copied

    def _expect_still(self, there: Connection, before: tuple[int, int]) -> None:
        if (after := self._state(there)) != before:
            self.soak.problem(f"{self.name}: a paused database went from {before} to {after}")
