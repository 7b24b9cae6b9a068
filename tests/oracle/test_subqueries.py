"""Subqueries, full joins, set operations and DISTINCT ON, through random epochs, against recomputation."""

from __future__ import annotations

import random
from typing import Final

import pytest

from barrier.stream.operators.recompute import Recompute
from catalog.oid import Oid
from tests.oracle.database import Database, Row, TableSpec
from tests.support.seeds import seeds

A: Final = TableSpec(Oid(1), {"c1": "INTEGER", "c2": "INTEGER", "c3": "VARCHAR"})
B: Final = TableSpec(Oid(2), {"c1": "INTEGER", "c2": "INTEGER"}, ("c1",))
C: Final = TableSpec(Oid(3), {"c1": "INTEGER", "c2": "DOUBLE"})

QUERIES: Final = (
    # Semi and anti joins, under any connective.
    "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE NOT EXISTS(SELECT 1 AS c1 FROM r2 AS t2 WHERE t2.c2 = t1.c1)",
    "SELECT t1.c1 AS c1, t1.c3 AS c2 FROM r1 AS t1 WHERE EXISTS(SELECT 1 AS c1 FROM r2 AS t2 WHERE t2.c2 > t1.c1 AND t2.c1 <> t1.c2)",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE NOT t1.c1 IN (SELECT t2.c2 AS c1 FROM r2 AS t2)",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE NOT t1.c1 IN (SELECT t2.c2 AS c1 FROM r2 AS t2 WHERE t2.c1 = t1.c2)",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c2 = 1 OR t1.c1 IN (SELECT t2.c2 AS c1 FROM r2 AS t2)",
    "SELECT t1.c1 AS c1, t1.c1 IN (SELECT t2.c2 AS c1 FROM r2 AS t2) AS c2 FROM r1 AS t1",
    "SELECT t1.c1 AS c1, EXISTS(SELECT 1 AS c1 FROM r2 AS t2 WHERE t2.c2 = t1.c2) AS c2 FROM r1 AS t1",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE EXISTS(SELECT 1 AS c1 FROM r2 AS t2 WHERE t2.c2 = t1.c1) AND NOT EXISTS(SELECT 1 AS c1 FROM r3 AS t3 WHERE t3.c1 = t1.c2)",
    "SELECT t1.c3 AS c1 FROM r1 AS t1 WHERE (t1.c1, t1.c2) IN (SELECT t2.c1 AS c1, t2.c2 AS c2 FROM r2 AS t2)",
    "SELECT t1.c3 AS c1 FROM r1 AS t1 WHERE NOT (t1.c1, t1.c2) IN (SELECT t2.c1 AS c1, t2.c2 AS c2 FROM r2 AS t2)",
    # Values.
    "SELECT t1.c1 AS c1, (SELECT MAX(t2.c2) AS c1 FROM r2 AS t2) AS c2 FROM r1 AS t1",
    "SELECT t1.c1 AS c1, (SELECT COUNT(*) AS c1 FROM r2 AS t2 WHERE t2.c2 = t1.c1) AS c2 FROM r1 AS t1",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c1 > (SELECT AVG(t2.c2) AS c1 FROM r2 AS t2 WHERE t2.c2 <> t1.c2)",
    "SELECT t1.c1 AS c1, (SELECT t2.c2 AS c1 FROM r2 AS t2 WHERE t2.c1 = t1.c1) AS c2, (SELECT SUM(t3.c1) AS c1 FROM r3 AS t3) AS c3 FROM r1 AS t1",
    "SELECT t1.c2 AS c1, COUNT(*) AS c2 FROM r1 AS t1 WHERE t1.c1 >= (SELECT MIN(t2.c2) AS c1 FROM r2 AS t2) GROUP BY t1.c2",
    "SELECT t1.c1 AS c1, t4.c2 AS c2 FROM r1 AS t1 JOIN r2 AS t4 ON t1.c2 = t4.c1 WHERE t4.c2 < (SELECT MAX(t3.c1) AS c1 FROM r3 AS t3 WHERE t3.c1 <> t1.c1)",
    "SELECT t1.c1 AS c1, (SELECT t2.c2 AS c1 FROM r2 AS t2 WHERE t2.c2 >= t1.c1 ORDER BY t2.c2, t2.c1 LIMIT 1) AS c2 FROM r1 AS t1",
    # Set operations.
    "SELECT t1.c1 AS c1 FROM r1 AS t1 EXCEPT SELECT t2.c2 AS c1 FROM r2 AS t2",
    "SELECT t1.c1 AS c1, t1.c2 AS c2 FROM r1 AS t1 INTERSECT SELECT t2.c2 AS c1, t2.c2 AS c2 FROM r2 AS t2",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 EXCEPT (SELECT t2.c2 AS c1 FROM r2 AS t2 INTERSECT SELECT t3.c1 AS c1 FROM r3 AS t3)",
    "SELECT t4.c1 AS c1, COUNT(*) AS c2 FROM (SELECT t1.c1 AS c1, t1.c3 AS c2 FROM r1 AS t1 EXCEPT SELECT t2.c1 AS c1, 'x' AS c2 FROM r2 AS t2) AS t4 GROUP BY t4.c1",
    "SELECT t1.c1 AS c1 FROM r1 AS t1 EXCEPT ALL SELECT t2.c2 AS c1 FROM r2 AS t2",
    "SELECT t1.c1 AS c1, t1.c2 AS c2 FROM r1 AS t1 INTERSECT ALL SELECT t2.c2 AS c1, t2.c2 AS c2 FROM r2 AS t2",
    # The first of each group.
    "SELECT DISTINCT ON (t2.c2) t2.c1 AS c1, t2.c2 AS c2 FROM r2 AS t2 ORDER BY t2.c2, t2.c1 DESC",
    "SELECT DISTINCT ON (t1.c1 + 1) t1.c1 AS c1, t2.c1 AS c2 FROM r1 AS t1 JOIN r2 AS t2 ON t1.c1 = t2.c2 ORDER BY t1.c1 + 1, t2.c1",
    # Several groupings at once.
    "SELECT t1.c1 AS c1, t1.c3 AS c2, COUNT(*) AS c3, SUM(t1.c2) AS c4 FROM r1 AS t1 GROUP BY ROLLUP (t1.c1, t1.c3)",
    "SELECT t1.c1 AS c1, CAST(GROUPING(t1.c1, t1.c3) AS INT) AS c2, COUNT(t1.c3) AS c3 FROM r1 AS t1 GROUP BY CUBE (t1.c1, t1.c3) HAVING COUNT(*) > 1",
    "SELECT COALESCE(t1.c1, -1) AS c1, t1.c2 + 1 AS c2, MAX(t1.c3) AS c3 FROM r1 AS t1 GROUP BY t1.c2, GROUPING SETS ((t1.c1), (t1.c1, t1.c3), ())",
    # Windows over everything, and over groups.
    "SELECT t2.c1 AS c1, ROW_NUMBER() OVER (ORDER BY t2.c1) AS c2, SUM(t2.c2) OVER (ORDER BY t2.c1) AS c3 FROM r2 AS t2",
    "SELECT t4.c1 AS c1 FROM (SELECT t2.c1 AS c1, RANK() OVER (ORDER BY t2.c2 DESC) AS c2 FROM r2 AS t2) AS t4 WHERE t4.c2 <= 2",
    "SELECT t1.c1 AS c1, COUNT(*) AS c2, RANK() OVER (ORDER BY COUNT(*) DESC) AS c3, SUM(SUM(t1.c2)) OVER (PARTITION BY COUNT(*)) AS c4 FROM r1 AS t1 GROUP BY t1.c1",
    "SELECT t1.c1 + 1 AS c1, LAG(MAX(t1.c2)) OVER (ORDER BY t1.c1 + 1) AS c2 FROM r1 AS t1 GROUP BY t1.c1 + 1 HAVING COUNT(*) > 1",
    "SELECT t1.c1 AS c1, SUM(t1.c2) AS c2 FROM r1 AS t1 GROUP BY t1.c1 HAVING SUM(t1.c2) > (SELECT AVG(t2.c2) AS c1 FROM r2 AS t2)",
    "SELECT t1.c1 AS c1, (SELECT COUNT(*) AS c1 FROM r2 AS t2 WHERE t2.c2 = t1.c1) AS c2, COUNT(*) AS c3 FROM r1 AS t1 GROUP BY t1.c1",
    # Rows for each row.
    "SELECT t2.c1 AS c1, t4.c1 AS c2 FROM r2 AS t2 CROSS JOIN (SELECT UNNEST(RANGE(t2.c2)) AS c1) AS t4",
    "SELECT UNNEST(RANGE(t1.c1)) AS c1, t1.c3 AS c2, UNNEST([t1.c2, t1.c2]) AS c3 FROM r1 AS t1",
    "SELECT t4.c1 AS c1, COUNT(*) AS c2 FROM r1 AS t1 CROSS JOIN (SELECT UNNEST([t1.c1, t1.c2, t1.c1]) AS c1) AS t4 WHERE t1.c3 = 'x' GROUP BY t4.c1",
    "SELECT t1.c1 AS c1, t4.c1 AS c2, t4.c2 AS c3 FROM r1 AS t1 CROSS JOIN LATERAL (SELECT MAX(t2.c2) AS c1, COUNT(*) AS c2 FROM r2 AS t2 WHERE t2.c2 >= t1.c1) AS t4",
    "SELECT t1.c1 AS c1, t4.c1 AS c2 FROM r1 AS t1 LEFT JOIN LATERAL (SELECT t2.c1 AS c1 FROM r2 AS t2 WHERE t2.c2 = t1.c1 ORDER BY t2.c1 LIMIT 2) AS t4 ON TRUE",
    "SELECT t1.c1 AS c1, t4.c1 AS c2 FROM r1 AS t1 JOIN LATERAL (SELECT t3.c1 AS c1 FROM r3 AS t3 WHERE t3.c1 > t1.c1) AS t4 ON t4.c1 <> t1.c2",
    "SELECT t1.c1 AS c1, t4.c1 AS c2 FROM r1 AS t1 LEFT JOIN r2 AS t2 ON t1.c1 = t2.c1 CROSS JOIN (SELECT UNNEST(RANGE(t2.c2)) AS c1) AS t4 WHERE t4.c1 < 2",
    # The first rows in an order that tells all apart.
    "SELECT t2.c1 AS c1, t2.c2 AS c2 FROM r2 AS t2 ORDER BY t2.c2 DESC NULLS FIRST, t2.c1 LIMIT 2",
    "SELECT t2.c2 AS c1 FROM r2 AS t2 ORDER BY t2.c1 DESC LIMIT 2 OFFSET 1",
    "SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r1 AS t1 GROUP BY t1.c1 ORDER BY COUNT(*) DESC, t1.c1 LIMIT 2",
    "SELECT t4.c1 AS c1, t4.c2 AS c2 FROM (SELECT t2.c1 AS c1, t2.c2 AS c2 FROM r2 AS t2 ORDER BY t2.c1 LIMIT 3) AS t4 WHERE t4.c2 > 0",
    "SELECT DISTINCT t1.c1 AS c1 FROM r1 AS t1 ORDER BY t1.c1 LIMIT 2",
    # Full joins.
    "SELECT t1.c1 AS c1, t1.c3 AS c2, t2.c2 AS c3 FROM r1 AS t1 FULL OUTER JOIN r2 AS t2 ON t1.c1 = t2.c1",
    "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 FULL OUTER JOIN r2 AS t2 ON t1.c1 < t2.c2",
    "SELECT COALESCE(t1.c1, t2.c1) AS c1, t2.c2 AS c2, t3.c2 AS c3 FROM r1 AS t1 FULL OUTER JOIN r2 AS t2 ON t1.c1 = t2.c1 FULL OUTER JOIN r3 AS t3 ON t3.c1 = COALESCE(t1.c1, t2.c1)",
    "SELECT t1.c1 AS c1, COUNT(t2.c1) AS c2 FROM r1 AS t1 FULL OUTER JOIN r2 AS t2 ON t1.c2 = t2.c2 GROUP BY t1.c1",
    "SELECT t1.c1 AS c1, t2.c1 AS c2 FROM r1 AS t1 LEFT JOIN r2 AS t2 ON t1.c1 = t2.c2 WHERE NOT EXISTS(SELECT 1 AS c1 FROM r3 AS t3 WHERE t3.c1 = t2.c2)",
)


