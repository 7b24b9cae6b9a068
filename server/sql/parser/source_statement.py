"""CREATE SOURCE, and what ALTER says of the rows that a connector brings."""

from __future__ import annotations

from server.sql.parser.create_table import (
    Columns,
    if_not_exists_clause,
    table_elements,
)
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import format_clause, with_options
from server.sql.statement import ObjectKind, QualifiedName
from server.sql.streaming_statement import AlterSourceRate, CreateSource


def create_source(cursor: Cursor) -> CreateSource:
    """Parse what follows CREATE SOURCE."""
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    columns = Columns(name.name)
    if cursor.word == "(":
        table_elements(cursor, columns)
    if columns.keys or columns.checks or columns.references:
        raise cursor.unsupported("a constraint of a source")
    if columns.likes:
        raise cursor.unsupported("LIKE of a source")
    if cursor.word == "INCLUDE":
        raise cursor.unsupported("INCLUDE")
    cursor.expect("WITH")
    options = with_options(cursor, takes_secrets=True)
    written = format_clause(cursor)
    cursor.expect_end()
    definitions = tuple(columns.definitions)
    return CreateSource(
        name, definitions, options, if_not_exists, *written, columns.watermark, source=cursor.source
    )


def source_rate(
    cursor: Cursor, kind: ObjectKind, name: QualifiedName, *, if_exists: bool
) -> AlterSourceRate | None:
    """Parse ``SET SOURCE_RATE_LIMIT`` behind ALTER and a name; None when that is not there."""
    if not cursor.accept("SET", "SOURCE_RATE_LIMIT"):
        return None
    cursor.expect_any("=", "TO")
    position = cursor.position
    limit = None if cursor.accept("DEFAULT") else cursor.number()
    cursor.expect_end()
    return AlterSourceRate(kind, name, limit, position, if_exists, source=cursor.source)
