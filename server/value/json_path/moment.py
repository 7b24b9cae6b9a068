"""Moments that a path's .datetime() makes of strings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Final

from catalog.errors import (
    DatetimeFieldOverflow,
    FeatureNotSupported,
    InvalidDatetimeFormat,
    InvalidParameterValue,
)
from server.value.json_path.errors import InvalidDatetimeArgument
from server.value.moment_nodes import parts_of
from server.value.moment_reading import read_under
from server.value.style import zone_of

_DATE: Final = "date"
_TIME: Final = "time without time zone"
_TIMETZ: Final = "time with time zone"
_TIMESTAMP: Final = "timestamp without time zone"
_TIMESTAMPTZ: Final = "timestamp with time zone"

_ISO: Final = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})?(?:(?P<between>[ T])(?=\d)|(?<!\d)|\Z)"
    r"(?P<time>\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d{1,6})?)?"
    r"(?P<zone>[+-]\d{1,2}(?::\d{1,2})?)?"
)


@dataclass(frozen=True, slots=True)
class JsonMoment:
    """A date, time or timestamp, with the zone it was written with, and its text."""

    kind: str
    value: datetime
    text: str


def read_moment(text: str, template: str | None) -> JsonMoment:
    """Read a string in ISO's form, or under a template.

    Raises:
        InvalidDatetimeArgument: It has another form than ISO's.
        PgError: It does not follow the template.
    """
    if template is not None:
        return _under(text, template)
    match = _ISO.fullmatch(text)
    if match is None or not _is_whole(match):
        raise InvalidDatetimeArgument(
            f'datetime format is not recognized: "{text}"',
            hint="Use a datetime template argument to specify the input data format.",
        )
    try:
        return _moment(match)
    except ValueError:
        raise DatetimeFieldOverflow(f'date/time field value out of range: "{text}"') from None


def _under(text: str, template: str) -> JsonMoment:
    """Read a string under a template; the kind of the moment is the template's."""
    has_date, has_time, has_zone = parts_of(template)
    read = read_under(text, template, is_strict=True)
    if not has_date and not has_time:
        raise InvalidDatetimeFormat("datetime format is not dated and not timed")
    if has_zone and not has_time:
        raise InvalidDatetimeFormat("datetime format is zoned but not timed")
    if has_zone and read.offset is None:
        kind = "timestamptz" if has_date else "timetz"
        raise InvalidDatetimeFormat(f"missing time zone in input string for type {kind}")
    unit = 10 ** (6 - read.fraction_digits)
    clock_us = (read.microseconds + unit // 2) // unit * unit
    try:
        value = datetime(2000, 1, 1) + timedelta(days=read.days if has_date else 0)  # noqa: DTZ001
        value += timedelta(microseconds=clock_us)
    except OverflowError:
        raise DatetimeFieldOverflow(f'date/time field value out of range: "{text}"') from None
    if not has_date:
        value = value.replace(year=1970)
    return _shown(value, read.offset, has_date=has_date, has_time=has_time)


def _shown(value: datetime, offset: int | None, *, has_date: bool, has_time: bool) -> JsonMoment:
    day = value.date().isoformat()
    if not has_time:
        return JsonMoment(_DATE, value, day)
    shown = value.time().isoformat()
    if "." in shown:
        shown = shown.rstrip("0")
    if offset is not None:
        zone = timedelta(seconds=offset)
        shown, value = shown + _zone_text(zone), value.replace(tzinfo=timezone(zone))
    if not has_date:
        return JsonMoment(_TIME if offset is None else _TIMETZ, value, shown)
    kind = _TIMESTAMP if offset is None else _TIMESTAMPTZ
    return JsonMoment(kind, value, f"{day}T{shown}")


def _is_whole(match: re.Match[str]) -> bool:
    has_date, has_time, has_zone = (match[name] is not None for name in ("date", "time", "zone"))
    if match["between"] is not None:
        return has_date and has_time
    return has_date is not has_time and (has_time or not has_zone)


def _moment(match: re.Match[str]) -> JsonMoment:
    has_date, has_time = match["date"] is not None, match["time"] is not None
    day = date(*map(int, match["date"].split("-"))) if has_date else date(1970, 1, 1)
    clock = _clock(match["time"]) if has_time else time()
    offset = _offset(match["zone"]) // timedelta(seconds=1) if match["zone"] else None
    value = datetime.combine(day, clock)
    return _shown(value, offset, has_date=has_date, has_time=has_time)


def _clock(text: str) -> time:
    hour, minute, seconds = text.split(":")
    second, _, fraction = seconds.partition(".")
    return time(int(hour), int(minute), int(second), int(fraction.ljust(6, "0")))


def _offset(text: str) -> timedelta:
    hours, _, minutes = text[1:].partition(":")
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return -offset if text[0] == "-" else offset


def _zone_text(offset: timedelta) -> str:
    minutes = offset // timedelta(minutes=1)
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def compared_moments(a: JsonMoment, b: JsonMoment, zone: str | None) -> int | None:
    """Return the order of two moments, None where they are of kinds that have none.

    Raises:
        FeatureNotSupported: It depends on the time zone, and there is none.
    """
    if (a.kind in {_TIME, _TIMETZ}) is not (b.kind in {_TIME, _TIMETZ}):
        return None
    left, right = a.value, b.value
    if (left.tzinfo is None) is not (right.tzinfo is None):
        local, other = (a, b) if left.tzinfo is None else (b, a)
        if zone is None:
            raise FeatureNotSupported(
                f"cannot convert value from {_BARE.get(local.kind, local.kind)} "
                f"to {_BARE[other.kind]} without time zone usage",
                hint="Use *_tz() function for time zone support.",
            )
        left, right = (
            value if value.tzinfo is not None else value.replace(tzinfo=_zone(zone))
            for value in (left, right)
        )
    order = (left > right) - (left < right)
    if order == 0 and a.kind == b.kind == _TIMETZ:
        zones = [value.utcoffset() or timedelta() for value in (left, right)]
        return (zones[0] < zones[1]) - (zones[0] > zones[1])
    return order


_BARE: Final = {
    _TIME: "time",
    _TIMETZ: "timetz",
    _TIMESTAMP: "timestamp",
    _TIMESTAMPTZ: "timestamptz",
}


def _zone(name: str) -> tzinfo:
    zone = zone_of(name)
    if zone is None:
        raise InvalidParameterValue(f'time zone "{name}" not recognized')
    return zone
