"""Dates and times from texts and from what DuckDB's client gives, as numbers.

A date is its days since 2000-01-01, a time its microseconds, a timestamp its microseconds since
2000-01-01. What stands relative to the present is read by the clock of the session's style.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal, TypeAlias

from catalog.errors import DatetimeFieldOverflow, InvalidDatetimeFormat, InvalidParameterValue
from server.value.calendar import (
    DATE_INFINITY,
    DATE_MAX,
    DATE_MIN,
    DATE_MINUS_INFINITY,
    DAY,
    DAYS_1970,
    TIMESTAMP_INFINITY,
    TIMESTAMP_MAX,
    TIMESTAMP_MINUS_INFINITY,
    offset_of_local,
)
from server.value.moment import read_moment, read_time
from server.value.moment_field import Moment
from server.value.style import Style, current_style, zone_of

_EPOCH_2000: Final = datetime(2000, 1, 1, tzinfo=UTC)

#: Microseconds since midnight, and seconds east of Greenwich.
ZonedTime: TypeAlias = tuple[int, int]


def parse_date(text: str, style: Style | None = None) -> int:
    """Return the days since 2000-01-01 of a date's text; a time of day is dropped.

    Raises:
        PgError: As ``read_moment``; the date is out of range.
    """
    chosen = style or current_style()
    moment = read_moment(text, "date", chosen)
    match moment.special:
        case "infinity":
            return DATE_INFINITY
        case "-infinity":
            return DATE_MINUS_INFINITY
        case "epoch":
            return -DAYS_1970
        case _:
            return checked_days(_days(moment, chosen), text)


def checked_days(days: int, text: str) -> int:
    """Return the days, having checked that there is such a date."""
    if not DATE_MIN <= days <= DATE_MAX:
        raise DatetimeFieldOverflow(f'date out of range: "{text}"')
    return days


def parse_time(text: str, style: Style | None = None) -> int:
    """Return the microseconds since midnight of a time's text; a zone is dropped.

    Raises:
        PgError: As ``read_time``.
    """
    chosen = style or current_style()
    moment = read_time(text, "time", chosen)
    if moment.special is not None:
        return _now_microseconds(chosen)
    if moment.zone is not None and moment.days is None:
        _fixed_offset(moment.zone, text, "time")
    return moment.microseconds


def parse_timetz(text: str, style: Style | None = None) -> ZonedTime:
    """Return the time of a text and its zone, which is the session's today if it has none.

    Raises:
        PgError: As ``read_time``.
    """
    chosen = style or current_style()
    moment = read_time(text, "time with time zone", chosen)
    if moment.special is not None:
        now = chosen.now().utcoffset()
        return _now_microseconds(chosen), _seconds(now)
    if moment.offset is not None:
        return moment.microseconds, moment.offset
    if moment.zone is not None and moment.days is None:
        return moment.microseconds, _fixed_offset(moment.zone, text, "time with time zone")
    zone = chosen.zone if moment.zone is None else zone_of(moment.zone)
    days = _days(moment, chosen)
    local = days * DAY + moment.microseconds
    return moment.microseconds, offset_of_local(local, zone or UTC)


def parse_timestamp(text: str, style: Style | None = None) -> int:
    """Return the microseconds since 2000-01-01 of a timestamp's text; a zone is dropped.

    Raises:
        PgError: As ``read_moment``; the timestamp is out of range.
    """
    chosen = style or current_style()
    moment = read_moment(text, "timestamp", chosen)
    if moment.special == "now":
        return _days(moment, chosen) * DAY + _now_microseconds(chosen)
    if moment.special is not None:
        return _special(moment.special)
    return checked_timestamp(_days(moment, chosen) * DAY + moment.microseconds, text)


def parse_timestamptz(text: str, style: Style | None = None) -> tuple[int, str | None]:
    """Return microseconds since 2000-01-01 and the zone that they are local to.

    The zone is None when the text fixes the moment, a name, or "" for the session's own zone.

    Raises:
        PgError: As ``parse_timestamp``.
    """
    chosen = style or current_style()
    moment = read_moment(text, "timestamp with time zone", chosen)
    if moment.special == "now":
        return chosen.now_us() - DAYS_1970 * DAY, None
    if moment.special is not None:
        return _special(moment.special), None
    local = _days(moment, chosen) * DAY + moment.microseconds
    if moment.offset is not None:
        return checked_timestamp(local - moment.offset * 1_000_000, text), None
    return checked_timestamp(local, text), moment.zone or ""


def checked_timestamp(microseconds: int, text: str | None = None) -> int:
    """Return the microseconds, having checked that there is such a timestamp."""
    if not DATE_MIN * DAY <= microseconds <= TIMESTAMP_MAX:
        shown = "" if text is None else f': "{text}"'
        raise DatetimeFieldOverflow(f"timestamp out of range{shown}")
    return microseconds


def _special(word: str) -> int:
    match word:
        case "infinity":
            return TIMESTAMP_INFINITY
        case "-infinity":
            return TIMESTAMP_MINUS_INFINITY
        case _:
            return -DAYS_1970 * DAY


def _days(moment: Moment, style: Style) -> int:
    if moment.days is not None:
        return moment.days
    today = style.now().date().toordinal() - 730_120
    return today + (moment.relative_days or 0)


def _now_microseconds(style: Style) -> int:
    now = style.now()
    return ((now.hour * 60 + now.minute) * 60 + now.second) * 1_000_000 + now.microsecond


def _fixed_offset(
    zone_name: str, text: str, type_name: Literal["time", "time with time zone"]
) -> int:
    """Return the offset of a zone that never changes; others need a date."""
    zone = zone_of(zone_name)
    offsets = {
        _seconds(datetime(2024, month, 1, tzinfo=UTC).astimezone(zone).utcoffset())
        for month in (1, 7)
    }
    if zone is None or len(offsets) > 1:
        raise InvalidDatetimeFormat(f'invalid input syntax for type {type_name}: "{text}"')
    return offsets.pop()


def _seconds(offset: timedelta | None) -> int:
    assert offset is not None
    return round(offset.total_seconds())


# What DuckDB's client gives.


def date_days(value: date | str) -> int:
    """Return the days since 2000-01-01 of a value as DuckDB's client gives it."""
    if isinstance(value, str):
        common = _read_soon(value, 10)
        if common is None:
            return parse_date(_era_last(value))
        value = common
    return value.toordinal() - 730_120


