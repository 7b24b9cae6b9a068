"""Expressions as they were written, kept true when what they name changes its name."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from catalog.definition import quoted
from server.sql.parser.lexing import tokenize
from server.sql.parser.names import fold
from server.sql.source import Source


def with_renamed_column(text: str, old: str, new: str) -> str:
    """Return an expression over one row in which a column goes by its new name."""
    tokens = tokenize(Source(text)).tokens
    pieces: list[str] = []
    end = 0
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        is_call = following is not None and following.token_type is TokenType.L_PAREN
        is_quoted = token.token_type is TokenType.IDENTIFIER
        if token.token_type is TokenType.STRING or (is_call and not is_quoted):
            continue
        if fold(token.text, is_quoted=is_quoted) == old:
            pieces += [text[end : token.start], quoted(new)]
            end = token.end + 1
    return "".join([*pieces, text[end:]])
