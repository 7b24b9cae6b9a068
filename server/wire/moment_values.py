"""Dates, times and intervals between their images and what DuckDB's client takes and gives.

What goes to DuckDB is a text that it casts to the type: Python's classes end at the year 9999 and
know no infinity. What comes from it is one of Python's classes, or a text for the same reason.
"""

from __future__ import annotations

import struct
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from catalog.errors import DatetimeFieldOverflow, InvalidTimeZoneDisplacement
from server.value import calendar
from server.value import moment_input as moments
from server.value.interval import (
    Interval,
    interval_of,
    pack_interval,
    parse_interval,
    unpack_interval,
)
from server.value.interval_text import interval_text
from server.value.style import current_style
from server.wire.body import exactly

_DATE: Final = struct.Struct("!i")
_MICROSECONDS: Final = struct.Struct("!q")
_ZONED_TIME: Final = struct.Struct("!qi")
_INTERVAL_BYTES: Final = 16
#: Seconds from Greenwich, exclusively.
_OFFSET_END: Final = 16 * 3600


def parse_date(text: str) -> str:
    """Read a date."""
    return calendar.duckdb_date(moments.parse_date(text))


def unpack_date(data: bytes) -> str:
    """Read a date's image."""
    (days,) = _DATE.unpack(exactly(data, _DATE.size))
    is_infinite = days in (calendar.DATE_INFINITY, calendar.DATE_MINUS_INFINITY)
    if not is_infinite and not calendar.DATE_MIN <= days <= calendar.DATE_MAX:
        raise DatetimeFieldOverflow("date out of range")
    return calendar.duckdb_date(days)


def date_text(value: date | str) -> str:
    """Write a date."""
    return calendar.date_text(moments.date_days(value))


def pack_date(value: date | str) -> bytes:
    """Make a date's image."""
    return _DATE.pack(moments.date_days(value))


def parse_time(text: str) -> str:
    """Read a time of day."""
    return calendar.time_text(moments.parse_time(text))


def unpack_time(data: bytes) -> str:
    """Read a time's image."""
    (microseconds,) = _MICROSECONDS.unpack(exactly(data, _MICROSECONDS.size))
    return calendar.time_text(_checked_time(microseconds))


def _checked_time(microseconds: int) -> int:
    if not 0 <= microseconds <= calendar.DAY:
        raise DatetimeFieldOverflow("time out of range")
    return microseconds


def time_text(value: time | str) -> str:
    """Write a time of day."""
    return calendar.time_text(moments.time_microseconds(value))


def pack_time(value: time | str) -> bytes:
    """Make a time's image."""
    return _MICROSECONDS.pack(moments.time_microseconds(value))


def parse_timetz(text: str) -> str:
    """Read a time with its zone."""
    return calendar.timetz_text(*moments.parse_timetz(text))


def unpack_timetz(data: bytes) -> str:
    """Read the image of a time with its zone, which is counted west of Greenwich."""
    microseconds, west = _ZONED_TIME.unpack(exactly(data, _ZONED_TIME.size))
    if not -_OFFSET_END < west < _OFFSET_END:
        raise InvalidTimeZoneDisplacement("time zone displacement out of range")
    return calendar.timetz_text(_checked_time(microseconds), -west)


def timetz_text(value: time | str) -> str:
    """Write a time with its zone."""
    return calendar.timetz_text(*moments.zoned_time(value))


def pack_timetz(value: time | str) -> bytes:
    """Make the image of a time with its zone."""
    microseconds, offset = moments.zoned_time(value)
    return _ZONED_TIME.pack(microseconds, -offset)


def parse_timestamp(text: str) -> str:
    """Read a timestamp."""
    return calendar.duckdb_timestamp(moments.parse_timestamp(text))


def unpack_timestamp(data: bytes) -> str:
    """Read a timestamp's image."""
    return calendar.duckdb_timestamp(_moment(data))


def _moment(data: bytes) -> int:
    (microseconds,) = _MICROSECONDS.unpack(exactly(data, _MICROSECONDS.size))
    if microseconds in (calendar.TIMESTAMP_INFINITY, calendar.TIMESTAMP_MINUS_INFINITY):
        return int(microseconds)
    return moments.checked_timestamp(microseconds)


def timestamp_text(value: datetime | str) -> str:
    """Write a timestamp."""
    return calendar.timestamp_text(moments.timestamp_microseconds(value))


def pack_timestamp(value: datetime | str) -> bytes:
    """Make the image of a timestamp with or without zone."""
    return _MICROSECONDS.pack(moments.timestamp_microseconds(value))


def parse_timestamptz(text: str) -> str:
    """Read a timestamp with zone; a named zone's rules are the engine's business."""
    microseconds, zone = moments.parse_timestamptz(text)
    return calendar.duckdb_timestamp(microseconds, "+00" if zone is None else f" {zone}".rstrip())


def unpack_timestamptz(data: bytes) -> str:
    """Read the image of a timestamp with zone."""
    return calendar.duckdb_timestamp(_moment(data), "+00")


def timestamptz_text(value: datetime | str, zone: tzinfo) -> str:
    """Write a timestamp with zone."""
    return calendar.timestamptz_text(moments.timestamp_microseconds(value), zone)


def read_interval(text: str) -> str:
    """Read an interval."""
    style = current_style()
    return parse_interval(text, style=style.interval_output, is_peer=style.is_peer).engine_text()


def read_interval_image(data: bytes) -> str:
    """Read an interval's image."""
    return unpack_interval(exactly(data, _INTERVAL_BYTES)).engine_text()


def write_interval(value: Interval | timedelta | str) -> str:
    """Write an interval."""
    return interval_text(interval_of(value))


def write_interval_image(value: Interval | timedelta | str) -> bytes:
    """Make an interval's image."""
    return pack_interval(interval_of(value))
