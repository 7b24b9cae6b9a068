"""The standard's views of the catalog (PostgreSQL 15, chapter 37).

Materialized views are listed as the peer lists them; PostgreSQL leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from catalog.acl import Kind, Privilege
from catalog.collation import COLLATIONS
from catalog.function import Function
from catalog.oid import Oid
from catalog.relation import Column, MaterializedView, Relation, Source, Table, View, is_temporary
from catalog.sequence import SequenceGenerator
from catalog.system.pg_functions import function_rows, user_function_row
from catalog.system.query_text import query_text
from catalog.system.relation import Make, Row, SystemRelation
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import (
    attribute_place,
    composites,
    domain_place,
    domains,
    udt_place,
)
from catalog.types import FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC, PgType, by_oid
from catalog.updatable import is_updatable, table_beneath
from catalog.user_type import pg_type

_TABLE_TYPES: Final[dict[type, str]] = {
    Table: "BASE TABLE",
    View: "VIEW",
    MaterializedView: "MATERIALIZED VIEW",
    Source: "SOURCE",
}

#: Binary digits of numbers; of numeric they are decimal and the type's own.
_PRECISION: Final = {INT2.oid: 16, INT4.oid: 32, INT8.oid: 64, FLOAT4.oid: 24, FLOAT8.oid: 53}
#: The longest text PostgreSQL holds, in bytes.
_OCTETS_MAX: Final = 1 << 30


def rows_with(system: list[SystemRelation]) -> dict[str, Make]:
    """Return what makes the rows of the relations that list the system relations too."""

    def tables(snapshot: Snapshot) -> Iterator[Row]:
        yield from _tables(snapshot)
        database = snapshot.catalog.database
        for relation in system:
            if relation.schema != "rw_catalog":
                kind = "BASE TABLE" if relation.is_table else "VIEW"
                yield _table(database, relation.schema, relation.name, kind, is_written=False)

    def columns(snapshot: Snapshot) -> Iterator[Row]:
        yield from _columns(snapshot)
        database = snapshot.catalog.database
        yield from ({**row, **_databases(database)} for row in of_system())

    @lru_cache(maxsize=1)
    def of_system() -> tuple[Row, ...]:
        return tuple(
            _column("", relation, column, column.number)
            for relation in system
            if relation.schema != "rw_catalog"
            for column in relation.columns
        )

    return {"tables": tables, "columns": columns}


def _databases(database: str) -> Row:
    return {"table_catalog": database, "udt_catalog": database}


def _table(database: str, schema: str, name: str, kind: str, *, is_written: bool) -> Row:
    return {
        "table_catalog": database,
        "table_schema": schema,
        "table_name": name,
        "table_type": kind,
        "is_insertable_into": "YES" if is_written else "NO",
        "is_typed": "NO",
    }


def _tables(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for relation in snapshot.relations():
        kind = _TABLE_TYPES[type(relation)]
        if is_temporary(relation.schema):
            kind = "LOCAL TEMPORARY"
        is_written = table_beneath(snapshot.catalog.relations, relation) is not None
        yield _table(database, relation.schema, relation.name, kind, is_written=is_written)


def _columns(snapshot: Snapshot) -> Iterator[Row]:
    numbered = {s.owned_by: s for s in snapshot.catalog.sequences.values() if s.is_identity}
    for relation in snapshot.relations():
        for position, column in enumerate(relation.columns, 1):
            schema, name = udt_place(snapshot, column.type)
            is_written = is_updatable(snapshot.catalog.relations, relation, column.number)
            yield {
                **_column(snapshot.catalog.database, relation, column, position),
                "is_updatable": "YES" if is_written else "NO",
                **domain_place(snapshot, column.type),
                "udt_schema": schema,
                "udt_name": name,
                **_identity(numbered.get((relation.oid, column.number))),
            }


def _identity(sequence: SequenceGenerator | None) -> Row:
    """Return what is told of the numbers of an identity column."""
    if sequence is None:
        return {}
    return {
        "identity_start": str(sequence.start),
        "identity_increment": str(sequence.increment),
        "identity_maximum": str(sequence.maximum),
        "identity_minimum": str(sequence.minimum),
        "identity_cycle": "YES" if sequence.cycles else "NO",
    }


def _column(
    database: str, relation: Relation | SystemRelation, column: Column, position: int
) -> Row:
    is_key = isinstance(relation, Table) and column.number in relation.primary_key
    return {
        "table_catalog": database,
        "table_schema": relation.schema,
        "table_name": relation.name,
        "column_name": column.name,
        "ordinal_position": position,
        "column_default": None if column.identity else column.default_source,
        "is_nullable": "NO"
        if is_key or not column.is_nullable or _is_never_null(column.type)
        else "YES",
        **_type_details(column.type),
        **_collation(database, column),
        "udt_catalog": database,
        "udt_schema": "pg_catalog",
        "udt_name": column.type.name,
        "dtd_identifier": str(position),
        "is_self_referencing": "NO",
        "is_identity": "YES" if column.identity else "NO",
        "identity_generation": {"a": "ALWAYS", "d": "BY DEFAULT"}.get(column.identity),
        "identity_cycle": "NO",
        "is_generated": "NEVER" if column.generated is None else "ALWAYS",
        "generation_expression": column.generated_source,
        "is_updatable": "NO",
    }


def _is_never_null(of: PgType) -> bool:
    return of.domain is not None and of.domain.is_not_null


def _collation(database: str, column: Column) -> Row:
    # PostgreSQL does not tell of the default one.
    if not column.collation or column.collation == "default":
        return {}
    return {
        "collation_catalog": database,
        "collation_schema": "pg_catalog",
        "collation_name": column.collation,
    }


def _type_details(of: PgType) -> Row:
    details: dict[str, str | int | None] = {
        "data_type": "ARRAY" if of.is_array else _data_type(of.bare)
    }
    if of.category == "S":
        details["character_maximum_length"] = of.length
        octets = _OCTETS_MAX if of.length is None else 4 * of.length
        details["character_octet_length"] = octets
    elif of.is_bits:
        details["character_maximum_length"] = of.length
    elif of.oid == NUMERIC.oid:
        details["numeric_precision_radix"] = 10
        if of.is_declared:
            details["numeric_precision"] = of.precision
            details["numeric_scale"] = of.scale
    elif of.oid in _PRECISION:
        details["numeric_precision"] = _PRECISION[of.oid]
        details["numeric_precision_radix"] = 2
        if of.category == "N" and of.oid in (INT2.oid, INT4.oid, INT8.oid):
            details["numeric_scale"] = 0
    elif of.category in ("D", "T"):
        digits = 6 if of.seconds is None else of.seconds
        details["datetime_precision"] = 0 if of.name == "date" else digits
    return details


def _data_type(of: PgType) -> str:
    return "USER-DEFINED" if of.is_made else of.sql_name


def _schemata(snapshot: Snapshot) -> Iterator[Row]:
    for schema in snapshot.catalog.schemas.values():
        yield {
            "catalog_name": snapshot.catalog.database,
            "schema_name": schema.name,
            "schema_owner": schema.owner,
        }


def _sequences(snapshot: Snapshot) -> Iterator[Row]:
    for sequence in snapshot.catalog.sequences.values():
        if sequence.is_identity:
            continue  # It is told of with its column.
        yield {
            "sequence_catalog": snapshot.catalog.database,
            "sequence_schema": sequence.schema,
            "sequence_name": sequence.name,
            "data_type": sequence.type.sql_name,
            "numeric_precision": _PRECISION[sequence.type.oid],
            "numeric_precision_radix": 2,
            "numeric_scale": 0,
            "start_value": str(sequence.start),
            "minimum_value": str(sequence.minimum),
            "maximum_value": str(sequence.maximum),
            "increment": str(sequence.increment),
            "cycle_option": "YES" if sequence.cycles else "NO",
        }


def _views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, View):
            is_written = table_beneath(snapshot.catalog.relations, relation) is not None
            yield {
                "table_catalog": snapshot.catalog.database,
                "table_schema": relation.schema,
                "table_name": relation.name,
                "view_definition": f"{query_text(relation.definition)};",
                "check_option": relation.check_option.upper() or "NONE",
                "is_updatable": "YES" if is_written else "NO",
                "is_insertable_into": "YES" if is_written else "NO",
                "is_trigger_updatable": "NO",
                "is_trigger_deletable": "NO",
                "is_trigger_insertable_into": "NO",
            }


def _domains(snapshot: Snapshot) -> Iterator[Row]:
    for made in domains(snapshot):
        schema, name = udt_place(snapshot, made.base)
        yield {
            **domain_place(snapshot, pg_type(made)),
            **_type_details(made.base),
            "domain_default": made.default_source,
            "udt_catalog": snapshot.catalog.database,
            "udt_schema": schema,
            "udt_name": name,
            "dtd_identifier": "1",
        }


def _attributes(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for made, members in composites(snapshot):
        for column in members:
            schema, name = attribute_place(snapshot, column.type)
            yield {
                "udt_catalog": database,
                "udt_schema": made.schema,
                "udt_name": made.name,
                "attribute_name": column.name,
                "ordinal_position": column.number,
                "is_nullable": "NO" if _is_never_null(column.type) else "YES",
                **_type_details(column.type),
                **({"data_type": "USER-DEFINED"} if column.type.domain else {}),
                "attribute_udt_catalog": database,
                "attribute_udt_schema": schema,
                "attribute_udt_name": name,
                "dtd_identifier": str(column.number),
                "is_derived_reference_attribute": "NO",
            }


def _elements(snapshot: Snapshot) -> Iterator[Row]:
    database = snapshot.catalog.database
    for relation in snapshot.relations():
        for position, column in enumerate(relation.columns, 1):
            if column.type.element is not None:
                schema, name = udt_place(snapshot, column.type.element)
                yield {
                    "object_catalog": database,
                    "object_schema": relation.schema,
                    "object_name": relation.name,
                    "object_type": "TABLE",
                    "collection_type_identifier": str(position),
                    "data_type": _data_type(column.type.element),
                    "udt_catalog": database,
                    "udt_schema": schema,
                    "udt_name": name,
                    "dtd_identifier": f"a{position}",
                }


def _character_sets(snapshot: Snapshot) -> Iterator[Row]:
    yield {
        "character_set_name": "UTF8",
        "character_repertoire": "UCS",
        "form_of_use": "UTF8",
        "default_collate_catalog": snapshot.catalog.database,
        "default_collate_schema": "pg_catalog",
        "default_collate_name": "C",
    }


def _collations(snapshot: Snapshot) -> Iterator[Row]:
    for name in COLLATIONS:
        yield {
            "collation_catalog": snapshot.catalog.database,
            "collation_schema": "pg_catalog",
            "collation_name": name,
            "pad_attribute": "NO PAD",
        }


def _catalog_name(snapshot: Snapshot) -> Iterator[Row]:
    yield {"catalog_name": snapshot.catalog.database}


def _routines(snapshot: Snapshot) -> Iterator[Row]:
    for row in function_rows():
        yield {
            **_routine(snapshot, row, "pg_catalog"),
            "routine_body": "EXTERNAL",
            "external_name": row["proname"],
            "external_language": "INTERNAL",
        }
    for function in _called_functions(snapshot):
        yield {
            **_routine(snapshot, user_function_row(snapshot, function), function.schema),
            "routine_body": "SQL",
            "routine_definition": function.body
            if snapshot.access.owns(function.owner) and not function.is_expression
            else None,
            "external_language": "SQL",
        }


def _called_functions(snapshot: Snapshot) -> Iterator[Function]:
    """Yield the users' functions that whoever asks may call."""
    for _, function in sorted(snapshot.catalog.functions.items()):
        held = function.acl, Kind.FUNCTION, function.owner, Privilege.EXECUTE
        if snapshot.access.has(*held):
            yield function


