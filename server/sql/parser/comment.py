"""COMMENT."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import TokenType

from catalog.errors import SqlSyntaxError
from server.sql.clause import ColumnName, ObjectKind, QualifiedName
from server.sql.comment_statement import Comment, CommentOnConstraint, CommentOnRole
from server.sql.parser.cursor import Cursor
from server.sql.parser.function import comment_on_function
from server.sql.parser.role_name import role_name
from server.sql.parser.sequence import comment_on_sequence
from server.sql.statement import Statement, Unsupported

_KINDS: Final = (
    *(ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW, ObjectKind.INDEX),
    *(ObjectKind.SCHEMA, ObjectKind.TYPE, ObjectKind.DOMAIN, ObjectKind.DATABASE),
    *(ObjectKind.SINK, ObjectKind.SUBSCRIPTION, ObjectKind.SOURCE, ObjectKind.SECRET),
)


def parse_comment(cursor: Cursor) -> Statement:
    """Parse COMMENT."""
    cursor.expect("COMMENT", "ON")
    if cursor.accept("COLUMN"):
        return _on_column(cursor)
    if cursor.accept("CONSTRAINT"):
        return _on_constraint(cursor)
    if cursor.accept("ROLE"):
        role = role_name(cursor)
        return CommentOnRole(role, _text(cursor), source=cursor.source)
    if cursor.accept_any("FUNCTION", "ROUTINE"):
        return comment_on_function(cursor)
    if cursor.accept("SEQUENCE"):
        return comment_on_sequence(cursor)
    for kind in _KINDS:
        if cursor.accept(*kind.value.split()):
            name = cursor.qualified()
            return Comment(kind, name, _text(cursor), source=cursor.source)
    what = cursor.label().upper()
    return Unsupported(f"COMMENT ON {what}", source=cursor.source)


def _on_column(cursor: Cursor) -> Comment:
    position = cursor.position
    parts = [cursor.name()]
    while cursor.accept("."):
        parts.append(cursor.label())
    if not 2 <= len(parts) <= 4:
        raise SqlSyntaxError("column name must be qualified", position=position)
    schema = parts[-3] if len(parts) > 2 else None
    database = parts[-4] if len(parts) > 3 else None
    relation = QualifiedName(parts[-2], schema, database, position)
    text = _text(cursor)
    column = ColumnName(parts[-1], position)
    return Comment(ObjectKind.TABLE, relation, text, column, source=cursor.source)


def _on_constraint(cursor: Cursor) -> CommentOnConstraint:
    constraint = cursor.name()
    cursor.expect("ON")
    is_of_domain = cursor.accept("DOMAIN")
    name = cursor.qualified()
    return CommentOnConstraint(constraint, name, _text(cursor), is_of_domain, source=cursor.source)


def _text(cursor: Cursor) -> str | None:
    cursor.expect("IS")
    token = cursor.token
    if token is not None and token.token_type is TokenType.STRING:
        text = cursor.string()
    else:
        cursor.expect("NULL")
        text = ""
    cursor.expect_end()
    return text or None
