"""Dates, times and timestamps: text and binary images (PostgreSQL 15, chapter 8.5).

A date is a number of days, a time a number of microseconds, a timestamp microseconds since
2000-01-01, which is what the binary images hold. Python's classes end at the year 9999 and know
no infinity, so they appear at the border only; DuckDB takes and gives text.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

DAY: Final = 86_400_000_000
#: What the binary images use for infinity; for minus infinity it is the least number.
DATE_INFINITY: Final = 2**31 - 1
DATE_MINUS_INFINITY: Final = -(2**31)
TIMESTAMP_INFINITY: Final = 2**63 - 1
TIMESTAMP_MINUS_INFINITY: Final = -(2**63)

#: DuckDB's timestamps end here; it counts microseconds from 1970.
TIMESTAMP_MAX: Final = 2**63 - 2 - 10_957 * DAY
#: The first day of PostgreSQL's calendar, 4714-11-24 BC, and the last of its dates, 5874897-12-31.
DATE_MIN: Final = -2_451_545
DATE_MAX: Final = 2_145_031_948
DAYS_1970: Final = 10_957


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


def timetz_text(microseconds: int, offset: int) -> str:
    """Return PostgreSQL's text of a time with a zone so many seconds east of Greenwich."""
    return time_text(microseconds) + offset_text(offset)


def timestamptz_text(microseconds: int, zone: tzinfo) -> str:
    """Return PostgreSQL's text of a timestamp with zone, as people in ``zone`` write it."""
    if microseconds in (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY):
        return _timestamp_text(microseconds, "")
    offset = offset_at(microseconds, zone)
    return _timestamp_text(microseconds + offset * 1_000_000, offset_text(offset))


def era_last(duckdb_text: str) -> str:
    """Return PostgreSQL's text for DuckDB's, which has the era after the date."""
    if " (BC)" not in duckdb_text:
        return duckdb_text
    return duckdb_text.replace(" (BC)", "") + " BC"


def offset_at(microseconds: int, zone: tzinfo) -> int:
    """Return how many seconds east of Greenwich a zone is at a moment since 2000-01-01."""
    try:
        moment = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
        local = moment.astimezone(zone)
    except OverflowError:  # Beyond Python's years a zone keeps what it last had.
        year = 9998 if microseconds > 0 else 2
        local = datetime(year, 1, 1, tzinfo=UTC).astimezone(zone)
    offset = local.utcoffset()
    assert offset is not None
    return round(offset.total_seconds())


def offset_of_local(microseconds: int, zone: tzinfo) -> int:
    """Return how many seconds east of Greenwich a zone is when its clocks show a time.

    Of a time that they show twice the later is meant; one that they skip is as before.
    """
    days, clock = divmod(microseconds, DAY)
    year, month, day = civil_of(days)
    at = datetime(min(max(year, 2), 9998), month, day, tzinfo=UTC) + timedelta(microseconds=clock)
    before, after = (
        at.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for fold in (0, 1)
    )
    # After a skipped hour clocks are further east than before, after a repeated one less far.
    return round(min(before, after).total_seconds())


def offset_text(offset: int) -> str:
    """Return the text of an offset in seconds, such as ``+05:30``."""
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
    days, rest = divmod(microseconds, DAY)
    return f"{duckdb_date(days)} {time_text(rest)}{zone}"
