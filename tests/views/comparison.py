"""Comparing rows as their readers would, up to the order in which floats were added."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

Row = tuple[Any, ...]


def multiset(rows: Iterable[Row]) -> Counter[Row]:
    """Rows with their numbers of occurrences, made of what compares as PostgreSQL does."""
    return Counter(tuple(map(comparable, row)) for row in rows)


def comparable(value: Any) -> Any:
    """Round numbers, make NaN equal to itself and nested values hashable."""
    match value:
        case float() | Decimal():
            return f"{float(value) + 0.0:.9g}"
        case list():
            return tuple(map(comparable, value))
        case dict():
            return json.dumps(value, sort_keys=True)
        case _:
            return value
