"""Intervals: reading, writing and binary images (PostgreSQL 15, chapters 8.5.4 and 8.5.5)."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NoReturn

from catalog.errors import DatetimeFieldOverflow, IntervalFieldOverflow, InvalidDatetimeFormat
from server.value.moment_field import Field, FieldKind, cut

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_IMAGE: Final = struct.Struct("!qii")
_INT4: Final = 1 << 31
_INT8: Final = 1 << 63
_FIELDS_MAX: Final = 25
_UNIT_LENGTH_MAX: Final = 10

_SPELLINGS: Final = (
    ("us", "us usec usecs microsecond microseconds"),
    ("ms", "ms msec msecs millisecond milliseconds"),
    ("second", "s sec secs second seconds"),
    ("minute", "m min mins minute minutes"),
    ("hour", "h hr hrs hour hours"),
    ("day", "d day days"),
    ("week", "w week weeks"),
    ("month", "mon mons month months"),
    ("year", "y yr yrs year years"),
    ("decade", "dec decade decades decs"),
    ("century", "c cent centuries century"),
    ("millennium", "mil mils millennia millennium"),
)
#: Words are told apart by their first ten letters.
_UNITS: Final = {
    word[:_UNIT_LENGTH_MAX]: unit for unit, words in _SPELLINGS for word in words.split()
}
_MICROSECONDS: Final = {"us": 1, "ms": 1000, "second": SECOND, "minute": MINUTE, "hour": HOUR}
_DAYS: Final = {"day": 1, "week": 7}
_MONTHS: Final = {"month": 1, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}


@dataclass(frozen=True, slots=True)
class _IsoForm:
    """One side of the T in ISO 8601's form.

    Attributes:
        units: What the letters count.
        places: What numbers without letters count, in order.
        mark: What stands between such numbers.
        width: How many digits they have when they are run together.
    """

    units: dict[str, str]
    places: tuple[str, ...]
    mark: str
    width: int


_ISO_DATE: Final = _IsoForm(
    {"Y": "year", "M": "month", "W": "week", "D": "day"}, ("year", "month", "day"), "-", 8
)
_ISO_TIME: Final = _IsoForm(
    {"H": "hour", "M": "minute", "S": "second"}, ("hour", "minute", "second"), ":", 6
)
#: Digits of a second that are finer than a microsecond.
_FINER: Final = re.compile(r"(?<=\.\d{6})\d+(?=S\Z)")
_ISO_NUMBER: Final = re.compile(r"(-?)([0-9]*)(\.[0-9]*)?")


@dataclass(frozen=True, slots=True)
class Interval:
    """A span of time; months and days have no fixed length, so the three parts stay apart."""

    months: int = 0
    days: int = 0
    microseconds: int = 0

    def engine_text(self) -> str:
        """Return the text that DuckDB reads as this interval."""
        time = f"{self.microseconds} microseconds"
        if self.microseconds == -_INT8:  # Of a number without its sign there are fewer.
            seconds, rest = divmod(_INT8, SECOND)
            time = f"-{seconds} seconds -{rest} microseconds"
        return f"{self.months} months {self.days} days {time}"


def parse_interval(
    text: str, fields: str = "", style: str = "postgres", *, is_peer: bool = False
) -> Interval:
    """Read an interval in PostgreSQL's, SQL's or ISO 8601's form.

    Args:
        text: What a user wrote.
        fields: What it is held to, such as ``day to hour``, ``second(3)`` or ``(3)``.
        style: The session's IntervalStyle; in ``sql_standard`` one sign may stand for all parts.
        is_peer: Whether times of day may be as negative as an interval, and what is finer than a
            microsecond is cut in ISO 8601's form, as RisingWave has it.

    Raises:
        InvalidDatetimeFormat: It is none.
        IntervalFieldOverflow: A part is too large.
    """
    names, _, digits = fields.removesuffix(")").partition("(")
    names = names.strip()
    total = _Total(text)
    try:
        _Verbose(total, names, style, is_peer=is_peer).read()
    except InvalidDatetimeFormat:
        if text[:1] != "P":
            raise
        total = _Total(text)
        _iso(text, total, is_cut=is_peer)
    found = total.interval()
    return held_to(found, names, int(digits) if digits else None)


def held_to(interval: Interval, fields: str, digits: int | None) -> Interval:
    """Return the interval without what is finer than its last field, seconds rounded to digits."""
    months, days, microseconds = interval.months, interval.days, interval.microseconds
    last = fields.rpartition(" to ")[2]
    match last:
        case "year":
            months -= int(math.fmod(months, 12))
            days = microseconds = 0
        case "month":
            days = microseconds = 0
        case "day":
            microseconds = 0
        case "hour" | "minute":
            unit = _MICROSECONDS[last]
            microseconds = _truncated(microseconds, unit)[0] * unit
        case _:
            pass
    if digits is not None and digits < 6:
        unit = 10 ** (6 - digits)
        sign = -1 if microseconds < 0 else 1
        microseconds = sign * ((abs(microseconds) + unit // 2) // unit * unit)
    return Interval(months, days, microseconds)


class _Total:
    """The sum of what was read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.months = self.days = self.microseconds = 0

    def add(self, whole: int, fraction: float, unit: str) -> None:
        """Add a number of a unit; a fraction spills into the parts below (30 days a month)."""
        if unit in _MICROSECONDS:
            size = _MICROSECONDS[unit]
            self.microseconds += whole * size + _rounded(fraction * size)
        elif unit in _DAYS:
            self.days += whole * _DAYS[unit]
            self._spill(fraction * _DAYS[unit])
        elif unit == "month":
            if not -_INT4 <= whole < _INT4:
                self.overflow()
            self.months += whole
            self._spill(fraction * 30)
        else:
            if not -_INT4 <= whole * _MONTHS[unit] // 12 < _INT4:
                self.overflow()
            self.months += whole * _MONTHS[unit] + round(fraction * _MONTHS[unit])

    def _spill(self, days: float) -> None:
        self.days += int(days)
        self.microseconds += _rounded((days - int(days)) * DAY)

    def interval(self) -> Interval:
        if not -_INT4 <= self.months < _INT4:
            raise DatetimeFieldOverflow("interval out of range")
        if not (-_INT4 <= self.days < _INT4 and -_INT8 <= self.microseconds < _INT8):
            self.overflow()
        return Interval(self.months, self.days, self.microseconds)

    def overflow(self) -> NoReturn:
        raise IntervalFieldOverflow(f'interval field value out of range: "{self.text}"')

    def bad(self) -> InvalidDatetimeFormat:
        return InvalidDatetimeFormat(f'invalid input syntax for type interval: "{self.text}"')


