"""Which columns of a stored relation a bound query reads."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp, parse_one

from catalog.oid import Oid
from catalog.relation import storage_name


@lru_cache(maxsize=256)
def columns_read(query: str, oid: Oid) -> frozenset[int]:
    """Return the numbers of the columns of a relation that a view's query names.

    Aliases are unique in a bound query, so each tells whose column it is.
    """
    tree = parse_one(query, read="duckdb")
    stored = storage_name(oid)
    aliases = {table.alias_or_name for table in tree.find_all(exp.Table) if table.name == stored}
    return frozenset(
        int(column.name[1:])
        for column in tree.find_all(exp.Column)
        if column.table in aliases and column.name[1:].isdigit()
    )
