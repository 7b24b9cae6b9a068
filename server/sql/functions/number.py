"""Mathematics (PostgreSQL 15, chapter 9.3)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.types import (
    FLOAT8,
    INT4,
    NUMBER,
    NUMERIC,
    NUMERIC_PRECISION,
    PgType,
    computed_numeric,
)
from server.sql.arithmetic import irrational, quotient, remainder, scaled
from server.sql.casts import numeric_width, text_of
from server.sql.fragment import cast, fragment
from server.sql.overload import Overload, rule, table
from server.sql.special import lifted, retyped, with_scale_code
from server.sql.typed import Typed
from server.sql.written_numeric import calculated, stored
from server.value.style import current_style

_TABLE: Final = """
abs(int2) int2 = ABS(_0)
abs(int4) int4 = ABS(_0)
abs(int8) int8 = ABS(_0)
abs(float4) float4 = ABS(_0)
abs(float8) float8 = ABS(_0)
abs(rw_int256) rw_int256 = CASE WHEN _0 < CAST(0 AS BIGNUM) THEN tg_int256(-_0) ELSE _0 END
hex_to_int256(text) rw_int256 = CAST(tg_int256_of_hex(_0) AS BIGNUM)
ceil(float8) float8 = CEIL(_0)
ceiling(float8) float8 = CEIL(_0)
floor(float8) float8 = FLOOR(_0)
round(float8) float8 = ROUND_EVEN(_0, 0)
trunc(float8) float8 = TRUNC(_0)
sign(float8) float8 = CAST(SIGN(_0) AS DOUBLE)
sqrt(float8) float8 = tg_sqrt(_0)
cbrt(float8) float8 = CBRT(_0)
exp(float8) float8 = tg_exp(_0)
ln(float8) float8 = LN(tg_positive(_0))
log(float8) float8 = tg_log10(tg_positive(_0))
log10(float8) float8 = tg_log10(tg_positive(_0))
power(float8, float8) float8 = tg_power(_0, _1)
pow(float8, float8) float8 = tg_power(_0, _1)
mod(int2, int2) int2 = _0 % _1
mod(int4, int4) int4 = _0 % _1
mod(int8, int8) int8 = _0 % _1
pi() float8 = PI()
degrees(float8) float8 = DEGREES(_0)
radians(float8) float8 = RADIANS(_0)
atan(float8) float8 = ATAN(_0)
atan2(float8, float8) float8 = ATAN2(_0, _1)
sinh(float8) float8 = SINH(_0)
cosh(float8) float8 = COSH(_0)
tanh(float8) float8 = TANH(_0)
asinh(float8) float8 = ASINH(_0)
coth(float8) float8 = 1 / TANH(_0)
atand(float8) float8 = CASE WHEN ISNAN(_0) THEN _0 ELSE tg_atand(_0) END
atan2d(float8, float8) float8 = CASE WHEN ISNAN(_0) OR ISNAN(_1) THEN CAST('nan' AS DOUBLE) ELSE tg_atan2d(_0, _1) END
gamma(float8) float8 = CASE WHEN ISNAN(_0) THEN _0 ELSE tg_gamma(_0) END
lgamma(float8) float8 = CASE WHEN ISNAN(_0) THEN _0 ELSE tg_lgamma(_0) END
gcd(int4, int4) int4 = CAST(GCD(CAST(_0 AS HUGEINT), CAST(_1 AS HUGEINT)) AS INTEGER)
gcd(int8, int8) int8 = CAST(GCD(CAST(_0 AS HUGEINT), CAST(_1 AS HUGEINT)) AS BIGINT)
lcm(int4, int4) int4 = CAST(LCM(CAST(_0 AS HUGEINT), CAST(_1 AS HUGEINT)) AS INTEGER)
lcm(int8, int8) int8 = CAST(LCM(CAST(_0 AS HUGEINT), CAST(_1 AS HUGEINT)) AS BIGINT)
width_bucket(float8, float8, float8, int4) int4 = CAST(tg_width_bucket_float(_0, _1, _2, _3) AS INTEGER)
random() float8 = RANDOM()
isnan(float8) bool = ISNAN(_0)
"""


def _within(sql: str, outside: str, arguments: Sequence[Typed]) -> Typed:
    """Return a function of what must not be ``outside``; to RisingWave it is not a number there."""
    if current_style().is_peer:
        sql = f"CASE WHEN {outside} THEN CAST('nan' AS DOUBLE) ELSE {sql} END"
    return Typed(fragment(sql, arguments[0].tree), FLOAT8)


_DOMAINS: Final = (
    ("sin", "SIN(tg_finite(_0))", "ISINF(_0)"),
    ("cos", "COS(tg_finite(_0))", "ISINF(_0)"),
    ("tan", "TAN(tg_finite(_0))", "ISINF(_0)"),
    ("cot", "COT(tg_finite(_0))", "ISINF(_0)"),
    ("asin", "tg_asin(_0)", "ABS(_0) > 1"),
    ("acos", "tg_acos(_0)", "ABS(_0) > 1"),
    ("acosh", "tg_acosh(_0)", "_0 < 1"),
    ("atanh", "tg_atanh(_0)", "ABS(_0) > 1"),
    *(
        (f"{n}d", f"CASE WHEN ISNAN(_0) THEN _0 ELSE tg_{n}d(_0) END", "ISINF(_0)")
        for n in ("sin", "cos", "tan", "cot")
    ),
    *(
        (f"{n}d", f"CASE WHEN ISNAN(_0) THEN _0 ELSE tg_{n}d(_0) END", "ABS(_0) > 1")
        for n in ("asin", "acos")
    ),
)


def _whole(name: str, sql: str, arguments: Sequence[Typed]) -> Typed:
    """Return a numeric rounded to a whole one in some direction."""
    return lifted(name, arguments, lambda numbers: _whole_number(sql, numbers[0]))


def _whole_number(sql: str, value: Typed) -> Typed:
    precision, scale = numeric_width(value.type)
    result = computed_numeric(min(max(precision - scale, 0) + 1, NUMERIC_PRECISION), 0)
    return Typed(cast(fragment(sql, value.tree), result.duckdb), result)


def _absolute(arguments: Sequence[Typed]) -> Typed:
    (value,) = arguments
    found = lifted("abs", arguments, lambda n: Typed(fragment("ABS(_0)", n[0].tree), value.type))
    return calculated(found, "abs", arguments)


def _scale(arguments: Sequence[Typed]) -> Typed:
    """Return how many digits are shown after the point; NULL for NaN and infinity."""
    (value,) = arguments
    if value.scale_code is not None and value.type == NUMERIC:
        value = stored(value, value.scale_code)
    return Typed(fragment("tg_shown_scale(_0)", text_of(value.tree, value.type)), INT4)


def _trimmed(arguments: Sequence[Typed]) -> list[Typed]:
    (value,) = arguments
    plain = with_scale_code(value, None)
    return [retyped(plain, replace(value.type, keeps_scale=False, is_declared=False))]


def _to_scale(arguments: Sequence[Typed], *, is_truncated: bool) -> Typed:
    """Return round(numeric, n) or trunc(numeric, n)."""
    return lifted(
        "trunc" if is_truncated else "round",
        arguments,
        lambda given: _number_to_scale(given[0], given[1], is_truncated=is_truncated),
    )


def _number_to_scale(value: Typed, places: Typed, *, is_truncated: bool) -> Typed:
    count = _constant_integer(places.tree)
    precision, scale = numeric_width(value.type)
    if count is None:
        return _to_variable_scale(value, places, is_truncated=is_truncated)
    if count < 0:
        word = "TRUNC" if is_truncated else "ROUND"
        whole = computed_numeric(min(max(precision - scale, -count) + 1, NUMERIC_PRECISION), 0)
        sql = f"CAST({word}(CAST(_0 AS DECIMAL({NUMERIC_PRECISION}, {scale})), {count}) AS {whole.duckdb})"
        return Typed(fragment(sql, value.tree), whole)
    kept = min(count, 30)
    result = _scaled_type(precision, scale, kept)
    tree = value.tree
    if is_truncated and kept < scale:
        tree = fragment(f"TRUNC(_0, {kept})", tree)
    return Typed(cast(tree, result.duckdb), result)


def _scaled_type(precision: int, scale: int, kept: int) -> PgType:
    whole = precision - scale + 1
    if whole + kept > NUMERIC_PRECISION:
        kept = min(kept, max(scale, NUMERIC_PRECISION - whole))
    return computed_numeric(min(max(whole + kept, 1), NUMERIC_PRECISION), kept)


def _to_variable_scale(value: Typed, places: Typed, *, is_truncated: bool) -> Typed:
    word = "TRUNC" if is_truncated else "ROUND"
    wide = cast(value.tree, NUMBER.duckdb)
    tree = fragment(f"tg_{word.lower()}(_0, _1)", wide, places.tree)
    return Typed(cast(tree, NUMBER.duckdb), NUMBER)


def _constant_integer(tree: exp.Expr) -> int | None:
    sign = 1
    while isinstance(tree, (exp.Cast, exp.Paren, exp.Neg)):
        sign = -sign if isinstance(tree, exp.Neg) else sign
        tree = tree.this
    if isinstance(tree, exp.Literal):
        try:
            return sign * int(str(tree.this))
        except ValueError:
            return None
    return None


def _common(name: str, arguments: Sequence[Typed]) -> Typed:
    """Return the greatest common divisor or least common multiple of two numerics."""

    def build(numbers: Sequence[Typed]) -> Typed:
        scale = max(numeric_width(n.type)[1] for n in numbers)
        result = computed_numeric(NUMERIC_PRECISION, scale)
        trees = [scaled(n, scale) for n in numbers]
        whole = fragment(f"{name}(_0, _1)", *trees)
        unit = exp.Literal.number("0." + "0" * (scale - 1) + "1" if scale else "1")
        tree = fragment("CAST(_0 AS DECIMAL(38, 0)) * _1", whole, unit) if scale else whole
        return Typed(cast(tree, result.duckdb), result)

    return lifted(name.lower(), arguments, build)


def _factorial(arguments: Sequence[Typed]) -> Typed:
    result = computed_numeric(NUMERIC_PRECISION, 0)
    return Typed(cast(fragment("tg_factorial(_0)", arguments[0].tree), result.duckdb), result)


def _bucket_of_bounds(arguments: Sequence[Typed]) -> Typed:
    """Return in which of the intervals between an array's items a value lies."""
    value, bounds = arguments
    nulls = "LENGTH(_1) > LENGTH(LIST_FILTER(_1, LAMBDA b : b IS NOT NULL))"
    fault = "ERROR('22004:thresholds array must not contain NULLs')"
    found = "LENGTH(LIST_FILTER(_1, LAMBDA b : b <= _0))"
    sql = f"CAST(CASE WHEN {nulls} THEN {fault} ELSE {found} END AS INTEGER)"
    return Typed(
        fragment(f"CASE WHEN _0 IS NOT NULL THEN {sql} END", value.tree, bounds.tree), INT4
    )


