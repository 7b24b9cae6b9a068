"""``WITH c AS CHANGELOG FROM t``, which is RisingWave's alone.

It is told to sqlglot as ``WITH c AS (SELECT * FROM t)``; that it is more goes with the name, as
SEARCH and CYCLE do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import after_closing, parenthesis, retold, word

#: Said of the name of a query in WITH.
CHANGELOG: Final = "changelog"


def with_changelogs(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens with a query, whose name is marked, for each ``CHANGELOG FROM name``."""
    found: dict[int, int] = {}  # by the index of the name, that of CHANGELOG
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.WITH:
            found |= _named(tokens, at + 1)
    told: list[Token] = []
    at = 0
    starts = {start: name for name, start in found.items()}
    while at < len(tokens):
        token = tokens[at]
        if at in found:
            is_quoted = token.token_type is TokenType.IDENTIFIER
            text = token.text if is_quoted else token.text.lower()
            told.append(retold(token, f'{text}\0{{"{CHANGELOG}": true}}', TokenType.IDENTIFIER))
            at += 1
        elif at in starts:
            end = _after_name(tokens, at + 2)
            told += (
                parenthesis(token, TokenType.L_PAREN),
                retold(token, "select", TokenType.SELECT),
                retold(token, "*", TokenType.STAR),
                *tokens[at + 1 : end],
                parenthesis(tokens[end - 1], TokenType.R_PAREN),
            )
            at = end
        else:
            told.append(token)
            at += 1
    return told


def _named(tokens: Sequence[Token], at: int) -> dict[int, int]:
    """Return the names of the changelogs in the WITH before an index, and where they begin."""
    found: dict[int, int] = {}
    if at < len(tokens) and tokens[at].token_type is TokenType.RECURSIVE:
        at += 1
    while at < len(tokens) and word(tokens[at]):
        name = at
        at += 1
        if _is(tokens, at, TokenType.L_PAREN):
            at = after_closing(tokens, at)
        if not _is(tokens, at, TokenType.ALIAS):
            break
        at += 1
        words = [token.text.lower() for token in tokens[at : at + 2]]
        if words == [CHANGELOG, "from"]:
            found[name] = at
            at = _after_name(tokens, at + 2)
        else:
            while at < len(tokens) and word(tokens[at]) in ("not", "materialized"):
                at += 1
            if not _is(tokens, at, TokenType.L_PAREN):
                break
            at = after_closing(tokens, at)
        if not _is(tokens, at, TokenType.COMMA):
            break
        at += 1
    return found


def _after_name(tokens: Sequence[Token], at: int) -> int:
    """Return the index after the name of a relation, with those before it that are dotted."""
    at += 1
    while _is(tokens, at, TokenType.DOT):
        at += 2
    return min(at, len(tokens))


def _is(tokens: Sequence[Token], at: int, kind: TokenType) -> bool:
    return at < len(tokens) and tokens[at].token_type is kind
