"""Commands: what a barrier carries.

A command is data. It is submitted to a database's barrier worker, which answers with a ticket; a
command that is refused fails its ticket and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from catalog.oid import Oid
from catalog.relation import MaterializedView, Relation
from catalog.state import Change


class PauseScope(StrEnum):
    """What was paused."""

    SYSTEM = "system"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class PauseInfo:
    """A pause: of what, by whom, since when."""

    scope: PauseScope
    user: str
    since_ms: int  #: Milliseconds since 1970.


@dataclass(frozen=True, slots=True)
class ChangeCatalog:
    """Create, drop or alter what needs no backfill; all of it or nothing.

    Storage follows: a table's rows are made and dropped with it.
    """

    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class CreateStreamingJob:
    """Create a materialized view, fill it from a snapshot and maintain it from then on.

    Attributes:
        view: What is created; its query is bound.
        based_on: What it reads as it was when its query was bound.
        reads_tables: Whether there is anything to fill it from.
        uses_snapshot_backfill: Whether it is filled from a snapshot. If not, it is accepted while
            paused and filled after RESUME.
    """

    view: MaterializedView
    reads_tables: bool = True
    uses_snapshot_backfill: bool = True
    based_on: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class CancelJobs:
    """Take away views that are not filled yet; unknown and finished ones are passed over."""

    oids: frozenset[Oid]


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop the flow in this database."""

    user: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Let the database flow again, unless the system is paused."""

    user: str


@dataclass(frozen=True, slots=True)
class FollowSystem:
    """The system was paused or resumed; ``pause`` is None when it flows."""

    pause: PauseInfo | None


@dataclass(frozen=True, slots=True)
class Flush:
    """Nothing but a barrier: what was handed in before it is committed when it is collected."""


Command: TypeAlias = (
    ChangeCatalog | CreateStreamingJob | CancelJobs | Pause | Resume | FollowSystem | Flush
)
