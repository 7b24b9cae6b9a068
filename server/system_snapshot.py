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
from catalog.parameter_kind import Internal
from catalog.parameters import SYSTEM_PARAMETERS
from catalog.relation import User
from catalog.state import Catalog
from catalog.system.snapshot import (
    BacklogState,
    DatabaseState,
    EpochState,
    EventState,
    JobState,
    PauseState,
    SettingState,
    Snapshot,
)
from server.declared import Cursor, listed_statements
from server.session_parameter import PARAMETERS
from server.sessions import Sessions
from server.settings import Settings
from server.wire.state import PreparedStatements


class Session(Protocol):
    """What is asked of a session."""

    manager: BarrierManager
    worker: BarrierWorker
    sessions: Sessions
    settings: Settings
    cursors: dict[str, Cursor]
    statements: PreparedStatements[Any]

    @property
    def user(self) -> User:
        """Who it is."""
        ...


def system_snapshot(session: Session, catalog: Catalog) -> Snapshot:
    """Return what the system catalogs tell a session of; what is of the moment when it is asked."""
    manager, worker, sessions = session.manager, session.worker, session.sessions
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
        settings=lambda: _settings(manager, session.settings),
        sessions=lambda: (member.listed() for member in sessions.all()),
        locks=sessions.locks.listed,
        cursors=lambda: [cursor.listed(name) for name, cursor in session.cursors.items()],
        prepared=lambda: listed_statements(session.statements),
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


def _databases(manager: BarrierManager) -> Iterator[DatabaseState]:
    for database in manager.databases():
        yield DatabaseState(
            database.oid,
            database.name,
            database.owner,
            database.barrier_interval_ms,
            database.checkpoint_frequency,
            is_paused=manager.is_paused(database.name),
        )


def _settings(manager: BarrierManager, settings: Settings) -> Iterator[SettingState]:
    for name, value, description in settings.rows():
        is_internal = isinstance(PARAMETERS[name.lower()].kind, Internal)
        yield SettingState(name, value, description, "internal" if is_internal else "user")
    values = manager.parameters()
    for parameter in SYSTEM_PARAMETERS.values():
        context = "postmaster" if parameter.is_mutable else "internal"
        yield SettingState(parameter.name, values[parameter.name], parameter.description, context)
