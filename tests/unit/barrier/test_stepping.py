"""Which statements of a program are run: what is known of an epoch's rows makes some needless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import duckdb
import pytest
import sqlglot

from barrier.gauge import Gauge
from barrier.given_rows import GivenRows
from barrier.kept_plans import Planning
from barrier.stepping import Stepping
from barrier.store import Attempt
from barrier.stream.build import compile_view
from barrier.stream.plan import ChangeSize, InputRelation
from barrier.stream.zset import WEIGHT
from catalog.oid import Oid

#: c1 is the key; groups are made of c2, of those rows whose c3 is not odd.
QUERY = (
    "SELECT t1.c2 % 2 AS c1, COUNT(*) AS c2, CAST(SUM(CAST(t1.c4 AS INTEGER)) AS BIGINT) AS c3 "
    "FROM r1 AS t1 WHERE t1.c3 % 2 = 0 GROUP BY t1.c2 % 2"
)
ROWS = ((1, 1, 0, 10), (2, 2, 0, 20), (3, 3, 2, 30))


@dataclass
class Recorded:
    """An epoch's transaction that remembers how many rows each kind of statement touched."""

    engine: duckdb.DuckDBPyConnection = field(default_factory=duckdb.connect)
    asked: list[str] = field(default_factory=list)

    def run(
        self,
        sql: str,
        *,
        planning: Planning = Planning.OPTIMIZED,
        parameters: Sequence[object] = (),
    ) -> int:
        self.asked.append(sql.split(maxsplit=1)[0])
        found = self.engine.execute(sql, list(parameters)).fetchone()
        return int(found[0]) if found else 0

    def value(self, sql: str) -> int:
        found = self.engine.execute(sql).fetchone()
        return int(found[0]) if found else 0


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ((1, 1, 0, 10), (1, 1, 0, 11), ["UPDATE"]),
        ((1, 1, 0, 10), (1, 3, 0, 10), ["UPDATE", "SELECT", "DELETE"]),
        ((1, 1, 0, 10), (1, 1, 1, 10), ["UPDATE", "DELETE"]),
        ((2, 2, 0, 20), (2, 2, 1, 20), ["UPDATE", "DELETE"]),
        ((2, 2, 0, 20), (2, 1, 0, 20), ["UPDATE", "DELETE"]),
        ((2, 2, 0, 20), None, ["UPDATE", "DELETE"]),
        (None, (4, 2, 0, 40), ["UPDATE"]),
        (None, (4, 2, 1, 40), ["UPDATE", "INSERT"]),
    ],
)
def test_groups_are_looked_for_only_where_some_may_have_come_or_gone(
    old: tuple[int, ...] | None, new: tuple[int, ...] | None, asked: list[str]
) -> None:
    columns = ("c1", "c2", "c3", "c4")
    source = InputRelation(Oid(1), columns, ("c1",), frozenset(columns))
    plan = compile_view(Oid(9), sqlglot.parse_one(QUERY, read="duckdb"), {source.oid: source})
    attempt = Recorded()
    engine = attempt.engine
    engine.execute("CREATE TABLE r1 (c1 INTEGER, c2 INTEGER, c3 INTEGER, c4 INTEGER)")
    engine.executemany("INSERT INTO r1 VALUES (?, ?, ?, ?)", ROWS)
    for statement in plan.create():
        engine.execute(statement)
    changed = [(*row, weight) for row, weight in ((old, -1), (new, 1)) if row is not None]
    names = ("c1", "c2", "c3", "c4", WEIGHT)
    told = GivenRows(names, ("INTEGER",) * 4 + ("BIGINT",), tuple(zip(*changed, strict=True)))
    engine.execute(f"CREATE TABLE d1 AS {told.query()}", told.parameters())
    if old is not None:
        engine.execute("DELETE FROM r1 WHERE c1 = ?", [old[0]])
    if new is not None:
        engine.execute("INSERT INTO r1 VALUES (?, ?, ?, ?)", new)

    sizes = {"d1": len(changed)}
    stepping = Stepping(cast("Attempt", attempt), Gauge(), lambda _: 3, sizes, {"d1": told})
    size = ChangeSize(int(new is not None), int(old is not None))
    statements = plan.step({source.oid: size}, {source.oid: 3}, needs_delta=False, is_light=True)
    stepping.run(plan, statements)

    assert attempt.asked == asked
    recomputed = engine.execute(f"{QUERY} ORDER BY ALL").fetchall()
    assert engine.execute("SELECT c1, c2, c3 FROM r9 ORDER BY ALL").fetchall() == recomputed
