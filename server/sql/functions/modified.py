"""Calls of the engine's aggregates, with what stands in and after their parentheses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from catalog.types import PgType
from server.sql.fragment import cast, fragment
from server.sql.functions.over import windowed
from server.sql.special import split
from server.sql.typed import Typed


@dataclass(frozen=True, slots=True)
class Modifiers:
    """What stands in and after an aggregate's parentheses beside its arguments."""

    is_distinct: bool = False
    order_by: tuple[exp.Expr, ...] = ()
    filter_: exp.Expr | None = None


def aggregate_call(name: str, arguments: Sequence[exp.Expr], modifiers: Modifiers) -> exp.Expr:
    """Return DuckDB's call, DISTINCT, ORDER BY and FILTER included."""
    trees = [_kept(tree, modifiers.filter_) for tree in arguments]
    text = ", ".join(f"_{i}" for i in range(len(trees))) or "*"
    keys: list[str] = []
    for item in modifiers.order_by:
        assert isinstance(item, exp.Ordered)
        word = "DESC" if item.args.get("desc") else "ASC"
        nulls = "FIRST" if item.args.get("nulls_first") else "LAST"
        keys.append(f"_{len(trees)} {word} NULLS {nulls}")
        trees.append(item.this)
    distinct = "DISTINCT " if modifiers.is_distinct else ""
    order = f" ORDER BY {', '.join(keys)}" if keys else ""
    sql = f"{name}({distinct}{text}{order})"
    if modifiers.filter_ is not None:
        sql += f" FILTER (WHERE _{len(trees)})"
        trees.append(modifiers.filter_)
    return windowed(fragment(sql, *trees))


def _kept(tree: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """Return an argument that is computed only for rows that FILTER lets through.

    The engine computes it for all of them, and it may fail.
    """
    bare = tree
    while isinstance(bare, (exp.Cast, exp.Paren)) and not isinstance(bare.this, exp.Literal):
        bare = bare.this
    if condition is None or isinstance(bare, (exp.Column, exp.Literal, exp.Null, exp.Boolean)):
        return tree
    return fragment("CASE WHEN _0 THEN _1 END", condition, tree)


def explicit(value: Typed) -> exp.Expr:
    """Return a value whose type is said, so that it stays when the tree goes through text."""
    return cast(value.tree, value.type.duckdb)


def specials_apart(value: Typed, result: PgType, modifiers: Modifiers) -> tuple[exp.Expr, exp.Expr]:
    """Return the numbers among numerics, and their sum if any is NaN or infinite, else NULL.

    The sum of the specials is made from counts of them, in one sum that is itself kept up to date
    by adding and taking away: one that comes and goes leaves no trace.
    """
    parts = split(value)
    number = fragment("tg_special('finite', 0, _0)", parts.rare)
    numbers = parts.chosen(cast(number, value.type.duckdb), parts.plain)
    code = cast(fragment("tg_special('code', 0, _0)", parts.rare), "BIGINT")
    codes = aggregate_call("SUM", [cast(parts.chosen(code, None), "BIGINT")], modifiers)
    scale = exp.Literal.number(str(result.scale))
    total = fragment("tg_special('total', _1, CAST(_0 AS VARCHAR))", codes, scale)
    return cast(numbers, value.type.duckdb), exp.TryCast(
        this=total, to=exp.DataType.build(result.duckdb, dialect="duckdb")
    )
