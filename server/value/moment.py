"""Reading dates and times in every form that people write (PostgreSQL 15, appendix B.1).

The text is cut into fields (numbers, words, times of day, offsets), and each field is given a
meaning by what is known when its turn comes. What is read is a ``Moment``; what is wrong with it
is said in the words of the type it was read for.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from catalog.errors import (
    DatetimeFieldOverflow,
    InvalidDatetimeFormat,
    InvalidParameterValue,
    InvalidTimeZoneDisplacement,
)
from server.value.calendar import DAY, civil_of, days_of
from server.value.moment_field import Field, FieldKind, Moment, clock_parts, cut, offset_of
from server.value.moment_words import (
    ABBREVIATIONS,
    IGNORED,
    JULIAN,
    MONTHS,
    RELATIVE_DAYS,
    WEEKDAYS,
    posix_offset,
    zone_name,
)
from server.value.style import Style, current_style

_SECOND: Final = 1_000_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_JULIAN_2000: Final = 2_451_545
#: Seconds from Greenwich, exclusively.
_OFFSET_END: Final = 16 * 3600
_FIELDS_MAX: Final = 25

#: RisingWave takes one form of dates only, with all digits of month and day.
_NUMBERS: Final = re.compile(r"\s*[+-]?\d")
_PEER_DATE: Final = re.compile(r"\s*[+-]?\d{4,}-\d\d-\d\d(?!\d)")

#: What a field may tell, each once.
_DATE: Final = frozenset({"year", "month", "day"})
_TIME: Final = frozenset({"time"})
_ZONE: Final = frozenset({"zone"})
_NOTHING: Final = frozenset[str]()


def read_moment(text: str, type_name: str, style: Style) -> Moment:
    """Read a date with or without a time of day.

    Args:
        text: What a user wrote.
        type_name: For the message: ``date``, ``timestamp``, ``timestamp with time zone``.
        style: Of which the order of day and month matters.

    Raises:
        InvalidDatetimeFormat: It is none.
        DatetimeFieldOverflow: There is no such moment.
        InvalidTimeZoneDisplacement: Its offset is too large.
        InvalidParameterValue: Its zone is not known.
    """
    if style.is_peer and _NUMBERS.match(text) and not _PEER_DATE.match(text):
        raise InvalidDatetimeFormat(f'invalid input syntax for type {type_name}: "{text}"')
    return _Reader(text, type_name, style.date_order, is_time=False).moment()


def read_time(text: str, type_name: str, style: Style) -> Moment:
    """Read a time of day; a date before it is allowed where its zone needs one.

    Raises:
        PgError: As ``read_moment``.
    """
    return _Reader(text, type_name, style.date_order, is_time=True).moment()


class _Reader:
    """One text and what is known of it so far."""

    def __init__(self, text: str, type_name: str, order: str, *, is_time: bool) -> None:
        self._text = text
        self._type_name = type_name
        self._order = order
        self._is_time = is_time
        self._known: frozenset[str] = _NOTHING
        self._year = self._month = self._day = 0
        self._year_day: int | None = None
        self._has_short_year = False
        self._is_julian = False
        self._has_text_month = False
        self._hour = self._minute = self._second = self._fraction = 0
        self._half: str | None = None
        self._is_bc = False
        #: Whether years are counted astronomically, as RisingWave does.
        self._has_year_zero = current_style().is_peer
        self._offset: int | None = None
        self._zone: str | None = None
        self._relative: int | None = None
        self._special: str | None = None
        #: What the word before says of the next number: "julian" or "time".
        self._prefix: str | None = None

    # What can be wrong.

    def _bad(self) -> InvalidDatetimeFormat:
        return InvalidDatetimeFormat(
            f'invalid input syntax for type {self._type_name}: "{self._text}"'
        )

    def _overflow(self, hint: str | None = None) -> NoReturn:
        raise DatetimeFieldOverflow(
            f'date/time field value out of range: "{self._text}"', hint=hint
        )

    # The whole.

    def moment(self) -> Moment:
        fields = cut(self._text)
        if not fields or len(fields) > _FIELDS_MAX:
            raise self._bad()
        for i, field in enumerate(fields):
            told = self._field(field, i, fields)
            if told & self._known:
                raise self._bad()
            self._known |= told
        if self._prefix is not None:
            raise self._bad()
        if self._special is not None:
            if self._known - {"special"}:
                raise self._bad()
            return Moment(special=self._special)
        return self._complete()

    def _complete(self) -> Moment:
        days = self._days() if self._known & _DATE and self._relative is None else None
        self._apply_half()
        has_date = days is not None or self._relative is not None
        if self._is_time:
            if "time" not in self._known:
                raise self._bad()
        elif not has_date or (days is not None and not self._known >= _DATE):
            raise self._bad()
        return Moment(days, self._microseconds(), self._offset, self._zone, self._relative)

    def _days(self) -> int:
        year = self._year
        if "year" in self._known and not self._is_julian:
            if self._is_bc:
                if year <= 0:
                    self._overflow()
                year = 1 - year
            elif self._has_short_year:
                year += 2000 if year < 70 else 1900 if year < 100 else 0
            elif year < 0 or (year == 0 and not self._has_year_zero):
                self._overflow()
        if self._year_day is not None:
            found = civil_of(days_of(year, 1, 1) + self._year_day - 1)
            _, self._month, self._day = found
        hint = 'Perhaps you need a different "datestyle" setting.'
        if "month" in self._known and not 1 <= self._month <= 12:
            self._overflow(hint)
        if "day" in self._known and not 1 <= self._day <= 31:
            self._overflow(hint)
        if not self._known >= _DATE:
            raise self._bad()
        days = days_of(year, self._month, self._day)
        if civil_of(days) != (year, self._month, self._day):
            self._overflow()
        return days

    def _apply_half(self) -> None:
        if self._half is None:
            return
        if self._hour > 12:
            self._overflow()
        if self._half == "am" and self._hour == 12:
            self._hour = 0
        elif self._half == "pm" and self._hour != 12:
            self._hour += 12

    def _microseconds(self) -> int:
        total = self._hour * _HOUR + self._minute * _MINUTE + self._second * _SECOND
        total += self._fraction
        if self._hour > 24 or self._minute > 59 or self._second > 60 or total > DAY:
            self._overflow()
        return total

    # Fields by their kind.

    def _field(self, field: Field, at: int, fields: list[Field]) -> frozenset[str]:
        match field.kind:
            case FieldKind.DATE:
                return self._date_field(field.text, at, fields)
            case FieldKind.TIME:
                self._prefix = None if self._prefix == "time" else self._prefix
                return self._clock(field.text)
            case FieldKind.OFFSET:
                self._offset = self._offset_in(field.text)
                return _ZONE
            case FieldKind.NUMBER:
                return self._number_field(field.text, at, fields)
            case FieldKind.SPECIAL if field.text == "-infinity":
                return self._special_word(field.text)
            case FieldKind.WORD:
                return self._word(field.text, at, fields)
            case _:
                raise self._bad()

    def _date_field(self, text: str, at: int, fields: list[Field]) -> frozenset[str]:
        if self._is_time:
            if (
                at == 0
                and len(fields) >= 2
                and (fields[-1].kind is FieldKind.DATE or fields[1].kind is FieldKind.TIME)
            ):
                return self._date(text)
            if text[0].isdigit():
                return self._clock_with_offset(text)
            return self._named_zone(text)
        if self._prefix is not None or self._known >= {"month", "day"}:
            if text[0].isdigit() or self._prefix is not None:
                if self._prefix == "julian":
                    raise self._bad()
                self._prefix = None
                return self._clock_with_offset(text)
            return self._named_zone(text)
        return self._date(text)

    def _clock_with_offset(self, text: str) -> frozenset[str]:
        """Read ``040506.789-07``, digits and an offset run together."""
        clock, minus, offset = text.partition("-")
        if not minus:
            raise self._bad()
        self._offset = self._offset_in(minus + offset)
        return self._run_together(clock, is_date_known=True) | _ZONE

    def _number_field(self, text: str, at: int, fields: list[Field]) -> frozenset[str]:
        if self._prefix == "julian":
            self._prefix = None
            return self._julian(text)
        if self._prefix == "time":
            self._prefix = None
            return self._run_together(text, is_date_known=True)
        whole, point, _ = text.partition(".")
        if self._is_time:
            return self._number_in_time(text, at, fields)
        has_date, has_time = self._has_date(), "time" in self._known
        if point and not has_date:
            return self._date(text)
        if point and len(whole) > 2:
            return self._run_together(text, is_date_known=has_date)
        has_of_date = has_date or not self._known.isdisjoint(_DATE)
        if len(text) >= 6 and not (has_of_date and has_time):
            return self._run_together(text, is_date_known=has_date)
        return self._number(text, self._known & _DATE)

    def _number_in_time(self, text: str, at: int, fields: list[Field]) -> frozenset[str]:
        whole, point, _ = text.partition(".")
        if point:
            if at == 0 and len(fields) >= 2 and fields[-1].kind is FieldKind.DATE:
                return self._date(text)
            if len(whole) > 2:
                return self._run_together(text, is_date_known=True)
            raise self._bad()
        if len(text) > 4:
            return self._run_together(text, is_date_known=True)
        raise self._bad()

    def _has_date(self) -> bool:
        return self._known >= _DATE or self._relative is not None

    def _julian(self, text: str) -> frozenset[str]:
        whole, point, fraction = text.partition(".")
        if not whole.isdigit():
            raise self._bad()
        day = int(whole) - _JULIAN_2000
        if abs(day) > 2**31:
            self._overflow()
        self._year, self._month, self._day = civil_of(day)
        self._is_julian = True
        if not point:
            return _DATE
        rest = round(float("0." + (fraction or "0")) * DAY)
        self._hour, rest = divmod(rest, _HOUR)
        self._minute, rest = divmod(rest, _MINUTE)
        self._second, self._fraction = divmod(rest, _SECOND)
        return _DATE | _TIME

    # Words.

    def _word(self, word: str, at: int, fields: list[Field]) -> frozenset[str]:
        if word in ABBREVIATIONS:
            self._offset = ABBREVIATIONS[word]
            return _ZONE
        if word in IGNORED or (word in WEEKDAYS and word not in MONTHS):
            return _NOTHING
        match word:
            case "now":
                return self._special_word("now")
            case "epoch" | "infinity" if not self._is_time:
                return self._special_word(word)
            case "allballs":
                self._offset = 0
                return _TIME | _ZONE
            case "am" | "pm":
                self._half = word
                return frozenset({"half"})
            case "ad" | "bc":
                self._is_bc = word == "bc"
                return frozenset({"era"})
            case "dst" if self._offset is not None:
                self._offset += 3600
                return _NOTHING
            case "t":
                return self._time_follows(at, fields)
            case _:
                pass
        if word in RELATIVE_DAYS and not self._is_time:
            self._relative = RELATIVE_DAYS[word]
            return _DATE
        if word in JULIAN:
            self._prefix = "julian"
            return _NOTHING
        if word in MONTHS and not self._is_time:
            return self._month_word(MONTHS[word])
        return self._named_zone(word, is_whole_word=True)

    def _special_word(self, word: str) -> frozenset[str]:
        self._special = word
        return frozenset({"special"})

    def _time_follows(self, at: int, fields: list[Field]) -> frozenset[str]:
        """Read the letter T, which stands between date and time or before a time."""
        if not self._is_time and not self._has_date():
            raise self._bad()
        if at + 1 >= len(fields) or fields[at + 1].kind not in {
            FieldKind.NUMBER,
            FieldKind.TIME,
            FieldKind.DATE,
        }:
            raise self._bad()
        self._prefix = "time"
        return _NOTHING

    def _month_word(self, month: int) -> frozenset[str]:
        """Read a month's name; a number before it that was taken for a month was the day."""
        if (
            "month" in self._known
            and not self._has_text_month
            and "day" not in self._known
            and (1 <= self._month <= 31)
        ):
            self._day = self._month
            self._month = month
            self._has_text_month = True
            return frozenset({"day"})
        self._month = month
        self._has_text_month = True
        return frozenset({"month"})

    def _named_zone(self, word: str, *, is_whole_word: bool = False) -> frozenset[str]:
        offset = posix_offset(word)
        if offset is not None:
            self._offset = offset
            return _ZONE
        name = zone_name(word)
        if name is None:
            if is_whole_word:
                raise self._bad()
            raise InvalidParameterValue(f'time zone "{word}" not recognized')
        self._zone = name
        return _ZONE

    # Parts.

    def _date(self, text: str) -> frozenset[str]:
        """Read year, month and day in one field, in any order that the style allows."""
        parts: list[str] = []
        for character in text:
            kind = character.isdigit(), character.isalpha()
            if kind == (False, False):
                parts.append("")
            elif parts and parts[-1] and (parts[-1][0].isdigit(), parts[-1][0].isalpha()) == kind:
                parts[-1] += character
            else:
                parts.append(character)
        parts = [part for part in parts if part]
        told: frozenset[str] = _NOTHING
        for part in (p for p in parts if p.isalpha()):
            if part in IGNORED or (part in WEEKDAYS and part not in MONTHS):
                continue
            if part not in MONTHS or "month" in told or "month" in self._known:
                raise self._bad()
            self._month = MONTHS[part]
            self._has_text_month = True
            told |= {"month"}
        for part in (p for p in parts if p.isdigit()):
            told |= self._number(part, (self._known & _DATE) | told)
        if not (told | self._known) >= _DATE:
            raise self._bad()
        return told

    def _number(self, text: str, known: frozenset[str]) -> frozenset[str]:
        """Give a number its meaning: the next of year, month and day that is open."""
        whole, point, fraction = text.partition(".")
        length = len(text)
        if point:
            if len(whole) > 2:
                return self._run_together(text, is_date_known=True)
            self._fraction = self._fraction_of(fraction)
        value = int(whole) if len(whole) < 12 else 10**11
        if length == 3 and known == {"year"} and 1 <= value <= 366:
            self._year_day = value
            return frozenset({"month", "day"})
        is_year_first = length >= 3 or self._order == "YMD"
        match known:
            case _ if not known:
                part = "year" if is_year_first else "day" if self._order == "DMY" else "month"
            case _ if known == {"year"}:
                part = "month"
            case _ if known == {"month"}:
                part = "year" if self._has_text_month and is_year_first else "day"
            case _ if known == {"year", "month"}:
                if self._has_text_month and length >= 3 and self._has_short_year:
                    self._day, self._year, self._has_short_year = self._year, value, False
                    return frozenset({"day"})
                part = "day"
            case _ if known == {"day"}:
                part = "month"
            case _ if known == {"month", "day"}:
                part = "year"
            case _:
                return self._run_together(text, is_date_known=True)
        self._put(part, value, length)
        return frozenset({part})

    def _put(self, part: str, value: int, length: int) -> None:
        match part:
            case "year":
                self._year = value
                self._has_short_year = length <= 2
            case "month":
                self._month = value
            case _:
                self._day = value

    def _run_together(self, text: str, *, is_date_known: bool) -> frozenset[str]:
        """Read digits without marks between them: YYYYMMDD, YYMMDD, HHMMSS, HHMM."""
        digits, point, fraction = text.partition(".")
        if not digits.isdigit():
            raise self._bad()
        if point:
            self._fraction = self._fraction_of(fraction)
        elif not is_date_known and len(digits) >= 6:
            self._year, self._month, self._day = (
                *(int(digits[:-4]), int(digits[-4:-2]), int(digits[-2:])),
            )
            self._has_short_year = len(digits) == 6
            return _DATE
        if "time" not in self._known and len(digits) in {4, 6}:
            self._hour, self._minute = int(digits[:2]), int(digits[2:4])
            self._second = int(digits[4:] or 0)
            return _TIME
        raise self._bad()

    def _clock(self, text: str) -> frozenset[str]:
        parts = clock_parts(text)
        if parts is None:
            raise self._bad()
        self._hour, self._minute, self._second, fraction = parts
        if fraction is not None:
            self._fraction = self._fraction_of(fraction)
        if self._minute > 59 or self._second > 60:
            self._overflow()
        return _TIME

    def _fraction_of(self, digits: str) -> int:
        if digits and not digits.isdigit():
            raise self._bad()
        return round(float(f"0.{digits or '0'}") * _SECOND)

    def _offset_in(self, text: str) -> int:
        found = offset_of(text)
        if found is None:
            raise self._bad()
        if abs(found) >= _OFFSET_END:
            raise InvalidTimeZoneDisplacement(
                f'time zone displacement out of range: "{self._text}"'
            )
        return found
