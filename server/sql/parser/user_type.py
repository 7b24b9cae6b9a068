"""CREATE TYPE, CREATE DOMAIN, ALTER TYPE and ALTER DOMAIN."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import FeatureNotSupported, SqlSyntaxError
from server.sql.alter_statement import AlterSchemaOf
from server.sql.clause import CheckDefinition, ColumnName, ObjectKind, QualifiedName
from server.sql.parser.column_type import column_type
from server.sql.parser.create_table import check_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.privilege import parse_owner
from server.sql.parser.query import expression_tree
from server.sql.privilege_statement import AlterOwner
from server.sql.statement import AlterRename, Statement, Unsupported
from server.sql.type_statement import (
    AddDomainCheck,
    AddEnumValue,
    CreateComposite,
    CreateDomain,
    CreateEnum,
    DropDomainCheck,
    RenameDomainCheck,
    RenameEnumValue,
    SetDomainDefault,
    SetDomainNotNull,
    WrittenType,
)

_DEFAULT_ENDS = ("NOT", "NULL", "CONSTRAINT", "CHECK", "DEFAULT", "COLLATE")


def create_type(cursor: Cursor) -> Statement:
    """Parse what follows CREATE TYPE."""
    name = cursor.qualified()
    if not cursor.accept("AS"):
        return Unsupported("CREATE TYPE of a base type", source=cursor.source)
    if cursor.accept("ENUM"):
        labels = _labels(cursor)
        cursor.expect_end()
        return CreateEnum(name, labels, source=cursor.source)
    if cursor.word == "RANGE":
        return Unsupported("CREATE TYPE AS RANGE", source=cursor.source)
    cursor.expect("(")
    members: list[tuple[ColumnName, WrittenType]] = []
    while not cursor.accept(")"):
        if members:
            cursor.expect(",")
        members.append((cursor.column(), _written_type(cursor)))
        if cursor.word == "COLLATE":
            raise cursor.unsupported("COLLATE of a column")
    cursor.expect_end()
    return CreateComposite(name, tuple(members), source=cursor.source)


def _written_type(cursor: Cursor) -> WrittenType:
    position = cursor.position
    return WrittenType(column_type(cursor), position)


def _labels(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    if cursor.accept(")"):
        return ()
    labels = [cursor.string()]
    while cursor.accept(","):
        labels.append(cursor.string())
    cursor.expect(")")
    return tuple(labels)


def create_domain(cursor: Cursor) -> CreateDomain:
    """Parse what follows CREATE DOMAIN.

    Raises:
        SqlSyntaxError: It says NULL and NOT NULL, or has two defaults.
    """
    name = cursor.qualified()
    cursor.accept("AS")
    base = _written_type(cursor)
    default: exp.Expr | None = None
    default_text: str | None = None
    is_not_null: bool | None = None
    checks: list[CheckDefinition] = []
    while not cursor.is_at_end:
        constraint = cursor.name() if cursor.accept("CONSTRAINT") else None
        position = cursor.position
        if cursor.accept("DEFAULT"):
            if default_text is not None:
                raise SqlSyntaxError("multiple default expressions", position=position)
            default, default_text = _expression(cursor)
        elif cursor.accept_any("NOT", "NULL"):
            says_not_null = cursor.word_at(cursor.index - 1) == "NOT"
            if says_not_null:
                cursor.expect("NULL")
            if is_not_null not in {None, says_not_null}:
                raise SqlSyntaxError("conflicting NULL/NOT NULL constraints", position=position)
            is_not_null = says_not_null
        elif cursor.word == "CHECK":
            checks.append(check_clause(cursor, constraint))
        elif cursor.word == "COLLATE":
            raise cursor.unsupported("COLLATE of a domain")
        elif cursor.word in {"UNIQUE", "PRIMARY KEY", "REFERENCES", "EXCLUDE"}:
            word = "foreign key" if cursor.word == "REFERENCES" else cursor.word.lower()
            raise SqlSyntaxError(f"{word} constraints not possible for domains", position=position)
        else:
            raise cursor.error()
    return CreateDomain(
        name,
        base,
        bool(is_not_null),
        default,
        default_text,
        tuple(checks),
        source=cursor.source,
    )


def _expression(cursor: Cursor) -> tuple[exp.Expr, str]:
    tokens = cursor.until(*_DEFAULT_ENDS)
    return expression_tree(cursor, tokens), cursor.written(tokens)


def alter_type(cursor: Cursor) -> Statement:
    """Parse what follows ALTER TYPE."""
    name = cursor.qualified()
    if cursor.accept("ADD", "VALUE"):
        return _added_value(cursor, name)
    if cursor.accept("RENAME", "VALUE"):
        label = cursor.string()
        cursor.expect("TO")
        renamed = RenameEnumValue(name, label, cursor.string(), source=cursor.source)
        cursor.expect_end()
        return renamed
    if cursor.accept("RENAME", "TO"):
        return _renamed(cursor, ObjectKind.TYPE, name)
    if (moved := _moved(cursor, ObjectKind.TYPE, name)) is not None:
        return moved
    action = cursor.expect_any("ADD", "DROP", "ALTER", "RENAME", "SET")
    what = cursor.expect_any("ATTRIBUTE", "(")
    return Unsupported(f"ALTER TYPE {action} {what}".removesuffix(" ("), source=cursor.source)


def _renamed(cursor: Cursor, kind: ObjectKind, name: QualifiedName) -> AlterRename:
    new_name = cursor.name()
    cursor.expect_end()
    return AlterRename(kind, name, new_name, source=cursor.source)


def _moved(
    cursor: Cursor, kind: ObjectKind, name: QualifiedName
) -> AlterOwner | AlterSchemaOf | None:
    if cursor.accept("OWNER", "TO"):
        return parse_owner(cursor, kind, name, if_exists=False)
    if cursor.accept("SET", "SCHEMA"):
        schema = cursor.name()
        cursor.expect_end()
        return AlterSchemaOf(kind, name, schema, source=cursor.source)
    return None


def _added_value(cursor: Cursor, name: QualifiedName) -> AddEnumValue:
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS") or cursor.accept("IF NOT EXISTS")
    label = cursor.string()
    place = cursor.accept_any("BEFORE", "AFTER")
    beside = cursor.string() if place else None
    cursor.expect_end()
    return AddEnumValue(name, label, if_not_exists, beside, place == "BEFORE", source=cursor.source)


def alter_domain(cursor: Cursor) -> Statement:
    """Parse what follows ALTER DOMAIN."""
    name = cursor.qualified()
    if cursor.accept("RENAME", "TO"):
        return _renamed(cursor, ObjectKind.DOMAIN, name)
    if (moved := _moved(cursor, ObjectKind.DOMAIN, name)) is not None:
        return moved
    statement = _domain_action(cursor, name)
    cursor.expect_end()
    return statement


def _domain_action(cursor: Cursor, name: QualifiedName) -> Statement:
    source = cursor.source
    if cursor.accept("SET", "DEFAULT"):
        return SetDomainDefault(name, *_expression(cursor), source=source)
    if cursor.accept("DROP", "DEFAULT"):
        return SetDomainDefault(name, None, source=source)
    if cursor.accept("SET", "NOT", "NULL"):
        return SetDomainNotNull(name, is_not_null=True, source=source)
    if cursor.accept("DROP", "NOT", "NULL"):
        return SetDomainNotNull(name, is_not_null=False, source=source)
    if cursor.accept("RENAME", "CONSTRAINT"):
        old = cursor.name()
        cursor.expect("TO")
        return RenameDomainCheck(name, old, cursor.name(), source=source)
    if cursor.accept("DROP", "CONSTRAINT"):
        if_exists = cursor.accept("IF", "EXISTS")
        dropped = DropDomainCheck(name, cursor.name(), if_exists, source=source)
        cursor.accept_any("RESTRICT", "CASCADE")
        return dropped
    if cursor.accept("ADD"):
        constraint = cursor.name() if cursor.accept("CONSTRAINT") else None
        check = check_clause(cursor, constraint)
        if cursor.accept("NOT", "VALID"):
            raise FeatureNotSupported("NOT VALID constraints are not supported")
        return AddDomainCheck(name, check, source=source)
    cursor.expect("VALIDATE", "CONSTRAINT")
    cursor.name()
    return Unsupported("ALTER DOMAIN VALIDATE CONSTRAINT", source=source)
