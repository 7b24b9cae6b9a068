"""ALTER TABLE, ALTER VIEW and ALTER MATERIALIZED VIEW; TRUNCATE."""

from __future__ import annotations

from dataclasses import replace

from server.sql.alter_statement import (
    AddCheck,
    AddColumn,
    AddKey,
    AddReference,
    AlterRelation,
    AlterSchemaOf,
    AlterSwap,
    AlterWatermark,
    DropColumn,
    DropConstraint,
    RenameColumn,
    RenameConstraint,
    SetDefault,
    SetDeferral,
    SetIdentity,
    SetNotNull,
    SetOwner,
    SetQuery,
    SetStorage,
    SetType,
    TableAction,
    Truncate,
    ValidateConstraint,
)
from server.sql.parser.column_type import column_type
from server.sql.parser.constraint import deferral, reference, unique_key
from server.sql.parser.create_table import (
    Columns,
    check_clause,
    column_definition,
    defining_query,
    identity,
    identity_sequence,
    watermark_clause,
    written_collation,
)
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import with_options
from server.sql.parser.query import expression_tree
from server.sql.parser.role_name import role_name
from server.sql.statement import ColumnName, ObjectKind, QualifiedName, Statement


def alter_relation(
    cursor: Cursor, kind: ObjectKind, name: QualifiedName, *, if_exists: bool
) -> Statement | None:
    """Parse what follows the name; None, with nothing taken, when it is not available."""
    cursor_source = cursor.source
    if cursor.accept("SET", "SCHEMA"):
        schema = cursor.name()
        cursor.expect_end()
        return AlterSchemaOf(kind, name, schema, if_exists, source=cursor_source)
    if cursor.accept("SWAP", "WITH"):
        other = cursor.qualified()
        cursor.expect_end()
        return AlterSwap(kind, name, other, source=cursor_source)
    if cursor.accept("RENAME", "CONSTRAINT"):
        held = cursor.name()
        cursor.expect("TO")
        renamed = RenameConstraint(held, cursor.name())
        cursor.expect_end()
        return AlterRelation(kind, name, (renamed,), if_exists, source=cursor_source)
    if cursor.accept("RENAME"):
        cursor.accept("COLUMN")
        column = cursor.column()
        cursor.expect("TO")
        rename = RenameColumn(column, cursor.column())
        cursor.expect_end()
        return AlterRelation(kind, name, (rename,), if_exists, source=cursor_source)
    if kind is ObjectKind.MATERIALIZED_VIEW and cursor.accept("AS"):
        query = SetQuery(*defining_query(cursor))
        return AlterRelation(kind, name, (query,), if_exists, source=cursor_source)
    actions: list[TableAction] = []
    while True:
        action = _action(cursor, kind, name)
        if action is None:
            return None
        actions.append(action)
        if not cursor.accept(","):
            break
    cursor.expect_end()
    return AlterRelation(kind, name, tuple(actions), if_exists, source=cursor_source)


def _action(cursor: Cursor, kind: ObjectKind, name: QualifiedName) -> TableAction | None:
    following = cursor.word_at(cursor.index + 1)
    if cursor.accept("OWNER", "TO"):
        return SetOwner(role_name(cursor))
    if cursor.word in {"ADD", "DROP"} and following in _CONSTRAINTS:
        return _constraint(cursor) if kind is ObjectKind.TABLE else None
    if kind is ObjectKind.TABLE and cursor.accept("VALIDATE", "CONSTRAINT"):
        return ValidateConstraint(cursor.name())
    if kind is ObjectKind.TABLE and cursor.accept("ALTER", "CONSTRAINT"):
        return SetDeferral(cursor.name(), deferral(cursor))
    if cursor.word == "ALTER" and following == "WATERMARK":
        if kind is not ObjectKind.TABLE:
            return None
        cursor.expect("ALTER")
        return AlterWatermark(watermark_clause(cursor))
    if cursor.word == "ALTER" and following != "CONSTRAINT":
        cursor.expect("ALTER")
        cursor.accept("COLUMN")
        return _column_action(cursor)
    has_options = kind in {ObjectKind.TABLE, ObjectKind.VIEW}
    if has_options and cursor.word in {"SET", "RESET"} and following == "(":
        is_reset = cursor.accept("RESET")
        cursor.accept("SET")
        return SetStorage(with_options(cursor), is_reset)
    if kind in {ObjectKind.TABLE, ObjectKind.SOURCE} and cursor.accept("ADD"):
        return _add_column(cursor, name)
    if kind is not ObjectKind.TABLE:
        return None
    if cursor.word == "DROP" and following != "CONNECTOR":
        cursor.expect("DROP")
        return _drop_column(cursor)
    return None


