"""Ordered-set aggregates: percentiles and mode (PostgreSQL 15, table 9.62)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, InvalidParameterValue, NumericOutOfRange
from catalog.types import FLOAT8, INTERVAL, PgType, array_of
from server.sql.coercion import Coercion, coerce, default_typed
from server.sql.fragment import call, cast, fragment
from server.sql.functions.modified import Modifiers
from server.sql.known import known_text
from server.sql.typed import Typed

#: Direct arguments, the ordered value, the node with its direction, and the FILTER.
OrderedSetBuild = Callable[[Sequence[Typed], Typed, exp.Expr, Modifiers], Typed]


def _filtered(tree_sql: str, trees: list[exp.Expr], modifiers: Modifiers) -> exp.Expr:
    if modifiers.filter_ is not None:
        tree_sql += f" FILTER (WHERE _{len(trees)})"
        trees.append(modifiers.filter_)
    return fragment(tree_sql, *trees)


def _is_known(argument: Typed) -> bool:
    """Whether fractions are constants or parameters, of which the engine can make use."""
    try:
        _fractions(argument, descends=False)
    except FeatureNotSupported:
        return False
    return True


def _sorted(value: exp.Expr, key: exp.Expr, modifiers: Modifiers) -> exp.Expr:
    """Return the values in order as one list, without those that are NULL."""
    direction = "DESC" if key.args.get("desc") else "ASC"
    condition = fragment("_0 IS NOT NULL", value)
    if modifiers.filter_ is not None:
        condition = fragment("_0 AND _1", condition, modifiers.filter_)
    sql = f"ARRAY_AGG(_0 ORDER BY _0 {direction})"
    return _filtered(sql, [value.copy()], replace(modifiers, filter_=condition))


def _of_list(macro: str, argument: Typed, values: exp.Expr, kind: PgType) -> Typed:
    """Return a percentile, or an array of them, of fractions that are computed with each group."""
    if not argument.type.is_array:
        fraction = coerce(argument, FLOAT8, Coercion.IMPLICIT)
        return Typed(cast(call(macro, values, fraction.tree), kind.duckdb), kind)
    fractions = coerce(argument, array_of(FLOAT8), Coercion.IMPLICIT)
    result = array_of(kind)
    sql = f"list_transform(_0, LAMBDA f : {macro}(_1, f))"
    return Typed(cast(fragment(sql, fractions.tree, values), result.duckdb), result)


def _fractions(argument: Typed, *, descends: bool) -> tuple[list[float | None], bool]:
    """Return the fractions, and whether an array of them was given.

    Raises:
        FeatureNotSupported: They are neither constants nor parameters.
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
    fractions = [_constant(item) for item in items]
    for fraction in fractions:
        if fraction is not None and not 0 <= fraction <= 1:
            raise NumericOutOfRange(f"percentile value {fraction:g} is not between 0 and 1")
    if descends:
        fractions = [None if fraction is None else 1 - fraction for fraction in fractions]
    return fractions, has_many


def _constant(tree: exp.Expr) -> float | None:
    """Return a fraction; None of NULL."""
    known = known_text(Typed(tree, FLOAT8), "the fraction of a percentile", stand_in="0.5")
    return None if known is None else float(known)


