"""Accumulators: what is stored per group so that an aggregate follows its input's changes.

With G a group's rows before the epoch and dG their change, an accumulator has f(G) stored and a
way to f(G + dG):

    count, sum     f(G) + f(dG), since they are sums
    float sum      the same as long as no row goes; addition of floats cannot be taken back
                   (1e20 in and out would lose the rest, and infinity would never leave)
    min, max       the lesser of f(G) and f of what came; if what went may have been it: anew
    anything else  anew, from the group's rows

*Anew* means that the group is stale and its value is computed from the input, for stale groups
only. Accumulators are expressions over one input whose columns are unqualified.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import trees, zset

_INTEGERS: Final = frozenset(
    {
        exp.DType.TINYINT,
        exp.DType.SMALLINT,
        exp.DType.INT,
        exp.DType.UTINYINT,
        exp.DType.USMALLINT,
        exp.DType.UINT,
    }
)
_WIDE_INTEGERS: Final = frozenset({exp.DType.BIGINT, exp.DType.UBIGINT, exp.DType.INT128})
_FLOATS: Final = frozenset({exp.DType.FLOAT, exp.DType.DOUBLE})


@dataclass(frozen=True)
class Accumulator(ABC):
    """One stored value of each group.

    Attributes:
        name: Its column in the state table.
        argument: What is accumulated, over the input's columns.
    """

    name: str
    argument: exp.Expr

    @property
    def needs_consolidated(self) -> bool:
        """Whether a row that comes and goes in one delta would be harmful or costly."""
        return True

    @abstractmethod
    def whole(self) -> exp.Expr:
        """Return the aggregate over a group's rows."""

    def change(self, *, is_insert_only: bool) -> list[exp.Alias]:  # noqa: ARG002
        """Return what is aggregated of a group's delta; names begin with the accumulator's."""
        return []

    @abstractmethod
    def merged(self, old: str, change: str) -> exp.Expr:
        """Return the value after the epoch from relations with the old value and the change."""

    def stale(self, old: str, change: str) -> exp.Expr | None:  # noqa: ARG002
        """Return when the value must be computed anew, if rows went; None: never."""
        return None

    def is_exact(self, known: frozenset[str]) -> bool:
        """Whether equal values are known to be identical, from what is known of the input."""
        return isinstance(self.argument, exp.Column) and self.argument.name in known

    @property
    def is_always_anew(self) -> bool:
        """Whether any change makes the group stale."""
        return False


@dataclass(frozen=True)
class Count(Accumulator):
    """How many rows have a value."""

    def is_exact(self, known: frozenset[str]) -> bool:  # noqa: ARG002
        """Yes."""
        return True

    @property
    def needs_consolidated(self) -> bool:
        """No: sums do not mind."""
        return False

    def whole(self) -> exp.Expr:
        """Return count."""
        return exp.Count(this=self.argument.copy(), big_int=True)

    def change(self, *, is_insert_only: bool) -> list[exp.Alias]:
        """Return the sum of the weights."""
        if is_insert_only:
            return [trees.named(self.whole(), self.name)]
        weight = trees.when(trees.is_null(self.argument), trees.number(0), zset.weight())
        return [trees.named(zset.total(weight), self.name)]

    def merged(self, old: str, change: str) -> exp.Expr:
        """Add."""
        before = exp.Coalesce(this=trees.column(self.name, old), expressions=[trees.number(0)])
        return exp.Add(this=before, expression=trees.column(self.name, change))


@dataclass(frozen=True)
class Sum(Accumulator):
    """The sum of values of an exact type.

    Attributes:
        signed_type: The type in which every value has a negative; None: its own.
    """

    signed_type: str | None

    def is_exact(self, known: frozenset[str]) -> bool:  # noqa: ARG002
        """Yes, since the values are."""
        return True

    @property
    def needs_consolidated(self) -> bool:
        """No: sums do not mind."""
        return False

    def whole(self) -> exp.Expr:
        """Return sum."""
        return exp.Sum(this=self.argument.copy())

    def change(self, *, is_insert_only: bool) -> list[exp.Alias]:
        """Return the sum of what came less what went."""
        if is_insert_only:
            return [trees.named(self.whole(), self.name)]
        # Weights are +1 or -1; multiplying by one would widen decimals past their limit.
        value = self.argument
        if self.signed_type is not None:
            value = trees.cast(value, self.signed_type)
        signed = trees.when(zset.comes(), value, exp.Neg(this=exp.Paren(this=value.copy())))
        return [trees.named(exp.Sum(this=signed), self.name)]

    def merged(self, old: str, change: str) -> exp.Expr:
        """Add, where NULL is nothing; no zero is made up, since its type would widen decimals."""
        before, more = trees.column(self.name, old), trees.column(self.name, change)
        return exp.Case(
            ifs=[
                exp.If(this=trees.is_null(before), true=more.copy()),
                exp.If(this=trees.is_null(more), true=before.copy()),
            ],
            default=exp.Add(this=before, expression=more),
        )


