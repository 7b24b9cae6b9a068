r"""EXCEPT and INTERSECT, of distinct rows and of all.

Rows of both sides are counted together, by side:

    A EXCEPT B         =  sigma (a > 0 and b = 0)  gamma count (A x {1} + B x {2})
    A INTERSECT B      =  sigma (a > 0 and b > 0)  gamma count (A x {1} + B x {2})
    A EXCEPT ALL B     =  max(a - b, 0) times each row of  gamma count (A x {1} + B x {2})
    A INTERSECT ALL B  =  min(a, b) times each row of      gamma count (A x {1} + B x {2})

which are grouped queries, with a set-returning function over them for ALL, maintained as what they
are. NULLs are equal in all of them.
Source: Budiu et al., DBSP, VLDB 2023, section 4.2 (relational operators by counting).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from barrier.stream import trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.recompute import Recompute

_CLAUSES: Final = frozenset({"this", "expression", "order", "with_", "distinct"})

_SIDE: Final = "side"


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take EXCEPT and INTERSECT without LIMIT."""
    if not isinstance(query, exp.Except | exp.Intersect):
        return None
    clauses = {name for name, value in query.args.items() if value}
    unknown = sorted(name.upper() for name in clauses - _CLAUSES)
    if unknown:
        raise NotIncrementalError(", ".join(unknown))
    columns = query.named_selects
    sides = [
        _of_side(side, number, columns)
        for number, side in enumerate((query.this, query.expression), start=1)
    ]
    is_absent = isinstance(query, exp.Except)
    counted = (_of_distinct if query.args.get("distinct") else _of_all)(
        sides, columns, is_absent=is_absent
    )
    node = builder.build(counted, is_root=is_root)
    if isinstance(node, Recompute):
        raise NotIncrementalError(node.reason)
    return node


def _of_distinct(
    sides: Sequence[exp.Expr],
    columns: Sequence[str],
    *,
    is_absent: bool,
) -> exp.Select:
    in_left, in_right = _count(1), _count(2)
    zero = exp.Literal.number(0)
    right = (
        exp.EQ(this=in_right, expression=zero)
        if is_absent
        else exp.GT(this=in_right, expression=zero)
    )
    both = exp.And(this=exp.GT(this=in_left, expression=zero.copy()), expression=right)
    return _grouped(sides, columns, [], both)


def _of_all(
    sides: Sequence[exp.Expr],
    columns: Sequence[str],
    *,
    is_absent: bool,
) -> exp.Select:
    in_left, in_right = _count(1), _count(2)
    times: exp.Expr = trees.call("least", in_left, in_right)
    if is_absent:
        times = exp.Sub(this=in_left, expression=in_right)
    some = exp.GT(this=times.copy(), expression=exp.Literal.number(0))
    number = f"c{len(columns) + 1}"
    grouped = _grouped(sides, columns, [trees.named(times, number)], some)
    repeated = trees.call("unnest", trees.call("range", trees.column(number, "g")))
    rows = trees.select(
        [
            *(trees.named(trees.column(name, "g"), name) for name in columns),
            trees.named(repeated, number),
        ],
        items=[trees.from_item(grouped, "g")],
    )
    return trees.select(
        [trees.named(trees.column(name, "n"), name) for name in columns],
        items=[trees.from_item(rows, "n")],
    )


def _grouped(
    sides: Sequence[exp.Expr],
    columns: Sequence[str],
    more: Sequence[exp.Expr],
    having: exp.Expr,
) -> exp.Select:
    return trees.select(
        [*(trees.named(trees.column(name, "u"), name) for name in columns), *more],
        items=[trees.from_item(trees.union_all(sides), "u")],
        group=trees.columns(columns, "u"),
        having=having,
    )


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
