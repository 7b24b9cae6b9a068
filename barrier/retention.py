"""Tables that keep each row for so long: when rows came, and which of them go.

When each row was last written is in ``a<oid>``, by its key, in milliseconds since 1970; it follows
the table's delta, so that a row which is written as it was keeps its time. Rows whose time has
passed are deleted by the first epoch after that, before what else it does, and views follow as they
follow any DELETE. While a database is paused nothing goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from barrier import watermark
from barrier.knowledge import Knowledge
from barrier.store import Attempt, Store
from barrier.table_program import TableProgram
from barrier.writes import WEIGHT
from catalog.oid import Oid
from catalog.relation import Relation, Table

_WRITTEN: Final = "written"


def create(table: Table, now_ms: int = 0) -> list[str]:
    """Return what makes the place of the times of a table's rows, if they matter.

    Args:
        table: The table, which may have rows.
        now_ms: When these are said to have been written.
    """
    if table.retention_s is None:
        return []
    key = ", ".join(table.key)
    rows = f"SELECT {key}, {now_ms}::BIGINT AS {_WRITTEN} FROM r{table.oid}"
    return [f"CREATE TABLE a{table.oid} AS {rows}"]


def drop(table: Table) -> list[str]:
    """Return what takes that away."""
    return [] if table.retention_s is None else [f"DROP TABLE a{table.oid}"]


def follow(before: Table, after: Table, now_ms: int) -> list[str]:
    """Return what lets the times follow a table whose rows have another key; they begin anew."""
    if before.key == after.key and _key_types(before) == _key_types(after):
        return []
    return [*drop(before), *create(after, now_ms)]


def _key_types(table: Table) -> list[str]:
    return [c.type.duckdb for c in table.columns if c.number in table.primary_key]


def due(known: Knowledge, now_ms: int) -> list[Table]:
    """Return the tables of which rows must go."""
    tables = [known.catalog.table(oid) for oid in sorted(known.ages)]
    return [t for t in tables if known.ages[t.oid] <= _last_kept(t, now_ms)]


def expired(table: Table, now_ms: int) -> str:
    """Return the rows that must go, as a FROM item."""
    columns = ", ".join(f"r.{name}" for name in TableProgram(table).columns)
    same = " AND ".join(f"a.{name} = r.{name}" for name in table.key)
    return (
        f"(SELECT {columns} FROM r{table.oid} AS r JOIN a{table.oid} AS a ON {same} "
        f"WHERE a.{_WRITTEN} <= {_last_kept(table, now_ms)})"
    )


def _last_kept(table: Table, now_ms: int) -> int:
    assert table.retention_s is not None, table
    return now_ms - table.retention_s * 1000


def keep_time(attempt: Attempt, known: Knowledge, changed: Iterable[Oid], now_ms: int) -> None:
    """Note when rows were written, and how far time has come, in tables that have changed."""
    for oid in known.observed.intersection(changed):
        table = known.catalog.table(oid)
        if table.watermark is not None:
            attempt.run(watermark.advance(table))
        if table.retention_s is not None:
            for statement in _noted(table, now_ms):
                attempt.run(statement)
            oldest = attempt.value(_oldest_of(oid))
            known.ages.pop(oid, None)
            if oldest >= 0:
                known.ages[oid] = oldest


def recovered(store: Store, relation: Relation) -> dict[Oid, int]:
    """Return when a table's oldest row was written, as of ``Knowledge.ages``."""
    if not isinstance(relation, Table) or relation.retention_s is None:
        return {}
    reader = store.reader()
    ((oldest,),) = reader.rows(_oldest_of(relation.oid))
    reader.close()
    written = int(str(oldest))
    return {relation.oid: written} if written >= 0 else {}


def _oldest_of(oid: Oid) -> str:
    return f"SELECT coalesce(min({_WRITTEN}), -1)::BIGINT FROM a{oid}"


def _noted(table: Table, now_ms: int) -> list[str]:
    key = ", ".join(table.key)
    same = " AND ".join(f"a{table.oid}.{name} = d.{name}" for name in table.key)
    return [
        f"DELETE FROM a{table.oid} USING d{table.oid} AS d WHERE {same} AND d.{WEIGHT} < 0",
        f"INSERT INTO a{table.oid} SELECT {key}, {now_ms} FROM d{table.oid} WHERE {WEIGHT} > 0",
    ]
