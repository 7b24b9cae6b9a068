"""Values of keys as errors show them, which go by no session's settings."""

from __future__ import annotations

from typing import Final

from catalog.special_numeric import Special
from catalog.types import NUMERIC, NUMERIC_SCALE

_SPECIALS: Final = " ".join(
    f"WHEN '{special.stored(NUMERIC_SCALE)}' THEN '{special}'" for special in Special
)


def key_text(value: str, macro: str = "") -> str:
    """Return the SQL text of a value of a key, in PostgreSQL's spelling where it is known here.

    Of what type the value is is found out when the engine binds it.

    Args:
        value: SQL.
        macro: What gives the texts of values that are stored as something else, or empty.
    """
    if macro:
        return f"{macro}({value})"
    text = f"{value}::VARCHAR"
    number = f"CASE {text} {_SPECIALS} ELSE rtrim(rtrim({text}, '0'), '.') END"
    float_text = f"CASE WHEN suffix({text}, '.0') THEN left({text}, -2) ELSE {text} END"
    return (
        f"CASE typeof({value}) WHEN '{NUMERIC.duckdb}' THEN {number} "
        f"WHEN 'DOUBLE' THEN {float_text} WHEN 'FLOAT' THEN {float_text} "
        f"WHEN 'BOOLEAN' THEN left({text}, 1) "
        f"WHEN 'BLOB' THEN '\\x' || lower(hex(CAST({text} AS BLOB))) ELSE {text} END"
    )
