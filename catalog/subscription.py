"""Who may follow what a relation goes through.

It is part of ``catalog.relation``, which is where others import it from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from catalog.acl import Acl
from catalog.oid import Oid

if TYPE_CHECKING:
    from catalog.relation import Column


@dataclass(frozen=True, slots=True)
class PastLayout:
    """The columns that a relation had when changes were logged that are kept.

    Attributes:
        upto: The epoch in which it got others.
        columns: Those that users saw.
        key: The storage columns that identified a row.
    """

    upto: int
    columns: tuple[Column, ...]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """The right to read what a table or materialized view goes through, which is kept for a while.

    Attributes:
        depends_on: The relation whose changes are kept, alone.
        functions, created_by: As for a view.
        retention: How long a change is kept, as it was written.
        retention_ms: The same in milliseconds.
        since_epoch: The epoch after which changes are kept.
        layouts: The columns that the relation had before, oldest first, as far as changes of rows
            with these are kept.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    columns: tuple[Column, ...] = ()
    depends_on: frozenset[Oid]
    definition: str = ""
    created_ms: int = 0
    created_by: str = ""
    comment: str | None = None
    acl: Acl | None = None
    functions: frozenset[Oid] = frozenset()
    retention: str
    retention_ms: int
    since_epoch: int = 0
    layouts: tuple[PastLayout, ...] = ()

    @property
    def source(self) -> Oid:
        """The relation whose changes are kept."""
        (oid,) = self.depends_on
        return oid
