"""RisingWave's ``map {key: value, ...}``, which becomes a call of the keys and values."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.functions.map_call import MAP_CALL
from server.sql.parser.lexing import Lexed
from server.sql.parser.tokens import retold

_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END})


def with_map_calls(lexed: Lexed) -> Lexed:
    """Return a statement's tokens with a call for each map; other braces are left as they are."""
    if not any(token.token_type is TokenType.L_BRACE for token in lexed.tokens):
        return lexed
    found: list[Token] = []
    #: The brackets that are open: whether each is a map's.
    is_map: list[bool] = []
    for token in _apart(lexed.tokens):
        kind = token.token_type
        if kind is TokenType.L_BRACE and found and found[-1].text.upper() == "MAP":
            found[-1] = retold(found[-1], MAP_CALL)
            found.append(retold(token, "(", TokenType.L_PAREN))
            is_map.append(True)
            continue
        if kind is TokenType.R_BRACE and is_map and is_map.pop():
            found.append(retold(token, ")", TokenType.R_PAREN))
            continue
        if kind in _OPENING:
            is_map.append(False)
        elif kind in _CLOSING and is_map:
            is_map.pop()
        is_colon = kind is TokenType.COLON and is_map and is_map[-1]
        found.append(retold(token, ",", TokenType.COMMA) if is_colon else token)
    return replace(lexed, tokens=found)


def _apart(tokens: list[Token]) -> list[Token]:
    """Return the tokens, ``}}`` as the two braces that it is here."""
    found: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.BLOCK_END and token.text == "}}":
            for start in (token.start, token.start + 1):
                brace = retold(token, "}", TokenType.R_BRACE)
                brace.start = brace.end = start
                found.append(brace)
        else:
            found.append(token)
    return found
