"""rw_catalog: schemas, relations, columns, types, and who reads whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import Oid
from catalog.relation import (
    ROW_ID,
    JobStatus,
    MaterializedView,
    Relation,
    Table,
    View,
    kind_name,
)
from catalog.secret import used_secrets
from catalog.system.relation import Row, Value, rw_relation
from catalog.system.snapshot import Snapshot, moment
from catalog.types import INT8, all_types


def _head(snapshot: Snapshot, relation: Relation) -> dict[str, Value]:
    """Return what every list of relations tells of one."""
    return {
        "id": relation.oid,
        "name": relation.name,
        "schema_id": snapshot.schema_oid(relation.schema),
        "owner": snapshot.user_oid(relation.owner),
        "definition": relation.definition,
        "acl": [],
    }


def _versions(relation: Relation) -> dict[str, Value]:
    """Return which version made a relation; it is not known of those of older ones."""
    version = relation.created_by or None
    return dict.fromkeys(("initialized_at_cluster_version", "created_at_cluster_version"), version)


def _schemas(snapshot: Snapshot) -> Iterator[Row]:
    for schema in snapshot.catalog.schemas.values():
        owner = snapshot.user_oid(schema.owner)
        yield {"id": schema.oid, "name": schema.name, "owner": owner, "acl": []}


def _tables(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, Table):
            created = moment(relation.created_ms)
            yield {
                **_head(snapshot, relation),
                "append_only": relation.is_append_only,
                "refreshable": False,
                "initialized_at": created,
                "created_at": created,
                **_versions(relation),
            }


def _views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, View):
            yield {
                **_head(snapshot, relation),
                "created_at": moment(relation.created_ms),
                "created_at_cluster_version": relation.created_by or None,
            }


def _paused(snapshot: Snapshot) -> set[Oid]:
    """Return the views that are paused, and all that stands still with them."""
    paused: set[Oid] = set()
    for relation in snapshot.relations():
        match relation:
            case MaterializedView(paused_by=str()):
                paused.add(relation.oid)
            case MaterializedView() | View() if relation.depends_on & paused:
                paused.add(relation.oid)
            case _:
                pass
    return paused


def _materialized_views(snapshot: Snapshot) -> Iterator[Row]:
    paused = _paused(snapshot)
    for relation in snapshot.relations():
        if isinstance(relation, MaterializedView):
            created = moment(relation.created_ms)
            is_creating = relation.status is JobStatus.CREATING
            yield {
                **_head(snapshot, relation),
                "schema_name": relation.schema,
                "append_only": False,
                "initialized_at": created,
                "created_at": None if is_creating else created,
                "background_ddl": relation.is_background,
                **_versions(relation),
                "status": relation.status.value,
                "refresh_interval_sec": relation.refresh_interval_s,
                "error": relation.error,
                "is_paused": relation.oid in paused,
                "paused_by": relation.paused_by,
            }


def _relations(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.catalog.in_order():
        yield {**_head(snapshot, relation), "relation_type": kind_name(relation)}


def _columns(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        key = relation.primary_key if isinstance(relation, Table) else ()
        for position, column in enumerate(relation.columns, 1):
            is_key = column.number in key
            yield {
                "relation_id": relation.oid,
                "name": column.name,
                "position": position,
                "is_hidden": False,
                "is_primary_key": is_key,
                "is_distribution_key": is_key,
                "is_generated": column.generated is not None,
                "generation_expression": column.generated_source,
                "is_nullable": not is_key and column.is_nullable,
                "data_type": column.type.display(),
                "type_oid": column.type.oid,
                "type_len": column.type.size,
                "udt_type": column.type.name,
            }
        if isinstance(relation, Table) and not key:
            yield {
                "relation_id": relation.oid,
                "name": ROW_ID,
                "position": len(relation.columns) + 1,
                "is_hidden": True,
                "is_primary_key": True,
                "is_distribution_key": True,
                "is_generated": False,
                "is_nullable": False,
                "data_type": INT8.sql_name,
                "type_oid": INT8.oid,
                "type_len": INT8.size,
                "udt_type": INT8.name,
            }


def _dependencies(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.catalog.in_order():
        if not isinstance(relation, Table):
            for read in sorted(relation.depends_on):
                yield {"objid": relation.oid, "refobjid": read}
        for used in used_secrets(relation):
            yield {"objid": relation.oid, "refobjid": used.secret}


def _types(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    for pg_type in all_types():
        yield {
            "id": pg_type.oid,
            "name": pg_type.sql_name,
            "input_oid": pg_type.oid,
            "typelem": 0 if pg_type.element is None else pg_type.element.oid,
            "typarray": pg_type.array_oid,
        }


def _streaming_jobs(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, MaterializedView):
            yield {
                "id": relation.oid,
                "name": relation.name,
                "database_id": snapshot.catalog.database_oid,
                "status": relation.status.value,
                "parallelism": "adaptive",
                "max_parallelism": 1,
                "resource_group": "default",
            }


RELATIONS: Final = (
    rw_relation(
        14101, "rw_schemas", "id integer, name varchar, owner integer, acl varchar[]", _schemas
    ),
    rw_relation(
        14102,
        "rw_tables",
        "id integer, name varchar, schema_id integer, owner integer, definition varchar, "
        "append_only boolean, refreshable boolean, acl varchar[], initialized_at timestamptz, "
        "created_at timestamptz, initialized_at_cluster_version varchar, "
        "created_at_cluster_version varchar",
        _tables,
    ),
    rw_relation(
        14103,
        "rw_views",
        "id integer, name varchar, schema_id integer, owner integer, definition varchar, "
        "acl varchar[], created_at timestamptz, created_at_cluster_version varchar",
        _views,
    ),
    rw_relation(
        14104,
        "rw_materialized_views",
        "id integer, name varchar, schema_id integer, schema_name varchar, owner integer, "
        "definition varchar, append_only boolean, acl varchar[], initialized_at timestamptz, "
        "created_at timestamptz, initialized_at_cluster_version varchar, "
        "created_at_cluster_version varchar, background_ddl boolean, status varchar, "
        "refresh_interval_sec integer, error varchar, is_paused boolean, paused_by varchar",
        _materialized_views,
    ),
    rw_relation(
        14105,
        "rw_relations",
        "id integer, name varchar, relation_type varchar, schema_id integer, owner integer, "
        "definition varchar, acl varchar[]",
        _relations,
    ),
    rw_relation(
        14106,
        "rw_columns",
        "relation_id integer, name varchar, position integer, is_hidden boolean, "
        "is_primary_key boolean, is_distribution_key boolean, is_generated boolean, "
        "is_nullable boolean, generation_expression varchar, data_type varchar, "
        "type_oid integer, type_len smallint, udt_type varchar",
        _columns,
    ),
    rw_relation(14107, "rw_depend", "objid integer, refobjid integer", _dependencies),
    rw_relation(
        14108,
        "rw_types",
        "id integer, name varchar, input_oid integer, typelem integer, typarray integer",
        _types,
    ),
    rw_relation(
        14109,
        "rw_streaming_jobs",
        "id integer, name varchar, database_id integer, status varchar, parallelism varchar, "
        "max_parallelism integer, resource_group varchar",
        _streaming_jobs,
    ),
)
