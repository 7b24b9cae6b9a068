"""The standard's views of the catalog (PostgreSQL 15, chapter 37).

Materialized views are listed as the peer lists them; PostgreSQL leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.relation import Column, MaterializedView, Relation, Table, View
from catalog.system.pg_class import key_name, keyed_tables
from catalog.system.query_text import query_text
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.types import FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC, PgType

_TABLE_TYPES: Final[dict[type, str]] = {
    Table: "BASE TABLE",
    View: "VIEW",
    MaterializedView: "MATERIALIZED VIEW",
}

#: Binary digits of numbers; of numeric they are decimal and the type's own.
_PRECISION: Final = {INT2.oid: 16, INT4.oid: 32, INT8.oid: 64, FLOAT4.oid: 24, FLOAT8.oid: 53}
#: The longest text PostgreSQL holds, in bytes.
_OCTETS_MAX: Final = 1 << 30


def _tables(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        yield {
            "table_catalog": snapshot.catalog.database,
            "table_schema": relation.schema,
            "table_name": relation.name,
            "table_type": _TABLE_TYPES[type(relation)],
            "is_insertable_into": "YES" if isinstance(relation, Table) else "NO",
            "is_typed": "NO",
        }


def _columns(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        for position, column in enumerate(relation.columns, 1):
            yield _column(snapshot.catalog.database, relation, column, position)


def _column(database: str, relation: Relation, column: Column, position: int) -> Row:
    is_table = isinstance(relation, Table)
    is_key = isinstance(relation, Table) and column.number in relation.primary_key
    return {
        "table_catalog": database,
        "table_schema": relation.schema,
        "table_name": relation.name,
        "column_name": column.name,
        "ordinal_position": position,
        "column_default": column.default_source,
        "is_nullable": "NO" if is_key or not column.is_nullable else "YES",
        **_type_details(column.type),
        "udt_catalog": database,
        "udt_schema": "pg_catalog",
        "udt_name": column.type.name,
        "dtd_identifier": str(position),
        "is_self_referencing": "NO",
        "is_identity": "NO",
        "identity_cycle": "NO",
        "is_generated": "NEVER" if column.generated is None else "ALWAYS",
        "generation_expression": column.generated_source,
        "is_updatable": "YES" if is_table else "NO",
    }


def _type_details(pg_type: PgType) -> Row:
    details: dict[str, str | int | None] = {
        "data_type": "ARRAY" if pg_type.is_array else pg_type.sql_name
    }
    if pg_type.category == "S":
        details["character_maximum_length"] = pg_type.length
        octets = _OCTETS_MAX if pg_type.length is None else 4 * pg_type.length
        details["character_octet_length"] = octets
    elif pg_type.oid == NUMERIC.oid:
        details["numeric_precision_radix"] = 10
        if pg_type.is_declared:
            details["numeric_precision"] = pg_type.precision
            details["numeric_scale"] = pg_type.scale
    elif pg_type.oid in _PRECISION:
        details["numeric_precision"] = _PRECISION[pg_type.oid]
        details["numeric_precision_radix"] = 2
        if pg_type.category == "N" and pg_type.oid in (INT2.oid, INT4.oid, INT8.oid):
            details["numeric_scale"] = 0
    elif pg_type.category in ("D", "T"):
        details["datetime_precision"] = 0 if pg_type.name == "date" else 6
    return details


def _schemata(snapshot: Snapshot) -> Iterator[Row]:
    for schema in snapshot.catalog.schemas.values():
        yield {
            "catalog_name": snapshot.catalog.database,
            "schema_name": schema.name,
            "schema_owner": schema.owner,
        }


def _views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, View):
            yield {
                "table_catalog": snapshot.catalog.database,
                "table_schema": relation.schema,
                "table_name": relation.name,
                "view_definition": f"{query_text(relation.definition)};",
                "check_option": "NONE",
                "is_updatable": "NO",
                "is_insertable_into": "NO",
                "is_trigger_updatable": "NO",
                "is_trigger_deletable": "NO",
                "is_trigger_insertable_into": "NO",
            }


def _key(database: str, table: Table) -> dict[str, str]:
    return {
        "constraint_catalog": database,
        "constraint_schema": table.schema,
        "constraint_name": key_name(table),
        "table_catalog": database,
        "table_schema": table.schema,
        "table_name": table.name,
    }


def _table_constraints(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        yield {
            **_key(snapshot.catalog.database, table),
            "constraint_type": "PRIMARY KEY",
            "is_deferrable": "NO",
            "initially_deferred": "NO",
            "enforced": "YES",
        }


def _key_columns(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        names = {column.number: column.name for column in table.columns}
        for position, number in enumerate(table.primary_key, 1):
            yield {
                **_key(snapshot.catalog.database, table),
                "column_name": names[number],
                "ordinal_position": position,
            }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "tables": _tables,
    "columns": _columns,
    "schemata": _schemata,
    "views": _views,
    "table_constraints": _table_constraints,
    "key_column_usage": _key_columns,
}