def _rounded(number: float) -> int:
    whole = int(number)
    rest = number - whole
    return whole + (rest > 0.5) - (rest < -0.5)


class _Verbose:
    """A text of numbers, units and times of day, read from its end: units come after numbers."""

    def __init__(self, total: _Total, fields: str, style: str, *, is_peer: bool) -> None:
        self._total = total
        self._range = fields
        self._cut = cut(total.text)
        self._told: set[str] = set()
        self._unit: str | None = None
        self._is_ago = False
        self._most_negative = -_INT8 if is_peer else 1 - _INT8
        self._is_negative = style == "sql_standard" and self._has_one_sign()

    def _has_one_sign(self) -> bool:
        signed = [field.text[:1] in {"-", "+"} for field in self._cut]
        return bool(signed) and self._cut[0].text[:1] == "-" and not any(signed[1:])

    def read(self) -> None:
        if len(self._cut) > _FIELDS_MAX:
            raise self._total.bad()
        for field in reversed(self._cut):
            told = self._field(field)
            if told & self._told:
                raise self._total.bad()
            self._told |= told
        if not self._told:
            raise self._total.bad()
        if self._is_ago:
            total = self._total
            total.months, total.days = -total.months, -total.days
            total.microseconds = -total.microseconds

    def _field(self, field: Field) -> set[str]:
        match field.kind:
            case FieldKind.TIME:
                return self._clock(field.text, is_negative=self._is_negative)
            case FieldKind.OFFSET if ":" in field.text:
                return self._clock(
                    field.text[1:], is_negative=field.text[0] == "-" or self._is_negative
                )
            case FieldKind.OFFSET | FieldKind.DATE | FieldKind.NUMBER:
                return self._number(field.text)
            case FieldKind.WORD:
                return self._word(field.text)
            case _:
                raise self._total.bad()

    def _word(self, word: str) -> set[str]:
        if word == "ago":
            self._is_ago = True
            return set()
        unit = _UNITS.get(word[:_UNIT_LENGTH_MAX])
        if unit is None:
            raise self._total.bad()
        self._unit = unit
        return set()

    def _clock(self, text: str, *, is_negative: bool) -> set[str]:
        parts = text.split(":")
        last, point, fraction = parts[-1].partition(".")
        numbers = [*parts[:-1], last]
        if len(numbers) == 2 and not (last or point):
            numbers[1] = "0"  # ``1:`` is an hour.
        if len(numbers) not in {2, 3} or not all(n.isdigit() for n in numbers):
            raise self._total.bad()
        if len(numbers) == 2 and (point or self._range == "minute to second"):
            numbers.insert(0, "0")
        hours, minutes, seconds = (int(n) for n in (*numbers, "0")[:3])
        if len(numbers[0]) > 19 or minutes > 59 or seconds > 60:
            self._total.overflow()
        amount = hours * HOUR + minutes * MINUTE + seconds * SECOND
        amount += round(float(f"0.{fraction or '0'}") * SECOND)
        if is_negative and -amount < self._most_negative:
            raise self._total.bad()
        self._total.microseconds += -amount if is_negative else amount
        # A bare number before a time of day counts days.
        self._unit = "day"
        return {"hour", "minute", "second", "ms", "us"}

    def _number(self, text: str) -> set[str]:
        unit = self._unit or self._default_unit()
        sign = -1 if text[0] == "-" else 1
        body = text.lstrip("+-")
        whole, minus, months = body.partition("-")
        if minus:
            return self._years_and_months(whole, months, sign)
        digits, point, fraction = body.partition(".")
        if not (digits or point) or (not (digits + fraction).isdigit() and (digits or fraction)):
            raise self._total.bad()
        if len(digits) > 19:
            self._total.overflow()
        value = sign * int(digits or 0)
        rest = sign * float(f"0.{fraction or '0'}")
        if self._is_negative:
            value, rest = -abs(value), -abs(rest)
        self._total.add(value, rest, unit)
        self._unit = "day" if unit == "hour" else unit
        if unit in {"us", "ms"} or (unit == "second" and not rest):
            return {unit}
        return {"second", "us", "ms"} if unit == "second" else {unit}

    def _years_and_months(self, years: str, months: str, sign: int) -> set[str]:
        if not (years.isdigit() and months.isdigit()):
            raise self._total.bad()
        if len(years) > 10 or len(months) > 10 or int(months) > 11:
            self._total.overflow()
        amount = int(years) * 12 + int(months)
        self._total.months += -amount if sign < 0 or self._is_negative else amount
        self._unit = "month"
        return {"month"}

    def _default_unit(self) -> str:
        """Return what the last number counts if no unit follows it."""
        last = self._range.rpartition(" to ")[2]
        return last if last in _UNITS.values() else "second"


