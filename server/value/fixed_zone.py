"""Time zones that are always so far from Greenwich (PostgreSQL 15, appendix B.5)."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from typing import Final

_HOURS: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*\Z")
_POSIX: Final = re.compile(
    r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]+>|)(?P<sign>[+-]?)"
    r"(?P<hours>\d{1,2})(?::(?P<minutes>\d{1,2})(?::0{1,2})?)?\s*\Z"
)
_ENGINES: Final = re.compile(r"GMT([+-])(\d\d)(\d\d)\Z")

#: Between these, whole hours have names in the engine's list.
_NAMED_HOURS: Final = range(-12, 15)
_OFFSET_MAX: Final = 24 * 3600


def fixed_offset(text: str) -> int | None:
    """Return how many seconds east of Greenwich a zone of SET TIME ZONE is; None if it is none.

    A number is hours to the east, as in SQL; what is written as in POSIX counts to the west.
    What has seconds is none, as the engine has none of those.
    """
    if _HOURS.match(text):
        offset = round(float(text) * 3600)
    elif match := _POSIX.match(text):
        minutes = int(match["minutes"] or 0)
        if minutes > 59:
            return None
        offset = int(match["hours"]) * 3600 + minutes * 60
        offset = offset if match["sign"] == "-" else -offset
    else:
        return None
    return None if offset % 60 or abs(offset) >= _OFFSET_MAX else offset


def fixed_name(offset: int) -> str:
    """Return the engine's name of the zone that is so many seconds east of Greenwich."""
    if offset == 0:
        return "UTC"
    hours, rest = divmod(offset, 3600)
    if not rest and hours in _NAMED_HOURS:
        return f"Etc/GMT{-hours:+d}"  # The names count as POSIX does.
    hours, minutes = divmod(abs(offset) // 60, 60)
    # Without a colon, or it would be a zone of POSIX's.
    return f"GMT{'-' if offset < 0 else '+'}{hours:02}{minutes:02}"


def named_offset(name: str) -> tzinfo | None:
    """Return the zone of such a name where it tells minutes; None for every other name."""
    match = _ENGINES.match(name)
    if match is None:
        return None
    away = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return timezone(-away if match[1] == "-" else away)