def _bucket(arguments: Sequence[Typed]) -> Typed:
    sql = "CAST(tg_width_bucket(_0, _1, _2, _3) AS INTEGER)"
    return lifted(
        "width_bucket",
        arguments,
        lambda numbers: Typed(fragment(sql, *(n.tree for n in numbers)), INT4),
    )


NUMBER_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *table(_TABLE),
    *(rule(f"{name}(float8)", partial(_within, sql, out)) for name, sql, out in _DOMAINS),
    rule("abs(number)", _absolute),
    rule("scale(number)", _scale),
    rule("min_scale(number)", lambda a: _scale(_trimmed(a))),
    rule("trim_scale(number)", lambda a: _trimmed(a)[0]),
    rule("ceil(number)", partial(_whole, "ceil", "CEIL(_0)")),
    rule("ceiling(number)", partial(_whole, "ceil", "CEIL(_0)")),
    rule("floor(number)", partial(_whole, "floor", "FLOOR(_0)")),
    rule("round(number)", partial(_whole, "round", "ROUND(_0)")),
    rule("trunc(number)", partial(_whole, "trunc", "TRUNC(_0)")),
    rule("sign(number)", partial(_whole, "sign", "CAST(SIGN(_0) AS DECIMAL(1, 0))")),
    rule("round(number, int4)", partial(_to_scale, is_truncated=False)),
    rule("trunc(number, int4)", partial(_to_scale, is_truncated=True)),
    rule("mod(number, number)", lambda a: remainder(a[0], a[1])),
    rule("div(number, number)", lambda a: quotient(a[0], a[1])),
    *(
        rule(f"{name}(number)", partial(irrational, operation))
        for name, operation in (
            *(("sqrt", "sqrt"), ("exp", "exp"), ("ln", "ln"), ("log", "log"), ("log10", "log")),
        )
    ),
    rule("log(number, number)", partial(irrational, "log_of")),
    *(rule(f"{name}(number, number)", partial(irrational, "power")) for name in ("power", "pow")),
    rule("width_bucket(number, number, number, int4)", _bucket),
    rule("width_bucket(anyelement, anyarray)", _bucket_of_bounds),
    rule("factorial(int8)", _factorial),
    rule("gcd(number, number)", partial(_common, "GCD")),
    rule("lcm(number, number)", partial(_common, "LCM")),
)
