"""What has_table_privilege() and its kind answer (PostgreSQL 15, chapter 9.26.2).

Users and objects come as texts: ``=`` and a name, or ``#`` and an OID.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from catalog.acl import (
    ALL,
    ON_COLUMN,
    PUBLIC,
    Acl,
    AclItem,
    Kind,
    Privilege,
    default_acl,
    merged,
    options_of,
    privileges_of,
)
from catalog.errors import (
    InsufficientPrivilege,
    InvalidName,
    InvalidParameterValue,
    PgError,
    UndefinedColumn,
    UndefinedDatabase,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from catalog.oid import Oid
from catalog.relation import Relation, User
from catalog.roles import Access, may_use
from catalog.state import Catalog
from catalog.system.registry import SECRET_RELATIONS, SYSTEM_RELATIONS
from catalog.types import by_oid
from server.session_state import SessionState
from server.sql.functions.registry import function_names
from server.sql.object_text import name_parts

_KINDS: Final = {
    "table": Kind.RELATION,
    "column": Kind.RELATION,
    "sequence": Kind.SEQUENCE,
    "schema": Kind.SCHEMA,
    "database": Kind.DATABASE,
    "function": Kind.FUNCTION,
    "type": Kind.TYPE,
}
_OPTION: Final = " WITH GRANT OPTION"
#: Letters of kinds that are not here and have USAGE alone: languages, foreign data and servers.
_USED: Final = ("l", "F", "S")
#: What everybody has of a system relation, but for those that tell of passwords.
_READABLE: Final = (AclItem(PUBLIC, "root", Privilege.SELECT),)
#: What pg_has_role asks for.
_MEMBERSHIPS: Final = ("USAGE", "MEMBER")

#: Of each kind of object, what RisingWave calls the argument that names it, and what it says.
_ARGUMENTS: Final = {
    "table": ("name", "class not found: {}"),
    "column": ("name", "class not found: {}"),
    "sequence": ("name", "class not found: {}"),
    "schema": ("schema", "schema not found: {}"),
    "database": ("database", "database not found: {}"),
    "function": ("function", "function not found: {}"),
    "type": ("type", "type not found: {}"),
}

#: A privilege, and whether it must be one that may be passed on.
_Asked = tuple[Privilege, bool]


def has_privilege(  # noqa: PLR0917 -- the engine calls it with them in this order
    state: SessionState, what: str, user: str, named: str, asked: str, column: str | None = None
) -> bool | None:
    """Return whether a user may do one of some things with an object.

    Args:
        state: The session that asks.
        what: The kind of object: ``table``.
        user: Who; empty is the session's.
        named: The object.
        asked: Names of privileges with commas between.
        column: Of ``column``, which: ``=`` and its name, or ``#`` and its number; None is any.

    Returns:
        None for an OID of nothing.

    Raises:
        PgError: The user, the object or a privilege does not exist.
    """
    with _about(state, "user", "User {} not found"):
        access = _access(state, user)
    kind = _KINDS[what]
    with _about(state, *_ARGUMENTS[what]):
        held = _held(state, what, named)
    with _about(state, "privilege"):
        privileges = list(_privileges(what, asked))
    if held is None:
        return None
    owner, acl = held
    list_ = default_acl(kind, owner) if acl is None else acl
    if what == "column":
        list_ = _with_columns(list_, _find_relation(state, named), column)
    return any(_has(access, kind, owner, list_, one) for one in privileges)


@contextmanager
def _about(state: SessionState, argument: str, words: str = "") -> Iterator[None]:
    """Have an error name the argument that it is about, where RisingWave's habits are followed.

    Args:
        state: The session that asks.
        argument: The argument's name.
        words: What RisingWave says, with a place for the name of what does not exist.
    """
    try:
        yield
    except PgError as e:
        if state.settings.is_peer:
            name = re.search(r'"(.*)"', e.message)
            told = words.format(name[1]) if words and name is not None else e.message
            e.message = f"Invalid parameter {argument}: {told}"
        raise


def _with_columns(acl: Acl, relation: Relation | None, column: str | None) -> Acl:
    """Return what is granted of a relation and of one of its columns, or of any."""
    for held in () if relation is None else relation.columns:
        if column in (None, f"#{held.number}", f"={held.name}"):
            acl = merged(acl, held.acl)
    return acl


def has_column_privilege(
    state: SessionState, user: str, named: str, column: str, asked: str
) -> bool | None:
    """As ``has_privilege``, of a column: ``=`` and its name, or ``#`` and its number."""
    relation = _find_relation(state, named)
    if relation is not None:
        numbers = {f"#{c.number}" for c in relation.columns}
        if column not in numbers | {f"={c.name}" for c in relation.columns}:
            if column[0] == "#":
                return None
            raise UndefinedColumn(
                f'column "{column[1:]}" of relation "{relation.name}" does not exist'
            )
    return has_privilege(state, "column", user, named, asked, column)


