"""Templates of to_char, to_date and to_timestamp (PostgreSQL 15, chapter 9.8).

to_char with a constant template becomes calls of strftime; to_date and to_timestamp are read by
Python, since PostgreSQL's reading is lenient where strptime is not.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from sqlglot import exp

from catalog.errors import DatetimeFieldOverflow, InvalidDatetimeFormat
from server.sql.fragment import concatenated, fragment, string

#: Longest first, so that MONTH is not read as MON.
_PATTERNS: Final = (
    *("HH24", "HH12", "HH", "MI", "SSSSS", "SSSS", "SS", "MS", "US", "FF1", "FF2", "FF3", "FF4"),
    *("FF5", "FF6", "A.M.", "P.M.", "a.m.", "p.m.", "AM", "PM", "am", "pm", "Y,YYY", "YYYY"),
    *("IYYY", "YYY", "IYY", "YY", "IY", "Y", "I", "B.C.", "A.D.", "BC", "AD", "MONTH", "Month"),
    *("month", "MON", "Mon", "mon", "MM", "DAY", "Day", "day", "DY", "Dy", "dy", "DDD", "IDDD"),
    *("DD", "D", "ID", "WW", "IW", "W", "CC", "J", "Q", "TZH", "TZM", "TZ", "tz", "OF"),
)
_PATTERN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|(?P<fm>FM)|(?P<ignored>FX|TH|th|SP)|(?P<code>'
    + "|".join(re.escape(p) for p in sorted(_PATTERNS, key=len, reverse=True))
    + r")|(?P<plain>.)",
    re.DOTALL,
)

#: Template code -> strftime code; those of fixed width, whose FM form drops leading zeros.
_STRFTIME: Final = {
    "YYYY": "%Y",
    "IYYY": "%G",
    "YY": "%y",
    "MM": "%m",
    "DD": "%d",
    "DDD": "%j",
    "HH24": "%H",
    "HH12": "%I",
    "HH": "%I",
    "MI": "%M",
    "SS": "%S",
    "MS": "%g",
    "US": "%f",
    "FF3": "%g",
    "FF6": "%f",
    "IW": "%V",
    "ID": "%u",
    "AM": "%p",
    "PM": "%p",
    "Mon": "%b",
    "Dy": "%a",
}
_UNPADDED: Final = frozenset(
    {"MM", "DD", "DDD", "HH24", "HH12", "HH", "MI", "SS", "IW", "MS", "US"}
)

#: Codes that need an expression; ``_0`` is the moment.
_EXPRESSIONS: Final = {
    "MON": "UPPER(STRFTIME(_0, '%b'))",
    "mon": "LOWER(STRFTIME(_0, '%b'))",
    "DY": "UPPER(STRFTIME(_0, '%a'))",
    "dy": "LOWER(STRFTIME(_0, '%a'))",
    "am": "LOWER(STRFTIME(_0, '%p'))",
    "pm": "LOWER(STRFTIME(_0, '%p'))",
    "A.M.": "REPLACE(REPLACE(STRFTIME(_0, '%p'), 'A', 'A.'), 'P', 'P.') || ''",
    "a.m.": "CASE WHEN DATEPART('hour', _0) < 12 THEN 'a.m.' ELSE 'p.m.' END",
    "D": "CAST(DATEPART('dow', _0) + 1 AS TEXT)",
    "Q": "CAST(DATEPART('quarter', _0) AS TEXT)",
    "W": "CAST((DATEPART('day', _0) - 1) // 7 + 1 AS TEXT)",
    "WW": "LPAD(CAST((DATEPART('doy', _0) - 1) // 7 + 1 AS TEXT), 2, '0')",
    "CC": "LPAD(CAST(DATEPART('century', _0) AS TEXT), 2, '0')",
    "J": "CAST(CAST(FLOOR(DATEPART('julian', _0)) AS BIGINT) AS TEXT)",
    "Y,YYY": "STRFTIME(_0, '%Y')[1:1] || ',' || STRFTIME(_0, '%Y')[2:4]",
    "YYY": "RIGHT(STRFTIME(_0, '%Y'), 3)",
    "Y": "RIGHT(STRFTIME(_0, '%Y'), 1)",
    "IYY": "RIGHT(STRFTIME(_0, '%G'), 3)",
    "IY": "RIGHT(STRFTIME(_0, '%G'), 2)",
    "I": "RIGHT(STRFTIME(_0, '%G'), 1)",
    "SSSS": "CAST(DATEPART('hour', _0) * 3600 + DATEPART('minute', _0) * 60 + DATEPART('second', _0) AS TEXT)",
    "FF1": "LEFT(STRFTIME(_0, '%f'), 1)",
    "FF2": "LEFT(STRFTIME(_0, '%f'), 2)",
    "FF4": "LEFT(STRFTIME(_0, '%f'), 4)",
    "FF5": "LEFT(STRFTIME(_0, '%f'), 5)",
    "BC": "CASE WHEN DATEPART('year', _0) > 0 THEN 'AD' ELSE 'BC' END",
}
_EXPRESSIONS_ALIASES: Final = {"P.M.": "A.M.", "p.m.": "a.m.", "AD": "BC", "SSSSS": "SSSS"}
_NAMES: Final = {
    "Month": ("STRFTIME(_0, '%B')", 9),
    "MONTH": ("UPPER(STRFTIME(_0, '%B'))", 9),
    "month": ("LOWER(STRFTIME(_0, '%B'))", 9),
    "Day": ("STRFTIME(_0, '%A')", 9),
    "DAY": ("UPPER(STRFTIME(_0, '%A'))", 9),
    "day": ("LOWER(STRFTIME(_0, '%A'))", 9),
}
#: What is written of zones is not the engine's.
_ZONES: Final = frozenset({"TZH", "TZM", "OF", "TZ", "tz"})


def _is_common(template: str) -> bool:
    """Whether the engine can write a template: codes as they are listed and no other letters."""
    after_fill = False
    for match in _PATTERN.finditer(template):
        is_other = match["plain"] is not None and (
            match["plain"].isalpha() or match["plain"] in '\\"'
        )
        if match["ignored"] or is_other or (after_fill and match["code"] is None):
            return False
        if match["code"] in _ZONES or (match["quoted"] and "\\" in match["quoted"]):
            return False
        after_fill = match["fm"] is not None
    return bool(template) and not after_fill


def to_char_tree(moment: exp.Expr, template: str) -> exp.Expr | None:
    """Return the text of a TIMESTAMP or TIMESTAMPTZ under a constant template, if that is common."""
    if not _is_common(template):
        return None
    pieces: list[exp.Expr] = []
    directive = ""
    is_filled = True
    for match in _PATTERN.finditer(template):
        if match["fm"]:
            is_filled = False
            continue
        code = match["code"]
        simple = _directive(match, code, is_filled=is_filled)
        if simple is not None:
            directive += simple
            is_filled = True
            continue
        pieces += _strftime(moment, directive)
        directive = ""
        pieces.append(_expression(moment, code, is_filled=is_filled))
        is_filled = True
    pieces += _strftime(moment, directive)
    if len(pieces) == 1:
        return pieces[0]
    return concatenated(pieces)


def _directive(match: re.Match[str], code: str | None, *, is_filled: bool) -> str | None:
    if code is None:
        literal = match["quoted"] if match["quoted"] is not None else match["plain"]
        return (literal or "").replace("%", "%%")
    found = _STRFTIME.get(code)
    if found is None or (not is_filled and code in _UNPADDED):
        return None
    return found


def _strftime(moment: exp.Expr, directive: str) -> list[exp.Expr]:
    if not directive:
        return []
    if "%" not in directive:
        return [string(directive)]
    return [fragment("STRFTIME(_0, _1)", moment, string(directive))]


def _expression(moment: exp.Expr, code: str | None, *, is_filled: bool) -> exp.Expr:
    assert code is not None
    code = _EXPRESSIONS_ALIASES.get(code, code)
    if code in {"B.C.", "A.D."}:
        return fragment("CASE WHEN DATEPART('year', _0) > 0 THEN 'A.D.' ELSE 'B.C.' END", moment)
    if code == "A.M.":
        return fragment("CASE WHEN DATEPART('hour', _0) < 12 THEN 'A.M.' ELSE 'P.M.' END", moment)
    if code in _NAMES:
        sql, width = _NAMES[code]
        text = fragment(sql, moment)
        return fragment(f"RPAD(_0, {width}, ' ')", text) if is_filled else text
    if code in _STRFTIME:
        bare = fragment(f"LTRIM(STRFTIME(_0, '{_STRFTIME[code]}'), '0')", moment)
        return fragment("CASE WHEN _0 = '' THEN '0' ELSE _0 END", bare)
    if code == "IDDD":
        return fragment(
            "LPAD(CAST((DATEPART('week', _0) - 1) * 7 + DATEPART('isodow', _0) AS TEXT), 3, '0')",
            moment,
        )
    return fragment(_EXPRESSIONS[code], moment)


_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_LONG_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_WIDTHS: Final = {
    "YYYY": 4, "IYYY": 4, "YYY": 3, "YY": 2, "Y": 1, "MM": 2, "DD": 2, "DDD": 3, "HH24": 2,
    "HH12": 2, "HH": 2, "MI": 2, "SS": 2, "MS": 3, "US": 6, "SSSS": 5, "SSSSS": 5, "D": 1,
    "ID": 1, "IW": 2, "WW": 2, "W": 1, "Q": 1, "CC": 2, "J": 7, "FF1": 1, "FF2": 2, "FF3": 3,
    "FF4": 4, "FF5": 5, "FF6": 6,
}  # fmt: skip


class _Reading:
    """What has been read of a text under a template."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.fields: dict[str, int] = {}
        self.microseconds = 0
        self.is_afternoon: bool | None = None
        self.offset = ""

    def invalid(self, code: str) -> InvalidDatetimeFormat:
        return InvalidDatetimeFormat(
            f'invalid value "{self.text[self.at : self.at + 4]}" for "{code}"'
        )

    def skip_separators(self) -> None:
        while (
            self.at < len(self.text)
            and not self.text[self.at].isalnum()
            and self.text[self.at] not in "+-"
        ):
            self.at += 1

    def number(self, code: str, *, is_next_digit: bool) -> tuple[int, str]:
        width = _WIDTHS[code]
        digits = width if is_next_digit or width != 4 else 9
        pattern = rf"\s*([+-]?\d{{1,{digits}}})"
        match = re.compile(pattern).match(self.text, self.at)
        if match is None:
            raise self.invalid(code)
        self.at = match.end()
        return int(match[1]), match[1]

    def word(self, names: tuple[str, ...], code: str) -> int:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        rest = self.text[self.at :].lower()
        for i in sorted(range(len(names)), key=lambda i: -len(names[i])):
            if rest.startswith(names[i]):
                self.at += len(names[i])
                return i
        raise self.invalid(code)


