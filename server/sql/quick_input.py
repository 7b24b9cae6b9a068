"""Texts in the commonest form of their type, read at the least cost.

What is read here is read as by the whole of a type's input, in ``casts``, which takes many times as
long; what is not gives NULL.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.types import PgType
from server.sql.fragment import fragment, string

#: The engine's formats also take years of fewer digits, which mean something else.
_MOMENTS_MIN = "1000-01-01"

#: What the engine takes in floating-point numbers and PostgreSQL does not.
FLOAT_ODDITIES: Final = ("_", "+-")


def quick_value(text: exp.Expr, target: PgType, *, may_be_odd: bool = True) -> exp.Expr | None:
    """Return what reads a text as a type, or NULL; None if there is no quicker way than usual.

    The engine's own errors are those of the whole input: no text that fails here is read there.

    Args:
        text: The text.
        target: The type.
        may_be_odd: Whether any of ``FLOAT_ODDITIES`` may be in it; to look costs as much as to
            read.
    """
    match target.name:
        case "int2" | "int4" | "int8":
            # A number that is printed as it was written was written in digits.
            return fragment(
                f"CASE WHEN CAST(CAST(_0 AS {target.duckdb}) AS VARCHAR) = _0 "
                f"THEN CAST(_0 AS {target.duckdb}) END",
                text,
            )
        case "float4" | "float8":
            # Beyond the range of a type are infinity and zero, which may also be meant.
            odd = " OR ".join(f"CONTAINS(_0, '{oddity}')" for oddity in FLOAT_ODDITIES)
            return fragment(
                "CASE WHEN "
                + (f"NOT ({odd}) AND " if may_be_odd else "")
                + f"ISFINITE(CAST(_0 AS {target.duckdb})) "
                f"AND (CAST(_0 AS {target.duckdb}) <> 0 OR NOT CONTAINS(LOWER(_0), 'e')) "
                f"THEN CAST(_0 AS {target.duckdb}) END",
                text,
            )
        case "bool":
            return fragment("CASE _0 WHEN 't' THEN TRUE WHEN 'f' THEN FALSE END", text)
        case "date":
            return _moment(fragment("TRY_STRPTIME(_0, '%Y-%m-%d')", text), "DATE")
        case "timestamp":
            # One format for each text: one that does not fit costs a lot.
            return _moment(
                fragment(
                    "CASE WHEN CONTAINS(_0, '.') THEN TRY_STRPTIME(_0, '%Y-%m-%d %H:%M:%S.%f') "
                    "ELSE TRY_STRPTIME(_0, '%Y-%m-%d %H:%M:%S') END",
                    text,
                ),
                "TIMESTAMP",
            )
        case _:
            return None


def _moment(read: exp.Expr, name: str) -> exp.Expr:
    earliest = fragment("CAST(_0 AS TIMESTAMP)", string(_MOMENTS_MIN))
    return fragment(f"CASE WHEN _0 >= _1 THEN CAST(_0 AS {name}) END", read, earliest)
