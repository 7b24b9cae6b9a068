"""The statements about who may do what and to whom things belong; part of ``Statement``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from server.sql.clause import ColumnName, ObjectKind, QualifiedName
from server.sql.role_name import RoleName
from server.sql.source import Parsed


class TargetKind(StrEnum):
    """What GRANT can be about, as it is written; without a word it is a table."""

    RELATION = ""
    TABLE = "TABLE"
    VIEW = "VIEW"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    SOURCE = "SOURCE"
    SINK = "SINK"
    SUBSCRIPTION = "SUBSCRIPTION"
    SEQUENCE = "SEQUENCE"
    DATABASE = "DATABASE"
    SCHEMA = "SCHEMA"
    FUNCTION = "FUNCTION"
    PROCEDURE = "PROCEDURE"
    ROUTINE = "ROUTINE"
    TYPE = "TYPE"
    DOMAIN = "DOMAIN"
    SECRET = "SECRET"  # noqa: S105 - a word


@dataclass(frozen=True, slots=True)
class WrittenPrivilege:
    """A privilege as written, in lower case, and the columns that it is restricted to."""

    name: str
    columns: tuple[ColumnName, ...] = ()
    position: int | None = None


@dataclass(frozen=True, slots=True)
class GrantTarget:
    """What GRANT is about.

    Attributes:
        names: The objects; with ``is_whole_schema`` the schemas.
        is_whole_schema: Whether it is everything of that kind in some schemas.
        arguments: Of functions, the types as written; None where none are.
    """

    kind: TargetKind
    names: tuple[QualifiedName, ...]
    is_whole_schema: bool = False
    arguments: tuple[tuple[str, ...] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Grant(Parsed):
    """GRANT or REVOKE of privileges.

    Attributes:
        privileges: None is ALL.
        has_option: WITH GRANT OPTION, or GRANT OPTION FOR.
    """

    is_grant: bool
    privileges: tuple[WrittenPrivilege, ...] | None
    target: GrantTarget
    grantees: tuple[RoleName, ...]
    has_option: bool = False
    is_cascade: bool = False
    grantor: RoleName | None = None


@dataclass(frozen=True, slots=True)
class GrantRoles(Parsed):
    """GRANT or REVOKE of membership.

    Attributes:
        has_option: WITH ADMIN OPTION, or ADMIN OPTION FOR.
    """

    is_grant: bool
    roles: tuple[str, ...]
    grantees: tuple[RoleName, ...]
    has_option: bool = False
    grantor: RoleName | None = None
    tag: str | None = None  #: Where it is not GRANT ROLE or REVOKE ROLE.


@dataclass(frozen=True, slots=True)
class AlterDefaultPrivileges(Parsed):
    """ALTER DEFAULT PRIVILEGES.

    Attributes:
        kind: Of the objects, as written: ``TABLES``.
        roles: Who makes them; empty is whoever is asking.
        schemas: Where; empty is anywhere.
    """

    is_grant: bool
    privileges: tuple[WrittenPrivilege, ...] | None
    kind: str
    grantees: tuple[RoleName, ...]
    roles: tuple[RoleName, ...] = ()
    schemas: tuple[str, ...] = ()
    has_option: bool = False
    is_cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterOwner(Parsed):
    """ALTER ... OWNER TO."""

    kind: ObjectKind
    name: QualifiedName
    owner: RoleName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class ReassignOwned(Parsed):
    """REASSIGN OWNED."""

    roles: tuple[RoleName, ...]
    owner: RoleName


@dataclass(frozen=True, slots=True)
class DropOwned(Parsed):
    """DROP OWNED."""

    roles: tuple[RoleName, ...]
    is_cascade: bool = False


PrivilegeStatement: TypeAlias = (
    Grant | GrantRoles | AlterDefaultPrivileges | AlterOwner | ReassignOwned | DropOwned
)
