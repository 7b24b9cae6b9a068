"""COMMENT on what is no function and no sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from server.sql.clause import ColumnName, ObjectKind, QualifiedName
from server.sql.role_name import RoleName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class Comment(Parsed):
    """COMMENT ON; without a text it is taken away.

    Attributes:
        column: Of COMMENT ON COLUMN; ``name`` is the relation or composite type then.
    """

    kind: ObjectKind
    name: QualifiedName
    text_of: str | None
    column: ColumnName | None = None


@dataclass(frozen=True, slots=True)
class CommentOnConstraint(Parsed):
    """COMMENT ON CONSTRAINT of a table or domain."""

    constraint: str
    name: QualifiedName
    text_of: str | None
    is_of_domain: bool = False


@dataclass(frozen=True, slots=True)
class CommentOnRole(Parsed):
    """COMMENT ON ROLE."""

    role: RoleName
    text_of: str | None


CommentStatement: TypeAlias = Comment | CommentOnConstraint | CommentOnRole
