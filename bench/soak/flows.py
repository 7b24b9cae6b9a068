"""Rows that flow in by themselves, changes that are followed, time that closes windows."""

from __future__ import annotations

import time
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from bench.soak.client import Client, Soak
from tests.support.server import Connection

SIGNS: Final = {"Insert": 1, "UpdateInsert": 1, "Delete": -1, "UpdateDelete": -1}

#: What ``altered`` is in turn; each has the same columns.
ALTERED: Final = (
    "SELECT writer, count(*) AS n FROM entry GROUP BY writer",
    "SELECT writer, sum(amount) AS n FROM entry WHERE amount < 50 GROUP BY writer",
    (
        "SELECT e.writer, count(w.name) AS n FROM entry AS e "
        "LEFT JOIN writer AS w ON w.id = e.writer GROUP BY e.writer"
    ),
)

#: So that a column without a scale of its own holds every value, and ten thousand of them summed.
MOST_SCALE: Final = 16
MOST_INTEGER_DIGITS: Final = 18

PREPARATION: Final = (
    (
        "CREATE SOURCE tick (v bigint) WITH (connector = 'datagen', fields.v.kind = 'sequence', "
        "fields.v.start = '1', fields.v.end = '100000000', datagen.rows.per.second = '200')"
    ),
    "CREATE TABLE sunk (v bigint PRIMARY KEY)",
    "CREATE SINK into_sunk INTO sunk AS SELECT v FROM tick",
    "CREATE MATERIALIZED VIEW ticked AS SELECT count(*) AS n, sum(v) AS s, max(v) AS m FROM sunk",
    "CREATE SUBSCRIPTION entry_changes FROM entry WITH (retention = '1D')",
    f"CREATE MATERIALIZED VIEW altered AS {ALTERED[0]}",
    "CREATE TABLE payment (k int PRIMARY KEY, v numeric)",
    (
        "CREATE MATERIALIZED VIEW paid AS "
        "SELECT k % 7 AS g, count(*) AS n, sum(v) AS s FROM payment GROUP BY k % 7"
    ),
    (
        "CREATE TABLE event (at timestamp, n int, "
        "WATERMARK FOR at AS at - INTERVAL '5 seconds') APPEND ONLY"
    ),
    (
        "CREATE MATERIALIZED VIEW closed AS SELECT window_start, count(*) AS n, sum(n) AS s "
        "FROM TUMBLE(event, at, INTERVAL '10 seconds') GROUP BY window_start EMIT ON WINDOW CLOSE"
    ),
)


class TickReader(Client):
    """Sees a sequence that a sink brings into a table: without a gap, nothing twice, never less."""

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.seen = 0

    def act(self, connection: Connection) -> None:
        self._look(connection, "ticked")
        time.sleep(0.5)

    def check(self, connection: Connection) -> None:
        self._look(
            connection, "(SELECT count(DISTINCT v) AS n, sum(v) AS s, max(v) AS m FROM sunk)"
        )
        self._look(connection, "ticked")

    def _look(self, connection: Connection, place: str) -> None:
        sql = f"SELECT n, coalesce(s, 0), coalesce(m, 0) FROM {place} AS t"
        ((n, total, last),) = connection.execute(sql.encode()).fetchall()
        if last != n or total != n * (n + 1) // 2:
            self.soak.problem(f"{self.name}: {n} numbers up to {last} with the sum {total}")
        if n < self.seen:
            self.soak.problem(f"{self.name}: {n} numbers where {self.seen} had been")
        self.soak.counts["ticks"] = self.seen = n


class Follower(Client):
    """Replays the changes of a table, over as many servers as it takes."""

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.rows: Counter[tuple[Any, ...]] = Counter()
        self.seen_ms: int | None = None

    def prepare(self, connection: Connection) -> None:
        super().prepare(connection)
        if self.seen_ms is None:
            connection.execute("DECLARE c SUBSCRIPTION CURSOR FOR entry_changes FULL")
        else:
            since = f"DECLARE c SUBSCRIPTION CURSOR FOR entry_changes SINCE {self.seen_ms}"
            connection.execute(since.encode())

    def act(self, connection: Connection) -> None:
        self.fetch(connection)
        time.sleep(self.chance.uniform(0, 0.3))

    def fetch(self, connection: Connection) -> int:
        """Apply what there is, an epoch at once: no row may be there twice, or less than never."""
        given = connection.execute("FETCH ALL FROM c").fetchall()
        seen, touched = self.seen_ms or 0, set()
        for *row, op, at_ms in given:
            if at_ms is None or at_ms > (self.seen_ms or 0):
                self.rows[tuple(row)] += SIGNS[op]
                touched.add(tuple(row))
            if at_ms is not None and at_ms < seen:
                self.soak.problem(f"{self.name}: a change of {at_ms} came after one of {seen}")
            seen = max(seen, at_ms or 0)
        self.seen_ms = seen
        wrong = [(row, self.rows[row]) for row in touched if self.rows[row] not in {0, 1}]
        if wrong:
            self.soak.problem(f"{self.name}: rows that are there so often: {wrong[:5]}")
        self.soak.counts["changes followed"] += len(given)
        return len(given)

    def check(self, connection: Connection) -> None:
        self.prepare(connection)
        while self.fetch(connection):
            pass
        connection.execute("CLOSE c")
        followed = {row for row, count in self.rows.items() if count}
        self.rows = Counter(followed)
        stored = set(connection.execute("SELECT * FROM entry").fetchall())
        if followed != stored:
            missed, extra = sorted(stored - followed)[:5], sorted(followed - stored)[:5]
            self.soak.problem(f"{self.name}: missed {missed}, has too much {extra}")
            self.rows = Counter(stored)


