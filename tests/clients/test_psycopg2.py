"""psycopg2: cursors on the server, helpers for many rows, COPY, cancel, notices."""

from __future__ import annotations

import datetime as dt
import io
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg2
import psycopg2.errors
import psycopg2.extras
import pytest

from tests.support.server import Address


@pytest.fixture
def connection(address: Address) -> Iterator[Any]:
    connection = psycopg2.connect(address.url)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE numbers (n int PRIMARY KEY, s text)")
        connection.autocommit = False
        yield connection
    finally:
        connection.close()


def fill(connection: Any) -> None:
    with connection, connection.cursor() as cursor:
        psycopg2.extras.execute_values(
            cursor, "INSERT INTO numbers (n, s) VALUES %s", [(n, f"row {n}") for n in range(1, 101)]
        )


def test_execute_values_returns_all_pages(connection: Any) -> None:
    with connection, connection.cursor() as cursor:
        got = psycopg2.extras.execute_values(
            cursor,
            "INSERT INTO numbers (n, s) VALUES %s RETURNING n",
            [(n, None) for n in range(250)],
            page_size=100,
            fetch=True,
        )
    assert got == [(n,) for n in range(250)]


def test_execute_batch_runs_each(connection: Any) -> None:
    with connection, connection.cursor() as cursor:
        psycopg2.extras.execute_batch(
            cursor,
            "INSERT INTO numbers VALUES (%s, %s)",
            [(n, str(n)) for n in range(30)],
            page_size=7,
        )
        cursor.execute("SELECT count(*), max(s) FROM numbers")
        assert cursor.fetchone() == (30, "9")


def test_a_named_cursor_reads_in_pieces(connection: Any) -> None:
    fill(connection)
    with connection, connection.cursor("a cursor", scrollable=True) as cursor:
        cursor.itersize = 10
        cursor.execute("SELECT n FROM numbers WHERE n > %s ORDER BY n", (50,))
        assert [n for (n,) in cursor] == list(range(51, 101))
        cursor.scroll(0, mode="absolute")
        assert cursor.fetchmany(2) == [(51,), (52,)]
    held = connection.cursor("held", withhold=True)
    held.execute("SELECT n FROM numbers ORDER BY n")
    connection.commit()
    assert held.fetchone() == (1,)
    held.close()


def test_copy_expert_goes_both_ways(connection: Any) -> None:
    with connection, connection.cursor() as cursor:
        cursor.copy_expert(
            "COPY numbers FROM STDIN (FORMAT csv, HEADER)", io.StringIO('n,s\n1,"a,b"\n2,\n')
        )
        assert cursor.rowcount == 2
        cursor.copy_from(io.StringIO("3\tc\n4\t\\N\n"), "numbers", columns=("n", "s"))
        out = io.StringIO()
        cursor.copy_expert("COPY (SELECT * FROM numbers ORDER BY n) TO STDOUT CSV", out)
        assert out.getvalue() == '1,"a,b"\n2,\n3,c\n4,\n'
        out = io.StringIO()
        cursor.copy_to(out, "numbers")
        assert sorted(out.getvalue().splitlines()) == ["1\ta,b", "2\t\\N", "3\tc", "4\t\\N"]


def test_autocommit_and_isolation_can_be_set(address: Address, connection: Any) -> None:
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO numbers VALUES (1, 'kept')")
    connection.rollback()
    connection.autocommit = False
    connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT s FROM numbers")
        assert cursor.fetchall() == [("kept",)]
        with pytest.raises(psycopg2.errors.ReadOnlySqlTransaction):
            cursor.execute("DELETE FROM numbers")
    connection.rollback()
    connection.set_session(isolation_level="DEFAULT", readonly=False)
    with connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM numbers")
        assert cursor.rowcount == 1


def test_a_cancel_ends_a_statement(connection: Any) -> None:
    timer = threading.Timer(0.3, connection.cancel)
    timer.start()
    started = time.monotonic()
    with connection.cursor() as cursor, pytest.raises(psycopg2.errors.QueryCanceled):
        cursor.execute(
            "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b WHERE a + b < 0"
        )
    assert time.monotonic() - started < 10
    timer.join()
    connection.rollback()


def test_notices_and_notifications_are_kept(address: Address, connection: Any) -> None:
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS nothing")
        assert connection.notices == ['NOTICE:  table "nothing" does not exist, skipping\n']
        cursor.execute("LISTEN news")
        other = psycopg2.connect(address.url)
        with other, other.cursor() as sender:
            sender.execute("NOTIFY news, 'hello'")
        other.close()
        deadline = time.monotonic() + 5
        while not connection.notifies and time.monotonic() < deadline:
            connection.poll()
            time.sleep(0.01)
    assert [(n.channel, n.payload) for n in connection.notifies] == [("news", "hello")]


def test_values_are_adapted(connection: Any) -> None:
    values = (1, 2.5, Decimal("3.25"), "it's \\ %", b"\x00\x01", True, None, dt.date(2024, 1, 2),
              dt.datetime(2024, 1, 2, 3, 4, 5), dt.timedelta(days=2, hours=3), [1, 2], ["a", "b'c"])  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SELECT " + ", ".join(["%s"] * len(values)), values)
        row = list(cursor.fetchone())
    row[1] = float(row[1])
    row[4] = bytes(row[4])
    assert row == list(values)


def test_rows_come_as_dictionaries_and_objects(connection: Any) -> None:
    fill(connection)
    with connection, connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        cursor.execute("SELECT n, s FROM numbers WHERE n IN %s ORDER BY n", ((3, 4),))
        assert [dict(row) for row in cursor.fetchall()] == [
            {"n": 3, "s": "row 3"},
            {"n": 4, "s": "row 4"},
        ]
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT n FROM numbers WHERE n = ANY(%s) ORDER BY n", ([5, 6],))
        assert cursor.fetchall() == [(5,), (6,)]
        assert [c.name for c in cursor.description] == ["n"]


def test_several_statements_in_one_string(connection: Any) -> None:
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO numbers VALUES (1, 'a'); INSERT INTO numbers VALUES (2, 'b'); SELECT count(*) FROM numbers"
        )
        assert cursor.fetchone() == (2,)


def test_json_is_read(connection: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT %s::jsonb, '{\"a\": 1}'::json", (psycopg2.extras.Json({"k": [1, None]}),)
        )
        assert cursor.fetchone() == ({"k": [1, None]}, {"a": 1})
