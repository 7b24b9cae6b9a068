"""to_char of moments and intervals (PostgreSQL 15, chapter 9.8), all of it.

``server.sql.date_template`` has the engine write what is common; this is for the rest: templates
that are no constants, ordinals, Roman months, intervals, years beyond four digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from catalog.errors import InvalidDatetimeFormat
from server.value.calendar import DAY, civil_of, days_of

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_ROMAN: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_NAME_WIDTH: Final = 9
_ROMAN_WIDTH: Final = 4
_JULIAN_2000: Final = 2_451_545
_SATURDAY: Final = 6
#: Of ISO's weeks the first that may be the next year's.
_LAST_WEEKS: Final = 52
_TEENS: Final = range(11, 14)
_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd"}


@dataclass(frozen=True, slots=True)
class Parts:
    """A moment or interval taken apart.

    Attributes:
        days: Since 2000-01-01, for moments.
        offset: Seconds east of Greenwich.
        zone: The zone's abbreviation, empty without one.
    """

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    fraction: int
    days: int = 0
    offset: int = 0
    zone: str = ""
    is_interval: bool = False

    @property
    def shown_year(self) -> int:
        """The year as it is written: there is none before 1 BC."""
        return self.year if self.is_interval or self.year > 0 else 1 - self.year

    @property
    def day_of_year(self) -> int:
        """From 1; an interval's months have 30 days."""
        if self.is_interval:
            return (self.year * 12 + self.month) * 30 + self.day
        return self.days - days_of(self.year, 1, 1) + 1

    @property
    def weekday(self) -> int:
        """From 0, which is Sunday."""
        return (self.days + _SATURDAY) % 7

    @property
    def iso(self) -> tuple[int, int, int]:
        """ISO's year, week and day of the year."""
        if self.is_interval:
            return _iso_of_numbers(self.year, self.month, self.day)
        thursday = self.days - (self.weekday - 1) % 7 + 3
        year, _, _ = civil_of(thursday)
        first = days_of(year, 1, 4)
        monday = first - (first + _SATURDAY - 1) % 7
        return year, (self.days - monday) // 7 + 1, self.days - monday + 1


def parts_of_moment(microseconds: int, offset: int = 0, zone: str = "") -> Parts:
    """Return the parts of what is so many microseconds after 2000-01-01, locally."""
    days, clock = divmod(microseconds, DAY)
    year, month, day = civil_of(days)
    seconds, fraction = divmod(clock, 1_000_000)
    hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
    return Parts(year, month, day, hour, minute, second, fraction, days, offset, zone)


def parts_of_interval(months: int, days: int, microseconds: int) -> Parts:
    """Return the parts of an interval, each with the sign of what it is a part of."""

    def split(value: int, unit: int) -> tuple[int, int]:
        quotient = abs(value) // unit * (1 if value >= 0 else -1)
        return quotient, value - quotient * unit

    year, month = split(months, 12)
    hour, rest = split(microseconds, 3_600_000_000)
    minute, rest = split(rest, 60_000_000)
    second, fraction = split(rest, 1_000_000)
    return Parts(year, month, days, hour, minute, second, fraction, is_interval=True)


def _padded(value: int, width: int, *, is_filled: bool) -> str:
    """Return a number with leading zeros, which a sign does not take the place of."""
    if not is_filled:
        return str(value)
    return f"{value:0{width + (value < 0)}d}"


def _number(
    width: int, value: Callable[[Parts], int], of: Callable[[Parts], int] | None = None
) -> _Code:
    """Return a number with room for the sign of what it is made ``of``."""

    def write(parts: Parts, is_filled: bool) -> str:  # noqa: FBT001
        number = value(parts)
        if not is_filled:
            return str(number)
        return f"{number:0{width + ((of or value)(parts) < 0)}d}"

    return _Code(write, is_number=True)


