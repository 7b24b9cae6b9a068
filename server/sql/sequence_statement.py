"""CREATE, ALTER and DROP SEQUENCE; part of ``Statement``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from server.sql.clause import QualifiedName, SequenceOptions
from server.sql.role_name import RoleName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class CreateSequence(Parsed):
    """CREATE SEQUENCE."""

    name: QualifiedName
    options: SequenceOptions
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSequence(Parsed):
    """ALTER SEQUENCE: exactly one of the four is there."""

    name: QualifiedName
    if_exists: bool = False
    options: SequenceOptions | None = None
    new_name: str | None = None
    schema: str | None = None
    owner: RoleName | None = None


@dataclass(frozen=True, slots=True)
class DropSequence(Parsed):
    """DROP SEQUENCE."""

    names: tuple[QualifiedName, ...]
    if_exists: bool = False
    is_cascade: bool = False


@dataclass(frozen=True, slots=True)
class CommentOnSequence(Parsed):
    """COMMENT ON SEQUENCE; without a text it is taken away."""

    name: QualifiedName
    text_of: str | None


SequenceStatement: TypeAlias = CreateSequence | AlterSequence | DropSequence | CommentOnSequence
