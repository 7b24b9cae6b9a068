"""Where OVER goes in a tree that is more than one call: ``avg`` is a sum over a count."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from server.sql.typed import Typed

_IS_CALL: Final = "takes_over"


def windowed(call: exp.Expr) -> exp.Expr:
    """Mark a call of DuckDB's as one that takes an OVER clause, and return it."""
    call.meta[_IS_CALL] = True
    return call


def ignoring_nulls(value: Typed) -> Typed:
    """Return a window function that passes over rows where its argument is NULL."""
    call = value.tree
    assert call.meta.pop(_IS_CALL), call
    return Typed(windowed(exp.IgnoreNulls(this=call)), value.type)


def over(value: Typed, window: exp.Window) -> Typed:
    """Return an aggregate or window function over a window.

    Args:
        value: What resolve_aggregate or resolve_window returned.
        window: The window with its partition, order and frame; whose call is left aside.
    """
    code = value.scale_code
    shown = None if code is None else _over(code, window)
    return Typed(_over(value.tree, window), value.type, shown)


def _over(node: exp.Expr, window: exp.Window) -> exp.Expr:
    if node.meta.get(_IS_CALL):
        placed = window.copy()
        placed.set("this", node.copy())
        return placed
    for child in list(node.iter_expressions()):
        replaced = _over(child, window)
        if replaced is not child:
            child.replace(replaced)
    return node