def _plain_number(width: int, value: Callable[[Parts], int]) -> _Code:
    """Return a number whose sign takes the place of a zero."""
    return _number(width, value, lambda _: 0)


def _numbers_of_year(codes: Sequence[str], year: Callable[[Parts], int]) -> dict[str, _Code]:
    """Return a year with all its digits, three, two and one."""
    whole, *shorter = codes
    found = {whole: _number(4, year, lambda p: p.shown_year)}
    for digits, code in zip((3, 2, 1), shorter, strict=True):
        found[code] = _number(
            digits,
            partial(lambda unit, p: _remainder(year(p), unit), 10**digits),
            partial(lambda has_sign, p: p.shown_year if has_sign else 0, digits > 1),
        )
    return found


@dataclass(frozen=True, slots=True)
class _Code:
    """How a code is written.

    Attributes:
        write: Takes the parts and whether numbers are filled with zeros and names with blanks.
        is_number: Whether it may be an ordinal.
        is_calendar: Whether an interval has none.
    """

    write: Callable[[Parts, bool], str]
    is_number: bool = False
    is_calendar: bool = False


def _name(names: tuple[str, ...], place: Callable[[Parts], int], form: str, length: int) -> _Code:
    changes: dict[str, Callable[[str], str]] = {
        "upper": str.upper, "lower": str.lower, "title": str,
    }  # fmt: skip
    change = changes[form]

    def write(parts: Parts, is_filled: bool) -> str:  # noqa: FBT001
        name = change(names[place(parts)][: length or None])
        return name.ljust(_NAME_WIDTH) if is_filled and not length else name

    return _Code(write, is_calendar=True)


def _word(test: Callable[[Parts], bool], yes: str, no: str, *, is_calendar: bool = False) -> _Code:
    return _Code(lambda p, _: yes if test(p) else no, is_calendar=is_calendar)


def _roman(parts: Parts, is_filled: bool, *, is_lower: bool) -> str:  # noqa: FBT001
    if not parts.month and not parts.year:
        return ""
    place = parts.month - 1 if parts.month > 0 else parts.month + 12
    if not parts.month:
        place = 11 if parts.year >= 0 else 0
    text = _ROMAN[place].lower() if is_lower else _ROMAN[place]
    return text.ljust(_ROMAN_WIDTH) if is_filled else text


