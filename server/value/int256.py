"""rw_int256: RisingWave's integers of 256 bits, whose texts are decimal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from catalog.errors import (
    DivisionByZero,
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
    NumericOutOfRange,
)

BITS: Final = 256
BYTES: Final = BITS // 8
LEAST: Final = -(1 << (BITS - 1))
GREATEST: Final = (1 << (BITS - 1)) - 1

_DECIMAL: Final = re.compile(r"[+-]?[0-9]+")
_HEXADECIMAL: Final = re.compile(rf"0x([0-9a-fA-F]{{1,{BITS // 4}}})")


def parse_int256(text: str) -> int:
    """Read a decimal text.

    Raises:
        InvalidTextRepresentation: It is no integer.
        NumericOutOfRange: It needs more bits.
    """
    stripped = text.strip()
    if not _DECIMAL.fullmatch(stripped):
        raise InvalidTextRepresentation.of("rw_int256", text)
    # Python refuses to read longer ones; zeros in front say nothing.
    sign, digits = stripped[0], stripped.lstrip("+-").lstrip("0")
    if len(digits) > len(str(GREATEST)):
        raise _out_of_range()
    value = int(digits or "0")
    return checked(-value if sign == "-" else value)


def checked(value: int) -> int:
    """Return a value that has its place in 256 bits.

    Raises:
        NumericOutOfRange: It has not.
    """
    if not LEAST <= value <= GREATEST:
        raise _out_of_range()
    return value


def _out_of_range() -> NumericOutOfRange:
    return NumericOutOfRange("rw_int256 out of range")


def parse_hexadecimal(text: str) -> int:
    """Read ``0x`` and up to 64 digits, which are the number's two's complement.

    Raises:
        InvalidTextRepresentation: It is something else.
    """
    found = _HEXADECIMAL.fullmatch(text)
    if found is None:
        raise InvalidTextRepresentation(f'invalid hexadecimal rw_int256: "{text}"')
    value = int(found[1], 16)
    return value - (1 << BITS) if value > GREATEST else value


def pack_int256(value: int) -> bytes:
    """Return the image, the highest byte first."""
    return value.to_bytes(BYTES, "big", signed=True)


def unpack_int256(data: bytes) -> int:
    """Read an image.

    Raises:
        InvalidBinaryRepresentation: It has another length.
    """
    if len(data) != BYTES:
        raise InvalidBinaryRepresentation("incorrect binary data format")
    return int.from_bytes(data, "big", signed=True)


def _quotient(left: int, right: int) -> int:
    """Divide towards zero."""
    if right == 0:
        raise DivisionByZero.plain()
    found = abs(left) // abs(right)
    return found if (left < 0) == (right < 0) else -found


_OPERATIONS: Final[dict[str, Callable[[int, int], int]]] = {
    "*": lambda left, right: left * right,
    "/": _quotient,
    "%": lambda left, right: left - _quotient(left, right) * right,
}


def calculated(symbol: str, left: str, right: str) -> str:
    """Return the product, quotient or remainder of two numbers, all of them as text.

    Raises:
        NumericOutOfRange: There is no room for it.
        DivisionByZero: The divisor is zero.
    """
    return str(checked(_OPERATIONS[symbol](int(left), int(right))))