def has_role(state: SessionState, user: str, role: str, asked: str) -> bool:
    """Return whether a user has a role's privileges (USAGE) or may become it (MEMBER).

    Raises:
        PgError: A role or what is asked does not exist.
    """
    member = state.user if not user else _user(state, user)
    group = _user(state, role)
    if member is None or group is None:
        return False
    roles = state.manager.roles
    found = False
    for word in (part.strip().upper() for part in asked.split(",")):
        name, _, suffix = word.partition(" WITH ")
        if name not in _MEMBERSHIPS or suffix not in ("", "ADMIN OPTION", "GRANT OPTION"):
            raise InvalidParameterValue(f'unrecognized privilege type: "{word}"')
        if suffix:
            found |= roles.is_admin(member, group)
        elif name == "MEMBER":
            found |= roles.is_member(member, group, state.database)
        else:
            found |= roles.access(member.oid, state.database).owns(group.name)
    return found


def acl_default(state: SessionState, letter: str, oid: int) -> list[str]:
    """Return the list that an object has as long as nobody has said otherwise.

    Args:
        state: The session that asks.
        letter: The kind of object; there may be none of that kind here.
        oid: Its owner.

    Raises:
        InvalidParameterValue: PostgreSQL knows no such kind.
    """
    owner = state.manager.roles.by_oid(Oid(oid))
    name = str(oid) if owner is None else owner.name
    if letter == "c":
        return []  # A column has what its relation has.
    if letter in _USED:
        own = AclItem(name, name, Privilege.USAGE)
        return [str(own)] if letter != "l" else [f"=U/{name}", str(own)]
    if letter not in set(Kind):
        raise InvalidParameterValue(f"unrecognized object type abbreviation: {letter}")
    return [str(item) for item in default_acl(Kind(letter), name)]


def _has(access: Access, kind: Kind, owner: str, acl: Acl, asked: _Asked) -> bool:
    privilege, must_pass_on = asked
    if access.is_superuser:
        return True
    if must_pass_on:
        return access.owns(owner) or privilege in options_of(acl, access.roles)
    return bool(privileges_of(acl, access.roles) & privilege) or access.has(
        acl, kind, owner, privilege
    )


def _privileges(what: str, asked: str) -> Iterator[_Asked]:
    allowed = ON_COLUMN if what == "column" else ALL[_KINDS[what]]
    known = {str(privilege.name): privilege for privilege in allowed}
    if Privilege.TEMPORARY in allowed:
        known["TEMP"] = Privilege.TEMPORARY
    for part in asked.split(","):
        word = part.strip().upper()
        name = word.removesuffix(_OPTION)
        if name not in known:
            raise InvalidParameterValue(f'unrecognized privilege type: "{part.strip()}"')
        yield known[name], name != word


def _access(state: SessionState, user: str) -> Access:
    if not user:
        return state.access
    if user == "=public":
        return Access(is_superuser=False, roles=frozenset({PUBLIC}))
    found = _user(state, user)
    if found is None:
        return Access(is_superuser=False, roles=frozenset())
    return state.manager.roles.access(found.oid, state.database)


def _user(state: SessionState, user: str) -> User | None:
    if user[0] == "#":
        return state.manager.roles.by_oid(Oid(int(user[1:])))
    found = state.manager.user(user[1:])
    if found is None:
        raise UndefinedObject(f'role "{user[1:]}" does not exist')
    return found


