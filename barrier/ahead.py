"""The programs of views, made ahead while there is nothing to do.

Writing one takes some milliseconds of Python, which the first epoch that needs it would wait for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

from barrier.knowledge import Knowledge
from barrier.stepping import ROWS_MAX
from barrier.stream.plan import ChangeSize, Plan
from catalog.oid import Oid
from catalog.relation import StreamingJob
from catalog.state import Catalog

#: Programs for changes of so many of a view's inputs are made ahead; there are four of a kind for
#: two inputs that change together, and so on.
_INPUTS_MAX: Final = 4

#: What a small epoch does to one input: rows come, or others go as well.
_LIKELY: Final = (ChangeSize(1, 0), ChangeSize(1, 1))


@dataclass
class Ahead:
    """Remembers for which plans how many programs were made, and when all were."""

    _made: WeakKeyDictionary[Plan, int] = field(default_factory=WeakKeyDictionary)
    #: There are no other plans without another catalog.
    _all_made_for: Catalog | None = None

    def make_one(self, known: Knowledge) -> bool:
        """Make a program that a small epoch will need; returns whether there was one to make."""
        if known.catalog is self._all_made_for:
            return False
        for view in known.graph.maintained:
            plan = known.plans[view.oid]
            made = self._made.get(plan, 0)
            if (change := next(islice(_changes(plan), made, None), None)) is not None:
                self._made[plan] = made + 1
                _make(known, view, plan, *change)
                return True
        self._all_made_for = known.catalog
        return False


def _changes(plan: Plan) -> Iterator[tuple[Oid, ChangeSize]]:
    for oid in sorted(plan.reads)[:_INPUTS_MAX]:
        for size in _LIKELY:
            yield oid, size


def _make(known: Knowledge, view: StreamingJob, plan: Plan, oid: Oid, change: ChangeSize) -> None:
    is_light = known.sizes.get(view.oid, 0) <= ROWS_MAX
    is_read = view.oid in known.graph.read
    for statement in plan.step({oid: change}, known.sizes, needs_delta=is_read, is_light=is_light):
        _ = statement.sql, statement.temporary, statement.reads
