"""Rows of pg_constraint (PostgreSQL 15, chapter 53.13)."""

from __future__ import annotations

from typing import Final

from catalog.oid import Oid
from catalog.system.relation import Row, Value

#: What is the same of every constraint there is: none can be put off, none is inherited, and none
#: refers to another table.
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


def constraint_row(oid: Oid, name: str, schema: Oid, **rest: Value) -> Row:
    """Return the row of a constraint; ``rest`` is where it differs from most."""
    return {**_ALIKE, "oid": oid, "conname": name, "connamespace": schema, **rest}


def check_row(oid: Oid, name: str, schema: Oid, source: str, **rest: Value) -> Row:
    """Return the row of a CHECK constraint, of a table or of a domain."""
    return constraint_row(oid, name, schema, contype="c", conbin=f"({source})", **rest)
