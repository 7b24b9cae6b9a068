"""GRANT, REVOKE, ALTER DEFAULT PRIVILEGES, OWNER TO, REASSIGN OWNED and DROP OWNED."""

from __future__ import annotations

from typing import Final

from catalog.errors import FeatureNotSupported
from server.sql.clause import ObjectKind, QualifiedName
from server.sql.parser.cursor import Cursor
from server.sql.parser.role_name import role_name, role_names
from server.sql.privilege_statement import (
    AlterDefaultPrivileges,
    AlterOwner,
    DropOwned,
    Grant,
    GrantRoles,
    GrantTarget,
    ReassignOwned,
    TargetKind,
    WrittenPrivilege,
)
from server.sql.role_name import RoleName
from server.sql.statement import Statement

#: Reserved words that are privileges all the same.
_RESERVED_PRIVILEGES: Final = ("SELECT", "REFERENCES", "CREATE")

_NAMED: Final = (
    TargetKind.TABLE,
    TargetKind.MATERIALIZED_VIEW,
    TargetKind.VIEW,
    TargetKind.SINK,
    TargetKind.SUBSCRIPTION,
    TargetKind.SEQUENCE,
    TargetKind.TYPE,
    TargetKind.DOMAIN,
    TargetKind.SECRET,
    TargetKind.SOURCE,
    TargetKind.DATABASE,
    TargetKind.SCHEMA,
)
_CALLED: Final = (TargetKind.FUNCTION, TargetKind.PROCEDURE, TargetKind.ROUTINE)
_WHOLE: Final = {
    ("TABLES",): TargetKind.RELATION,
    ("MATERIALIZED", "VIEWS"): TargetKind.MATERIALIZED_VIEW,
    ("VIEWS",): TargetKind.VIEW,
    ("SOURCES",): TargetKind.SOURCE,
    ("SINKS",): TargetKind.SINK,
    ("SEQUENCES",): TargetKind.SEQUENCE,
    ("SECRETS",): TargetKind.SECRET,
    ("FUNCTIONS",): TargetKind.FUNCTION,
    ("PROCEDURES",): TargetKind.PROCEDURE,
    ("ROUTINES",): TargetKind.ROUTINE,
}
#: What has privileges in PostgreSQL or RisingWave, and does not exist here.
_ABSENT: Final = (
    *(("FOREIGN", "DATA", "WRAPPER"), ("FOREIGN", "SERVER"), ("LARGE", "OBJECT")),
    *(("LANGUAGE",), ("PARAMETER",), ("TABLESPACE",)),
    ("CONNECTION",),
)
_DEFAULT_KINDS: Final = (
    *("TABLES", "SEQUENCES", "FUNCTIONS", "ROUTINES", "TYPES", "SCHEMAS"),
    *("VIEWS", "SOURCES", "SINKS", "SUBSCRIPTIONS", "SECRETS"),
)


def parse_grant(cursor: Cursor) -> Statement:
    """Parse GRANT."""
    cursor.expect("GRANT")
    privileges = _privileges(cursor)
    if cursor.accept("ON"):
        target = _target(cursor)
        cursor.expect("TO")
        grantees = role_names(cursor)
        has_option = cursor.accept("WITH", "GRANT", "OPTION")
        grantor = _granted_by(cursor)
        cursor.expect_end()
        return Grant(
            is_grant=True,
            privileges=privileges,
            target=target,
            grantees=grantees,
            has_option=has_option,
            grantor=grantor,
            source=cursor.source,
        )
    roles = _roles(cursor, privileges)
    cursor.expect("TO")
    grantees = role_names(cursor)
    has_option = cursor.accept("WITH", "ADMIN", "OPTION")
    grantor = _granted_by(cursor)
    cursor.expect_end()
    return GrantRoles(
        is_grant=True,
        roles=roles,
        grantees=grantees,
        has_option=has_option,
        grantor=grantor,
        source=cursor.source,
    )


def parse_revoke(cursor: Cursor) -> Statement:
    """Parse REVOKE."""
    cursor.expect("REVOKE")
    has_option = cursor.accept("GRANT", "OPTION", "FOR")
    is_admin = not has_option and cursor.accept("ADMIN", "OPTION", "FOR")
    privileges = _privileges(cursor)
    if not is_admin and cursor.accept("ON"):
        target = _target(cursor)
        cursor.expect("FROM")
        grantees = role_names(cursor)
        grantor = _granted_by(cursor)
        is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
        cursor.expect_end()
        return Grant(
            is_grant=False,
            privileges=privileges,
            target=target,
            grantees=grantees,
            has_option=has_option,
            is_cascade=is_cascade,
            grantor=grantor,
            source=cursor.source,
        )
    if has_option:
        raise cursor.error()
    roles = _roles(cursor, privileges)
    cursor.expect("FROM")
    grantees = role_names(cursor)
    grantor = _granted_by(cursor)
    cursor.accept_any("CASCADE", "RESTRICT")  # Nothing hangs on a membership.
    cursor.expect_end()
    return GrantRoles(
        is_grant=False,
        roles=roles,
        grantees=grantees,
        has_option=is_admin,
        grantor=grantor,
        source=cursor.source,
    )


