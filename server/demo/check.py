"""The proof: a view against its query run from scratch, in one snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import psycopg

from server.demo.views import View

#: How far two sums of the same floating-point numbers in another order may be apart, relatively.
_TOLERANCE: Final = "1e-9"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one check."""

    view: View
    rows: int
    wrong: int  #: Rows that only one side has, or that differ.

    @property
    def holds(self) -> bool:
        """Whether the view equals its query."""
        return self.wrong == 0


def check(connection: psycopg.Connection[Any], view: View) -> Verdict:
    """Compare both ways; the columns of ``view.floats`` with a tolerance."""
    rows = _count(connection, f"SELECT count(*) FROM {view.name}")
    if not view.floats:
        return Verdict(view, rows, _count(connection, _difference(view, "*")))
    exact = ", ".join(_exact_columns(connection, view))
    wrong = _count(connection, _difference(view, exact)) + _count(connection, _distance(view))
    return Verdict(view, rows, wrong)


def _difference(view: View, columns: str) -> str:
    mine = f"SELECT {columns} FROM {view.name}"
    scratch = f"SELECT {columns} FROM ({view.query}) AS scratch"
    return (
        f"SELECT count(*) FROM (({mine} EXCEPT ALL {scratch}) "
        f"UNION ALL ({scratch} EXCEPT ALL {mine})) AS difference"
    )


def _distance(view: View) -> str:
    same_row = " AND ".join(f"v.{key} IS NOT DISTINCT FROM q.{key}" for key in view.keys)
    is_far = " OR ".join(
        f"abs(v.{name} - q.{name}) > {_TOLERANCE} * (1 + abs(q.{name})) "
        f"OR (v.{name} IS NULL) <> (q.{name} IS NULL)"
        for name in view.floats
    )
    return f"SELECT count(*) FROM {view.name} v JOIN ({view.query}) q ON {same_row} WHERE {is_far}"


def _exact_columns(connection: psycopg.Connection[Any], view: View) -> list[str]:
    described = connection.execute(f"SELECT * FROM {view.name} LIMIT 0".encode()).description
    assert described is not None
    return [column.name for column in described if column.name not in view.floats]


def _count(connection: psycopg.Connection[Any], sql: str) -> int:
    row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return int(row[0])
