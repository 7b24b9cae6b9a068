"""What an interval is held to (``day to hour``, digits of a second), and the modifier for it."""

from __future__ import annotations

from typing import Final

#: What a modifier says of the fields, and of the digits when these are not given.
_MASKS: Final = {"month": 2, "year": 4, "day": 8, "hour": 1024, "minute": 2048, "second": 4096}
_FIELD_NAMES: Final = ("year", "month", "day", "hour", "minute", "second")
_ALL_SECONDS: Final = 0xFFFF


def _masks() -> dict[str, int]:
    masks = {"": 0x7FFF} | _MASKS
    for first, last in (("year", "month"), ("day", "hour"), ("day", "minute"), ("day", "second")):
        masks[f"{first} to {last}"] = _between(first, last)
    for first, last in (("hour", "minute"), ("hour", "second"), ("minute", "second")):
        masks[f"{first} to {last}"] = _between(first, last)
    return masks


def _between(first: str, last: str) -> int:
    names = _FIELD_NAMES[_FIELD_NAMES.index(first) : _FIELD_NAMES.index(last) + 1]
    return sum(_MASKS[name] for name in names)


_FIELD_MASKS: Final = _masks()
_FIELDS: Final = {mask: fields for fields, mask in _FIELD_MASKS.items()}

#: The fields that there are, of which none is "".
FIELDS: Final = frozenset(_FIELD_MASKS)


def interval_modifier(fields: str, seconds: int | None) -> int:
    """Return the modifier of an interval of fields that keeps so many digits of a second."""
    return _FIELD_MASKS[fields] << 16 | (_ALL_SECONDS if seconds is None else seconds)


def of_modifier(modifier: int) -> tuple[str, int | None]:
    """Return the fields, and how many digits of a second are kept if that is said."""
    digits = modifier & _ALL_SECONDS
    return _FIELDS.get(modifier >> 16, ""), None if digits == _ALL_SECONDS else digits
