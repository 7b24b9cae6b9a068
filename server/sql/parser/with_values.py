"""``WITH ... VALUES (...)``, of which sqlglot makes nothing: made a SELECT of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import after_closing, opening_of, parenthesis, retold, word

_NAMED: Final = frozenset({"as", "materialized"})


def with_selected_values(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with a SELECT of every VALUES that follows a query of WITH."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.token_type is not TokenType.VALUES or not _follows_with(found):
            found.append(token)
            at += 1
            continue
        end = after_closing(tokens, at + 1)
        while end + 1 < len(tokens) and tokens[end].token_type is TokenType.COMMA:
            end = after_closing(tokens, end + 1)
        found += (
            retold(token, "SELECT", TokenType.SELECT),
            retold(token, "*", TokenType.STAR),
            retold(token, "FROM", TokenType.FROM),
            parenthesis(token, TokenType.L_PAREN),
            *tokens[at:end],
            parenthesis(tokens[end - 1], TokenType.R_PAREN),
        )
        at = end
    return found


def _follows_with(tokens: Sequence[Token]) -> bool:
    """Whether tokens end with the query of a WITH in its brackets."""
    if not tokens or tokens[-1].token_type is not TokenType.R_PAREN:
        return False
    opening = opening_of(tokens, len(tokens) - 1)
    return opening is not None and opening > 0 and word(tokens[opening - 1]) in _NAMED
