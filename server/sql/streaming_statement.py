"""Statements about barriers and streaming jobs.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from catalog.job_config import ConfigEntry
from server.sql.clause import (
    ColumnDefinition,
    ColumnName,
    ObjectKind,
    Option,
    QualifiedName,
    WatermarkDefinition,
)
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class Flush(Parsed):
    """FLUSH."""


@dataclass(frozen=True, slots=True)
class Wait(Parsed):
    """WAIT until the jobs that are being created are, or what has that name is.

    Attributes:
        kind: MATERIALIZED VIEW, TABLE or INDEX; empty is all jobs.
    """

    kind: str = ""
    name: QualifiedName | None = None


@dataclass(frozen=True, slots=True)
class Recover(Parsed):
    """RECOVER: fill what has failed anew."""


@dataclass(frozen=True, slots=True)
class CancelJobs(Parsed):
    """CANCEL JOBS."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExplainMaterializedView(Parsed):
    """EXPLAIN MATERIALIZED VIEW: how a view that is there is maintained."""

    name: QualifiedName
    is_verbose: bool = False


@dataclass(frozen=True, slots=True)
class CheckMaterializedView(Parsed):
    """CHECK MATERIALIZED VIEW: where a view and its query differ."""

    name: QualifiedName


@dataclass(frozen=True, slots=True)
class RefreshView(Parsed):
    """REFRESH MATERIALIZED VIEW."""

    name: QualifiedName


@dataclass(frozen=True, slots=True)
class CreateSink(Parsed):
    """CREATE SINK, or REPLACE SINK of one that is there."""

    name: QualifiedName
    query: exp.Expr
    options: tuple[Option, ...]
    if_not_exists: bool = False
    replaces: bool = False
    target: QualifiedName | None = None  #: The table of INTO.
    target_columns: tuple[ColumnName, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateSource(Parsed):
    """CREATE SOURCE; FORMAT and ENCODE in upper case, or empty."""

    name: QualifiedName
    columns: tuple[ColumnDefinition, ...]
    options: tuple[Option, ...]
    if_not_exists: bool = False
    format: str = ""
    encode: str = ""
    watermark: WatermarkDefinition | None = None


@dataclass(frozen=True, slots=True)
class AlterSourceRate(Parsed):
    """ALTER SOURCE or TABLE ... SET SOURCE_RATE_LIMIT; None is DEFAULT."""

    kind: ObjectKind
    name: QualifiedName
    limit: str | None
    position: int
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterJobConfig(Parsed):
    """ALTER of a streaming job with SET CONFIG or RESET CONFIG."""

    kind: ObjectKind
    name: QualifiedName
    entries: tuple[ConfigEntry, ...]
    if_exists: bool = False


StreamingStatement: TypeAlias = (
    Flush
    | Wait
    | Recover
    | CancelJobs
    | ExplainMaterializedView
    | CheckMaterializedView
    | RefreshView
    | CreateSink
    | CreateSource
    | AlterSourceRate
    | AlterJobConfig
)
