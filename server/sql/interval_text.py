"""Reading intervals (PostgreSQL 15, chapter 8.5.4): the verbose, the ISO 8601 and the SQL forms."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from catalog.errors import DatetimeFieldOverflow, InvalidDatetimeFormat

_US_PER_SECOND: Final = 1_000_000
_US_PER_DAY: Final = 86_400 * _US_PER_SECOND

_MONTHS: Final = {
    "year": 12,
    "yr": 12,
    "y": 12,
    "month": 1,
    "mon": 1,
    "decade": 120,
    "dec": 120,
    "century": 1200,
    "centurie": 1200,
    "c": 1200,
    "cent": 1200,
    "millennium": 12000,
    "millennia": 12000,
    "mil": 12000,
}
_DAYS: Final = {"week": 7, "w": 7, "day": 1, "d": 1}
_MICROSECONDS: Final = {
    "hour": 3600 * _US_PER_SECOND,
    "hr": 3600 * _US_PER_SECOND,
    "h": 3600 * _US_PER_SECOND,
    "minute": 60 * _US_PER_SECOND,
    "min": 60 * _US_PER_SECOND,
    "m": 60 * _US_PER_SECOND,
    "second": _US_PER_SECOND,
    "sec": _US_PER_SECOND,
    "s": _US_PER_SECOND,
    "millisecond": 1000,
    "msec": 1000,
    "ms": 1000,
    "microsecond": 1,
    "usec": 1,
    "us": 1,
}

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<clock>[+-]?\d+:\d+(?::\d+(?:\.\d*)?)?)"
    r"|(?P<yearmonth>[+-]?\d+-\d+)"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))\s*(?P<unit>[A-Za-z]*)"
    r"|(?P<ago>ago)|@)",
    re.IGNORECASE,
)
_MINUTES: Final = re.compile(r"[+-]?\d+:\d+(\.\d*)?")
_ISO_TOKEN: Final = re.compile(r"([+-]?\d+(?:\.\d*)?)([YMWDHS])")


@dataclass(frozen=True, slots=True)
class Interval:
    """The three parts that PostgreSQL keeps apart."""

    months: int
    days: int
    microseconds: int

    def engine_text(self) -> str:
        """Return the text that DuckDB reads as this interval."""
        return f"{self.months} months {self.days} days {self.microseconds} microseconds"


def parse_interval(text: str, fields: str = "") -> Interval:
    """Read an interval.

    Args:
        text: What a user wrote.
        fields: What it is held to, such as ``day to hour``, ``second(3)`` or ``(3)``.

    Raises:
        InvalidDatetimeFormat: It is none.
        DatetimeFieldOverflow: It is too long.
    """
    names, _, digits = fields.removesuffix(")").partition("(")
    first, _, last = names.strip().partition(" to ")
    stripped = text.strip()
    if stripped[:1] in {"P", "p"}:
        sums = _iso(stripped.upper()[1:], text)
    else:
        if first == "minute" and last and _MINUTES.fullmatch(stripped):
            stripped = f"0:{stripped}"
        sums = _verbose(stripped, text, last or first or "second")
    found = _interval(sums, text)
    return _held_to(found, last or first, int(digits) if digits else None)


def _interval(sums: tuple[Fraction, Fraction, Fraction], text: str) -> Interval:
    months, days, microseconds = sums
    whole_months = int(months)
    days += (months - whole_months) * 30
    whole_days = int(days)
    microseconds += (days - whole_days) * _US_PER_DAY
    found = Interval(whole_months, whole_days, _rounded(microseconds))
    if max(abs(found.months), abs(found.days)) >= 1 << 31 or abs(found.microseconds) >= 1 << 63:
        raise DatetimeFieldOverflow(f'interval field value out of range: "{text}"')
    return found


def _held_to(interval: Interval, last: str, digits: int | None) -> Interval:
    """Return the interval without what is finer than its last field (all of it for none)."""
    months, days, microseconds = interval.months, interval.days, interval.microseconds
    if last in _MONTHS:
        months -= int(math.fmod(months, _MONTHS[last]))
        days = microseconds = 0
    elif last in _DAYS:
        microseconds = 0
    elif last in {"hour", "minute"}:
        microseconds -= int(math.fmod(microseconds, _MICROSECONDS[last]))
    if digits is not None:
        unit: int = 10 ** max(6 - digits, 0)
        microseconds = _rounded(Fraction(microseconds, unit)) * unit
    return Interval(months, days, microseconds)


def _rounded(value: Fraction) -> int:
    return int(value + Fraction(1, 2)) if value >= 0 else -int(-value + Fraction(1, 2))


def _invalid(text: str) -> InvalidDatetimeFormat:
    return InvalidDatetimeFormat(f'invalid input syntax for type interval: "{text}"')


def _verbose(stripped: str, text: str, last: str) -> tuple[Fraction, Fraction, Fraction]:
    """Return months, days and microseconds; a number without a unit counts the ``last`` field."""
    months = days = microseconds = Fraction(0)
    at = 0
    is_empty = True
    while at < len(stripped):
        token = _TOKEN.match(stripped, at)
        if token is None or token.end() == at:
            raise _invalid(text)
        at = token.end()
        if token["clock"]:
            microseconds += _clock(token["clock"])
        elif token["yearmonth"]:
            months += _year_month(token["yearmonth"], text)
        elif token["number"]:
            value = Fraction(Decimal(token["number"]))
            unit = _unit(token["unit"], stripped[at:].strip(), last)
            if unit in _MONTHS:
                months += value * _MONTHS[unit]
            elif unit in _DAYS:
                days += value * _DAYS[unit]
            elif unit in _MICROSECONDS:
                microseconds += value * _MICROSECONDS[unit]
            else:
                raise _invalid(text)
        elif token["ago"]:
            if is_empty or stripped[at:].strip():
                raise _invalid(text)
            return -months, -days, -microseconds
        else:
            continue
        is_empty = False
    if is_empty:
        raise _invalid(text)
    return months, days, microseconds


def _unit(written: str, following: str, last: str) -> str:
    """Return a unit in the singular; empty where a number has none and cannot have one.

    Before a clock a number counts days, and so it does before the number of a last field.
    """
    unit = written.lower()
    if not unit:
        if ":" in following:
            return "day"
        if following[:1].isdigit():
            return "day" if last in {"hour", "minute"} else ""
        return last
    for known in (_MONTHS, _DAYS, _MICROSECONDS):
        if unit in known:
            return unit
    return unit.removesuffix("s")


def _clock(written: str) -> Fraction:
    sign = -1 if written.startswith("-") else 1
    parts = [Fraction(Decimal(part)) for part in written.lstrip("+-").split(":")]
    seconds = parts[0] * 3600 + parts[1] * 60 + (parts[2] if len(parts) == 3 else 0)
    return sign * seconds * _US_PER_SECOND


def _year_month(written: str, text: str) -> Fraction:
    sign = -1 if written.startswith("-") else 1
    years, months = written.lstrip("+-").split("-")
    if int(months) > 11:
        raise DatetimeFieldOverflow(f'interval field value out of range: "{text}"')
    return Fraction(sign * (int(years) * 12 + int(months)))


def _iso(body: str, text: str) -> tuple[Fraction, Fraction, Fraction]:
    date, has_time, time = body.partition("T")
    months = days = microseconds = Fraction(0)
    if not (date or time) or (has_time and not time):
        raise _invalid(text)
    for part, is_time in ((date, False), (time, True)):
        at = 0
        while at < len(part):
            token = _ISO_TOKEN.match(part, at)
            if token is None:
                raise _invalid(text)
            at = token.end()
            value, unit = Fraction(Decimal(token[1])), token[2]
            if is_time and unit in "HMS":
                microseconds += value * _MICROSECONDS[unit.lower()]
            elif not is_time and unit in "YM":
                months += value * (12 if unit == "Y" else 1)
            elif not is_time and unit in "WD":
                days += value * _DAYS[unit.lower()]
            else:
                raise _invalid(text)
    return months, days, microseconds
