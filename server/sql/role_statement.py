"""The statements about users, who are roles that may log in; part of ``Statement``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from server.sql.role_name import RoleName
from server.sql.source import Parsed

#: Words that name whoever is asking.
ASKING: Final = ("current_user", "current_role", "session_user")


@dataclass(frozen=True, slots=True)
class RoleOptions:
    """What a statement says of a role; None is left as it is."""

    is_superuser: bool | None = None
    can_create_database: bool | None = None
    can_create_user: bool | None = None
    can_login: bool | None = None
    inherits: bool | None = None
    connections_max: int | None = None
    valid_until: str | None = None
    valid_until_position: int | None = None
    has_password: bool = False
    password: str | None = field(default=None, repr=False)  #: None with ``has_password`` is NULL.

    @property
    def is_password_alone(self) -> bool:
        """Whether nothing but the password is said."""
        return self.has_password and all(
            value is None
            for value in (
                *(self.is_superuser, self.can_create_database, self.can_create_user),
                *(self.can_login, self.inherits, self.connections_max, self.valid_until),
            )
        )


@dataclass(frozen=True, slots=True)
class CreateRole(Parsed):
    """CREATE ROLE, USER or GROUP."""

    name: str
    options: RoleOptions
    in_roles: tuple[str, ...] = ()  #: What it becomes a member of.
    members: tuple[RoleName, ...] = ()
    admins: tuple[RoleName, ...] = ()
    system_id_position: int | None = None  #: Where SYSID is written, which says nothing any more.


@dataclass(frozen=True, slots=True)
class AlterRole(Parsed):
    """ALTER ROLE or USER; None is whoever is asking."""

    name: str | None
    options: RoleOptions


@dataclass(frozen=True, slots=True)
class RenameRole(Parsed):
    """ALTER ROLE, USER or GROUP ... RENAME TO."""

    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class DropRoles(Parsed):
    """DROP ROLE, USER or GROUP."""

    names: tuple[str, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterRoleSet(Parsed):
    """ALTER ROLE with SET or RESET.

    Attributes:
        role: Whose sessions; None is whoever is asking.
        is_everybody: Whether those of all roles are meant.
        database: In which database; None is in all.
        parameter: Which one; ``all`` of RESET ALL.
        value: None takes the value away.
        is_from_current: Whether it is what the session has.
    """

    role: str | None
    is_everybody: bool
    database: str | None
    parameter: str
    value: str | None
    is_from_current: bool = False


RoleStatement: TypeAlias = CreateRole | AlterRole | AlterRoleSet | RenameRole | DropRoles
