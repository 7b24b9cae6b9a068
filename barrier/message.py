"""What goes into ``barrier.state.advance`` and what comes out: work, events and effects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from barrier.command import ChangeCatalog, Command, CreateStreamingJob, PauseInfo, Recover
from barrier.epoch import Epoch
from barrier.job import Backfilled
from barrier.writes import WriteSet
from catalog.change import AlterRelation, DropRelations
from catalog.errors import PgError
from catalog.oid import Oid


@dataclass(frozen=True, slots=True)
class Requested:
    """A command that waits for its barrier."""

    ticket: int
    command: Command


@dataclass(frozen=True, slots=True)
class Written:
    """A write set that waits for its barrier.

    Attributes:
        holder: The hold under which it was evaluated, or None; see ``Held``.
        tries: How often it has failed, of what was acknowledged.
    """

    ticket: int
    write_set: WriteSet
    holder: int | None = None
    tries: int = 0


Work: TypeAlias = Requested | Written


@dataclass(frozen=True, slots=True)
class BatchRefresh:
    """The rhythm of a batch refresh job."""

    interval_ms: int
    refreshed: Epoch  #: The epoch its contents are of.


@dataclass(frozen=True, slots=True)
class Seen:
    """Since when, by the time that has passed, a batch refresh job is of an epoch."""

    refreshed: Epoch
    passed_ms: int


@dataclass(frozen=True, slots=True)
class ViewPause:
    """Why a view stands still: a paused view, which may be itself."""

    name: str
    pause: PauseInfo


# --- events -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Submitted:
    """A session handed work in."""

    work: Work


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A session wants its work back."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Held:
    """A session that kept losing races holds the others' writes back; None lets them go.

    A hold is short: one statement is evaluated under it. It has no effect while paused.
    """

    holder: int | None


@dataclass(frozen=True, slots=True)
class Beat:
    """The worker is free: inject what there is to inject.

    Attributes:
        now_ms: The wall clock.
        is_tick: Whether the barrier interval has passed, so that an empty barrier is due too.
        passed_ms: The time that has passed, which never steps back.
    """

    now_ms: int
    is_tick: bool
    passed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Committed:
    """The epoch that was out is committed.

    Attributes:
        kept: Writes of it that were acknowledged before and could not be applied; they stay due.
    """

    epoch: Epoch
    kept: tuple[Written, ...] = ()


@dataclass(frozen=True, slots=True)
class Aborted:
    """The epoch that was out could not be committed; its transaction left nothing.

    Attributes:
        kept: Writes of it that were acknowledged before, which stay due.
        is_ours: Whether nobody is told, so that it is for the worker to try again.
        error: Why.
    """

    epoch: Epoch
    kept: tuple[Written, ...] = ()
    is_ours: bool = False
    error: PgError | None = None


@dataclass(frozen=True, slots=True)
class JobsChanged:
    """The jobs of the catalog, after an epoch changed them."""

    creating: frozenset[Oid]
    refreshes: Mapping[Oid, BatchRefresh]
    catching_up: frozenset[Oid] = frozenset()
    held: Mapping[Oid, ViewPause] = field(default_factory=dict)
    #: The rows in a second of each flow, by what keeps its rows.
    rates: Mapping[Oid, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """Batch refresh jobs have no changes waiting up to an epoch."""

    oids: frozenset[Oid]
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class BackfillEnded:
    """A view's contents are there, but for the latest changes; or they cannot be had."""

    backfilled: Backfilled


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of these backfills is dealt with."""

    backfilled: tuple[Backfilled, ...]


Event: TypeAlias = (
    Submitted
    | Withdrawn
    | Held
    | Beat
    | Committed
    | Aborted
    | JobsChanged
    | Refreshed
    | BackfillEnded
    | Merged
)

# --- effects ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InjectWrites:
    """Apply write sets and maintain the views, in one epoch; empty when only time has passed.

    Attributes:
        flushes: Tickets of FLUSH that are collected with it.
        is_moving: Whether time moves, for views that depend on it; not while paused.
        pulls: How many rows are to come of flows, by what keeps their rows.
    """

    epoch: Epoch
    writes: tuple[Written, ...]
    flushes: tuple[int, ...]
    is_moving: bool
    pulls: Mapping[Oid, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InjectCommand:
    """Perform a command in an epoch of its own."""

    epoch: Epoch
    ticket: int
    command: Command
    pause: PauseInfo | None  #: The database's own pause, to be made durable with the epoch.
    is_flowing: bool  #: Whether neither the database nor the system is paused.


@dataclass(frozen=True, slots=True)
class InjectBackfill:
    """Fill views that were accepted without being filled."""

    epoch: Epoch
    oids: frozenset[Oid]


@dataclass(frozen=True, slots=True)
class InjectMerge:
    """Bring views that were filled beside the barriers up to now, and maintain them from then on.

    Those that could not be filled go.
    """

    epoch: Epoch
    backfilled: tuple[Backfilled, ...]


@dataclass(frozen=True, slots=True)
class InjectRefresh:
    """Bring batch refresh jobs up to the committed epoch."""

    epoch: Epoch
    oids: frozenset[Oid]


@dataclass(frozen=True, slots=True)
class InjectCatchUp:
    """Bring views forward that were paused, by one piece."""

    epoch: Epoch
    oids: frozenset[Oid]


@dataclass(frozen=True, slots=True)
class Reject:
    """Fail a ticket; nothing else happens."""

    ticket: int
    error: PgError


@dataclass(frozen=True, slots=True)
class Returned:
    """Work was taken back before it began."""

    ticket: int


@dataclass(frozen=True, slots=True)
class Stepped:
    """A paused database has made the steps that it was asked for, or could not."""

    ticket: int
    steps: int
    error: PgError | None = None


Injection: TypeAlias = (
    InjectWrites | InjectCommand | InjectBackfill | InjectMerge | InjectRefresh | InjectCatchUp
)
Effect: TypeAlias = Injection | Reject | Returned | Stepped

#: The ticket of a command that nobody waits for.
NOBODY: Final = 0


def writes_of(injection: Injection) -> tuple[Written, ...]:
    """Return the write sets that an epoch was to apply."""
    return injection.writes if isinstance(injection, InjectWrites) else ()


def is_creation(injection: Injection | None, ticket: int | None = None) -> bool:
    """Whether views are being filled, by the command of that ticket or by any."""
    return (
        isinstance(injection, InjectCommand)
        and isinstance(injection.command, CreateStreamingJob | Recover)
        and ticket in (None, injection.ticket)
    )


def redefines(injection: Injection | None, tables: Collection[Oid]) -> bool:
    """Whether one of some tables becomes another, or goes."""
    if not isinstance(injection, InjectCommand):
        return False
    command = injection.command
    if not isinstance(command, ChangeCatalog):
        return False
    return any(
        (isinstance(change, AlterRelation) and change.before.oid in tables)
        or (isinstance(change, DropRelations) and not change.oids.isdisjoint(tables))
        for change in command.changes
    )


def tickets_of(injection: Injection) -> tuple[int, ...]:
    """Return who waits for an epoch."""
    match injection:
        case InjectWrites(writes=writes, flushes=flushes):
            return (*(written.ticket for written in writes), *flushes)
        case InjectCommand(ticket=ticket):
            return (ticket,)
        case _:
            return ()


def is_own(injection: Injection) -> bool:
    """Whether an epoch is the worker's own, so that nobody is told when it fails."""
    match injection:
        case InjectBackfill() | InjectMerge() | InjectRefresh() | InjectCatchUp():
            return True
        case InjectCommand(ticket=ticket):
            return ticket == NOBODY
        case _:
            return False
