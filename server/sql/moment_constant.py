"""Dates and times written as constants, as DuckDB trees.

What stands relative to the present, as ``today`` does, is computed when the statement runs.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from server.sql.fragment import cast, fragment, string
from server.value import calendar
from server.value import moment_input as moments
from server.value.moment import read_moment, read_time
from server.value.moment_field import Moment
from server.value.style import current_style

_TYPE_NAMES: Final = {
    "date": "date",
    "timestamp": "timestamp",
    "timestamptz": "timestamp with time zone",
}


def moment_tree(text: str, name: str) -> exp.Expr:
    """Return the date, timestamp or timestamptz that a text names.

    Without a zone in the text, a timestamptz is read in the session's when the statement runs.

    Args:
        text: What a user wrote.
        name: The type's name.

    Raises:
        PgError: The text is no value of the type.
    """
    present = _present(read_moment(text, _TYPE_NAMES[name], current_style()), name)
    if present is not None:
        return present
    if name == "date":
        return cast(string(calendar.duckdb_date(moments.parse_date(text))), "DATE")
    if name == "timestamp":
        found = calendar.duckdb_timestamp(moments.parse_timestamp(text))
        return cast(string(found), "TIMESTAMP")
    microseconds, zone = moments.parse_timestamptz(text)
    suffix = "+00" if zone is None else f" {zone}".rstrip()
    return cast(string(calendar.duckdb_timestamp(microseconds, suffix)), "TIMESTAMPTZ")


def time_tree(text: str, name: str) -> exp.Expr:
    """Return the time or timetz that a text names.

    Raises:
        PgError: The text is no value of the type.
    """
    is_zoned = name == "timetz"
    style = current_style()
    read = read_time(text, "time with time zone" if is_zoned else "time", style)
    if read.special is not None:
        if is_zoned:
            return fragment("tg_timestamptz_timetz(NOW())")
        return fragment("CAST(CAST(NOW() AS TIMESTAMP) AS TIME)")
    if is_zoned:
        found = calendar.timetz_text(*moments.parse_timetz(text))
        return cast(string(found), "TIME WITH TIME ZONE")
    return cast(string(calendar.time_text(moments.parse_time(text))), "TIME")


def _present(moment: Moment, name: str) -> exp.Expr | None:
    """Return the tree of a moment that depends on the present; None for every other."""
    target = name.upper()
    if moment.special == "now":
        return fragment(f"CAST({'CURRENT_DATE' if name == 'date' else 'NOW()'} AS {target})")
    if moment.relative_days is None:
        return None
    day = f"CURRENT_DATE + {moment.relative_days}"
    if moment.relative_days <= 0:
        day = f"CURRENT_DATE - {-moment.relative_days}"
    if name == "date":
        return fragment(f"CAST({day} AS DATE)")
    local = f"CAST({day} AS TIMESTAMP) + TO_MICROSECONDS({moment.microseconds})"
    if name == "timestamp" or (moment.offset is None and moment.zone is None):
        return fragment(f"CAST({local} AS {target})")
    if moment.zone is not None:
        return fragment(f"TIMEZONE('{moment.zone}', {local})")
    seconds = moment.offset or 0
    return fragment(
        f"TIMEZONE('UTC', {local} - TO_SECONDS({abs(seconds)}))"
        if seconds >= 0
        else f"TIMEZONE('UTC', {local} + TO_SECONDS({abs(seconds)}))"
    )
