"""Exact arithmetic over numerics: the scale of a result follows from its operands' types.

DuckDB's DECIMAL has a fixed scale and at most 38 digits, PostgreSQL's numeric a scale per value:

    a + b, a - b   the larger scale
    a * b          the sum of the scales; past 20 digits the product is rounded to 16 or more
    a / b          16 digits, computed in integers
    a % b          the larger scale

What may be NaN or infinite is calculated with as ``special`` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.types import (
    BOOL,
    NUMBER,
    NUMERIC_PRECISION,
    NUMERIC_SCALE,
    computed_numeric,
    special_numeric,
)
from server.sql.casts import converted_value, numeric_width
from server.sql.fragment import cast, fragment
from server.sql.special import lifted
from server.sql.typed import Typed

#: The widest DECIMAL that DuckDB computes in 64 bits; it multiplies there and may overflow.
_WORD_PRECISION: Final = 18

#: Beyond this scale a product leaves too little room before the point.
_PRODUCT_SCALE_MAX: Final = 20


def add(left: Typed, right: Typed, symbol: str) -> Typed:
    """Return the sum or difference of two numerics."""
    return lifted(symbol, [left, right], lambda n: _add(n[0], n[1], symbol), is_bounded=True)


def _add(left: Typed, right: Typed, symbol: str) -> Typed:
    p1, s1 = numeric_width(left.type)
    p2, s2 = numeric_width(right.type)
    scale = max(s1, s2)
    precision = min(max(p1 - s1, p2 - s2) + scale + 1, NUMERIC_PRECISION)
    result = computed_numeric(precision, scale, keeps_scale=_is_known(left, right))
    tree = fragment(f"_0 {symbol} _1", left.tree, right.tree)
    return Typed(cast(tree, result.duckdb), result)


def _is_known(left: Typed, right: Typed) -> bool:
    return left.type.keeps_scale and right.type.keeps_scale


def multiply(left: Typed, right: Typed) -> Typed:
    """Return the product of two numerics."""
    return lifted("*", [left, right], lambda sides: _multiply(*sides), is_bounded=True)


def _multiply(left: Typed, right: Typed) -> Typed:
    p1, s1 = numeric_width(left.type)
    p2, s2 = numeric_width(right.type)
    scale = s1 + s2
    if scale > _PRODUCT_SCALE_MAX:
        wide = [cast(side.tree, NUMBER.duckdb) for side in (left, right)]
        return Typed(cast(fragment("tg_multiply(_0, _1)", *wide), NUMBER.duckdb), NUMBER)
    precision = min(p1 + p2, NUMERIC_PRECISION)
    result = computed_numeric(precision, scale, keeps_scale=_is_known(left, right))
    factor = left.tree
    if p1 <= _WORD_PRECISION and p2 <= _WORD_PRECISION < precision:
        factor = cast(factor, f"DECIMAL({_WORD_PRECISION + 1}, {s1})")
    return Typed(cast(fragment("_0 * _1", factor, right.tree), result.duckdb), result)


def divide(left: Typed, right: Typed) -> Typed:
    """Return the quotient of two numerics, with 16 digits after the point."""
    return lifted("/", [left, right], lambda sides: _divide(*sides), is_bounded=True)


def _divide(left: Typed, right: Typed) -> Typed:
    scale = max(numeric_width(left.type)[1], numeric_width(right.type)[1])
    if scale > NUMERIC_SCALE:
        left, right = (Typed(cast(v.tree, NUMBER.duckdb), NUMBER) for v in (left, right))
        scale = NUMERIC_SCALE
    tree = fragment("tg_divide(_0, _1)", scaled(left, scale), scaled(right, scale))
    return Typed(cast(tree, NUMBER.duckdb), NUMBER)


def scaled(value: Typed, scale: int) -> exp.Expr:
    """Return the HUGEINT that is 10^scale times a numeric."""
    precision, own = numeric_width(value.type)
    tree = value.tree
    if own == 0:
        whole = cast(tree, "HUGEINT")
    else:
        wide = tree if precision == NUMERIC_PRECISION else cast(tree, f"DECIMAL(38, {own})")
        whole = fragment("tg_scaled(_0, _1)", wide, exp.Literal.number("1" + "0" * own))
    if own < scale:
        return fragment("_0 * _1", whole, exp.Literal.number("1" + "0" * (scale - own)))
    assert own == scale, (own, scale)
    return whole


def remainder(left: Typed, right: Typed) -> Typed:
    """Return the remainder of two numerics; it has the sign of the first."""
    return lifted("%", [left, right], lambda sides: _remainder(*sides))


def _remainder(left: Typed, right: Typed) -> Typed:
    p1, s1 = numeric_width(left.type)
    p2, s2 = numeric_width(right.type)
    scale = max(s1, s2)
    precision = min(max(p1 - s1, p2 - s2) + scale, NUMERIC_PRECISION)
    result = computed_numeric(precision, scale, keeps_scale=_is_known(left, right))
    wide = f"DECIMAL({NUMERIC_PRECISION}, {scale})"
    tree = fragment("_0 % _1", cast(left.tree, wide), cast(right.tree, wide))
    return Typed(cast(tree, result.duckdb), result)


def is_zero_free(tree: exp.Expr) -> bool:
    """Whether an expression is a constant other than zero."""
    while isinstance(tree, (exp.Cast, exp.Paren, exp.Neg)):
        tree = tree.this
    if not isinstance(tree, exp.Literal):
        return False
    try:
        return float(str(tree.this)) != 0
    except ValueError:
        return False


def quotient(left: Typed, right: Typed) -> Typed:
    """Return the whole part of a quotient of two numerics."""
    return lifted("div", [left, right], lambda sides: _whole_quotient(*sides))


def _whole_quotient(left: Typed, right: Typed) -> Typed:
    scale = max(numeric_width(left.type)[1], numeric_width(right.type)[1])
    if scale > NUMERIC_SCALE:
        left, right = (Typed(cast(v.tree, NUMBER.duckdb), NUMBER) for v in (left, right))
        scale = NUMERIC_SCALE
    result = computed_numeric(NUMERIC_PRECISION, 0)
    tree = fragment("tg_whole_quotient(_0, _1)", scaled(left, scale), scaled(right, scale))
    return Typed(cast(tree, result.duckdb), result)


def irrational(operation: str, arguments: Sequence[Typed]) -> Typed:
    """Return a function of numerics whose results have no end, with 16 digits after the point.

    The engine has them for floats alone, of which no more than 15 digits are right.

    Args:
        operation: What ``special_operations`` calls it.
        arguments: Of the function.
    """

    def build(numbers: Sequence[Typed]) -> Typed:
        texts = [fragment("'=' || _0", cast(number.tree, "VARCHAR")) for number in numbers]
        name = "tg_special" if len(texts) == 1 else "tg_special_of_two"
        holes = ", ".join(f"_{place}" for place in range(len(texts)))
        found = fragment(f"{name}('{operation}', {NUMERIC_SCALE}, {holes})", *texts)
        return Typed(cast(found, NUMBER.duckdb), NUMBER)

    return lifted(operation, arguments, build)


def compared(symbol: str, left: Typed, right: Typed) -> Typed:
    """Return a comparison of two numerics.

    DuckDB compares DECIMALs at the larger scale of both. There what stands for NaN at the smaller
    one would be too large.
    """
    trees = [left.tree, right.tree]
    scales = [numeric_width(side.type)[1] for side in (left, right)]
    if any(
        side.type.has_specials and scale < max(scales)
        for side, scale in zip((left, right), scales, strict=True)
    ):
        shared = special_numeric(max(scales))
        trees = [converted_value(side, shared).tree for side in (left, right)]
    return Typed(fragment(f"_0 {symbol} _1", *trees), BOOL)
