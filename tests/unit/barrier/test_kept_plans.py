"""What is kept from one epoch to the next changes how long statements take, never what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import duckdb
import pytest

from barrier.gauge import Gauge
from barrier.kept_plans import Planning, Writer, is_made_for_all

SUM = "SELECT sum(n)::BIGINT FROM t"


class Recording:
    """The engine's connection, and what it was asked to prepare."""

    def __init__(self) -> None:
        self.engine = duckdb.connect()
        self.engine.execute("CREATE TABLE t (n BIGINT)")
        self.engine.execute("INSERT INTO t VALUES (1), (2)")
        self.prepared: list[str] = []

    @property
    def description(self) -> Sequence[object] | None:
        return self.engine.description

    def execute(self, query: str, parameters: Sequence[object] = (), /) -> Self:
        if query.startswith("PREPARE"):
            self.prepared.append(query.split(" AS ", 1)[1])
        self.engine.execute(query, list(parameters))
        return self

    def fetchone(self) -> tuple[object, ...] | None:
        return self.engine.fetchone()


@pytest.fixture
def connection() -> Recording:
    return Recording()


@pytest.fixture
def writer(connection: Recording) -> Writer:
    return Writer(connection)


@pytest.mark.parametrize("planning", Planning)
def test_every_way_to_plan_gives_the_rows_of_the_moment(writer: Writer, planning: Planning) -> None:
    assert writer.number(SUM, planning) == 3
    writer.number("INSERT INTO t VALUES (4)")
    assert writer.number(SUM, planning) == 7


def test_a_kept_plan_follows_a_table_that_is_another(writer: Writer) -> None:
    assert writer.number(SUM, Planning.KEPT) == 3
    writer.number("CREATE OR REPLACE TABLE t AS SELECT 0 AS m, 9::BIGINT AS n")
    assert writer.number(SUM, Planning.KEPT) == 9


def test_what_is_run_again_is_prepared_the_second_time_and_no_more(
    connection: Recording, writer: Writer
) -> None:
    for number in range(4):
        assert connection.prepared == ([SUM] if number > 1 else [])
        writer.begin()
        assert writer.number(SUM, Planning.KEPT) == 3 + number
        writer.number("INSERT INTO t VALUES (1)", Planning.OPTIMIZED)
        writer.number("COMMIT")
    assert connection.prepared == [SUM]


@pytest.mark.parametrize(
    "made",
    [
        "CREATE OR REPLACE TEMP TABLE x AS SELECT 1",
        "CREATE TABLE y (n BIGINT)",
        "ALTER TABLE t ADD COLUMN m INT",
        "CREATE OR REPLACE MACRO one() AS 1",
    ],
)
def test_after_something_was_made_it_is_prepared_again(
    made: str, connection: Recording, writer: Writer
) -> None:
    """The engine would plan it at every execution: it trusts no plan from before."""
    for _ in range(2):
        assert writer.number(SUM, Planning.KEPT) == 3
    writer.begin()
    writer.number(made)
    for _ in range(3):
        assert writer.number(SUM, Planning.KEPT) == 3
    writer.number("COMMIT")
    assert connection.prepared == [SUM, SUM]
    for _ in range(3):
        writer.begin()
        assert writer.number(SUM, Planning.KEPT) == 3
        writer.number("COMMIT")
    assert connection.prepared == [SUM, SUM, SUM]  # Now all see it.


def test_after_others_made_something_it_is_prepared_again(
    connection: Recording, writer: Writer
) -> None:
    writer.begin()
    for _ in range(2):
        assert writer.number(SUM, Planning.KEPT) == 3
    writer.number("COMMIT")
    other = connection.engine.cursor()
    other.execute("CREATE TABLE z (n BIGINT)")
    writer.disturb()
    for _ in range(3):
        writer.begin()
        assert writer.number(SUM, Planning.KEPT) == 3
        writer.number("COMMIT")
    assert connection.prepared == [SUM, SUM]


def test_what_was_run_lately_is_prepared_when_there_is_time(
    connection: Recording, writer: Writer
) -> None:
    assert not writer.prepare_ahead()
    writer.begin()
    writer.fill("x", "SELECT n FROM t", "SELECT n FROM t", Planning.KEPT)
    writer.number(SUM, Planning.KEPT)
    writer.number("COMMIT")
    while writer.prepare_ahead():
        pass
    assert sorted(connection.prepared) == ["INSERT INTO x BY NAME SELECT n FROM t", SUM]
    writer.begin()
    assert writer.number(SUM, Planning.KEPT) == 3
    writer.number("COMMIT")
    assert len(connection.prepared) == 2


