"""rw_catalog: what the peer lists beside relations and databases.

Much of it is of things that there are none of here (sources, actors, a storage of its own);
tools that look for them find nothing instead of failing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from catalog.acl import shown
from catalog.connector import SecretOption
from catalog.definition import subscription_definition
from catalog.index import Index
from catalog.relation import (
    MaterializedView,
    Relation,
    Rowless,
    Sink,
    Source,
    Subscription,
    Table,
    View,
)
from catalog.roles import may_see
from catalog.secret import may_use
from catalog.system.catalog_oid import PG_CLASS
from catalog.system.pg_description import ROWS
from catalog.system.pg_index import indexes
from catalog.system.relation import Make, Row, SystemRelation, rw_relation, shaped
from catalog.system.snapshot import Snapshot, moment

#: Of rw_secrets, which stands for what secrets are in rw_description.
_SECRETS_OID: Final = 14146


def _recovery(snapshot: Snapshot) -> Iterator[Row]:
    for database in snapshot.databases:
        yield {
            "database_id": database.oid,
            "database_name": database.name,
            "recovery_state": "RUNNING",
            "in_global_running": True,
            "in_global_recovering": False,
        }


def _workers(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    yield {
        "id": 1,
        "type": "WORKER_TYPE_COMPUTE_NODE",
        "state": "RUNNING",
        "parallelism": 1,
        "is_streaming": True,
        "is_serving": True,
        "resource_group": "default",
        "is_iceberg_compactor": False,
    }


def _streaming_jobs(snapshot: Snapshot) -> Iterator[tuple[Relation | Index, str, str]]:
    """Yield what is kept up to date, with its schema and what is said in CREATE of it."""
    kinds = {Table: "table", MaterializedView: "mv", Sink: "sink"}
    for relation in (*snapshot.relations(), *snapshot.sinks()):
        kind = kinds.get(type(relation))
        if kind is not None:
            yield relation, relation.schema, kind
        for index in () if isinstance(relation, View | Rowless | Source) else relation.indexes:
            yield index, relation.schema, "index"


def _fragments(snapshot: Snapshot) -> Iterator[Row]:
    """Give each job as the one piece that it is here."""
    for job, _, _ in _streaming_jobs(snapshot):
        yield {
            "fragment_id": job.oid,
            "table_id": job.oid,
            "distribution_type": "SINGLE",
            "state_table_ids": [job.oid],
            "upstream_fragment_ids": sorted(getattr(job, "depends_on", ())),
            "flags": [],
            "parallelism": 1,
            "max_parallelism": 1,
            "parallelism_policy": "inherit(adaptive)",
        }


def _fragment_names(snapshot: Snapshot) -> Iterator[Row]:
    for job, schema, kind in _streaming_jobs(snapshot):
        yield {
            "fragment_id": job.oid,
            "job_id": job.oid,
            "schema_id": snapshot.schema_oid(schema),
            "ddl_type": kind,
            "name": job.name,
        }


def _job_configs(snapshot: Snapshot) -> Iterator[Row]:
    """Give what jobs are configured with to who may see them."""
    database = snapshot.catalog.database_oid
    for held in snapshot.catalog.in_order():
        if isinstance(held, View | Subscription) or not may_see(snapshot.access, held):
            continue
        jobs = [held] if isinstance(held, Source | Sink) else [held, *held.indexes]
        for job in jobs:
            for key, value in job.config:
                yield {
                    "id": job.oid,
                    "name": job.name,
                    "database_id": database,
                    "key": key,
                    "value": value,
                }


def _refreshes(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, MaterializedView) and relation.refresh_interval_s is not None:
            yield {
                "table_id": relation.oid,
                "current_status": "IDLE",
                "trigger_interval_secs": relation.refresh_interval_s,
            }


def _subscriptions(snapshot: Snapshot) -> Iterator[Row]:
    for subscription in snapshot.subscriptions():
        created, version = moment(subscription.created_ms), subscription.created_by or None
        yield {
            "id": subscription.oid,
            "name": subscription.name,
            "schema_id": snapshot.schema_oid(subscription.schema),
            "schema_name": subscription.schema,
            "owner": snapshot.user_oid(subscription.owner),
            "definition": subscription_definition(
                subscription, snapshot.catalog.relations[subscription.source]
            ),
            "retention_seconds": subscription.retention_ms // 1000,
            "acl": list(map(str, subscription.acl or ())),
            "initialized_at": created,
            "created_at": created,
            "initialized_at_cluster_version": version,
            "created_at_cluster_version": version,
        }


def _named(used: Iterable[SecretOption]) -> dict[str, dict[str, str]]:
    """Return options whose values are secrets, with the names of these."""
    return {option.name: {"secret": option.shown} for option in used}


def _secrets(snapshot: Snapshot) -> Iterator[Row]:
    """Give secrets, but not their values, to who may use them."""
    for secret in snapshot.catalog.secrets.values():
        if may_use(snapshot.access, secret):
            yield {
                "id": secret.oid,
                "name": secret.name,
                "schema_id": snapshot.schema_oid(secret.schema),
                "owner": snapshot.user_oid(secret.owner),
                "acl": list(shown(secret.acl) or ()),
            }


def _descriptions(snapshot: Snapshot) -> Iterator[Row]:
    """Give what people have said of objects, of those too that PostgreSQL does not know."""
    yield from ROWS["pg_description"](snapshot)
    catalog = snapshot.catalog
    rowless: list[Rowless] = [*snapshot.sinks(), *snapshot.subscriptions()]
    for relation in rowless:
        said = [(0, relation.comment)]
        said += [(column.number, column.comment) for column in relation.columns]
        for number, text in said:
            if text is not None:
                row = {"objoid": relation.oid, "classoid": PG_CLASS, "objsubid": number}
                yield {**row, "description": text}
    for secret in catalog.secrets.values():
        if secret.comment is not None and may_use(snapshot.access, secret):
            row = {"objoid": secret.oid, "classoid": _SECRETS_OID, "objsubid": 0}
            yield {**row, "description": secret.comment}


def _sinks(snapshot: Snapshot) -> Iterator[Row]:
    relations = snapshot.catalog.relations
    for sink in snapshot.sinks():
        created, version = moment(sink.created_ms), sink.created_by or None
        yield {
            "id": sink.oid,
            "name": sink.name,
            "schema_id": snapshot.schema_oid(sink.schema),
            "owner": snapshot.user_oid(sink.owner),
            "connector": sink.connector,
            "sink_type": sink.sink_type.upper().replace("-", "_"),
            "target_table_name": target.name if (target := relations.get(sink.target)) else None,
            "definition": sink.definition,
            "acl": [],
            "initialized_at": created,
            "created_at": created,
            "initialized_at_cluster_version": version,
            "created_at_cluster_version": version,
            "background_ddl": sink.is_background,
            "connector_props": json.dumps(dict(sink.properties)),
        }


def _sources(snapshot: Snapshot) -> Iterator[Row]:
    """Give the sources, and the tables that have a connector, to who may see them."""
    for held in snapshot.catalog.in_order():
        if not isinstance(held, Source | Table) or held.connector is None:
            continue
        if not may_see(snapshot.access, held):
            continue
        connector = held.connector
        created, version = moment(held.created_ms), held.created_by or None
        options = {**dict(connector.options), **_named(connector.secrets)}
        yield {
            "id": held.oid,
            "name": held.name,
            "schema_id": snapshot.schema_oid(held.schema),
            "owner": snapshot.user_oid(held.owner),
            "connector": connector.name,
            "columns": [column.name for column in held.columns],
            "format": connector.format or "NATIVE",
            "row_encode": connector.encode or "NATIVE",
            "append_only": isinstance(held, Source) or held.is_append_only or not held.primary_key,
            "associated_table_id": held.oid if isinstance(held, Table) else None,
            "definition": held.definition,
            "acl": list(shown(held.acl) or ()),
            "initialized_at": created,
            "created_at": created,
            "initialized_at_cluster_version": version,
            "created_at_cluster_version": version,
            "is_shared": False,
            "connector_props": json.dumps({"connector": connector.name, **options}),
            "format_encode_options": "{}",
        }


def _indexes(snapshot: Snapshot) -> Iterator[Row]:
    for relation, index in indexes(snapshot):
        yield {
            "id": index.oid,
            "name": index.name,
            "primary_table_id": relation.oid,
            "key_columns": [key.column for key in index.keys],  # 0 is an expression.
            "include_columns": list(index.include),
            "schema_id": snapshot.schema_oid(relation.schema),
            "owner": snapshot.user_oid(relation.owner),
            "definition": index.definition,
            "acl": [],
            "background_ddl": False,
        }


def system_tables(system: list[SystemRelation]) -> SystemRelation:
    """Return rw_system_tables, which lists the relations given, itself among them."""

    def rows(snapshot: Snapshot) -> Iterator[Row]:
        for relation in system:
            yield {
                "id": relation.oid,
                "name": relation.name,
                "schema_id": snapshot.schema_oid(relation.schema),
                "owner": snapshot.user_oid("root"),
                "acl": [],
            }

    columns = (
        "id integer, name varchar, schema_id integer, owner integer, definition varchar, "
        "acl varchar[]"
    )
    return rw_relation(14180, "rw_system_tables", columns, rows)


#: As in ``catalog.system.shape_tables``.
_SHAPES: Final = """
14140 rw_sources id integer, name varchar, schema_id integer, owner integer, connector varchar,
  columns varchar[], format varchar, row_encode varchar, append_only boolean, associated_table_id
  integer, connection_id integer, definition varchar, acl varchar[], initialized_at timestamptz,
  created_at timestamptz, initialized_at_cluster_version varchar, created_at_cluster_version
  varchar, is_shared boolean, connector_props jsonb, format_encode_options jsonb
