"""SHOW and DESCRIBE.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from server.sql.clause import ObjectKind, QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class Show(Parsed):
    """SHOW of a parameter; ``all`` shows every one."""

    name: str


@dataclass(frozen=True, slots=True)
class ShowObjects(Parsed):
    """SHOW TABLES and the like."""

    kind: str  #: In upper case: ``MATERIALIZED VIEWS``.
    schema: str | None = None
    pattern: str | None = None
    is_case_insensitive: bool = False


@dataclass(frozen=True, slots=True)
class ShowColumns(Parsed):
    """SHOW COLUMNS FROM."""

    relation: QualifiedName


@dataclass(frozen=True, slots=True)
class ShowIndexes(Parsed):
    """SHOW INDEXES FROM."""

    relation: QualifiedName


@dataclass(frozen=True, slots=True)
class ShowCreate(Parsed):
    """SHOW CREATE TABLE and the like."""

    kind: ObjectKind
    name: QualifiedName


@dataclass(frozen=True, slots=True)
class Describe(Parsed):
    """DESCRIBE."""

    relation: QualifiedName


ShowStatement: TypeAlias = Show | ShowObjects | ShowColumns | ShowIndexes | ShowCreate | Describe
