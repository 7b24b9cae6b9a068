"""Calls whose arguments are set apart by words, which sqlglot does not know, made plain ones.

They are ``substring(text SIMILAR pattern ESCAPE character)`` and ``COLLATION FOR (text)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import retold, word

SUBSTRING: Final = "substring"
COLLATION: Final = "collation"

#: What takes the place of a comma between the arguments of substring.
_SEPARATORS: Final = frozenset(("similar", "escape"))


def with_keyword_calls(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with commas, and names of functions, where such words are."""
    found: list[Token] = []
    open_calls: list[bool] = []  # Of each open bracket: whether it is that of such a substring.
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.token_type is TokenType.L_PAREN:
            is_call = bool(found) and word(found[-1]) == SUBSTRING
            open_calls.append(is_call and _has_similar(tokens[at:]))
        elif token.token_type is TokenType.R_PAREN and open_calls:
            open_calls.pop()
        if open_calls and open_calls[-1] and word(token) in _SEPARATORS:
            found.append(retold(token, ",", TokenType.COMMA))
        elif word(token) == COLLATION and _texts(tokens[at : at + 2]) == ["for", "("]:
            found.append(retold(token, "pg_collation_for"))
            at += 1
        else:
            found.append(token)
    return found


def _has_similar(following: Sequence[Token]) -> bool:
    """Whether SIMILAR separates arguments of the call whose bracket was opened last."""
    depth = 1
    for token in following:
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
            if not depth:
                return False
        elif depth == 1 and word(token) == "similar":
            return True
    return False


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [token.text.lower() for token in tokens]
