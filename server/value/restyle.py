"""Texts of values in other styles than the plain one (PostgreSQL 15, chapter 20.11.2).

What is read here is what is shown by default: ISO dates, ``postgres`` intervals, hexadecimal bytes,
shortest floats.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from server.value.calendar import days_of, offset_text
from server.value.interval import parse_interval
from server.value.interval_text import interval_text
from server.value.json_text import in_alphabet
from server.value.style import Style

_DATES: Final = frozenset({"date", "timestamp", "timestamptz"})
CLOCKS: Final = frozenset({"time", "timetz", "timestamp", "timestamptz"})
_FRACTION: Final = re.compile(r"\.(\d+)")
_BARE_HOUR: Final = re.compile(r"(:.*[+-]\d\d)(?= BC|\Z)")
_FLOAT_DIGITS: Final = {"float4": 6, "float8": 15}
FLOATS: Final = frozenset(_FLOAT_DIGITS)
#: Powers of ten from the first to before the last are written without an exponent by RisingWave.
_POSITIONAL: Final = {"float4": range(-6, 13), "float8": range(-5, 16)}
_MOMENT: Final = re.compile(
    r"(?P<year>\d+)-(?P<month>\d\d)-(?P<day>\d\d)(?: (?P<clock>[\d:.]+)(?P<zone>[+-][\d:]+)?)?"
    r"(?P<era> BC)?"
)
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
#: 2000-01-01 was a Saturday.
_WEEKDAY_2000: Final = 5


def is_plain(name: str, style: Style) -> bool:
    """Whether values of the type of that name are shown by default as the style wants them."""
    if name in CLOCKS and shows_as_peer(style):
        return False
    if name in _DATES:
        return style.date_output == "ISO"
    if name in FLOATS:
        return style.float_digits > 0 and not style.is_peer
    if name == "jsonb":
        return not style.is_peer
    if name == "interval":
        return style.interval_output == "postgres"
    return name != "bytea" or style.bytea_output == "hex"


def shows_as_peer(style: Style) -> bool:
    """Whether times are shown as RisingWave shows them, which knows only ISO's dates."""
    return style.is_peer and style.date_output == "ISO"


def restyled(name: str, text: str, style: Style) -> str:
    """Return a text in a style.

    Args:
        name: The type's.
        text: What is shown by default.
        style: In which it is to be shown.
    """
    if is_plain(name, style):
        return text
    if name in CLOCKS and shows_as_peer(style):
        return _peer_clock(text)
    if name in _DATES:
        return _moment(text, style)
    if name in FLOATS:
        if style.float_digits > 0:
            return _peer_float(text, _POSITIONAL[name])
        return _float(text, _FLOAT_DIGITS[name] + style.float_digits)
    if name == "jsonb":
        return in_alphabet(text)
    if name == "interval":
        return interval_text(parse_interval(text, is_peer=True), style.interval_output)
    return escaped_bytes(bytes.fromhex(text[2:]))


def _peer_float(text: str, positional: range) -> str:
    """Return a float's text, which RisingWave writes out where PostgreSQL has an exponent."""
    _, mark, power = text.partition("e")
    if not mark or int(power) not in positional:
        return text
    return f"{Decimal(text):f}"


def _peer_clock(text: str) -> str:
    """Return a time with three or six digits of a fraction, and minutes in its zone."""
    found = _FRACTION.search(text)
    if found is not None:
        digits = found[1].ljust(3 if len(found[1]) <= 3 else 6, "0")
        text = f"{text[: found.start()]}.{digits}{text[found.end() :]}"
    return _BARE_HOUR.sub(r"\1:00", text)


def escaped_bytes(value: bytes) -> str:
    """Return bytes in the escape format."""
    return "".join(
        "\\\\" if b == 0x5C else chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}" for b in value
    )


def _float(text: str, digits: int) -> str:
    value = float(text)
    if not math.isfinite(value):
        return text
    return f"{value:.{max(digits, 1)}g}"


def _moment(text: str, style: Style) -> str:
    found = _MOMENT.fullmatch(text)
    if found is None:
        return text  # Infinity.
    year, month, day = (int(found[part]) for part in ("year", "month", "day"))
    clock, era = found["clock"], found["era"] or ""
    is_day_first = style.date_order == "DMY"
    if style.date_output == "Postgres" and clock is not None:
        astronomical = 1 - year if era else year
        weekday = _WEEKDAYS[(days_of(astronomical, month, day) + _WEEKDAY_2000) % 7]
        name = _MONTHS[month - 1]
        date = f"{day:02d} {name}" if is_day_first else f"{name} {day:02d}"
        shown = f"{weekday} {date} {clock} {year:04d}"
    else:
        mark = {"SQL": "/", "German": ".", "Postgres": "-"}[style.date_output]
        is_first = is_day_first or style.date_output == "German"
        parts = (day, month) if is_first else (month, day)
        shown = f"{parts[0]:02d}{mark}{parts[1]:02d}{mark}{year:04d}"
        shown += f" {clock}" if clock is not None else ""
    if found["zone"] is not None:
        shown += f" {_zone(found, style)}"
    return shown + era


def _zone(found: re.Match[str], style: Style) -> str:
    """Return the abbreviation that the session's zone had at the moment, or its offset."""
    parts = [int(part) for part in found["zone"][1:].split(":")]
    seconds = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    offset = -seconds if found["zone"].startswith("-") else seconds
    year, month, day = (int(found[part]) for part in ("year", "month", "day"))
    hour, minute, second = (int(float(part)) for part in found["clock"].split(":"))
    if found["era"] or not 1 < year < 9999:
        year = 9998 if year >= 9999 and not found["era"] else 2  # As far as Python's years go.
    local = datetime(year, month, day, min(hour, 23), minute, second, tzinfo=UTC)
    moment = (local - timedelta(seconds=offset)).astimezone(style.zone)
    return moment.tzname() or offset_text(offset)
