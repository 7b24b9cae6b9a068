"""Dates, times and timestamps: text and binary images (PostgreSQL 15, chapter 8.5).

A date is a number of days, a time a number of microseconds, a timestamp microseconds since
2000-01-01, which is what the binary images hold. Python's classes end at the year 9999 and know
no infinity, so they appear at the border only; DuckDB takes and gives text.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from catalog.errors import DatetimeFieldOverflow, InvalidDatetimeFormat

DAY: Final = 86_400_000_000
#: What the binary images use for infinity; for minus infinity it is the least number.
DATE_INFINITY: Final = 2**31 - 1
DATE_MINUS_INFINITY: Final = -(2**31)
TIMESTAMP_INFINITY: Final = 2**63 - 1
TIMESTAMP_MINUS_INFINITY: Final = -(2**63)

#: DuckDB's timestamps end here; it counts microseconds from 1970.
_TIMESTAMP_MAX: Final = 2**63 - 2 - 10_957 * DAY
_TIMESTAMP_MIN: Final = -(4713 - 1 + 2000) * 366 * DAY
_YEAR_MAX: Final = 5_874_897
_DAYS_1970: Final = 10_957

_DATE: Final = (
    r"(?:(?P<y>\d{4,7})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})"
    r"|(?P<y2>\d{4})(?P<m2>\d{2})(?P<d2>\d{2})"
    r"|(?P<m3>\d{1,2})/(?P<d3>\d{1,2})/(?P<y3>\d{4,7}))"
    # DuckDB puts the era after the date.
    r"(?P<bc1>\s*\(BC\))?"
)
_TIME: Final = (
    r"(?P<h>\d{1,2}):(?P<mi>\d{1,2})(?::(?P<s>\d{1,2})(?:\.(?P<f>\d*))?)?(?:\s*(?P<half>[AP]M)\b)?"
)
_ZONE: Final = (
    r"(?:(?P<zone>Z|UTC|GMT|(?P<sign>[+-])(?P<zh>\d{1,2})(?::?(?P<zm>\d{2}))?(?::?(?P<zs>\d{2}))?)"
    r"|(?!BC|AD)(?P<name>[A-Z][A-Z_]*(?:/[A-Z_+\-0-9]+)*))"
)
_ERA: Final = r"(?:\s+(?P<era>BC|AD))?"
_DATE_TEXT: Final = re.compile(rf"{_DATE}(?:[T\s]\s*{_TIME}(?:\s*{_ZONE})?)?{_ERA}", re.IGNORECASE)
_TIME_TEXT: Final = re.compile(rf"T?{_TIME}(?:\s*{_ZONE})?", re.IGNORECASE)


def days_of(year: int, month: int, day: int) -> int:
    """Return days since 2000-01-01 of a date in the proleptic Gregorian calendar.

    Years count astronomically: 0 is 1 BC. The formula works on years that start in March, so that
    the leap day is a year's last, and on cycles of 400 years, which have 146,097 days.
    """
    shifted = year - (month <= 2)
    cycle, year_of_cycle = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_cycle = year_of_cycle * 365 + year_of_cycle // 4 - year_of_cycle // 100 + day_of_year
    return cycle * 146_097 + day_of_cycle - 730_425


def civil_of(days: int) -> tuple[int, int, int]:
    """Return year (astronomical), month and day of ``days`` since 2000-01-01."""
    cycle, day_of_cycle = divmod(days + 730_425, 146_097)
    year_of_cycle = (
        day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36_524 - day_of_cycle // 146_096
    ) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = (shifted_month + 2) % 12 + 1
    return cycle * 400 + year_of_cycle + (month <= 2), month, day


# Text to numbers.


def parse_date(text: str) -> int:
    """Return the days since 2000-01-01 of a date's text; a time of day is dropped.

    Raises:
        InvalidDatetimeFormat: It is no date.
        DatetimeFieldOverflow: There is no such day.
    """
    match text.strip().lower():
        case "infinity" | "+infinity":
            return DATE_INFINITY
        case "-infinity":
            return DATE_MINUS_INFINITY
        case "epoch":
            return -_DAYS_1970
        case _:
            return _days(_matched(_DATE_TEXT, text, "date"), text)


def parse_time(text: str) -> int:
    """Return the microseconds since midnight of a time's text; a zone is dropped.

    Raises:
        InvalidDatetimeFormat: It is no time.
        DatetimeFieldOverflow: There is no such time.
    """
    return _microseconds(_matched(_TIME_TEXT, text, "time"), text)


def parse_timestamp(text: str) -> int:
    """Return the microseconds since 2000-01-01 of a timestamp's text; a zone is dropped.

    Raises:
        InvalidDatetimeFormat: It is no timestamp.
        DatetimeFieldOverflow: There is no such moment.
    """
    special = _special_timestamp(text)
    if special is not None:
        return special
    found = _matched(_DATE_TEXT, text, "timestamp")
    return _in_range(_days(found, text) * DAY + _microseconds(found, text))


def parse_timestamptz(text: str) -> tuple[int, str | None]:
    """Return microseconds since 2000-01-01 and the zone that they are local to.

    The zone is None when the text fixes the moment, a name, or "" for the session's own zone.

    Raises:
        InvalidDatetimeFormat: It is no timestamp.
        DatetimeFieldOverflow: There is no such moment.
    """
    special = _special_timestamp(text)
    if special is not None:
        return special, None
    found = _matched(_DATE_TEXT, text, "timestamp with time zone")
    local = _days(found, text) * DAY + _microseconds(found, text)
    if found["zone"] is None:
        return _in_range(local), found["name"] or ""
    hours, minutes, seconds = (int(found[part] or 0) for part in ("zh", "zm", "zs"))
    if hours > 15 or minutes > 59 or seconds > 59:
        raise DatetimeFieldOverflow(f'time zone displacement out of range: "{text}"')
    offset = (hours * 3600 + minutes * 60 + seconds) * 1_000_000
    return _in_range(local + offset if found["sign"] == "-" else local - offset), None


def _special_timestamp(text: str) -> int | None:
    match text.strip().lower():
        case "infinity" | "+infinity":
            return TIMESTAMP_INFINITY
        case "-infinity":
            return TIMESTAMP_MINUS_INFINITY
        case "epoch":
            return -_DAYS_1970 * DAY
        case _:
            return None


def _matched(pattern: re.Pattern[str], text: str, type_name: str) -> re.Match[str]:
    found = pattern.fullmatch(text.strip())
    if found is None:
        raise InvalidDatetimeFormat(f'invalid input syntax for type {type_name}: "{text}"')
    return found


def _days(found: re.Match[str], text: str) -> int:
    year, month, day = (int(found[n] or found[n + "2"] or found[n + "3"]) for n in "ymd")
    if found["bc1"] or (found["era"] or "").upper() == "BC":
        year = 1 - year
    elif year == 0:
        raise _out_of_range(text)
    if not (1 <= month <= 12 and 1 <= day <= 31 and -4712 <= year <= _YEAR_MAX):
        raise _out_of_range(text)
    days = days_of(year, month, day)
    if civil_of(days) != (year, month, day):
        raise _out_of_range(text)
    return days


def _microseconds(found: re.Match[str], text: str) -> int:
    hour, minute, second = (int(found[part] or 0) for part in ("h", "mi", "s"))
    half = (found["half"] or "").upper()
    if half:
        if not 1 <= hour <= 12:
            raise _out_of_range(text)
        hour = hour % 12 + (12 if half == "PM" else 0)
    fraction = round(float("0." + (found["f"] or "0")) * 1_000_000)
    total = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    if hour > 24 or minute > 59 or second > 60 or total > DAY:
        raise _out_of_range(text)
    return total


def _out_of_range(text: str) -> DatetimeFieldOverflow:
    return DatetimeFieldOverflow(f'date/time field value out of range: "{text}"')


def _in_range(microseconds: int) -> int:
    if not _TIMESTAMP_MIN <= microseconds <= _TIMESTAMP_MAX:
        raise DatetimeFieldOverflow("timestamp out of range")
    return microseconds


# Python's values to numbers.


def date_days(value: date | str) -> int:
    """Return the days since 2000-01-01 of a value as DuckDB's client gives it."""
    if isinstance(value, str):
        return parse_date(value)
    return value.toordinal() - 730_120


