"""Constraints between rows: keys that no two of a table share, and keys that refer to others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from catalog.oid import INVALID_OID, Oid


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """What no two rows of a table have in common: its primary key, or that of a unique index.

    Attributes:
        oid: The index's; the table's own for its primary key.
        name: Of the constraint or index.
        parts: DuckDB SQL over the row.
        shown: The parts as messages show them.
        columns: The numbers of the columns that it reads.
        numbers: The numbers of its columns in their order; empty when a part is an expression.
        condition: Which rows it is of, as DuckDB SQL over the row, or None.
        are_nulls_equal: Whether NULLs are the same; otherwise rows with NULL are alike with none.
        macros: Of each part as ``Table.text_macros`` has it, or empty.
    """

    oid: Oid
    name: str
    parts: tuple[str, ...]
    shown: tuple[str, ...]
    columns: frozenset[int]
    numbers: tuple[int, ...] = ()
    condition: str | None = None
    are_nulls_equal: bool = False
    is_primary: bool = False
    constraint: Oid = INVALID_OID
    is_deferrable: bool = False
    is_deferred: bool = False
    macros: tuple[str, ...] = ()


class Action(StrEnum):
    """What becomes of rows whose referenced row goes or changes; as pg_constraint has it."""

    NO_ACTION = "a"
    RESTRICT = "r"
    CASCADE = "c"
    SET_NULL = "n"
    SET_DEFAULT = "d"

    @property
    def words(self) -> str:
        """The action as it is written."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table whose values are there in another, or the same, table.

    Attributes:
        columns: Their numbers.
        target: The referenced table.
        target_columns: The numbers of the referenced columns, one for each.
        key: The OID of the unique key that these are (``UniqueKey.oid``).
        is_full: MATCH FULL: all are NULL or none; otherwise a row with NULL refers to nothing.
        set_columns: Those that ON DELETE SET NULL or SET DEFAULT sets; empty is all.
        is_deferrable: Whether it can wait until the transaction's end.
        is_deferred: Whether it does so unless it is told otherwise.
        is_valid: Whether rows from before it have been looked at.
    """

    oid: Oid
    name: str
    columns: tuple[int, ...]
    target: Oid
    target_columns: tuple[int, ...]
    key: Oid
    is_full: bool = False
    on_update: Action = Action.NO_ACTION
    on_delete: Action = Action.NO_ACTION
    set_columns: tuple[int, ...] = ()
    is_deferrable: bool = False
    is_deferred: bool = False
    is_valid: bool = True
    comment: str | None = None
