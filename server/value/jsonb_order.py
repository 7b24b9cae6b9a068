"""The order of jsonb (PostgreSQL 15, chapter 8.14.4) as bytes, which compare as the values do.

Objects come after arrays, then truth values, numbers, strings and null. Of two arrays or objects
the one with more members is greater; otherwise their members decide, those of objects in the
order in which PostgreSQL stores them: by the length of their keys, then by the keys.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Final

from server.value.json_text import JsonValue, parse_json

_NULL: Final = b"\x00"
_STRING: Final = b"\x01"
_NUMBER: Final = b"\x02"
_TRUTH: Final = b"\x03"
_ARRAY: Final = b"\x10"
_OBJECT: Final = b"\x11"

_COUNT: Final = struct.Struct(">I")
_INVERTED: Final = bytes(range(255, -1, -1))


def sort_key(text: str) -> bytes:
    """Return bytes that come before those of another jsonb if it does."""
    value = parse_json(text)
    if isinstance(value, dict):
        return _key(value)
    # A scalar is an array of itself that comes before the real ones of one element.
    if isinstance(value, list):
        return _ARRAY + _COUNT.pack(len(value)) + b"\x01" + b"".join(map(_key, value))
    return _ARRAY + _COUNT.pack(1) + b"\x00" + _key(value)


def _key(value: JsonValue) -> bytes:
    match value:
        case None:
            return _NULL
        case bool():
            return _TRUTH + (b"\x01" if value else b"\x00")
        case str():
            return _STRING + value.encode() + b"\x00"
        case Decimal():
            return _NUMBER + _number(value)
        case list():
            return _ARRAY + _COUNT.pack(len(value)) + b"".join(map(_key, value))
        case dict():
            members = [(key.encode(), item) for key, item in value.items()]
            members.sort(key=lambda member: (len(member[0]), member[0]))
            pairs = (key + b"\x00" + _key(item) for key, item in members)
            return _OBJECT + _COUNT.pack(len(value)) + b"".join(pairs)


def _number(value: Decimal) -> bytes:
    if not value:
        return b"\x80"
    sign, digits, exponent = value.normalize().as_tuple()
    assert isinstance(exponent, int)
    size = exponent + len(digits)
    written = _COUNT.pack(size + 0x80000000) + bytes(digit + 1 for digit in digits) + b"\x00"
    return b"\x7f" + written.translate(_INVERTED) if sign else b"\x81" + written
