"""Intervals: text and binary images (PostgreSQL 15, chapter 8.5.4)."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from catalog.errors import DatetimeFieldOverflow, InvalidDatetimeFormat

#: Nobody writes a longer one; Python refuses to read numbers of thousands of digits.
_TEXT_LENGTH_MAX: Final = 1000

_SECOND: Final = 1_000_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_IMAGE: Final = struct.Struct("!qii")


@dataclass(frozen=True, slots=True)
class Interval:
    """A span of time; months and days have no fixed length, so the three parts stay apart."""

    months: int = 0
    days: int = 0
    microseconds: int = 0


_SPELLINGS: Final = (
    ("us usec usecs microseconds microsecond", Interval(microseconds=1)),
    ("ms msec msecs milliseconds millisecond", Interval(microseconds=1000)),
    ("s sec secs seconds second", Interval(microseconds=_SECOND)),
    ("m min mins minutes minute", Interval(microseconds=_MINUTE)),
    ("h hr hrs hours hour", Interval(microseconds=_HOUR)),
    ("d days day", Interval(days=1)),
    ("w weeks week", Interval(days=7)),
    ("mon mons months month", Interval(months=1)),
    ("y yr yrs years year", Interval(months=12)),
    ("dec decs decades decade", Interval(months=120)),
    ("c cent centuries century", Interval(months=1200)),
    ("mil mils millennia millennium", Interval(months=12_000)),
)
#: The unit that a spelling means.
_CANONICAL: Final = {name: names.split()[-1] for names, _ in _SPELLINGS for name in names.split()}
#: What one of a unit is: months, days, microseconds.
_UNITS: Final = {names.split()[-1]: unit for names, unit in _SPELLINGS}
_ISO_DATE_UNITS: Final = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_ISO_TIME_UNITS: Final = {"H": "hour", "M": "minute", "S": "second"}

_TERM: Final = re.compile(
    r"\s*(?:(?P<sign>[+-])?(?P<h>\d+):(?P<m>\d+)(?::(?P<s>\d+(?:\.\d*)?))?"
    r"|(?P<ys>[+-])?(?P<y>\d+)-(?P<mo>\d+)"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))\s*(?P<unit>[a-z]+)?)"
)
_ISO: Final = re.compile(
    r"P(?=.)(?P<date>(?:[+-]?[\d.]+[YMWD])*)(?:T(?P<time>(?:[+-]?[\d.]+[HMS])+))?"
)
_ISO_TERM: Final = re.compile(r"([+-]?\d+\.?\d*|[+-]?\.\d+)([A-Z])")


def parse_interval(text: str) -> Interval:
    """Return the interval of a text in PostgreSQL's, SQL's or ISO 8601's form.

    Raises:
        InvalidDatetimeFormat: It is no interval.
        DatetimeFieldOverflow: A part is too large.
    """
    stripped = text.strip()
    if len(stripped) > _TEXT_LENGTH_MAX:
        raise _invalid(text)
    iso = _ISO.fullmatch(stripped)
    terms = _terms(stripped.lower(), text) if iso is None else _iso_terms(iso, text)
    sums = [sum(part) for part in zip((0, 0, 0), *terms, strict=False)]
    months, days, microseconds = sums if terms else (0, 0, 0)
    interval = Interval(months, days, microseconds)
    try:
        pack_interval(interval)
    except struct.error:
        raise DatetimeFieldOverflow(f'interval field value out of range: "{text}"') from None
    return interval


def _iso_terms(found: re.Match[str], text: str) -> list[tuple[int, int, int]]:
    terms = []
    for part, units in (("date", _ISO_DATE_UNITS), ("time", _ISO_TIME_UNITS)):
        given = found[part] or ""
        pieces = _ISO_TERM.findall(given)
        if "".join(number + unit for number, unit in pieces) != given:
            raise _invalid(text)
        terms += [_scaled(Decimal(number), units[unit]) for number, unit in pieces]
    return terms


def _terms(lowered: str, text: str) -> list[tuple[int, int, int]]:
    rest = lowered.removeprefix("@")
    is_ago = rest.endswith(" ago")
    rest = rest.removesuffix(" ago").rstrip()
    terms: list[tuple[int, int, int]] = []
    units: list[str] = []
    at = 0
    while at < len(rest):
        found = _TERM.match(rest, at)
        if found is None or (found["number"] and found["unit"] and found["unit"] not in _CANONICAL):
            raise _invalid(text)
        at = found.end()
        is_last = at == len(rest)
        units += _units(found, is_last=is_last)
        terms.append(_term(found, units[-1], text))
    if not terms or len(set(units)) < len(units):
        raise _invalid(text)
    return [(-mo, -d, -us) for mo, d, us in terms] if is_ago else terms


def _units(found: re.Match[str], *, is_last: bool) -> tuple[str, ...]:
    """Return the units that a term sets; none may be set twice."""
    if found["h"] is not None:
        return "hour", "minute", "second"
    if found["y"] is not None:
        return "year", "month"
    # A bare number before a time of day is days ("1 02:03:04"), at the end seconds.
    name = found["unit"] or ("second" if is_last else "day")
    return (_CANONICAL[name],)


def _term(found: re.Match[str], unit: str, text: str) -> tuple[int, int, int]:
    if found["h"] is not None:
        if int(found["m"]) > 59 or Decimal(found["s"] or 0) >= 60:
            raise DatetimeFieldOverflow(f'interval field value out of range: "{text}"')
        microseconds = int(found["h"]) * _HOUR + int(found["m"]) * _MINUTE
        microseconds += _rounded(Decimal(found["s"] or 0) * _SECOND)
        return 0, 0, -microseconds if found["sign"] == "-" else microseconds
    if found["y"] is not None:
        months = int(found["y"]) * 12 + int(found["mo"])
        return -months if found["ys"] == "-" else months, 0, 0
    return _scaled(Decimal(found["number"]), unit)


def _scaled(number: Decimal, unit_name: str) -> tuple[int, int, int]:
    """Return ``number`` of a unit; a fraction spills into the parts below (30 days a month)."""
    unit = _UNITS[unit_name]
    if unit.microseconds:
        return 0, 0, _rounded(number * unit.microseconds)
    if unit.days:
        return _spill_days(number * unit.days)
    if unit.months % 12 == 0:  # Years and above round to whole months.
        return _rounded(number * unit.months), 0, 0
    months = int(number)
    _, days, microseconds = _spill_days((number - months) * 30)
    return months, days, microseconds


def _spill_days(number: Decimal) -> tuple[int, int, int]:
    days = int(number)
    return 0, days, _rounded((number - days) * _DAY)


def _rounded(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_HALF_EVEN))


def _invalid(text: str) -> InvalidDatetimeFormat:
    return InvalidDatetimeFormat(f'invalid input syntax for type interval: "{text}"')


def interval_of(value: Interval | timedelta | str) -> Interval:
    """Return the interval of a value as DuckDB's client gives it."""
    if isinstance(value, Interval):
        return value
    if isinstance(value, str):
        return parse_interval(value)
    return Interval(0, value.days, value.seconds * _SECOND + value.microseconds)


