"""Hypothetical-set aggregates: where a row would stand among others (PostgreSQL 15, table 9.63)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.types import FLOAT8, INT8
from server.sql.coercion import Coercion, coerce
from server.sql.common_type import common_type
from server.sql.fragment import cast, fragment
from server.sql.functions.aggregate import counted
from server.sql.functions.modified import Modifiers
from server.sql.typed import Typed

#: Window functions that are aggregates with WITHIN GROUP.
HYPOTHETICAL_SETS: Final = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})


def hypothetical_set(
    name: str,
    arguments: Sequence[Typed],
    keys: Sequence[tuple[Typed, exp.Expr]],
    modifiers: Modifiers,
) -> Typed | None:
    """Return such an aggregate; None if it has not one argument for each value that is ordered by.

    Args:
        name: One of ``HYPOTHETICAL_SETS``.
        arguments: The values of the row that is thought of.
        keys: What the rows are ordered by, each with the node that has its direction.
        modifiers: FILTER.
    """
    if len(arguments) != len(keys) or not keys:
        return None
    before: exp.Expr = exp.false()
    same: exp.Expr = exp.true()
    listed: list[exp.Expr] = []
    for (key, node), argument in reversed(list(zip(keys, arguments, strict=True))):
        shared = common_type([key, argument], "WITHIN GROUP")
        value, own = (
            cast(coerce(side, shared, Coercion.IMPLICIT).tree, shared.duckdb)
            for side in (key, argument)
        )
        equal = fragment("_0 IS NOT DISTINCT FROM _1", value, own)
        before = fragment("_0 OR (_1 AND _2)", _before(value, own, node), equal, before)
        same = fragment("_0 AND _1", equal.copy(), same)
        listed.append(value)
    return _placed(name, before, same, listed, modifiers)


def _before(value: exp.Expr, own: exp.Expr, node: exp.Expr) -> exp.Expr:
    """Return whether a row's value comes before the one that is thought of."""
    sign = ">" if node.args.get("desc") else "<"
    missing, other = (value, own) if node.args.get("nulls_first") else (own, value)
    return fragment(
        f"COALESCE(_0 {sign} _1, _2 IS NULL AND _3 IS NOT NULL)", value, own, missing, other
    )


def _placed(
    name: str,
    before: exp.Expr,
    same: exp.Expr,
    listed: Sequence[exp.Expr],
    modifiers: Modifiers,
) -> Typed:
    if name == "dense_rank":
        names = ", ".join(f"'k{n}': _{n}" for n in range(len(listed)))
        row = fragment(f"{{{names}}}", *listed)
        distinct = replace(modifiers, is_distinct=True)
        return Typed(fragment("_0 + 1", counted([row], before, distinct)), INT8)
    if name == "rank":
        return Typed(fragment("_0 + 1", counted([], before, modifiers)), INT8)
    total = counted([], None, modifiers)
    if name == "percent_rank":
        ahead = counted([], before, modifiers)
        tree = fragment("COALESCE(CAST(_0 AS DOUBLE) / NULLIF(_1, 0), 0)", ahead, total)
    else:
        ahead = counted([], fragment("_0 OR _1", before, same), modifiers)
        tree = fragment("CAST(_0 + 1 AS DOUBLE) / (_1 + 1)", ahead, total)
    return Typed(cast(tree, FLOAT8.duckdb), FLOAT8)
