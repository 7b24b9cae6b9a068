"""A strict view whose expression fails for some row stops visibly and alone."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.server import Connection


@pytest.fixture(autouse=True)
def strict(connection: Connection) -> None:
    connection.execute("SET streaming_expr_strict_mode = on")


def status(connection: Connection, name: str) -> str:
    """``ok``, or the primary message and the detail of the error that reading the view gives."""
    try:
        connection.execute(f"SELECT * FROM {name}".encode()).fetchall()
    except psycopg.Error as e:
        assert e.sqlstate == "55000"
        return f"{e.diag.message_primary}: {e.diag.message_detail}"
    return "ok"


@pytest.mark.parametrize(
    ("expression", "row", "error"),
    [
        ("1 / n", "0, '1', 1", "division by zero"),
        ("n % 0 + n", "1, '1', 1", "division by zero"),
        ("s::int", "1, 'zz', 1", 'invalid input syntax for type integer: "zz"'),
        ("n::smallint", "40000, '1', 1", "smallint out of range"),
        ("b + 9223372036854775807", "1, '1', 1", "bigint out of range"),
        ("sum(b)::bigint", "1, '1', 9223372036854775807", "bigint out of range"),
        ("sqrt(n)", "-1, '1', 1", "cannot take square root of a negative number"),
    ],
)
def test_a_view_fails_with_the_error_and_others_go_on(
    connection: Connection, expression: str, row: str, error: str
) -> None:
    connection.execute("CREATE TABLE t (n int, s text, b bigint)")
    connection.execute("CREATE MATERIALIZED VIEW ok AS SELECT count(*) AS n FROM t")
    connection.execute(f"CREATE MATERIALIZED VIEW bad AS SELECT {expression} AS x FROM t".encode())
    connection.execute("CREATE MATERIALIZED VIEW above AS SELECT count(*) AS n FROM bad")
    if "sum" in expression:
        connection.execute("INSERT INTO t VALUES (1, '1', 1)")
    connection.execute(f"INSERT INTO t VALUES ({row})".encode())
    connection.execute("INSERT INTO t VALUES (2, '2', 2)")
    assert status(connection, "ok") == "ok"
    assert status(connection, "bad") == f'materialized view "bad" has failed: {error}'
    assert status(connection, "above") == f'materialized view "above" has failed: {error}'
    assert connection.execute("SELECT n FROM ok").fetchone() == (
        connection.execute("SELECT count(*) FROM t").fetchone()
    )
    connection.execute("DROP MATERIALIZED VIEW bad CASCADE")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT 10 / (a.x - b.y) FROM a JOIN b ON a.k = b.k", 10),
        ("SELECT a.k FROM a JOIN b ON a.k = b.k AND 10 / (a.x - b.y) > 0", 1),
        ("SELECT a.k FROM a LEFT JOIN b ON a.k = b.k AND 10 / (a.x - b.y) > 0", 1),
        ("SELECT sum(10 / (a.x - b.y)) FROM a JOIN b ON a.k = b.k", 10),
        ("SELECT 10 / (x - y) FROM (SELECT a.x, b.y FROM a JOIN b ON a.k = b.k) AS i", 10),
        (
            (
                "SELECT max(10 / (a.x - b.y)) FROM a JOIN b ON a.k = b.k JOIN a AS c ON a.k = c.k "
                "JOIN b AS d ON d.k = c.k"
            ),
            10,
        ),
    ],
)
def test_rows_that_never_met_do_no_harm(connection: Connection, query: str, expected: int) -> None:
    connection.execute("CREATE TABLE a (k int, x int)")
    connection.execute("CREATE TABLE b (k int, y int)")
    connection.execute("INSERT INTO a VALUES (1, 1)")
    connection.execute("INSERT INTO b VALUES (1, 2)")
    connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
    with connection.transaction():
        connection.execute("UPDATE a SET x = 2")
        connection.execute("UPDATE b SET y = 1")
    assert connection.execute("SELECT * FROM m").fetchall() == [(expected,)]


def test_a_pair_that_does_meet_fails_the_view(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (k int, x int)")
    connection.execute("CREATE TABLE b (k int, y int)")
    connection.execute(
        "CREATE MATERIALIZED VIEW m AS SELECT 10 / (a.x - b.y) FROM a JOIN b ON a.k = b.k"
    )
    with connection.transaction():
        connection.execute("INSERT INTO a VALUES (1, 2)")
        connection.execute("INSERT INTO b VALUES (1, 2)")
    assert status(connection, "m") == 'materialized view "m" has failed: division by zero'
