"""A streaming job as operators see it."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.oid import Oid


@dataclass(frozen=True, slots=True)
class Job:
    """A streaming job that is not created yet."""

    oid: Oid
    statement: str
    is_background: bool
    progress: str
    created_ms: int
