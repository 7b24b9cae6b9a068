"""CREATE INDEX."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import InvalidParameterValue, UndefinedObject
from server.sql.clause import ColumnName
from server.sql.index_statement import CreateIndex, IndexPart
from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import with_options
from server.sql.parser.query import expression_tree


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
