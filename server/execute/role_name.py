"""From the names of roles in statements to the roles."""

from __future__ import annotations

from catalog.acl import PUBLIC
from catalog.errors import UndefinedObject
from catalog.relation import User
from server.session_state import SessionState
from server.sql.role_name import RoleName, RoleWord


def role_of(state: SessionState, named: RoleName) -> User:
    """Return the role that is named; PUBLIC is none.

    Raises:
        UndefinedObject: There is no such role.
    """
    match named.word:
        case RoleWord.CURRENT:
            return state.user
        case RoleWord.SESSION:
            return state.identity.session_user
        case _:
            return role_called(state, named.name)


def role_called(state: SessionState, name: str) -> User:
    """Return the role of that name.

    Raises:
        UndefinedObject: There is no such role.
    """
    user = state.manager.user(name)
    if user is None:
        raise UndefinedObject(f'role "{name}" does not exist')
    return user


def grantee_of(state: SessionState, named: RoleName) -> str:
    """Return what lists call somebody to whom something is granted.

    Raises:
        UndefinedObject: There is no such role.
    """
    return PUBLIC if named.word is RoleWord.PUBLIC else role_of(state, named).name
