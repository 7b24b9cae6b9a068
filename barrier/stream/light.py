"""Which statements the engine may run as they are written.

An optimizer is worth its time where rows are many. Of a statement over few rows it takes most of
the time; and a plan that it has not touched depends on no statistics, so that it can be kept. Such
a statement must not lean on it: what is joined is joined by equality, or is a product of one
stored relation and a delta, which whoever runs it knows to be small enough.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import trees

#: What an epoch's changes are called: deltas of relations, and a program's own temporary tables.
_DELTA: Final = re.compile(r"d\d+|x\d+_\w+")

#: What a query stands in that is not part of an expression.
_AROUND_FROM: Final = (
    exp.From,
    exp.Join,
    exp.Subquery,
    exp.Union,
    exp.CTE,
    exp.Insert,
    exp.Create,
    exp.Delete,
)

_HASHED: Final = (exp.EQ, exp.NullSafeEQ)


@dataclass(frozen=True)
class Reads:
    """What a statement reads, row by row.

    Attributes:
        stored: Tables that outlive the epoch.
        deltas: Tables that hold changes.
    """

    stored: frozenset[str]
    deltas: frozenset[str]


def reads(tree: exp.Expr) -> Reads | None:
    """Return what a statement reads; None if it must be optimized, or planned anew each time.

    Args:
        tree: One of a program's statements.
    """
    if isinstance(tree, exp.Merge | exp.Drop):  # The engine keeps no plans of them.
        return None
    query = tree.expression if isinstance(tree, exp.Insert | exp.Create) else tree
    if isinstance(query, exp.Table):
        query = trees.select([exp.Star()], items=[query])
    if query is None or any(map(_is_refused, query.walk())):
        return None
    ctes = {cte.alias for cte in query.find_all(exp.CTE)}
    if not all(_is_direct(select, ctes) for select in query.find_all(exp.Select)):
        return None
    others = [*(query.args.get("using") or ()), query.args.get("from_")]
    if isinstance(query, exp.Update | exp.Delete) and any(
        item is not None and _is_heavy(item, ctes) for item in others
    ):
        return None
    names = {table.name for table in query.find_all(exp.Table)} - ctes
    deltas = frozenset(name for name in names if _DELTA.fullmatch(name))
    return Reads(frozenset(names) - deltas, deltas)


def _is_refused(node: exp.Expr) -> bool:
    """Whether what a node means changes from run to run, or costs much without the optimizer."""
    if isinstance(node, exp.Exists | exp.Lateral | exp.Unnest | exp.Window | exp.SubqueryPredicate):
        return True
    if isinstance(node, exp.Subquery | exp.Select) and not _is_from_item(node):
        return True
    return isinstance(node, exp.Anonymous) and node.name.lower() == "getvariable"


def _is_from_item(node: exp.Expr) -> bool:
    return node.parent is None or isinstance(node.parent, _AROUND_FROM)


def _is_direct(select: exp.Expr, ctes: set[str]) -> bool:
    """Whether a query's FROM is joined by equality, or is a product with at most one delta."""
    joins = select.args.get("joins") or []
    products = [join for join in joins if join.args.get("on") is None]
    if not all(_is_hashed(join.args["on"]) for join in joins if join not in products):
        return False
    if not products:
        return True
    first = select.args["from_"].this
    items = [first, *(join.this for join in products)]
    return len(joins) == 1 and sum(_is_heavy(item, ctes) for item in items) <= 1


def _is_hashed(condition: exp.Expr) -> bool:
    parts = condition.flatten() if isinstance(condition, exp.And) else [condition]
    return any(isinstance(part, _HASHED) for part in parts)


def _is_heavy(item: exp.Expr, ctes: set[str]) -> bool:
    names = {table.name for table in item.find_all(exp.Table)} - ctes
    return any(_DELTA.fullmatch(name) is None for name in names)
