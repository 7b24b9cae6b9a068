"""The standard's views of the catalog (PostgreSQL 15, chapter 37).

Materialized views are listed as the peer lists them; PostgreSQL leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.relation import Column, MaterializedView, Relation, Table, View
from catalog.system.pg_class import key_name, keyed_tables
from catalog.system.relation import Row, no_rows, standard_relation
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
                "view_definition": relation.definition,
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


RELATIONS: Final = (
    standard_relation(
        13425,
        "tables",
        "table_catalog name, table_schema name, table_name name, table_type character "
        "varying, self_referencing_column_name name, reference_generation character varying, "
        "user_defined_type_catalog name, user_defined_type_schema name, "
        "user_defined_type_name name, is_insertable_into character varying, is_typed "
        "character varying, commit_action character varying",
        _tables,
    ),
    standard_relation(
        13295,
        "columns",
        "table_catalog name, table_schema name, table_name name, column_name name, "
        "ordinal_position integer, column_default character varying, is_nullable character "
        "varying, data_type character varying, character_maximum_length integer, "
        "character_octet_length integer, numeric_precision integer, numeric_precision_radix "
        "integer, numeric_scale integer, datetime_precision integer, interval_type character "
        "varying, interval_precision integer, character_set_catalog name, "
        "character_set_schema name, character_set_name name, collation_catalog name, "
        "collation_schema name, collation_name name, domain_catalog name, domain_schema name, "
        "domain_name name, udt_catalog name, udt_schema name, udt_name name, scope_catalog "
        "name, scope_schema name, scope_name name, maximum_cardinality integer, "
        "dtd_identifier name, is_self_referencing character varying, is_identity character "
        "varying, identity_generation character varying, identity_start character varying, "
        "identity_increment character varying, identity_maximum character varying, "
        "identity_minimum character varying, identity_cycle character varying, is_generated "
        "character varying, generation_expression character varying, is_updatable character "
        "varying",
        _columns,
    ),
    standard_relation(
        13382,
        "schemata",
        "catalog_name name, schema_name name, schema_owner name, "
        "default_character_set_catalog name, default_character_set_schema name, "
        "default_character_set_name name, sql_path character varying",
        _schemata,
    ),
    standard_relation(
        13483,
        "views",
        "table_catalog name, table_schema name, table_name name, view_definition character "
        "varying, check_option character varying, is_updatable character varying, "
        "is_insertable_into character varying, is_trigger_updatable character varying, "
        "is_trigger_deletable character varying, is_trigger_insertable_into character varying",
        _views,
    ),
    standard_relation(
        13411,
        "table_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog "
        "name, table_schema name, table_name name, constraint_type character varying, "
        "is_deferrable character varying, initially_deferred character varying, enforced "
        "character varying, nulls_distinct character varying",
        _table_constraints,
    ),
    standard_relation(
        13329,
        "key_column_usage",
        "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog "
        "name, table_schema name, table_name name, column_name name, ordinal_position "
        "integer, position_in_unique_constraint integer",
        _key_columns,
    ),
    standard_relation(
        13339,
        "referential_constraints",
        "constraint_catalog name, constraint_schema name, constraint_name name, "
        "unique_constraint_catalog name, unique_constraint_schema name, "
        "unique_constraint_name name, match_option character varying, update_rule character "
        "varying, delete_rule character varying",
        no_rows,
    ),
    standard_relation(
        13377,
        "routines",
        "specific_catalog name, specific_schema name, specific_name name, routine_catalog "
        "name, routine_schema name, routine_name name, routine_type character varying, "
        "module_catalog name, module_schema name, module_name name, udt_catalog name, "
        "udt_schema name, udt_name name, data_type character varying, "
        "character_maximum_length integer, character_octet_length integer, "
        "character_set_catalog name, character_set_schema name, character_set_name name, "
        "collation_catalog name, collation_schema name, collation_name name, "
        "numeric_precision integer, numeric_precision_radix integer, numeric_scale integer, "
        "datetime_precision integer, interval_type character varying, interval_precision "
        "integer, type_udt_catalog name, type_udt_schema name, type_udt_name name, "
        "scope_catalog name, scope_schema name, scope_name name, maximum_cardinality integer, "
        "dtd_identifier name, routine_body character varying, routine_definition character "
        "varying, external_name character varying, external_language character varying, "
        "parameter_style character varying, is_deterministic character varying, "
        "sql_data_access character varying, is_null_call character varying, sql_path "
        "character varying, schema_level_routine character varying, max_dynamic_result_sets "
        "integer, is_user_defined_cast character varying, is_implicitly_invocable character "
        "varying, security_type character varying, to_sql_specific_catalog name, "
        "to_sql_specific_schema name, to_sql_specific_name name, as_locator character "
        "varying, created timestamp with time zone, last_altered timestamp with time zone, "
        "new_savepoint_level character varying, is_udt_dependent character varying, "
        "result_cast_from_data_type character varying, result_cast_as_locator character "
        "varying, result_cast_char_max_length integer, result_cast_char_octet_length integer, "
        "result_cast_char_set_catalog name, result_cast_char_set_schema name, "
        "result_cast_char_set_name name, result_cast_collation_catalog name, "
        "result_cast_collation_schema name, result_cast_collation_name name, "
        "result_cast_numeric_precision integer, result_cast_numeric_precision_radix integer, "
        "result_cast_numeric_scale integer, result_cast_datetime_precision integer, "
        "result_cast_interval_type character varying, result_cast_interval_precision integer, "
        "result_cast_type_udt_catalog name, result_cast_type_udt_schema name, "
        "result_cast_type_udt_name name, result_cast_scope_catalog name, "
        "result_cast_scope_schema name, result_cast_scope_name name, "
        "result_cast_maximum_cardinality integer, result_cast_dtd_identifier name",
        no_rows,
    ),
    standard_relation(
        13386,
        "sequences",
        "sequence_catalog name, sequence_schema name, sequence_name name, data_type character "
        "varying, numeric_precision integer, numeric_precision_radix integer, numeric_scale "
        "integer, start_value character varying, minimum_value character varying, "
        "maximum_value character varying, increment character varying, cycle_option character "
        "varying",
        no_rows,
    ),
)