14141 rw_sinks id integer, name varchar, schema_id integer, owner integer, connector varchar,
  sink_type varchar, connection_id integer, definition varchar, target_table_name varchar, acl
  varchar[], initialized_at timestamptz, created_at timestamptz, initialized_at_cluster_version
  varchar, created_at_cluster_version varchar, background_ddl boolean, connector_props jsonb,
  format_encode_options jsonb
14142 rw_indexes id integer, name varchar, primary_table_id integer, key_columns smallint[],
  include_columns smallint[], schema_id integer, owner integer, definition varchar, acl varchar[],
  initialized_at timestamptz, created_at timestamptz, initialized_at_cluster_version varchar,
  created_at_cluster_version varchar, background_ddl boolean
14143 rw_subscriptions id integer, name varchar, schema_id integer, schema_name varchar, owner
  integer, definition varchar, retention_seconds bigint, acl varchar[], initialized_at
  timestamptz, created_at timestamptz, initialized_at_cluster_version varchar,
  created_at_cluster_version varchar
14144 rw_functions id integer, name varchar, schema_id integer, owner integer, type varchar,
  arg_type_ids integer[], return_type_id integer, language varchar, link varchar, acl varchar[],
  always_retry_on_network_error boolean, created_at timestamptz, created_at_cluster_version
  varchar
