"""What the system catalogs of a session are made from: the server's state as of now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from barrier.command import PauseInfo
from barrier.epoch import unix_ms
from barrier.manager import BarrierManager
from barrier.worker import BarrierWorker
from catalog.errors import UndefinedDatabase
from catalog.oid import INVALID_OID, Oid
from catalog.parameter_kind import Internal, describe_kind, setting_text
from catalog.parameters import SYSTEM_PARAMETERS
from catalog.relation import User
from catalog.roles import Access
from catalog.sequence import SequenceGenerator
from catalog.state import Catalog
from catalog.system.snapshot import (
    BacklogState,
    DatabaseState,
    DefaultsState,
    EpochState,
    EventState,
    FailedWriteState,
    JobState,
    PauseState,
    SettingState,
    Snapshot,
)
from server.declared import Cursor, listed_portals, listed_statements
from server.session_parameter import PARAMETERS
from server.sessions import Sessions
from server.settings import Settings
from server.wire.state import Portals, PreparedStatements


class Session(Protocol):
    """What is asked of a session."""

    manager: BarrierManager
    worker: BarrierWorker
    sessions: Sessions
    settings: Settings
    cursors: dict[str, Cursor]
    statements: PreparedStatements[Any]
    portals: Portals[Any]

    @property
    def user(self) -> User:
        """Whose privileges are used."""
        ...

    @property
    def access(self) -> Access:
        """What he may do."""
        ...

    @property
    def temporary_schema(self) -> str:
        """The name of the schema of its temporary relations; there may be none."""
        ...


def system_snapshot(session: Session, catalog: Catalog) -> Snapshot:
    """Return what the system catalogs tell a session of; what is of the moment when it is asked."""
    manager, worker, sessions = session.manager, session.worker, session.sessions
    temporary = session.temporary_schema
    return Snapshot(
        catalog,
        session.user.name,
        databases=tuple(_databases(manager)),
        users=tuple(manager.users()),
        jobs=lambda: _jobs(worker),
        database=worker.database,
        events=lambda: _events(manager),
        epochs=lambda: _epochs(worker),
        pauses=lambda: _pauses(manager),
        backlog=lambda: _backlog(worker),
        failed_writes=lambda: _failed_writes(worker),
        rows_of=worker.rows_estimated,
        last_number=lambda sequence: _last_number(worker, sequence),
        time_zones=lambda: _time_zones(worker),
        settings=lambda: _settings(manager, worker.database, session.user.oid, session.settings),
        defaults=lambda: _defaults(manager),
        sessions=lambda: (member.listed() for member in sessions.all()),
        locks=sessions.locks.listed,
        cursors=lambda: [
            *(cursor.listed(name) for name, cursor in session.cursors.items()),
            *listed_portals(session.portals),
        ],
        prepared=lambda: listed_statements(session.statements),
        roles=manager.roles,
        access=session.access,
        temporary_schema=temporary if temporary in catalog.schemas else "",
    )


def _events(manager: BarrierManager) -> Iterator[EventState]:
    for event in manager.events():
        info = json.dumps(dict(event.info), default=str)
        yield EventState(str(event.unique_id), event.timestamp_ms, event.event_type, info)


def _epochs(worker: BarrierWorker) -> Iterator[EpochState]:
    for entry in worker.ledger.entries():
        yield EpochState(
            entry.epoch,
            unix_ms(entry.epoch),
            entry.view,
            entry.name,
            entry.rows_in,
            entry.rows_out,
            entry.strategy,
            entry.duration_us / 1000,
        )


def _pauses(manager: BarrierManager) -> Iterator[PauseState]:
    if (system := manager.system_pause) is not None:
        yield _pause(system, None, None)
    for database in manager.databases():
        try:
            worker = manager.worker(database.name)
        except UndefinedDatabase:
            continue  # It is being made or dropped.
        if (own := worker.own_pause) is not None:
            yield _pause(own, database.name, None)
        for view in worker.backlog().views:
            if view.pause is not None and view.held_by == view.name:
                yield _pause(view.pause, database.name, view.name)


def _pause(pause: PauseInfo, database: str | None, name: str | None) -> PauseState:
    return PauseState(pause.scope.value, database, name, pause.user, pause.since_ms, pause.until_ms)


def _backlog(worker: BarrierWorker) -> Iterator[BacklogState]:
    waiting = worker.backlog()
    if waiting.write_sets:
        yield BacklogState(
            "writes",
            None,
            None,
            "catching up" if worker.pause is None else "paused",
            waiting.write_sets,
            waiting.queued_sets,
            waiting.rows,
            None,
        )
    for view in waiting.views:
        yield BacklogState(
            "view",
            view.oid,
            view.name,
            "catching up" if view.held_by is None else "paused",
            None,
            None,
            None,
            unix_ms(view.as_of) if view.as_of else None,
        )


def _failed_writes(worker: BarrierWorker) -> Iterator[FailedWriteState]:
    for write in worker.backlog().failed:
        failed = write.failed
        yield FailedWriteState(
            failed.number,
            write.tables,
            failed.write_set.rows,
            failed.since_ms,
            failed.sqlstate,
            failed.message,
            failed.detail,
        )


def _jobs(worker: BarrierWorker) -> Iterator[JobState]:
    for job in worker.jobs():
        yield JobState(
            job.oid,
            job.statement,
            is_background=job.is_background,
            progress=job.progress,
            uses_snapshot_backfill=job.uses_snapshot,
            created_ms=job.created_ms,
        )


def _time_zones(worker: BarrierWorker) -> Iterator[tuple[str, str, str, bool]]:
    reader = worker.reader()
    try:
        zones = "SELECT name, abbrev, utc_offset::VARCHAR, is_dst FROM pg_timezone_names()"
        for name, abbreviation, offset, is_summer in reader.rows(zones):
            yield str(name), str(abbreviation), str(offset), bool(is_summer)
    finally:
        reader.close()


def _databases(manager: BarrierManager) -> Iterator[DatabaseState]:
    for database in manager.databases():
        yield DatabaseState(
            database.oid,
            database.name,
            database.owner,
            database.barrier_interval_ms,
            database.checkpoint_frequency,
            is_paused=manager.is_paused(database.name),
            acl=database.acl,
            comment=database.comment,
        )


def _settings(
    manager: BarrierManager, database: str, user: Oid, settings: Settings
) -> Iterator[SettingState]:
    sources = _sources(manager, database, user)
    for name, value, description in settings.rows():
        parameter, reset = PARAMETERS[name.lower()], settings.reset_value(name)
        kind = parameter.kind
        if value != reset:
            source = "session"
        elif reset == parameter.default:
            source = "default"
        else:
            source = sources.get(name.lower(), "client")
        yield SettingState(
            name,
            setting_text(kind, value),
            description,
            "internal" if isinstance(kind, Internal) else "user",
            source,
            setting_text(kind, parameter.default),
            setting_text(kind, reset),
            describe_kind(kind),
        )
    values = manager.parameters()
    for system in SYSTEM_PARAMETERS.values():
        value = values[system.name]
        yield SettingState(
            system.name,
            value,
            system.description,
            "sighup" if system.is_mutable else "internal",
            "default" if value == system.default else "configuration file",
            system.default,
            value,
            describe_kind(system.kind),
        )


def _sources(manager: BarrierManager, database: str, user: Oid) -> dict[str, str]:
    """Return who has said what the session began with, by parameter."""
    here = next((d.oid for d in manager.databases() if d.name == database), INVALID_OID)
    nobody = INVALID_OID
    scopes = {
        (nobody, nobody): "global",
        (here, nobody): "database",
        (nobody, user): "user",
        (here, user): "database user",
    }
    said = {scopes.get((d.database, d.role)): d.values for d in manager.defaults.all()}
    return {name: scope for scope in scopes.values() for name in said.get(scope, ())}


def _title(name: str) -> str:
    parameter = PARAMETERS.get(name)
    return name if parameter is None else parameter.name


def _defaults(manager: BarrierManager) -> Iterator[DefaultsState]:
    for known in manager.defaults.all():
        if known.database or known.role:  # Those of ALTER SYSTEM are no rows of PostgreSQL's.
            config = tuple(f"{_title(name)}={value}" for name, value in known.values.items())
            yield DefaultsState(known.database, known.role, config)


def _last_number(worker: BarrierWorker, sequence: SequenceGenerator) -> int | None:
    place = worker.sequences.place(sequence)
    return place.value if place.is_called else None
