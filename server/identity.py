"""Whose session it is: others may rename him, or take away what he may do, at any time."""

from __future__ import annotations

from barrier.manager import BarrierManager
from catalog.relation import User


class Identity:
    """The user of a session."""

    def __init__(self, manager: BarrierManager, user: User) -> None:
        self._manager = manager
        self._oid = user.oid
        self._name = user.name

    @property
    def user(self) -> User:
        """The user as he is now; somebody who was dropped meanwhile may do nothing special."""
        found = self._manager.user(self._name)
        if found is None or found.oid != self._oid:
            found = self._manager.user_by_oid(self._oid) or User(self._oid, self._name)
            self._name = found.name
        return found
