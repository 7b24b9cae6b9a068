"""CREATE TYPE, CREATE DOMAIN and their ALTERs as values.

They are part of ``server.sql.statement``, which is where others import them from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from server.sql.clause import CheckDefinition, ColumnName, QualifiedName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class WrittenType:
    """A type as it is written, with small letters and single blanks."""

    text: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class CreateEnum(Parsed):
    """CREATE TYPE ... AS ENUM."""

    name: QualifiedName
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CreateComposite(Parsed):
    """CREATE TYPE ... AS (...)."""

    name: QualifiedName
    members: tuple[tuple[ColumnName, WrittenType], ...]


@dataclass(frozen=True, slots=True)
class CreateDomain(Parsed):
    """CREATE DOMAIN."""

    name: QualifiedName
    base: WrittenType
    is_not_null: bool = False
    default: exp.Expr | None = None
    default_text: str | None = None
    checks: tuple[CheckDefinition, ...] = ()


@dataclass(frozen=True, slots=True)
class AddEnumValue(Parsed):
    """ALTER TYPE ... ADD VALUE; ``beside`` is the label that it goes before or after."""

    name: QualifiedName
    label: str
    if_not_exists: bool = False
    beside: str | None = None
    is_before: bool = False


@dataclass(frozen=True, slots=True)
class RenameEnumValue(Parsed):
    """ALTER TYPE ... RENAME VALUE."""

    name: QualifiedName
    label: str
    new_label: str


@dataclass(frozen=True, slots=True)
class SetDomainDefault(Parsed):
    """ALTER DOMAIN ... SET DEFAULT; None is DROP DEFAULT."""

    name: QualifiedName
    default: exp.Expr | None
    default_text: str | None = None


@dataclass(frozen=True, slots=True)
class SetDomainNotNull(Parsed):
    """ALTER DOMAIN ... SET NOT NULL and DROP NOT NULL."""

    name: QualifiedName
    is_not_null: bool


@dataclass(frozen=True, slots=True)
class AddDomainCheck(Parsed):
    """ALTER DOMAIN ... ADD CHECK."""

    name: QualifiedName
    check: CheckDefinition


@dataclass(frozen=True, slots=True)
class DropDomainCheck(Parsed):
    """ALTER DOMAIN ... DROP CONSTRAINT."""

    name: QualifiedName
    check: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameDomainCheck(Parsed):
    """ALTER DOMAIN ... RENAME CONSTRAINT."""

    name: QualifiedName
    check: str
    new_name: str


AlterDomain: TypeAlias = (
    SetDomainDefault | SetDomainNotNull | AddDomainCheck | DropDomainCheck | RenameDomainCheck
)
TypeStatement: TypeAlias = (
    CreateEnum | CreateComposite | CreateDomain | AddEnumValue | RenameEnumValue | AlterDomain
)
