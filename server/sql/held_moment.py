"""Times, timestamps and intervals held to the digits of a second, or the fields, of their type."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.types import PgType
from server.sql.fragment import cast, fragment

#: As many digits of a second as are kept.
_SECONDS_MAX: Final = 6


def held_moment(tree: exp.Expr, target: PgType) -> exp.Expr:
    """Return a value without the digits and fields that its type does not keep."""
    if target.name == "interval":
        digits = -1 if target.seconds is None else target.seconds
        held = f"tg_hold_interval(CAST(_0 AS TEXT), '{target.fields}', {digits})"
        return cast(fragment(held, tree), "INTERVAL")
    assert target.seconds is not None
    if target.seconds >= _SECONDS_MAX:
        return tree
    unit = 10 ** (_SECONDS_MAX - target.seconds)
    if target.name == "timetz":
        rounded = fragment(f"tg_round_timetz(CAST(_0 AS TEXT), {unit})", tree)
        return cast(rounded, target.duckdb)
    return fragment(f"tg_round_{target.name}(_0, {unit})", tree)
