"""Statements that look after what is stored: VACUUM, ANALYZE, CHECKPOINT.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass

from server.sql.clause import ColumnName, QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class Target:
    """What VACUUM or ANALYZE is asked to look after; without columns all of them."""

    name: QualifiedName
    columns: tuple[ColumnName, ...] = ()


@dataclass(frozen=True, slots=True)
class Vacuum(Parsed):
    """VACUUM; without targets the whole database."""

    targets: tuple[Target, ...] = ()
    is_full: bool = False
    is_analyze: bool = False
    is_verbose: bool = False


@dataclass(frozen=True, slots=True)
class Analyze(Parsed):
    """ANALYZE; without targets the whole database."""

    targets: tuple[Target, ...] = ()
    is_verbose: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint(Parsed):
    """CHECKPOINT."""
