"""pg8000: a driver in Python alone, unnamed and named statements in text format."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pg8000.dbapi
import pg8000.native
import pytest

from tests.support.server import Address


@pytest.fixture
def native(address: Address) -> Iterator[Any]:
    with pg8000.native.Connection(
        address.user, host=address.host, port=address.port, database=address.database
    ) as connection:
        connection.run("CREATE TABLE numbers (n int PRIMARY KEY, s text)")
        yield connection


def test_values_go_there_and_back(native: Any) -> None:
    values = {
        "a": 1,
        "b": 7_000_000_000,
        "c": 2.5,
        "d": Decimal("3.25"),
        "e": "it's",
        "f": b"\x00\x01",
        "g": True,
        "h": dt.date(2024, 1, 2),
        "i": dt.datetime(2024, 1, 2, 3, 4, 5),
        "j": dt.timedelta(days=2, hours=3),
        "k": [1, 2, None],
        "l": None,
    }
    row = native.run(
        "SELECT :a::int, :b::bigint, :c::float8, :d::numeric, :e, :f::bytea, :g::bool, :h::date,"
        " :i::timestamp, :j::interval, :k::int[], :l::text",
        **values,
    )[0]
    assert row == list(values.values())


def test_statements_are_prepared(native: Any) -> None:
    insert = native.prepare("INSERT INTO numbers (n, s) VALUES (:n, :s)")
    for n in range(20):
        insert.run(n=n, s=f"row {n}")
    insert.close()
    native.run("UPDATE numbers SET s = s WHERE n < 7")
    assert native.row_count == 7
    found = native.run("SELECT s FROM numbers WHERE n = :n OR s = :s ORDER BY n", n=3, s="row 5")
    assert found == [["row 3"], ["row 5"]]
    assert [c["name"] for c in native.columns] == ["s"]


def test_copy_goes_both_ways(native: Any) -> None:
    native.run("COPY numbers FROM STDIN WITH (FORMAT CSV)", stream=io.StringIO("1,a\n2,b\n"))
    out = io.StringIO()
    native.run("COPY (SELECT * FROM numbers ORDER BY n) TO STDOUT", stream=out)
    assert out.getvalue() == "1\ta\n2\tb\n"


def test_errors_and_notices_are_dictionaries(native: Any) -> None:
    native.run("DROP TABLE IF EXISTS nothing")
    assert [n[b"M"] for n in native.notices] == [b'table "nothing" does not exist, skipping']
    with pytest.raises(pg8000.native.DatabaseError) as caught:
        native.run("SELECT * FROM nothing")
    assert caught.value.args[0]["C"] == "42P01"
    assert native.run("SELECT 1") == [[1]]


def test_the_dbapi_keeps_transactions(address: Address) -> None:
    connection = pg8000.dbapi.connect(
        address.user, host=address.host, port=address.port, database=address.database
    )
    cursor = connection.cursor()
    connection.autocommit = True
    cursor.execute("CREATE TABLE numbers (n int PRIMARY KEY, s text)")
    connection.autocommit = False
    cursor.executemany("INSERT INTO numbers VALUES (%s, %s)", [(1, "a"), (2, "b")])
    connection.rollback()
    cursor.execute("SELECT count(*) FROM numbers")
    assert cursor.fetchone() == [0]
    cursor.execute("INSERT INTO numbers VALUES (%s, %s) RETURNING n", (3, "c"))
    assert cursor.fetchall() == ([3],) or cursor.fetchall() == []
    connection.commit()
    cursor.execute("SELECT n, s FROM numbers")
    assert [column[0] for column in cursor.description] == ["n", "s"]
    connection.close()
