"""NOT NULL and CHECK, looked after where a statement is evaluated."""

from __future__ import annotations

from catalog.constraint_errors import CheckViolation, failing_row
from catalog.errors import NotNullViolation
from catalog.relation import ROW, Column, Table
from catalog.types import BOOL
from server.session_state import SessionState


def check_rows(
    state: SessionState, table: Table, staged: str, *, kept: frozenset[int] = frozenset()
) -> None:
    """Look for NULLs in new rows where none may be, and for rows that fail a CHECK.

    Args:
        state: The session.
        table: The table.
        staged: The FROM item of the new rows.
        kept: Numbers of columns that hold what they held before.

    Raises:
        NotNullViolation: There is a NULL.
        CheckViolation: There is a row that fails.
    """
    _check_not_null(state, table, staged, kept)
    for check in table.checks:
        if check.columns and kept.issuperset(check.columns):
            continue
        row = _found(state, table, f"{staged} AS {ROW} WHERE NOT ({check.condition})")
        if row is not None:
            raise CheckViolation.of(table.schema, table.name, check.name, detail=failing_row(row))


def _check_not_null(state: SessionState, table: Table, staged: str, kept: frozenset[int]) -> None:
    required = [
        c
        for c in table.columns
        if c.number not in kept and (not c.is_nullable or c.number in table.primary_key)
    ]
    if not required:
        return
    is_null = " OR ".join(f"{column.storage_name} IS NULL" for column in required)
    row = _found(state, table, f"{staged} AS {ROW} WHERE {is_null}")
    if row is None:
        return
    values = dict(zip((column.number for column in table.columns), row, strict=True))
    column = next(c for c in required if values[c.number] is None)
    raise NotNullViolation.of(table.schema, table.name, column.name, detail=failing_row(row))


def _found(state: SessionState, table: Table, rows: str) -> tuple[object, ...] | None:
    """Return the texts of the first of some rows, or None."""
    shown = ", ".join(_shown(column) for column in table.columns)
    reader = state.reader
    with state.interruptible():
        found = reader.rows(f"SELECT {shown} FROM {rows} LIMIT 1")
    return found[0] if found else None


def _shown(column: Column) -> str:
    name = column.storage_name
    if column.type == BOOL:
        return f"CASE {name} WHEN true THEN 't' WHEN false THEN 'f' END"
    return f"{name}::VARCHAR"