def _iso(text: str, total: _Total, *, is_cut: bool) -> None:
    """Read ``P1Y2M3DT4H5M6S``, ``P0001-02-03T04:05:06`` or ``P00010203T040506``."""
    date, has_time, time = text[1:].partition("T")
    if not date and not has_time:
        raise total.bad()
    _iso_part(date, total, _ISO_DATE)
    if has_time:
        _iso_part(_FINER.sub("", time) if is_cut else time, total, _ISO_TIME)


def _iso_part(part: str, total: _Total, form: _IsoForm) -> None:
    at = 0
    has_field = False
    while at < len(part):
        found = _ISO_NUMBER.match(part, at)
        assert found is not None
        if not (found[2] or (found[3] or ".") != "."):
            raise total.bad()
        if len(found[2]) > 18:
            total.overflow()
        following = part[found.end() : found.end() + 1]
        whole, fraction = _iso_value(found)
        if following in form.units:
            total.add(whole, fraction, form.units[following])
            at = found.end() + 1
            has_field = True
            continue
        if has_field or (following and following != form.mark):
            raise total.bad()
        _iso_alternative(part, total, form)
        return


def _iso_value(found: re.Match[str]) -> tuple[int, float]:
    sign = -1 if found[1] else 1
    fraction = float("0" + found[3]) if found[3] and found[3] != "." else 0.0
    return sign * int(found[2] or 0), sign * fraction


