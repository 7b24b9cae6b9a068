"""Whose session it is, and whose privileges it uses.

Others may rename somebody, or take away what he may do, at any time: what is asked for is found out
again when the server's roles or the session's settings have changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from barrier.manager import BarrierManager
from catalog.errors import InsufficientPrivilege, InvalidParameterValue
from catalog.oid import Oid
from catalog.relation import User
from catalog.roles import READ_ALL_SETTINGS, Access, Roles
from server.settings import Settings

#: What ``role`` is when no other role's privileges are used.
NO_ROLE = "none"


@dataclass(frozen=True, slots=True)
class _Known:
    """What was found out, and for what it holds."""

    roles: Roles
    version: int
    database: str
    session_user: User
    user: User
    access: Access


class Identity:
    """Who has logged in, whom he acts for (SET SESSION AUTHORIZATION), and as whom (SET ROLE).

    Args:
        manager: Knows the roles.
        user: Who has logged in.
        database: Where the session is.

    Attributes:
        settings: The session's; they hold what SET has said.
    """

    settings: Settings

    def __init__(self, manager: BarrierManager, user: User, database: str) -> None:
        self._manager = manager
        self._login = user.oid
        self.database = database
        #: By the names that were given; they may be others' by now.
        self._oids: dict[str, Oid] = {user.name: user.oid}
        self._known: _Known | None = None

    @property
    def login(self) -> User:
        """Who has logged in."""
        return self._user(self._manager.roles, self._login, "")

    @property
    def session_user(self) -> User:
        """Whose session it is."""
        return self._now().session_user

    @property
    def user(self) -> User:
        """Whose privileges are used; somebody who was dropped has none but everybody's."""
        return self._now().user

    @property
    def access(self) -> Access:
        """What he may do."""
        return self._now().access

    def choose(self, parameter: str, name: str) -> str:
        """Return the value of ``role`` or ``session_authorization`` for a name.

        Raises:
            InvalidParameterValue: There is no such role.
            InsufficientPrivilege: It cannot be chosen.
        """
        if parameter == "role" and name == NO_ROLE:
            return name
        roles = self._manager.roles
        found = roles.find(name)
        if found is None:
            raise InvalidParameterValue(f'role "{name}" does not exist')
        if parameter == "role":
            if not roles.is_member(self.session_user, found, self.database):
                raise InsufficientPrivilege(f'permission denied to set role "{name}"')
        elif found.oid != self._login and not self.login.is_superuser:
            raise InsufficientPrivilege(f'permission denied to set session authorization "{name}"')
        self._oids[name] = found.oid
        return name

    def is_superuser(self, name: str) -> bool:
        """Whether somebody who was chosen is a superuser."""
        return self._user(self._manager.roles, self._oids[name], name).is_superuser

    def may_see_all_settings(self) -> bool:
        """Whether the user may look at what is confidential."""
        return self.access.owns(READ_ALL_SETTINGS)

    def _now(self) -> _Known:
        known, roles, version = self._known, self._manager.roles, self.settings.version
        if (
            known is not None
            and known.roles is roles
            and known.version == version
            and known.database == self.database
        ):
            return known
        chosen = self.settings.show("role")
        name = self.settings.show("session_authorization")
        session_user = self._user(roles, self._oids[name], name)
        user = session_user
        if chosen != NO_ROLE:
            user = self._user(roles, self._oids[chosen], chosen)
        access = roles.access(user.oid, self.database)
        self._known = _Known(roles, version, self.database, session_user, user, access)
        return self._known

    @staticmethod
    def _user(roles: Roles, oid: Oid, name: str) -> User:
        return roles.by_oid(oid) or User(oid, name, can_login=False)
