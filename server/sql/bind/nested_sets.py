"""Set-returning functions of set-returning functions, which the engine does not take.

``SELECT f(g(x)) FROM t`` is ``SELECT f(s.c1) FROM t, LATERAL (SELECT g(x) AS c1) AS s``: those that
have none in them give their rows side by side, and the others theirs for each of these rows
(PostgreSQL 15, chapter 38.5.9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from server.sql.bind.query import Output, aliased
from server.sql.typed import Typed

_SETS = (exp.Unnest, exp.Explode)


def lift_nested_sets(
    select: exp.Select,
    outputs: list[Output],
    new_alias: Callable[[], str],
    *,
    is_grouped: bool,
) -> None:
    """Move the inner set-returning functions of a SELECT list and its ORDER BY to FROM, in place.

    Raises:
        FeatureNotSupported: The rows are grouped, so that FROM comes too early.
    """
    order = select.args.get("order")
    sorted_by = [] if order is None else order.expressions
    shown = [output.value.tree for output in outputs]
    if not any(_below(node) for tree in (*shown, *sorted_by) for node in _sets(tree)):
        return
    if is_grouped:
        raise FeatureNotSupported(
            "set-returning functions of set-returning functions are not supported in a grouped"
            " query"
        )
    holder = exp.Tuple(expressions=[*shown, *sorted_by])
    while any(_below(node) for tree in holder.expressions for node in _sets(tree)):
        _lift(select, holder, new_alias())
    trees = holder.expressions
    for tree in trees:
        tree.parent = tree.arg_key = tree.index = None
    if order is not None:
        order.set("expressions", trees[len(outputs) :])
    outputs[:] = [
        replace(output, value=Typed(tree, output.value.type))
        for output, tree in zip(outputs, trees, strict=False)
    ]


def _lift(select: exp.Select, holder: exp.Tuple, alias: str) -> None:
    different: dict[exp.Expr, str] = {}
    for node in [n for tree in holder.expressions for n in _sets(tree) if not _below(n)]:
        name = different.setdefault(node.copy(), f"c{len(different) + 1}")
        node.replace(exp.column(name, table=alias))
    rows = exp.Select(expressions=[aliased(node, name) for node, name in different.items()])
    named = exp.TableAlias(this=exp.to_identifier(alias))
    if select.args.get("from_") is None:
        select.set("from_", exp.From(this=exp.Subquery(this=rows, alias=named)))
    else:
        lateral = exp.Lateral(this=exp.Subquery(this=rows), alias=named)
        select.append("joins", exp.Join(this=lateral, kind="CROSS"))


def _sets(tree: exp.Expr) -> list[exp.Expr]:
    """Return the set-returning functions of an expression, without those of its subqueries."""
    found: list[exp.Expr] = []
    for node in tree.find_all(*_SETS):
        at: exp.Expr | None = node
        while at is not None and at is not tree and not isinstance(at, exp.Query):
            at = at.parent
        if at is tree:
            found.append(node)
    return found


def _below(node: exp.Expr) -> list[exp.Expr]:
    return [inner for inner in _sets(node) if inner is not node]
