"""Rows of pg_constraint (PostgreSQL 15, chapter 53.13)."""

from __future__ import annotations

from typing import Final

from catalog.constraint import UniqueKey
from catalog.oid import Oid
from catalog.relation import Column, Relation, Table
from catalog.system.relation import Row, Value
from catalog.system.snapshot import Snapshot

#: What is so of most constraints: they cannot be put off, are not inherited, and refer to nothing.
_ALIKE: Final[Row] = {
    "condeferrable": False,
    "condeferred": False,
    "convalidated": True,
    "conrelid": 0,
    "contypid": 0,
    "conindid": 0,
    "conparentid": 0,
    "confrelid": 0,
    "confupdtype": " ",
    "confdeltype": " ",
    "confmatchtype": " ",
    "conislocal": True,
    "coninhcount": 0,
    "connoinherit": False,
    "conkey": None,
}

# A primary key is a part of its table here; in pg_catalog it is an index and a constraint beside
# it. Their OIDs are made from the table's, far from those that are given out.
_KEY_INDEX_BIT: Final = 1 << 30
_KEY_CONSTRAINT_BIT: Final = 1 << 29
_DEFAULT_BIT: Final = 1 << 28


def key_index_oid(table: Table) -> Oid:
    """Return the OID under which a table's primary key is listed as an index."""
    return Oid(table.oid | _KEY_INDEX_BIT)


def key_constraint_oid(table: Table) -> Oid:
    """Return the OID under which a table's primary key is listed as a constraint."""
    return Oid(table.oid | _KEY_CONSTRAINT_BIT)


def check_oid(table: Table, number: int) -> Oid:
    """Return the OID under which a table's CHECK constraint is listed, counted from 1."""
    return Oid(table.oid | _KEY_CONSTRAINT_BIT | number << 20)


def default_oid(relation: Relation, column: Column) -> Oid:
    """Return the OID under which a column's default is listed."""
    return Oid(relation.oid | _DEFAULT_BIT | column.number << 20)


def key_name(table: Table) -> str:
    """Return what a table's primary key is called."""
    return table.primary_key_name


def key_oid(table: Table, key: UniqueKey) -> Oid:
    """Return the OID under which a unique key's index is listed."""
    return key_index_oid(table) if key.is_primary else key.oid


def keyed_tables(snapshot: Snapshot) -> list[Table]:
    """Return the tables that have a primary key."""
    return [r for r in snapshot.relations() if isinstance(r, Table) and r.primary_key]


def constraint_row(oid: Oid, name: str, schema: Oid, **rest: Value) -> Row:
    """Return the row of a constraint; ``rest`` is where it differs from most."""
    return {**_ALIKE, "oid": oid, "conname": name, "connamespace": schema, **rest}


def check_row(oid: Oid, name: str, schema: Oid, source: str, **rest: Value) -> Row:
    """Return the row of a CHECK constraint, of a table or of a domain."""
    return constraint_row(oid, name, schema, contype="c", conbin=f"({source})", **rest)
