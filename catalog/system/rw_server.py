"""rw_catalog: databases, users, jobs that are not finished, and what happened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.system.relation import Row, rw_relation
from catalog.system.snapshot import Snapshot, moment


def _databases(snapshot: Snapshot) -> Iterator[Row]:
    for database in snapshot.databases:
        yield {
            "id": database.oid,
            "name": database.name,
            "owner": snapshot.user_oid(database.owner),
            "acl": [],
            "resource_group": "default",
            "barrier_interval_ms": database.barrier_interval_ms,
            "checkpoint_frequency": database.checkpoint_frequency,
            "is_paused": database.is_paused,
        }


def _users(snapshot: Snapshot) -> Iterator[Row]:
    for user in snapshot.users:
        yield {
            "id": user.oid,
            "name": user.name,
            "is_super": user.is_superuser,
            "create_db": user.can_create_database,
            "create_user": user.can_create_user,
            "can_login": user.can_login,
            "is_admin": user.is_superuser,
        }


def _ddl_progress(snapshot: Snapshot) -> Iterator[Row]:
    for job in snapshot.jobs():
        yield {
            "ddl_id": job.oid,
            "ddl_statement": job.statement,
            "create_type": "BACKGROUND" if job.is_background else "FOREGROUND",
            "progress": job.progress,
            "initialized_at": moment(job.created_ms),
            "is_serverless_backfill": False,
            "backfill_type": (
                "SNAPSHOT_BACKFILL" if job.uses_snapshot_backfill else "NORMAL_BACKFILL"
            ),
        }


def _event_logs(snapshot: Snapshot) -> Iterator[Row]:
    for event in snapshot.events():
        yield {
            "unique_id": event.unique_id,
            "timestamp": moment(event.timestamp_ms),
            "event_type": event.event_type,
            "info": event.info,
        }


def _epochs(snapshot: Snapshot) -> Iterator[Row]:
    for entry in snapshot.epochs():
        yield {
            "epoch": entry.epoch,
            "committed_at": moment(entry.committed_ms),
            "database": snapshot.database,
            "relation_id": entry.view,
            "relation": entry.name,
            "rows_in": entry.rows_in,
            "rows_out": entry.rows_out,
            "strategy": entry.strategy,
            "milliseconds": entry.milliseconds,
        }


def _pauses(snapshot: Snapshot) -> Iterator[Row]:
    for pause in snapshot.pauses():
        yield {
            "scope": pause.scope,
            "database": pause.database,
            "name": pause.name,
            "paused_by": pause.user,
            "paused_at": moment(pause.since_ms),
            "until": None if pause.until_ms is None else moment(pause.until_ms),
        }


def _catch_up(snapshot: Snapshot) -> Iterator[Row]:
    for waiting in snapshot.backlog():
        yield {
            "kind": waiting.kind,
            "relation_id": waiting.relation,
            "relation": waiting.name,
            "state": waiting.state,
            "statements": waiting.sets,
            "queued": waiting.queued_sets,
            "rows": waiting.rows,
            "as_of": None if waiting.as_of_ms is None else moment(waiting.as_of_ms),
        }


def _failed_writes(snapshot: Snapshot) -> Iterator[Row]:
    for failed in snapshot.failed_writes():
        yield {
            "id": failed.number,
            "relations": list(failed.tables),
            "rows": failed.rows,
            "failed_at": moment(failed.failed_ms),
            "sqlstate": failed.sqlstate,
            "error": failed.message,
            "detail": failed.detail,
        }


RELATIONS: Final = (
    rw_relation(
        14128,
        "rw_failed_writes",
        "id bigint, relations varchar[], rows bigint, failed_at timestamptz, sqlstate varchar, "
        "error varchar, detail varchar",
        _failed_writes,
    ),
    rw_relation(
        14126,
        "rw_pauses",
        "scope varchar, database varchar, name varchar, paused_by varchar, "
        "paused_at timestamptz, until timestamptz",
        _pauses,
    ),
    rw_relation(
        14127,
        "rw_catch_up",
        "kind varchar, relation_id integer, relation varchar, state varchar, statements bigint, "
        "queued bigint, rows bigint, as_of timestamptz",
        _catch_up,
    ),
    rw_relation(
        14125,
        "rw_epochs",
        "epoch bigint, committed_at timestamptz, database varchar, relation_id integer, "
        "relation varchar, rows_in bigint, rows_out bigint, strategy varchar, "
        "milliseconds double precision",
        _epochs,
    ),
    rw_relation(
        14121,
        "rw_databases",
        "id integer, name varchar, owner integer, acl varchar[], resource_group varchar, "
        "barrier_interval_ms integer, checkpoint_frequency bigint, is_paused boolean",
        _databases,
    ),
    rw_relation(
        14122,
        "rw_users",
        "id integer, name varchar, is_super boolean, create_db boolean, create_user boolean, "
        "can_login boolean, is_admin boolean",
        _users,
    ),
    rw_relation(
        14123,
        "rw_ddl_progress",
        "ddl_id bigint, ddl_statement varchar, create_type varchar, progress varchar, "
        "initialized_at timestamptz, is_serverless_backfill boolean, backfill_type varchar",
        _ddl_progress,
    ),
    rw_relation(
        14124,
        "rw_event_logs",
        "unique_id varchar, timestamp timestamptz, event_type varchar, info jsonb",
        _event_logs,
    ),
)
