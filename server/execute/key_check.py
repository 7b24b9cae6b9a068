"""Keys that no two rows may share, looked after where a statement is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from barrier import keys
from barrier.writes import ORDINAL
from catalog.constraint import UniqueKey
from catalog.constraint_errors import duplicate_key
from catalog.relation import Table
from server.session_state import SessionState


def check_keys(
    state: SessionState,
    table: Table,
    unique: Iterable[UniqueKey],
    new: str,
    old: str | None = None,
) -> None:
    """Refuse new rows that have a key in common, or one of a row that stays.

    Args:
        state: The session.
        table: The table.
        unique: The keys; those that wait for the transaction's end are passed over.
        new: The FROM item of the new rows.
        old: The FROM item of the rows that go, or None.

    Raises:
        UniqueViolation: There is such a row.
    """
    content = replace(state.transaction.content(table), without=old)
    for key in unique:
        if state.transaction.puts_off(key):
            continue
        found = first_row(state, keys.doubled(key, new))
        if found is None:
            found = first_row(state, keys.taken(key, new, content))
        if found is not None:
            raise duplicate_key(table, key, found)


def keep_first(state: SessionState, rows: str, unique: Sequence[UniqueKey], count: int) -> int:
    """Delete from staged rows those that have a key of one before them which stays.

    Args:
        state: The session.
        rows: The staging table, with ``__ord``.
        unique: The keys.
        count: How many rows it has.

    Returns:
        How many stay.
    """
    reader = state.reader
    with state.interruptible():
        if len(unique) == 1:
            return count - reader.run(
                f"DELETE FROM {rows} WHERE {ORDINAL} IN ({keys.later(unique[0], rows)})"
            )
        if all(reader.rows(f"{keys.doubled(key, rows)} LIMIT 1") == [] for key in unique):
            return count
        # Whether a row stays depends on all before it, by any of the keys.
        ranks = " UNION ALL ".join(keys.ranks(key, rows, i) for i, key in enumerate(unique))
        held: dict[object, list[tuple[object, object]]] = {}
        for place, number, rank in reader.rows(f"SELECT * FROM ({ranks}) ORDER BY ALL"):
            held.setdefault(place, []).append((number, rank))
        taken: set[tuple[object, object]] = set()
        gone: list[object] = []
        for place, has in held.items():
            if taken.isdisjoint(has):
                taken.update(has)
            else:
                gone.append(place)
        listed = ", ".join(str(place) for place in gone)
        return count - reader.run(f"DELETE FROM {rows} WHERE {ORDINAL} IN ({listed})")


def first_row(state: SessionState, query: str) -> tuple[object, ...] | None:
    """Return the first row of a query, or None."""
    reader = state.reader
    with state.interruptible():
        found = reader.rows(f"{query} LIMIT 1")
    return found[0] if found else None