def _routine(snapshot: Snapshot, row: Row, schema: str) -> Row:
    database = snapshot.catalog.database
    result = snapshot.catalog.type_by_oid(Oid(int(str(row["prorettype"]))))
    assert result is not None
    result_schema, result_name = udt_place(snapshot, result)
    return {
        "specific_catalog": database,
        "specific_schema": schema,
        "specific_name": f"{row['proname']}_{row['oid']}",
        "routine_catalog": database,
        "routine_schema": schema,
        "routine_name": row["proname"],
        "routine_type": "FUNCTION" if row["prokind"] == "f" else None,
        "data_type": "ARRAY" if result.is_array else _data_type(result.bare),
        "type_udt_catalog": database,
        "type_udt_schema": result_schema,
        "type_udt_name": result_name,
        "dtd_identifier": "0",
        "parameter_style": "GENERAL",
        "is_deterministic": "YES" if row["provolatile"] == "i" else "NO",
        "sql_data_access": "MODIFIES",
        "is_null_call": "YES" if row["proisstrict"] else "NO",
        "schema_level_routine": "YES",
        "max_dynamic_result_sets": 0,
        "security_type": "INVOKER",
        "as_locator": "NO",
        "is_udt_dependent": "NO",
    }


def _parameters(snapshot: Snapshot) -> Iterator[Row]:
    for row in function_rows():
        arguments = row["proargtypes"]
        assert isinstance(arguments, list)
        for position, oid in enumerate(arguments, 1):
            pg_type = by_oid(oid)
            assert pg_type is not None
            yield _parameter(snapshot, row, "pg_catalog", position, pg_type)
    for function in _called_functions(snapshot):
        row = user_function_row(snapshot, function)
        for position, parameter in enumerate(function.parameters, 1):
            yield {
                **_parameter(snapshot, row, function.schema, position, parameter.type),
                "parameter_name": parameter.name or None,
                "parameter_default": parameter.default
                if snapshot.access.owns(function.owner)
                else None,
            }
        columns = function.columns if function.is_table else ()
        for position, (name, pg_type) in enumerate(columns, len(function.parameters) + 1):
            yield {
                **_parameter(snapshot, row, function.schema, position, pg_type),
                "parameter_mode": "OUT",
                "parameter_name": name,
            }


def _parameter(snapshot: Snapshot, row: Row, schema: str, position: int, pg_type: PgType) -> Row:
    database = snapshot.catalog.database
    udt_schema, udt_name = udt_place(snapshot, pg_type)
    return {
        "specific_catalog": database,
        "specific_schema": schema,
        "specific_name": f"{row['proname']}_{row['oid']}",
        "ordinal_position": position,
        "parameter_mode": "IN",
        "is_result": "NO",
        "as_locator": "NO",
        "data_type": "ARRAY" if pg_type.is_array else _data_type(pg_type.bare),
        "udt_catalog": database,
        "udt_schema": udt_schema,
        "udt_name": udt_name,
        "dtd_identifier": str(position),
    }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "information_schema_catalog_name": _catalog_name,
    "attributes": _attributes,
    "domains": _domains,
    "character_sets": _character_sets,
    "collations": _collations,
    "element_types": _elements,
    "parameters": _parameters,
    "routines": _routines,
    "schemata": _schemata,
    "sequences": _sequences,
    "views": _views,
}
