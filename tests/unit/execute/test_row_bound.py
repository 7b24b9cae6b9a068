"""The bound of a result's rows is never below what the query gives."""

from __future__ import annotations

import pytest

from barrier.manager import BarrierManager
from catalog.relation import Table
from server.execute.row_bound import UNBOUNDED, RowBound
from tests.support.session_client import Client

QUERIES = (
    ("SELECT 1", 1),
    ("SELECT * FROM t", 5),
    ("SELECT * FROM t WHERE k > 2", 5),
    ("SELECT * FROM t WHERE k = 2", 1),
    ("SELECT * FROM t WHERE v > 0 AND 3 = k", 1),
    ("SELECT * FROM t WHERE k = 2 OR k = 3", 5),
    ("SELECT * FROM t WHERE k = v", 5),
    ("SELECT * FROM t WHERE v = 2", 5),
    ("SELECT * FROM t WHERE k = (SELECT 2)", 5),
    ("SELECT * FROM t, t AS u WHERE u.k = 1", 5),
    ("SELECT * FROM t LEFT JOIN t AS u ON t.v = u.k WHERE t.k = 1", 12),
    ("SELECT * FROM t LIMIT 2", 2),
    ("SELECT * FROM t OFFSET 1 LIMIT 3", 3),
    ("SELECT count(*), max(v) FROM t", 1),
    ("SELECT v, count(*) FROM t GROUP BY v", 5),
    ("SELECT count(*) OVER () FROM t", 5),
    ("SELECT (SELECT max(k) FROM t) FROM t", 5),
    ("SELECT * FROM t CROSS JOIN t AS u", 25),
    ("SELECT * FROM t JOIN t AS u ON t.k = u.v", 25),
    ("SELECT * FROM t LEFT JOIN t AS u ON t.k = u.v", 36),
    ("SELECT * FROM t FULL JOIN t AS u ON t.k = u.v", 36),
    ("SELECT k FROM t UNION ALL SELECT v FROM t", 10),
    ("SELECT k FROM t EXCEPT SELECT v FROM t", 5),
    ("SELECT k FROM t INTERSECT SELECT v FROM t", 5),
    ("VALUES (1), (2), (3)", 3),
    ("SELECT * FROM (SELECT v FROM t LIMIT 2) AS s", 2),
    ("SELECT generate_series(1, 1000)", UNBOUNDED),
    ("SELECT * FROM generate_series(1, 1000) AS g", UNBOUNDED),
    ("SELECT unnest(ARRAY[1, 2, 3]) FROM t", UNBOUNDED),
    ("WITH w AS (SELECT * FROM t) SELECT * FROM w, w AS x", UNBOUNDED),
    ("SELECT * FROM t, LATERAL (SELECT * FROM t AS u WHERE u.k < t.k) AS l", UNBOUNDED),
)


@pytest.fixture
def filled(client: Client) -> Client:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("INSERT INTO t VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 9)")
    return client


@pytest.mark.parametrize(("query", "at_most"), QUERIES, ids=range(len(QUERIES)))
def test_a_result_has_at_most_as_many_rows(
    filled: Client, manager: BarrierManager, query: str, at_most: int
) -> None:
    (source,) = filled.session.split(query)
    described = filled.session.prepare(source).described
    assert described.query is not None
    worker = manager.worker("dev")
    keys = {oid: r.key for oid, r in worker.catalog.relations.items() if isinstance(r, Table)}
    bound = RowBound(worker.rows_estimated, keys.__getitem__).rows_at_most(
        described.query.bound.tree
    )
    assert bound == at_most
    assert len(filled.run(query)) <= bound
