"""What of a table's own stands on one of its columns: generated columns and CHECK constraints."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from catalog.index import Index
from catalog.relation import Check, Column, Table
from server.sql.bind.column_expression import bind_check, columns_of_row
from server.sql.bind.context import BindContext
from server.sql.parse import parse
from server.sql.renaming import with_renamed_column
from server.sql.source import Source
from server.sql.statement import Query


def generated_from(table: Table, column: Column) -> list[Column]:
    """Return the generated columns that read a column."""
    return [
        c
        for c in table.columns
        if c.generated is not None and column.number in columns_of_row(c.generated)
    ]


def without_checks_of(table: Table, column: Column) -> Table:
    """Return the table without the CHECK constraints and indexes that go with a column."""
    kept = tuple(check for check in table.checks if column.number not in check.columns)
    indexes = tuple(index for index in table.indexes if column.number not in index.columns)
    return replace(table, checks=kept, indexes=indexes)


def with_checks_anew(table: Table, column: Column, context: BindContext) -> Table:
    """Return the table with its CHECK constraints for the type that a column has now.

    Raises:
        FeatureNotSupported: A generated column reads it.
        PgError: A condition makes no sense any more.
    """
    generated = generated_from(table, column)
    if generated:
        raise FeatureNotSupported(
            "cannot alter type of a column used by a generated column",
            detail=f'Column "{column.name}" is used by generated column "{generated[0].name}".',
        )

    def anew(check: Check) -> Check:
        if column.number not in check.columns:
            return check
        return replace(check, condition=bind_check(_parsed(check.source), table, context))

    return replace(table, checks=tuple(anew(check) for check in table.checks))


def with_new_name(table: Table, old: str, new: str) -> Table:
    """Return the table with its expressions written for the new name of a column."""
    columns = tuple(
        c
        if c.generated_source is None
        else replace(c, generated_source=with_renamed_column(c.generated_source, old, new))
        for c in table.columns
    )
    checks = tuple(
        replace(check, source=with_renamed_column(check.source, old, new)) for check in table.checks
    )
    indexes = tuple(_renamed(index, old, new) for index in table.indexes)
    return replace(table, columns=columns, checks=checks, indexes=indexes)


def _renamed(index: Index, old: str, new: str) -> Index:
    keys = tuple(
        key
        if key.source is None
        else replace(key, source=with_renamed_column(key.source, old, new))
        for key in index.keys
    )
    return replace(index, keys=keys)


def _parsed(source: str) -> exp.Expr:
    query = parse(Source(f"SELECT {source}"))
    assert isinstance(query, Query), source
    (expression,) = query.tree.expressions
    found: exp.Expr = expression
    return found
