"""The readable lists of relations: pg_tables, pg_views, pg_matviews, pg_indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.definition import index_definition, key_definition
from catalog.relation import JobStatus, MaterializedView, Table, View
from catalog.system.constraint import key_name, keyed_tables
from catalog.system.pg_index import indexes
from catalog.system.query_text import query_text
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot


def _tables(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, Table):
            yield {
                "schemaname": relation.schema,
                "tablename": relation.name,
                "tableowner": relation.owner,
                "hasindexes": bool(relation.primary_key or relation.indexes),
                "hasrules": False,
                "hastriggers": bool(
                    relation.foreign_keys or snapshot.catalog.referring(relation.oid)
                ),
                "rowsecurity": False,
            }


def _views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, View):
            yield {
                "schemaname": relation.schema,
                "viewname": relation.name,
                "viewowner": relation.owner,
                "definition": f"{query_text(relation.definition)};",
            }


def _materialized_views(snapshot: Snapshot) -> Iterator[Row]:
    for relation in snapshot.relations():
        if isinstance(relation, MaterializedView):
            yield {
                "schemaname": relation.schema,
                "matviewname": relation.name,
                "matviewowner": relation.owner,
                "hasindexes": bool(relation.indexes),
                "ispopulated": relation.status is not JobStatus.CREATING,
                "definition": f"{query_text(relation.definition)};",
            }


def _indexes(snapshot: Snapshot) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        yield {
            "schemaname": table.schema,
            "tablename": table.name,
            "indexname": key_name(table),
            "indexdef": key_definition(table),
        }
    for relation, index in indexes(snapshot):
        yield {
            "schemaname": relation.schema,
            "tablename": relation.name,
            "indexname": index.name,
            "indexdef": index_definition(relation, index),
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_tables": _tables,
    "pg_views": _views,
    "pg_matviews": _materialized_views,
    "pg_indexes": _indexes,
}
