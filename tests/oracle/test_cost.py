"""What an epoch with one changed row costs, in the rows that its statements make, change and take away.

Where an operator is incremental they are as few over large tables as over small ones. How many rows
the engine looks at to find them is its own business: it scans what has no index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from barrier.stream.operators.recompute import Recompute
from catalog.oid import Oid
from tests.oracle.database import Database, Row, TableSpec

T: Final = TableSpec(Oid(1), {"c1": "INTEGER", "c2": "INTEGER", "c3": "INTEGER"}, ("c1",))
U: Final = TableSpec(Oid(2), {"c1": "INTEGER", "c2": "INTEGER"}, ("c1",))

#: So many rows there are for each value of c2.
PER_GROUP: Final = 5

#: More than any of these epochs needs, and much less than the tables have.
ROWS_MAX: Final = 50

QUERIES: Final[Mapping[str, str]] = {
    "filter": "SELECT t1.c1 AS c1, t1.c3 + 1 AS c2 FROM r1 AS t1 WHERE t1.c3 >= 0",
    "union all": "SELECT t1.c1 AS c1 FROM r1 AS t1 UNION ALL SELECT t2.c2 AS c1 FROM r2 AS t2",
    "unnest": "SELECT t1.c1 AS c1, UNNEST([t1.c2, t1.c3]) AS c2 FROM r1 AS t1",
    "join": "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 JOIN r2 AS t2 ON t1.c2 = t2.c1",
    "self-join": "SELECT t1.c1 AS c1, t2.c1 AS c2 FROM r1 AS t1 JOIN r1 AS t2 ON t1.c2 = t2.c2",
    "left join": "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 LEFT JOIN r2 AS t2 ON t1.c2 = t2.c1",
    "full join": "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 FULL OUTER JOIN r2 AS t2 ON t1.c2 = t2.c1",
    "semi-join": "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c2 IN (SELECT t2.c1 AS c1 FROM r2 AS t2)",
    "sums": "SELECT t1.c2 AS c1, COUNT(*) AS c2, CAST(SUM(t1.c3) AS BIGINT) AS c3 FROM r1 AS t1 GROUP BY t1.c2",
    "extremes": "SELECT t1.c2 AS c1, MIN(t1.c3) AS c2, MAX(t1.c3) AS c3 FROM r1 AS t1 GROUP BY t1.c2",
    "ordered aggregate": "SELECT t1.c2 AS c1, LIST(t1.c3 ORDER BY t1.c3) AS c2 FROM r1 AS t1 GROUP BY t1.c2",
    "having": "SELECT t1.c2 AS c1, COUNT(*) AS c2 FROM r1 AS t1 GROUP BY t1.c2 HAVING COUNT(*) > 1",
    "distinct": "SELECT DISTINCT t1.c2 AS c1 FROM r1 AS t1",
    "except": "SELECT t1.c2 AS c1 FROM r1 AS t1 EXCEPT SELECT t2.c1 AS c1 FROM r2 AS t2",
    "except all": "SELECT t1.c2 AS c1 FROM r1 AS t1 EXCEPT ALL SELECT t2.c1 AS c1 FROM r2 AS t2",
    "window": "SELECT t1.c1 AS c1, SUM(t1.c3) OVER (PARTITION BY t1.c2 ORDER BY t1.c1) AS c2 FROM r1 AS t1",
    "distinct on": "SELECT DISTINCT ON (t1.c2) t1.c2 AS c1, t1.c1 AS c2 FROM r1 AS t1 ORDER BY t1.c2, t1.c1",
    "correlated subquery": "SELECT t2.c1 AS c1, (SELECT MAX(t1.c3) AS c1 FROM r1 AS t1 WHERE t1.c2 = t2.c1) AS c2 FROM r2 AS t2",
    "first rows": "SELECT t1.c1 AS c1, t1.c3 AS c2 FROM r1 AS t1 ORDER BY t1.c1 LIMIT 5",
}


def rows_of(groups: int) -> tuple[list[Row], list[Row]]:
    t = [(i, i // PER_GROUP, i % 97) for i in range(groups * PER_GROUP)]
    return t, [(i, i % 7) for i in range(0, groups, 2)]


@pytest.mark.parametrize("name", QUERIES)
def test_one_changed_row_has_few_rows_handled(name: str) -> None:
    database = Database((T, U), knows_sizes=False)
    t, u = rows_of(60)
    database.epoch({T.oid: [(row, 1) for row in t], U.oid: [(row, 1) for row in u]})
    plan = database.create(Oid(101), QUERIES[name])
    assert not [node for node in plan.nodes() if isinstance(node, Recompute)]
    old, new, other = t[150], (*t[150][:2], 500), (1000, t[150][1], 7)
    handled = {}
    for kind, change in (
        ("insert", [(other, 1)]),
        ("update", [(old, -1), (new, 1)]),
        ("delete", [(new, -1)]),
    ):
        before = database.handled
        database.epoch({T.oid: change})
        database.check()
        handled[kind] = database.handled - before
    assert max(handled.values()) <= ROWS_MAX, handled
