"""The contract of operators: what a plan asks of each of its nodes.

A node stands for a relation: its visible columns ``c1..cn`` and a stream key, whose columns are
visible ones or hidden ones named ``k1..km``. It can say what its rows are (``rows``), and in an
epoch how they changed (``delta``). Deltas use the new-state formulation: while a program runs,
``rows`` of every node is the state after the epoch, and a node's ``delta`` asks for those of its
inputs first, so that their stored state has moved on when its own statements run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from barrier.stream.describe import Described, Names
from barrier.stream.program import Program
from barrier.stream.relations import InputRelation
from barrier.stream.strategy import Sizes
from barrier.stream.zset import Delta
from catalog.oid import Oid


class NotIncrementalError(Exception):
    """A query cannot be maintained from changes; the message says why."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Operator(ABC):
    """A node of a plan.

    Attributes:
        columns: The visible columns.
        key: The columns that identify a row; NULL may stand in them. Empty: at most one row.
        inputs: The nodes it reads.
        table: Where its state is stored, the node's own columns among it; None: nowhere.
        exact: Visible columns whose equal values are known to be identical.
    """

    columns: tuple[str, ...]
    key: tuple[str, ...]
    inputs: tuple[Operator, ...] = ()
    table: str | None = None
    exact: frozenset[str] = frozenset()

    @property
    def storage_columns(self) -> tuple[str, ...]:
        """The visible columns and the hidden ones of the key."""
        return self.columns + tuple(name for name in self.key if name not in self.columns)

    @property
    def reads(self) -> frozenset[Oid]:
        """The stored relations under this node."""
        return frozenset[Oid]().union(*(node.reads for node in self.inputs))

    @property
    def reads_clock(self) -> bool:
        """Whether the node's own rows change as time passes."""
        return False

    @property
    def is_kept_only(self) -> bool:
        """Whether the node's rows tell when others came, so that they cannot be computed anew."""
        return False

    @abstractmethod
    def rows(self) -> exp.Expr:
        """Return a table or query of the storage columns: the rows after the epoch."""

    @abstractmethod
    def delta(self, program: Program) -> Delta | None:
        """Add what the epoch does to this node's state to a program; None: nothing changed.

        Asked at most once per program, through ``program.delta``.
        """

    @abstractmethod
    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""

    def fill(self) -> exp.Expr:
        """Return the query whose rows are the whole state table, from the inputs' rows."""
        return self.rows()

    def restricted(self, conditions: Sequence[exp.Expr], alias: str) -> Operator | None:  # noqa: ARG002
        """Return this node with only the rows that satisfy conditions; None if it cannot say.

        Only asked of a node that nobody else reads, in whose place the returned one goes.

        Args:
            conditions: Conditions over this node's columns alone, of which all hold.
            alias: What this node is called in them.
        """
        return None

    def rows_estimate(self, sizes: Sizes) -> int:
        """Guess how many rows the node has."""
        return max((sizes.rows(node) for node in self.inputs), default=1)

    def changes_estimate(self, sizes: Sizes) -> int:
        """Guess how many rows the node's delta has."""
        return sum(sizes.changes(node) for node in self.inputs)

    def delta_cost(self, sizes: Sizes) -> int:  # noqa: ARG002
        """Guess how many rows the node's delta reads beyond its inputs' deltas."""
        return 0

    def anew_cost(self, sizes: Sizes) -> int:
        """Guess how many rows the node reads when it is computed anew."""
        return sum(sizes.rows(node) for node in self.inputs)


class Builder(Protocol):
    """What a rule may ask while it turns a query into operators."""

    def build(self, query: exp.Expr, *, is_root: bool = False) -> Operator:
        """Return the operator of a query; one that recomputes if no rule takes it."""
        ...

    def source(self, item: exp.Expr) -> tuple[str, Operator]:
        """Return alias and operator of an item of FROM.

        Raises:
            NotIncrementalError: No rule takes it.
        """
        ...

    def state_table(self, *, is_root: bool) -> str:
        """Name a new state table; the root of a view stores its state as the view's rows."""
        ...

    def relation(self, table: str) -> InputRelation | None:
        """Return what is stored under a name."""
        ...

    def common_tables(self) -> Mapping[str, exp.CTE]:
        """Return all common table expressions met so far, in order."""
        ...


class Rule(Protocol):
    """Turns queries of one shape into operators."""

    def __call__(self, query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
        """Return the operator, or None when the query has another shape.

        Raises:
            NotIncrementalError: It has the shape, but cannot be maintained from changes.
        """
        ...


class SourceRule(Protocol):
    """Turns items of FROM of one kind into operators."""

    def __call__(self, item: exp.Expr, builder: Builder) -> Operator | None:
        """Return the operator, or None when the item is of another kind."""
        ...
