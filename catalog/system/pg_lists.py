"""The readable lists of relations: pg_tables, pg_views, pg_matviews, pg_indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.relation import JobStatus, MaterializedView, Table, View
from catalog.system.pg_class import key_name, keyed_tables
from catalog.system.relation import Row, no_rows, pg_relation
from catalog.system.snapshot import Snapshot


def _tables(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, Table):
            yield {
                "schemaname": relation.schema,
                "tablename": relation.name,
                "tableowner": relation.owner,
                "hasindexes": bool(relation.primary_key),
                "hasrules": False,
                "hastriggers": False,
                "rowsecurity": False,
            }


def _views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, View):
            yield {
                "schemaname": relation.schema,
                "viewname": relation.name,
                "viewowner": relation.owner,
                "definition": relation.definition,
            }


def _materialized_views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, MaterializedView):
            yield {
                "schemaname": relation.schema,
                "matviewname": relation.name,
                "matviewowner": relation.owner,
                "hasindexes": False,
                "ispopulated": relation.status is not JobStatus.CREATING,
                "definition": relation.definition,
            }


def _indexes(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        by_number = {column.number: column.name for column in table.columns}
        columns = ", ".join(by_number[number] for number in table.primary_key)
        yield {
            "schemaname": table.schema,
            "tablename": table.name,
            "indexname": key_name(table),
            "indexdef": f"CREATE UNIQUE INDEX {key_name(table)} "
            f"ON {table.schema}.{table.name} USING btree ({columns})",
        }


RELATIONS: Final = (
    pg_relation(
        12033,
        "pg_tables",
        "schemaname name, tablename name, tableowner name, tablespace name, hasindexes "
        "boolean, hasrules boolean, hastriggers boolean, rowsecurity boolean",
        _tables,
        "v",
    ),
    pg_relation(
        12028,
        "pg_views",
        "schemaname name, viewname name, viewowner name, definition text",
        _views,
        "v",
    ),
    pg_relation(
        12038,
        "pg_matviews",
        "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes "
        "boolean, ispopulated boolean, definition text",
        _materialized_views,
        "v",
    ),
    pg_relation(
        12043,
        "pg_indexes",
        "schemaname name, tablename name, indexname name, tablespace name, indexdef text",
        _indexes,
        "v",
    ),
    pg_relation(
        12161,
        "pg_stat_user_tables",
        "relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, "
        "idx_scan bigint, idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del "
        "bigint, n_tup_hot_upd bigint, n_live_tup bigint, n_dead_tup bigint, "
        "n_mod_since_analyze bigint, n_ins_since_vacuum bigint, last_vacuum timestamp with "
        "time zone, last_autovacuum timestamp with time zone, last_analyze timestamp with "
        "time zone, last_autoanalyze timestamp with time zone, vacuum_count bigint, "
        "autovacuum_count bigint, analyze_count bigint, autoanalyze_count bigint",
        no_rows,
        "v",
    ),
)