def random_row(table: TableSpec, chance: random.Random, number: int) -> Row:
    numbers = (0, 1, 2, 3, None)
    if table is A:
        return (
            chance.choice(numbers),
            chance.choice(numbers),
            chance.choice(("x", "", None)),
            number,
        )
    if table is B:
        return (number, chance.choice(numbers))
    return (chance.choice(numbers), chance.choice((0.5, 2.0, None)), number)


class History:
    """Random epochs over the three tables: rows come, go and are replaced, in several at once."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(repr(seed))
        self.present: list[tuple[TableSpec, list[Row]]] = [(A, []), (B, []), (C, [])]
        self.number = 0

    def epoch(self) -> dict[Oid, list[tuple[Row, int]]]:
        changes: dict[Oid, list[tuple[Row, int]]] = {}
        for table, rows in self.present:
            if self.chance.random() < 0.4:
                continue
            gone = [row for row in rows if self.chance.random() < 0.3]
            came: list[Row] = []
            for _ in range(self.chance.randrange(4)):
                self.number += 1
                # Of the keyed table, a key may go and come back with another row.
                number = self.number
                if table is B and gone and self.chance.random() < 0.5:
                    number = self.chance.choice(gone)[0]
                row = random_row(table, self.chance, number)
                if (
                    table is not B
                    or all(row[0] != other[0] for other in (*rows, *came))
                    or (
                        any(row[0] == other[0] for other in gone)
                        and all(row[0] != other[0] for other in came)
                    )
                ):
                    came.append(row)
            both = [row for row in came if row in gone]
            gone = [row for row in gone if row not in both]
            came = [row for row in came if row not in both]
            rows[:] = [row for row in rows if row not in gone] + came
            changes[table.oid] = [*((r, -1) for r in gone), *((r, 1) for r in came)]
        return changes


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
@pytest.mark.parametrize("seed", seeds(1, 5))
def test_a_query_with_subqueries_follows_its_tables(query: str, seed: int) -> None:
    database = Database((A, B, C))
    history = History((query, seed))
    database.epoch(history.epoch())
    database.create(Oid(101), query)
    database.create(Oid(102), "SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r101 AS t1 GROUP BY t1.c1")
    for _ in range(9):
        database.epoch(history.epoch())
        database.check()


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_nothing_of_it_is_computed_in_full(query: str) -> None:
    database = Database((A, B, C))
    plan = database.create(Oid(101), query)
    assert not [node for node in plan.nodes() if isinstance(node, Recompute)]


#: The time is a number here.
NOW: Final = "CAST(GETVARIABLE('epoch_now') AS INTEGER)"

TEMPORAL: Final = (
    f"SELECT t2.c1 AS c1 FROM r2 AS t2 WHERE t2.c2 >= {NOW} - 1",
    f"SELECT t2.c1 AS c1, t1.c3 AS c2 FROM r2 AS t2 JOIN r1 AS t1 ON t1.c1 = t2.c2 WHERE t2.c2 < {NOW} AND t1.c2 + 1 > {NOW}",
    f"SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r1 AS t1 WHERE t1.c2 = {NOW} OR t1.c1 IS NULL GROUP BY t1.c1",
    f"SELECT t4.c1 AS c1 FROM (SELECT t2.c2 AS c1 FROM r2 AS t2 WHERE t2.c2 <= {NOW}) AS t4 WHERE NOT EXISTS(SELECT 1 AS c1 FROM r3 AS t3 WHERE t3.c1 = t4.c1)",
    f"SELECT t2.c1 AS c1, t3.c1 AS c2 FROM r2 AS t2 LEFT JOIN (SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c2 > {NOW}) AS t3 ON t2.c2 = t3.c1",
)


@pytest.mark.parametrize("query", TEMPORAL, ids=range(len(TEMPORAL)))
@pytest.mark.parametrize("seed", seeds(1, 5))
def test_rows_come_and_go_as_time_passes(query: str, seed: int) -> None:
    database = Database((A, B, C))
    history = History((query, seed))
    chance = random.Random(seed)
    database.connection.execute("SET VARIABLE epoch_now = 0")
    database.epoch(history.epoch())
    plan = database.create(Oid(101), query)
    assert not [node for node in plan.nodes() if isinstance(node, Recompute)]
    database.create(Oid(102), "SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r101 AS t1 GROUP BY t1.c1")
    now = 0
    for _ in range(12):
        # As a clock does, but also stepping back, which an epoch's time may do.
        now = chance.choice((now, now + 1, now + 1, max(now - 1, 0), 0))
        database.connection.execute(f"SET VARIABLE epoch_now = {now}")
        database.epoch(history.epoch() if chance.random() < 0.6 else {})
        database.check()
