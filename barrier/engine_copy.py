"""Copying a database, as of one snapshot, to a file of its own while it goes on.

The copy is made by a reader in a transaction: it holds up nobody, and what is committed meanwhile
is not in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from barrier.epoch import Epoch
from barrier.store import Reader

#: What the engine calls the file that is written to.
_COPY: Final = "backup_copy"


def copy_database(reader: Reader, number: int, file: Path) -> Epoch:
    """Copy everything that a reader's database stores; returns the epoch of the copy.

    Args:
        reader: A connection that nobody else uses, outside of a transaction.
        number: Tells copies that are made at the same time apart.
        file: Where to; the engine must be allowed to make it.

    Raises:
        PgError: It was interrupted, or the disk is full; what is in the file is worth nothing.
    """
    copy = f"{_COPY}_{number}"
    ((source,),) = reader.rows("SELECT current_database()")
    reader.run(f"ATTACH {_literal(str(file))} AS {copy}")
    try:
        epoch = reader.begin()
        try:
            _copy_all(reader, _name(str(source)), copy)
        except BaseException:
            reader.rollback()
            raise
        reader.commit()
    finally:
        reader.run(f"USE {_name(str(source))}")
        reader.run(f"DETACH {copy}")
    return epoch


def _copy_all(reader: Reader, source: str, copy: str) -> None:
    here = "database_name = current_database()"
    tables = reader.rows(
        f"SELECT schema_name, table_name, sql FROM duckdb_tables() WHERE {here} AND NOT internal"
    )
    indexes = reader.rows(
        "SELECT sql FROM duckdb_indexes() WHERE database_name = current_database()"
    )
    reader.run(f"USE {copy}")
    for name in sorted({str(schema) for schema, _, _ in tables} - {"main"}):
        reader.run(f"CREATE SCHEMA {_name(name)}")
    for schema, table, definition in tables:
        place = f"{_name(str(schema))}.{_name(str(table))}"
        reader.run(str(definition))
        reader.run(f"INSERT INTO {copy}.{place} SELECT * FROM {source}.{place}")
    for (definition,) in indexes:
        reader.run(str(definition))


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