def time_microseconds(value: time | str) -> int:
    """Return the microseconds since midnight of a value as DuckDB's client gives it."""
    if isinstance(value, str):
        return parse_time(value)
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def timestamp_microseconds(value: datetime | str) -> int:
    """Return the microseconds since 2000-01-01; without a zone it is taken for UTC's."""
    if isinstance(value, str):
        return parse_timestamptz(value)[0]
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return (aware - datetime(2000, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


# Numbers to text.


def date_text(days: int) -> str:
    """Return PostgreSQL's text of a date."""
    if days == DATE_INFINITY:
        return "infinity"
    if days == DATE_MINUS_INFINITY:
        return "-infinity"
    civil, era = _civil_text(days)
    return f"{civil} {era}" if era else civil


def time_text(microseconds: int) -> str:
    """Return PostgreSQL's text of a time."""
    seconds, fraction = divmod(microseconds, 1_000_000)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text + f".{fraction:06d}".rstrip("0") if fraction else text


def timestamp_text(microseconds: int) -> str:
    """Return PostgreSQL's text of a timestamp without zone."""
    return _timestamp_text(microseconds, "")


def timestamptz_text(microseconds: int, zone: tzinfo) -> str:
    """Return PostgreSQL's text of a timestamp with zone, as people in ``zone`` write it."""
    if microseconds in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
        return _timestamp_text(microseconds, "")
    offset = _offset(microseconds, zone)
    return _timestamp_text(microseconds + offset * 1_000_000, _offset_text(offset))


def era_last(duckdb_text: str) -> str:
    """Return PostgreSQL's text for DuckDB's, which has the era after the date."""
    if " (BC)" not in duckdb_text:
        return duckdb_text
    return duckdb_text.replace(" (BC)", "") + " BC"


def _offset(microseconds: int, zone: tzinfo) -> int:
    try:
        moment = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
        local = moment.astimezone(zone)
    except OverflowError:  # Beyond Python's years a zone keeps what it last had.
        year = 9998 if microseconds > 0 else 2
        local = datetime(year, 1, 1, tzinfo=UTC).astimezone(zone)
    offset = local.utcoffset()
    assert offset is not None
    return round(offset.total_seconds())


def _offset_text(offset: int) -> str:
    sign, seconds = ("-", -offset) if offset < 0 else ("+", offset)
    parts = [seconds // 3600, seconds // 60 % 60, seconds % 60]
    while len(parts) > 1 and parts[-1] == 0:
        del parts[-1]
    return sign + ":".join(f"{part:02d}" for part in parts)


def _timestamp_text(microseconds: int, zone: str) -> str:
    if microseconds == TIMESTAMP_INFINITY:
        return "infinity"
    if microseconds == TIMESTAMP_MINUS_INFINITY:
        return "-infinity"
    days, rest = divmod(microseconds, DAY)
    civil, era = _civil_text(days)
    text = f"{civil} {time_text(rest)}{zone}"
    return f"{text} {era}" if era else text


def _civil_text(days: int) -> tuple[str, str]:
    year, month, day = civil_of(days)
    era = "" if year > 0 else "BC"
    return f"{year if year > 0 else 1 - year:04d}-{month:02d}-{day:02d}", era


# Numbers to what DuckDB casts to the type.


def duckdb_date(days: int) -> str:
    """Return the text that DuckDB takes for a date."""
    return date_text(days).replace(" BC", " (BC)")


def duckdb_timestamp(microseconds: int, zone: str = "") -> str:
    """Return the text that DuckDB takes for a timestamp, followed by a zone or an offset."""
    if microseconds in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
        return _timestamp_text(microseconds, "")
    _in_range(microseconds)
    days, rest = divmod(microseconds, DAY)
    return f"{duckdb_date(days)} {time_text(rest)}{zone}"