14145 rw_connections id integer, name varchar, schema_id integer, owner integer, type varchar,
  provider varchar, acl varchar[], connection_params varchar
14146 rw_secrets id integer, name varchar, schema_id integer, owner integer, acl varchar[]
14147 rw_fragments fragment_id integer, table_id integer, distribution_type varchar,
  state_table_ids integer[], upstream_fragment_ids integer[], flags varchar[], parallelism
  integer, max_parallelism integer, parallelism_policy varchar
14148 rw_actors actor_id integer, fragment_id integer, worker_id integer, state varchar
14149 rw_rate_limit fragment_id integer, fragment_type varchar[], node_name varchar, table_id
  integer, rate_limit integer
14150 rw_internal_tables id integer, name varchar, schema_id integer, owner integer, definition
  varchar, acl varchar[]
14151 rw_description objoid integer, classoid integer, objsubid integer, description varchar
14152 rw_table_stats id integer, total_key_count bigint, total_key_size bigint, total_value_size
  bigint
14153 rw_table_fragments table_id integer, status varchar, parallelism varchar, max_parallelism
  integer
14154 rw_streaming_parallelism id integer, name varchar, relation_type varchar, fragment_id
  integer, parallelism integer
14155 rw_fragment_id_to_ddl fragment_id integer, job_id integer, schema_id integer, ddl_type
  varchar, name varchar
14156 rw_streaming_job_config id integer, name varchar, database_id integer, key varchar, value
  varchar
14160 rw_recovery_info database_id integer, database_name varchar, recovery_state varchar,
  last_database_event varchar, last_global_event varchar, in_global_running boolean,
  in_global_recovering boolean
14161 rw_worker_nodes id integer, host varchar, port varchar, type varchar, state varchar,
  parallelism integer, is_streaming boolean, is_serving boolean, internal_rpc_host_addr varchar,
  rw_version varchar, memory bigint, cores bigint, started_at timestamptz, resource_group varchar,
  is_iceberg_compactor boolean
14162 rw_refresh_table_state table_id integer, current_status varchar, last_trigger_time varchar,
  last_success_time varchar, trigger_interval_secs bigint
"""

_ROWS: Final[dict[str, Make]] = {
    "rw_recovery_info": _recovery,
    "rw_worker_nodes": _workers,
    "rw_refresh_table_state": _refreshes,
    "rw_fragments": _fragments,
    "rw_streaming_job_config": _job_configs,
    "rw_fragment_id_to_ddl": _fragment_names,
    "rw_description": _descriptions,
    "rw_secrets": _secrets,
    "rw_sinks": _sinks,
    "rw_subscriptions": _subscriptions,
    "rw_sources": _sources,
    "rw_indexes": _indexes,
}

RELATIONS: Final = tuple(shaped(_SHAPES, "rw_catalog", _ROWS, are_tables=True))