def _percentile_cont(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    if value.type.oid == INTERVAL.oid:
        values = _sorted(value.tree, key, modifiers)
        return _of_list("tg_percentile_interval", arguments[0], values, INTERVAL)
    kind = FLOAT8
    argument = cast(coerce(value, kind, Coercion.IMPLICIT).tree, kind.duckdb)
    if not _is_known(arguments[0]):
        values = _sorted(argument, key, modifiers)
        return _of_list("tg_percentile_cont", arguments[0], values, kind)
    fractions, has_many = _fractions(arguments[0], descends=bool(key.args.get("desc")))
    return _percentile("QUANTILE_CONT", fractions, argument, kind, modifiers, has_many=has_many)


def _percentile_disc(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    kind = value.type
    argument = cast(value.tree, kind.duckdb)
    if not _is_known(arguments[0]):
        values = _sorted(argument, key, modifiers)
        return _of_list("tg_percentile_disc", arguments[0], values, kind)
    fractions, has_many = _fractions(arguments[0], descends=bool(key.args.get("desc")))
    return _percentile("QUANTILE_DISC", fractions, argument, kind, modifiers, has_many=has_many)


def _percentile(
    name: str,
    fractions: Sequence[float | None],
    argument: exp.Expr,
    kind: PgType,
    modifiers: Modifiers,
    *,
    has_many: bool,
) -> Typed:
    if not has_many:
        return Typed(_quantile(name, repr(fractions[0]), argument, kind, modifiers), kind)
    result = array_of(kind)
    if None not in fractions:
        return Typed(_quantile(name, repr(fractions), argument, result, modifiers), result)
    trees = [_quantile(name, repr(f), argument.copy(), kind, modifiers) for f in fractions]
    return Typed(cast(exp.Array(expressions=trees), result.duckdb), result)


def _quantile(
    name: str, fraction: str, argument: exp.Expr, result: PgType, modifiers: Modifiers
) -> exp.Expr:
    """Return the engine's call; it takes no NULL for a fraction."""
    sql = f"{name}(_0, {fraction})" if fraction != "None" else "ANY_VALUE(NULL)"
    return cast(_filtered(sql, [argument], modifiers), result.duckdb)


def _mode(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    # Of values that are equally frequent the first in order is meant.
    del arguments
    direction = "DESC" if key.args.get("desc") else "ASC"
    tree = _filtered(
        f"MODE(_0 ORDER BY _0 {direction})", [cast(value.tree, value.type.duckdb)], modifiers
    )
    return Typed(cast(tree, value.type.duckdb), value.type)


def _approximate(
    arguments: Sequence[Typed],
    value: Typed,
    key: exp.Expr,
    modifiers: Modifiers,
) -> Typed:
    """Return RisingWave's approx_percentile: a value that stands for all within a relative error.

    Raises:
        InvalidParameterValue: The error that is allowed is not between 0 and 1.
    """
    if key.args.get("desc"):
        raise FeatureNotSupported("approx_percentile in descending order is not supported")
    fractions, _ = _fractions(arguments[0], descends=False)
    allowed = 0.01
    if len(arguments) > 1:
        told = known_text(arguments[1], "the relative error of approx_percentile", stand_in="0.01")
        allowed = 0.0 if told is None else float(told)
    if not 0 < allowed < 1:
        raise InvalidParameterValue(f"relative_error must be in the range (0, 1), got {allowed:g}")
    argument = cast(coerce(value, FLOAT8, Coercion.IMPLICIT).tree, FLOAT8.duckdb)
    values = _sorted(argument, key, modifiers)
    sql = f"tg_approximate(tg_item_at(_0, {fractions[0] or 'NULL'}), {allowed!r})"
    return Typed(cast(fragment(sql, values), FLOAT8.duckdb), FLOAT8)


#: Name -> how many direct arguments there may be, and the build.
ORDERED_SETS: Final[dict[str, tuple[frozenset[int], OrderedSetBuild]]] = {
    "percentile_cont": (frozenset({1}), _percentile_cont),
    "percentile_disc": (frozenset({1}), _percentile_disc),
    "approx_percentile": (frozenset({1, 2}), _approximate),
    "mode": (frozenset({0}), _mode),
}
#: Those that make a number of what they order.
_NUMERIC: Final = frozenset({"percentile_cont", "approx_percentile"})


def ordered_set(
    name: str, arguments: Sequence[Typed], value: Typed, key: exp.Expr, modifiers: Modifiers
) -> Typed | None:
    """Return an ordered-set aggregate, or None if no such takes these direct arguments."""
    counts, build = ORDERED_SETS[name]
    if any(argument.type.dimensions > 1 for argument in arguments):
        raise FeatureNotSupported(f"{name} of arrays of arrays is not supported")
    if len(arguments) not in counts:
        return None
    if name in _NUMERIC and value.type.category not in {"N", "T", "X"}:
        return None
    return build(arguments, default_typed(value), key, modifiers)
