"""Z-sets: rows with an integer weight, here the difference between two states of a relation.

Every node of a plan has a key, so its rows are distinct and each weight that occurs is +1 (the row
came) or -1 (the row went). A delta may say both of one row, as long as the sum is right; it is
consolidated when it does not, and then there is per key at most one -1 and one +1.
Source: Budiu et al., DBSP, VLDB 2023, section 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from barrier.stream import exact, trees

WEIGHT: Final = "__weight"


@dataclass(frozen=True, slots=True)
class Some:
    """Groups of which there are no more than a delta has rows.

    Attributes:
        delta: Its table.
        columns: Those of its columns that decide on a row's group; None: it is not so simple.
        are_apart: Whether rows with different values of these are of different groups, if of any.
        members: Those that decide, besides, whether a row is in any; None: it is not so simple.
        count: The query that counts them; None: there are as many as rows.
    """

    delta: str
    columns: tuple[str, ...] | None = None
    are_apart: bool = False
    members: tuple[str, ...] | None = None
    count: str | None = None


@dataclass(frozen=True)
class Delta:
    """The change of one node in one epoch.

    Attributes:
        rows: A table or query with the node's columns and the weight.
        is_insert_only: Whether the node's old rows all stay.
        is_consolidated: Whether no row comes and goes. Then an insert-only delta holds +1 only.
        has_pairs: Whether there is per key at most one -1 and one +1, though the same row may come
            and go. What is consolidated has.
        at_most: A table with at least as many rows, if one is known.
        origins: The columns of that table that decide on a column of the node, for some of these.
        copies: Those columns of the node that are columns of that table as they are.
        judged_by: Those that decide whether a row of the table is one of the node; None: unknown.
    """

    rows: exp.Expr
    is_insert_only: bool
    is_consolidated: bool
    has_pairs: bool = False
    at_most: str | None = None
    origins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    copies: frozenset[str] = frozenset()
    judged_by: frozenset[str] | None = None

    def origin(self, expression: exp.Expr) -> frozenset[str] | None:
        """Return the columns of ``at_most`` that decide on an expression over the node."""
        read = [self.origins.get(column.name) for column in expression.find_all(exp.Column)]
        known = [names for names in read if names is not None]
        return frozenset().union(*known) if len(known) == len(read) else None

    def groups(self, names: Sequence[str]) -> Some | None:
        """Return what is known of how many groups some columns make; None if nothing is."""
        if self.at_most is None:
            return None
        columns = self.origin(exp.Tuple(expressions=trees.columns(names)))
        members = None if columns is None or self.judged_by is None else columns | self.judged_by
        grouped = trees.select(
            [trees.number(1)],
            items=[trees.from_item(self.rows, "i")],
            group=trees.columns(names, "i"),
        )
        count = trees.select(
            [exp.Count(this=exp.Star(), big_int=True)], items=[trees.from_item(grouped, "g")]
        )
        return Some(
            self.at_most,
            None if columns is None else tuple(sorted(columns)),
            self.copies.issuperset(names),
            None if members is None else tuple(sorted(members)),
            count.sql(dialect="duckdb"),
        )


def weight(alias: str | None = None) -> exp.Expr:
    """Return the reference to a delta's weight."""
    return trees.column(WEIGHT, alias)


def comes(alias: str | None = None) -> exp.Expr:
    """Whether a row of a delta is an insert."""
    return exp.GT(this=weight(alias), expression=exp.Literal.number(0))


def goes(alias: str | None = None) -> exp.Expr:
    """Whether a row of a delta is a delete."""
    return exp.LT(this=weight(alias), expression=exp.Literal.number(0))


def total(weights: exp.Expr) -> exp.Expr:
    """Return the sum of weights; 0 of no rows, as an aggregate without GROUP BY meets them."""
    return exp.Coalesce(this=trees.cast(added(weights), "BIGINT"), expressions=[trees.number(0)])


def added(integers: exp.Expr) -> exp.Expr:
    """Return the sum of integers, about which the engine foretells nothing.

    DuckDB 2.0 takes an outer join for empty when no row of its other side can satisfy a filter of
    its own, knows the sum to be 0 then and leaves out what is compared with that. Of ``x | 0`` it
    knows nothing.
    """
    hidden = exp.BitwiseOr(this=exp.Paren(this=integers.copy()), expression=exp.Literal.number(0))
    return exp.Sum(this=hidden)


def weighted(rows: exp.Expr, columns: Sequence[str], factor: int) -> exp.Select:
    """Return all rows of a table or query, each with the same weight."""
    return trees.select(
        [*trees.columns(columns, "z"), trees.named(trees.number(factor), WEIGHT)],
        items=[trees.from_item(rows, "z")],
    )


def negated(rows: exp.Expr, columns: Sequence[str]) -> exp.Select:
    """Return a delta with its signs turned: the change back."""
    return trees.select(
        [*trees.columns(columns, "z"), trees.named(exp.Neg(this=weight("z")), WEIGHT)],
        items=[trees.from_item(rows, "z")],
    )


def consolidate(
    rows: exp.Expr, columns: Sequence[str], key: Sequence[str], known: frozenset[str]
) -> exp.Select:
    """Sum the weights of equal rows and drop those that cancel out.

    Args:
        rows: A delta.
        columns: All its columns but the weight.
        key: Those of the columns that identify a row; equal keys are identical.
        known: The columns known to be exact.
    """
    values = [trees.column(name, "z") for name in columns if name not in key and name not in known]
    group = trees.columns(columns, "z")
    if values:
        group.append(exact.fingerprint(values))
    total = added(weight("z"))
    return trees.select(
        [*trees.columns(columns, "z"), trees.named(trees.cast(total, "BIGINT"), WEIGHT)],
        items=[trees.from_item(rows, "z")],
        group=group,
        having=exp.NEQ(this=total.copy(), expression=exp.Literal.number(0)),
    )


def difference(
    new: exp.Expr, old: exp.Expr, columns: Sequence[str], key: Sequence[str], known: frozenset[str]
) -> exp.Select:
    """Return new minus old, consolidated, for two states of one keyed relation."""
    both = trees.union_all([weighted(new, columns, 1), weighted(old, columns, -1)])
    return consolidate(both, columns, key, known)
