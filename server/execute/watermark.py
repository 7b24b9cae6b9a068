"""WATERMARK FOR of CREATE TABLE, and ALTER TABLE ... ALTER WATERMARK."""

from __future__ import annotations

from dataclasses import replace

from catalog.errors import (
    DependentObjectsStillExist,
    FeatureNotSupported,
    UndefinedColumn,
    UndefinedObject,
)
from catalog.relation import MaterializedView, Table
from catalog.state import Catalog
from catalog.watermark import Watermark, watermark_name
from server.sql.bind.column_expression import bind_watermark, columns_of_row
from server.sql.bind.context import BindContext
from server.sql.clause import WatermarkDefinition


def with_watermark(
    table: Table, definition: WatermarkDefinition | None, context: BindContext
) -> Table:
    """Return the table with a watermark, if one is defined.

    Raises:
        UndefinedColumn: It is for a column that there is not.
        FeatureNotSupported: Rows of the table may change, and it does not say WITH TTL.
        PgError: Its expression makes no sense.
    """
    if definition is None:
        return table
    named = definition.column
    column = next((c for c in table.columns if c.name == named.name), None)
    if column is None:
        raise UndefinedColumn(f'column "{named.name}" does not exist', position=named.position)
    expression = bind_watermark(definition.expression, table, column, context)
    if not table.is_append_only and not definition.has_ttl:
        raise FeatureNotSupported(
            "Defining watermarks on table requires the table to be append only.",
            hint="Use the key words `APPEND ONLY`, or WITH TTL after the watermark's expression.",
            position=definition.position,
        )
    read = tuple(sorted(columns_of_row(expression)))
    made = Watermark(column.number, expression, definition.text, definition.has_ttl, read)
    return replace(table, watermark=made)


def altered_watermark(
    catalog: Catalog, table: Table, definition: WatermarkDefinition, context: BindContext
) -> Table:
    """Return the table with another expression of its watermark.

    Raises:
        UndefinedObject: It has no watermark for that column.
        FeatureNotSupported: It would have a TTL, or none any more.
        DependentObjectsStillExist: Views emit by the expression that it has.
    """
    before, named = table.watermark, definition.column
    number = next((c.number for c in table.columns if c.name == named.name), 0)
    if before is None or before.column != number:
        raise UndefinedObject(
            f'no watermark defined on column "{named.name}"', position=named.position
        )
    if before.has_ttl != definition.has_ttl:
        raise FeatureNotSupported(
            "toggling WITH TTL of a watermark is not supported", position=definition.position
        )
    after = with_watermark(table, definition, context)
    for view in catalog.relations.values():
        if isinstance(view, MaterializedView) and watermark_name(table.oid) in view.query:
            raise DependentObjectsStillExist(
                f"cannot alter the watermark of table {table.name} because other objects depend"
                " on it",
                detail=f"materialized view {view.name} is emitted by it",
            )
    return after
