"""What random histories found: each once, small, by name."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.support.server import Connection


def rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return sorted(connection.execute(sql.encode()).fetchall(), key=repr)


def agree(connection: Connection, view: str, query: str) -> list[tuple[Any, ...]]:
    """The rows of a view, which are those of its query."""
    shown = rows(connection, f"SELECT * FROM {view}")
    assert [repr(row) for row in shown] == [repr(row) for row in rows(connection, query)]
    return shown


def test_an_outer_join_with_nothing_to_meet_keeps_its_changes(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int PRIMARY KEY, v int)")
    connection.execute("CREATE TABLE b (flag boolean, w int)")
    query = "SELECT a.k, a.v, b.w FROM a LEFT JOIN b ON b.flag OR b.flag IS NULL"
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    connection.execute("INSERT INTO a VALUES (1, 1)")
    with connection.transaction():
        connection.execute("UPDATE a SET v = 2")
        connection.execute("INSERT INTO a VALUES (2, 1)")
    assert agree(connection, "m", query) == [(1, 2, None), (2, 1, None)]


def test_a_sum_over_an_outer_join_with_nothing_to_meet_is_compared(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int, v int, w numeric(10,2), x bigint)")
    connection.execute("CREATE TABLE b (k int, kind int)")
    connection.execute("INSERT INTO a VALUES (1, 5, 5, 5), (2, 0, 0, 0)")
    for sum_ in ("sum(v)", "sum(w)", "sum(x)"):
        query = (
            "SELECT a.k FROM a LEFT JOIN b ON a.k = b.k AND b.kind > 1 GROUP BY a.k "
            f"HAVING {sum_} > 0"
        )
        connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
        assert agree(connection, "m", query) == [(1,)]
        connection.execute("DROP MATERIALIZED VIEW m")


def test_the_type_of_a_json_value_that_is_not_there_is_null(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (j jsonb)")
    query = "SELECT jsonb_typeof(j) AS x, jsonb_typeof(j -> 'a') AS y FROM a"
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    connection.execute("""INSERT INTO a VALUES (NULL), ('7'), ('{"a": null}')""")
    assert set(agree(connection, "m", query)) == {
        (None, None),
        ("number", None),
        ("object", "null"),
    }


def test_an_aggregate_may_be_ordered_by_a_constant(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int)")
    query = "SELECT k, string_agg('x', ',' ORDER BY 'x') FROM a GROUP BY k HAVING count(*) < 3"
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    connection.execute("INSERT INTO a VALUES (1), (1), (2), (2), (2)")
    assert agree(connection, "m", query) == [(1, "x,x")]


def test_the_first_of_each_partition_among_other_conditions(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int, g int, v int)")
    connection.execute("CREATE TABLE b (g int, name text)")
    query = (
        "SELECT x.k, x.v, b.name FROM (SELECT k, g, v, row_number() OVER (PARTITION BY g "
        "ORDER BY v DESC, k) AS n FROM a) AS x JOIN b ON b.g = x.g WHERE x.n <= 2 AND x.v > 1"
    )
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    connection.execute("INSERT INTO b VALUES (1, 'one'), (2, 'two')")
    connection.execute("INSERT INTO a SELECT i, i % 2 + 1, i FROM generate_series(1, 8) AS i")
    assert agree(connection, "m", query) == [
        (5, 5, "two"),
        (6, 6, "one"),
        (7, 7, "two"),
        (8, 8, "one"),
    ]
    with connection.transaction():
        connection.execute("DELETE FROM a WHERE k = 8")
        connection.execute("UPDATE a SET g = 1 WHERE k = 7")
        connection.execute("UPDATE b SET name = 'uno' WHERE g = 1")
    assert agree(connection, "m", query) == [
        (3, 3, "two"),
        (5, 5, "two"),
        (6, 6, "uno"),
        (7, 7, "uno"),
    ]
    connection.execute("UPDATE a SET v = 0")
    assert agree(connection, "m", query) == []


def test_numerics_that_are_no_numbers_leave_a_view_without_a_trace(connection: Connection) -> None:
    """Sums go to NaN and back to the exact sum, whichever specials came and went meanwhile."""
    connection.execute("CREATE TABLE a (k int PRIMARY KEY, g int, x numeric, y numeric(10,2))")
    queries = {
        "m1": "SELECT g, sum(x) AS s, avg(x) AS m, count(x) AS n, min(x), max(x) FROM a GROUP BY g",
        "m2": "SELECT sum(x * 2 - y) AS s, avg(coalesce(x, 1) / 4) AS m FROM a",
        "m3": "SELECT g, stddev(x) AS d FROM a GROUP BY g HAVING sum(x) > 1",
        "m4": "SELECT k, x * y AS p, x > 'Infinity' AS i, x::float8 AS f FROM a WHERE x <> 0",
        "m5": "SELECT x, count(*) AS n, sum(y) AS s FROM a GROUP BY x",
        "m6": "SELECT l.k, r.k AS o, l.x + r.x AS s FROM a l JOIN a r ON l.x = r.x",
        "m7": "SELECT k, sum(x) OVER (PARTITION BY g ORDER BY k) AS s FROM a",
        "m8": "SELECT DISTINCT round(x, 1) AS x FROM a",
    }
    for view, query in queries.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {view} AS {query}".encode())
    plan = connection.execute(f"EXPLAIN CREATE MATERIALIZED VIEW m AS {queries['m1']}".encode())
    assert [line for (line,) in plan.fetchall()] == [
        "Materialize m",
        "  Aggregate by g: SUM(x), COUNT(x), MIN(x), MAX(x)",
        "    (recompute of groups that lose their MIN(x), MAX(x))",
        "    Scan a",
    ]
    random = Random(15)
    for _ in range(60):
        k, g = random.randrange(12), random.randrange(3)
        x = random.choice(
            ("NaN", "Infinity", "-Infinity", "1.25", "-7.0000000000000001", "0", "3e17")
        )
        if random.random() < 0.4:
            connection.execute("DELETE FROM a WHERE k = %s", (k,))
        else:
            connection.execute("INSERT INTO a VALUES (%s, %s, %s, %s)", (k, g, x, k))
        for view, query in queries.items():
            agree(connection, view, query)
    connection.execute("DELETE FROM a WHERE NOT x BETWEEN -1e21 AND 1e21")
    assert agree(connection, "m2", queries["m2"]) != [(None, None)]
    connection.execute("DELETE FROM a")
    assert agree(connection, "m2", queries["m2"]) == [(None, None)]


def test_a_numeric_that_is_no_number_fails_for_its_row_alone(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int PRIMARY KEY, x numeric)")
    connection.execute(
        "CREATE MATERIALIZED VIEW m AS SELECT k, x::int AS i, x / (x - 1) AS q FROM a"
    )
    connection.execute("INSERT INTO a VALUES (1, 'NaN'), (2, 4), (3, 'Infinity'), (4, 1)")
    found = connection.execute("SELECT k, i, q::text FROM m ORDER BY k").fetchall()
    assert found == [(1, None, "NaN"), (2, 4, "1.3333333333333333"), (3, None, "NaN"), (4, 1, None)]


def test_distinct_on_follows_changes_although_its_order_may_fail(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int, x int, t text)")
    query = "SELECT DISTINCT ON (12 / k) k, x FROM a ORDER BY 12 / k, t::int DESC, x, k"
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    plan = [line for (line,) in connection.execute("EXPLAIN MATERIALIZED VIEW m").fetchall()]
    assert not any("recompute in full" in line for line in plan)
    random = Random(3)
    for _ in range(30):
        k, x = random.randint(1, 6), random.randrange(4)
        if random.random() < 0.4:
            connection.execute("DELETE FROM a WHERE k = %s OR x = %s", (k, x))
        else:
            connection.execute(
                "INSERT INTO a VALUES (%s, %s, %s)", (k, x, str(random.randrange(9)))
            )
        agree(connection, "m", query)
