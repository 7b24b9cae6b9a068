"""What the system catalogs of a session are made from: the server's state as of now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from barrier.command import PauseInfo
from barrier.epoch import unix_ms
from barrier.manager import BarrierManager
from barrier.worker import BarrierWorker
from catalog.errors import InsufficientPrivilege, UndefinedDatabase
from catalog.parameter_kind import Internal
from catalog.parameters import SYSTEM_PARAMETERS
from catalog.state import Catalog
from catalog.system.registry import SECRET_RELATIONS, find_system_relation
from catalog.system.relation import SystemRows
from catalog.system.snapshot import (
    BacklogState,
    CursorState,
    DatabaseState,
    EpochState,
    EventState,
    JobState,
    PauseState,
    PreparedState,
    SettingState,
    Snapshot,
)
from server.session_parameter import PARAMETERS
from server.sessions import Sessions
from server.settings import Settings
from server.sql.bind.context import BindContext


def system_snapshot(
    manager: BarrierManager,
    worker: BarrierWorker,
    sessions: Sessions,
    settings: Settings,
    catalog: Catalog,
    *,
    user: str,
    cursors: Iterable[CursorState],
    prepared: Iterable[PreparedState],
) -> Snapshot:
    """Return what the system catalogs tell of, for a session of that user with such settings."""
    return Snapshot(
        catalog,
        user,
        databases=tuple(_databases(manager)),
        users=tuple(manager.users()),
        jobs=tuple(
            JobState(
                job.oid,
                job.statement,
                is_background=job.is_background,
                progress=job.progress,
                uses_snapshot_backfill=False,
                created_ms=job.created_ms,
            )
            for job in worker.jobs()
        ),
        database=worker.database,
        events=lambda: _events(manager),
        epochs=lambda: _epochs(worker),
        pauses=lambda: _pauses(manager),
        backlog=lambda: _backlog(worker),
        settings=tuple(_settings(manager, settings)),
        sessions=tuple(member.listed() for member in sessions.all()),
        locks=tuple(sessions.locks.listed()),
        cursors=tuple(cursors),
        prepared=tuple(prepared),
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


class SystemLookup:
    """Finds system relations for one binding.

    Args:
        snapshot: Gives what they are made from; asked at most once.
    """

    def __init__(self, snapshot: Callable[[], Snapshot]) -> None:
        self._make = snapshot
        self._snapshot: Snapshot | None = None
        #: Whether one was read: what was bound holds its rows and is good once.
        self.has_read = False

    def find(self, schema: str, name: str) -> SystemRows | None:
        """Return the relation of that name with its rows, or None.

        Raises:
            InsufficientPrivilege: It is for superusers.
        """
        relation = find_system_relation(schema, name)
        if relation is None:
            return None
        self.has_read = True
        if self._snapshot is None:
            self._snapshot = self._make()
        if (schema, name) in SECRET_RELATIONS and not self._snapshot.is_superuser:
            kind = "table" if relation.is_table else "view"
            raise InsufficientPrivilege(f"permission denied for {kind} {name}")
        return SystemRows(relation, self._snapshot)


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The context of one binding, and what it has looked at."""

    context: BindContext
    _lookup: SystemLookup

    @property
    def has_read_system(self) -> bool:
        """Whether a system relation was read."""
        return self._lookup.has_read
