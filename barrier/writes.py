"""Write sets: what a session hands in, and the statements that apply it.

A session evaluates its DML on its own snapshot into staging tables; the worker applies them inside
the epoch's transaction. Nothing that a client computed can fail here any more, only that somebody
else was faster: then the write set is refused and the epoch goes on without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from barrier.epoch import Epoch
from barrier.given_change import GivenChange
from barrier.given_rows import GivenRows
from catalog.errors import SerializationFailure
from catalog.oid import Oid

#: The column of a staging table that tells in which order its rows arrived.
ORDINAL: Final = "__ord"

#: The multiplicity column of a Z-set.
WEIGHT: Final = "__weight"


class OnKey(StrEnum):
    """What happens when a new row's key is there already."""

    #: The new row takes the old one's place (upsert).
    REPLACE = "replace"
    #: 23505.
    ERROR = "error"
    #: The session had not seen it: it evaluates its statement again.
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class TableWrites:
    """What a write set does to one table.

    Attributes:
        table: The table.
        old: The FROM item (a staging table, or a subquery over one) of removed rows, with all
            storage columns; or None.
        new: The FROM item of new rows with c1..cn, ``__ord`` and, where rows keep their identity,
            ``_row_id``; or None.
        has_row_id: Whether ``new`` has ``_row_id``; NULL or negative ones are given anew.
        on_key: What happens when a new row's key is there already.
        rows: How many rows ``new`` has, where that is known.
        keeps_keys: Whether every key of ``new`` is one of ``old``, and no two are the same.
        ordinals: A number that no ``__ord`` of ``new`` exceeds, where they are all different and
            positive; or None.
        layout: The table's when the writes were evaluated; empty is what it is now.
        seen: The epoch that had last changed the table before ``old`` was read; None: not known.
        given: New rows with c1..cn in the place of ``new``; or None.
        change: Rows that change, in the place of ``old`` and ``new``; or None.
    """

    table: Oid
    old: str | None = None
    new: str | None = None
    has_row_id: bool = False
    on_key: OnKey = OnKey.REPLACE
    rows: int | None = None
    keeps_keys: bool = False
    ordinals: int | None = None
    layout: tuple[str, ...] = ()
    seen: int | None = None
    given: GivenRows | None = None
    change: GivenChange | None = None

    @property
    def takes_away(self) -> bool:
        """Whether rows that are there go, or become others."""
        return self.old is not None or self.change is not None

    def spelled_out(self) -> TableWrites:
        """Return the same with FROM items of the rows that are given as values."""
        if self.given is not None:
            return replace(self, new=self.given.item(ORDINAL), given=None)
        if self.change is None:
            return self
        old, new = self.change.old, self.change.new
        return replace(
            self,
            old=old.item(ORDINAL),
            new=None if new is None else new.item(ORDINAL),
            change=None,
        )


@dataclass(frozen=True, slots=True)
class WriteSet:
    """All that one statement, or one transaction, writes.

    Attributes:
        tables: At most one entry a table.
        staging: The staging tables that the entries are made of, to be dropped when it is done.
        queue_number: Where it stands in the durable queue, or None when it is not there.
        read: The relations that it must not have read otherwise than they are when it is applied,
            with all that they are made of; empty below SERIALIZABLE.
        read_at: The epoch at which it has read them.
        obeyed: The OIDs of the constraints between rows that it was seen to obey; those of its
            tables that are not among them are looked at when it is applied.
        obeyed_at: The epoch at which it was.
        followed: The mirrors that it brings forward, each with the epoch of the other database
            that it is of then.
    """

    tables: tuple[TableWrites, ...]
    staging: tuple[str, ...] = ()
    queue_number: int | None = None
    read: frozenset[Oid] = frozenset()
    read_at: Epoch | None = None
    obeyed: frozenset[Oid] = frozenset()
    obeyed_at: Epoch | None = None
    followed: tuple[tuple[Oid, Epoch], ...] = ()

    @property
    def rows(self) -> int:
        """About how many rows it has, as far as that is known; at least one a table."""
        return sum(max(1, t.rows or 0, t.ordinals or 0) for t in self.tables)

    def spelled_out(self) -> WriteSet:
        """Return the same with FROM items of the rows that are given as values."""
        return replace(self, tables=tuple(writes.spelled_out() for writes in self.tables))

    @property
    def is_plain_insert(self) -> bool:
        """Whether it can be applied together with others of its kind."""
        return not (self.read or self.obeyed or self.followed) and all(
            not t.takes_away and t.on_key is OnKey.REPLACE for t in self.tables
        )


class WriteConflict(SerializationFailure):
    """Rows changed after the session read them: evaluate again, or fail the transaction."""

    @classmethod
    def plain(cls) -> WriteConflict:
        return cls("could not serialize access due to concurrent update")


class ReadConflict(WriteConflict):
    """What a transaction has read is not so any more: no order of the two would have given that."""

    @classmethod
    def plain(cls) -> ReadConflict:
        return cls(
            "could not serialize access due to read/write dependencies among transactions",
            hint="The transaction might succeed if retried.",
        )
