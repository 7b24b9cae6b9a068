"""``SESSION WITH GAP interval`` of a window, said as a frame that sqlglot knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import CLOSING, OPENING, parenthesis, retold

#: What the distance of the frame is a call of; no function is called so.
SESSION_GAP: Final = "session with gap"

GAP: Final = "gap"

_WORDS: Final = ("session", "with", GAP)


def with_session_frames(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens with ``RANGE BETWEEN "session with gap"(x) PRECEDING AND ...`` instead."""
    found: list[Token] = []
    i = 0
    while i < len(tokens):
        first, start = tokens[i], i + len(_WORDS)
        words = tuple(token.text.lower() for token in tokens[i:start])
        end = _end(tokens, start) if words == _WORDS else start
        if end == start:
            found.append(first)
            i += 1
            continue
        found += [
            retold(first, "range", TokenType.RANGE),
            retold(first, "between", TokenType.BETWEEN),
            retold(first, SESSION_GAP, TokenType.IDENTIFIER),
            parenthesis(first, TokenType.L_PAREN),
            *tokens[start:end],
            parenthesis(first, TokenType.R_PAREN),
            retold(first, "preceding"),
            retold(first, "and", TokenType.AND),
            retold(first, "unbounded"),
            retold(first, "following"),
        ]
        i = end
    return found


def _end(tokens: Sequence[Token], start: int) -> int:
    """Return where the brackets around a window are closed."""
    depth = 0
    for i in range(start, len(tokens)):
        kind = tokens[i].token_type
        if depth == 0 and kind in CLOSING:
            return i
        depth += (kind in OPENING) - (kind in CLOSING)
    return len(tokens)
