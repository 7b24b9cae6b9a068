"""Of which epoch of the other database a mirror is: a number in a table ``p<oid>`` of its own."""

from __future__ import annotations

from catalog.oid import Oid
from catalog.relation import Mirror, Table


def create(table: Table) -> list[str]:
    """Return what makes the place of a mirror, before everything; nothing for other tables."""
    is_mirror = isinstance(table, Mirror)
    return [f"CREATE TABLE p{table.oid} AS SELECT 0::BIGINT AS epoch"] if is_mirror else []


def drop(table: Table) -> list[str]:
    """Return what takes it away."""
    return [f"DROP TABLE p{table.oid}"] if isinstance(table, Mirror) else []


def read(oid: Oid) -> str:
    """Return the query for it."""
    return f"SELECT epoch FROM p{oid}"


def move(oid: Oid, epoch: int) -> str:
    """Return the statement that writes another one down."""
    return f"UPDATE p{oid} SET epoch = {epoch}"
