"""Series of numerics (PostgreSQL 15, chapter 9.25)."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Final

from barrier.prelude import PythonFunction
from catalog.errors import InvalidParameterValue, ProgramLimitExceeded
from server.sql.called.python_function import called

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


_V: Final = "VARCHAR"

CALLED: Final[tuple[PythonFunction, ...]] = (
    called("tg_numeric_series", numeric_series, (_V, _V, _V, "BOOLEAN"), "VARCHAR[]"),
)
