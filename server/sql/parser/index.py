"""CREATE INDEX and COMMENT."""

from __future__ import annotations

from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from catalog.errors import InvalidParameterValue, SqlSyntaxError, UndefinedObject
from server.sql.clause import ColumnName, ObjectKind, QualifiedName
from server.sql.index_statement import Comment, CreateIndex, IndexPart
from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.function import comment_on_function
from server.sql.parser.options import with_options
from server.sql.parser.query import expression_tree
from server.sql.parser.sequence import comment_on_sequence
from server.sql.statement import Statement, Unsupported


def create_index(cursor: Cursor, *, is_unique: bool = False) -> CreateIndex:
    """Parse what follows CREATE INDEX."""
    cursor.accept("CONCURRENTLY")
    if_not_exists = if_not_exists_clause(cursor)
    name = None if cursor.word == "ON" else cursor.column()
    if if_not_exists and name is None:
        raise cursor.error()
    cursor.expect("ON")
    cursor.accept("ONLY")
    table = cursor.qualified()
    if cursor.accept("USING"):
        position = cursor.position
        method = cursor.name()
        if method not in {"btree", "hash"}:
            raise UndefinedObject(f'access method "{method}" does not exist', position=position)
    cursor.expect("(")
    parts = [index_part(cursor)]
    while cursor.accept(","):
        parts.append(index_part(cursor))
    cursor.expect(")")
    include = cursor.columns() if cursor.accept("INCLUDE") else ()
    are_nulls_equal = False
    if cursor.accept("NULLS"):
        are_nulls_equal = cursor.accept("NOT")
        cursor.expect("DISTINCT")
    if cursor.accept("DISTRIBUTED", "BY"):
        _distribution(cursor, parts)
    options = with_options(cursor) if cursor.accept("WITH") else ()
    where = where_text = None
    if cursor.accept("WHERE"):
        tokens = cursor.rest()
        where, where_text = expression_tree(cursor, tokens), cursor.written_inside(tokens)
    cursor.expect_end()
    return CreateIndex(
        *(table, tuple(parts), name, include, if_not_exists),
        *(is_unique, are_nulls_equal, where, where_text, options),
        source=cursor.source,
    )


_ENDS: Final = ("ASC", "DESC", "NULLS", "NULLS FIRST", "NULLS LAST", ",")


def index_part(cursor: Cursor) -> IndexPart:
    """Take a part of an index's key."""
    column: ColumnName | None = None
    expression = text = None
    if cursor.word != "(" and _ends_part(cursor.word_at(cursor.index + 1)):
        column = cursor.column()
    else:
        tokens = cursor.until(*_ENDS)
        expression, text = expression_tree(cursor, tokens), cursor.written(tokens)
    if cursor.accept("COLLATE"):
        raise cursor.unsupported("COLLATE of an index")
    if _is_operator_class(cursor):
        cursor.name()
    is_descending = cursor.accept_any("ASC", "DESC") == "DESC"
    has_nulls_first = is_descending
    if cursor.accept("NULLS"):
        has_nulls_first = cursor.expect_any("FIRST", "LAST") == "FIRST"
    else:
        found = cursor.accept_any("NULLS FIRST", "NULLS LAST")
        has_nulls_first = found == "NULLS FIRST" if found else has_nulls_first
    return IndexPart(column, expression, text, is_descending, has_nulls_first)


def _ends_part(word: str) -> bool:
    """Whether a part ends before a word; PostgreSQL asks brackets of others, the peer does not."""
    return word in {*_ENDS, ")", "COLLATE"} or word.endswith("_OPS")


def _distribution(cursor: Cursor, parts: list[IndexPart]) -> None:
    """Take what the peer spreads an index by, a beginning of its key; one process does not."""
    position = cursor.position
    cursor.expect("(")
    by = [index_part(cursor)]
    while cursor.accept(","):
        by.append(index_part(cursor))
    cursor.expect(")")
    if [_of_part(part) for part in by] != [_of_part(part) for part in parts[: len(by)]]:
        raise InvalidParameterValue(
            "Distributed by columns should be a prefix of index columns", position=position
        )


def _of_part(part: IndexPart) -> str | exp.Expr | None:
    return part.expression if part.column is None else part.column.name


def _is_operator_class(cursor: Cursor) -> bool:
    return cursor.word.endswith("_OPS")


_COMMENTED: Final = (
    *(ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW, ObjectKind.INDEX),
    ObjectKind.SCHEMA,
)


def parse_comment(cursor: Cursor) -> Statement:
    """Parse COMMENT."""
    cursor.expect("COMMENT", "ON")
    if cursor.accept("COLUMN"):
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
    if cursor.accept_any("FUNCTION", "ROUTINE"):
        return comment_on_function(cursor)
    if cursor.accept("SEQUENCE"):
        return comment_on_sequence(cursor)
    for kind in _COMMENTED:
        if cursor.accept(*kind.value.split()):
            name = cursor.qualified()
            return Comment(kind, name, _text(cursor), source=cursor.source)
    what = cursor.label().upper()
    return Unsupported(f"COMMENT ON {what}", source=cursor.source)


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
