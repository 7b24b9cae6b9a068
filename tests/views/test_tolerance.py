"""Where an expression of a view fails for a row it is NULL; everything else is as if it had not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

import pytest

from tests.support.server import Connection

Row: TypeAlias = tuple[int, int, str]
Answer: TypeAlias = list[tuple[object, ...]]


def quotient(n: int) -> int | None:
    return None if n == 0 else int(100 / n)


def number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None


def grouped(rows: list[Row]) -> Answer:
    groups: dict[int | None, int] = {}
    for _, _, text in rows:
        groups[number(text)] = groups.get(number(text), 0) + 1
    return list(groups.items())


def total(rows: list[Row]) -> Answer:
    quotients = [q for _, n, _ in rows if (q := quotient(n)) is not None]
    return [(len(rows), len(quotients), sum(quotients) if quotients else None)]


#: Queries over t(k, n, s), and the same in Python.
QUERIES: Final[dict[str, Callable[[list[Row]], Answer]]] = {
    "SELECT k, 100 / n AS q FROM t": lambda rows: [(k, quotient(n)) for k, n, _ in rows],
    "SELECT s::int AS i, count(*) AS n FROM t GROUP BY s::int": grouped,
    "SELECT count(*) AS n, count(100 / n) AS m, sum(100 / n) AS s FROM t": total,
    "SELECT k FROM t WHERE 100 / n > 20": lambda rows: [
        (k,) for k, n, _ in rows if (q := quotient(n)) is not None and q > 20
    ],
    "SELECT k, coalesce(100 / n, -1) AS q FROM t": lambda rows: [
        (k, -1 if n == 0 else quotient(n)) for k, n, _ in rows
    ],
    "SELECT a.k, b.k AS other FROM t AS a JOIN t AS b ON a.s::int = b.n": lambda rows: [
        (a[0], b[0]) for a in rows for b in rows if number(a[2]) == b[1]
    ],
    "SELECT k, n + 2147483640 AS big FROM t": lambda rows: [
        (k, n + 2147483640 if n <= 7 else None) for k, n, _ in rows
    ],
    "SELECT n, 10 / (count(*) - 1) AS q FROM t GROUP BY n": lambda rows: [
        (n, None if count == 1 else 10 // (count - 1))
        for n in {n for _, n, _ in rows}
        if (count := sum(m == n for _, m, _ in rows))
    ],
}


def change(connection: Connection, rows: dict[int, Row], chance: random.Random) -> None:
    key = chance.randrange(12)
    if key in rows and chance.random() < 0.4:
        connection.execute("DELETE FROM t WHERE k = %s", (key,))
        del rows[key]
        return
    row = (key, chance.choice((0, 0, 1, 3, 5, 9)), chance.choice(("1", "5", "-3", "x", "", "9")))
    connection.execute("INSERT INTO t VALUES (%s, %s, %s)", row)
    rows[key] = row


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_a_failing_row_gives_null_and_harms_no_other(connection: Connection, query: str) -> None:
    chance = random.Random(query)
    rows: dict[int, Row] = {}
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, n int, s text)")
    connection.execute(f"CREATE MATERIALIZED VIEW v AS {query}".encode())
    connection.execute("CREATE MATERIALIZED VIEW above AS SELECT * FROM v")
    for _ in range(30):
        change(connection, rows, chance)
        expected = sorted(QUERIES[query](list(rows.values())), key=repr)
        for name in (b"v", b"above"):
            found = connection.execute(b"SELECT * FROM " + name).fetchall()
            assert sorted(found, key=repr) == expected, rows


def test_the_first_failure_is_an_event(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (n int)")
    connection.execute("CREATE MATERIALIZED VIEW halves AS SELECT 1 / n AS q FROM t")
    for _ in range(3):
        connection.execute("INSERT INTO t VALUES (0)")
    events = connection.execute(
        "SELECT info->>'error' FROM rw_catalog.rw_event_logs"
        " WHERE event_type = 'STREAM_EXPRESSION_ERROR' AND info->>'name' = 'halves'"
        " AND info->>'database' = current_database()"
    ).fetchall()
    assert events == [("division by zero",)]


def test_a_strict_view_cannot_be_created_over_a_failing_row(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (n int)")
    connection.execute("INSERT INTO t VALUES (0)")
    connection.execute("SET streaming_expr_strict_mode = on")
    with pytest.raises(Exception, match="division by zero"):
        connection.execute("CREATE MATERIALIZED VIEW halves AS SELECT 1 / n AS q FROM t")
    connection.execute("SET streaming_expr_strict_mode = off")
    connection.execute("CREATE MATERIALIZED VIEW halves AS SELECT 1 / n AS q FROM t")
    assert connection.execute("SELECT q FROM halves").fetchall() == [(None,)]
