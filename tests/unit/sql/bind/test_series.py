"""A series in a SELECT list gives its rows one by one wherever it can, and the same rows as a list."""

from __future__ import annotations

import pytest
from sqlglot import exp

from tests.unit.sql.bind.conftest import Database

#: What PostgreSQL 15 gives.
ANSWERS = [
    ("SELECT generate_series(1, 3)", [(1,), (2,), (3,)]),
    ("SELECT generate_series(1, 2) + 1, 'x'", [(2, "x"), (3, "x")]),
    ("SELECT generate_series(5, 1, -2) AS a ORDER BY a", [(1,), (3,), (5,)]),
    ("SELECT generate_series(1, 9) AS a ORDER BY a DESC LIMIT 2", [(9,), (8,)]),
    ("SELECT DISTINCT generate_series(1, 5) % 2 AS a ORDER BY 1", [(0,), (1,)]),
    ("SELECT generate_series(1, NULL)", []),
    ("SELECT generate_series(1, 3) WHERE false", []),
    (
        "SELECT generate_series(1, 2) UNION ALL SELECT generate_series(7, 8)",
        [(1,), (2,), (7,), (8,)],
    ),
    ("SELECT sum(n) FROM (SELECT generate_series(1, 4) AS n) s", [(10,)]),
    ("SELECT EXISTS (SELECT generate_series(1, 0))", [(False,)]),
]

#: In these rows are taken from elsewhere too, or it depends on them how many there are.
LISTS = [
    "SELECT generate_series(1, 3), generate_series(1, 2)",
    "SELECT k, generate_series(1, 2) FROM t",
    "SELECT k, (SELECT count(*) FROM (SELECT generate_series(1, k)) s) FROM t",
]


@pytest.mark.parametrize(("sql", "rows"), ANSWERS)
def test_rows_of_a_series(db: Database, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert sorted(db.rows(sql), key=str) == sorted(rows, key=str)
    assert db.bind(sql).tree.find(exp.Explode, exp.Unnest) is None


@pytest.mark.parametrize("sql", LISTS)
def test_other_series_stay_where_they_are(db: Database, sql: str) -> None:
    assert db.bind(sql).tree.find(exp.Explode, exp.Unnest) is not None