def time_microseconds(value: time | str) -> int:
    """Return the microseconds since midnight of a value as DuckDB's client gives it."""
    if isinstance(value, str):
        return parse_time(value)
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def zoned_time(value: time | str) -> ZonedTime:
    """Return a time and its offset of a value as DuckDB's client gives it."""
    if isinstance(value, str):
        return parse_timetz(value)
    return time_microseconds(value), _seconds(value.utcoffset())


def timestamp_microseconds(value: datetime | str) -> int:
    """Return the microseconds since 2000-01-01; without a zone it is taken for UTC's."""
    if isinstance(value, str):
        common = _read_soon(value, 19)
        if common is None:
            return parse_timestamptz(_era_last(value))[0]
        value = common
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return (aware - _EPOCH_2000) // timedelta(microseconds=1)


def _read_soon(text: str, length_min: int) -> datetime | None:
    """Read a text of the engine's that is ``YYYY-MM-DD`` or ``YYYY-MM-DD hh:mm:ss`` and more."""
    if len(text) < length_min or text[4] != "-" or text[10:11] not in {"", " "}:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _era_last(text: str) -> str:
    """Return a text of the engine's, which has the era after the date, as people write it."""
    return text.replace(" (BC)", "") + " BC" if " (BC)" in text else text


def zone_error(name: str) -> InvalidParameterValue:
    """Return the error of a zone that is not known."""
    return InvalidParameterValue(f'time zone "{name}" not recognized')
