"""Types whose values have no order, or are not even equal to each other."""

from __future__ import annotations

from typing import Final

from catalog.errors import UndefinedFunction
from catalog.types import PgType

_UNORDERED: Final = frozenset({"json", "xid", "cid"})
_UNEQUAL: Final = frozenset({"json"})


def is_ordered(pg_type: PgType) -> bool:
    """Whether there is an order among the values of a type."""
    return not _holds(pg_type, _UNORDERED)


def check_ordered(pg_type: PgType, position: int | None) -> None:
    """Refuse to sort by a type that has no order.

    Raises:
        UndefinedFunction: It has none.
    """
    if _holds(pg_type, _UNORDERED):
        raise UndefinedFunction(
            f"could not identify an ordering operator for type {pg_type.sql_name}",
            hint="Use an explicit ordering operator or modify the query.",
            position=position,
        )


def check_equal(pg_type: PgType, position: int | None) -> None:
    """Refuse to tell values apart of a type that has no equality.

    Raises:
        UndefinedFunction: It has none.
    """
    if _holds(pg_type, _UNEQUAL):
        raise UndefinedFunction(
            f"could not identify an equality operator for type {pg_type.sql_name}",
            position=position,
        )


def _holds(pg_type: PgType, names: frozenset[str]) -> bool:
    if pg_type.name in names:
        return True
    parts = [member for _, member in pg_type.members]
    if pg_type.element is not None:
        parts.append(pg_type.element)
    return any(_holds(part, names) for part in parts)
