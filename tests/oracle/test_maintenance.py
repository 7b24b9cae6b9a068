"""Views equal their queries after every epoch.

``view_equals_recomputation``: random stacks of views over random tables, in epochs that change several
tables at once; each view's delta is what its readers are told it is. ``view_computed_anew``: the same
when everything is computed anew, and when that alternates with following changes. ``stepped_view``: the
same as the worker does it, with plans that are kept while all is small, for several meanings of small.
"""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from barrier import stepping
from barrier.stream import plan, strategy
from barrier.stream.strategy import Strategy
from catalog.oid import Oid
from tests.oracle.database import Database, Row
from tests.oracle.grammar import TABLES, epochs, view_stacks

Changes = list[dict[Oid, list[tuple[Row, int]]]]


def run(
    queries: list[str], changes: Changes, *, knows_sizes: bool = True, is_stepping: bool = False
) -> None:
    database = Database(TABLES, knows_sizes=knows_sizes, is_stepping=is_stepping)
    first, *rest = changes
    database.epoch(first)
    for i, query in enumerate(queries):
        database.create(Oid(101 + i), query)
    database.check()
    for change in rest:
        database.epoch(change)
        database.check()
    database.connection.close()


@given(view_stacks(), epochs())
def test_view_equals_recomputation(queries: list[str], changes: Changes) -> None:
    run(queries, changes)


@given(view_stacks(allows_recompute=False), epochs(), st.sampled_from([0, 1000]))
def test_incremental_view_equals_recomputation(
    queries: list[str], changes: Changes, rows_small: int
) -> None:
    with patch.object(plan, "_ROWS_SMALL_MAX", rows_small):
        run(queries, changes, knows_sizes=False)


@given(view_stacks(), epochs(8), st.booleans(), st.sampled_from([0, 2, 5, 100]))
def test_stepped_view_equals_recomputation(
    queries: list[str], changes: Changes, knows_sizes: bool, rows_max: int
) -> None:
    with patch.object(stepping, "ROWS_MAX", rows_max):
        run(queries, changes, knows_sizes=knows_sizes, is_stepping=True)


@given(view_stacks(), epochs(), st.booleans())
def test_view_computed_anew_equals_recomputation(
    queries: list[str],
    changes: Changes,
    alternates: bool,
) -> None:
    turns = iter([Strategy.ANEW, Strategy.DELTA] * 1000)

    def choose(*_: object) -> Strategy:
        return next(turns) if alternates else Strategy.ANEW

    with patch.object(strategy, "choose", choose):
        run(queries, changes)
