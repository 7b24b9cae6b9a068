"""Series of numerics and of moments (PostgreSQL 15, chapter 9.25).

The engine makes those of moments itself where a step has one direction and no daylight saving
time comes between.
"""

from __future__ import annotations

from datetime import tzinfo
from decimal import Decimal, localcontext
from typing import Final

from barrier.prelude import PythonFunction
from catalog.errors import (
    DatetimeFieldOverflow,
    InvalidParameterValue,
    ProgramLimitExceeded,
)
from server.sql.called.python_function import called
from server.value.calendar import (
    DAY,
    DAYS_1970,
    civil_of,
    days_of,
    offset_at,
    offset_of_local,
)
from server.value.style import zone_of

_ROWS_MAX: Final = 10_000_000


def numeric_series(start: str, stop: str, step: str, has_end: bool) -> list[str]:  # noqa: FBT001
    """Return the numbers from one to another, the last one included or not."""
    first, last, by = (_finite(n, t) for n, t in (("start", start), ("stop", stop), ("step", step)))
    if not by:
        raise InvalidParameterValue("step size cannot equal zero")
    with localcontext() as context:
        context.prec = 2000
        count = int((last - first) / by // 1) + 1 if (last - first) * by >= 0 else 0
        if count and not has_end and first + (count - 1) * by == last:
            count -= 1
        if count > _ROWS_MAX:
            raise ProgramLimitExceeded(f"a series of numerics has at most {_ROWS_MAX} rows")
        return [format(first + i * by, "f") for i in range(count)]


def _finite(name: str, text: str) -> Decimal:
    value = Decimal(text)
    what = f"{name} size" if name == "step" else f"{name} value"
    if not value.is_finite():
        word = "NaN" if value.is_nan() else "infinity"
        raise InvalidParameterValue(f"{what} cannot be {word}")
    return value


def moment_series(
    start: int,
    stop: int,
    step: list[int],
    zone: str,
    has_end: bool,  # noqa: FBT001
) -> list[int]:
    """Return moments from one to another, each a step after the one before.

    All are microseconds since 1970; the greatest and the least integers are infinite.

    Args:
        start: The first.
        stop: Where they end.
        step: Its months, days and microseconds.
        zone: In which days begin; empty for moments without one.
        has_end: Whether ``stop`` may be one of them.
    """
    months, days, microseconds = step
    estimate = (months * 30 + days) * DAY + microseconds
    if not (months or days or microseconds):
        raise InvalidParameterValue("step size cannot equal zero")
    forward = estimate > 0 or (estimate == 0 and months > 0)
    found: list[int] = []
    held = zone_of(zone) if zone else None
    at = start
    while (has_end and at == stop) or (at < stop if forward else at > stop):
        if at in _INFINITIES or stop in _INFINITIES:
            raise DatetimeFieldOverflow("timestamp out of range")
        found.append(at)
        if len(found) > _ROWS_MAX:
            raise ProgramLimitExceeded(f"a series of moments has at most {_ROWS_MAX} rows")
        for part_months, part_days in ((months, 0), (0, days)):
            if part_months or part_days:
                at = _moved(at, part_months, part_days, held)
        at += microseconds
    return found


def _moved(at: int, months: int, days: int, zone: tzinfo | None) -> int:
    """Return a moment so many months or days later, at the same time of day."""
    at -= DAYS_1970 * DAY
    offset = 0 if zone is None else offset_at(at, zone)
    day, clock = divmod(at + offset * 1_000_000, DAY)
    if months:
        year, month, of_month = civil_of(day)
        shifted = year * 12 + month - 1 + months
        year, month = shifted // 12, shifted % 12 + 1
        last = days_of(year + month // 12, month % 12 + 1, 1) - days_of(year, month, 1)
        day = days_of(year, month, min(of_month, last))
    local = (day + days) * DAY + clock
    if zone is not None:
        local -= offset_of_local(local, zone) * 1_000_000
    return local + DAYS_1970 * DAY


_INFINITIES: Final = frozenset({(1 << 63) - 1, -(1 << 63)})

_V: Final = "VARCHAR"

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_numeric_series", numeric_series, (_V, _V, _V, "BOOLEAN"), "VARCHAR[]"),
    called(
        "tg_moment_series",
        moment_series,
        ("BIGINT", "BIGINT", "BIGINT[]", _V, "BOOLEAN"),
        "BIGINT[]",
    ),
)
