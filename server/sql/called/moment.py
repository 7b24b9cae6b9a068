"""Moments and intervals under templates."""

from __future__ import annotations

from typing import Final

from barrier.clock import wall_clock_us
from barrier.prelude import PythonFunction
from server.sql.called.python_function import called
from server.value.calendar import DAY, DAYS_1970, timetz_text
from server.value.moment_input import zoned_time
from server.value.moment_template import moment_template_text, parts_of_interval, parts_of_moment


def moment_text(microseconds: int, offset: int, zone: str, template: str) -> str:
    """Return a local moment since 1970 as a template shows it."""
    parts = parts_of_moment(microseconds - DAYS_1970 * DAY, offset, zone)
    return moment_template_text(parts, template)


def interval_text(months: int, days: int, microseconds: int, template: str) -> str:
    """Return an interval as a template shows it."""
    return moment_template_text(parts_of_interval(months, days, microseconds), template)


def timetz_in(text: str, offset_us: int) -> str:
    """Return a time with its zone as it is elsewhere, so many microseconds east of Greenwich."""
    microseconds, offset = zoned_time(text)
    seconds = offset_us // 1_000_000
    return timetz_text((microseconds + (seconds - offset) * 1_000_000) % DAY, seconds)


_V: Final = "VARCHAR"

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_moment_text", moment_text, ("BIGINT", "BIGINT", _V, _V), _V),
    PythonFunction("tg_clock", lambda _: wall_clock_us(), ("INTEGER",), "BIGINT", has_effects=True),
    called("tg_timetz_in", timetz_in, (_V, "BIGINT"), _V),
    called("tg_interval_text", interval_text, ("BIGINT", "BIGINT", "BIGINT", _V), _V),
)
