"""A streaming job as operators see it, and what comes of its backfill."""

from __future__ import annotations

from dataclasses import dataclass

from barrier.epoch import Epoch
from barrier.stream.plan import Plan
from catalog.errors import PgError
from catalog.oid import Oid


@dataclass(frozen=True, slots=True)
class Job:
    """A streaming job that is not created yet."""

    oid: Oid
    statement: str
    is_background: bool
    uses_snapshot: bool
    progress: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class Contents:
    """A view's tables as a backfill leaves them.

    Attributes:
        query: What they were filled from: the view's query, or its tolerant form.
        plan: How they are maintained.
        epoch: What they are as of.
        tolerated: The first error, when an expression is NULL where it failed.
    """

    query: str
    plan: Plan
    epoch: Epoch
    tolerated: PgError | None = None


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What came of a backfill."""

    oid: Oid
    outcome: Contents | PgError
