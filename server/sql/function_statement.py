"""CREATE, ALTER and DROP FUNCTION; part of ``Statement``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from server.sql.clause import QualifiedName
from server.sql.role_name import RoleName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class ParameterDefinition:
    """A parameter: its name, empty without one, its type as written, and its default's text."""

    name: str
    type: str
    position: int
    default: str | None = None


@dataclass(frozen=True, slots=True)
class CreateFunction(Parsed):
    """CREATE FUNCTION.

    Attributes:
        result: The type after RETURNS, or None for RETURNS TABLE.
        columns: Of RETURNS TABLE.
        returns_set: Whether RETURNS SETOF is written.
        language: In small letters.
        body: The text after AS, or the expression after RETURN.
        body_position: Where that stands.
    """

    name: QualifiedName
    parameters: tuple[ParameterDefinition, ...]
    result: str | None
    result_position: int
    columns: tuple[ParameterDefinition, ...]
    language: str
    body: str
    body_position: int
    returns_set: bool = False
    is_expression: bool = False
    volatility: str = "v"
    is_strict: bool = False
    replaces: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function, by its name and, if they are written, its arguments' types."""

    name: QualifiedName
    types: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class DropFunction(Parsed):
    """DROP FUNCTION."""

    functions: tuple[FunctionName, ...]
    if_exists: bool = False
    is_cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterFunction(Parsed):
    """ALTER FUNCTION: exactly one of the last three is there."""

    function: FunctionName
    new_name: str | None = None
    schema: str | None = None
    owner: RoleName | None = None


@dataclass(frozen=True, slots=True)
class CommentOnFunction(Parsed):
    """COMMENT ON FUNCTION; without a text it is taken away."""

    function: FunctionName
    text_of: str | None


FunctionStatement: TypeAlias = CreateFunction | DropFunction | AlterFunction | CommentOnFunction
