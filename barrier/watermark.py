"""Watermarks: how far time has come in a table, and which rows come too late for that.

The value is the greatest that the watermark's expression has had for a row of the table. It is kept
in the table ``m<oid>`` of one row, moves on at the end of the epoch whose rows move it, and never
goes back: ``floor`` is what it was when its expression became another one. While a database is
paused no rows come, so it stands still.

A row whose time is below the value that the last epoch left is late and passed over. In a table
WITH TTL, whose rows may change, a late row takes the one of its key away, unless that is older than
the watermark too: such rows stay as they are until one comes that is not late.
"""

from __future__ import annotations

from dataclasses import replace

from barrier.proctime import reads_clock
from barrier.table_program import TableProgram
from barrier.writes import WEIGHT, TableWrites, WriteSet
from catalog.relation import ROW, Table
from catalog.state import Catalog
from catalog.watermark import Watermark, watermark_name


def create(table: Table) -> list[str]:
    """Return what makes the place of a table's watermark, if it has one."""
    watermark, name = table.watermark, watermark_name(table.oid)
    if watermark is None:
        return []
    kind = next(c.type.duckdb for c in table.columns if c.number == watermark.column)
    return [
        f"CREATE TABLE {name} (reached {kind}, floor {kind})",
        f"INSERT INTO {name} VALUES (NULL, NULL)",
    ]


def drop(table: Table) -> list[str]:
    """Return what takes that away."""
    return [] if table.watermark is None else [f"DROP TABLE {watermark_name(table.oid)}"]


def advance(table: Table) -> str:
    """Return the statement that moves a watermark on by the rows in the table's delta."""
    assert table.watermark is not None, table
    source = f"SELECT max({table.watermark.expression}) FROM d{table.oid} AS {ROW}"
    return _moved(table, f"({source} WHERE {ROW}.{WEIGHT} > 0)")


def alter(before: Table, after: Table) -> list[str]:
    """Return what lets a watermark go by another expression from now on."""
    if before.watermark is None or after.watermark is None or before.watermark == after.watermark:
        return []
    source = f"SELECT max({after.watermark.expression}) FROM r{after.oid} AS {ROW}"
    return [f"UPDATE {watermark_name(after.oid)} SET floor = reached", _moved(after, f"({source})")]


def _moved(table: Table, value: str) -> str:
    # GREATEST passes over NULL.
    return f"UPDATE {watermark_name(table.oid)} SET reached = greatest(reached, {value})"


def on_time(write_set: WriteSet, catalog: Catalog) -> WriteSet:
    """Return a write set without the rows that come too late for their tables."""
    tables = tuple(_on_time(writes, catalog) for writes in write_set.tables)
    return write_set if tables == write_set.tables else replace(write_set, tables=tables)


def _on_time(writes: TableWrites, catalog: Catalog) -> TableWrites:
    table = catalog.readers.get(writes.table) or catalog.relations.get(writes.table)
    if not isinstance(table, Table) or table.watermark is None:
        return writes
    writes = writes.spelled_out()
    old, new = writes.old, writes.new
    if table.watermark.has_ttl and not table.is_append_only and not _is_of_now(table):
        old = _old(table, table.watermark, writes)
    if new is not None and _is_of_now(table):
        name = f"c{table.watermark.column}"
        new = (
            f"(SELECT * REPLACE (greatest(n.{name}, {_reached(table)}) AS {name}) FROM {new} AS n)"
        )
    elif new is not None:
        new = f"(SELECT * FROM {new} AS n WHERE {_is_late('n', table)} IS NOT TRUE)"
    return replace(writes, old=old, new=new, rows=None, keeps_keys=False)


def _is_of_now(table: Table) -> bool:
    """Whether a row's time is when it was written: then it is no earlier than any before it."""
    watermark = table.watermark
    assert watermark is not None, table
    column = next(c for c in table.columns if c.number == watermark.column)
    return column.generated is not None and reads_clock(column.generated)


def _is_late(alias: str, table: Table) -> str:
    assert table.watermark is not None, table
    return f"({alias}.c{table.watermark.column} < {_reached(table)})"


def _reached(table: Table) -> str:
    return f"(SELECT reached FROM {watermark_name(table.oid)})"


def _old(table: Table, watermark: Watermark, writes: TableWrites) -> str | None:
    """Return the rows that go and are not too old for that."""
    program = TableProgram(table)
    columns, parts = ", ".join(program.columns), []
    if writes.old is not None:
        parts.append(
            f"SELECT {columns} FROM {writes.old} AS o WHERE {_is_late('o', table)} IS NOT TRUE"
        )
    if writes.new is not None and table.primary_key:
        key, time = ", ".join(table.key), f"c{watermark.column}"
        last = f"SELECT {key}, arg_max_null({time}, __ord) AS {time} FROM {writes.new} GROUP BY ALL"
        same = " AND ".join(f"i.{name} = r.{name}" for name in table.key)
        parts.append(
            f"SELECT {', '.join(f'r.{name}' for name in program.columns)} "
            f"FROM {program.storage} AS r JOIN ({last}) AS i ON {same} "
            f"WHERE {_is_late('i', table)} AND {_is_late('r', table)} IS NOT TRUE"
        )
    return f"({' UNION '.join(parts)})" if parts else None
