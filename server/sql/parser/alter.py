"""ALTER and DROP."""

from __future__ import annotations

from typing import Final

from server.sql.parser import flow, privilege, role
from server.sql.parser.alter_relation import alter_relation
from server.sql.parser.cursor import Cursor
from server.sql.parser.function import alter_function, drop_function
from server.sql.parser.job_config import alter_job_config
from server.sql.parser.options import assigned_value, parameter_name, shown_name
from server.sql.parser.secret import alter_secret
from server.sql.parser.sequence import alter_sequence, drop_sequence
from server.sql.parser.source_statement import source_rate
from server.sql.parser.subscription import alter_retention
from server.sql.parser.user_type import alter_domain, alter_type
from server.sql.statement import (
    AlterDatabaseSet,
    AlterRename,
    AlterSystemSet,
    Drop,
    ObjectKind,
    QualifiedName,
    Statement,
    Unsupported,
)

_RENAMED: Final = (
    *(ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW),
    *(ObjectKind.SCHEMA, ObjectKind.DATABASE, ObjectKind.INDEX, ObjectKind.SINK),
    *(ObjectKind.SUBSCRIPTION, ObjectKind.SOURCE),
)
_RELATIONS: Final = (
    *(ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW, ObjectKind.SINK),
    *(ObjectKind.SUBSCRIPTION, ObjectKind.SOURCE),
)
#: What is a streaming job, and plain views, which are told that they are none.
_CONFIGURED: Final = (
    *(ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW, ObjectKind.INDEX),
    *(ObjectKind.SINK, ObjectKind.SOURCE),
)
_UNSUPPORTED: Final = (
    *("CONNECTION", "AGGREGATE"),
    *("TRIGGER", "EXTENSION", "PROCEDURE"),
    *("PUBLICATION", "RULE", "POLICY", "COLLATION", "CONVERSION", "LANGUAGE", "OPERATOR"),
    *("SERVER", "STATISTICS", "TABLESPACE", "FRAGMENT"),
)
_UNSUPPORTED_PHRASES: Final = (
    *(("FOREIGN", "TABLE"), ("FOREIGN", "DATA", "WRAPPER")),
    *(("EVENT", "TRIGGER"), ("TEXT", "SEARCH"), ("LARGE", "OBJECT"), ("COMPACTION", "GROUP")),
    ("USER", "MAPPING"),
)


def object_kind(cursor: Cursor) -> ObjectKind | None:
    """Take the kind of an object if one stands in front."""
    for kind in ObjectKind:
        if cursor.accept(*kind.value.split()):
            return kind
    return None


def parse_alter(cursor: Cursor) -> Statement:
    """Parse ALTER of anything."""
    cursor.expect("ALTER")
    if cursor.accept("SYSTEM"):
        return _system(cursor)
    if cursor.accept("DEFAULT", "PRIVILEGES"):
        return privilege.parse_default_privileges(cursor)
    if _is_role(cursor):
        return role.parse_alter_role(cursor, cursor.expect_any(*role.KINDS))
    if cursor.accept_any("FUNCTION", "ROUTINE"):
        return alter_function(cursor)
    if cursor.accept("SEQUENCE"):
        return alter_sequence(cursor)
    if cursor.accept("SECRET"):
        return alter_secret(cursor)
    start = cursor.index
    kind = object_kind(cursor)
    if kind is ObjectKind.TYPE:
        return alter_type(cursor)
    if kind is ObjectKind.DOMAIN:
        return alter_domain(cursor)
    if kind not in _RENAMED:
        cursor.index = start
        return _unsupported(cursor, "ALTER")
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    cursor.accept("ONLY")
    name = _name(cursor, kind)
    if cursor.accept("RENAME", "TO"):
        new_name = cursor.name()
        cursor.expect_end()
        return AlterRename(kind, name, new_name, if_exists, source=cursor.source)
    if kind not in _RELATIONS and cursor.accept("OWNER", "TO"):
        return privilege.parse_owner(cursor, kind, name, if_exists=if_exists)
    if kind is ObjectKind.DATABASE:
        return _database(cursor, name.name)
    if kind is ObjectKind.MATERIALIZED_VIEW:
        moved = flow.parse_view(cursor, name, if_exists=if_exists)
        if moved is not None:
            return moved
    if kind is ObjectKind.SUBSCRIPTION:
        retained = alter_retention(cursor, name, if_exists=if_exists)
        if retained is not None:
            return retained
    if kind in _CONFIGURED:
        configured = alter_job_config(cursor, kind, name, if_exists=if_exists)
        if configured is not None:
            return configured
    if kind in {ObjectKind.SOURCE, ObjectKind.TABLE}:
        limited = source_rate(cursor, kind, name, if_exists=if_exists)
        if limited is not None:
            return limited
    if kind in _RELATIONS:
        altered = alter_relation(cursor, kind, name, if_exists=if_exists)
        if altered is not None:
            return altered
    return _other_action(cursor, kind)


