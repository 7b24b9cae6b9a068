"""What a table's rows are asked when it is altered."""

from __future__ import annotations

from barrier.store import Attempt
from barrier.writes import TableProgram
from catalog.relation import ROW, Check, Column, Table


def fails(attempt: Attempt, table: Table, check: Check) -> bool:
    """Whether a row fails a condition."""
    rows = f"{TableProgram(table).storage} AS {ROW}"
    return bool(attempt.value(f"SELECT count(*) FROM {rows} WHERE NOT ({check.condition})"))


def has_null(attempt: Attempt, table: Table, column: Column) -> bool:
    """Whether there is NULL in a column."""
    rows = TableProgram(table).storage
    return bool(attempt.value(f"SELECT count(*) FROM {rows} WHERE {column.storage_name} IS NULL"))