def moment_from(text: str, template: str) -> str:
    """Return the moment that a text names under a template, as ISO text with a zone if it had one.

    Raises:
        InvalidDatetimeFormat: The text does not follow the template.
        DatetimeFieldOverflow: There is no such moment.
    """
    reading = _Reading(text.lstrip())
    tokens = [m for m in _PATTERN.finditer(template) if not (m["fm"] or m["ignored"])]
    for i, token in enumerate(tokens):
        if reading.at >= len(reading.text):
            break
        code = token["code"]
        if code is None:
            _skip_literal(reading, token)
            continue
        following = tokens[i + 1]["code"] if i + 1 < len(tokens) else None
        _read(reading, code, is_next_digit=following is not None and following in _WIDTHS)
    return _moment(reading)


def _skip_literal(reading: _Reading, token: re.Match[str]) -> None:
    literal = token["quoted"] if token["quoted"] is not None else token["plain"]
    for character in literal:
        if reading.at >= len(reading.text):
            return
        current = reading.text[reading.at]
        if character.isalnum() or not current.isalnum():
            reading.at += 1
            if not character.isalnum():
                reading.skip_separators()


def _read(reading: _Reading, code: str, *, is_next_digit: bool) -> None:
    upper = code.upper()
    if upper == "MONTH":
        reading.fields["MM"] = reading.word(_LONG_MONTHS, code) + 1
    elif upper == "MON":
        reading.fields["MM"] = reading.word(_MONTHS, code) + 1
    elif upper in {"DAY", "DY"}:
        match = re.compile(r"\s*[A-Za-z]+").match(reading.text, reading.at)
        reading.at = match.end() if match else reading.at
    elif upper in {"AM", "PM", "A.M.", "P.M."}:
        reading.is_afternoon = reading.word(("am", "pm", "a.m.", "p.m."), code) % 2 == 1
    elif upper in {"BC", "AD", "B.C.", "A.D."}:
        reading.fields["BC"] = (reading.word(("bc", "ad", "b.c.", "a.d."), code) + 1) % 2
    elif upper in {"TZH", "OF"}:
        match = re.compile(r"\s*([+-]?\d{1,2})(?::?(\d{2}))?").match(reading.text, reading.at)
        if match is None:
            raise reading.invalid(code)
        reading.at = match.end()
        reading.offset = f"{int(match[1]):+03}:{match[2] or '00'}"
    elif code in _WIDTHS:
        value, digits = reading.number(code, is_next_digit=is_next_digit)
        if code in {"MS", "US"} or code.startswith("FF"):
            reading.microseconds = int(digits.ljust(6, "0"))
        else:
            reading.fields["SSSS" if code == "SSSSS" else code] = _year(code, value)