def _iso_alternative(part: str, total: _Total, form: _IsoForm) -> None:
    """Read numbers by their places, with marks between them or run together."""
    width = len(re.match(r"-?([0-9]*)", part)[1])  # type: ignore[index]  # matches always
    if width == form.width:
        found = _ISO_NUMBER.fullmatch(part)
        if found is None:
            raise total.bad()
        whole, fraction = _iso_value(found)
        sign, number = (-1, -whole) if whole < 0 else (1, whole)
        values = (number // 10_000, number // 100 % 100, number % 100)
        for value, unit, rest in zip(values, form.places, (0.0, 0.0, fraction), strict=True):
            total.add(sign * value, rest, unit)
        return
    at = 0
    for place, unit in enumerate(form.places):
        found = _ISO_NUMBER.match(part, at)
        if found is None or not (found[2] or found[3]):
            raise total.bad()
        total.add(*_iso_value(found), unit)
        at = found.end()
        if at == len(part):
            return
        if part[at] != form.mark or place == len(form.places) - 1:
            raise total.bad()
        at += 1
    raise total.bad()


def interval_of(value: Interval | timedelta | str) -> Interval:
    """Return the interval of a value as DuckDB's client gives it."""
    if isinstance(value, Interval):
        return value
    if isinstance(value, str):
        return parse_interval(value, is_peer=True)
    return Interval(0, value.days, value.seconds * SECOND + value.microseconds)


def unpack_interval(data: bytes) -> Interval:
    """Return the interval of a binary image.

    Raises:
        struct.error: It has another length.
    """
    microseconds, days, months = _IMAGE.unpack(data)
    return Interval(months, days, microseconds)


def pack_interval(interval: Interval) -> bytes:
    """Return the binary image of an interval."""
    return _IMAGE.pack(interval.microseconds, interval.days, interval.months)


def duckdb_interval(interval: Interval) -> str:
    """Return the text that DuckDB takes for an interval."""
    return interval.engine_text()


def _truncated(number: int, divisor: int) -> tuple[int, int]:
    quotient, rest = divmod(abs(number), divisor)
    return (-quotient, -rest) if number < 0 else (quotient, rest)


def interval_parts(interval: Interval) -> tuple[int, int, int, int, int, int, int]:
    """Return years, months, days, hours, minutes, seconds and microseconds, each with its sign."""
    years, months = _truncated(interval.months, 12)
    hours, rest = _truncated(interval.microseconds, HOUR)
    minutes, rest = _truncated(rest, MINUTE)
    seconds, fraction = _truncated(rest, SECOND)
    return years, months, interval.days, hours, minutes, seconds, fraction
