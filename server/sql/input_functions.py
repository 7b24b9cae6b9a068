"""Input functions of types, for texts that are known only when a statement runs (see ``macros``).

Each gives what DuckDB casts to the type. ``style`` is the key of the session's.
"""

from __future__ import annotations

from collections.abc import Callable

from catalog.errors import FeatureNotSupported
from server.sql.text_input import parse_uuid
from server.value import calendar
from server.value import moment_input as moments
from server.value.array_text import DIMENSIONS_DETAIL, parse_array, shape
from server.value.bits import parse_bits
from server.value.int256 import parse_int256
from server.value.interval import held_to, interval_of, parse_interval
from server.value.json_path.parser import parse_path
from server.value.json_text import check_json
from server.value.restyle import restyled
from server.value.style import Style, style_of


def moment(kind: str, text: str, style: str, now_us: int) -> str:
    """Return the text of a date or time of a kind: date, time, timetz, timestamp, timestamptz."""
    return _KINDS[kind](text, style_of(style, lambda: now_us))


def _timestamptz(text: str, style: Style) -> str:
    microseconds, zone = moments.parse_timestamptz(text, style)
    suffix = "+00" if zone is None else f" {zone}".rstrip()
    return calendar.duckdb_timestamp(microseconds, suffix)


_KINDS: dict[str, Callable[[str, Style], str]] = {
    "date": lambda text, style: calendar.duckdb_date(moments.parse_date(text, style)),
    "time": lambda text, style: calendar.time_text(moments.parse_time(text, style)),
    "timetz": lambda text, style: calendar.timetz_text(*moments.parse_timetz(text, style)),
    "timestamp": lambda text, style: calendar.duckdb_timestamp(
        moments.parse_timestamp(text, style)
    ),
    "timestamptz": _timestamptz,
}


def interval(text: str, style: str) -> str:
    """Return an interval's text as DuckDB reads it."""
    known = style_of(style)
    return parse_interval(text, style=known.interval_output, is_peer=known.is_peer).engine_text()


def shown(name: str, text: str, style: str) -> str:
    """Return the text of a value of the type of that name as a style shows it."""
    return restyled(name, text, style_of(style))


def held_interval(text: str, fields: str, digits: int) -> str:
    """Return an interval of the engine's text within fields and digits; no digits are negative."""
    return held_to(interval_of(text), fields, None if digits < 0 else digits).engine_text()


def rounded_timetz(text: str, unit: int) -> str:
    """Return a time with its zone, rounded to microseconds that ``unit`` divides."""
    microseconds, offset = moments.zoned_time(text)
    return calendar.timetz_text((microseconds + unit // 2) // unit * unit, offset)


def json(text: str) -> str:
    """Return a JSON text, having checked it."""
    return check_json(text)


def jsonpath(text: str) -> str:
    """Return a path in its usual spelling."""
    return str(parse_path(text))


def bits(text: str) -> str:
    """Return zeros and ones."""
    return parse_bits(text)


def uuid(text: str) -> str:
    """Return a UUID in its usual spelling."""
    return parse_uuid(text)


def int256(text: str) -> str:
    """Return an rw_int256 in its usual spelling."""
    return str(parse_int256(text))


def array(text: str) -> list[str | None]:
    """Return the texts of an array's elements; the array has one dimension."""
    return nested_array(1, text)  # type: ignore[return-value]


def nested_array(depth: int, text: str) -> list[object]:
    """Return the texts of an array's elements in as many lists as it is to have dimensions.

    Raises:
        FeatureNotSupported: It has another number of them.
    """
    items = parse_array(text, str)
    found = len(shape(items))
    if found not in {0, depth}:
        raise FeatureNotSupported(
            f"array has {found} dimensions, but {depth} are declared",
            detail=DIMENSIONS_DETAIL,
        )
    return items
