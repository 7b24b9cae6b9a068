"""New rows that no session has evaluated: those of connectors, and those of sinks into tables.

What a session does for the rows of a statement is done by the epoch for them: what is missing is
the column's default, what is generated is computed, and what is there by key goes by the table's
rules. There is nobody to tell of a row that the table cannot have, so that it is passed over.
"""

from __future__ import annotations

from collections.abc import Collection

from barrier.key_rules import settled_rows
from barrier.table_program import TableProgram
from barrier.writes import ORDINAL
from catalog.relation import ROW, Table


def fitting(table: Table, rows: str, given: Collection[str]) -> str:
    """Return the FROM item of rows as the table can have them, with ``__ord``.

    Args:
        table: Where they go.
        rows: A FROM item with ``__ord`` from 1 and some of the table's storage columns.
        given: Which ones.
    """
    shown = [
        f"CAST({c.storage_name if c.storage_name in given else c.default or 'NULL'}"
        f" AS {c.type.duckdb}) AS {c.storage_name}"
        for c in table.columns
    ]
    item = f"(SELECT {', '.join(shown)}, {ORDINAL} FROM {rows})"
    program = TableProgram(table)
    if any(column.generated for column in table.columns):
        item = f"({program.with_generated(item, [*program.visible, ORDINAL])})"
    conditions = [
        f"{ROW}.{column.storage_name} IS NOT NULL"
        for column in table.columns
        if not column.is_nullable or column.number in table.primary_key
    ]
    conditions += [f"({check.condition}) IS NOT FALSE" for check in table.checks]
    if conditions:
        item = f"(SELECT * FROM {item} AS {ROW} WHERE {' AND '.join(conditions)})"
    if table.has_key_rules:
        item = f"({settled_rows(table, item, program.storage)})"
    return item
