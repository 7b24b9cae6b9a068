"""NaN and the infinities of numeric, as they are stored.

DECIMAL has no room for them, so three values of a DECIMAL(38,s) stand for them: the greatest is
NaN, the next one Infinity, and its negative -Infinity. Storage, equality, order, grouping and
joining need to know nothing of them then, for PostgreSQL too has NaN equal to itself and above
all. What calculates, reads or writes must know: a type that may hold them ``has_specials``.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Final

from catalog.errors import NumericOutOfRange

_DIGITS: Final = 38


class Special(StrEnum):
    """A value that is no number, spelled as PostgreSQL prints it."""

    NAN = "NaN"
    INFINITY = "Infinity"
    MINUS_INFINITY = "-Infinity"

    def stored(self, scale: int) -> str:
        """Return the number that stands for it among those of a scale."""
        match self:
            case Special.NAN:
                return _with_point("9" * _DIGITS, scale)
            case Special.INFINITY:
                return _with_point("9" * (_DIGITS - 1) + "8", scale)
            case Special.MINUS_INFINITY:
                return "-" + Special.INFINITY.stored(scale)


_WORDS: Final = {
    "nan": Special.NAN,
    **dict.fromkeys(("inf", "infinity", "+inf", "+infinity"), Special.INFINITY),
    **dict.fromkeys(("-inf", "-infinity"), Special.MINUS_INFINITY),
}


def special_of_word(text: str) -> Special | None:
    """Return what a text means to PostgreSQL, which looks at no case; None if it is no word."""
    return _WORDS.get(text.strip(" \t\n\v\f\r").lower())


def special_of_stored(text: str) -> Special | None:
    """Return what a stored number in its text form stands for; None for itself."""
    digits = text.replace(".", "").lstrip("0")
    if digits == _ALL_NINES:
        return Special.NAN
    if digits.lstrip("-0") == _INFINITY:
        return Special.MINUS_INFINITY if digits.startswith("-") else Special.INFINITY
    return None


def greatest_number(scale: int) -> str:
    """Return the greatest value of a scale that stands for itself; its negative is the least."""
    return _with_point("9" * (_DIGITS - 1) + "7", scale)


def two_units(scale: int) -> str:
    """Return how far the greatest number is from the greatest value there is."""
    return format(Decimal(2).scaleb(-scale), "f")


def without_room(special: Special, precision: int, scale: int) -> NumericOutOfRange:
    """Return the error of a numeric that was declared too narrow for what is no number."""
    what = "NaN" if special is Special.NAN else "an infinite value"
    return NumericOutOfRange(
        "numeric field overflow",
        detail=f"A field with precision {precision}, scale {scale} cannot hold {what}.",
    )


def without_digits(precision: int, scale: int) -> NumericOutOfRange:
    """Return the error of a number that is too large for the numeric that was declared."""
    room = precision - scale
    return NumericOutOfRange(
        "numeric field overflow",
        detail=f"A field with precision {precision}, scale {scale} must round to an absolute value"
        f" less than {f'10^{room}' if room else '1'}.",
    )


def is_number(value: Decimal, scale: int) -> bool:
    """Whether a value with no more digits than are stored stands for itself."""
    return value.copy_abs() <= Decimal(greatest_number(scale))


def _with_point(digits: str, scale: int) -> str:
    at = len(digits) - scale
    return f"{digits[:at] or '0'}.{digits[at:]}" if scale else digits


_ALL_NINES: Final = Special.NAN.stored(0)
_INFINITY: Final = Special.INFINITY.stored(0)
