"""What PostgreSQL counts of relations and databases: pg_stat_*, as far as it is known here.

Here nobody counts reads of relations; how many rows there are is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from catalog.relation import Relation, View
from catalog.system.constraint import key_index_oid, key_name, keyed_tables
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot

_TABLE_COUNTS: Final = (
    *("seq_scan", "seq_tup_read", "idx_scan", "idx_tup_fetch", "n_tup_ins", "n_tup_upd"),
    *("n_tup_del", "n_tup_hot_upd", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum"),
    *("vacuum_count", "autovacuum_count", "analyze_count", "autoanalyze_count"),
)
_BLOCK_COUNTS: Final = (
    *("heap_blks_read", "heap_blks_hit", "idx_blks_read", "idx_blks_hit"),
    *("toast_blks_read", "toast_blks_hit", "tidx_blks_read", "tidx_blks_hit"),
)
_DATABASE_COUNTS: Final = (
    *("xact_commit", "xact_rollback", "blks_read", "blks_hit", "tup_returned", "tup_fetched"),
    *("tup_inserted", "tup_updated", "tup_deleted", "conflicts", "temp_files", "temp_bytes"),
    *("deadlocks", "blk_read_time", "blk_write_time", "session_time", "active_time"),
    *("idle_in_transaction_time", "sessions", "sessions_abandoned", "sessions_fatal"),
    "sessions_killed",
)


def _stored(snapshot: Snapshot) -> Iterator[tuple[Relation, Row]]:
    for relation in snapshot.relations():
        if not isinstance(relation, View):
            head: Row = {
                "relid": relation.oid,
                "schemaname": relation.schema,
                "relname": relation.name,
            }
            yield relation, head


def _tables(snapshot: Snapshot) -> Iterator[Row]:
    for relation, head in _stored(snapshot):
        rows = snapshot.rows_of(relation.oid)
        yield {**head, **dict.fromkeys(_TABLE_COUNTS, 0), "n_live_tup": rows}


def _blocks(snapshot: Snapshot) -> Iterator[Row]:
    for _, head in _stored(snapshot):
        yield {**head, **dict.fromkeys(_BLOCK_COUNTS, 0)}


def _indexes(snapshot: Snapshot, *, counts: tuple[str, ...]) -> Iterator[Row]:
    for table in keyed_tables(snapshot):
        yield {
            "relid": table.oid,
            "indexrelid": key_index_oid(table),
            "schemaname": table.schema,
            "relname": table.name,
            "indexrelname": key_name(table),
            **dict.fromkeys(counts, 0),
        }


def _databases(snapshot: Snapshot) -> Iterator[Row]:
    sessions = list(snapshot.sessions())
    for database in snapshot.databases:
        yield {
            "datid": database.oid,
            "datname": database.name,
            "numbackends": sum(session.database == database.name for session in sessions),
            **dict.fromkeys(_DATABASE_COUNTS, 0),
        }


_index_scans = partial(_indexes, counts=("idx_scan", "idx_tup_read", "idx_tup_fetch"))
_index_blocks = partial(_indexes, counts=("idx_blks_read", "idx_blks_hit"))

#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_stat_all_tables": _tables,
    "pg_stat_user_tables": _tables,
    "pg_statio_all_tables": _blocks,
    "pg_statio_user_tables": _blocks,
    "pg_stat_all_indexes": _index_scans,
    "pg_stat_user_indexes": _index_scans,
    "pg_statio_all_indexes": _index_blocks,
    "pg_statio_user_indexes": _index_blocks,
    "pg_stat_database": _databases,
}
