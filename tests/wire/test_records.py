"""Rows as values: what PostgreSQL sends for them, and columns that hold them."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.images import ask
from tests.support.server import Address, Connection

ROWS = (
    "ROW(1, 'a', NULL)",
    "(1, 2)",
    "ROW('', ' ', 'a,b', '(x)', '\"', '\\', 'é')",
    "ROW(1, ROW(2, 'x,y'))",
    "ROW(1.5, true, '2024-01-01'::date, '\\x00'::bytea, ARRAY[1, 2], 'infinity'::timestamptz)",
    "ROW('1 mon'::interval, NULL::interval, '[1, {\"a\": null}]'::jsonb, 1e20::float4)",
    "ARRAY[ROW(1, ARRAY['x', NULL]), NULL]",
    "ROW(1, 'x y')::text",
    "(ROW(1, 'x'::text)).f2",
    "row_to_json(ROW(1, NULL, 'x'))",
    "ROW(1, NULL) IS NULL",
    "ROW(1, 2) < ROW(1, 3)",
)


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_a_row_is_sent_as_postgresql_sends_it(
    row: str, binary: bool, server: Address, postgresql: Address
) -> None:
    with server.connect() as ours, postgresql.connect() as theirs:
        expected = ask(theirs, f"SELECT {row}", binary_out=binary)
        assert ask(ours, f"SELECT {row}", binary_out=binary) == expected


def test_columns_hold_rows_and_views_follow(connection: Connection) -> None:
    run = connection.execute
    run("CREATE TABLE t (k int PRIMARY KEY, s STRUCT<a int, b STRUCT<c date, d text[]>>)")
    run("CREATE MATERIALIZED VIEW v AS SELECT k, s, (s).b AS b, (s).a AS a FROM t")
    run("INSERT INTO t VALUES (1, ROW(1, ROW('2024-01-01', ARRAY['x', 'y,z']))), (2, NULL)")
    shown = '(2024-01-01,"{x,""y,z""}")'
    assert run("SELECT k, a, b::text FROM v ORDER BY k").fetchall() == [
        (1, 1, shown),
        (2, None, None),
    ]
    run("UPDATE t SET s = ROW(7, NULL) WHERE k = 1")
    assert run("SELECT s::text, a FROM v WHERE k = 1").fetchone() == ("(7,)", 7)
    assert run("SELECT t::text FROM t WHERE k = 1").fetchone() == ('(1,"(7,)")',)


@pytest.mark.parametrize(
    ("statement", "sqlstate"),
    [
        ("INSERT INTO t VALUES (1, ROW(1))", "42846"),
        ("INSERT INTO t VALUES (1, ROW('x', 'y'))", "22P02"),
        ("SELECT (s).nope FROM t", "42703"),
        ("SELECT (k).a FROM t", "42809"),
    ],
)
def test_what_does_not_fit_a_row(statement: str, sqlstate: str, connection: Connection) -> None:
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, s STRUCT<a int, b varchar>)")
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement.encode())
    assert caught.value.sqlstate == sqlstate
