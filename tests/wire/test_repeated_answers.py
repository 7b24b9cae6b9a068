"""A question that is asked again is answered as if nobody had asked before."""

from __future__ import annotations

import time

import psycopg
import pytest

from tests.support.server import Connection

#: Each depends on the time, and on nothing that changes in the database.
OF_THE_TIME = (
    "SELECT 'now'::timestamptz",
    "SELECT timestamp 'now' FROM moments",
    "SELECT said::timestamptz FROM moments",
    "SELECT cast(said AS timestamp) FROM moments WHERE id = 1",
    "SELECT ARRAY[said]::timestamptz[] FROM moments",
    "SELECT ('{' || said || '}')::timestamp[] FROM moments",
    "SELECT ROW(said::timetz) FROM moments",
    "SELECT (SELECT max(said) FROM moments)::time",
    "SELECT id FROM moments ORDER BY random() LIMIT 0; SELECT random() FROM moments",
    "SELECT localtime",
    "SELECT current_time",
    "SELECT time 'now'",
    "SELECT timetz 'now'",
    "SELECT at FROM as_view",
)


@pytest.fixture
def moments(connection: Connection) -> Connection:
    connection.execute("CREATE TABLE moments (id bigint PRIMARY KEY, said text, small smallint)")
    connection.execute("INSERT INTO moments VALUES (1, 'now', 1)")
    connection.execute("CREATE VIEW as_view AS SELECT said::timestamptz AS at FROM moments")
    return connection


def last(connection: Connection, sql: str) -> object:
    cursor = connection.execute(sql)
    while cursor.nextset():
        pass
    return cursor.fetchall()


@pytest.mark.parametrize("sql", OF_THE_TIME)
def test_what_depends_on_the_time_is_computed_each_time(moments: Connection, sql: str) -> None:
    answers = set()
    for _ in range(3):
        answers.add(repr(last(moments, sql)))
        time.sleep(0.002)
    assert len(answers) == 3


@pytest.mark.parametrize(
    "condition",
    [
        "id = 100000::smallint",
        "id = 100000::bigint::smallint",
        "id::smallint = 100000",
        "id::smallint::bigint = 100000",
    ],
)
def test_a_number_that_is_too_large_for_a_cast_is_an_error_near_others_too(
    moments: Connection, condition: str
) -> None:
    moments.execute("INSERT INTO moments VALUES (100000, 'x', 2)")
    for _ in range(3):
        with pytest.raises(psycopg.errors.NumericValueOutOfRange):
            moments.execute(f"SELECT said FROM moments WHERE {condition}")


def test_casts_to_wider_integers_find_the_row(moments: Connection) -> None:
    for condition in ("small::int::bigint = 1", "small = 1::bigint", "1::smallint = id"):
        for _ in range(3):
            found = moments.execute(f"SELECT said FROM moments WHERE {condition}").fetchall()
            assert found == [("now",)]


def test_rows_of_large_values_are_found_one_by_one(connection: Connection) -> None:
    connection.execute("CREATE TABLE large (id int PRIMARY KEY, v text)")
    connection.execute(
        "INSERT INTO large SELECT i, repeat('x', 20000 + i) FROM generate_series(1, 200) g(i)"
    )
    for number in (1, 2, 200, 1):
        found = connection.execute(
            "SELECT length(v) FROM large WHERE id = %s", (number,)
        ).fetchone()
        assert found == (20000 + number,)
        row = connection.execute(f"SELECT v FROM large WHERE id = {number}").fetchone()
        assert row is not None
        assert len(row[0]) == 20000 + number
