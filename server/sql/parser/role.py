"""CREATE, ALTER and DROP of roles, users and groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.errors import (
    FeatureNotSupported,
    InvalidParameterValue,
    ReservedName,
    SqlSyntaxError,
)
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import assigned_value, parameter_name, shown_name
from server.sql.parser.role_name import role_names
from server.sql.privilege_statement import GrantRoles
from server.sql.role_name import RoleName
from server.sql.role_statement import (
    ASKING,
    AlterRole,
    AlterRoleSet,
    CreateRole,
    DropRoles,
    RenameRole,
    RoleOptions,
)
from server.sql.statement import Statement

KINDS: Final = ("ROLE", "USER", "GROUP")

#: Words that say yes or no to something, without NO in front.
_FLAGS: Final = {
    "SUPERUSER": "is_superuser",
    "CREATEDB": "can_create_database",
    "CREATEROLE": "can_create_user",
    "CREATEUSER": "can_create_user",  # RisingWave's word, and that of old PostgreSQLs.
    "LOGIN": "can_login",
    "INHERIT": "inherits",
}
_NEVER: Final = ("REPLICATION", "BYPASSRLS")
_NOBODY: Final = "none"
_EVERYBODY: Final = "public"
_MEMBERS: Final = ("IN", "ROLE", "USER", "ADMIN")


def parse_create_role(cursor: Cursor, kind: str) -> Statement:
    """Parse what follows CREATE ROLE, USER or GROUP."""
    name = _new_name(cursor)
    cursor.accept("WITH")
    options = _Options(cursor, is_new=True)
    found = options.parse()
    if kind == "USER" and found.can_login is None:
        found = replace(found, can_login=True)
    return CreateRole(
        name,
        found,
        options.in_roles,
        options.members,
        options.admins,
        options.system_id_position,
        source=cursor.source,
    )


def parse_alter_role(cursor: Cursor, kind: str) -> Statement:
    """Parse what follows ALTER ROLE, USER or GROUP."""
    if cursor.word == "ALL" and cursor.word_at(cursor.index + 1) in {"SET", "RESET", "IN"}:
        cursor.expect("ALL")
        return _defaults(cursor, None, is_everybody=True)
    position = cursor.position
    name = _name(cursor)
    if cursor.accept("RENAME", "TO"):
        if name == _EVERYBODY:
            raise _reserved(name, position)
        new_name = _new_name(cursor)
        cursor.expect_end()
        if name is None:
            raise FeatureNotSupported("session user cannot be renamed")
        return RenameRole(name, new_name, source=cursor.source)
    if kind != "GROUP" and cursor.word in {"SET", "RESET", "IN"}:
        return _defaults(cursor, name, is_everybody=False)
    if kind == "GROUP":
        return _alter_group(cursor, name)
    cursor.accept("WITH")
    options = _Options(cursor)
    return AlterRole(name, options.parse(), source=cursor.source)


def _defaults(cursor: Cursor, role: str | None, *, is_everybody: bool) -> AlterRoleSet:
    """Take ``[IN DATABASE d] {SET parameter ... | RESET parameter}``."""
    database = None
    if cursor.accept("IN"):
        cursor.expect("DATABASE")
        database = cursor.name()
    value, is_from_current = None, False
    if cursor.expect_any("SET", "RESET") == "RESET":
        parameter = shown_name(cursor)
        cursor.expect_end()
    else:
        parameter = parameter_name(cursor)
        is_from_current = cursor.accept("FROM", "CURRENT")
        if is_from_current:
            cursor.expect_end()
        else:
            value = assigned_value(cursor)
    return AlterRoleSet(
        role, is_everybody, database, parameter, value, is_from_current, source=cursor.source
    )


def _alter_group(cursor: Cursor, name: str | None) -> Statement:
    is_grant = cursor.expect_any("ADD", "DROP") == "ADD"
    cursor.expect("USER")
    members = role_names(cursor)
    cursor.expect_end()
    if name is None:
        raise InvalidParameterValue("cannot use special role specifier in ALTER GROUP")
    return GrantRoles(is_grant, (name,), members, tag="ALTER ROLE", source=cursor.source)


def parse_drop_roles(cursor: Cursor) -> Statement:
    """Parse what follows DROP ROLE, USER or GROUP."""
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    names = [_dropped(cursor)]
    while cursor.accept(","):
        names.append(_dropped(cursor))
    cursor.expect_end()
    return DropRoles(tuple(names), if_exists, source=cursor.source)


def _name(cursor: Cursor) -> str | None:
    """Take the name of a role; None is whoever is asking."""
    word = cursor.word.lower()
    if word in ASKING:
        cursor.index += 1
        return None
    _refuse_reserved(cursor, _NOBODY)
    return cursor.name_or("USER")


def _new_name(cursor: Cursor) -> str:
    position = cursor.position
    word = cursor.word
    if word.lower() in ASKING:
        raise ReservedName(f"{word} cannot be used as a role name here", position=position)
    _refuse_reserved(cursor, _NOBODY, _EVERYBODY)
    name = cursor.name_or("USER")
    if name.startswith("pg_"):
        raise ReservedName(
            f'role name "{name}" is reserved',
            detail='Role names starting with "pg_" are reserved.',
        )
    return name


def _dropped(cursor: Cursor) -> str:
    _refuse_reserved(cursor, _NOBODY)
    word = cursor.word.lower()
    name = word if word in ASKING else cursor.name_or("USER")
    if name in {*ASKING, _EVERYBODY}:
        raise InvalidParameterValue("cannot use special role specifier in DROP ROLE")
    return name


def _refuse_reserved(cursor: Cursor, *names: str) -> None:
    """Refuse names that mean somebody else, quoted or not."""
    token = cursor.token
    if token is None or cursor.is_at_string:
        return
    name = token.text.lower() if cursor.word else token.text
    if name in names:
        raise _reserved(name, cursor.position)


def _reserved(name: str, position: int) -> ReservedName:
    return ReservedName(f'role name "{name}" is reserved', position=position)


class _Options:
    """The options of a role, each of which may stand once."""

    def __init__(self, cursor: Cursor, *, is_new: bool = False) -> None:
        self._cursor = cursor
        self._is_new = is_new
        self.in_roles: tuple[str, ...] = ()
        self.members: tuple[RoleName, ...] = ()
        self.admins: tuple[RoleName, ...] = ()
        self._values: dict[str, object] = {}
        self.system_id_position: int | None = None

    def parse(self) -> RoleOptions:
        """Take all of them."""
        while not self._cursor.is_at_end:
            self._option()
        return RoleOptions(**self._values)  # type: ignore[arg-type]  # each by its own rule

    def _option(self) -> None:
        cursor, position, word = self._cursor, self._cursor.position, self._cursor.word
        positive = word.removeprefix("NO")
        if positive in _FLAGS:
            cursor.index += 1
            self._put(_FLAGS[positive], position, positive == word)
        elif positive in _NEVER:
            cursor.index += 1
            if positive == word:
                raise FeatureNotSupported(f"{word} is not supported", position=position)
        elif word in {"PASSWORD", "ENCRYPTED", "UNENCRYPTED"}:
            self._password(position)
        elif cursor.accept("CONNECTION"):
            cursor.expect("LIMIT")
            self._connection_limit(position)
        elif cursor.accept("VALID"):
            cursor.expect("UNTIL")
            self._values["valid_until_position"] = cursor.position
            self._put("valid_until", position, cursor.string())
        elif cursor.accept("SYSID"):
            cursor.number()
            self.system_id_position = position
        elif word in _MEMBERS and self._is_new:
            self._membership(position)
        elif word and (word[0].isalpha() or word[0] == "_"):
            text = "" if cursor.token is None else cursor.token.text.lower()
            raise SqlSyntaxError(f'unrecognized role option "{text}"', position=position)
        else:
            raise cursor.error()

    def _membership(self, position: int) -> None:
        cursor = self._cursor
        if cursor.accept("IN"):
            cursor.expect_any("ROLE", "GROUP")
            self._once("in_roles", position)
            self.in_roles = tuple(role.name for role in role_names(cursor))
        elif cursor.accept("ADMIN"):
            self._once("admins", position)
            self.admins = role_names(cursor)
        else:
            cursor.expect_any("ROLE", "USER")
            self._once("members", position)
            self.members = role_names(cursor)

    def _once(self, key: str, position: int) -> None:
        if getattr(self, key):
            raise SqlSyntaxError("conflicting or redundant options", position=position)

    def _password(self, position: int) -> None:
        cursor = self._cursor
        if cursor.accept("UNENCRYPTED"):
            cursor.expect("PASSWORD")
            raise FeatureNotSupported(
                "UNENCRYPTED PASSWORD is no longer supported",
                hint="Remove UNENCRYPTED to store the password in encrypted form instead.",
                position=position,
            )
        is_encrypted = cursor.accept("ENCRYPTED")
        cursor.expect("PASSWORD")
        if not is_encrypted and cursor.accept("NULL"):
            self._put("has_password", position, True)  # noqa: FBT003  # the value of an option
            return
        password = cursor.string()
        self._put("has_password", position, True)  # noqa: FBT003
        self._values["password"] = password

    def _connection_limit(self, position: int) -> None:
        limit = self._cursor.integer()
        if limit < -1:
            raise InvalidParameterValue(f"invalid connection limit: {limit}")
        self._put("connections_max", position, limit)

    def _put(self, key: str, position: int, value: object) -> None:
        if key in self._values:
            raise SqlSyntaxError("conflicting or redundant options", position=position)
        self._values[key] = value
