"""Indexes: they belong to a relation, go with it, and change no answer."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.oid import Oid


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One part of an index's key.

    Attributes:
        column: The number of the column, or 0 for an expression.
        source: The expression as the user wrote it.
        columns: The numbers of the columns that it reads.
    """

    column: int
    source: str | None = None
    columns: tuple[int, ...] = ()
    is_descending: bool = False
    has_nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a table or materialized view."""

    oid: Oid
    name: str
    keys: tuple[IndexKey, ...]
    include: tuple[int, ...] = ()
    definition: str = ""
    comment: str | None = None

    @property
    def columns(self) -> frozenset[int]:
        """The numbers of the columns that it stands on."""
        return frozenset(
            number
            for key in self.keys
            for number in (*key.columns, *((key.column,) if key.column else ()))
        ).union(self.include)
