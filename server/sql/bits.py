"""Strings of bits: the trees and macros of what is peculiar to them (PostgreSQL 15, chapters 8.10, 9.6).

They are texts of zeros and ones. Where the engine's own type of bits computes, each side has one bit
more in front, which goes again: that type has no value without bits.
"""
# ruff: noqa: E501 -- a macro's line is not broken

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.types import BIT, PgType
from server.sql.fragment import fragment
from server.sql.macro import macro, once

_BITS_OF_INTEGER: Final = {"INTEGER": 32, "BIGINT": 64}


def bits_of_integer(tree: exp.Expr, source: PgType, target: PgType) -> exp.Expr:
    """Return the lowest bits of an int4 or int8, as many as bit(n) has."""
    width = _BITS_OF_INTEGER[source.duckdb]
    length = target.length or 1
    text = f"CAST(CAST(CAST(_0 AS {source.duckdb}) AS BIT) AS VARCHAR)"
    if length <= width:
        return fragment(f"RIGHT({text}, {length})", tree)
    return fragment(f"LPAD({text}, {length}, CASE WHEN _0 < 0 THEN '1' ELSE '0' END)", tree)


def fitted_bits(tree: exp.Expr, target: PgType, *, is_explicit: bool) -> exp.Expr:
    """Return bits of a length: an explicit cast cuts, and fills up bit(n) with zeros."""
    length = target.length
    assert length is not None
    is_fixed = target.oid == BIT.oid
    if not is_explicit:
        return fragment(f"{'tg_fit_bit' if is_fixed else 'tg_fit_varbit'}(_0, {length})", tree)
    return fragment(f"RPAD(_0, {length}, '0')" if is_fixed else f"LEFT(_0, {length})", tree)


def _sizes(word: str) -> str:
    return f"error('22026:cannot {word} bit strings of different sizes')"


def _combined(name: str, word: str, sql: str) -> str:
    return once(
        f"tg_bits_{name}(a, b)",
        f"CASE WHEN length(a) <> length(b) THEN {_sizes(word)} "
        f"ELSE substr(CAST({sql} AS VARCHAR), 2) END",
    )


_A: Final = "CAST('0' || a AS BIT)"
_B: Final = "CAST('0' || b AS BIT)"
_INDEX: Final = (
    "n < 0 OR n >= length(a) THEN "
    "error('2202E:bit index ' || n || ' out of valid range (0..' || length(a) - 1 || ')')"
)

BIT_MACROS: Final = (
    macro("tg_bits_input(t)", "CASE WHEN ltrim(t, '01') = '' THEN t ELSE tg_bits_text(t) END"),
    once(
        "tg_fit_bit(a, n)",
        "CASE WHEN length(a) <> n THEN "
        "error('22026:bit string length ' || length(a) || ' does not match type bit(' || n || ')') ELSE a END",
    ),
    once(
        "tg_fit_varbit(a, n)",
        "CASE WHEN length(a) > n THEN error('22001:bit string too long for type bit varying(' || n || ')') ELSE a END",
    ),
    once(
        "tg_bits_int4(a)",
        "CASE WHEN length(a) > 32 THEN error('22003:integer out of range') "
        "ELSE CAST(CAST(lpad(a, 32, '0') AS BIT) AS INTEGER) END",
    ),
    once(
        "tg_bits_int8(a)",
        "CASE WHEN length(a) > 64 THEN error('22003:bigint out of range') "
        "ELSE CAST(CAST(lpad(a, 64, '0') AS BIT) AS BIGINT) END",
    ),
    _combined("and", "AND", f"{_A} & {_B}"),
    _combined("or", "OR", f"{_A} | {_B}"),
    _combined("xor", "XOR", f"xor({_A}, {_B})"),
    # As long as before; what is moved out is lost, and zeros follow.
    once(
        "tg_bits_left(a, n)",
        "CASE WHEN n < 0 THEN left(repeat('0', least(-CAST(n AS BIGINT), length(a))) || a, length(a)) "
        "ELSE rpad(substr(a, CAST(n AS BIGINT) + 1), CAST(length(a) AS INTEGER), '0') END",
    ),
    once(
        "tg_bits_get(a, n)",
        f"CASE WHEN {_INDEX} ELSE CAST(substr(a, n + 1, 1) AS INTEGER) END",
    ),
    once(
        "tg_bits_set(a, n, bit)",
        f"CASE WHEN a IS NULL OR bit IS NULL THEN NULL WHEN {_INDEX} WHEN bit NOT IN (0, 1) THEN error('22023:new bit must be 0 or 1') "
        "ELSE left(a, n) || bit || substr(a, n + 2) END",
    ),
)
