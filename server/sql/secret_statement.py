"""Statements about secrets; part of ``Statement``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from server.sql.clause import Option, QualifiedName
from server.sql.role_name import RoleName
from server.sql.source import Parsed


@dataclass(frozen=True, slots=True)
class CreateSecret(Parsed):
    """CREATE SECRET; without a value it is NULL."""

    name: QualifiedName
    options: tuple[Option, ...]
    value: str | None = field(repr=False)
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterSecret(Parsed):
    """ALTER SECRET ... AS; ``options`` are those of WITH."""

    name: QualifiedName
    options: tuple[Option, ...]
    value: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class GiveSecret(Parsed):
    """ALTER SECRET ... OWNER TO."""

    name: QualifiedName
    owner: RoleName


SecretStatement: TypeAlias = CreateSecret | AlterSecret | GiveSecret
