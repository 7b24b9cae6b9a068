"""The parts of a query that are the same for every row, computed before there are rows.

PostgreSQL computes them when it plans: their errors come before a client is told of a result, and
also when no row needs them. What stands in a branch that may never be taken is left alone.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import InternalError
from server.execute.binding import Binding
from server.session_state import SessionState
from server.sql.bind.result import BoundQuery

#: Expressions with one of these inside depend on the row, the time or the session.
_VARIABLE: Final = (
    *(exp.Column, exp.Parameter, exp.Placeholder, exp.Query, exp.Star, exp.AggFunc, exp.Window),
    *(exp.Rand, exp.Uuid, exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime),
    *(exp.Lambda, exp.Explode, exp.Unnest, exp.GenerateSeries, exp.Table),
)
_VARIABLE_NAMES: Final = frozenset({"getvariable", "unnest", "range", "generate_series", "error"})

#: In these not every argument is always computed.
_BRANCHES: Final = (exp.Case, exp.Coalesce, exp.And, exp.Or, exp.If)

#: What stands in these has no meaning outside of them.
_BOUND: Final = (exp.Lambda, exp.Window)

_COMPUTED: Final = (exp.Binary, exp.Func, exp.Neg)

#: From so many parts on, computing them twice would cost more than it tells.
_PARTS_MAX: Final = 50


def check_constant_parts(state: SessionState, binding: Binding[BoundQuery]) -> None:
    """Compute what is constant in a query, once for a binding.

    Raises:
        PgError: As the query would.
    """
    if binding.has_sound_constants:
        return
    parts = constant_parts(binding.bound.tree)
    if 0 < len(parts) <= _PARTS_MAX:
        query = exp.Select(expressions=[part.copy() for part in parts]).sql(dialect="duckdb")
        reader = state.reader
        try:
            with state.interruptible():
                reader.rows(query)
        except InternalError:
            return  # It has no meaning by itself; the query as a whole may have one.
        except OverflowError:
            pass  # It was computed, and is a value that Python has not.
    binding.has_sound_constants = True


def constant_parts(tree: exp.Expr) -> list[exp.Expr]:
    """Return the largest expressions that are constant and have to be computed."""
    variable: set[int] = set()
    for node in tree.walk():
        if _is_variable(node):
            above: exp.Expr | None = node
            while above is not None and id(above) not in variable:
                variable.add(id(above))
                above = above.parent
    parts: list[exp.Expr] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if id(node) not in variable and isinstance(node, _COMPUTED):
            if not _is_plain(node):
                parts.append(node)
        elif not isinstance(node, (*_BRANCHES, *_BOUND)):
            waiting.extend(node.iter_expressions())
    return parts


def _is_variable(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _VARIABLE_NAMES
    return isinstance(node, _VARIABLE)


def _is_plain(node: exp.Expr) -> bool:
    """Whether it is a constant of a type, which was read when the query was bound."""
    while isinstance(node, (exp.Cast, exp.Paren, exp.Neg)):
        node = node.this
    return isinstance(node, (exp.Literal, exp.Null, exp.Boolean, exp.Array))