def parse_default_privileges(cursor: Cursor) -> Statement:
    """Parse what follows ALTER DEFAULT PRIVILEGES."""
    roles: tuple[RoleName, ...] = ()
    schemas: tuple[str, ...] = ()
    while cursor.word in {"FOR", "IN"}:
        if cursor.accept("FOR"):
            cursor.expect_any("ROLE", "USER")
            roles = role_names(cursor)
        else:
            cursor.expect("IN", "SCHEMA")
            schemas = _names(cursor)
    is_grant = cursor.expect_any("GRANT", "REVOKE") == "GRANT"
    has_option = not is_grant and cursor.accept("GRANT", "OPTION", "FOR")
    privileges = _privileges(cursor)
    cursor.expect("ON")
    if cursor.accept("MATERIALIZED", "VIEWS"):
        kind = "MATERIALIZED VIEWS"
    else:
        kind = cursor.expect_any(*_DEFAULT_KINDS)
    cursor.expect("TO" if is_grant else "FROM")
    grantees = role_names(cursor)
    if is_grant:
        has_option = cursor.accept("WITH", "GRANT", "OPTION")
    is_cascade = not is_grant and cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    cursor.expect_end()
    return AlterDefaultPrivileges(
        is_grant,
        privileges,
        "FUNCTIONS" if kind == "ROUTINES" else kind,
        grantees,
        roles,
        schemas,
        has_option,
        is_cascade,
        source=cursor.source,
    )


def parse_owner(
    cursor: Cursor, kind: ObjectKind, name: QualifiedName, *, if_exists: bool
) -> AlterOwner:
    """Parse what follows ALTER ... OWNER TO."""
    owner = role_name(cursor)
    cursor.expect_end()
    return AlterOwner(kind, name, owner, if_exists, source=cursor.source)


def parse_reassign(cursor: Cursor) -> ReassignOwned:
    """Parse REASSIGN OWNED."""
    cursor.expect("REASSIGN", "OWNED", "BY")
    roles = role_names(cursor)
    cursor.expect("TO")
    owner = role_name(cursor)
    cursor.expect_end()
    return ReassignOwned(roles, owner, source=cursor.source)


def parse_drop_owned(cursor: Cursor) -> DropOwned:
    """Parse what follows DROP OWNED."""
    cursor.expect("BY")
    roles = role_names(cursor)
    is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    cursor.expect_end()
    return DropOwned(roles, is_cascade, source=cursor.source)


def _privileges(cursor: Cursor) -> tuple[WrittenPrivilege, ...] | None:
    """Take privileges, or the names of roles; None is ALL."""
    if cursor.accept("ALL"):
        cursor.accept("PRIVILEGES")
        if cursor.word == "(":
            position = cursor.position
            return (WrittenPrivilege("all", cursor.columns(), position),)
        return None
    found = [_privilege(cursor)]
    while cursor.accept(","):
        found.append(_privilege(cursor))
    return tuple(found)


def _privilege(cursor: Cursor) -> WrittenPrivilege:
    position = cursor.position
    word = cursor.accept_any(*_RESERVED_PRIVILEGES).lower()
    name = word or cursor.name()
    return WrittenPrivilege(name, cursor.columns() if cursor.word == "(" else (), position)


def _roles(cursor: Cursor, privileges: tuple[WrittenPrivilege, ...] | None) -> tuple[str, ...]:
    """Take for the names of roles what was read as privileges."""
    if privileges is None or privileges[0].name == "all":
        raise cursor.error()
    for privilege in privileges:
        if privilege.columns:
            raise FeatureNotSupported(
                "column names cannot be included in GRANT/REVOKE ROLE", position=privilege.position
            )
    return tuple(privilege.name for privilege in privileges)


def _granted_by(cursor: Cursor) -> RoleName | None:
    return role_name(cursor) if cursor.accept("GRANTED", "BY") else None


def _target(cursor: Cursor) -> GrantTarget:
    if cursor.word == "ALL":
        cursor.index += 1
        for words, kind in _WHOLE.items():
            if cursor.accept(*words):
                cursor.expect("IN", "SCHEMA")
                names = tuple(QualifiedName(name) for name in _names(cursor))
                return GrantTarget(kind, names, is_whole_schema=True)
        raise cursor.error()
    for words in _ABSENT:
        if cursor.accept(*words):
            raise FeatureNotSupported(f"privileges on {' '.join(words).lower()}s are not supported")
    for kind in _CALLED:
        if cursor.accept(kind.value):
            return _functions(cursor, kind)
    found = next((k for k in _NAMED if cursor.accept(*k.value.split())), TargetKind.RELATION)
    if found in {TargetKind.DATABASE, TargetKind.SCHEMA}:
        return GrantTarget(found, tuple(QualifiedName(name) for name in _names(cursor)))
    relations = [cursor.qualified()]
    while cursor.accept(","):
        relations.append(cursor.qualified())
    return GrantTarget(found, tuple(relations))


def _functions(cursor: Cursor, kind: TargetKind) -> GrantTarget:
    names: list[QualifiedName] = []
    arguments: list[tuple[str, ...] | None] = []
    while True:
        names.append(cursor.qualified())
        arguments.append(_argument_types(cursor) if cursor.accept("(") else None)
        if not cursor.accept(","):
            return GrantTarget(kind, tuple(names), arguments=tuple(arguments))


def _argument_types(cursor: Cursor) -> tuple[str, ...]:
    types: list[str] = []
    while not cursor.accept(")"):
        if types:
            cursor.expect(",")
        types.append(cursor.written(cursor.until(",")).lower())
    return tuple(types)


def _names(cursor: Cursor) -> tuple[str, ...]:
    names = [cursor.name()]
    while cursor.accept(","):
        names.append(cursor.name())
    return tuple(names)
