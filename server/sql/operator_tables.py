"""Which types operators take and give; see ``overload`` for how a line reads."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.types import FLOAT4, FLOAT8, INTERVAL, by_name
from server.sql.arithmetic import (
    add,
    compared,
    divide,
    irrational,
    is_zero_free,
    multiply,
    remainder,
)
from server.sql.fragment import cast, fragment
from server.sql.jsonb_equality import EQUAL_FORM
from server.sql.overload import Build, Overload, rule, table
from server.sql.special import lifted
from server.sql.typed import Typed
from server.sql.written_numeric import calculated
from server.value.style import current_style

_INTEGERS: Final = ("int2", "int4", "int8")
_BITS: Final = {"int2": 16, "int4": 32, "int8": 64}
COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
_ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})
_COMPARABLE: Final = (
    *("bool", "int2", "int4", "int8", "float4", "float8", "text", "date", "time", "timetz"),
    *("timestamp", "timestamptz", "interval", "uuid", "bytea", "oid", "anyarray"),
    *("tid", "xid8", "rw_int256", "anyenum", "bit", "varbit"),
)


def _integer_operators() -> str:
    lines: list[str] = []
    for name in _INTEGERS:
        lines += [
            f"+({name}, {name}) {name} = _0 + _1",
            f"-({name}, {name}) {name} = _0 - _1",
            f"*({name}, {name}) {name} = _0 * _1",
            f"/({name}, {name}) {name} = _0 // _1",
            f"%({name}, {name}) {name} = _0 % _1",
            f"&({name}, {name}) {name} = _0 & _1",
            f"|({name}, {name}) {name} = _0 | _1",
            f"#({name}, {name}) {name} = XOR(_0, _1)",
            f"<<({name}, int4) {name} = CAST(tg_shift_left(_0, _1, {_BITS[name]}) AS {by_name(name).duckdb})",
            f">>({name}, int4) {name} = CAST(tg_shift_right(_0, _1, {_BITS[name]}) AS {by_name(name).duckdb})",
        ]
    # Each pair of widths has an operator of its own, whose function can be called by name.
    lines += [
        f"{symbol}({left}, {right}) {wider} = {_as(left, wider, 0)} {sql} {_as(right, wider, 1)}"
        for left, right in itertools.permutations(_INTEGERS, 2)
        for wider in [max(left, right)]
        for symbol, sql in (("+", "+"), ("-", "-"), ("*", "*"), ("/", "//"))
    ]
    return "\n".join(lines)


def _as(name: str, wanted: str, place: int) -> str:
    """Return an argument of one type of integer as one of a wider one."""
    return f"_{place}" if name == wanted else f"CAST(_{place} AS {by_name(wanted).duckdb})"


_INT256: Final = """
+(rw_int256, rw_int256) rw_int256 = tg_int256(_0 + _1)
-(rw_int256, rw_int256) rw_int256 = tg_int256(_0 - _1)
*(rw_int256, rw_int256) rw_int256 = CAST(tg_int256_calculated('*', CAST(_0 AS VARCHAR), CAST(_1 AS VARCHAR)) AS BIGNUM)
%(rw_int256, rw_int256) rw_int256 = CAST(tg_int256_calculated('%', CAST(_0 AS VARCHAR), CAST(_1 AS VARCHAR)) AS BIGNUM)
"""


def _wide_quotients() -> str:
    """Return the divisions of rw_int256, of which none is to be taken for one of floats."""
    return "\n".join(
        f"/(rw_int256, {name}) rw_int256 = "
        "CAST(tg_int256_calculated('/', CAST(_0 AS VARCHAR), CAST(_1 AS VARCHAR)) AS BIGNUM)"
        for name in ("rw_int256", *_INTEGERS)
    )


def _float(symbol: str, arguments: Sequence[Typed]) -> Typed:
    left, right = arguments
    result = FLOAT4 if left.type.oid == right.type.oid == FLOAT4.oid else FLOAT8
    sides = [
        cast(side.tree, result.duckdb) if side.type.oid != result.oid else side.tree
        for side in (left, right)
    ]
    if symbol == "/" and not is_zero_free(sides[1]):
        sides[1] = fragment("tg_divisor(_0, _1)", *sides)
    tree = fragment(f"_0 {symbol} _1", *sides)
    return Typed(cast(tree, result.duckdb), result)


def _wide_divided(arguments: Sequence[Typed]) -> Typed:
    wide, divisor = arguments
    return _float("/", [Typed(cast(wide.tree, "DOUBLE"), FLOAT8), divisor])


def _float_operators() -> list[Overload]:
    pairs = ("float4, float4", "float4, float8", "float8, float4", "float8, float8")
    return [rule(f"{s}({pair})", partial(_float, s)) for s in "+-*/" for pair in pairs]


def _exact(build: Build, symbol: str) -> Overload:
    return rule(f"{symbol}(number, number)", lambda given: calculated(build(given), symbol, given))


def _negation(arguments: Sequence[Typed]) -> Typed:
    (value,) = arguments
    negated = lifted("negation", arguments, lambda n: Typed(fragment("-_0", n[0].tree), value.type))
    return calculated(negated, "-", arguments)


def _comparison_operators() -> list[Overload]:
    lines = [
        f"{symbol.replace(' ', '_')}({name}, {name}) bool = _0 {symbol} _1"
        for symbol in COMPARISONS
        for name in _COMPARABLE
    ]
    lines += [
        f"{symbol.replace(' ', '_')}(xid, xid) bool = _0 {symbol} _1"
        for symbol in COMPARISONS
        if symbol not in _ORDERINGS
    ]
    lines += [
        f"{symbol.replace(' ', '_')}(bpchar, bpchar) bool = RTRIM(_0, ' ') {symbol} RTRIM(_1, ' ')"
        for symbol in COMPARISONS
    ]
    lines += [
        f"{symbol.replace(' ', '_')}(jsonb, jsonb) bool = "
        f"{EQUAL_FORM.format('_0')} {symbol} {EQUAL_FORM.format('_1')}"
        for symbol in COMPARISONS
        if symbol not in _ORDERINGS
    ]
    lines += [
        f"{symbol}(jsonb, jsonb) bool = "
        f"tg_jsonb_key(CAST(_0 AS TEXT)) {symbol} tg_jsonb_key(CAST(_1 AS TEXT))"
        for symbol in sorted(_ORDERINGS)
    ]
    lines += [
        f"{symbol.replace(' ', '_')}({pair}) bool = CAST(_0 AS DOUBLE) {symbol} CAST(_1 AS DOUBLE)"
        for symbol in COMPARISONS
        for pair in ("float4, float8", "float8, float4")
    ]
    found = [
        *table("\n".join(lines)),
        *(
            rule(f"{symbol.replace(' ', '_')}(number, number)", partial(_compared, symbol))
            for symbol in COMPARISONS
        ),
    ]
    return [Overload(o.name.replace("_", " "), o.parameters, o.build) for o in found]


def _scaled_interval(way: str, interval: int) -> Build:
    """Return the product or quotient of the interval at a place and the number at the other."""

    def build(arguments: Sequence[Typed]) -> Typed:
        peers = "peer_" if current_style().is_peer else ""
        sides = (arguments[interval].tree, arguments[1 - interval].tree)
        return Typed(fragment(f"tg_{peers}interval_{way}(_0, _1)", *sides), INTERVAL)

    return build


def _compared(symbol: str, arguments: Sequence[Typed]) -> Typed:
    return compared(symbol, arguments[0], arguments[1])


_MOMENTS: Final = """
+(date, int4) date = _0 + _1
+(int4, date) date = _0 + _1
-(date, int4) date = _0 - _1
-(date, date) int4 = tg_days_between(_0, _1)
+(date, interval) timestamp = _0 + _1
+(interval, date) timestamp = _0 + _1
-(date, interval) timestamp = _0 - _1
+(date, time) timestamp = _0 + _1
+(time, date) timestamp = _0 + _1
+(timestamp, interval) timestamp = _0 + _1
+(interval, timestamp) timestamp = _0 + _1
-(timestamp, interval) timestamp = _0 - _1
+(timestamptz, interval) timestamptz = tg_moved(_0, _1)
+(interval, timestamptz) timestamptz = tg_moved(_1, _0)
-(timestamptz, interval) timestamptz = tg_moved(_0, -_1)
-(timestamp, timestamp) interval = _0 - _1
-(timestamptz, timestamptz) interval = (_0 AT TIME ZONE 'UTC') - (_1 AT TIME ZONE 'UTC')
+(time, interval) time = _0 + _1
+(interval, time) time = _0 + _1
-(time, interval) time = _0 - _1
-(time, time) interval = TO_MICROSECONDS(CAST(tg_time_us(_0) - tg_time_us(_1) AS BIGINT))
+(interval, interval) interval = _0 + _1
-(interval, interval) interval = _0 - _1
+(timetz, interval) timetz = _0 + _1
+(interval, timetz) timetz = _1 + _0
-(timetz, interval) timetz = _0 - _1
+(date, timetz) timestamptz = tg_date_timetz(_0, _1)
+(timetz, date) timestamptz = tg_date_timetz(_1, _0)
"""

_OTHERS: Final = """
~~(bytea, bytea) bool = tg_bytes_like(_0, _1)
!~~(bytea, bytea) bool = NOT tg_bytes_like(_0, _1)
=(xid, int4) bool = _0 = CASE WHEN _1 < 0 THEN CAST(_1 AS BIGINT) + 4294967296 ELSE _1 END
<>(xid, int4) bool = _0 <> CASE WHEN _1 < 0 THEN CAST(_1 AS BIGINT) + 4294967296 ELSE _1 END
^(float8, float8) float8 = tg_power(_0, _1)
@>(anyarray, anyarray) bool = tg_has_all(_0, _1)
<@(anyarray, anyarray) bool = tg_has_all(_1, _0)
&&(anyarray, anyarray) bool = LIST_HAS_ANY(_0, _1)
^@(text, text) bool = STARTS_WITH(_0, _1)
&(bit, bit) bit = tg_bits_and(_0, _1)
|(bit, bit) bit = tg_bits_or(_0, _1)
#(bit, bit) bit = tg_bits_xor(_0, _1)
<<(bit, int4) bit = tg_bits_left(_0, _1)
>>(bit, int4) bit = tg_bits_left(_0, -CAST(_1 AS BIGINT))
"""


BINARY: Final[tuple[Overload, ...]] = (
    *table(_integer_operators()),
    *table(_INT256),
    *table(_wide_quotients()),
    rule("/(rw_int256, float8)", _wide_divided),
    *_float_operators(),
    _exact(lambda a: add(a[0], a[1], "+"), "+"),
    _exact(lambda a: add(a[0], a[1], "-"), "-"),
    _exact(lambda a: multiply(a[0], a[1]), "*"),
    _exact(lambda a: divide(a[0], a[1]), "/"),
    _exact(lambda a: remainder(a[0], a[1]), "%"),
    _exact(partial(irrational, "power"), "^"),
    *_comparison_operators(),
    *table(_MOMENTS),
    rule("*(interval, float8)", _scaled_interval("times", 0)),
    rule("*(float8, interval)", _scaled_interval("times", 1)),
    rule("/(interval, float8)", _scaled_interval("divided", 0)),
    *table(_OTHERS),
)

_UNARY: Final = """
-(float4) float4 = -_0
-(float8) float8 = -_0
-(interval) interval = -_0
-(rw_int256) rw_int256 = tg_int256(-_0)
+(rw_int256) rw_int256 = _0
+(int2) int2 = _0
+(int4) int4 = _0
+(int8) int8 = _0
+(float4) float4 = _0
+(float8) float8 = _0
+(number) $0 = _0
~(int2) int2 = ~_0
~(int4) int4 = ~_0
~(int8) int8 = ~_0
~(bit) bit = TRANSLATE(_0, '01', '10')
@(int2) int2 = ABS(_0)
@(int4) int4 = ABS(_0)
@(int8) int8 = ABS(_0)
@(float4) float4 = ABS(_0)
@(float8) float8 = ABS(_0)
@(number) $0 = ABS(_0)
|/(float8) float8 = tg_sqrt(_0)
||/(float8) float8 = CBRT(_0)
"""


def _negative(arguments: Sequence[Typed]) -> Typed:
    """Return an integer's negative; the engine's own minus overflows silently."""
    (value,) = arguments
    inner = value.tree
    while isinstance(inner, (exp.Cast, exp.Paren)):
        inner = inner.this
    if isinstance(inner, exp.Literal) and not str(inner.this).startswith("-"):
        return Typed(fragment("-_0", value.tree), value.type)
    tree = fragment(f"CAST(0 AS {value.type.duckdb}) - _0", value.tree)
    return Typed(tree, value.type)


UNARY: Final[tuple[Overload, ...]] = (
    *table(_UNARY),
    *(rule(f"-({name})", _negative) for name in _INTEGERS),
    rule("-(number)", _negation),
)
