"""Running the program of one view for one epoch, each statement in the cheapest way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from barrier.gauge import Gauge
from barrier.given_rows import GivenRows
from barrier.kept_plans import Planning
from barrier.store import Attempt
from barrier.stream.plan import Plan
from barrier.stream.program import Statement, delta_name
from barrier.stream.zset import WEIGHT, Some

#: A statement is run as it is written if it reads no stored table of more rows than this,
ROWS_MAX: Final = 100_000
#: nor so many pairs of a stored row and a changed one: looking at these takes 2 ms, about as long
#: as the optimizer does,
PAIRS_MAX: Final = 600_000
#: nor changes of more rows than this.
_CHANGES_MAX: Final = 10_000


@dataclass
class Stepping:
    """One view's program on its way.

    Attributes:
        attempt: The epoch's transaction.
        gauge: What is known of the sizes of views' tables.
        sizes: What is known of the sizes of stored relations, by table.
        deltas: How many rows the deltas have that there are, by table.
        told: Of some of them all rows, as values.
    """

    attempt: Attempt
    gauge: Gauge
    sizes: Callable[[str], int | None]
    deltas: dict[str, int] = field(default_factory=dict)
    told: Mapping[str, GivenRows] = field(default_factory=dict)

    def is_light(self, plan: Plan, changes: int) -> bool:
        """Whether all tables that a view owns are small beside so many changed rows."""
        limit = min(ROWS_MAX, PAIRS_MAX // max(changes, 1))
        return all(self.gauge.is_within(name, limit, self._count) for name in plan.tables)

    def run(self, plan: Plan, statements: Iterable[Statement]) -> int:
        """Run a program; returns how many rows of the view itself it touched."""
        own = answer = touched = 0
        for statement in statements:
            if statement.when is not None and statement.when != (answer > 0):
                continue
            if statement.rest is not None and self._are_all(statement.rest, touched):
                continue
            if statement.losers is not None and not self._can_lose(statement.losers):
                continue
            touched = self._run(plan, statement)
            if statement.is_question:
                answer, touched = touched, 0
            own += touched if plan.is_own_change(statement) else 0
        return own

    def _are_all(self, some: Some, touched: int) -> bool:
        """Whether a statement that touched so many groups has left none of some."""
        if touched in (0, self.deltas[some.delta]):
            return touched > 0
        rows = self.told.get(some.delta)
        if rows is not None and some.columns is not None:
            if touched >= rows.groups(some.columns):
                return True
            if some.are_apart:
                return False
        if some.count is None:
            return False
        # What it costs to count them is less than half of what it costs to look for new ones.
        return touched >= self.attempt.run(some.count, planning=Planning.KEPT)

    def _can_lose(self, some: Some) -> bool:
        """Whether some of these groups may have lost rows."""
        rows = self.told.get(some.delta)
        return rows is None or some.members is None or rows.loses(some.members, WEIGHT)

    def _run(self, plan: Plan, statement: Statement) -> int:
        planning = Planning.KEPT if self._is_light(statement) else Planning.OPTIMIZED
        if statement.temporary is not None:
            name, query = statement.temporary
            # All programs of a view fill the one table of its delta, but each its own others.
            like = plan.empty_delta if name == delta_name(plan.oid) else None
            rows = self.deltas[name] = self.attempt.fill(name, query, like=like, planning=planning)
            return rows
        if isinstance(statement.tree, exp.Drop):
            return self.attempt.run(statement.sql)
        touched = self.attempt.run(statement.sql, planning=planning)
        if isinstance(statement.tree, exp.Insert | exp.Merge):
            self.gauge.add(statement.target, touched)
        return touched

    def _is_light(self, statement: Statement) -> bool:
        reads = statement.reads
        if reads is None or not reads.deltas <= self.deltas.keys():
            return False
        changes = sum(self.deltas[name] for name in reads.deltas)
        if changes > _CHANGES_MAX:
            return False
        limit = min(ROWS_MAX, PAIRS_MAX // max(changes, 1))
        return all(self._is_within(name, limit) for name in reads.stored)

    def _is_within(self, name: str, limit: int) -> bool:
        known = self.sizes(name)
        if known is not None:
            return known <= limit
        return self.gauge.is_within(name, limit, self._count)

    def _count(self, name: str) -> int:
        return self.attempt.value(f"SELECT count(*) FROM {name}")


def run_plainly(attempt: Attempt, plan: Plan, statements: Iterable[Statement]) -> int:
    """Run a program that asks nothing; returns how many rows of the view itself it touched."""
    own = 0
    for statement in statements:
        touched = attempt.run(statement.sql)
        own += touched if plan.is_own_change(statement) else 0
    return own
