"""NOT NULL, CHECK and WITH CHECK OPTION, looked after where a statement is evaluated."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog.constraint_errors import CheckOptionViolation, CheckViolation, failing_row
from catalog.errors import NotNullViolation, ObjectNotInPrerequisiteState
from catalog.relation import ROW, Column, Table
from catalog.types import BOOL, TEXT
from server.execute.engine_sql import engine_sql, with_rows
from server.session_state import SessionState
from server.sql.bind.result import ViewCheck
from server.sql.bind.written_view import CHECKED
from server.sql.coercion import Coercion, coerce
from server.sql.typed import Typed


def check_rows(
    state: SessionState,
    table: Table,
    staged: str,
    *,
    kept: frozenset[int] = frozenset(),
    filled: frozenset[int] = frozenset(),
) -> None:
    """Look for NULLs in new rows where none may be, and for rows that fail a CHECK.

    Args:
        state: The session.
        table: The table.
        staged: The FROM item of the new rows.
        kept: Numbers of columns that hold what they held before.
        filled: Numbers of columns in which there is no NULL.

    Raises:
        NotNullViolation: There is a NULL.
        CheckViolation: There is a row that fails.
    """
    _check_not_null(state, table, staged, kept | filled)
    for check in table.checks:
        if check.columns and kept.issuperset(check.columns):
            continue
        row = _found(state, table, f"{staged} AS {ROW} WHERE NOT ({check.condition})")
        if row is not None:
            raise CheckViolation.of(table.schema, table.name, check.name, detail=failing_row(row))


def check_views(
    state: SessionState, table: Table, staged: str, checks: Sequence[ViewCheck]
) -> None:
    """Look for new rows that fail the conditions of the views through which they are written.

    Args:
        state: The session.
        table: The table.
        staged: The staging table of the new rows.
        checks: What they must fulfil, in this order.

    Raises:
        CheckOptionViolation: There is a row that fails.
    """
    for check in checks:
        row = _row_of(state, table, check, staged)
        if row is not None:
            raise CheckOptionViolation(
                f'new row violates check option for view "{check.view}"', detail=failing_row(row)
            )


def check_visible(
    state: SessionState, table: Table, staged: str, checks: Sequence[ViewCheck]
) -> None:
    """Look for rows that ON CONFLICT DO UPDATE meets and a view that is written does not show.

    Raises:
        ObjectNotInPrerequisiteState: There is one.
    """
    for check in checks:
        if _row_of(state, table, check, staged) is not None:
            raise ObjectNotInPrerequisiteState(
                f'conflicting row is not visible through view "{check.view}"'
            )


def _row_of(
    state: SessionState, table: Table, check: ViewCheck, staged: str
) -> tuple[object, ...] | None:
    query, _ = engine_sql(with_rows(check.query, CHECKED, staged), ())
    return _found(state, table, f"({query}) AS {ROW}")


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
    value = Typed(exp.column(name), column.type)
    return coerce(value, TEXT, Coercion.EXPLICIT).tree.sql(dialect="duckdb")
