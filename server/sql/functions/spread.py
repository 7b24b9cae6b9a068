"""Deviations and variances (PostgreSQL 15, chapter 9.21): of exact types they are exact.

They are made of the number of values, their sum and the sum of their squares, which are kept as
whole numbers: a numeric counts as the integer that is a power of ten times as large. What is longer
than ``_LIMB_DIGITS`` is cut into limbs, so that no product of two exceeds the engine's integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import Final

from sqlglot import exp

from catalog.special_numeric import Special
from catalog.types import FLOAT8, NUMBER, NUMERIC, NUMERIC_SCALE
from server.sql.arithmetic import scaled
from server.sql.casts import numeric_width
from server.sql.fragment import cast, fragment, string
from server.sql.functions.modified import Modifiers, aggregate_call, explicit, specials_apart
from server.sql.special import is_number
from server.sql.typed import Typed

#: Digits of a limb: a billion products of two are less than 2^127.
_LIMB_DIGITS: Final = 14

_BASE: Final = 10**_LIMB_DIGITS

#: Of whole numbers up to it the squares are bigints, which the engine adds up as fast as floats.
_WHOLE_MAX: Final = 3 * 10**9

_FLOATS: Final = frozenset({"float4", "float8"})
#: What each aggregate is called by the engine.
SPREADS: Final = {
    "stddev": "STDDEV_SAMP",
    "stddev_samp": "STDDEV_SAMP",
    "stddev_pop": "STDDEV_POP",
    "variance": "VAR_SAMP",
    "var_samp": "VAR_SAMP",
    "var_pop": "VAR_POP",
}


def spread(name: str) -> Callable[[Sequence[Typed], Modifiers], Typed]:
    """Return the build of a deviation or variance; of exact types it is a numeric."""
    return partial(_spread, SPREADS[name])


def _spread(name: str, arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    (value,) = arguments
    if value.type.name in _FLOATS:
        number = cast(explicit(value), "DOUBLE")
        call = _of_floats(name, number, modifiers)
        if name.endswith("POP"):
            # The engine takes a single value for one that does not spread, even NaN.
            single = aggregate_call("MAX", [number.copy()], modifiers)
            call = fragment("_0 + (_1 - _1)", call, single)
        return Typed(cast(call, "DOUBLE"), FLOAT8)
    if not value.type.has_specials:
        return Typed(cast(_exact(name, value, modifiers), NUMBER.duckdb), NUMBER)
    numbers, specials = specials_apart(value, NUMERIC, modifiers)
    count = aggregate_call("COUNT", [explicit(value)], modifiers)
    rows_min = exp.Literal.number("1" if name.endswith("POP") else "2")
    nan = cast(string(Special.NAN.stored(NUMERIC_SCALE)), NUMERIC.duckdb)
    tree = fragment(
        "CASE WHEN _0 IS NULL THEN _1 WHEN _2 >= _3 THEN _4 END",
        specials,
        cast(_exact(name, Typed(numbers, is_number(value.type)), modifiers), NUMERIC.duckdb),
        count,
        rows_min,
        nan,
    )
    return Typed(cast(tree, NUMERIC.duckdb), NUMERIC)


def _of_floats(name: str, number: exp.Expr, modifiers: Modifiers) -> exp.Expr:
    """Return the engine's call; floats that are all whole are counted as whole numbers.

    The engine follows the mean, which is no whole number: near 1e8 that costs half of the digits.
    """
    call = aggregate_call(name, [number], modifiers)
    if modifiers.is_distinct:  # Of two numbers the squares may be the same.
        return call
    whole = fragment(
        f"CASE WHEN ABS(_0) <= {_WHOLE_MAX} AND TRUNC(_0) = _0 THEN CAST(_0 AS BIGINT) END",
        number.copy(),
    )
    squares = fragment("_0 * _0", whole.copy())
    counted = [aggregate_call("COUNT", [item.copy()], modifiers) for item in (number, whole)]
    sums = [aggregate_call("SUM", [item], modifiers) for item in (whole, squares)]
    given = "_1, _2, _3"
    divisor = "_1" if name.endswith("POP") else "NULLIF(_1 - 1, 0)"
    variance = f"tg_squares_apart({given}) / {divisor}"
    shown = variance if name.startswith("VAR") else f"SQRT({variance})"
    return fragment(f"CASE WHEN _0 = _1 AND _1 > 0 THEN {shown} ELSE _4 END", *counted, *sums, call)


def _exact(name: str, value: Typed, modifiers: Modifiers) -> exp.Expr:
    """Return the text of what comes out for numbers of an exact type."""
    digits, scale = numeric_width(value.type)
    whole = cast(scaled(value, scale), "HUGEINT")
    count = -(-digits // _LIMB_DIGITS)
    shown = scale if value.type.keeps_scale else -1
    if modifiers.is_distinct:
        listed = aggregate_call("ARRAY_AGG", [cast(whole, "VARCHAR")], modifiers)
        return fragment(f"tg_spread_of('{name}', {scale}, {shown}, _0)", listed)
    limbs = [_limb(whole, place, count) for place in range(count)]
    pairs = combinations_with_replacement(limbs, 2)
    terms = [*limbs, *(fragment("_0 * _1", one, other) for one, other in pairs)]
    sums = [aggregate_call("SUM", [cast(term, "HUGEINT")], modifiers) for term in terms]
    rows = aggregate_call("COUNT", [whole.copy()], modifiers)
    items = exp.Array(expressions=[cast(item, "VARCHAR") for item in (rows, *sums)])
    return fragment(f"tg_spread('{name}', {scale}, {shown}, _0)", cast(items, "VARCHAR[]"))


def _limb(whole: exp.Expr, place: int, count: int) -> exp.Expr:
    """Return the limb at a place, from the lowest; all have the sign of the whole."""
    limb = whole.copy() if place == 0 else fragment(f"_0 // {_BASE**place}", whole.copy())
    return limb if place == count - 1 else fragment(f"_0 % {_BASE}", limb)
