"""What the system catalogs are made from: everything there is, at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from catalog.acl import Acl
from catalog.oid import INVALID_OID, Oid
from catalog.parameter_kind import KindDescription
from catalog.relation import Mirror, Readable, Rowless, Sink, Subscription, User, is_temporary
from catalog.roles import READ_ALL_STATS, Access, Roles
from catalog.sequence import SequenceGenerator
from catalog.state import Catalog


@dataclass(frozen=True, slots=True)
class DatabaseState:
    """A database as others see it."""

    oid: Oid
    name: str
    owner: str
    barrier_interval_ms: int | None
    checkpoint_frequency: int | None
    is_paused: bool
    acl: Acl | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class JobState:
    """A streaming job that is not filled yet."""

    oid: Oid
    statement: str
    is_background: bool
    progress: str
    uses_snapshot_backfill: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class PauseState:
    """A pause of the system, a database or a view; ``until_ms`` is None when it has no end."""

    scope: str
    database: str | None
    name: str | None
    user: str
    since_ms: int
    until_ms: int | None


@dataclass(frozen=True, slots=True)
class BacklogState:
    """Something that has to catch up: the writes of a database, or a view that stands still.

    Attributes:
        kind: ``writes`` or ``view``.
        state: ``paused`` or ``catching up``.
        rows: The rows that wait, of writes.
        as_of_ms: Of a view: the time that its contents are of.
    """

    kind: str
    relation: Oid | None
    name: str | None
    state: str
    sets: int | None
    queued_sets: int | None
    rows: int | None
    as_of_ms: int | None


@dataclass(frozen=True, slots=True)
class FailedWriteState:
    """Acknowledged rows that could not be applied to their tables.

    Attributes:
        tables: Those that are still there.
        rows: About how many rows.
    """

    number: int
    tables: tuple[str, ...]
    rows: int
    failed_ms: int
    sqlstate: str
    message: str
    detail: str | None


@dataclass(frozen=True, slots=True)
class EventState:
    """Something that happened; ``info`` is JSON."""

    unique_id: str
    timestamp_ms: int
    event_type: str
    info: str


@dataclass(frozen=True, slots=True)
class EpochState:
    """What an epoch did to a view."""

    epoch: int
    committed_ms: int
    view: Oid
    name: str
    rows_in: int
    rows_out: int
    strategy: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class SettingState:
    """A parameter, as pg_settings tells of it.

    Attributes:
        context: Who may change it.
        source: Who has set it.
        boot: What it is when nobody does.
        reset: What it is after RESET.
        kind: Its type, unit and bounds.
    """

    name: str
    value: str
    description: str
    context: str
    source: str
    boot: str
    reset: str
    kind: KindDescription


@dataclass(frozen=True, slots=True)
class DefaultsState:
    """What sessions of a role in a database begin with; no OID stands for all of them."""

    database: Oid
    role: Oid
    config: tuple[str, ...]


#: Shown instead of what somebody does to those who may not know.
HIDDEN_QUERY: Final = "<insufficient privilege>"


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session of somebody."""

    process_id: int
    user: str
    database: str
    application_name: str
    state: str
    query: str
    client_address: str | None = None
    backend_start_ms: int = 0
    transaction_start_ms: int = 0
    query_start_ms: int = 0
    state_change_ms: int = 0


@dataclass(frozen=True, slots=True)
class LockState:
    """An advisory lock that somebody has or waits for, by the numbers that pg_locks shows."""

    database_oid: int
    class_id: int
    object_id: int
    sub_id: int
    process_id: int
    mode: str
    is_granted: bool


@dataclass(frozen=True, slots=True)
class CursorState:
    """A cursor of the session."""

    name: str
    statement: str
    is_holdable: bool
    is_binary: bool
    is_scrollable: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class PreparedState:
    """A prepared statement of the session."""

    name: str
    statement: str
    parameter_types: tuple[Oid, ...]
    from_sql: bool
    created_ms: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a session's system catalogs tell of.

    Attributes:
        database: The session's.
        roles: Who has whose privileges.
        access: What the user may do.
        events: Asked for only by who reads them; so is all that is of the moment.
        rows_of: About how many rows a stored relation has.
        time_zones: Name, abbreviation, offset from UTC and whether it is summer there.
        temporary_schema: The session's own where it has one.
    """

    catalog: Catalog
    user: str
    databases: tuple[DatabaseState, ...] = ()
    users: tuple[User, ...] = ()
    jobs: Callable[[], Iterable[JobState]] = tuple
    database: str = ""
    events: Callable[[], Iterable[EventState]] = tuple
    epochs: Callable[[], Iterable[EpochState]] = tuple
    pauses: Callable[[], Iterable[PauseState]] = tuple
    backlog: Callable[[], Iterable[BacklogState]] = tuple
    failed_writes: Callable[[], Iterable[FailedWriteState]] = tuple
    rows_of: Callable[[Oid], int] = lambda _: 0
    time_zones: Callable[[], Iterable[tuple[str, str, str, bool]]] = tuple
    settings: Callable[[], Iterable[SettingState]] = tuple
    last_number: Callable[[SequenceGenerator], int | None] = lambda _: None
    defaults: Callable[[], Iterable[DefaultsState]] = tuple
    sessions: Callable[[], Iterable[SessionState]] = tuple
    locks: Callable[[], Iterable[LockState]] = tuple
    cursors: Callable[[], Iterable[CursorState]] = tuple
    prepared: Callable[[], Iterable[PreparedState]] = tuple
    roles: Roles = field(default_factory=lambda: Roles({}))
    access: Access = field(default_factory=lambda: Access(is_superuser=False, roles=frozenset()))
    temporary_schema: str = ""
    _user_oids: Mapping[str, Oid] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_user_oids", {user.name: user.oid for user in self.users})

    def without_others(self) -> Snapshot:
        """Return what there is but for what belongs to other sessions alone."""
        catalog = self.catalog
        others = {
            name for name in catalog.schemas if is_temporary(name) and name != self.temporary_schema
        }
        if not others:
            return self
        relations = {k: r for k, r in catalog.relations.items() if r.schema not in others}
        sequences = {k: s for k, s in catalog.sequences.items() if s.schema not in others}
        return replace(self, catalog=replace(catalog, relations=relations, sequences=sequences))

    @property
    def is_superuser(self) -> bool:
        """Whether whoever asks is one."""
        return self.access.is_superuser

    def may_see(self, session: SessionState) -> bool:
        """Whether whoever asks may know what somebody's session does."""
        return self.access.owns(session.user) or self.access.owns(READ_ALL_STATS)

    def user_oid(self, name: str) -> Oid:
        """Return the OID of a user; one that is gone has none."""
        return self._user_oids.get(name, INVALID_OID)

    def schema_oid(self, name: str) -> Oid:
        """Return the OID of a schema."""
        return self.catalog.schemas[name].oid

    def relations(self) -> list[Readable]:
        """Return the user's relations by OID; what no query can name is none to them."""
        return [r for r in self.catalog.in_order() if not isinstance(r, Rowless | Mirror)]

    def sinks(self) -> list[Sink]:
        """Return the sinks by OID."""
        return [r for r in self.catalog.in_order() if isinstance(r, Sink)]

    def subscriptions(self) -> list[Subscription]:
        """Return the subscriptions by OID."""
        return [r for r in self.catalog.in_order() if isinstance(r, Subscription)]


def moment(unix_ms: int) -> datetime | None:
    """Return a time in milliseconds since 1970 as a value of timestamptz; 0 is not known."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC) if unix_ms else None
