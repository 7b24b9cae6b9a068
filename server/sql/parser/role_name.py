"""The names of roles, and the words that mean one."""

from __future__ import annotations

from typing import Final

from catalog.errors import ReservedName
from server.sql.parser.cursor import Cursor
from server.sql.role_name import RoleName, RoleWord

_WORDS: Final = {
    "CURRENT_USER": RoleWord.CURRENT,
    "CURRENT_ROLE": RoleWord.CURRENT,
    "SESSION_USER": RoleWord.SESSION,
}


def role_names(cursor: Cursor) -> tuple[RoleName, ...]:
    """Take the names of roles."""
    names = [role_name(cursor)]
    while cursor.accept(","):
        names.append(role_name(cursor))
    return tuple(names)


def role_name(cursor: Cursor) -> RoleName:
    """Take the name of a role, or a word that means one."""
    if cursor.word == "GROUP":
        cursor.index += 1
    word = _WORDS.get(cursor.word)
    if word is not None:
        cursor.index += 1
        return RoleName("", word)
    position = cursor.position
    token = cursor.token
    if token is not None and not cursor.is_at_string and token.text.lower() == "none":
        raise ReservedName('role name "none" is reserved', position=position)
    name = cursor.name_or("USER")
    return RoleName(name, RoleWord.PUBLIC if name == "public" else None)