@dataclass(frozen=True)
class FloatSum(Sum):
    """The sum of values of an inexact type: what came can be added, what went not taken away."""

    def is_exact(self, known: frozenset[str]) -> bool:  # noqa: ARG002
        """No."""
        return False

    @property
    def needs_consolidated(self) -> bool:
        """Yes: a row that comes and goes would make its group stale."""
        return True

    def change(self, *, is_insert_only: bool) -> list[exp.Alias]:
        """Return the sum of what came, and whether anything went."""
        if is_insert_only:
            return [trees.named(self.whole(), self.name)]
        went = trees.all_of([zset.goes(), trees.negated(trees.is_null(self.argument))])
        return [
            trees.named(trees.filtered(self.whole(), zset.comes()), self.name),
            trees.named(trees.call("bool_or", went), f"{self.name}_went"),
        ]

    def stale(self, old: str, change: str) -> exp.Expr | None:  # noqa: ARG002
        """When a value went."""
        return trees.column(f"{self.name}_went", change)


@dataclass(frozen=True)
class Extreme(Accumulator):
    """The least or the greatest value."""

    is_greatest: bool

    def whole(self) -> exp.Expr:
        """Return min or max."""
        argument = self.argument.copy()
        return exp.Max(this=argument) if self.is_greatest else exp.Min(this=argument)

    def change(self, *, is_insert_only: bool) -> list[exp.Alias]:
        """Return the extremes of what came and of what went."""
        if is_insert_only:
            return [trees.named(self.whole(), self.name)]
        return [
            trees.named(trees.filtered(self.whole(), zset.comes()), self.name),
            trees.named(trees.filtered(self.whole(), zset.goes()), f"{self.name}_went"),
        ]

    def merged(self, old: str, change: str) -> exp.Expr:
        """Return the more extreme value."""
        before, more = trees.column(self.name, old), trees.column(self.name, change)
        is_past = trees.any_of([trees.is_null(before), self._is_past(more, before)])
        return trees.when(is_past, more, before)

    def stale(self, old: str, change: str) -> exp.Expr | None:
        """When what went was the extreme and nothing as extreme came."""
        went, before = trees.column(f"{self.name}_went", change), trees.column(self.name, old)
        came = trees.column(self.name, change)
        came_or_worse = exp.Coalesce(this=self._is_past(before, came), expressions=[exp.true()])
        return trees.all_of([trees.negated(self._is_past(before, went)), came_or_worse])

    def _is_past(self, value: exp.Expr, other: exp.Expr) -> exp.Expr:
        kind = exp.GT if self.is_greatest else exp.LT
        return kind(this=value.copy(), expression=other.copy())


@dataclass(frozen=True)
class Anew(Accumulator):
    """Any aggregate, ``argument`` being the whole call: the group's rows are read again."""

    def whole(self) -> exp.Expr:
        """Return the call."""
        return self.argument.copy()

    def merged(self, old: str, change: str) -> exp.Expr:  # noqa: ARG002
        """Return nothing of use: the group is stale."""
        return exp.Null()

    def is_exact(self, known: frozenset[str]) -> bool:
        """Whether equal values are known to be identical, from what is known of the input."""
        return isinstance(self.argument, exp.Column) and self.argument.name in known

    @property
    def is_always_anew(self) -> bool:
        """Yes."""
        return True


def sum_of(name: str, argument: exp.Expr, type_source: exp.Expr) -> Sum | None:
    """Return the accumulator of a sum; None when the argument's type is not one of numbers.

    Args:
        name: The accumulator's.
        argument: What is summed.
        type_source: The cast around the aggregate's argument, which tells its type.
    """
    if not isinstance(type_source, exp.Cast):
        return None
    kind = type_source.to.this
    if kind in _FLOATS:
        return FloatSum(name, argument, None)
    if kind in _INTEGERS:
        return Sum(name, argument, "BIGINT")
    if kind in _WIDE_INTEGERS:
        return Sum(name, argument, "HUGEINT")
    if kind is exp.DType.DECIMAL:
        return Sum(name, argument, None)
    return None
