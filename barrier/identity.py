"""Rows that the engine takes for equal, although readers see a difference.

An interval of a month equals one of 30 days, and -0.0 equals 0.0. Where changes are summed up, two
such rows are not one: what an UPDATE has made of the one would be nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from barrier.stream import exact, trees
from catalog.relation import Column

#: The sign of a zero is all that tells equal floats apart.
_FLOATS: Final = frozenset({"DOUBLE", "FLOAT", "REAL"})


def marks(columns: Iterable[Column], alias: str = "") -> list[str]:
    """Return what differs for rows that are equal but not identical: SQL over their columns.

    Args:
        columns: The columns.
        alias: Where they are.
    """
    before = f"{alias}." if alias else ""
    found = []
    for column in columns:
        name = before + column.storage_name
        if column.type.duckdb in _FLOATS:
            found.append(f"({name} = 0 AND signbit({name}))")
        elif exact.is_loose(column.type.duckdb):
            found.append(f"{name}::VARCHAR")
    return found


def apart(names: Sequence[str], alias: str = "") -> str:
    """Return an SQL text that differs for values that are equal but not identical.

    Args:
        names: The columns; of what type they are is found out when the engine binds it.
        alias: Where they are.
    """
    values = [trees.column(name, alias or None) for name in names]
    return exact.fingerprint(values).sql(dialect="duckdb")


def grouped(names: Sequence[str]) -> str:
    """Return what GROUP BY has to name so that only identical rows are one group."""
    return ", ".join([*names, apart(names)])


def identical(names: Sequence[str], left: str, right: str) -> str:
    """Return the condition that two rows are the same to every reader.

    Args:
        names: The columns of both.
        left: The alias of the one.
        right: The alias of the other.
    """
    same = [f"{left}.{name} IS NOT DISTINCT FROM {right}.{name}" for name in names]
    return " AND ".join([*same, f"{apart(names, left)} = {apart(names, right)}"])


def without(names: Sequence[str], rows: str, others: str) -> str:
    """Return the query for rows without as many that are identical as there are among others.

    Args:
        names: The columns.
        rows: A table or an alias.
        others: Another.
    """
    listed, mark = ", ".join(names), f"{apart(names)} AS __apart"
    return (
        f"SELECT {listed} FROM (SELECT {listed}, {mark} FROM {rows} "
        f"EXCEPT ALL SELECT {listed}, {mark} FROM {others})"
    )


def is_first(partition: str, order: str) -> str:
    """Return the condition, for QUALIFY, that a row is the first of its partition.

    Asked for the row whose number is 1, DuckDB 2.0 may take it for an aggregate of whole rows, in
    which -0.0 becomes 0.0.
    """
    return f"lag(true) OVER (PARTITION BY {partition} ORDER BY {order}) IS NULL"
