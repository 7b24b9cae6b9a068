"""Columns that hold what is compared as it is stored, and views that read a column as what it was.

Keys are looked for as they are stored, and versions compared so. A numeric that carries its scale
may be stored differently where it is equal (``catalog.written_numeric``), so a column of a key is
one that does not, from the moment when it becomes one. What a connector brings has no scale either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sqlglot import exp

from catalog.change_reader import follows
from catalog.dependence import describe
from catalog.errors import FeatureNotSupported
from catalog.oid import Oid
from catalog.relation import Column, Relation, Source, Subscription, Table, query_of
from catalog.state import Catalog
from catalog.types import NUMERIC
from catalog.written_numeric import WRITTEN_NUMERIC
from server.sql.bind.column_expression import converted_column, converted_default
from server.sql.column_use import columns_read, with_column_as
from server.sql.statement import CreateTable
from server.sql.typed import Typed
from server.sql.written_numeric import stored


def compared_names(statement: CreateTable) -> frozenset[str]:
    """Return the names of the columns of a new table that are compared as they are stored."""
    named = [
        *(name for key in statement.keys for name in key.columns),
        *(name for reference in statement.references for name in reference.columns),
        *statement.rules.version_columns,
    ]
    return frozenset(name.name for name in named)


def compared(column: Column) -> Column:
    """Return a column as one that can be compared as it is stored."""
    if column.type != WRITTEN_NUMERIC:
        return column
    return replace(column, type=NUMERIC, default=converted_default(column, NUMERIC))


def with_compared(
    catalog: Catalog,
    before: Relation,
    table: Table,
    numbers: Iterable[int],
    *,
    values: dict[int, str],
    rewritten: dict[Oid, Relation],
) -> Table:
    """Return a table whose columns of some numbers can be compared as they are stored.

    Args:
        catalog: What there is.
        before: The table before the statement.
        table: As the statement has it so far.
        numbers: Of the columns.
        values: Is given what columns become, as ``AlterRelation`` has it.
        rewritten: Is given the views that go on reading what the columns were.
    """
    chosen = [c for c in table.columns if c.number in numbers and c.type == WRITTEN_NUMERIC]
    for column in chosen:
        if any(had.number == column.number for had in before.columns):
            values[column.number] = converted_column(column, NUMERIC)
            keep_type(
                *(catalog, before.oid, column, rewritten),
                lambda value: stored(Typed(value, NUMERIC), None).tree,
            )
    made = {column.number: compared(column) for column in chosen}
    return replace(table, columns=tuple(made.get(c.number, c) for c in table.columns))


def keep_type(
    catalog: Catalog,
    oid: Oid,
    column: Column,
    rewritten: dict[Oid, Relation],
    read: Callable[[exp.Expr], exp.Expr],
) -> None:
    """Have the views that read a column of a relation go on reading what it was.

    The queries of what is stored have those of the views in them.

    Args:
        catalog: What there is.
        oid: The relation's.
        column: As it was.
        rewritten: The views that read something else already; is given more.
        read: Makes what it was of what it becomes.

    Raises:
        FeatureNotSupported: A job keeps the changes of the column as it was.
    """
    for above in catalog.closure([oid]):
        reader = rewritten.get(above.oid, above)
        if isinstance(reader, Table | Source | Subscription):
            continue
        if follows(reader, oid, column.number):
            raise FeatureNotSupported(
                f'the type of column "{column.name}" cannot be altered',
                detail=f"{describe(reader)} follows the changelog of the relation.",
            )
        if column.number not in columns_read(query_of(reader), oid):
            continue
        query = with_column_as(reader.query, oid, column.storage_name, read)
        rewritten[reader.oid] = replace(reader, query=query)
