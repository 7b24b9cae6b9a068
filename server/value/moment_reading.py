"""to_date, to_timestamp and .datetime(): moments that are read under a template."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NoReturn

from catalog.errors import (
    DatetimeFieldOverflow,
    FeatureNotSupported,
    InvalidDatetimeFormat,
    InvalidTimeZoneDisplacement,
)
from server.value.calendar import DAY, civil_of, days_of
from server.value.moment_nodes import (
    DIGITS,
    ERAS,
    GREGORIAN,
    HALVES,
    IS_DIGIT,
    ISO,
    NAMES,
    ONLY_WRITTEN,
    Node,
    nodes_of,
    separates,
)

_NUMBER: Final = re.compile(r"\s*[+-]?\d+")
_THOUSANDS: Final = re.compile(r"\s*([+-]?\d+),(\d{3})")
_INTEGERS: Final = range(-(1 << 31), 1 << 31)
_FULL_HOUR: Final = 24
_FULL: Final = 60
_DISPLACEMENT_MAX: Final = 15
_FIXED_HINT: Final = 'If your source string is not fixed-width, try using the "FM" modifier.'


@dataclass(slots=True)
class Reading:
    """What a template has found in a text; 0 is as good as nothing, as it is to PostgreSQL."""

    fields: dict[str, int] = field(default_factory=dict)
    is_iso: bool | None = None
    has_half: bool = False
    year_digits: int = 0
    fraction_digits: int = 6
    sign: int = 0

    def get(self, name: str) -> int:
        """Return a field, 0 if it was not there."""
        return self.fields.get(name, 0)

    def put(self, name: str, value: int, code: str) -> None:
        """Note a field.

        Raises:
            InvalidDatetimeFormat: It has another value already.
        """
        if self.get(name) not in {0, value}:
            raise InvalidDatetimeFormat(
                f'conflicting values for "{code}" field in formatting string',
                detail="This value contradicts a previous setting for the same field type.",
            )
        self.fields[name] = value


class _Reader:
    def __init__(self, text: str, nodes: tuple[Node, ...], *, is_strict: bool = False) -> None:
        self.text = text
        self.nodes = nodes
        self.is_strict = is_strict
        self.at = 0
        self.found = Reading()
        self.skipped = 0

    def read(self) -> Reading:
        is_fixed = self.is_strict
        for place, node in enumerate(self.nodes):
            if self.at >= len(self.text):
                if self.is_strict:
                    raise InvalidDatetimeFormat("input string is too short for datetime format")
                break
            if self.is_strict and not node.code:
                self._same(node)
                continue
            if not is_fixed and (node.code or (place == 0 and node.is_separator)):
                self._skip_blanks()
            if node.code:
                is_fixed = is_fixed or node.code == "FX"
                self._field(node, place)
                if not is_fixed:
                    self.skipped = 0
                    self._skip_blanks()
            elif is_fixed:
                self.at += 1
            elif node.is_separator:
                self.skipped -= 1
                current = self.text[self.at]
                if current.isspace() or separates(current):
                    self.at += 1
                    self.skipped += 1
            elif self.skipped > 0:
                self.skipped -= 1
            else:
                self.at += 1
        if self.is_strict and self.text[self.at :].strip():
            raise InvalidDatetimeFormat(
                "trailing characters remain in input string after datetime format"
            )
        return self.found

    def _same(self, node: Node) -> None:
        """Pass over what the standard has be the same in the template and in the text."""
        if self.text[self.at] != node.character:
            what = "separator" if node.is_separator else "character"
            raise InvalidDatetimeFormat(f'unmatched format {what} "{node.character}"')
        self.at += 1

    def _skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
            self.skipped += 1

    def _field(self, node: Node, place: int) -> None:
        code, found = node.code, self.found
        self._check_calendar(code)
        if code == "FX":
            return
        if code in ONLY_WRITTEN:
            raise FeatureNotSupported(
                f'formatting field "{node.shown}" is only supported in to_char'
            )
        if code in NAMES:
            self._name(node)
            return
        if code == "TZH":
            self._zone_hour(node, place)
            return
        if code == "TZM":
            found.sign = found.sign or 1
            found.put("TZM", self._number(node, place, 2)[0], node.shown)
            return
        if code == "Y,YYY":
            self._thousands(node)
        else:
            value, length = self._number(node, place, DIGITS[code])
            self._put_number(node, value, length)
        if node.is_ordinal:
            self.at = min(self.at + 2, len(self.text))

    def _check_calendar(self, code: str) -> None:
        if code in ISO or code in GREGORIAN:
            is_iso = code in ISO
            if self.found.is_iso not in {None, is_iso}:
                raise InvalidDatetimeFormat(
                    "invalid combination of date conventions",
                    hint="Do not mix Gregorian and ISO week date conventions in a formatting"
                    " template.",
                )
            self.found.is_iso = is_iso

    def _put_number(self, node: Node, value: int, length: int) -> None:
        found, code = self.found, node.code
        if code in {"HH", "HH12"}:
            found.has_half = True
            found.put("hour", value, node.shown)
        elif code == "HH24":
            found.put("hour", value, node.shown)
        elif code == "MS":
            found.put("MS", value * 10 ** max(3 - length, 0), node.shown)
        elif code == "US" or code.startswith("FF"):
            found.put("US", value * 10 ** max(6 - length, 0), node.shown)
            if code != "US":
                found.fraction_digits = DIGITS[code]
        elif code in {"SSSS", "SSSSS"}:
            found.put("SSSS", value, node.shown)
        elif code in {"DDD", "IDDD"}:
            found.put("DDD", value, node.shown)
        elif code in {"WW", "IW"}:
            found.put("WW", value, node.shown)
        elif code == "ID":
            found.put("D", value % 7 + 1, node.shown)
        elif code.lstrip("I") in {"YYYY", "YYY", "YY", "Y", ""}:
            digits = len(code)
            found.year_digits = digits
            found.put("year", value if length >= 4 or digits > 3 else _near_2020(value), node.shown)
        elif code != "Q":
            found.put(code, value, node.shown)

    def _number(self, node: Node, place: int, width: int) -> tuple[int, int]:
        """Return an integer and how many characters it took."""
        begin = self.at
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        given = self.text[self.at : self.at + width]
        match: re.Match[str] | None
        if node.is_filled or self._is_followed_by_separator(node, place):
            match = _NUMBER.match(self.text, begin)
            self.at = match.end() if match else begin
        else:
            if len(self.text) - self.at < width:
                raise InvalidDatetimeFormat(
                    f'source string too short for "{node.shown}" formatting field',
                    detail=f"Field requires {width} characters,"
                    f" but only {len(self.text) - self.at} remain.",
                    hint=_FIXED_HINT,
                )
            match = _NUMBER.match(given)
            used = match.end() if match else 0
            if 0 < used < width:
                raise InvalidDatetimeFormat(
                    f'invalid value "{given}" for "{node.shown}"',
                    detail=f"Field requires {width} characters, but only {used} could be parsed.",
                    hint=_FIXED_HINT,
                )
            self.at += used
        if match is None:
            raise InvalidDatetimeFormat(
                f'invalid value "{given}" for "{node.shown}"', detail="Value must be an integer."
            )
        value = int(match[0])
        if value not in _INTEGERS:
            raise DatetimeFieldOverflow(
                f'value for "{node.shown}" in source string is out of range',
                detail=f"Value must be in the range {_INTEGERS[0]} to {_INTEGERS[-1]}.",
            )
        return value, self.at - begin

    def _is_followed_by_separator(self, node: Node, place: int) -> bool:
        if node.is_ordinal or place + 1 == len(self.nodes):
            return True
        following = self.nodes[place + 1]
        if following.code:
            return following.code not in IS_DIGIT
        return not following.character.isdigit()

    def _thousands(self, node: Node) -> None:
        match = _THOUSANDS.match(self.text, self.at)
        if match is None:
            raise InvalidDatetimeFormat('invalid input string for "Y,YYY"')
        self.at = match.end()
        self.found.year_digits = 4
        self.found.put("year", int(match[1]) * 1000 + int(match[2]), node.shown)

    def _zone_hour(self, node: Node, place: int) -> None:
        current = self.text[self.at]
        if current in "+- ":
            self.found.sign = -1 if current == "-" else 1
            self.at += 1
        else:
            # The sign may have been taken for what separates.
            is_minus = self.skipped > 0 and self.at > 0 and self.text[self.at - 1] == "-"
            self.found.sign = -1 if is_minus else 1
        self.found.put("TZH", self._number(node, place, 2)[0], node.shown)

    def _name(self, node: Node) -> None:
        names = NAMES[node.code]
        rest = self.text[self.at :].lower()
        value = next((i for i, name in enumerate(names) if rest.startswith(name)), None)
        if value is None:
            word = re.match(r"\S*", self.text[self.at :])
            raise InvalidDatetimeFormat(
                f'invalid value "{word[0] if word else ""}" for "{node.shown}"',
                detail="The given value did not match any of the allowed values for this field.",
            )
        self.at += len(names[value])
        found = self.found
        if node.code in HALVES:
            found.has_half = True
            found.put("PM", value, node.shown)
        elif node.code in ERAS:
            found.put("BC", value, node.shown)
        elif node.code == "RM":
            found.put("MM", 12 - value, node.shown)
        else:
            found.put("D" if node.code in {"DAY", "DY"} else "MM", value + 1, node.shown)


def _near_2020(year: int) -> int:
    """Return the year nearest to 2020 that ends with one to three digits."""
    if year < 70:
        return year + 2000
    if year < 100:
        return year + 1900
    if year < 520:
        return year + 2000
    return year + 1000 if year < 1000 else year


@dataclass(frozen=True, slots=True)
class ReadMoment:
    """A moment as it was written.

    Attributes:
        days: Since 2000-01-01.
        microseconds: Of the day.
        offset: Seconds east of Greenwich, None where no zone was written.
        fraction_digits: How many digits of a second are wanted.
    """

    days: int
    microseconds: int
    offset: int | None
    fraction_digits: int = 6


def read_under(text: str, template: str, *, is_strict: bool = False) -> ReadMoment:
    """Return the moment that a text names under a template.

    Args:
        text: The text.
        template: The template.
        is_strict: Whether the text must have all of it and nothing else, as the standard has it.

    Raises:
        InvalidDatetimeFormat: The text does not follow the template.
        DatetimeFieldOverflow: There is no such moment.
        InvalidTimeZoneDisplacement: There is no such zone.
    """
    found = _Reader(text, nodes_of(template), is_strict=is_strict).read()

    def overflow() -> NoReturn:
        raise DatetimeFieldOverflow(f'date/time field value out of range: "{text}"')

    hour, minute, second = _clock(found)
    days = _day(found)
    fraction = found.get("MS") * 1000 + found.get("US")
    if days is None or not 0 <= fraction < 1_000_000:
        overflow()
    if not (0 <= hour < _FULL_HOUR and 0 <= minute < _FULL and 0 <= second < _FULL):
        overflow()
    offset = None
    if found.sign:
        hours, minutes = found.get("TZH"), found.get("TZM")
        if not (0 <= hours <= _DISPLACEMENT_MAX and 0 <= minutes < _FULL):
            raise InvalidTimeZoneDisplacement(f'time zone displacement out of range: "{text}"')
        offset = found.sign * (hours * 3600 + minutes * 60)
    microseconds = (hour * 3600 + minute * 60 + second) * 1_000_000 + fraction
    return ReadMoment(days, microseconds, offset, found.fraction_digits)


def _clock(found: Reading) -> tuple[int, int, int]:
    rest = found.get("SSSS")
    hour = found.get("hour") or rest // 3600
    minute, second = found.get("MI") or rest // 60 % 60, found.get("SS") or rest % 60
    if found.has_half:
        if not 1 <= hour <= 12:
            raise InvalidDatetimeFormat(
                f'hour "{hour}" is invalid for the 12-hour clock',
                hint="Use the 24-hour clock, or give an hour between 1 and 12.",
            )
        hour = hour % 12 + 12 * found.get("PM")
    return hour, minute, second


def _year(found: Reading) -> int:
    """Return the year, astronomically; 0 if none was written."""
    year, century = found.get("year"), found.get("CC")
    if found.get("BC"):
        century = -century
    if year and not (century and found.year_digits <= 2):
        year = -year if found.get("BC") else year
        return year + 1 if year < 0 else year
    if not century:
        return 0
    if not year:
        return (century - 1) * 100 + 1 if century >= 0 else century * 100 + 1
    year %= 100
    if year:
        return (century - 1) * 100 + year if century >= 0 else (century + 1) * 100 - year + 1
    return century * 100 + (0 if century >= 0 else 1)


def _day(found: Reading) -> int | None:
    """Return days since 2000-01-01, None of a day that does not exist."""
    year = _year(found)
    has_year = bool(found.get("year") or found.get("CC"))
    month = day = 1
    is_whole = False
    if found.get("J"):
        year, month, day = civil_of(found.get("J") - 2_451_545)
        is_whole = True
    of_year, week = found.get("DDD"), found.get("WW")
    if week and found.is_iso:
        monday = _first_monday(year) + (week - 1) * 7
        after = (found.get("D") + 5) % 7 if found.get("D") else 0
        year, month, day = civil_of(monday + after)
        is_whole = True
    elif week:
        of_year = (week - 1) * 7 + 1
    day = found.get("DD") or ((found.get("W") - 1) * 7 + 1 if found.get("W") else day)
    month = found.get("MM") or month
    has_month = bool(found.get("MM")) or is_whole
    has_day = bool(found.get("DD") or found.get("W")) or is_whole
    if of_year and (month <= 1 or day <= 1):
        if not year and not found.get("BC"):
            raise InvalidDatetimeFormat("cannot calculate day of year without year information")
        if found.is_iso:
            year, month, day = civil_of(_first_monday(year) + of_year - 1)
        else:
            _, month_of, day_of = civil_of(days_of(year, 1, 1) + of_year - 1)
            length = days_of(year + 1, 1, 1) - days_of(year, 1, 1)
            if of_year > length:
                month_of, day_of = 13, of_year - length
            month, day = (month_of if month <= 1 else month), (day_of if day <= 1 else day)
        has_month = has_day = True
    if has_month and not 1 <= month <= 12:
        return None
    if has_day and not 1 <= day <= 31:
        return None
    days = days_of(year, month, day)
    is_checked = has_month and has_day and (has_year or is_whole)
    return None if is_checked and civil_of(days) != (year, month, day) else days


def _first_monday(year: int) -> int:
    """Return the day with which ISO's year begins."""
    fourth = days_of(year, 1, 4)
    return fourth - (fourth + 5) % 7


def local_microseconds(moment: ReadMoment) -> int:
    """Return microseconds since 2000-01-01, in Greenwich where the moment has a zone."""
    exact = moment.days * DAY + moment.microseconds - (moment.offset or 0) * 1_000_000
    unit: int = 10 ** (6 - moment.fraction_digits)
    rounded = (abs(exact) + unit // 2) // unit * unit
    return rounded if exact >= 0 else -rounded
