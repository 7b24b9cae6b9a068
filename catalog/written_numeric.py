"""Numerics that keep the scale with which they were written, as PostgreSQL's do.

``1.50`` and ``1.5`` are equal, and each is shown as it was written. DECIMAL has one scale for a
whole column, so what is stored is a value and its *scale code*: 17 less the digits that are shown
after its point, or 0, and then it is shown without zeros at its end. The largest scale has the
smallest code.

    1.50    {'v': 1.50, 's': 15}
    -3      {'v': -3, 's': 17}
    1/3     {'v': 0.3333333333333333, 's': 0}

So two values that are equal may be stored differently: what compares, sorts, groups or calculates
takes the value, what only stores or moves takes what is stored, and what is compared as it is
stored (keys) is a ``NUMERIC``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.types import NUMERIC, NUMERIC_SCALE, PgType

#: The code of what was calculated in a way that fixes no scale.
TRIMMED: Final = 0

#: A numeric without a scale of its type's, as tables and materialized views store it.
WRITTEN_NUMERIC: Final = replace(
    NUMERIC, duckdb=f"STRUCT(v {NUMERIC.duckdb}, s TINYINT)", carries_scale=True
)

#: The engine's macro that puts a value and its code together.
STORED_AS: Final = "tg_written"

#: The engine's macro that gives the scale codes which are left in a sum, where it is the least of
#: them. To follow it without looking at rows again, a view counts how often each is there.
COUNTED_CODE: Final = "tg_counted_code"

#: The engine's macros for that: so many numbers have a count of four codes each.
CODE_COUNTS: Final = "tg_code_counts"
LEAST_CODE: Final = "tg_least_code"
CODE_COUNTS_PARTS: Final = 3


def stored_type(pg_type: PgType, *, is_key: bool = False) -> PgType:
    """Return the type in which a column is stored that was declared as one.

    Args:
        pg_type: As declared.
        is_key: Whether its values are compared as they are stored.
    """
    if is_key:
        return plain_type(pg_type)
    return WRITTEN_NUMERIC if pg_type == NUMERIC else pg_type


def plain_type(pg_type: PgType) -> PgType:
    """Return the type of the values of what may be stored with its scale."""
    return NUMERIC if pg_type == WRITTEN_NUMERIC else pg_type


def scale_code(scale: int) -> int:
    """Return the code of how many digits are shown after the point; more than 16 never are."""
    return NUMERIC_SCALE + 1 - min(scale, NUMERIC_SCALE)


def stored_text(number: str, code: int) -> str:
    """Return what the engine casts to a stored numeric."""
    return f"{{'v': {number}, 's': {code}}}"


def shown_text(number: str, code: int) -> str:
    """Return a number with as many digits as its code says.

    Args:
        number: With all digits of the scale of ``NUMERIC``.
        code: Its scale code.
    """
    if code == TRIMMED:
        text = number.rstrip("0").removesuffix(".")
        return "0" if text == "-0" else text
    return number[: len(number) - code + 1].removesuffix(".")
