"""Queries: lists, joins, grouping, windows, sorting, set operations, WITH."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Database
else:
    Database = Any


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT * FROM t WHERE k = 1", [(1, 10, "a")]),
        ("SELECT x.*, 1 FROM t x WHERE k = 2", [(2, 20, "b", 1)]),
        ("SELECT v, count(*) AS n FROM t GROUP BY v ORDER BY n DESC", [(20, 2), (10, 1)]),
        ("SELECT v + 1 AS w, count(*) FROM t GROUP BY w ORDER BY 1", [(11, 1), (21, 2)]),
        ("SELECT v FROM t GROUP BY 1 HAVING count(*) > 1", [(20,)]),
        ("SELECT t.k, v FROM t GROUP BY k ORDER BY k LIMIT 1", [(1, 10)]),
        ("SELECT v, sum(k) FROM t GROUP BY ROLLUP (v) ORDER BY v", [(10, 1), (20, 5), (None, 6)]),
        (
            "SELECT v, s, count(*) FROM t GROUP BY GROUPING SETS ((v), (s), ()) HAVING v = 10",
            [(10, None, 1)],
        ),
        ("SELECT DISTINCT v FROM t ORDER BY v DESC", [(20,), (10,)]),
        ("SELECT DISTINCT ON (v) v, k FROM t ORDER BY v, k DESC", [(10, 1), (20, 3)]),
        ("SELECT s FROM t ORDER BY s", [("a",), ("b",), (None,)]),
        ("SELECT s FROM t ORDER BY s DESC", [(None,), ("b",), ("a",)]),
        ("SELECT s FROM t ORDER BY s DESC NULLS LAST LIMIT 1", [("b",)]),
        ("SELECT k FROM t ORDER BY -k FETCH FIRST ROW ONLY", [(3,)]),
        ("SELECT k FROM t ORDER BY k OFFSET 1 LIMIT 1", [(2,)]),
        ("SELECT k, w FROM t JOIN u USING (k)", [(1, "x")]),
        ("SELECT k FROM t FULL JOIN u USING (k) ORDER BY k", [(1,), (2,), (3,), (4,)]),
        ("SELECT * FROM t NATURAL JOIN u", [(1, 10, "a", "x", [1, 2])]),
        ("SELECT u.w FROM t RIGHT JOIN u ON t.k = u.k ORDER BY 1", [("x",), ("y",)]),
        ("SELECT z.k FROM (t x JOIN u y ON x.k = y.k) JOIN t z ON z.k = x.k", [(1,)]),
        (
            "SELECT c.k FROM t a JOIN (t b LEFT JOIN u c ON b.k = c.k) ON a.k = b.k WHERE c.k = 1",
            [(1,)],
        ),
        ("SELECT l.n FROM t, LATERAL (SELECT t.k + 1 AS n) AS l ORDER BY n", [(2,), (3,), (4,)]),
        ("SELECT u.k, x FROM u, unnest(a) AS x WHERE x > 1 ORDER BY x", [(1, 2), (4, 5)]),
        ("SELECT n, o FROM generate_series(5, 6) WITH ORDINALITY AS g(n, o)", [(5, 1), (6, 2)]),
        ("SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS v(x, y)", [(1, "a"), (2, None)]),
        ("VALUES (2), (1) ORDER BY column1", [(1,), (2,)]),
        ("SELECT unnest(ARRAY[1, 2]), k FROM t WHERE k = 1", [(1, 1), (2, 1)]),
        ("SELECT k FROM t WHERE k IN (SELECT k FROM u)", [(1,)]),
        (
            "SELECT k FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.k = t.k) ORDER BY 1",
            [(2,), (3,)],
        ),
        ("SELECT (SELECT max(w) FROM u WHERE u.k = t.k) FROM t WHERE k = 1", [("x",)]),
        ("SELECT k FROM t WHERE k >= ALL (SELECT k FROM t)", [(3,)]),
        ("SELECT 1 UNION SELECT 2.5 ORDER BY 1 LIMIT 1", [(1,)]),
        ("SELECT 'x' UNION ALL SELECT s FROM t WHERE k = 1", [("x",), ("a",)]),
        ("SELECT k FROM t EXCEPT SELECT k FROM u ORDER BY k", [(2,), (3,)]),
        ("(SELECT k FROM t ORDER BY k LIMIT 1) UNION ALL (SELECT 7)", [(1,), (7,)]),
        (
            "WITH c(n) AS (SELECT k FROM t) SELECT a.n FROM c a JOIN c b USING (n) WHERE n = 1",
            [(1,)],
        ),
        (
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r",
            [(1,), (2,), (3,)],
        ),
        ("SELECT row_number() OVER (ORDER BY k DESC) FROM t WHERE k = 1", [(1,)]),
        (
            "SELECT sum(v) OVER w FROM t WINDOW w AS (ORDER BY k ROWS 1 PRECEDING) ORDER BY k",
            [(10,), (30,), (40,)],
        ),
        ("SELECT avg(v) OVER () FROM t WHERE k = 1", [(10,)]),
        ("SELECT sum(sum(k)) OVER () FROM t GROUP BY v", [(6,), (6,)]),
        ("SELECT count(*) FILTER (WHERE v > 10), count(DISTINCT v), count(s) FROM t", [(2, 2, 2)]),
        (
            "SELECT string_agg(s, ',' ORDER BY s DESC), array_agg(k ORDER BY k) FROM t",
            [("b,a", [1, 2, 3])],
        ),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM t", [(20.0,)]),
        ("SELECT count(t.*) FROM t", [(3,)]),
    ],
)
def test_rows(db: Database, sql: str, rows: list[tuple[Any, ...]]) -> None:
    found = db.rows(sql)
    if "ORDER BY" not in sql:
        found, rows = sorted(found, key=repr), sorted(rows, key=repr)
    assert found == rows


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        (
            "SELECT k, count(*) FROM t",
            "42803",
            'column "t.k" must appear in the GROUP BY clause or be used in an aggregate function',
        ),
        (
            "SELECT (SELECT max(w) FROM u WHERE u.k = t.v) FROM t GROUP BY s",
            "42803",
            'subquery uses ungrouped column "t.v" from outer query',
        ),
        (
            "SELECT k FROM t WHERE count(*) > 1",
            "42803",
            "aggregate functions are not allowed in WHERE",
        ),
        ("SELECT sum(count(*)) FROM t", "42803", "aggregate function calls cannot be nested"),
        (
            "SELECT k FROM t GROUP BY count(*)",
            "42803",
            "aggregate functions are not allowed in GROUP BY",
        ),
        (
            "SELECT 1 FROM t WHERE rank() OVER () = 1",
            "42P20",
            "window functions are not allowed in WHERE",
        ),
        ("SELECT rank() OVER w FROM t", "42704", 'window "w" does not exist'),
        ("SELECT rank() FROM t", "42809", "window function rank requires an OVER clause"),
        (
            "SELECT k FROM t WHERE v",
            "42804",
            "argument of WHERE must be type boolean, not type integer",
        ),
        ("SELECT k FROM t ORDER BY 5", "42P10", "ORDER BY position 5 is not in select list"),
        ("SELECT k FROM t GROUP BY 2", "42P10", "GROUP BY position 2 is not in select list"),
        ("SELECT k AS a, v AS a FROM t ORDER BY a", "42702", 'ORDER BY "a" is ambiguous'),
        (
            "SELECT DISTINCT ON (k) k FROM t ORDER BY v",
            "42P10",
            "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
        ),
        (
            "SELECT DISTINCT k FROM t ORDER BY v",
            "42P10",
            "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
        ),
        (
            "SELECT 1 UNION SELECT 1, 2",
            "42601",
            "each UNION query must have the same number of columns",
        ),
        (
            "SELECT 1 UNION SELECT true",
            "42804",
            "UNION types integer and boolean cannot be matched",
        ),
        ("SELECT (SELECT 1, 2)", "42601", "subquery must return only one column"),
        ("SELECT k FROM t LIMIT -1", "2201W", "LIMIT must not be negative"),
        ("SELECT k FROM t LIMIT k", "42P10", "argument of LIMIT must not contain variables"),
        ("VALUES (1), (1, 2)", "42601", "VALUES lists must all be the same length"),
        (
            "WITH a AS (SELECT 1), a AS (SELECT 2) SELECT 1",
            "42712",
            'WITH query name "a" specified more than once',
        ),
        (
            "SELECT 1 FROM t JOIN u USING (w)",
            "42703",
            'column "w" specified in USING clause does not exist in left table',
        ),
        (
            "SELECT 1 FROM t, (SELECT t.k) AS x",
            "42P01",
            'invalid reference to FROM-clause entry for table "t"',
        ),
    ],
)
def test_errors(db: Database, sql: str, sqlstate: str, message: str) -> None:
    error = db.error(sql)
    assert (error.sqlstate, error.message) == (sqlstate, message)


def test_what_a_bound_tree_looks_like(db: Database) -> None:
    assert db.sql("SELECT v, sum(k) FROM t WHERE s = 'a' GROUP BY 1 ORDER BY 2") == (
        "SELECT t1.c2 AS c1, CAST(GREATEST(SUM(CAST(t1.c1 AS INT)), NULL) AS BIGINT) AS c2 "
        "FROM r16385 AS t1 WHERE t1.c3 = 'a' GROUP BY t1.c2 "
        "ORDER BY CAST(GREATEST(SUM(CAST(t1.c1 AS INT)), NULL) AS BIGINT)"
    )


def test_long_chains_do_not_grow_the_stack(db: Database) -> None:
    assert db.rows("SELECT 1 WHERE " + " AND ".join(["true"] * 700)) == [(1,)]
    assert len(db.rows(" UNION ALL ".join(["SELECT 1"] * 150))) == 150


def test_the_parsed_tree_stays_as_it_is(db: Database) -> None:
    sql = "SELECT v, count(*) FROM t WHERE k IN (SELECT k FROM u) GROUP BY v ORDER BY 1"
    assert db.sql(sql) == db.sql(sql)
