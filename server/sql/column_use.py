"""Which columns of a stored relation a bound query reads, and how it reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from sqlglot import exp, parse_one

from catalog.change_reader import follows
from catalog.oid import Oid
from catalog.relation import Relation, query_of, storage_name


@lru_cache(maxsize=256)
def columns_read(query: str, oid: Oid) -> frozenset[int]:
    """Return the numbers of the columns of a relation that a view's query names.

    Aliases are unique in a bound query, so each tells whose column it is. No query names none.
    """
    if not query:
        return frozenset()
    return frozenset(
        int(column.name[1:])
        for column in _columns(parse_one(query, read="duckdb"), oid)
        if column.name[1:].isdigit()
    )


def reads_column(relation: Relation, oid: Oid, number: int) -> bool:
    """Whether the query of a relation names a column of another, or follows its changelog."""
    return number in columns_read(query_of(relation), oid) or follows(relation, oid, number)


def with_column_as(
    query: str, oid: Oid, storage_column: str, change: Callable[[exp.Expr], exp.Expr]
) -> str:
    """Return a view's query that reads something made of a column where it read the column."""
    tree = parse_one(query, read="duckdb")
    for column in list(_columns(tree, oid)):
        if column.name != storage_column:
            continue
        is_output = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        value = change(column.copy())
        column.replace(exp.alias_(value, storage_column) if is_output else value)
    return tree.sql(dialect="duckdb")


def _columns(tree: exp.Expr, oid: Oid) -> Iterator[exp.Column]:
    stored = storage_name(oid)
    aliases = {table.alias_or_name for table in tree.find_all(exp.Table) if table.name == stored}
    return (column for column in tree.find_all(exp.Column) if column.table in aliases)
