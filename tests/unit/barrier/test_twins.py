"""Each macro that can fail has a twin that gives NULL instead."""

from __future__ import annotations

import duckdb

from barrier.twins import twins

MACROS = (
    "CREATE OR REPLACE MACRO half(x) AS CASE WHEN x % 2 = 1 THEN error('odd') ELSE x // 2 END",
    "CREATE OR REPLACE MACRO quarter(x) AS half(half(x))",
    "CREATE OR REPLACE MACRO double(x) AS x * 2",
)


def test_macros_that_cannot_fail_have_none() -> None:
    _, names = twins(MACROS)
    assert names == {"half": "half_or_null", "quarter": "quarter_or_null"}


def test_twins_give_null_where_the_others_fail_and_the_same_elsewhere() -> None:
    made, names = twins(MACROS)
    connection = duckdb.connect()
    for statement in (*MACROS, *made):
        connection.execute(statement)
    values = connection.execute(
        f"SELECT {names['quarter']}(8), {names['quarter']}(6), TRY({names['half']}(3) + 1)"
    ).fetchone()
    assert values == (2, None, None)
