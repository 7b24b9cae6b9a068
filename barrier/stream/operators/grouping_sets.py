"""GROUPING SETS, ROLLUP and CUBE: the sum of one grouped query for each set.

    GROUP BY GROUPING SETS (s1, s2)  =  (GROUP BY s1)  UNION ALL  (GROUP BY s2)

where what is not grouped by is NULL and GROUPING() is known.
Source: PostgreSQL 15, chapter 7.2.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Final, TypeAlias

from sqlglot import exp

from barrier.stream import functions, trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators import union_all
from barrier.stream.operators.recompute import Recompute

#: What rows are grouped by in one branch.
_Set: TypeAlias = tuple[exp.Expr, ...]

_KINDS: Final = (exp.Rollup, exp.Cube, exp.GroupingSets)

#: More branches than that cost more than computing the query anew.
_SETS_MAX: Final = 16


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:  # noqa: ARG001
    """Take a grouped SELECT with several grouping sets."""
    group = query.args.get("group") if isinstance(query, exp.Select) else None
    if group is None or not any(isinstance(e, _KINDS) for e in group.expressions):
        return None
    assert isinstance(query, exp.Select)
    if any(query.args.get(name) for name in ("limit", "offset", "distinct")):
        raise NotIncrementalError("GROUPING SETS with LIMIT or DISTINCT")
    sets = _sets(group)
    if len(sets) > _SETS_MAX:
        raise NotIncrementalError(f"{len(sets)} grouping sets")
    every = list(dict.fromkeys(e for one in sets for e in one))
    nodes = [builder.build(_branch(query, one, every)) for one in sets]
    for node in nodes:
        if isinstance(node, Recompute):
            raise NotIncrementalError(node.reason)
    return union_all.of_nodes(nodes)


def _sets(group: exp.Expr) -> list[_Set]:
    """Return the grouping sets: one of each list, in every combination."""
    lists = [_of_sets(element) for element in group.expressions]
    return [tuple(dict.fromkeys(e for one in chosen for e in one)) for chosen in product(*lists)]


def _listed(element: exp.Expr) -> list[_Set]:
    parts = [_together(part) for part in element.expressions]
    match element:
        case exp.Rollup():
            return [_joined(parts[:n]) for n in range(len(parts), -1, -1)]
        case exp.Cube():
            sizes = range(len(parts), -1, -1)
            return [_joined(chosen) for n in sizes for chosen in combinations(parts, n)]
        case exp.GroupingSets():
            return [one for part in element.expressions for one in _of_sets(part)]
        case _:
            raise NotIncrementalError(f"GROUP BY {element.key}")


def _of_sets(part: exp.Expr) -> list[_Set]:
    return _listed(part) if isinstance(part, _KINDS) else [_together(part)]


def _together(part: exp.Expr) -> _Set:
    """Return the expressions of ``(a, b)``, ``(a)`` or ``a``."""
    if isinstance(part, exp.Tuple):
        return tuple(part.expressions)
    return (part.unnest(),)


def _joined(parts: Sequence[_Set]) -> _Set:
    return tuple(e for part in parts for e in part)


def _branch(query: exp.Select, grouped: _Set, every: Sequence[exp.Expr]) -> exp.Select:
    """Return the query grouped by one set."""
    absent = [e for e in every if e not in grouped]

    def changed(node: exp.Expr) -> exp.Expr:
        if functions.is_grouping(node):
            bits = [e not in grouped for e in node.expressions]
            return exp.Literal.number(sum(bit << i for i, bit in enumerate(reversed(bits))))
        if node in absent:
            # NULL of the expression's type.
            return exp.Min(this=trees.when(exp.false(), node))
        if functions.is_aggregate(node) or isinstance(node, exp.Query):
            return node.copy()
        copied = node.copy()
        for child in list(copied.iter_expressions()):
            child.replace(changed(child))
        return copied

    branch = query.copy()
    names = query.named_selects
    shown = zip(query.expressions, names, strict=True)
    branch.set("expressions", [trees.named(changed(e.unalias()), name) for e, name in shown])
    branch.set("order", None)
    having = query.args.get("having")
    if having is not None:
        branch.set("having", exp.Having(this=changed(having.this)))
    branch.set("group", exp.Group(expressions=[e.copy() for e in grouped]) if grouped else None)
    return branch
