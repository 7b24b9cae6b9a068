"""Running the program of one view for one epoch, each statement in the cheapest way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from barrier.gauge import Gauge
from barrier.kept_plans import Planning
from barrier.store import Attempt
from barrier.stream.plan import Plan
from barrier.stream.program import Statement, delta_name

#: A statement is run as it is written if it reads no stored table of more rows than this,
ROWS_MAX: Final = 100_000
#: nor so many pairs of a stored row and a changed one,
PAIRS_MAX: Final = 200_000
#: nor changes of more rows than this.
_CHANGES_MAX: Final = 10_000


@dataclass
class Stepping:
    """One view's program on its way.

    Attributes:
        attempt: The epoch's transaction.
        gauge: What is known of the sizes of views' tables.
        sizes: What is known of the sizes of stored relations, by table.
        deltas: The rows of the deltas that there are, by table.
    """

    attempt: Attempt
    gauge: Gauge
    sizes: Callable[[str], int | None]
    deltas: dict[str, int] = field(default_factory=dict)

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
            if touched >= self.deltas.get(statement.rest_of or "", touched + 1):
                continue
            touched = self._run(plan, statement)
            if statement.is_question:
                answer, touched = touched, 0
            own += touched if plan.is_own_change(statement) else 0
        return own

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
