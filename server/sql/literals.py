"""Constants as typed expressions (PostgreSQL 15, chapter 4.1.2)."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf
from typing import Final

from sqlglot import exp

from catalog.errors import NumericOutOfRange
from catalog.types import (
    BOOL,
    FLOAT8,
    INT4,
    INT8,
    NUMERIC_PRECISION,
    UNKNOWN,
    computed_numeric,
)
from server.sql.fragment import cast, string
from server.sql.typed import Typed

_INTEGER: Final = re.compile(r"[0-9]+")

#: So many digits tell every double precision number from all others.
FLOAT8_DIGITS: Final = 17

#: Literals are kept at least as wide as fits a machine word: a table made from them has room.
_PRECISION_MIN: Final = 18


def number_literal(text: str, *, position: int | None = None) -> Typed:
    """Return an unsigned numeric constant: int4, int8 or numeric, whichever holds it exactly.

    What is too large or too fine for a numeric here is a float8, so that ``1e300::float8`` and
    ``1e-300::float8`` have their values.

    Raises:
        NumericOutOfRange: It is no float8 either.
    """
    if _INTEGER.fullmatch(text):
        whole = int(text)
        if whole < 1 << 31:
            return Typed(exp.Literal.number(str(whole)), INT4)
        if whole < 1 << 63:
            return Typed(exp.Literal.number(str(whole)), INT8)
    value = Decimal(text)
    scale = digits_of(value)[1]
    is_fine = scale > NUMERIC_PRECISION and value.adjusted() < FLOAT8_DIGITS - NUMERIC_PRECISION
    if is_fine or value.adjusted() >= NUMERIC_PRECISION:
        as_float = float(text)
        if isinf(as_float) or (value and not as_float):
            raise NumericOutOfRange(
                f'"{value:f}" is out of range for type {FLOAT8.sql_name}', position=position
            )
        return Typed(cast(string(text), FLOAT8.duckdb), FLOAT8)
    return numeric_constant(value, position=position)


def numeric_constant(value: Decimal, *, position: int | None = None) -> Typed:
    """Return a numeric constant that keeps every digit that was written.

    Raises:
        NumericOutOfRange: It has more digits before the point than a numeric holds.
    """
    digits, scale = digits_of(value)
    if digits - scale > NUMERIC_PRECISION:
        raise NumericOutOfRange("value overflows numeric format", position=position)
    if digits > NUMERIC_PRECISION:
        scale -= digits - NUMERIC_PRECISION
        digits = NUMERIC_PRECISION
    pg_type = computed_numeric(max(digits, _PRECISION_MIN), scale)
    return Typed(cast(string(format(value, "f")), pg_type.duckdb), pg_type)


def digits_of(value: Decimal) -> tuple[int, int]:
    """Return how many digits a value has in all and after the point."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int), value
    scale = max(0, -exponent)
    return max(len(digits) + max(exponent, 0), scale, 1), scale


def string_literal(text: str) -> Typed:
    """Return a string constant, which takes its type from its surroundings."""
    return Typed(string(text), UNKNOWN)


def null_literal() -> Typed:
    """Return NULL, which takes its type from its surroundings."""
    return Typed(exp.Null(), UNKNOWN)


def boolean_literal(*, value: bool) -> Typed:
    """Return true or false."""
    return Typed(exp.Boolean(this=value), BOOL)
