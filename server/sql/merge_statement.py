"""MERGE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from server.sql.clause import Assignment, ColumnName, QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class MergeUpdate:
    """THEN UPDATE SET."""

    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class MergeDelete:
    """THEN DELETE."""


@dataclass(frozen=True, slots=True)
class MergeInsert:
    """THEN INSERT; without values it is DEFAULT VALUES, DEFAULT among them is None."""

    columns: tuple[ColumnName, ...] = ()
    values: tuple[exp.Expr | None, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeNothing:
    """THEN DO NOTHING."""


MergeAction: TypeAlias = MergeUpdate | MergeDelete | MergeInsert | MergeNothing


@dataclass(frozen=True, slots=True)
class When:
    """WHEN [NOT] MATCHED."""

    is_matched: bool
    action: MergeAction
    condition: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Merge(Parsed):
    """MERGE; ``source`` of rows is ``SELECT * FROM`` the item after USING."""

    table: QualifiedName
    using: exp.Select
    on: exp.Expr
    whens: tuple[When, ...]
    alias: str | None = None
    with_: exp.With | None = None
