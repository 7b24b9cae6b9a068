"""ALTER of tables and views, and TRUNCATE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from server.sql.clause import (
    CheckDefinition,
    ColumnDefinition,
    ColumnName,
    Deferral,
    KeyDefinition,
    ObjectKind,
    Option,
    QualifiedName,
    ReferenceDefinition,
    SequenceOptions,
    WatermarkDefinition,
    WrittenCollation,
)
from server.sql.role_name import RoleName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class AddColumn:
    """ADD COLUMN."""

    definition: ColumnDefinition
    checks: tuple[CheckDefinition, ...] = ()
    keys: tuple[KeyDefinition, ...] = ()
    references: tuple[ReferenceDefinition, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    """DROP COLUMN."""

    column: ColumnName
    if_exists: bool = False
    is_cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """RENAME COLUMN, which stands alone."""

    column: ColumnName
    new_name: ColumnName


@dataclass(frozen=True, slots=True)
class SetDefault:
    """ALTER COLUMN SET DEFAULT, or DROP DEFAULT without one."""

    column: ColumnName
    default: exp.Expr | None = None
    default_text: str | None = None


@dataclass(frozen=True, slots=True)
class SetNotNull:
    """ALTER COLUMN SET NOT NULL, or DROP NOT NULL."""

    column: ColumnName
    is_not_null: bool


@dataclass(frozen=True, slots=True)
class SetIdentity:
    """ALTER COLUMN ADD GENERATED ... AS IDENTITY, SET GENERATED or DROP IDENTITY.

    Attributes:
        identity: As ``Column.identity``; empty where it is dropped.
        sequence: What is said of its sequence, where it is added.
    """

    column: ColumnName
    identity: str
    sequence: SequenceOptions | None = None
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetType:
    """ALTER COLUMN TYPE."""

    column: ColumnName
    type: str
    type_position: int | None = None
    using: exp.Expr | None = None
    collation: WrittenCollation | None = None


@dataclass(frozen=True, slots=True)
class AddCheck:
    """ADD CONSTRAINT ... CHECK."""

    check: CheckDefinition


@dataclass(frozen=True, slots=True)
class AddKey:
    """ADD CONSTRAINT ... PRIMARY KEY or UNIQUE."""

    key: KeyDefinition


@dataclass(frozen=True, slots=True)
class AddReference:
    """ADD CONSTRAINT ... FOREIGN KEY."""

    reference: ReferenceDefinition


@dataclass(frozen=True, slots=True)
class DropConstraint:
    """DROP CONSTRAINT."""

    name: str
    if_exists: bool = False
    is_cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameConstraint:
    """RENAME CONSTRAINT, which stands alone."""

    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class ValidateConstraint:
    """VALIDATE CONSTRAINT."""

    name: str


@dataclass(frozen=True, slots=True)
class SetDeferral:
    """ALTER CONSTRAINT."""

    name: str
    deferral: Deferral


@dataclass(frozen=True, slots=True)
class SetStorage:
    """SET or RESET of storage parameters."""

    options: tuple[Option, ...]
    is_reset: bool = False


@dataclass(frozen=True, slots=True)
class AlterWatermark:
    """ALTER WATERMARK."""

    watermark: WatermarkDefinition


@dataclass(frozen=True, slots=True)
class SetQuery:
    """AS, of a materialized view, which stands alone."""

    query: exp.Expr
    text: str


@dataclass(frozen=True, slots=True)
class SetOwner:
    """OWNER TO."""

    owner: RoleName


ConstraintAction: TypeAlias = (
    AddKey | AddReference | DropConstraint | RenameConstraint | ValidateConstraint | SetDeferral
)

TableAction: TypeAlias = (
    AddColumn
    | DropColumn
    | RenameColumn
    | SetDefault
    | SetNotNull
    | SetIdentity
    | SetType
    | AddCheck
    | AlterWatermark
    | SetQuery
    | ConstraintAction
    | SetStorage
    | SetOwner
)


@dataclass(frozen=True, slots=True)
class AlterRelation(Parsed):
    """ALTER TABLE, VIEW or MATERIALIZED VIEW with one or several actions."""

    kind: ObjectKind
    name: QualifiedName
    actions: tuple[TableAction, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSchemaOf(Parsed):
    """ALTER ... SET SCHEMA."""

    kind: ObjectKind
    name: QualifiedName
    schema: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSwap(Parsed):
    """ALTER ... SWAP WITH."""

    kind: ObjectKind
    name: QualifiedName
    other: QualifiedName


@dataclass(frozen=True, slots=True)
class Truncate(Parsed):
    """TRUNCATE."""

    tables: tuple[QualifiedName, ...]
    restarts: bool = False  #: RESTART IDENTITY.
    is_cascade: bool = False


AlterRelationStatement: TypeAlias = AlterRelation | AlterSchemaOf | AlterSwap