def _year(code: str, value: int) -> int:
    if code == "YY":
        return value + (2000 if value < 70 else 1900)
    if code == "YYY":
        return value + (1000 if value >= 520 else 2000)
    if code == "Y":
        return value + 2020
    return value


def _moment(reading: _Reading) -> str:
    fields = reading.fields
    day = _day(reading)
    hour = fields.get("HH24", fields.get("HH12", fields.get("HH", 0)))
    if "HH24" not in fields and ("HH12" in fields or "HH" in fields):
        if not 1 <= hour <= 12:
            raise DatetimeFieldOverflow(
                f'hour "{hour}" is invalid for the 12-hour clock',
                hint="Use the 24-hour clock, or give an hour between 1 and 12.",
            )
        if reading.is_afternoon is not None:
            hour = hour % 12 + (12 if reading.is_afternoon else 0)
    minute, second = fields.get("MI", 0), fields.get("SS", 0)
    if "SSSS" in fields:
        hour, minute, second = (
            fields["SSSS"] // 3600,
            fields["SSSS"] // 60 % 60,
            fields["SSSS"] % 60,
        )
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60):
        raise _out_of_range(reading)
    clock = f"{hour:02}:{minute:02}:{second:02}.{reading.microseconds:06}"
    return f"{day} {clock}{reading.offset}"


def _out_of_range(reading: _Reading) -> DatetimeFieldOverflow:
    return DatetimeFieldOverflow(f'date/time field value out of range: "{reading.text}"')


def _day(reading: _Reading) -> str:
    fields = reading.fields
    if "J" in fields:
        return (date(2000, 1, 1) + timedelta(days=fields["J"] - 2451545)).isoformat()
    year = next((fields[c] for c in ("YYYY", "IYYY", "YYY", "YY", "Y") if c in fields), 1)
    try:
        if "IW" in fields:
            return date.fromisocalendar(year, fields["IW"], fields.get("ID", 1)).isoformat()
        if "DDD" in fields:
            return (date(year, 1, 1) + timedelta(days=fields["DDD"] - 1)).isoformat()
        return date(year, fields.get("MM", 1), fields.get("DD", 1)).isoformat()
    except ValueError:
        raise _out_of_range(reading) from None
