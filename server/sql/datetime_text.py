"""Reading dates and times written as constants (PostgreSQL 15, appendix B.1)."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from sqlglot import exp

from catalog.errors import DatetimeFieldOverflow, InvalidDatetimeFormat
from server.sql.fragment import cast, fragment, string

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
    for name in (names,)
}
_DATE_FORMS: Final = (
    re.compile(r"(?P<y>\d{4,6})-(?P<m>\d{1,2})-(?P<d>\d{1,2})"),
    re.compile(r"(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})"),
    re.compile(r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"),
    re.compile(r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})"),
    re.compile(r"(?P<mon>[A-Za-z]{3,9})\.?[ -](?P<d>\d{1,2}),?[ -](?P<y>\d{4})"),
    re.compile(r"(?P<d>\d{1,2})[ -](?P<mon>[A-Za-z]{3,9})[ -](?P<y>\d{4})"),
    re.compile(r"(?P<y>\d{4})[ -](?P<mon>[A-Za-z]{3,9})[ -](?P<d>\d{1,2})"),
)
_CLOCK: Final = re.compile(
    r"(?P<h>\d{1,2}):(?P<mi>\d{2})(?::(?P<s>\d{1,2}(?:\.\d*)?))?\s*(?P<half>am|pm)?", re.IGNORECASE
)
_COMPACT_CLOCK: Final = re.compile(r"(?P<h>\d{2})(?P<mi>\d{2})(?P<s>\d{2}(?:\.\d*)?)?(?P<half>)")
_ZONE: Final = re.compile(
    r"\s*(?:(?P<utc>Z|UTC|GMT)|(?P<sign>[+-])(?P<zh>\d{1,2})(?::?(?P<zm>\d{2}))?"
    r"|(?P<name>[A-Za-z]+(?:/[A-Za-z_+-]+[0-9]*)*))",
    re.IGNORECASE,
)
_WORDS: Final = {
    "date": {
        "epoch": "CAST('1970-01-01' AS DATE)",
        "infinity": "CAST('infinity' AS DATE)",
        "-infinity": "CAST('-infinity' AS DATE)",
        "now": "CAST(CURRENT_DATE AS DATE)",
        "today": "CAST(CURRENT_DATE AS DATE)",
        "tomorrow": "CAST(CURRENT_DATE + 1 AS DATE)",
        "yesterday": "CAST(CURRENT_DATE - 1 AS DATE)",
    },
    "timestamp": {
        "epoch": "CAST('1970-01-01 00:00:00' AS TIMESTAMP)",
        "infinity": "CAST('infinity' AS TIMESTAMP)",
        "-infinity": "CAST('-infinity' AS TIMESTAMP)",
        "now": "CAST(NOW() AS TIMESTAMP)",
        "today": "CAST(CURRENT_DATE AS TIMESTAMP)",
        "tomorrow": "CAST(CURRENT_DATE + 1 AS TIMESTAMP)",
        "yesterday": "CAST(CURRENT_DATE - 1 AS TIMESTAMP)",
    },
    "timestamptz": {
        "epoch": "CAST('1970-01-01 00:00:00+00' AS TIMESTAMPTZ)",
        "infinity": "CAST('infinity' AS TIMESTAMPTZ)",
        "-infinity": "CAST('-infinity' AS TIMESTAMPTZ)",
        "now": "CAST(NOW() AS TIMESTAMPTZ)",
        "today": "CAST(CURRENT_DATE AS TIMESTAMPTZ)",
        "tomorrow": "CAST(CURRENT_DATE + 1 AS TIMESTAMPTZ)",
        "yesterday": "CAST(CURRENT_DATE - 1 AS TIMESTAMPTZ)",
    },
}
_NAMES: Final = {
    "date": "date",
    "time": "time without time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
}


def date_tree(text: str) -> exp.Expr:
    """Return the DATE that a text names; a time after it is left aside.

    Raises:
        InvalidDatetimeFormat: The text is no date.
        DatetimeFieldOverflow: There is no such day.
    """
    if (word := _WORDS["date"].get(text.strip().lower())) is not None:
        return fragment(word)
    day, rest = _split_date(text, "date")
    if rest:
        _clock_and_zone(rest, text, "date")
    return cast(string(day), "DATE")


def time_tree(text: str) -> exp.Expr:
    """Return the TIME that a text names."""
    clock, _ = _clock_and_zone(text.strip(), text, "time")
    return cast(string(clock), "TIME")


def timestamp_tree(text: str, *, has_zone: bool) -> exp.Expr:
    """Return the TIMESTAMP or TIMESTAMPTZ that a text names.

    Without a zone in the text, a TIMESTAMPTZ is read in the session's when the statement runs.
    """
    kind = "timestamptz" if has_zone else "timestamp"
    if (word := _WORDS[kind].get(text.strip().lower())) is not None:
        return fragment(word)
    day, rest = _split_date(text, kind)
    clock, zone = _clock_and_zone(rest, text, kind) if rest else ("00:00:00", "")
    return cast(string(f"{day} {clock}{zone if has_zone else ''}"), kind.upper())


def _invalid(text: str, kind: str) -> InvalidDatetimeFormat:
    return InvalidDatetimeFormat(f'invalid input syntax for type {_NAMES[kind]}: "{text}"')


def _out_of_range(text: str) -> DatetimeFieldOverflow:
    return DatetimeFieldOverflow(f'date/time field value out of range: "{text}"')


def _split_date(text: str, kind: str) -> tuple[str, str]:
    stripped = text.strip()
    is_before_christ = stripped.upper().endswith(" BC")
    if is_before_christ:
        stripped = stripped[:-3].rstrip()
    for form in _DATE_FORMS:
        match = form.match(stripped)
        if match is None:
            continue
        rest = stripped[match.end() :]
        if rest and not re.match(r"[Tt\s]|[+-]\d|[Zz]$", rest):
            continue
        return _day(match, text, kind) + (" (BC)" if is_before_christ else ""), _clock_part(rest)
    raise _invalid(text, kind)


def _clock_part(rest: str) -> str:
    return rest[1:].strip() if rest[:1] in {"T", "t"} else rest.strip()


def _day(match: re.Match[str], text: str, kind: str) -> str:
    parts = match.groupdict()
    year, day = int(parts["y"]), int(parts["d"])
    if (name := parts.get("mon")) is not None:
        month = _MONTHS.get(name[:3].lower(), 0)
        if not month:
            raise _invalid(text, kind)
    else:
        month = int(parts["m"])
    # Python knows the years to 9999; the calendar repeats every 400.
    try:
        date(2000 + year % 400, month, day)
    except ValueError:
        raise _out_of_range(text) from None
    if year == 0:
        raise _out_of_range(text)
    return f"{year:04}-{month:02}-{day:02}"


def _clock_and_zone(rest: str, text: str, kind: str) -> tuple[str, str]:
    match = _CLOCK.match(rest) or _COMPACT_CLOCK.match(rest)
    after = rest
    hour, minute, second = 0, 0, "00"
    if match is not None:
        hour, minute, second = int(match["h"]), int(match["mi"]), match["s"] or "00"
        after = rest[match.end() :]
        half = (match["half"] or "").lower()
        if half and not 1 <= hour <= 12:
            raise _out_of_range(text)
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
    elif kind == "time":
        raise _invalid(text, kind)
    if hour > 24 or minute > 59 or float(second) > 60 or (hour == 24 and (minute or float(second))):
        raise _out_of_range(text)
    return _clock_text(hour, minute, second), _zone(after, text, kind)


def _clock_text(hour: int, minute: int, second: str) -> str:
    microseconds = round(float(second) * 1_000_000) + (hour * 60 + minute) * 60_000_000
    seconds, fraction = divmod(microseconds, 1_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}.{fraction:06}" if fraction else clock


def _zone(after: str, text: str, kind: str) -> str:
    if not after.strip():
        return ""
    match = _ZONE.fullmatch(after.rstrip())
    if match is None:
        raise _invalid(text, kind)
    if match["utc"]:
        return "+00"
    if match["sign"]:
        return f"{match['sign']}{int(match['zh']):02}:{match['zm'] or '00'}"
    if "/" not in match["name"]:
        raise _invalid(text, kind)
    return " " + match["name"]