def _is_role(cursor: Cursor) -> bool:
    return cursor.word in role.KINDS and cursor.word_at(cursor.index + 1) != "MAPPING"


def _name(cursor: Cursor, kind: ObjectKind) -> QualifiedName:
    """Take the name of an object; a database has no schema, a schema may have a database."""
    if kind is ObjectKind.DATABASE:
        position = cursor.position
        return QualifiedName(cursor.name(), position=position)
    name = cursor.qualified()
    if kind is ObjectKind.SCHEMA:
        return QualifiedName(name.name, None, name.schema, name.position)
    return name


def _system(cursor: Cursor) -> Statement:
    if (moved := flow.parse_system(cursor)) is not None:
        return moved
    if cursor.accept("RESET"):
        name = shown_name(cursor)
        cursor.expect_end()
        return AlterSystemSet(name, None, source=cursor.source)
    cursor.expect("SET")
    name = parameter_name(cursor)
    return AlterSystemSet(name, assigned_value(cursor), source=cursor.source)


def _database(cursor: Cursor, name: str) -> Statement:
    if (moved := flow.parse_database(cursor, name)) is not None:
        return moved
    if cursor.accept("RESET"):
        parameter = shown_name(cursor)
        cursor.expect_end()
        return AlterDatabaseSet(name, parameter, None, source=cursor.source)
    if cursor.word == "SET" and cursor.word_at(cursor.index + 1) != "TABLESPACE":
        cursor.expect("SET")
        parameter = parameter_name(cursor)
        return AlterDatabaseSet(name, parameter, assigned_value(cursor), source=cursor.source)
    return _other_action(cursor, ObjectKind.DATABASE)


_ACTIONS: Final = (
    *("ADD", "ALTER", "ATTACH", "CLUSTER", "CONNECTOR", "DETACH", "DISABLE", "DROP", "ENABLE"),
    *("FORCE", "INHERIT", "NO", "OF", "NOT", "OWNER", "REFRESH", "RENAME", "REPLICA", "RESET"),
    *("SET", "SWAP", "VALIDATE", "WITH", "AS", "DEPENDS"),
)


def _other_action(cursor: Cursor, kind: ObjectKind) -> Unsupported:
    words = [cursor.expect_any(*_ACTIONS)]
    if words[0] in {"ADD", "ALTER", "DROP", "RENAME", "SET", "OWNER", "SWAP", "REFRESH"}:
        following = cursor.word
        if following in {"COLUMN", "CONSTRAINT", "SCHEMA", "TO", "WITH", "WATERMARK", "CONNECTOR"}:
            words.append(following)
    return Unsupported(f"ALTER {kind} {' '.join(words)}", source=cursor.source)


def _unsupported(cursor: Cursor, verb: str) -> Unsupported:
    for phrase in _UNSUPPORTED_PHRASES:
        if cursor.accept(*phrase):
            return Unsupported(f"{verb} {' '.join(phrase)}", source=cursor.source)
    return Unsupported(f"{verb} {cursor.expect_any(*_UNSUPPORTED)}", source=cursor.source)


def parse_drop(cursor: Cursor) -> Statement:
    """Parse DROP of anything."""
    cursor.expect("DROP")
    if cursor.accept("OWNED"):
        return privilege.parse_drop_owned(cursor)
    if _is_role(cursor):
        cursor.expect_any(*role.KINDS)
        return role.parse_drop_roles(cursor)
    if cursor.accept_any("FUNCTION", "ROUTINE"):
        return drop_function(cursor)
    if cursor.accept("SEQUENCE"):
        return drop_sequence(cursor)
    kind = object_kind(cursor)
    if kind is None:
        return _unsupported(cursor, "DROP")
    if kind is ObjectKind.INDEX:
        cursor.accept("CONCURRENTLY")
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    names = [_name(cursor, kind)]
    if kind is ObjectKind.DATABASE:
        is_forced = _forced(cursor)
        is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    else:
        while cursor.accept(","):
            names.append(_name(cursor, kind))
        is_forced = False
        is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    cursor.expect_end()
    return Drop(kind, tuple(names), if_exists, is_cascade, is_forced, source=cursor.source)


def _forced(cursor: Cursor) -> bool:
    has_with = cursor.accept("WITH")
    if has_with or cursor.word == "(":
        cursor.expect("(", "FORCE", ")")
        return True
    return False
