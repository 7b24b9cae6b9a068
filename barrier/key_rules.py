"""What a table's own ON CONFLICT and version columns make of new rows whose keys are there.

The rows of one statement come one after the other, so of those with one key each meets what the
ones before it have left.
"""

from __future__ import annotations

from barrier import identity
from barrier.writes import ORDINAL
from catalog.relation import KeyConflict, Table

#: Where a stored row stands among new ones: before them all.
_STORED = 0


def same_key(table: Table, left: str, right: str) -> str:
    """Return the condition that two FROM items hold rows of the same key."""
    return " AND ".join(f"{left}.{name} = {right}.{name}" for name in table.key)


def settled_rows(table: Table, given: str, current: str) -> str:
    """Return the query for the rows that the keys of new rows have in the end, with ``__ord``.

    Keys whose stored row stays as it is are left out.

    Args:
        table: The table; it has key rules.
        given: The FROM item of the new rows, with ``__ord`` from 1.
        current: The FROM item of the table's rows.
    """
    if table.on_conflict is KeyConflict.DO_NOTHING:
        return _first(table, given, current)
    columns = [column.storage_name for column in table.columns]
    listed = ", ".join(columns)
    key = ", ".join(table.key)
    candidates = (
        f"SELECT {listed}, {_STORED} AS {ORDINAL} FROM {current} AS r WHERE EXISTS "
        f"(SELECT 1 FROM {given} AS g WHERE {same_key(table, 'g', 'r')}) "
        f"UNION ALL SELECT {listed}, {ORDINAL} FROM {given}"
    )
    taken = f"({candidates})"
    if table.version_columns:
        taken = f"({_newer(table, candidates)})"
    if table.on_conflict is KeyConflict.OVERWRITE:
        return (
            f"SELECT * FROM (SELECT {listed}, {ORDINAL} FROM {taken} "
            f"QUALIFY {identity.is_first(key, f'{ORDINAL} DESC')}) WHERE {ORDINAL} > {_STORED}"
        )
    shown = ", ".join(
        name
        if name in table.key
        else f"arg_max({name}, {ORDINAL}) FILTER (WHERE {name} IS NOT NULL) AS {name}"
        for name in columns
    )
    return (
        f"SELECT {shown}, max({ORDINAL}) AS {ORDINAL} FROM {taken} GROUP BY {key} "
        f"HAVING max({ORDINAL}) > {_STORED}"
    )


def _first(table: Table, given: str, current: str) -> str:
    listed = ", ".join(column.storage_name for column in table.columns)
    return (
        f"SELECT {listed}, {ORDINAL} FROM {given} AS g WHERE NOT EXISTS "
        f"(SELECT 1 FROM {current} AS r WHERE {same_key(table, 'r', 'g')}) "
        f"QUALIFY {identity.is_first(', '.join(table.key), ORDINAL)}"
    )


def _newer(table: Table, candidates: str) -> str:
    """Return the query for the rows that are as new as each before them with the same key."""
    # NULL is older than every version.
    parts = ", ".join(f"c{n} IS NOT NULL, c{n}" for n in table.version_columns)
    window = f"PARTITION BY {', '.join(table.key)} ORDER BY {ORDINAL}"
    newest = f"max(__version) OVER ({window} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
    return (
        f"SELECT * FROM (SELECT *, ROW({parts}) AS __version FROM ({candidates})) "
        f"QUALIFY coalesce(__version >= {newest}, true)"
    )