class Alterer(Client):
    """Gives a view other queries, and remembers which it was given last."""

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.acknowledged = self.tried = ALTERED[0]

    def act(self, connection: Connection) -> None:
        self.tried = self.chance.choice(ALTERED)
        connection.execute(f"ALTER MATERIALIZED VIEW altered AS {self.tried}".encode())
        self.acknowledged = self.tried
        self.soak.note("queries altered")
        time.sleep(self.chance.uniform(0.5, 3))

    def check(self, connection: Connection) -> None:
        """The view is what its query gives: the last, or the one that was not answered."""
        found = Counter(connection.execute("SELECT writer, n FROM altered").fetchall())
        queries = (self.acknowledged, self.tried)
        wanted = [Counter(connection.execute(query.encode()).fetchall()) for query in queries]
        if found not in wanted:
            self.soak.problem(f"{self.name}: {found} is none of {wanted}")
        self.acknowledged = queries[wanted.index(found)] if found in wanted else self.tried


class Payer(Client):
    """Writes exact numbers of every length, and remembers them as exactly."""

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.acknowledged: dict[int, Decimal] = {}
        self.unsure: tuple[int, Decimal] | None = None

    def act(self, connection: Connection) -> None:
        k = self.chance.randrange(len(self.acknowledged) + 2)
        scale = self.chance.randrange(MOST_SCALE + 1)
        digits = self.chance.randrange(1, 10 ** self.chance.randint(1, MOST_INTEGER_DIGITS + scale))
        value = Decimal(f"{self.chance.choice('+-')}{digits}E-{scale}")
        self.unsure = (k, value)
        if k in self.acknowledged:
            connection.execute(f"UPDATE payment SET v = {value:f} WHERE k = {k}".encode())
        else:
            connection.execute(f"INSERT INTO payment VALUES ({k}, {value:f})".encode())
        self.acknowledged[k], self.unsure = value, None
        self.soak.note("exact numbers written")
        time.sleep(self.chance.uniform(0, 0.1))

    def check(self, connection: Connection) -> None:
        rows = connection.execute("SELECT k, v FROM payment").fetchall()
        stored: dict[int, Decimal] = dict(rows)
        if self.unsure is not None and str(stored.get(self.unsure[0])) == str(self.unsure[1]):
            self.acknowledged[self.unsure[0]] = self.unsure[1]
        self.unsure = None
        differing = [
            (k, self.acknowledged.get(k), stored.get(k))
            for k in self.acknowledged.keys() | stored.keys()
            # As texts: a value keeps its zeros at the end.
            if str(self.acknowledged.get(k)) != str(stored.get(k))
        ]
        if differing:
            self.soak.problem(f"{self.name}: written and found: {differing[:5]}")
            self.acknowledged = stored
        sums: dict[int, Fraction] = {}
        for k, value in stored.items():
            sums[k % 7] = sums.get(k % 7, Fraction()) + Fraction(value)
        paid = connection.execute("SELECT g, s FROM paid").fetchall()
        if {g: Fraction(s) for g, s in paid} != sums:
            self.soak.problem(f"{self.name}: the sums are {paid}, not {sums}")


class Reporter(Client):
    """Tells what happened when, a little out of order but never late."""

    def __init__(self, soak: Soak, name: str) -> None:
        super().__init__(soak, name)
        self.tried = 0
        self.acknowledged: set[int] = set()
        self.shown: set[tuple[Any, ...]] = set()

    def act(self, connection: Connection) -> None:
        self.tried += 1
        number = self.tried
        at = f"TIMESTAMP '2026-01-01' + INTERVAL '{number * 500 - self.chance.randrange(4000)} ms'"
        connection.execute(f"INSERT INTO event VALUES ({at}, {number})".encode())
        self.acknowledged.add(number)
        self.soak.note("events told")
        time.sleep(self.chance.uniform(0, 0.2))

    def check(self, connection: Connection) -> None:
        stored = [n for (n,) in connection.execute("SELECT n FROM event").fetchall()]
        if len(stored) != len(set(stored)) or not self.acknowledged <= set(stored):
            self.soak.problem(f"{self.name}: lost {sorted(self.acknowledged - set(stored))[:5]}")
        shown = set(connection.execute("SELECT * FROM closed").fetchall())
        wanted = set(
            connection.execute(
                "SELECT window_start, count(*), sum(n) "
                "FROM TUMBLE(event, at, INTERVAL '10 seconds') GROUP BY window_start, window_end "
                "HAVING window_end <= (SELECT max(at) - INTERVAL '5 seconds' FROM event)"
            ).fetchall()
        )
        if shown != wanted or not self.shown <= shown:
            self.soak.problem(
                f"{self.name}: windows {sorted(shown ^ wanted)[:5]} are shown or missing, "
                f"{sorted(self.shown - shown)[:5]} changed"
            )
        self.shown = shown
        self.soak.counts["windows closed"] = len(shown)
