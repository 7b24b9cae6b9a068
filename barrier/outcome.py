"""What became of an attempt at an epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

from barrier.ledger import Entry
from barrier.message import Written
from barrier.set_aside import SetAside
from catalog.errors import ObjectInUse, PgError
from catalog.oid import Oid
from catalog.relation import StreamingJob


class JobFailed(Exception):  # never leaves the executor
    """A view's step broke the transaction."""

    def __init__(self, oid: Oid, error: PgError) -> None:
        super().__init__(str(error))
        self.oid = oid
        self.error = error


class RowsInUse(ObjectInUse):
    """No index can be made where rows lie: somebody reads some that were changed as they were."""


@dataclass(frozen=True, slots=True)
class Tolerated:
    """A view in whose tolerant form an expression is NULL where it failed, and the first error."""

    view: StreamingJob
    error: PgError


@dataclass
class Outcome:
    """What became of an epoch.

    Attributes:
        failures: Errors by ticket: their work was left out.
        kept: Acknowledged writes that could not be applied and stay due.
        set_aside: Acknowledged writes that could not be applied and stand aside from now on.
        failed_jobs: Jobs that are no longer maintained, with why.
        tolerant: Jobs of which an expression failed for some row, and which from now on are filled
            from the tolerant form of their query.
        refreshed: Batch refresh jobs that are now of this epoch.
        rewrites: Whether tables that get an index are stored anew for it.
        released: Staging tables that are done with.
        is_catalog_changed: Whether the catalog is another.
        rows_in: Rows that clients inserted and deleted.
        entries: What was done to each view.
    """

    failures: dict[int, PgError] = field(default_factory=dict)
    kept: tuple[Written, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    failed_jobs: dict[Oid, PgError] = field(default_factory=dict)
    tolerant: dict[Oid, Tolerated] = field(default_factory=dict)
    refreshed: frozenset[Oid] = frozenset()
    rewrites: bool = False
    released: tuple[str, ...] = ()
    is_catalog_changed: bool = False
    rows_in: int = 0
    entries: list[Entry] = field(default_factory=list)
