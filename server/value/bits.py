"""Bits: the texts that the types bit and bit varying are read from, and their binary images."""

from __future__ import annotations

import struct
from typing import Final

from catalog.errors import (
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
    PgError,
    ProtocolViolation,
    StringTooLong,
)
from catalog.sqlstate import SqlState
from catalog.types import BIT, PgType

#: As many bits as a value can have.
BITS_MAX: Final = 2**31 - 9

_DIGITS: Final = {"binary": "01", "hexadecimal": "0123456789abcdefABCDEF"}
_COUNT: Final = struct.Struct("!i")


class BitLengthMismatch(PgError, sqlstate=SqlState.STRING_DATA_LENGTH_MISMATCH):
    """A string of bits has not the length of its column."""


def parse_bits(text: str) -> str:
    """Return the zeros and ones of a text such as ``101``, ``B101`` or ``X1F``.

    Raises:
        InvalidTextRepresentation: There is another character.
    """
    digits, is_hexadecimal = _digits(text)
    kind = "hexadecimal" if is_hexadecimal else "binary"
    for digit in digits:
        if digit not in _DIGITS[kind]:
            raise InvalidTextRepresentation(f'"{digit}" is not a valid {kind} digit')
    if not is_hexadecimal:
        return digits
    return "".join(f"{int(digit, 16):04b}" for digit in digits)


def _digits(text: str) -> tuple[str, bool]:
    """Return the digits of a text, and whether they are hexadecimal."""
    prefix = text[:1].lower()
    return text[1:] if prefix in {"b", "x"} else text, prefix == "x"


def check_bit_length(text: str, pg_type: PgType) -> None:
    """Refuse a text that is not as long as its type says, before its digits are looked at.

    Raises:
        BitLengthMismatch: It has not as many bits as bit(n).
        StringTooLong: It has more bits than bit varying(n).
    """
    digits, is_hexadecimal = _digits(text)
    count = len(digits) * (4 if is_hexadecimal else 1)
    length = pg_type.length
    if length is None or count == length:
        return
    if pg_type.oid == BIT.oid:
        raise BitLengthMismatch(f"bit string length {count} does not match type bit({length})")
    if count > length:
        raise StringTooLong(f"bit string too long for type bit varying({length})")


def unpack_bits(data: bytes) -> str:
    """Return the bits of a binary image: how many there are, then as many bytes as they need.

    Raises:
        PgError: It is cut short.
        struct.error: It is longer; whoever reads it knows how to say so.
    """
    if len(data) < _COUNT.size:
        raise ProtocolViolation("insufficient data left in message")
    (count,) = _COUNT.unpack_from(data)
    if not 0 <= count <= BITS_MAX:
        raise InvalidBinaryRepresentation("invalid length in external bit string")
    held = data[_COUNT.size :]
    if len(held) < -(-count // 8):
        raise ProtocolViolation("insufficient data left in message")
    if len(held) > -(-count // 8):
        raise struct.error("bytes too many")
    return "".join(f"{byte:08b}" for byte in held)[:count]


def pack_bits(bits: str) -> bytes:
    """Return the binary image of bits."""
    size = -(-len(bits) // 8)
    number = int(bits.ljust(size * 8, "0") or "0", 2)
    return _COUNT.pack(len(bits)) + number.to_bytes(size, "big")
