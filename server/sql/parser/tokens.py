"""What the passes that rewrite tokens before sqlglot parses them have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})


def retold(token: Token, text: str, kind: TokenType = TokenType.VAR) -> Token:
    """Return a token that stands where another does and says something else."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


def parenthesis(token: Token, kind: TokenType) -> Token:
    """Return ``(`` or ``)`` that stands where a token does."""
    return retold(token, "(" if kind is TokenType.L_PAREN else ")", kind)


def after_closing(tokens: Sequence[Token], start: int) -> int:
    """Return the index after what closes the bracket or CASE at ``start``."""
    depth = 0
    for i in range(start, len(tokens)):
        kind = tokens[i].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth == 0:
            return i + 1
    return len(tokens)


def opening_of(tokens: Sequence[Token], closing: int) -> int | None:
    """Return the index of the bracket that one at an index closes."""
    depth = 0
    for at in range(closing, -1, -1):
        kind = tokens[at].token_type
        depth += (kind in CLOSING) - (kind in OPENING)
        if depth == 0:
            return at
    return None


def word(token: Token) -> str:
    """Return a word in lower case, as written if quoted; empty for a symbol or a number."""
    if token.token_type is TokenType.IDENTIFIER:
        return token.text
    text = token.text.lower()
    return text if text[:1].isalpha() or text[:1] == "_" else ""
