"""What can become of a catalog; ``catalog.state`` applies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from catalog.function import FunctionChange
from catalog.grant import PrivilegeChange
from catalog.oid import Oid
from catalog.relation import Relation, Schema, View
from catalog.secret import SecretChange
from catalog.sequence import SequenceChange
from catalog.type_change import TypeChange


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """Add a schema."""

    schema: Schema


@dataclass(frozen=True, slots=True)
class DropSchema:
    """Take an empty schema away."""

    name: str


@dataclass(frozen=True, slots=True)
class ChangeSchema:
    """Put a schema in the place of the one of that name."""

    schema: Schema


@dataclass(frozen=True, slots=True)
class CreateRelation:
    """Add a relation.

    Attributes:
        relation: What is added.
        based_on: What it reads, also through views, as it was when its query was bound.
    """

    relation: Relation
    based_on: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceRelation:
    """Put a relation in the place of the one with the same OID; for who knows it as it is now."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class RenameRelation:
    """Give a relation another name in its schema, whatever else has become of it meanwhile."""

    oid: Oid
    name: str


@dataclass(frozen=True, slots=True)
class AlterRelation:
    """Make something else of a relation, if it and its readers are still as they were looked at.

    Attributes:
        before: The relation as it was looked at.
        after: What becomes of it.
        readers: What reads it directly; None where that does not matter.
        values: By column number, SQL over the table's rows for what its columns hold then.
    """

    before: Relation
    after: Relation
    readers: frozenset[Oid] | None = None
    values: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplaceView:
    """Give a view another query, if it is still as it was looked at and nothing stored reads it.

    Attributes:
        before: The view as it was looked at.
        after: What becomes of it.
        based_on: As of ``CreateRelation``.
    """

    before: View
    after: View
    based_on: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class SwapRelations:
    """Let two relations change names and schemas with each other."""

    before: tuple[Relation, Relation]


@dataclass(frozen=True, slots=True)
class DropRelations:
    """Take relations away, all or none."""

    oids: frozenset[Oid]


Change: TypeAlias = (
    CreateSchema
    | DropSchema
    | CreateRelation
    | ReplaceRelation
    | RenameRelation
    | AlterRelation
    | ReplaceView
    | SwapRelations
    | DropRelations
    | ChangeSchema
    | FunctionChange
    | SequenceChange
    | SecretChange
    | PrivilegeChange
    | TypeChange
)
