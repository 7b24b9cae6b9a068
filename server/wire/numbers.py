"""Booleans, integers, floats and numerics: text and binary images (PostgreSQL 15, chapter 8.1)."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Final

from catalog.errors import (
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
    NumericOutOfRange,
)
from catalog.special_numeric import (
    Special,
    is_number,
    special_of_stored,
    special_of_word,
    without_digits,
    without_room,
)
from catalog.types import FLOAT4, PgType
from server.wire.body import exactly

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_TID: Final = re.compile(r"\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*")
_FLOAT: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SPECIAL_FLOATS: Final = {
    "nan": math.nan,
    **dict.fromkeys(("inf", "infinity", "+inf", "+infinity"), math.inf),
    **dict.fromkeys(("-inf", "-infinity"), -math.inf),
}
_BOOLEAN_WORDS: Final = (
    *(("true", 1, True), ("yes", 1, True), ("on", 2, True), ("1", 1, True)),
    *(("false", 1, False), ("no", 1, False), ("off", 2, False), ("0", 1, False)),
)
_BOOLEANS: Final = {
    word[:length]: value
    for word, shortest, value in _BOOLEAN_WORDS
    for length in range(shortest, len(word) + 1)
}
_INTEGER_FORMATS: Final = {2: "!h", 4: "!i", 8: "!q"}

# Digits enough for every numeric there is.
_EXACT: Final = Context(prec=2000, rounding=ROUND_HALF_UP, Emax=200_000, Emin=-200_000)
_NUMERIC_HEADER: Final = struct.Struct("!HhHH")
_NEGATIVE: Final = 0x4000
_SPECIAL_SIGNS: Final = {
    0xC000: Special.NAN,
    0xD000: Special.INFINITY,
    0xF000: Special.MINUS_INFINITY,
}
#: PostgreSQL sends a scale with infinities, which nobody looks at.
_SPECIAL_TEXTS: Final[dict[str, Special]] = {special.value: special for special in Special}
SPECIAL_IMAGES: Final = {
    special: _NUMERIC_HEADER.pack(0, 0, sign, 0 if special is Special.NAN else 0x20)
    for sign, special in _SPECIAL_SIGNS.items()
}


def parse_boolean(text: str) -> bool:
    """Return the boolean that a text or a prefix of it names.

    Raises:
        InvalidTextRepresentation: It names none.
    """
    try:
        return _BOOLEANS[text.strip().lower()]
    except KeyError:
        raise InvalidTextRepresentation.of("boolean", text) from None


def parse_integer(text: str, pg_type: PgType) -> int:
    """Return the integer that a text stands for.

    Raises:
        InvalidTextRepresentation: It is no integer.
        NumericOutOfRange: The type cannot hold it.
    """
    digits = text.strip(" \t\n\v\f\r")
    if not _INTEGER.fullmatch(digits):
        raise InvalidTextRepresentation.of(pg_type.sql_name, text)
    is_too_long = len(digits.lstrip("+-0")) > 20  # int() is slow on thousands of digits.
    value = 0 if is_too_long else int(digits)
    low, high = integer_range(pg_type)
    if low == 0 and -(1 << 31) <= value < 0:
        return value + (1 << 32)  # Object identifiers are read like C's unsigned numbers.
    if is_too_long or not low <= value <= high:
        raise NumericOutOfRange(f'value "{text}" is out of range for type {pg_type.sql_name}')
    return value


def parse_tid(text: str) -> int:
    """Return the place of a row that ``(page,item)`` stands for, as one number.

    Raises:
        InvalidTextRepresentation: It is none.
    """
    match = _TID.fullmatch(text)
    if match is None or int(match[1]) > 0xFFFF_FFFF or int(match[2]) > 0xFFFF:
        raise InvalidTextRepresentation.of("tid", text)
    return int(match[1]) << 16 | int(match[2])


def integer_range(pg_type: PgType) -> tuple[int, int]:
    """Return the least and the greatest value of an integer type; oids have no sign."""
    if pg_type.duckdb == "BIGINT" and pg_type.size == 4:
        return 0, 0xFFFF_FFFF
    bits = pg_type.size * 8 - 1
    return -(1 << bits), (1 << bits) - 1


def unpack_integer(data: bytes, pg_type: PgType) -> int:
    """Return the integer of a binary image.

    Raises:
        struct.error: It has another length.
    """
    low, _ = integer_range(pg_type)
    form = "!I" if low == 0 else _INTEGER_FORMATS[pg_type.size]
    value: int = struct.unpack(form, exactly(data, pg_type.size))[0]
    return value


def pack_integer(value: int, pg_type: PgType) -> bytes:
    """Return the binary image of an integer."""
    low, _ = integer_range(pg_type)
    return struct.pack("!I" if low == 0 else _INTEGER_FORMATS[pg_type.size], value)


def parse_float(text: str, pg_type: PgType) -> float:
    """Return the float that a text stands for.

    Raises:
        InvalidTextRepresentation: It is no number.
        NumericOutOfRange: It is too large, or so small that it would become zero.
    """
    digits = text.strip(" \t\n\v\f\r")
    special = _SPECIAL_FLOATS.get(digits.lower())
    if special is not None:
        return special
    if not _FLOAT.fullmatch(digits):
        raise InvalidTextRepresentation.of(pg_type.sql_name, text)
    value = float(digits)
    if pg_type.oid == FLOAT4.oid:
        value = _to_float4(value)
    has_digits = bool(re.search(r"[1-9]", re.split("[eE]", digits)[0]))
    if math.isinf(value) or (value == 0 and has_digits):
        raise NumericOutOfRange(f'"{text}" is out of range for type {pg_type.sql_name}')
    return value


def _to_float4(value: float) -> float:
    try:
        single: float = struct.unpack("!f", struct.pack("!f", value))[0]
    except OverflowError:
        return math.inf
    return single


def float_text(value: float, pg_type: PgType) -> str:
    """Return the shortest text that gives the float again, as PostgreSQL lays it out."""
    if 1e-4 <= abs(value) < 1e15 and pg_type.oid != FLOAT4.oid:
        return repr(value).removesuffix(".0")
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    is_single = pg_type.oid == FLOAT4.oid
    sign, digits, exponent = Decimal(
        _shortest_single(value) if is_single else repr(value)
    ).as_tuple()
    assert isinstance(exponent, int)
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    minus = "-" if sign else ""
    point = len(digits) + exponent  # The value is 0.digits * 10 ** point.
    scientific = point - 1
    if shown == "0":
        return minus + "0"
    if scientific < -4 or scientific >= (6 if is_single else 15):
        mantissa = shown[0] + ("." + shown[1:] if len(shown) > 1 else "")
        return f"{minus}{mantissa}e{'-' if scientific < 0 else '+'}{abs(scientific):02d}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{shown}"
    if len(shown) <= point:
        return minus + shown.ljust(point, "0")
    return f"{minus}{shown[:point]}.{shown[point:]}"


def _shortest_single(value: float) -> str:
    """Return the shortest text that names this float4 among the float4s."""
    for precision in range(1, 10):
        text = f"{value:.{precision}g}"
        # PostgreSQL does not take a text that stands halfway between two float4.
        number = float(text)
        if _to_float4(math.nextafter(number, 2 * number - value)) == value:
            return text
    raise AssertionError(value)  # Nine digits tell all float4s apart.


def parse_numeric(text: str, pg_type: PgType) -> Decimal:
    """Return the numeric that a text stands for, rounded to the type's scale.

    Raises:
        InvalidTextRepresentation: It is no number.
        NumericOutOfRange: It has more digits than the type, which is never so for NaN and infinity
            unless the type was declared with a precision.
    """
    digits = text.strip(" \t\n\v\f\r")
    if (special := special_of_word(digits)) is not None:
        return _stored(special, pg_type)
    if not _FLOAT.fullmatch(digits):
        raise InvalidTextRepresentation.of("numeric", text)
    return _fit(Decimal(digits), pg_type)


def is_special(value: Decimal, pg_type: PgType) -> bool:
    """Whether a number with all digits of its scale stands for NaN or an infinity."""
    assert pg_type.scale is not None
    return not is_number(value, pg_type.scale)


def shown_scale(data: bytes) -> int:
    """Return how many digits are shown after the point of a numeric in its binary image."""
    scale: int = _NUMERIC_HEADER.unpack_from(data)[3]
    return scale


def _stored(special: Special, pg_type: PgType) -> Decimal:
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    if not pg_type.has_specials:
        raise without_room(special, pg_type.precision, pg_type.scale)
    return Decimal(special.stored(pg_type.scale))


def _fit(value: Decimal, pg_type: PgType) -> Decimal:
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    if value and value.adjusted() >= pg_type.precision - pg_type.scale:
        raise _overflow(pg_type)
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    rounded = value
    if exponent > 0:
        rounded = value.quantize(Decimal(1), context=_EXACT)
    elif -exponent > pg_type.scale:
        rounded = value.quantize(Decimal(1).scaleb(-pg_type.scale), context=_EXACT)
    if rounded and rounded.adjusted() >= pg_type.precision - pg_type.scale:
        raise _overflow(pg_type)
    if pg_type.has_specials and not is_number(rounded, pg_type.scale):
        raise _overflow(pg_type)
    return rounded


def _overflow(pg_type: PgType) -> NumericOutOfRange:
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    return without_digits(pg_type.precision, pg_type.scale)


def unpack_numeric(data: bytes, pg_type: PgType) -> Decimal:
    """Return the numeric of a binary image: digits to the base of 10,000.

    As PostgreSQL has it, digits that its scale would hide are cut off.

    Raises:
        struct.error: It has another length than it says.
        InvalidBinaryRepresentation: A sign or a digit is none.
        NumericOutOfRange: As for a text.
    """
    count, weight, sign, scale = _NUMERIC_HEADER.unpack_from(data)
    if sign in _SPECIAL_SIGNS:
        return _stored(_SPECIAL_SIGNS[sign], pg_type)
    if sign not in (0, _NEGATIVE):
        raise InvalidBinaryRepresentation('invalid sign in external "numeric" value')
    if scale & 0xC000:
        raise InvalidBinaryRepresentation('invalid scale in external "numeric" value')
    digits: tuple[int, ...] = struct.unpack(f"!{count}h", data[8:])
    if any(not 0 <= digit < 10_000 for digit in digits):
        raise InvalidBinaryRepresentation('invalid digit in external "numeric" value')
    text = "".join(f"{digit:04d}" for digit in digits) or "0"
    value = Decimal(f"{'-' if sign else ''}{text}E{(weight - count + 1) * 4}")
    if scale < (count - weight - 1) * 4:
        value = value.quantize(Decimal(1).scaleb(-scale), ROUND_DOWN, context=_EXACT)
    return _fit(value, pg_type)


def pack_numeric(value: Decimal, pg_type: PgType) -> bytes:
    """Return the binary image of a numeric."""
    return pack_number(numeric_text(value, pg_type))


def pack_number(text: str) -> bytes:
    """Return the binary image of a numeric from its text."""
    if (special := _SPECIAL_TEXTS.get(text)) is not None:
        return SPECIAL_IMAGES[special]
    whole, _, fraction = text.lstrip("-").partition(".")
    whole = whole.zfill(-(-len(whole) // 4) * 4)
    padded = fraction.ljust(-(-len(fraction) // 4) * 4, "0")
    digits = [int((whole + padded)[at : at + 4]) for at in range(0, len(whole) + len(padded), 4)]
    weight = len(whole) // 4 - 1
    while digits and digits[0] == 0:
        del digits[0]
        weight -= 1
    while digits and digits[-1] == 0:
        del digits[-1]
    if not digits:
        weight = 0
    sign = _NEGATIVE if digits and text.startswith("-") else 0
    header = _NUMERIC_HEADER.pack(len(digits), weight, sign, len(fraction))
    return header + _pack_digits(digits)


def _pack_digits(digits: Sequence[int]) -> bytes:
    return struct.pack(f"!{len(digits)}h", *digits)


def numeric_text(value: Decimal | int, pg_type: PgType) -> str:
    """Return the text of a numeric; a scale that nobody has declared shows no zeros at its end."""
    exact = Decimal(value)
    if pg_type.has_specials and (special := special_of_stored(format(exact, "f"))) is not None:
        return special
    if pg_type.keeps_scale:
        assert pg_type.scale is not None
        return format(exact.quantize(Decimal(1).scaleb(-pg_type.scale), context=_EXACT), "f")
    text = format(exact, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text
