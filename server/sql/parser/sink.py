"""CREATE SINK."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from catalog.errors import FeatureNotSupported
from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import with_options
from server.sql.parser.query import query_tree, relation_tree
from server.sql.statement import ColumnName, CreateSink, Option, Statement

_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET})


def create_sink(cursor: Cursor, *, replaces: bool) -> Statement:
    """Parse what follows CREATE SINK, or REPLACE SINK."""
    if_not_exists = not replaces and if_not_exists_clause(cursor)
    name = cursor.qualified()
    target = None
    columns: tuple[ColumnName, ...] = ()
    if cursor.accept("INTO"):
        target = cursor.qualified()
        columns = cursor.columns() if cursor.word == "(" else ()
    if cursor.word not in {"FROM", "AS"}:
        raise cursor.error()
    is_query = cursor.expect_any("FROM", "AS") == "AS"
    options = _options(cursor, is_needed=target is None)
    tokens = cursor.rest()
    tree = query_tree(cursor, tokens) if is_query else relation_tree(cursor, tokens)
    return CreateSink(
        *(name, tree, options, if_not_exists, replaces, target, columns), source=cursor.source
    )


def _options(cursor: Cursor, *, is_needed: bool) -> tuple[Option, ...]:
    """Take ``WITH (...)`` off the end, behind a query that may have a WITH of its own."""
    depth, begin = 0, None
    for index in range(cursor.index, len(cursor.tokens)):
        kind = cursor.tokens[index].token_type
        if depth == 0 and cursor.word_at(index) == "WITH" and cursor.word_at(index + 1) == "(":
            begin = index
        depth += (kind in _OPENING) - (kind in _CLOSING)
    if begin is None and not is_needed:
        return ()
    start = cursor.index
    cursor.index = len(cursor.tokens) if begin is None else begin
    cursor.expect("WITH")
    options = with_options(cursor, takes_secrets=True)
    if cursor.word == "FORMAT" and not is_needed:
        raise FeatureNotSupported(
            "connector table is not supported by FORMAT ... ENCODE ... syntax",
            position=cursor.position,
        )
    if cursor.word == "FORMAT":
        raise cursor.unsupported("FORMAT ... ENCODE")
    cursor.expect_end()
    del cursor.tokens[begin:]
    cursor.index = start
    return options