def _held(state: SessionState, what: str, named: str) -> tuple[str, Acl | None] | None:
    """Return an object's owner and list, None for an OID of nothing."""
    match what:
        case "schema":
            schemas = state.catalog().schemas.values()
            schema = next((s for s in schemas if named in (f"={s.name}", f"#{s.oid}")), None)
            if schema is None and named[0] == "=":
                raise UndefinedSchema.named(named[1:])
            return None if schema is None else (schema.owner, schema.acl)
        case "database":
            databases = state.manager.databases()
            found = next((d for d in databases if named in (f"={d.name}", f"#{d.oid}")), None)
            if found is None and named[0] == "=":
                raise UndefinedDatabase.named(named[1:])
            return None if found is None else (found.owner, found.acl)
        case "function":
            return _held_function(state, named)
        case "type":
            return _held_type(state, named)
        case _:
            return _held_relation(state, what, named)


def _held_type(state: SessionState, named: str) -> tuple[str, Acl | None] | None:
    """Return the owner and list of a type; an array has its elements'."""
    catalog = state.catalog()
    oid = state.objects.names.oid("regtype", named[1:]) if named[0] == "=" else int(named[1:])
    made = next((m for m in catalog.types.values() if oid in (m.oid, m.array_oid)), None)
    if made is not None:
        return made.owner, made.acl
    return None if by_oid(Oid(oid)) is None else ("root", None)


def _held_function(state: SessionState, named: str) -> tuple[str, Acl | None] | None:
    if named[0] == "=":
        if named[1:].partition("(")[0].strip() in function_names():
            return "root", None
        oid = state.objects.names.oid("regprocedure", named[1:])
    else:
        oid = int(named[1:])
    function = state.catalog().functions.get(Oid(oid))
    return ("root", None) if function is None else (function.owner, function.acl)


def _held_relation(state: SessionState, what: str, named: str) -> tuple[str, Acl | None] | None:
    if (system := _system_relation(named)) is not None:
        return ("root", default_acl(Kind.RELATION, "root") + system)
    if what == "sequence":
        return _held_sequence(state, named)
    relation = _find_relation(state, named)
    if relation is None:
        return None
    return relation.owner, relation.acl


def _held_sequence(state: SessionState, named: str) -> tuple[str, Acl | None] | None:
    oid = state.objects.names.oid("regclass", named[1:]) if named[0] == "=" else int(named[1:])
    sequence = state.catalog().sequences.get(Oid(oid))
    if sequence is not None:
        return sequence.owner, sequence.acl
    relation = state.catalog().relations.get(Oid(oid))
    if relation is None:
        return None
    raise WrongObjectType(f'"{relation.name}" is not a sequence')


def _system_relation(named: str) -> Acl | None:
    """Return what everybody has of a system relation; None when it is none."""
    for (schema, name), relation in SYSTEM_RELATIONS.items():
        names = {f"#{relation.oid}", f"={schema}.{name}"}
        if schema in ("pg_catalog", "rw_catalog"):
            names.add(f"={name}")
        if named in names:
            return () if (schema, name) in SECRET_RELATIONS else _READABLE
    return None


def _find_relation(state: SessionState, named: str) -> Relation | None:
    """Return a relation of the user's, None for an OID of none."""
    catalog: Catalog = state.catalog()
    if named[0] == "#":
        return catalog.relations.get(Oid(int(named[1:])))
    parts = name_parts(named[1:])
    name = parts[-1]
    if len(parts) > 3:
        raise InvalidName(f"improper relation name (too many dotted names): {named[1:]}")
    schemas = state.search_path(catalog)
    if len(parts) > 1:
        held = catalog.schemas.get(parts[-2])
        if held is None:
            raise UndefinedSchema.named(parts[-2])
        if not may_use(state.access, held):
            raise InsufficientPrivilege(f"permission denied for schema {held.name}")
        schemas = (held.name,)
    for schema in schemas:
        if (found := catalog.find(schema, name)) is not None:
            return found
    raise UndefinedTable.named(named[1:])
