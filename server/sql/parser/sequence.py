"""CREATE, ALTER and DROP SEQUENCE (PostgreSQL 15, chapter VI)."""

from __future__ import annotations

from server.sql.clause import SequenceOptions
from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.role_name import role_name
from server.sql.parser.sequence_options import sequence_options
from server.sql.sequence_statement import (
    AlterSequence,
    CommentOnSequence,
    CreateSequence,
    DropSequence,
)


def create_sequence(cursor: Cursor) -> CreateSequence:
    """Parse what follows CREATE SEQUENCE."""
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    options = sequence_options(cursor)
    cursor.expect_end()
    return CreateSequence(name, options, if_not_exists, source=cursor.source)


def alter_sequence(cursor: Cursor) -> AlterSequence:
    """Parse what follows ALTER SEQUENCE."""
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    name = cursor.qualified()
    if cursor.accept("RENAME", "TO"):
        altered = AlterSequence(name, if_exists, new_name=cursor.name(), source=cursor.source)
    elif cursor.accept("SET", "SCHEMA"):
        altered = AlterSequence(name, if_exists, schema=cursor.name(), source=cursor.source)
    elif cursor.accept("OWNER", "TO"):
        altered = AlterSequence(name, if_exists, owner=role_name(cursor), source=cursor.source)
    else:
        options = sequence_options(cursor)
        if options == SequenceOptions():
            raise cursor.error()
        altered = AlterSequence(name, if_exists, options, source=cursor.source)
    cursor.expect_end()
    return altered


def drop_sequence(cursor: Cursor) -> DropSequence:
    """Parse what follows DROP SEQUENCE."""
    if_exists = cursor.accept("IF")
    if if_exists:
        cursor.expect("EXISTS")
    names = [cursor.qualified()]
    while cursor.accept(","):
        names.append(cursor.qualified())
    is_cascade = cursor.accept_any("CASCADE", "RESTRICT") == "CASCADE"
    cursor.expect_end()
    return DropSequence(tuple(names), if_exists, is_cascade, source=cursor.source)


def comment_on_sequence(cursor: Cursor) -> CommentOnSequence:
    """Parse what follows COMMENT ON SEQUENCE."""
    name = cursor.qualified()
    cursor.expect("IS")
    text = None if cursor.accept("NULL") else cursor.string()
    cursor.expect_end()
    return CommentOnSequence(name, text, source=cursor.source)
