"""Ordered-set aggregates: percentiles and mode (PostgreSQL 15, table 9.62)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, NumericOutOfRange
from catalog.types import FLOAT8, INTERVAL, PgType, array_of
from server.sql.coercion import Coercion, coerce, default_typed
from server.sql.fragment import cast, fragment
from server.sql.functions.aggregate import Modifiers
from server.sql.typed import Typed

#: Direct arguments, the ordered value, the node with its direction, and the FILTER.
OrderedSetBuild = Callable[[Sequence[Typed], Typed, exp.Expr, Modifiers], Typed]


def _filtered(tree_sql: str, trees: list[exp.Expr], modifiers: Modifiers) -> exp.Expr:
    if modifiers.filter_ is not None:
        tree_sql += f" FILTER (WHERE _{len(trees)})"
        trees.append(modifiers.filter_)
    return fragment(tree_sql, *trees)


def _fractions(argument: Typed, *, descends: bool) -> tuple[str, bool]:
    """Return the fractions as DuckDB text, and whether there are several.

    Raises:
        FeatureNotSupported: They are not constant.
        NumericOutOfRange: One is not between 0 and 1.
    """
    tree = argument.tree
    if argument.is_unknown:
        tree = coerce(argument, FLOAT8, Coercion.IMPLICIT).tree
    items = [tree]
    while isinstance(tree, (exp.Cast, exp.Paren)):
        tree = tree.this
    has_many = isinstance(tree, exp.Array)
    if has_many:
        items = list(tree.expressions)
    texts: list[str] = []
    for item in items:
        fraction = _constant(item)
        if not 0 <= fraction <= 1:
            raise NumericOutOfRange(f"percentile value {fraction:g} is not between 0 and 1")
        texts.append(repr(1 - fraction if descends else fraction))
    return (f"[{', '.join(texts)}]" if has_many else texts[0]), has_many


def _constant(tree: exp.Expr) -> float:
    while isinstance(tree, (exp.Cast, exp.Paren)):
        tree = tree.this
    if isinstance(tree, exp.Neg):
        return -_constant(tree.this)
    if not isinstance(tree, exp.Literal):
        raise FeatureNotSupported("the fraction of a percentile must be a constant")
    return float(str(tree.this))


def _percentile_cont(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    fractions, has_many = _fractions(arguments[0], descends=bool(key.args.get("desc")))
    kind = INTERVAL if value.type.oid == INTERVAL.oid else FLOAT8
    argument = cast(coerce(value, kind, Coercion.IMPLICIT).tree, kind.duckdb)
    return _percentile(
        f"QUANTILE_CONT(_0, {fractions})", argument, kind, modifiers, has_many=has_many
    )


def _percentile_disc(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    fractions, has_many = _fractions(arguments[0], descends=bool(key.args.get("desc")))
    kind = value.type
    argument = cast(value.tree, kind.duckdb)
    return _percentile(
        f"QUANTILE_DISC(_0, {fractions})", argument, kind, modifiers, has_many=has_many
    )


def _percentile(
    sql: str, argument: exp.Expr, kind: PgType, modifiers: Modifiers, *, has_many: bool
) -> Typed:
    result = array_of(kind) if has_many else kind
    return Typed(cast(_filtered(sql, [argument], modifiers), result.duckdb), result)


def _mode(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    del arguments, key
    tree = _filtered("MODE(_0)", [cast(value.tree, value.type.duckdb)], modifiers)
    return Typed(cast(tree, value.type.duckdb), value.type)


#: Name -> how many direct arguments, and the build.
ORDERED_SETS: Final[dict[str, tuple[int, OrderedSetBuild]]] = {
    "percentile_cont": (1, _percentile_cont),
    "percentile_disc": (1, _percentile_disc),
    "mode": (0, _mode),
}


def ordered_set(
    name: str, arguments: Sequence[Typed], value: Typed, key: exp.Expr, modifiers: Modifiers
) -> Typed | None:
    """Return an ordered-set aggregate, or None if no such takes these direct arguments."""
    count, build = ORDERED_SETS[name]
    if len(arguments) != count:
        return None
    if name == "percentile_cont" and value.type.category not in {"N", "T", "X"}:
        return None
    return build(arguments, default_typed(value), key, modifiers)
