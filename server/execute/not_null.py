"""NOT NULL, checked where a statement is evaluated."""

from __future__ import annotations

from catalog.errors import NotNullViolation
from catalog.relation import Column, Table
from catalog.types import BOOL
from server.session_state import SessionState


def check_not_null(
    state: SessionState, table: Table, staged: str, *, kept: frozenset[int] = frozenset()
) -> None:
    """Look for NULLs in new rows where none may be.

    Args:
        state: The session.
        table: The table.
        staged: The FROM item of the new rows.
        kept: Numbers of columns that hold what they held before.

    Raises:
        NotNullViolation: There is one.
    """
    required = [
        c
        for c in table.columns
        if c.number not in kept and (not c.is_nullable or c.number in table.primary_key)
    ]
    if not required:
        return
    is_null = " OR ".join(f"{column.storage_name} IS NULL" for column in required)
    shown = ", ".join(_shown(column) for column in table.columns)
    reader = state.reader
    with state.interruptible():
        rows = reader.rows(f"SELECT {shown} FROM {staged} WHERE {is_null} LIMIT 1")
    if not rows:
        return
    values = dict(zip((column.number for column in table.columns), rows[0], strict=True))
    column = next(c for c in required if values[c.number] is None)
    row = ", ".join("null" if value is None else str(value) for value in rows[0])
    raise NotNullViolation.of(
        table.schema, table.name, column.name, detail=f"Failing row contains ({row})."
    )


def _shown(column: Column) -> str:
    name = column.storage_name
    if column.type == BOOL:
        return f"CASE {name} WHEN true THEN 't' WHEN false THEN 'f' END"
    return f"{name}::VARCHAR"
