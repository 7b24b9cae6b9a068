"""Stored relations as the plans of other views see them."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.oid import Oid


@dataclass(frozen=True)
class InputRelation:
    """A table or materialized view in storage.

    Attributes:
        oid: Which; the rows are in ``r<oid>``, an epoch's delta in ``d<oid>``.
        columns: The columns of both that plans may read: the visible ones and the key's.
        key: The columns that identify a row, visible ones or hidden ones; empty: at most one row.
    """

    oid: Oid
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def __post_init__(self) -> None:
        assert set(self.key) <= set(self.columns), self
