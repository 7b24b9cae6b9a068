"""Commands: what a barrier carries.

A command is data. It is submitted to a database's barrier worker, which answers with a ticket; a
command that is refused fails its ticket and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from catalog.change import Change
from catalog.oid import Oid
from catalog.relation import Relation, StreamingJob


class PauseScope(StrEnum):
    """What was paused."""

    SYSTEM = "system"
    DATABASE = "database"
    VIEW = "materialized view"


@dataclass(frozen=True, slots=True)
class PauseInfo:
    """A pause: of what, by whom, since when."""

    scope: PauseScope
    user: str
    since_ms: int  #: Milliseconds since 1970.
    until_ms: int | None = None  #: When it ends by itself; None is at RESUME.

    def is_over(self, now_ms: int) -> bool:
        """Whether its time has passed."""
        return self.until_ms is not None and self.until_ms <= now_ms

    @classmethod
    def renewed(cls, before: PauseInfo | None, fresh: PauseInfo) -> PauseInfo:
        """Return the pause after somebody has paused what may be paused already.

        It stays the pause of who came first, and ends when the last one said.
        """
        return fresh if before is None else replace(before, until_ms=fresh.until_ms)


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
        based_on: What it reads, also through views, as it was when its query was bound.
        reads_tables: Whether there is anything to fill it from.
        reads: The stored relations that it is filled from.
        uses_snapshot_backfill: Whether it is filled from a snapshot. If not, it is accepted while
            paused and filled after RESUME.
        starts_paused: Whether it is accepted while paused, however it is filled then.
    """

    view: StreamingJob
    reads_tables: bool = True
    uses_snapshot_backfill: bool = True
    based_on: tuple[Relation, ...] = ()
    starts_paused: bool = False
    reads: frozenset[Oid] = frozenset()


@dataclass(frozen=True, slots=True)
class ReplaceStreamingJob:
    """Give a materialized view another query, and fill it and what reads it anew.

    Attributes:
        before: The view as it was looked at.
        view: What becomes of it.
        based_on: As of ``CreateStreamingJob``.
    """

    before: StreamingJob
    view: StreamingJob
    based_on: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Recover:
    """Fill views that have failed anew; those that cannot be stay failed."""


@dataclass(frozen=True, slots=True)
class CancelJobs:
    """Take away views that are not filled yet; unknown and finished ones are passed over."""

    oids: frozenset[Oid]


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop the flow in this database, for good or for some milliseconds."""

    user: str
    for_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    """Let the database flow again, unless the system is paused."""

    user: str


@dataclass(frozen=True, slots=True)
class PauseView:
    """Stop a materialized view, and with it all that reads it."""

    oid: Oid
    user: str


@dataclass(frozen=True, slots=True)
class ResumeView:
    """Let a materialized view catch up and go on, unless something that it reads is paused."""

    oid: Oid
    user: str


@dataclass(frozen=True, slots=True)
class LimitBackfill:
    """Have the job that fills a materialized view read so many rows a second; None is no limit."""

    oid: Oid
    limit: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """Let a paused database go on for so many epochs, and stand still again."""

    user: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class RetryWrites:
    """Apply acknowledged writes that stand aside; None is all of them."""

    user: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class DiscardWrites:
    """Throw acknowledged writes away that stand aside; None is all of them."""

    user: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class FollowSystem:
    """The system was paused or resumed; ``pause`` is None when it flows."""

    pause: PauseInfo | None


@dataclass(frozen=True, slots=True)
class Flush:
    """Nothing but a barrier: what was handed in before it is committed when it is collected."""


Command: TypeAlias = (
    ChangeCatalog
    | CreateStreamingJob
    | ReplaceStreamingJob
    | CancelJobs
    | Recover
    | Pause
    | Resume
    | PauseView
    | ResumeView
    | LimitBackfill
    | Step
    | RetryWrites
    | DiscardWrites
    | FollowSystem
    | Flush
)
