"""Stored relations as the plans of other views see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from catalog.oid import Oid
from catalog.relation import Table

#: pg_type names of types that have equal values which print differently, arrays included.
_LOOSE_TYPES: Final = frozenset(
    prefix + name for prefix in ("", "_") for name in ("interval", "float4", "float8")
)


@dataclass(frozen=True)
class InputRelation:
    """A table or materialized view in storage.

    Attributes:
        oid: Which; the rows are in ``r<oid>``, an epoch's delta in ``d<oid>``.
        columns: The columns of both that plans may read: the visible ones and the key's.
        key: The columns that identify a row, visible ones or hidden ones; empty: at most one row.
        exact: Columns whose equal values are known to be identical; the more, the faster.
    """

    oid: Oid
    columns: tuple[str, ...]
    key: tuple[str, ...]
    exact: frozenset[str] = frozenset()

    @classmethod
    def of_table(cls, table: Table) -> InputRelation:
        """Return a base table as plans see it."""
        names = tuple(column.storage_name for column in table.columns)
        return cls(
            table.oid,
            tuple(dict.fromkeys((*names, *table.key))),
            table.key,
            frozenset(c.storage_name for c in table.columns if c.type.name not in _LOOSE_TYPES),
        )

    def __post_init__(self) -> None:
        assert set(self.key) <= set(self.columns), self
