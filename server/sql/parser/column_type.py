"""Types as they are written."""

from __future__ import annotations

from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.cursor import Cursor
from server.sql.parser.shape import NESTING_MAX
from server.sql.sqlglot_errors import too_complex

#: Words that follow the first word of a type.
_TYPE_WORDS: Final = frozenset(
    {"PRECISION", "VARYING", "WITH", "WITHOUT", "TIME", "ZONE", "ARRAY", "YEAR", "MONTH", "DAY"}
    | {"HOUR", "MINUTE", "SECOND", "TO"}
)


def column_type(cursor: Cursor) -> str:
    """Take a type and return its text with small letters and single blanks."""
    start = cursor.index
    cursor.label()
    while cursor.accept("."):
        cursor.label()
    while not cursor.is_at_end:
        word = cursor.word
        if word in {"(", "<", "["}:
            _take_brackets(cursor)
        elif word in _TYPE_WORDS:
            cursor.index += 1
        else:
            break
    return _normal_type(cursor, cursor.tokens[start : cursor.index])


def _take_brackets(cursor: Cursor) -> None:
    """Take everything up to the bracket that closes the one in front; ``>>`` closes two."""
    depth = 0
    while not cursor.is_at_end:
        word = cursor.word
        if word in {"(", "<", "["}:
            depth += 1
        elif word in {")", "]"}:
            depth -= 1
        elif word and set(word) == {">"}:
            depth -= len(word)
        cursor.index += 1
        if depth <= 0:
            return
        if depth > NESTING_MAX:
            raise too_complex()
    raise cursor.error()


def _normal_type(cursor: Cursor, tokens: list[Token]) -> str:
    pieces: list[str] = []
    for token in tokens:
        is_quoted = token.token_type is TokenType.IDENTIFIER
        text = cursor.written([token]) if is_quoted else " ".join(token.text.lower().split())
        is_word = text[0].isalnum() or text[0] in {"_", '"'}
        follows_word = bool(pieces) and (pieces[-1][-1].isalnum() or pieces[-1][-1] in '_"),>')
        if is_word and follows_word and pieces[-1] != ",":
            pieces.append(" ")
        pieces.append(text)
    text = "".join(pieces)
    return text.removesuffix(" array") + "[]" if text.endswith(" array") else text
