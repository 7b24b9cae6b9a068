"""UNION ALL.

    d(A + B) = dA + dB

A row is identified by its branch and its key there; other branches' keys are NULL in it.
Source: Budiu et al., DBSP, VLDB 2023, section 3 (linear operators).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.describe import Described, Names
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta


@dataclass(frozen=True, eq=False, kw_only=True)
class UnionAll(Operator):
    """All rows of all inputs, whose columns have the same names.

    Attributes:
        hidden: The hidden key columns of the union: per name the branch and the branch's column.
            The first one, ``k1``, is the branch itself.
    """

    hidden: tuple[tuple[str, int, str], ...]

    def rows(self) -> exp.Expr:
        """Return the branches' rows."""
        return trees.union_all(
            [self._branch(i, node.rows(), ()) for i, node in enumerate(self.inputs)]
        )

    def delta(self, program: Program) -> Delta | None:
        """Return the branches' deltas; no statement of its own."""
        deltas = [program.delta(node) for node in self.inputs]
        present = [delta for delta in deltas if delta is not None]
        if not present:
            return None
        branches: list[exp.Expr] = []
        for i, (node, delta) in enumerate(zip(self.inputs, deltas, strict=True)):
            if delta is not None:
                branches.append(self._branch(i, delta.rows, (zset.weight("z"),)))
            else:  # The columns' types are those of all branches together.
                nothing = self._branch(i, node.rows(), (trees.number(0),))
                nothing.set("where", exp.Where(this=exp.false()))
                branches.append(nothing)
        return Delta(
            trees.union_all(branches),
            is_insert_only=all(delta.is_insert_only for delta in present),
            is_consolidated=all(delta.is_consolidated for delta in present),
        )

    def _branch(self, branch: int, rows: exp.Expr, weight: tuple[exp.Expr, ...]) -> exp.Select:
        keys = [trees.named(trees.number(branch), "k1")]
        for name, owner, part in self.hidden:
            value = trees.column(part, "z") if owner == branch else exp.Null()
            keys.append(trees.named(value, name))
        return trees.select(
            [
                *trees.columns(self.columns, "z"),
                *keys,
                *(trees.named(expression, WEIGHT) for expression in weight),
            ],
            items=[trees.from_item(rows, "z")],
        )

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        return Described(title="Union all", labels=names.inputs[0])

    def rows_estimate(self, sizes: Sizes) -> int:
        """Add up the branches."""
        return sum(sizes.rows(node) for node in self.inputs)


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:  # noqa: ARG001
    """Take a chain of UNION ALL without LIMIT."""
    if not isinstance(query, exp.Union) or query.args.get("distinct"):
        return None
    clauses = {name for name, value in query.args.items() if value}
    unknown = clauses - {"this", "expression", "order", "with_"}
    if unknown:
        raise NotIncrementalError(", ".join(sorted(name.upper() for name in unknown)))
    return over_branches(query, builder)


def over_branches(query: exp.Union, builder: Builder) -> UnionAll:
    """Return the sum of a union's branches, whether or not it goes on to make them distinct."""
    branches = _branches(query, query.args.get("distinct"))
    return of_nodes([builder.build(branch) for branch in branches])


def of_nodes(nodes: Sequence[Operator]) -> UnionAll:
    """Return the sum of nodes whose columns have the same names."""
    columns = nodes[0].columns
    shared = [name for node in nodes for name in node.key if name in columns]
    hidden: list[tuple[str, int, str]] = []
    for i, node in enumerate(nodes):
        for part in node.key:
            if part not in columns:
                hidden.append((f"k{len(hidden) + 2}", i, part))
    return UnionAll(
        columns=columns,
        key=("k1", *dict.fromkeys(shared), *(name for name, _, _ in hidden)),
        inputs=tuple(nodes),
        exact=frozenset.intersection(*(node.exact for node in nodes)),
        hidden=tuple(hidden),
    )


def _branches(query: exp.Expr, distinct: object) -> list[exp.Expr]:
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    is_same = (
        isinstance(inner, exp.Union)
        and bool(inner.args.get("distinct")) == bool(distinct)
        and not any(inner.args.get(name) for name in ("limit", "offset"))
    )
    if not is_same:
        return [inner]
    return [*_branches(inner.this, distinct), *_branches(inner.expression, distinct)]
