"""``SELECT ... INTO table FROM ...``, which is CREATE TABLE AS in other words."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import SqlSyntaxError
from server.sql.clause import QualifiedName
from server.sql.parser.cursor import Cursor
from server.sql.parser.tokens import CLOSING, OPENING

_SETS: Final = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})

#: What may follow the SELECT list.
_FOLLOWING: Final = frozenset(
    {"FROM", "WHERE", "GROUP", "GROUP BY", "HAVING", "WINDOW", "ORDER", "ORDER BY", "LIMIT"}
    | {"OFFSET", "FETCH", "FOR", "UNION", "INTERSECT", "EXCEPT"}
)


class Into(NamedTuple):
    """A query that is to become a table.

    Attributes:
        table: The table.
        is_temporary: Whether it is one.
        tokens: Those of the query, without INTO and what it names.
    """

    table: QualifiedName
    is_temporary: bool
    tokens: list[Token]


def select_into(cursor: Cursor) -> Into | None:
    """Take a query that says INTO; None, and nothing is taken, where it does not.

    Raises:
        SqlSyntaxError: Another SELECT than the first says it, or it names no table.
    """
    found = _place(cursor)
    if found is None:
        return None
    start, at, is_first = found[0], cursor.index, found[1]
    before = cursor.tokens[at:start]
    cursor.index = start + 1
    is_temporary = False
    if cursor.accept_any("LOCAL", "GLOBAL") and cursor.word not in {"TEMP", "TEMPORARY"}:
        raise cursor.error()
    if cursor.word_at(cursor.index + 1) not in {*_FOLLOWING, ""} or _is_quoted(cursor):
        is_temporary = bool(cursor.accept_any("TEMP", "TEMPORARY"))
        if not is_temporary:
            cursor.accept("UNLOGGED")
    cursor.accept("TABLE")
    table = cursor.qualified()
    if not is_first:
        raise SqlSyntaxError(
            "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT",
            position=table.position,
        )
    if not cursor.is_at_end and cursor.word not in _FOLLOWING:
        raise cursor.error()
    rest = cursor.tokens[cursor.index :]
    cursor.index = len(cursor.tokens)
    return Into(replace(table, position=None), is_temporary, [*before, *rest])


def _is_quoted(cursor: Cursor) -> bool:
    """Whether the name that follows the next word is quoted, which is no word."""
    following = cursor.tokens[cursor.index + 1 : cursor.index + 2]
    return bool(following) and following[0].token_type is TokenType.IDENTIFIER


def _place(cursor: Cursor) -> tuple[int, bool] | None:
    """Return where INTO stands behind a SELECT list, and whether that is the first of a query."""
    depth, is_list, is_first = 0, False, True
    for at in range(cursor.index, len(cursor.tokens)):
        kind = cursor.tokens[at].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth:
            continue
        if kind in _SETS:
            is_first = is_list = False
        elif kind is TokenType.SELECT:
            is_list = True
        elif kind is TokenType.INTO and is_list:
            return at, is_first
        elif kind is TokenType.FROM and cursor.tokens[at - 1].token_type is not TokenType.DISTINCT:
            is_list = False
    return None
