r"""EXCEPT and INTERSECT of distinct rows.

Rows of both sides are counted together, by side:

    A EXCEPT B     =  sigma (a > 0 and b = 0)  gamma count (A x {1} + B x {2})
    A INTERSECT B  =  sigma (a > 0 and b > 0)  gamma count (A x {1} + B x {2})

which is a grouped query, maintained as what it is. NULLs are equal in both.
Source: Budiu et al., DBSP, VLDB 2023, section 4.2 (relational operators by counting).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from barrier.stream import trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.recompute import Recompute

_CLAUSES: Final = frozenset({"this", "expression", "order", "with_", "distinct"})

_SIDE: Final = "side"


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take EXCEPT and INTERSECT without ALL and without LIMIT."""
    if not isinstance(query, exp.Except | exp.Intersect):
        return None
    clauses = {name for name, value in query.args.items() if value}
    unknown = sorted(name.upper() for name in clauses - _CLAUSES)
    if unknown or not query.args.get("distinct"):
        raise NotIncrementalError(", ".join(unknown) or f"{query.key} all")
    columns = query.named_selects
    sides = [
        _of_side(side, number, columns)
        for number, side in enumerate((query.this, query.expression), start=1)
    ]
    in_left, in_right = _count(1), _count(2)
    is_absent = isinstance(query, exp.Except)
    zero = exp.Literal.number(0)
    right = (
        exp.EQ(this=in_right, expression=zero)
        if is_absent
        else exp.GT(this=in_right, expression=zero)
    )
    grouped = trees.select(
        [trees.named(trees.column(name, "u"), name) for name in columns],
        items=[trees.from_item(trees.union_all(sides), "u")],
        group=trees.columns(columns, "u"),
        having=exp.And(this=exp.GT(this=in_left, expression=zero.copy()), expression=right),
    )
    node = builder.build(grouped, is_root=is_root)
    if isinstance(node, Recompute):
        raise NotIncrementalError(node.reason)
    return node


def _of_side(query: exp.Expr, number: int, columns: list[str]) -> exp.Select:
    alias = f"side{number}"
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    assert isinstance(inner, exp.Query), inner
    names = zip(columns, inner.named_selects, strict=True)
    return trees.select(
        [
            *(trees.named(trees.column(own, alias), name) for name, own in names),
            trees.named(trees.number(number), _SIDE),
        ],
        items=[trees.from_item(inner, alias)],
    )


def _count(number: int) -> exp.Expr:
    """Return how many rows of a group are of one side."""
    is_of_it = exp.EQ(this=trees.column(_SIDE, "u"), expression=exp.Literal.number(number))
    return exp.Count(this=trees.when(is_of_it, exp.Literal.number(1)))
