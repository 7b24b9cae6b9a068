"""Relations and schemas as JSON text, the form in which a database keeps them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from catalog import acl
from catalog.connector import Connector, SecretOption
from catalog.constraint import Action, ForeignKey
from catalog.index import Index, IndexKey
from catalog.job_config import JobConfig
from catalog.oid import INVALID_OID, Oid
from catalog.relation import (
    Check,
    Column,
    DefaultPrivileges,
    JobStatus,
    KeyConflict,
    MaterializedView,
    Mirror,
    PastLayout,
    Relation,
    Schema,
    Sink,
    Source,
    SourceReader,
    Subscription,
    Table,
    View,
)
from catalog.type_encoding import decode, encode
from catalog.watermark import Watermark


def encode_relation(relation: Relation) -> str:
    """Return what ``decode_relation`` needs to make the relation again."""
    described: dict[str, Any] = {
        "oid": relation.oid,
        "schema": relation.schema,
        "name": relation.name,
        "owner": relation.owner,
        "columns": [_encode_column(column) for column in relation.columns],
        "definition": relation.definition,
        "created_ms": relation.created_ms,
        "created_by": relation.created_by,
        "comment": relation.comment,
        "acl": acl.encode(relation.acl),
    }
    match relation:
        case Table():
            described |= _encode_table(relation)
        case View():
            described |= {
                "kind": "view",
                **_encode_query(relation),
                "base": relation.base,
                "origins": relation.origins,
                "obstacle": relation.obstacle,
                "check_option": relation.check_option,
                "is_invoker": relation.is_invoker,
            }
        case Sink():
            described |= {
                "kind": "sink",
                **_encode_job(relation),
                "connector": relation.connector,
                "sink_type": relation.sink_type,
                "properties": relation.properties,
                "target": relation.target,
                "target_columns": relation.target_columns,
                "is_appending": relation.is_appending,
                "ignores_delete": relation.ignores_delete,
                "skips_snapshot": relation.skips_snapshot,
            }
        case Subscription():
            described |= _encode_subscription(relation)
        case Source():
            described |= {
                "kind": "source",
                "connector": asdict(relation.connector),
                "watermark": None if relation.watermark is None else asdict(relation.watermark),
                "config": relation.config,
            }
        case MaterializedView():
            described |= {"kind": "materialized view", **_encode_job(relation)}
    return json.dumps(described)


def _encode_job(job: MaterializedView | Sink) -> dict[str, Any]:
    return {
        **_encode_query(job),
        "status": job.status,
        "refresh_interval_s": job.refresh_interval_s,
        "refreshed_epoch": job.refreshed_epoch,
        "is_background": job.is_background,
        "is_strict": job.is_strict,
        "time_zone": job.time_zone,
        "uses_snapshot": job.uses_snapshot,
        "backfill_rate_limit": job.backfill_rate_limit,
        "error": job.error,
        "indexes": [asdict(index) for index in job.indexes],
        "is_standing": job.is_standing,
        "paused_by": job.paused_by,
        "paused_ms": job.paused_ms,
        "readers": job.readers,
        "config": job.config,
    }


def _encode_table(relation: Table) -> dict[str, Any]:
    return {
        "kind": "table",
        **_encode_source(relation),
        "primary_key": relation.primary_key,
        "columns_made": relation.columns_made,
        "checks": [asdict(check) for check in relation.checks],
        "on_conflict": relation.on_conflict,
        "version_columns": relation.version_columns,
        "is_append_only": relation.is_append_only,
        "indexes": [asdict(index) for index in relation.indexes],
        "foreign_keys": [asdict(key) for key in relation.foreign_keys],
        "key_name": relation.key_name,
        "storage_parameters": relation.storage_parameters,
        "key_comment": relation.key_comment,
        "key_index_comment": relation.key_index_comment,
        "retention_s": relation.retention_s,
        "watermark": None if relation.watermark is None else asdict(relation.watermark),
        "connector": None if relation.connector is None else asdict(relation.connector),
        "config": relation.config,
    }


def decode_relation(text: str) -> Relation:
    """Return the relation that ``encode_relation`` described."""
    described: dict[str, Any] = json.loads(text)
    kind = described.pop("kind")
    described["oid"] = Oid(described["oid"])
    described["acl"] = acl.decode(described.get("acl"))  # There was none in older versions.
    described["columns"] = tuple(_decode_column(column) for column in described["columns"])
    if kind == "table":
        described["primary_key"] = tuple(described["primary_key"])
        # What came later is not in a database that an older version wrote.
        described["checks"] = tuple(
            Check(**{**check, "columns": tuple(check["columns"])})
            for check in described.get("checks", ())
        )
        described["on_conflict"] = KeyConflict(described.get("on_conflict", KeyConflict.OVERWRITE))
        described["version_columns"] = tuple(described.get("version_columns", ()))
        described["indexes"] = _decode_indexes(described)
        described["foreign_keys"] = tuple(
            _decode_foreign_key(key) for key in described.get("foreign_keys", ())
        )
        described["storage_parameters"] = tuple(described.get("storage_parameters", ()))
        described["watermark"] = _decode_watermark(described.get("watermark"))
        described["connector"] = _decode_connector(described.get("connector"))
        described["config"] = _decode_config(described)
        if "source" not in described:
            return Table(**described)
        described |= {key: Oid(described[key]) for key in ("source_database", "source")}
        return Mirror(**described)
    if kind == "source":
        described["connector"] = _decode_connector(described["connector"])
        described["config"] = _decode_config(described)
        described["watermark"] = _decode_watermark(described["watermark"])
        return Source(**described)
    described["depends_on"] = frozenset(Oid(oid) for oid in described["depends_on"])
    described["functions"] = frozenset(Oid(oid) for oid in described.get("functions", ()))
    if kind == "view":
        described["base"] = Oid(described.get("base", INVALID_OID))
        described["origins"] = tuple(described.get("origins", ()))
        return View(**described)
    if kind == "subscription":
        described["layouts"] = tuple(map(_decode_layout, described["layouts"]))
        return Subscription(**described)
    described["status"] = JobStatus(described.get("status", JobStatus.CREATED))
    described["indexes"] = _decode_indexes(described)
    described["config"] = _decode_config(described)
    described["readers"] = tuple(map(_decode_reader, described.get("readers", ())))
    if kind == "sink":
        described["properties"] = tuple((name, text) for name, text in described["properties"])
        described["target"] = Oid(described.get("target", INVALID_OID))
        described["target_columns"] = tuple(described.get("target_columns", ()))
        return Sink(**described)
    return MaterializedView(**described)


def _decode_config(described: dict[str, Any]) -> JobConfig:
    """Return what a job is configured with; in older versions there was none."""
    return tuple((key, value) for key, value in described.get("config", ()))


def _decode_reader(described: list[int]) -> SourceReader:
    """Return what keeps the rows of a source; in older versions it had all of its columns."""
    source, oid, *rest = described
    last = rest[0] if rest else 1 << 15
    return SourceReader(Oid(source), Oid(oid), last, *map(bool, rest[1:]))


def _decode_secrets(described: dict[str, Any]) -> tuple[SecretOption, ...]:
    """Return which options are secrets; in older versions there were none."""
    found = described.get("secrets", ())
    return tuple(SecretOption(name, Oid(oid), shown) for name, oid, shown in found)


def _decode_watermark(described: dict[str, Any] | None) -> Watermark | None:
    if described is None:
        return None
    return Watermark(**{**described, "columns": tuple(described["columns"])})


def _decode_connector(described: dict[str, Any] | None) -> Connector | None:
    if described is None:
        return None
    options = tuple((name, text) for name, text in described["options"])
    return Connector(**{**described, "options": options, "secrets": _decode_secrets(described)})


def encode_schema(schema: Schema) -> str:
    """Return what ``decode_schema`` needs to make the schema again."""
    return json.dumps(
        {
            "oid": schema.oid,
            "name": schema.name,
            "owner": schema.owner,
            "comment": schema.comment,
            "acl": acl.encode(schema.acl),
        }
    )


def decode_schema(text: str) -> Schema:
    """Return the schema that ``encode_schema`` described."""
    described = json.loads(text)
    return Schema(
        Oid(described["oid"]),
        described["name"],
        described["owner"],
        described.get("comment"),
        acl.decode(described.get("acl")),
    )


def _decode_indexes(described: dict[str, Any]) -> tuple[Index, ...]:
    return tuple(
        Index(
            **{
                **index,
                "oid": Oid(index["oid"]),
                "keys": tuple(
                    IndexKey(**{**key, "columns": tuple(key["columns"])}) for key in index["keys"]
                ),
                "include": tuple(index["include"]),
                "condition_columns": tuple(index.get("condition_columns", ())),
                "constraint": Oid(index.get("constraint", INVALID_OID)),
                "config": _decode_config(index),
            }
        )
        for index in described.get("indexes", ())
    )


def _decode_foreign_key(described: dict[str, Any]) -> ForeignKey:
    numbers = ("columns", "target_columns", "set_columns")
    oids = ("oid", "target", "key")
    return ForeignKey(
        **{
            **described,
            **{name: tuple(described[name]) for name in numbers},
            **{name: Oid(described[name]) for name in oids},
            "on_update": Action(described["on_update"]),
            "on_delete": Action(described["on_delete"]),
        }
    )


def encode_default(default: DefaultPrivileges) -> str:
    """Return what ``decode_default`` needs to make the default privileges again."""
    return json.dumps(
        {
            "role": default.role,
            "schema": default.schema,
            "kind": default.kind,
            "acl": acl.encode(default.acl),
            "relation": default.relation,
        }
    )


def decode_default(text: str) -> DefaultPrivileges:
    """Return the default privileges that ``encode_default`` described."""
    described = json.loads(text)
    return DefaultPrivileges(
        described["role"],
        described["schema"],
        acl.Kind(described["kind"]),
        acl.decode(described["acl"]) or (),
        described.get("relation", ""),
    )


def _encode_query(relation: View | MaterializedView | Sink) -> dict[str, Any]:
    return {
        "query": relation.query,
        "depends_on": sorted(relation.depends_on),
        "functions": sorted(relation.functions),
    }


def _encode_column(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": encode(column.type),
        "number": column.number,
        "is_nullable": column.is_nullable,
        "default": column.default,
        "default_source": column.default_source,
        "generated": column.generated,
        "generated_source": column.generated_source,
        "comment": column.comment,
        "acl": acl.encode(column.acl),
        "identity": column.identity,
        "collation": column.collation,
    }


def _encode_source(table: Table) -> dict[str, Any]:
    if not isinstance(table, Mirror):
        return {}
    return {"source_database": table.source_database, "source": table.source}


def _encode_subscription(subscription: Subscription) -> dict[str, Any]:
    return {
        "kind": "subscription",
        "depends_on": sorted(subscription.depends_on),
        "retention": subscription.retention,
        "retention_ms": subscription.retention_ms,
        "since_epoch": subscription.since_epoch,
        "layouts": [_encode_layout(layout) for layout in subscription.layouts],
    }


def _encode_layout(layout: PastLayout) -> dict[str, Any]:
    columns = [_encode_column(column) for column in layout.columns]
    return {"upto": layout.upto, "columns": columns, "key": layout.key}


def _decode_layout(described: dict[str, Any]) -> PastLayout:
    columns = tuple(_decode_column(column) for column in described["columns"])
    return PastLayout(described["upto"], columns, tuple(described["key"]))


def _decode_column(described: dict[str, Any]) -> Column:
    pg_type, granted = decode(described["type"]), acl.decode(described.get("acl")) or ()
    return Column(**{**described, "type": pg_type, "acl": granted})
