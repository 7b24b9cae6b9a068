"""What has been acknowledged or asked for and waits: behind a pause, or until views caught up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from barrier.command import PauseInfo
from barrier.epoch import Epoch
from barrier.knowledge import Knowledge
from barrier.message import Written
from barrier.set_aside import SetAside
from barrier.state import BarrierState
from catalog.oid import Oid
from catalog.relation import StreamingJob


@dataclass(frozen=True, slots=True)
class StandingView:
    """A view that epochs pass by.

    Attributes:
        as_of: The epoch that its contents are of.
        held_by: The paused view that it waits for, itself or another; None while it catches up.
        pause: That view's pause.
    """

    oid: Oid
    name: str
    as_of: Epoch
    held_by: str | None
    pause: PauseInfo | None


@dataclass(frozen=True, slots=True)
class FailedWrite:
    """Acknowledged rows that could not be applied, of those tables that are still there."""

    failed: SetAside
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in a database.

    Attributes:
        write_sets: Statements and transactions whose rows wait.
        queued_sets: Those of them that were acknowledged.
        rows: About how many rows all of them have.
        views: Views that stand still.
        failed: Acknowledged writes that could not be applied.
    """

    write_sets: int
    queued_sets: int
    rows: int
    views: tuple[StandingView, ...]
    failed: tuple[FailedWrite, ...]


def backlog(state: BarrierState, known: Knowledge) -> Backlog:
    """Return what waits in a database."""
    waiting = [*state.parked, *(work for work in state.queue if isinstance(work, Written))]
    views = []
    for view in known.catalog.in_order():
        if isinstance(view, StreamingJob) and (view.is_standing or view.oid in state.held):
            held = state.held.get(view.oid)
            name, pause = (None, None) if held is None else (held.name, held.pause)
            views.append(
                StandingView(view.oid, view.name, Epoch(view.refreshed_epoch), name, pause)
            )
    return Backlog(
        len(waiting),
        sum(work.write_set.queue_number is not None for work in waiting),
        sum(work.write_set.rows for work in waiting),
        tuple(views),
        tuple(_failed_writes(known)),
    )


def _failed_writes(known: Knowledge) -> Iterator[FailedWrite]:
    for _, failed in sorted(known.set_aside.items()):
        found = [known.catalog.relations.get(w.table) for w in failed.write_set.tables]
        names = tuple(f"{table.schema}.{table.name}" for table in found if table is not None)
        yield FailedWrite(failed, names)