def test_what_is_gone_is_not_prepared(connection: Recording, writer: Writer) -> None:
    connection.engine.execute("CREATE TABLE other AS SELECT 1 AS n")
    for sql in ("SELECT n FROM other", SUM):
        writer.number(sql, Planning.KEPT)
    connection.engine.execute("DROP TABLE other")
    writer.disturb()
    assert writer.prepare_ahead()
    with pytest.raises(duckdb.CatalogException):
        writer.prepare_ahead()
    assert not writer.prepare_ahead()
    assert connection.prepared[0] == SUM


@pytest.mark.parametrize(
    ("sql", "is_made"),
    [
        ("CREATE TABLE s16400_1 AS SELECT 1", True),
        ("CREATE OR REPLACE TABLE s16400_1 AS SELECT 1", True),
        ("DROP TABLE IF EXISTS s16400_1", True),
        ("CREATE INDEX x1 ON r1 (c1)", True),
        ("CREATE TABLE staging.w1 AS SELECT 1", False),
        ("DROP TABLE IF EXISTS staging.w1", False),
        ("CREATE OR REPLACE TEMP VIEW r1 AS SELECT 1", False),
        ("DROP VIEW temp.r1", False),
        ("INSERT INTO staging.w1 VALUES (1)", False),
    ],
)
def test_what_others_make_that_plans_are_of(sql: str, *, is_made: bool) -> None:
    assert is_made_for_all(sql) is is_made


def test_a_table_that_is_filled_again_holds_the_new_rows_only(writer: Writer) -> None:
    query = "SELECT n FROM t WHERE n > 1"
    for planning in (*Planning, *Planning):
        assert writer.fill("x", query, None, planning) == 1
        assert writer.number("SELECT count(*) FROM x", Planning.KEPT) == 1


def test_rows_that_were_added_to_a_table_go_when_it_is_filled_again(writer: Writer) -> None:
    assert writer.fill("x", "SELECT n FROM t WHERE n > 9", "SELECT n FROM t", Planning.KEPT) == 0
    writer.number("INSERT INTO x VALUES (5)")
    assert writer.fill("x", "SELECT n FROM t WHERE n > 9", "SELECT n FROM t", Planning.KEPT) == 0
    assert writer.number("SELECT count(*) FROM x") == 0


def test_what_a_lost_transaction_made_is_made_again(writer: Writer) -> None:
    writer.begin()
    writer.fill("x", "SELECT n FROM t", None, Planning.KEPT)
    writer.number("ROLLBACK")
    writer.lost()
    assert writer.fill("x", "SELECT n FROM t", None, Planning.KEPT) == 2


def test_a_table_that_had_many_rows_is_as_right_as_a_new_one(writer: Writer) -> None:
    for rows in (3000, 1, 3000, 0, 2):
        query = f"SELECT range AS n FROM range({rows})"
        assert writer.fill("x", query, "SELECT n FROM t", Planning.AS_WRITTEN) == rows
        assert writer.number("SELECT count(*) FROM x", Planning.KEPT) == rows


def test_a_table_has_the_columns_of_the_query_that_it_is_filled_with(writer: Writer) -> None:
    for columns in ("n", "n, n + 1 AS m", "n"):
        query = f"SELECT {columns} FROM t"
        assert writer.fill("x", query, None, Planning.KEPT) == 2
        width = "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'x'"
        assert writer.number(width) == columns.count(",") + 1


def test_a_gauge_counts_when_what_was_added_may_have_passed_the_limit() -> None:
    rows, counted = 5, []

    def count(name: str) -> int:
        counted.append(name)
        return rows

    gauge = Gauge()
    assert gauge.is_within("t", 10, count)
    gauge.add("t", 4)
    assert gauge.is_within("t", 10, count)
    assert counted == ["t"]
    gauge.add("t", 3)
    rows = 8
    assert gauge.is_within("t", 10, count)
    rows = 11
    gauge.add("t", 3)
    assert not gauge.is_within("t", 10, count)
    assert counted == ["t"] * 3


@pytest.mark.parametrize(("rows", "is_dropped"), [(30_000, True), (10, False)])
@pytest.mark.parametrize("rests", [True, False])
def test_a_large_temporary_table_is_dropped_in_a_rest_or_some_epochs_later(
    connection: Recording, writer: Writer, rows: int, is_dropped: bool, rests: bool
) -> None:
    writer.begin()
    writer.number(f"CREATE OR REPLACE TEMP TABLE d1 AS SELECT 1 AS n FROM range({rows})")
    connection.execute("COMMIT")
    while rests and writer.prepare_ahead():
        pass
    for _ in range(0 if rests else 10):
        writer.begin()
        connection.execute("COMMIT")
    left = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'd1'"
    assert writer.number(left) == (not is_dropped)