def _century(parts: Parts, is_filled: bool) -> str:  # noqa: FBT001
    if parts.is_interval:
        century = int(parts.year / 100)
    elif parts.year > 0:
        century = (parts.year - 1) // 100 + 1
    else:
        century = -(-parts.year // 100) - 1
    return _padded(century, 2, is_filled=is_filled)


def _julian(parts: Parts) -> int:
    if not parts.is_interval:
        return parts.days + _JULIAN_2000
    return _julian_of_numbers(parts.year, parts.month, parts.day)


def _julian_of_numbers(year: int, month: int, day: int) -> int:
    """Return the Julian day of an interval's numbers, taken for those of a date as they are."""
    year, month = (year + 4800, month + 1) if month > 2 else (year + 4799, month + 13)
    century = int(year / 100)
    leap_days = int(year / 4) - century + int(century / 4)
    return year * 365 - 32_167 + leap_days + int(7834 * month / 256) + day


def _iso_of_numbers(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Return ISO's year, week and day of the year of an interval's numbers."""

    def first_monday(year: int) -> int:
        fourth = _julian_of_numbers(year, 1, 4)
        return fourth - fourth % 7

    today = _julian_of_numbers(year, month, day)
    shown = year if today >= first_monday(year) else year - 1
    week = int((today - first_monday(shown)) / 7) + 1
    if week >= _LAST_WEEKS and today >= first_monday(shown + 1):
        shown, week = shown + 1, int((today - first_monday(shown + 1)) / 7) + 1
    return shown, week, today - first_monday(shown) + 1


def _offset(parts: Parts, is_filled: bool) -> str:  # noqa: FBT001
    minutes = abs(parts.offset) // 60
    hours = f"{minutes // 60:02}" if is_filled else str(minutes // 60)
    rest = f":{minutes % 60:02}" if minutes % 60 else ""
    return f"{_sign(parts)}{hours}{rest}"


def _sign(parts: Parts) -> str:
    return "-" if parts.offset < 0 else "+"


def _hours_of_twelve(parts: Parts, is_filled: bool) -> str:  # noqa: FBT001
    hour = _remainder(parts.hour, 12) or 12
    # There is room for the sign of the hours that it is made of.
    return f"{hour:0{2 + (parts.hour < 0)}d}" if is_filled else str(hour)


def _remainder(value: int, unit: int) -> int:
    """Return a remainder with the value's sign."""
    return abs(value) % unit * (1 if value >= 0 else -1)


def _with_comma(parts: Parts, is_filled: bool) -> str:  # noqa: ARG001, FBT001
    thousands = int(parts.shown_year / 1000)
    return f"{thousands},{parts.shown_year - thousands * 1000:03d}"


def _codes() -> dict[str, _Code]:
    def is_late(parts: Parts) -> bool:
        return _remainder(parts.hour, 24) >= 12

    codes = {
        **dict.fromkeys(("HH", "HH12"), _Code(_hours_of_twelve, is_number=True)),
        "HH24": _number(2, lambda p: p.hour),
        "MI": _number(2, lambda p: p.minute),
        "SS": _number(2, lambda p: p.second),
        "MS": _Code(lambda p, _: f"{int(p.fraction / 1000):03d}", is_number=True),
        "US": _Code(lambda p, _: f"{p.fraction:06d}", is_number=True),
        **dict.fromkeys(
            ("SSSS", "SSSSS"),
            _Code(lambda p, _: str(p.hour * 3600 + p.minute * 60 + p.second), is_number=True),
        ),
        "Y,YYY": _Code(_with_comma, is_number=True),
        **_numbers_of_year(("YYYY", "YYY", "YY", "Y"), lambda p: p.shown_year),
        **_numbers_of_year(("IYYY", "IYY", "IY", "I"), _iso_year),
        "MM": _number(2, lambda p: p.month),
        "DD": _plain_number(2, lambda p: p.day),
        "DDD": _plain_number(3, lambda p: p.day_of_year),
        "IDDD": _plain_number(3, lambda p: p.iso[2]),
        "D": _Code(lambda p, _: str(p.weekday + 1), is_number=True, is_calendar=True),
        "ID": _Code(lambda p, _: str(p.weekday or 7), is_number=True, is_calendar=True),
        "WW": _plain_number(2, lambda p: int((p.day_of_year - 1) / 7) + 1),
        "IW": _plain_number(2, lambda p: p.iso[1]),
        "W": _Code(lambda p, _: str(int((p.day - 1) / 7) + 1), is_number=True),
        "CC": _Code(_century, is_number=True),
        "J": _Code(lambda p, _: str(_julian(p)), is_number=True),
        "Q": _Code(lambda p, _: str(int((p.month - 1) / 3) + 1) if p.month else "", is_number=True),
        "RM": _Code(lambda p, f: _roman(p, f, is_lower=False)),
        "rm": _Code(lambda p, f: _roman(p, f, is_lower=True)),
        "TZ": _Code(lambda p, _: p.zone, is_calendar=True),
        "tz": _Code(lambda p, _: p.zone.lower(), is_calendar=True),
        "TZH": _Code(lambda p, _: f"{_sign(p)}{abs(p.offset) // 3600:02}", is_calendar=True),
        "TZM": _Code(lambda p, _: f"{abs(p.offset) // 60 % 60:02}", is_calendar=True),
        "OF": _Code(_offset, is_calendar=True),
    }
    for digits in range(1, 7):
        unit = 10 ** (6 - digits)
        codes[f"FF{digits}"] = _fraction(digits, unit)
    for form, change in (("upper", str.upper), ("lower", str.lower), ("title", str.title)):
        codes[change("Month")] = _name(_MONTHS, lambda p: p.month - 1, form, 0)
        codes[change("Mon")] = _name(_MONTHS, lambda p: p.month - 1, form, 3)
        codes[change("Day")] = _name(_DAYS, lambda p: p.weekday, form, 0)
        codes[change("Dy")] = _name(_DAYS, lambda p: p.weekday, form, 3)
    for yes, no in (("AD", "BC"), ("A.D.", "B.C.")):
        for change in (str.upper, str.lower):
            era = _word(lambda p: p.year > 0, change(yes), change(no), is_calendar=True)
            half = _word(is_late, change(yes and ("P.M." if "." in yes else "PM")),
                         change("A.M." if "." in yes else "AM"))  # fmt: skip
            codes.update(dict.fromkeys((change(yes), change(no)), era))
            dotted = ("A.M.", "P.M.") if "." in yes else ("AM", "PM")
            codes.update({change(word): half for word in dotted})
    return codes


def _fraction(digits: int, unit: int) -> _Code:
    return _Code(lambda p, _: f"{int(p.fraction / unit):0{digits}d}", is_number=True)


def _iso_year(parts: Parts) -> int:
    year = parts.iso[0]
    return year if parts.is_interval or year > 0 else 1 - year


_CODES: Final = _codes()
#: Lower case letters are as good as upper where both mean the same.
_FOLDED: Final = {
    **{code.lower(): code for code, found in _CODES.items() if found.is_number},
    **{code: code for code in _CODES},
    **{code.lower(): code for code in ("TZH", "TZM", "OF")},
}
_TOKEN: Final = re.compile(
    r'"(?P<quoted>(?:\\.|[^"\\])*)"?|\\(?P<escaped>")'
    r"|(?P<prefix>FM|fm|TM|tm|FX|fx)?(?P<code>"
    + "|".join(re.escape(code) for code in sorted(_FOLDED, key=len, reverse=True))
    + r")(?P<suffix>TH|th|SP|sp)?|(?P<lone>FM|fm|TM|tm|FX|fx)|(?P<plain>.)",
    re.DOTALL,
)


@lru_cache(maxsize=256)
def _tokens(template: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return of each piece its literal text, or its code, prefix and suffix."""
    found = []
    for match in _TOKEN.finditer(template):
        if match["code"]:
            code = _FOLDED[match["code"]]
            found.append(("", code, (match["prefix"] or "").upper(), match["suffix"] or ""))
        elif match["quoted"] is not None:
            found.append((re.sub(r"\\(.)", r"\1", match["quoted"]), "", "", ""))
        else:
            found.append((match["escaped"] or match["plain"] or "", "", "", ""))
    return tuple(found)


def moment_template_text(parts: Parts, template: str) -> str:
    """Return parts as a template shows them.

    Raises:
        InvalidDatetimeFormat: An interval has no such part.
    """
    pieces: list[str] = []
    for literal, name, prefix, suffix in _tokens(template):
        if not name:
            pieces.append(literal)
            continue
        code = _CODES[name]
        if parts.is_interval and code.is_calendar:
            raise InvalidDatetimeFormat(
                "invalid format specification for an interval value",
                hint="Intervals are not tied to specific calendar dates.",
            )
        text = code.write(parts, not prefix)
        if code.is_number and suffix in {"TH", "th"} and text:
            text += _ordinal(text) if suffix == "th" else _ordinal(text).upper()
        pieces.append(text)
    return "".join(pieces)


def _ordinal(number: str) -> str:
    """Return the ending that makes a number an ordinal."""
    digits = number.replace(",", "")
    if int(digits[-2:].lstrip("-") or 0) in _TEENS and len(digits) > 1:
        return "th"
    return _ORDINALS.get(int(digits[-1]), "th")
