"""Where a part of a jsonb stands in PostgreSQL's image of it, which is what keyvalue() numbers by.

An image is a word, a word for each element, key and value, and then their bytes: keys before
values, numbers and containers at multiples of a word.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from server.value.json_text import JsonValue

_WORD: Final = 4
_GROUP_DIGITS: Final = 4
_SHORT_WEIGHT_MAX: Final = 63
_SHORT_SCALE_MAX: Final = 63


def place_of(part: object, whole: JsonValue) -> int | None:
    """Return at which byte of the whole's image that of a container in it begins."""
    found, _ = _searched(part, whole, 0)
    return found


def _aligned(at: int) -> int:
    return -(-at // _WORD) * _WORD


def _searched(part: object, value: JsonValue, at: int) -> tuple[int | None, int]:
    """Return where the part is, or None, and where the image of the value ends."""
    match value:
        case str():
            return None, at + len(value.encode())
        case Decimal():
            return None, _aligned(at) + _number_size(value)
        case list() | dict():
            start = _aligned(at)
        case _:
            return None, at
    if value is part:
        return start, start
    at = start + _WORD
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda m: (len(m[0].encode()), m[0].encode()))
        at += 2 * _WORD * len(members) + sum(len(key.encode()) for key, _ in members)
        inner = [item for _, item in members]
    else:
        at += _WORD * len(value)
        inner = value
    for item in inner:
        found, at = _searched(part, item, at)
        if found is not None:
            return found, at
    return None, at


def _number_size(number: Decimal) -> int:
    whole, _, fraction = format(abs(number), "f").partition(".")
    scale = len(fraction)
    whole = whole.zfill(-(-len(whole) // _GROUP_DIGITS) * _GROUP_DIGITS)
    fraction = fraction.ljust(-(-scale // _GROUP_DIGITS) * _GROUP_DIGITS, "0")
    digits = whole + fraction
    groups = [digits[i : i + _GROUP_DIGITS] for i in range(0, len(digits), _GROUP_DIGITS)]
    weight = len(whole) // _GROUP_DIGITS - 1
    while groups and not int(groups[0]):
        groups.pop(0)
        weight -= 1
    while groups and not int(groups[-1]):
        groups.pop()
    is_short = scale <= _SHORT_SCALE_MAX and -_SHORT_WEIGHT_MAX - 1 <= weight <= _SHORT_WEIGHT_MAX
    return _WORD + (2 if is_short else 4) + 2 * len(groups)