_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY", "EXCLUDE"})


def _constraint(cursor: Cursor) -> TableAction | None:
    """Take ADD of a constraint or DROP CONSTRAINT; None, with nothing taken, for others."""
    start = cursor.index
    if cursor.accept("DROP", "CONSTRAINT"):
        if_exists = cursor.accept("IF")
        if if_exists:
            cursor.expect("EXISTS")
        name = cursor.name()
        is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
        return DropConstraint(name, if_exists, is_cascade)
    cursor.expect("ADD")
    named = cursor.name() if cursor.accept("CONSTRAINT") else None
    if cursor.word == "CHECK":
        check = check_clause(cursor, named)
        if cursor.word == "NOT":
            raise cursor.unsupported("NOT VALID")
        return AddCheck(check)
    if cursor.word in {"PRIMARY KEY", "UNIQUE"}:
        return AddKey(unique_key(cursor, named))
    if cursor.word == "FOREIGN KEY":
        added = reference(cursor, named)
        if cursor.accept("NOT", "VALID"):
            added = replace(added, is_valid=False)
        return AddReference(added)
    cursor.index = start
    return None


def _add_column(cursor: Cursor, name: QualifiedName) -> AddColumn:
    cursor.accept("COLUMN")
    if_not_exists = cursor.accept("IF")
    if if_not_exists:
        cursor.expect("NOT", "EXISTS")
    columns = Columns(name.name)
    position = cursor.position
    column_definition(cursor, columns)
    (definition,) = columns.definitions
    assert position == definition.position, definition
    return AddColumn(
        definition,
        tuple(columns.checks),
        tuple(columns.keys),
        tuple(columns.references),
        if_not_exists,
    )


def _drop_column(cursor: Cursor) -> DropColumn:
    cursor.accept("COLUMN")
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    column = cursor.column()
    is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    return DropColumn(column, if_exists, is_cascade)


def _column_action(cursor: Cursor) -> TableAction:
    column = cursor.column()
    if cursor.accept("SET", "DEFAULT"):
        tokens = cursor.until(",")
        return SetDefault(column, expression_tree(cursor, tokens), cursor.written(tokens))
    if cursor.accept("DROP", "DEFAULT"):
        return SetDefault(column)
    if cursor.accept("SET", "NOT", "NULL"):
        return SetNotNull(column, is_not_null=True)
    if cursor.accept("DROP", "NOT", "NULL"):
        return SetNotNull(column, is_not_null=False)
    if cursor.word == "TYPE" or cursor.word_at(cursor.index + 1) == "DATA":
        if cursor.accept("SET"):
            cursor.expect("DATA")
        cursor.expect("TYPE")
        return _type(cursor, column)
    if cursor.word == "ADD" and cursor.word_at(cursor.index + 1) == "GENERATED":
        cursor.expect("ADD")
        kind = identity(cursor)
        if not kind:
            raise cursor.error()
        return SetIdentity(column, kind, identity_sequence(cursor))
    if cursor.accept("SET", "GENERATED"):
        if cursor.accept("BY", "DEFAULT"):
            return SetIdentity(column, "d")
        cursor.expect("ALWAYS")
        return SetIdentity(column, "a")
    if cursor.accept("DROP", "IDENTITY"):
        if_exists = cursor.accept("IF")
        if if_exists:
            cursor.expect("EXISTS")
        return SetIdentity(column, "", if_exists=if_exists)
    if cursor.word in {"SET", "DROP", "ADD", "RESET", "RESTART"}:
        words = f"{cursor.word} {cursor.word_at(cursor.index + 1)}".strip()
        raise cursor.unsupported(f"ALTER COLUMN {words}")
    raise cursor.error()


def _type(cursor: Cursor, column: ColumnName) -> SetType:
    position = cursor.position
    text = column_type(cursor)
    collation = written_collation(cursor)
    using = None
    if cursor.accept("USING"):
        using = expression_tree(cursor, cursor.until(","))
    return SetType(column, text, position, using, collation)


def parse_truncate(cursor: Cursor) -> Truncate:
    """Parse TRUNCATE."""
    cursor.expect("TRUNCATE")
    cursor.accept("TABLE")
    tables = [_truncated(cursor)]
    while cursor.accept(","):
        tables.append(_truncated(cursor))
    counts = cursor.accept_any("RESTART", "CONTINUE")
    if counts:
        cursor.expect("IDENTITY")
    is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    cursor.expect_end()
    return Truncate(tuple(tables), counts == "RESTART", is_cascade, source=cursor.source)


def _truncated(cursor: Cursor) -> QualifiedName:
    cursor.accept("ONLY")
    name = cursor.qualified()
    cursor.accept("*")
    return name