def unpack_interval(data: bytes) -> Interval:
    """Return the interval of a binary image.

    Raises:
        struct.error: It has another length.
    """
    microseconds, days, months = _IMAGE.unpack(data)
    return Interval(months, days, microseconds)


def pack_interval(interval: Interval) -> bytes:
    """Return the binary image of an interval.

    Raises:
        struct.error: A part is too large.
    """
    return _IMAGE.pack(interval.microseconds, interval.days, interval.months)


def interval_text(interval: Interval) -> str:
    """Return PostgreSQL's text of an interval, in the style ``postgres``.

    A part after a negative one shows its sign.
    """
    years, months = _truncated(interval.months, 12)
    parts: list[str] = []
    is_after_negative = False
    for number, unit in ((years, "year"), (months, "mon"), (interval.days, "day")):
        if number:
            plus = "+" if is_after_negative and number > 0 else ""
            parts.append(f"{plus}{number} {unit}{'' if number == 1 else 's'}")
            is_after_negative = number < 0
    if interval.microseconds or not parts:
        sign = "-" if interval.microseconds < 0 else "+" if is_after_negative else ""
        seconds, fraction = divmod(abs(interval.microseconds), _SECOND)
        text = f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        parts.append(text + f".{fraction:06d}".rstrip("0") if fraction else text)
    return " ".join(parts)


def duckdb_interval(interval: Interval) -> str:
    """Return the text that DuckDB takes for an interval."""
    return f"{interval.months} months {interval.days} days {interval.microseconds} microseconds"


def _truncated(number: int, divisor: int) -> tuple[int, int]:
    quotient, rest = divmod(abs(number), divisor)
    return (-quotient, -rest) if number < 0 else (quotient, rest)
