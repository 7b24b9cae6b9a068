"""Arguments of PostgreSQL's own functions by the names of their parameters."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from server.sql.bind.user_function import bound_arguments, is_named
from server.sql.bind.walker import Walker
from server.sql.functions.named import in_order
from server.sql.functions.registry import undefined_function


def placed(
    walker: Walker, function: str, nodes: Sequence[exp.Expr], position: int | None
) -> list[exp.Expr]:
    """Return the arguments of a call by their places, where some have the names of parameters.

    Raises:
        UndefinedFunction: No function of that name has such parameters.
        SqlSyntaxError: One without a name follows one with a name, or a name is there twice.
    """
    if not any(is_named(node) for node in nodes):
        return list(nodes)
    given = bound_arguments(walker, nodes)
    named = {
        name: node.expression
        for name, node in zip(given.names, nodes, strict=True)
        if name is not None
    }
    found = in_order(function, nodes[: given.names.count(None)], named)
    if found is None:
        raise undefined_function(function, given.values, position, given.names)
    return found
