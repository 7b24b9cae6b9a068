"""The choice, for one epoch, between following the changes and computing anew.

Both are counted in rows read. Following a change costs what its joins read of the other sides, per
term; computing anew costs all inputs and twice the view, which is compared and written again.
Guesses suffice: either way is right, and they differ where the choice matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from catalog.oid import Oid

if TYPE_CHECKING:
    from barrier.stream.operator import Operator

#: How much more a row costs that is compared and written than one that is only read.
_ANEW_FACTOR: Final = 2
#: Below this many rows read the number of statements decides, and a delta has fewer.
_ROWS_WORTH_A_CHOICE: Final = 10_000


class Strategy(StrEnum):
    """How a view is brought through an epoch."""

    DELTA = "delta"
    ANEW = "anew"


@dataclass(frozen=True)
class ChangeSize:
    """How many rows an input's delta holds."""

    inserted: int
    deleted: int

    @property
    def total(self) -> int:
        """Inserted and deleted rows."""
        return self.inserted + self.deleted


@dataclass(frozen=True)
class Sizes:
    """What is known of an epoch's sizes: rows of stored relations and of their deltas."""

    relations: Mapping[Oid, int]
    deltas: Mapping[Oid, ChangeSize]
    _rows: dict[Operator, int] = field(default_factory=dict)
    _changes: dict[Operator, int] = field(default_factory=dict)

    def rows(self, node: Operator) -> int:
        """Guess how many rows a node has."""
        if node not in self._rows:
            self._rows[node] = node.rows_estimate(self)
        return self._rows[node]

    def changes(self, node: Operator) -> int:
        """Guess how many rows a node's delta has."""
        if node not in self._changes:
            self._changes[node] = node.changes_estimate(self)
        return self._changes[node]


def choose(nodes: Sequence[Operator], sizes: Sizes, view_rows: int) -> Strategy:
    """Return the cheaper way for the nodes of a plan.

    Args:
        nodes: All nodes, each once.
        sizes: The epoch's sizes, complete for the inputs of the plan.
        view_rows: The rows of the view before the epoch.
    """
    delta, anew = costs(nodes, sizes)
    if delta < _ROWS_WORTH_A_CHOICE:
        return Strategy.DELTA
    return Strategy.DELTA if delta <= _ANEW_FACTOR * (anew + 2 * view_rows) else Strategy.ANEW


def costs(nodes: Sequence[Operator], sizes: Sizes) -> tuple[int, int]:
    """Return about how many rows are read to follow the changes, and to compute all anew."""
    delta = sum(node.delta_cost(sizes) for node in nodes)
    return delta, sum(node.anew_cost(sizes) for node in nodes)
