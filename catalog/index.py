"""Indexes: they belong to a relation and go with it; those that are unique bind its rows."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.job_config import JobConfig
from catalog.oid import INVALID_OID, Oid


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One part of an index's key.

    Attributes:
        column: The number of the column, or 0 for an expression.
        source: The expression as the user wrote it.
        columns: The numbers of the columns that it reads.
        expression: The same as DuckDB SQL over the row, of a unique index.
    """

    column: int
    source: str | None = None
    columns: tuple[int, ...] = ()
    is_descending: bool = False
    has_nulls_first: bool = False
    expression: str | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a table or materialized view.

    Attributes:
        is_unique: Whether no two rows may have the same key.
        are_nulls_equal: Whether NULLs are the same in that: NULLS NOT DISTINCT.
        condition: Of a partial index, which rows it is of: DuckDB SQL over the row.
        condition_source: The same as the user wrote it.
        condition_columns: The numbers of the columns that it reads.
        constraint: The OID of the UNIQUE constraint that it is of, and is called like, or 0.
        is_deferrable: Whether the constraint can wait until the transaction's end.
        is_deferred: Whether it does so unless it is told otherwise.
        constraint_comment: Of the constraint; ``comment`` is the index's own.
        config: As of a streaming job.
    """

    oid: Oid
    name: str
    keys: tuple[IndexKey, ...]
    include: tuple[int, ...] = ()
    definition: str = ""
    comment: str | None = None
    is_unique: bool = False
    are_nulls_equal: bool = False
    condition: str | None = None
    condition_source: str | None = None
    condition_columns: tuple[int, ...] = ()
    constraint: Oid = INVALID_OID
    is_deferrable: bool = False
    is_deferred: bool = False
    constraint_comment: str | None = None
    config: JobConfig = ()

    @property
    def columns(self) -> frozenset[int]:
        """The numbers of the columns that it stands on."""
        return self.key_columns.union(self.include)

    @property
    def plain_columns(self) -> frozenset[int]:
        """Those of them that are parts of its key by themselves, and are compared as stored."""
        return frozenset(key.column for key in self.keys if key.column)

    @property
    def key_columns(self) -> frozenset[int]:
        """Those of them that its rows are told apart by, or chosen."""
        return frozenset(
            number
            for key in self.keys
            for number in (*key.columns, *((key.column,) if key.column else ()))
        ).union(self.condition_columns)
