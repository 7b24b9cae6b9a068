"""What of a table's own stands on one of its columns: generated columns and CHECK constraints."""

from __future__ import annotations

from dataclasses import replace

from catalog.errors import FeatureNotSupported
from catalog.index import Index
from catalog.relation import Check, Column, Table
from server.sql.bind.column_expression import (
    bind_check,
    bind_generated,
    bind_index_condition,
    bind_index_expression,
    columns_of_row,
)
from server.sql.bind.context import BindContext
from server.sql.parse import parse_expression
from server.sql.renaming import with_renamed_column


def generated_from(table: Table, column: Column) -> list[Column]:
    """Return the generated columns that read a column."""
    return [
        c
        for c in table.columns
        if c.generated is not None and column.number in columns_of_row(c.generated)
    ]


def without_checks_of(table: Table, column: Column) -> Table:
    """Return the table without the constraints and indexes that go with a column.

    Raises:
        FeatureNotSupported: Its watermark reads it.
    """
    _refuse_time_column(table, column, "drop")
    kept = tuple(check for check in table.checks if column.number not in check.columns)
    indexes = tuple(index for index in table.indexes if column.number not in index.columns)
    references = tuple(
        key
        for key in table.foreign_keys
        if column.number not in key.columns
        and not (key.target == table.oid and column.number in key.target_columns)
    )
    if column.number in table.primary_key:
        table = replace(table, primary_key=(), key_name="")
    return replace(table, checks=kept, indexes=indexes, foreign_keys=references)


def with_checks_anew(table: Table, column: Column, context: BindContext) -> Table:
    """Return the table with its CHECK constraints for the type that a column has now.

    Raises:
        FeatureNotSupported: A generated column or the watermark reads it.
        PgError: A condition makes no sense any more.
    """
    _refuse_time_column(table, column, "alter type of")
    generated = generated_from(table, column)
    if generated:
        raise FeatureNotSupported(
            "cannot alter type of a column used by a generated column",
            detail=f'Column "{column.name}" is used by generated column "{generated[0].name}".',
        )

    def anew(check: Check) -> Check:
        if column.number not in check.columns:
            return check
        return replace(check, condition=bind_check(parse_expression(check.source), table, context))

    return replace(
        table,
        checks=tuple(anew(check) for check in table.checks),
        indexes=tuple(_index_anew(i, table, column, context) for i in table.indexes),
    )


def with_expressions_anew(table: Table, column: Column, context: BindContext) -> Table:
    """As ``with_checks_anew``, of a column whose values stay equal: generated ones stay too."""
    reading = {c.number for c in generated_from(table, column)}

    def anew(held: Column) -> Column:
        if held.generated is None or held.number not in {*reading, column.number}:
            return held
        parsed = parse_expression(str(held.generated_source))
        return replace(held, generated=bind_generated(parsed, table, held, context))

    plain = replace(table, columns=tuple(replace(c, generated=None) for c in table.columns))
    checked = with_checks_anew(plain, column, context)
    return replace(checked, columns=tuple(map(anew, table.columns)))


def _index_anew(index: Index, table: Table, column: Column, context: BindContext) -> Index:
    """Return an index with its expressions for the type that a column has now."""
    keys = tuple(
        replace(
            key, expression=bind_index_expression(parse_expression(str(key.source)), table, context)
        )
        if key.expression is not None and column.number in key.columns
        else key
        for key in index.keys
    )
    condition = index.condition
    if column.number in index.condition_columns:
        parsed = parse_expression(str(index.condition_source))
        condition = bind_index_condition(parsed, table, context)
    return replace(index, keys=keys, condition=condition)


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
    watermark = table.watermark
    if watermark is not None:
        source = with_renamed_column(watermark.source, old, new)
        watermark = replace(watermark, source=source)
    return replace(table, columns=columns, checks=checks, indexes=indexes, watermark=watermark)


def _renamed(index: Index, old: str, new: str) -> Index:
    keys = tuple(
        key
        if key.source is None
        else replace(key, source=with_renamed_column(key.source, old, new))
        for key in index.keys
    )
    source = index.condition_source
    if source is not None:
        source = with_renamed_column(source, old, new)
    return replace(index, keys=keys, condition_source=source)


def _refuse_time_column(table: Table, column: Column, what: str) -> None:
    """Refuse to do something with a column by which a table has its watermark.

    Raises:
        FeatureNotSupported: It is one.
    """
    watermark = table.watermark
    if watermark is not None and column.number in {watermark.column, *watermark.columns}:
        raise FeatureNotSupported(
            f"cannot {what} a column used by a watermark",
            detail=f'Column "{column.name}" is used by the watermark of table "{table.name}".',
        )
