"""CREATE INDEX."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from server.sql.clause import ColumnName, Option, QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class IndexPart:
    """A part of an index's key: a column, or an expression and its text."""

    column: ColumnName | None
    expression: exp.Expr | None = None
    text: str | None = None
    is_descending: bool = False
    has_nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class CreateIndex(Parsed):
    """CREATE INDEX."""

    table: QualifiedName
    parts: tuple[IndexPart, ...]
    name: ColumnName | None = None
    include: tuple[ColumnName, ...] = ()
    if_not_exists: bool = False
    is_unique: bool = False
    are_nulls_equal: bool = False
    where: exp.Expr | None = None
    where_text: str | None = None
    options: tuple[Option, ...] = ()
