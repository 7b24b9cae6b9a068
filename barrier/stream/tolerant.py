"""Queries whose expressions give NULL where they would fail.

A row that makes an expression fail must not stop a view: the expression is NULL for it, and the
other rows are unharmed (RisingWave evaluates streaming expressions that way). A view is compiled
from its query as it is written, and from its tolerant form only once a row has failed: DuckDB's
TRY costs half as much again, and much more for each row that does fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from barrier.stream import functions
from catalog.user_type import twin_of_made

_TRY: Final = "TRY"

#: Nodes under which expressions stand, each by itself.
_FRAMES: Final = (
    exp.Alias,
    exp.Case,
    exp.Coalesce,
    exp.Connector,
    exp.If,
    exp.Not,
    exp.Paren,
    exp.Predicate,
    exp.Tuple,
)

#: Whose parts are no expressions over rows.
_CLOSED: Final = (exp.Limit, exp.Offset, exp.Fetch, exp.WindowSpec, exp.DataType)


def tolerant(query: exp.Expr, twins: Mapping[str, str]) -> exp.Expr:
    """Return a query in which expressions that can fail give NULL instead; the same if it is one.

    What is computed from several rows at once (an aggregate's result, a window's, a subquery's) is
    left as it is; what is computed from that only divides and casts without failing.

    Args:
        query: A bound query.
        twins: Macros that give NULL where others fail, by the others' names in lower case.
    """
    return _loosened(query.copy(), twins)


def _loosened(node: exp.Expr, twins: Mapping[str, str]) -> exp.Expr:
    if isinstance(node, _CLOSED) or (isinstance(node, exp.Anonymous) and node.name == _TRY):
        return node
    is_value = isinstance(node, exp.Func | exp.Binary | exp.Unary | exp.Bracket | exp.Anonymous)
    if is_value and not isinstance(node, _FRAMES) and _stands_alone(node):
        return _guarded(node, twins)
    for child in list(node.iter_expressions()):
        loosened = _loosened(child, twins)
        if loosened is not child:
            child.replace(loosened)
    return _quiet(node, twins)


def _stands_alone(node: exp.Expr) -> bool:
    """Whether an expression is computed from one row's columns and nothing else."""
    return (
        functions.refusal(node) in (None, "depends on the current time")
        and not functions.has_aggregate(node)
        and node.find(exp.Column) is not None
    )


def _guarded(expression: exp.Expr, twins: Mapping[str, str]) -> exp.Expr:
    # A cast has a form of its own that is fast even where every row fails.
    guarded = _quietened(expression.copy(), twins)
    if all(map(_is_quiet, guarded.walk())):
        return guarded
    return exp.Anonymous(this=_TRY, expressions=[guarded])


def _quietened(node: exp.Expr, twins: Mapping[str, str]) -> exp.Expr:
    for child in list(node.iter_expressions()):
        quiet = _quietened(child, twins)
        if quiet is not child:
            child.replace(quiet)
    return _quiet(node, twins)


def _quiet(node: exp.Expr, twins: Mapping[str, str]) -> exp.Expr:
    """Return a node by itself as one that gives NULL, if there is one."""
    if isinstance(node, exp.Div | exp.IntDiv | exp.Mod):
        divisor = node.expression
        if not isinstance(divisor, exp.Nullif | exp.Literal):
            zero = exp.Literal.number(0)
            node.set("expression", exp.Nullif(this=divisor.copy(), expression=zero))
        return node
    if isinstance(node, exp.Cast) and not isinstance(node, exp.TryCast):
        return exp.TryCast(this=node.this, to=node.to)
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        if name == "error":
            return exp.Null()
        twin = twins.get(name) or twin_of_made(name)
        if twin is not None:
            return exp.Anonymous(this=twin, expressions=node.expressions)
    return node


def _is_quiet(node: exp.Expr) -> bool:
    return isinstance(node, exp.TryCast) or functions.is_safe(node)
