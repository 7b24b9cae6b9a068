"""The classic mistakes of incremental maintenance, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pytest

from barrier import stepping
from catalog.oid import Oid
from tests.oracle.database import Database, Row, TableSpec

T = TableSpec(
    Oid(1), {"c1": "INTEGER", "c2": "VARCHAR", "c3": "DOUBLE", "c4": "INTERVAL", "c5": "BIGINT"}
)
U = TableSpec(Oid(2), {"c1": "INTEGER", "c2": "INTEGER"}, ("c1",))

Change = tuple[Row, int]


class Case:
    """Tables ``r1`` (no key) and ``r2`` (key c1) under views, all compared after every epoch."""

    def __init__(self, *queries: str) -> None:
        self.database = Database((T, U))
        self.row_ids = 0
        for i, query in enumerate(queries):
            self.database.create(Oid(101 + i), query)
        self.database.check()

    def row(
        self,
        a: int | None = 1,
        b: str | None = "x",
        d: float | None = 0.0,
        interval: str | None = None,
        big: int | None = 1,
    ) -> Row:
        self.row_ids += 1
        return (a, b, d, interval, big, self.row_ids)

    def epoch(self, *t: Change, u: Sequence[Change] = ()) -> None:
        self.database.epoch({Oid(1): t, Oid(2): u})
        self.database.check()

    def shown(self, oid: int = 101) -> list[Row]:
        columns = ", ".join(self.database.plans[Oid(oid)].root.columns)
        return self.database.rows(f"SELECT {columns} FROM r{oid} ORDER BY ALL NULLS FIRST")


GROUPED_SUM = "SELECT t1.c1 AS c1, SUM(CAST(t1.c3 AS DOUBLE)) AS c2 FROM r1 AS t1 GROUP BY t1.c1"


def test_a_huge_float_leaves_without_taking_the_others_along() -> None:
    case = Case(GROUPED_SUM)
    huge = case.row(d=1e20)
    case.epoch((case.row(d=1.5), 1), (huge, 1))
    case.epoch((huge, -1))
    assert case.shown() == [(1, 1.5)]


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_infinity_and_nan_leave(value: float) -> None:
    case = Case(GROUPED_SUM)
    special = case.row(d=value)
    case.epoch((case.row(d=1.0), 1), (special, 1))
    case.epoch((special, -1))
    assert case.shown() == [(1, 1.0)]


def test_null_is_one_group_and_leaves_when_it_is_empty() -> None:
    case = Case("SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r1 AS t1 GROUP BY t1.c1")
    one, two = case.row(a=None), case.row(a=None)
    case.epoch((one, 1))
    case.epoch((two, 1))
    assert case.shown() == [(None, 2)]
    case.epoch((one, -1), (two, -1))
    assert case.shown() == []


def test_a_sum_of_nulls_is_null_and_of_nothing_left_too() -> None:
    case = Case("SELECT SUM(CAST(t1.c5 AS BIGINT)) AS c1, COUNT(*) AS c2 FROM r1 AS t1")
    assert case.shown() == [(None, 0)]
    value = case.row(big=5)
    case.epoch((case.row(big=None), 1), (value, 1))
    assert case.shown() == [(5, 2)]
    case.epoch((value, -1))
    assert case.shown() == [(None, 1)]


def test_sums_pass_the_range_of_their_argument_and_come_back() -> None:
    case = Case("SELECT SUM(CAST(t1.c5 AS BIGINT)) AS c1 FROM r1 AS t1")
    lowest = case.row(big=-(2**63))
    case.epoch((lowest, 1), (case.row(big=-(2**63)), 1))
    assert case.shown() == [(-(2**64),)]
    case.epoch((lowest, -1))
    assert case.shown() == [(-(2**63),)]


def test_one_of_two_equal_rows_leaves() -> None:
    case = Case("SELECT t1.c1 AS c1 FROM r1 AS t1", "SELECT t2.c1 AS c1 FROM r101 AS t2 LIMIT 9")
    first = case.row()
    case.epoch((first, 1), (case.row(), 1))
    case.epoch((first, -1))
    assert case.shown() == case.shown(102) == [(1,)]


def test_an_update_that_a_view_does_not_show_is_no_change_of_it() -> None:
    case = Case("SELECT t1.c1 AS c1 FROM r2 AS t1", "SELECT t2.c1 AS c1 FROM r101 AS t2")
    case.epoch(u=[((1, 1), 1)])
    case.epoch(u=[((1, 1), -1), ((1, 2), 1)])
    assert case.shown(102) == [(1,)]


def test_a_self_join_sees_both_sides_change() -> None:
    case = Case("SELECT t1.c1 AS c1, t2.c1 AS c2 FROM r2 AS t1 JOIN r2 AS t2 ON t1.c2 = t2.c1")
    case.epoch(u=[((1, 2), 1), ((2, 1), 1)])
    assert case.shown() == [(1, 2), (2, 1)]
    case.epoch(u=[((1, 2), -1), ((2, 1), -1), ((3, 3), 1)])
    assert case.shown() == [(3, 3)]


def test_three_sides_change_at_once() -> None:
    case = Case(
        "SELECT t1.c1 AS c1, t2.c2 AS c2, t3.c1 AS c3 FROM r2 AS t1, r2 AS t2, r1 AS t3 "
        "WHERE t1.c1 = t2.c2 AND t2.c1 = t3.c1"
    )
    gone = case.row(a=2)
    case.epoch((gone, 1), (case.row(a=1), 1), u=[((1, 2), 1), ((2, 1), 1)])
    case.epoch((gone, -1), (case.row(a=3), 1), u=[((1, 2), -1), ((1, 3), 1), ((3, 1), 1)])


def test_a_diamond_counts_nothing_twice() -> None:
    case = Case(
        "SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r1 AS t1 GROUP BY t1.c1",
        "SELECT t2.c1 AS c1 FROM r101 AS t2 WHERE t2.c2 > 1",
        "SELECT t3.c1 AS c1, t4.c2 AS c2 FROM r102 AS t3 JOIN r101 AS t4 ON t3.c1 = t4.c1",
    )
    rows = [case.row() for _ in range(3)]
    case.epoch(*((row, 1) for row in rows))
    assert case.shown(103) == [(1, 3)]
    case.epoch((rows[0], -1))
    assert case.shown(103) == [(1, 2)]
    case.epoch((rows[1], -1), (case.row(a=None), 1))
    assert case.shown(103) == []


def test_having_hides_a_group_and_keeps_count_of_it() -> None:
    case = Case(
        "SELECT t1.c1 AS c1, 10 // (COUNT(*) - 1) AS c2 FROM r1 AS t1 GROUP BY t1.c1 "
        "HAVING COUNT(*) > 1"
    )
    first = case.row()
    case.epoch((first, 1))
    assert case.shown() == []
    case.epoch((case.row(), 1))
    assert case.shown() == [(1, 10)]
    case.epoch((first, -1))
    assert case.shown() == []


def test_the_least_value_leaves_and_the_next_is_found() -> None:
    case = Case(
        "SELECT t1.c2 AS c1, MIN(CAST(t1.c1 AS INTEGER)) AS c2, MAX(CAST(t1.c1 AS INTEGER)) AS c3 "
        "FROM r1 AS t1 GROUP BY t1.c2"
    )
    least, twin = case.row(a=1), case.row(a=1)
    case.epoch((least, 1), (twin, 1), (case.row(a=5), 1), (case.row(a=None), 1))
    case.epoch((least, -1))
    assert case.shown() == [("x", 1, 5)]
    case.epoch((twin, -1))
    assert case.shown() == [("x", 5, 5)]


def test_a_month_that_becomes_thirty_days_is_a_change() -> None:
    case = Case(
        "SELECT t1.c4 AS c1 FROM r1 AS t1",
        "SELECT t2.c1 AS c1 FROM r101 AS t2 ORDER BY t2.c1 LIMIT 9",
        "SELECT t3.c1 AS c1 FROM r102 AS t3",
    )
    month = case.row(interval="1 month")
    case.epoch((month, 1), (case.row(interval="1 month"), 1))
    case.epoch((month, -1), ((*month[:3], "30 days", *month[4:]), 1))
    texts = case.database.rows("SELECT c1::VARCHAR FROM r103 ORDER BY 1")
    assert texts == [("1 month",), ("30 days",)]


def test_zero_that_becomes_minus_zero_is_a_change() -> None:
    case = Case("SELECT t1.c3 AS c1 FROM r1 AS t1")
    zero = case.row(d=0.0)
    case.epoch((zero, 1))
    case.epoch((zero, -1), ((*zero[:2], -0.0, *zero[3:]), 1))
    assert case.database.rows("SELECT c1::VARCHAR FROM r101") == [("-0.0",)]


def test_a_common_table_read_twice_is_maintained_once() -> None:
    case = Case(
        "WITH w1 AS (SELECT t1.c1 AS c1, COUNT(*) AS c2 FROM r1 AS t1 GROUP BY t1.c1) "
        "SELECT t2.c1 AS c1, t3.c2 AS c2 FROM w1 AS t2 JOIN w1 AS t3 ON t2.c1 = t3.c2"
    )
    case.epoch((case.row(a=1), 1), (case.row(a=2), 1))
    case.epoch((case.row(a=2), 1))
    assert case.database.plans[Oid(101)].tables == ("s101_1", "r101")


def test_a_recomputed_common_table_finds_its_definition() -> None:
    case = Case(
        "WITH w1 AS (SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c1 > 0), "
        "w2 AS (SELECT t2.c1 AS c1 FROM w1 AS t2 ORDER BY t2.c1 LIMIT 2) "
        "SELECT t3.c1 AS c1, t4.c1 AS c2 FROM w2 AS t3 JOIN r2 AS t4 ON t3.c1 = t4.c1"
    )
    case.epoch((case.row(a=1), 1), (case.row(a=2), 1), (case.row(a=3), 1), u=[((2, 2), 1)])
    assert case.shown() == [(2, 2)]


def test_a_recursive_query_is_computed_anew() -> None:
    case = Case(
        "WITH RECURSIVE w1 AS (SELECT t1.c1 AS c1, t1.c2 AS c2 FROM r2 AS t1 UNION ALL "
        "SELECT t2.c1 AS c1, t3.c2 AS c2 FROM w1 AS t2 JOIN r2 AS t3 ON t2.c2 = t3.c1) "
        "SELECT t4.c1 AS c1, COUNT(*) AS c2 FROM w1 AS t4 GROUP BY t4.c1"
    )
    case.epoch(u=[((1, 2), 1), ((2, 3), 1), ((3, 4), 1)])
    case.epoch(u=[((2, 3), -1)])
    assert case.shown() == [(1, 1), (3, 1)]


def test_branches_of_different_types_agree_whichever_changes() -> None:
    case = Case(
        "SELECT t1.c1 AS c1 FROM r1 AS t1 UNION ALL SELECT t2.c5 AS c1 FROM r1 AS t2 "
        "UNION ALL SELECT t3.c1 AS c1 FROM r2 AS t3",
        "SELECT SUM(CAST(t4.c1 AS BIGINT)) AS c1 FROM r101 AS t4",
    )
    case.epoch(u=[((2**31 - 1, 1), 1)])
    case.epoch((case.row(a=2**31 - 1, big=2**62), 1))
    case.epoch(u=[((2**31 - 1, 1), -1)])


def test_the_two_newest_of_each_group_follow_inserts_deletes_and_moves() -> None:
    case = Case(
        "SELECT t2.c1 AS c1, t2.c2 AS c2 FROM (SELECT t1.c2 AS c1, t1.c1 AS c2, "
        "ROW_NUMBER() OVER (PARTITION BY t1.c2 ORDER BY t1.c1 DESC, t1._row_id) AS c3 "
        "FROM r1 AS t1) AS t2 WHERE t2.c3 <= 2"
    )
    rows = [case.row(a=a, b=b) for a in (1, 2, 3) for b in ("x", None)]
    case.epoch(*((row, 1) for row in rows))
    assert case.shown() == [(None, 2), (None, 3), ("x", 2), ("x", 3)]
    case.epoch((rows[4], -1))
    assert case.shown() == [(None, 2), (None, 3), ("x", 1), ("x", 2)]
    moved = rows[5]
    case.epoch((moved, -1), ((moved[0], "x", *moved[2:]), 1))
    assert case.shown() == [(None, 1), (None, 2), ("x", 2), ("x", 3)]


def test_a_row_that_moves_unseen_is_no_change() -> None:
    case = Case(
        "SELECT COUNT(*) OVER (PARTITION BY t1.c2) AS c1 FROM r1 AS t1",
        "SELECT t2.c1 AS c1 FROM r101 AS t2",
    )
    row = case.row(b="x")
    case.epoch((row, 1))
    case.epoch((row, -1), ((row[0], "y", *row[2:]), 1))
    case.epoch((case.row(b="y"), 1))
    assert case.shown(102) == [(2,), (2,)]


def test_windows_over_aggregates_are_computed_anew() -> None:
    case = Case(
        "SELECT SUM(COUNT(*)) OVER (PARTITION BY 1) AS c1 FROM r1 AS t1",
        "SELECT t1.c1 AS c1, SUM(COUNT(*)) OVER (PARTITION BY t1.c1) AS c2 FROM r1 AS t1 GROUP BY t1.c1",
    )
    case.epoch((case.row(), 1))


def test_in_and_exists_keep_a_row_once() -> None:
    case = Case(
        "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c1 IN (SELECT t2.c2 AS c1 FROM r2 AS t2)",
        "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE EXISTS (SELECT 1 AS c1 FROM r2 AS t2 "
        "WHERE t2.c2 = t1.c1 AND t2.c1 > 0) AND t1.c2 = 'x'",
        "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE EXISTS (SELECT 1 AS c1 FROM r2 AS t2 "
        "WHERE t2.c2 > t1.c1)",
        "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE NOT EXISTS (SELECT 1 AS c1 FROM r2 AS t2 "
        "WHERE t2.c2 = t1.c1)",
    )
    plans = ["\n".join(plan.explain()) for plan in case.database.plans.values()]
    assert not any("recompute" in text for text in plans)
    case.epoch((case.row(), 1), (case.row(a=None), 1), u=[((1, 1), 1), ((2, 1), 1), ((3, None), 1)])
    assert case.shown() == case.shown(102) == [(1,)]
    case.epoch(u=[((1, 1), -1)])
    assert case.shown() == [(1,)]
    case.epoch(u=[((2, 1), -1)])
    assert case.shown() == []


@pytest.mark.parametrize("side", ["LEFT", "RIGHT"])
def test_an_outer_join_fills_with_nulls_and_takes_them_back(side: str) -> None:
    case = Case(
        f"SELECT t1.c2 AS c1, t2.c2 AS c2 FROM r2 AS t1 {side} JOIN r2 AS t2 ON t1.c1 = t2.c2",
        "SELECT t3.c1 AS c1, COUNT(t4.c2) AS c2 FROM r2 AS t3 LEFT JOIN r1 AS t4 ON t3.c1 = t4.c1 "
        "LEFT JOIN r2 AS t5 ON t4.c5 = t5.c1 AND t5.c2 > 0 GROUP BY t3.c1",
        "SELECT t6.c1 AS c1, t7.c1 AS c2 FROM (SELECT MAX(CAST(t8.c1 AS INTEGER)) AS c1 FROM r2 AS t8) "
        "AS t6 LEFT JOIN r1 AS t7 ON t6.c1 = t7.c1",
        "SELECT COUNT(*) AS c1 FROM r2 AS t9",
        "SELECT t10.c1 AS c1 FROM r104 AS t11 LEFT JOIN r2 AS t10 ON TRUE",
        "SELECT t12.c1 AS c1 FROM r2 AS t12 LEFT JOIN r104 AS t13 ON TRUE",
    )
    case.epoch(u=[((1, 2), 1)])
    case.epoch((case.row(a=1), 1), u=[((2, 1), 1)])
    row = case.row(a=2)
    case.epoch((row, 1), u=[((1, 2), -1), ((1, None), 1)])
    case.epoch((row, -1), u=[((2, 1), -1)])


def test_values_join_as_constants() -> None:
    case = Case(
        "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 "
        "JOIN (VALUES (1, 'one'), (2, 'two')) AS t2(c1, c2) ON t1.c1 = t2.c1"
    )
    case.epoch((case.row(a=2), 1), (case.row(a=3), 1))
    assert case.shown() == [(2, "two")]


def test_a_view_of_the_clock_runs_in_every_epoch() -> None:
    case = Case()
    case.database.connection.execute("SET VARIABLE epoch_now = 0")
    case.database.create(
        Oid(101),
        "SELECT t1.c1 AS c1 FROM r2 AS t1 WHERE t1.c2 <= CAST(getvariable('epoch_now') AS INTEGER)",
    )
    assert case.database.plans[Oid(101)].runs_every_epoch
    case.database.connection.execute("SET VARIABLE epoch_now = 1")
    case.epoch(u=[((1, 1), 1), ((2, 2), 1)])
    assert case.shown() == [(1,)]
    case.database.connection.execute("SET VARIABLE epoch_now = 2")
    case.epoch()
    assert case.shown() == [(1,), (2,)]


@pytest.mark.parametrize("rows_max", [0, 3, 100])
def test_the_temporary_tables_of_one_program_are_no_other_ones(rows_max: int) -> None:
    database = Database((T, U), is_stepping=True)
    query = "SELECT t1.c2 AS c1, t2.c2 AS c2 FROM r1 AS t1 LEFT JOIN r2 AS t2 ON t1.c1 = t2.c1"
    database.create(Oid(101), query)
    database.create(Oid(102), "SELECT t1.c1 AS c1, MIN(t1.c2) AS c2 FROM r101 AS t1 GROUP BY t1.c1")
    rows: list[Row] = [(n, "x", 0.0, None, 1, n) for n in range(6)]
    with patch.object(stepping, "ROWS_MAX", rows_max):
        for n, row in enumerate(rows):
            # Each is a program of its own; what they put aside has other columns.
            first, then = (n, 5), (n, 4)
            steps: list[dict[Oid, list[Change]]] = [
                {Oid(2): [(first, 1)]},
                {Oid(1): [(row, 1)]},
                {Oid(1): [(row, -1)], Oid(2): [(first, -1), (then, 1)]},
                {Oid(1): [(row, 1)]},
            ]
            for step in steps:
                database.epoch(step)
                database.check()


@pytest.mark.parametrize("word", ["EXCEPT ALL", "INTERSECT ALL"])
def test_equal_rows_of_both_sides_are_counted_against_each_other(word: str) -> None:
    sides = f"SELECT t1.c1 AS c1 FROM r1 AS t1 {word} SELECT t2.c2 AS c1 FROM r2 AS t2"
    case = Case(sides, "SELECT COUNT(*) AS c1 FROM r101 AS t9")
    assert "recompute" not in str(case.database.plans[Oid(101)].explain())
    for value in (1, None):
        # Both counts go up and down through 0 and past each other.
        left = [case.row(a=value) for _ in range(3)]
        right = [(n, value) for n in range(3)]
        for row, other in zip(left, right, strict=True):
            case.epoch((row, 1))
            case.epoch(u=[(other, 1)])
        for row in left:
            case.epoch((row, -1))
        case.epoch(*((row, 1) for row in left), u=[(other, -1) for other in right])
        case.epoch(*((row, -1) for row in left))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT t1.c1 AS c1, t2.c2 AS c2 FROM r1 AS t1 FULL JOIN r2 AS t2 ON t1.c1 = t2.c1",
        "SELECT t1.c1 AS c1 FROM r1 AS t1 WHERE t1.c1 NOT IN (SELECT t2.c1 FROM r2 AS t2)",
        "SELECT t1.c1 AS c1, ROW_NUMBER() OVER (ORDER BY t1._row_id) AS c2 FROM r1 AS t1",
        "SELECT t1.c1 AS c1 FROM r1 AS t1 EXCEPT ALL SELECT t2.c1 AS c1 FROM r2 AS t2 LIMIT 99",
        "SELECT t1.c1 AS c1, [t1.c2, NULL] AS c2, {'a': t1.c3} AS c3 FROM r1 AS t1 LIMIT 99",
        "SELECT t1.c2 AS c1, t1.c1 AS c2, COUNT(*) AS c3 FROM r1 AS t1 GROUP BY ROLLUP (t1.c2, t1.c1)",
        "SELECT t1.c1 AS c1, (SELECT MAX(t2.c2) FROM r2 AS t2 WHERE t2.c1 = t1.c1) AS c2 FROM r1 AS t1",
        "SELECT t1.c2 AS c1, LIST(CAST(t1.c1 AS INTEGER) ORDER BY t1.c1) AS c2 FROM r1 AS t1 GROUP BY t1.c2",
        "SELECT t1.c2 AS c1, BOOL_AND(CAST(t1.c1 > 1 AS BOOLEAN)) AS c2, STDDEV(CAST(t1.c1 AS DOUBLE)) AS c3 FROM r1 AS t1 GROUP BY t1.c2",
        "SELECT UNNEST(RANGE(t1.c1)) AS c1 FROM r1 AS t1",
        "SELECT t1.c1 AS c1, t2.c1 AS c2 FROM r1 AS t1 CROSS JOIN (SELECT UNNEST(RANGE(t1.c1)) AS c1) AS t2",
    ],
)
def test_what_has_no_operator_is_right_all_the_same(query: str) -> None:
    case = Case(query, "SELECT COUNT(*) AS c1 FROM r101 AS t9")
    rows = [case.row(a=a, b=b) for a in (1, 1, 2, None) for b in ("x", None)]
    case.epoch(*((row, 1) for row in rows), u=[((1, 1), 1), ((3, 1), 1)])
    case.epoch((rows[0], -1), (rows[7], -1), u=[((1, 1), -1), ((2, 5), 1)])
    case.epoch(*((row, -1) for row in rows[1:7]))
