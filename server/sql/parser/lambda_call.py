"""RisingWave's ``|x| x + 1`` among a call's arguments, which becomes a call of names and a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.functions.lambda_call import LAMBDA_CALL
from server.sql.parser.lexing import Lexed
from server.sql.parser.names import fold
from server.sql.parser.tokens import CLOSING, OPENING, parenthesis, retold

#: Between two operands ``|`` is an operator of bits; behind these it can only begin a lambda.
_BEFORE: Final = frozenset({TokenType.COMMA, TokenType.L_PAREN})


def with_lambda_calls(lexed: Lexed) -> Lexed:
    """Return a statement's tokens with a call for each lambda."""
    tokens = lexed.tokens
    if not any(token.token_type is TokenType.PIPE for token in tokens):
        return lexed
    found: list[Token] = []
    ends: list[int] = []  # Where the bodies end that are open.
    at = 0
    while at < len(tokens):
        token = tokens[at]
        while ends and ends[-1] == at:
            ends.pop()
            found.append(parenthesis(tokens[at - 1], TokenType.R_PAREN))
        names = _names(tokens, at) if found and found[-1].token_type in _BEFORE else []
        if not names:
            found.append(token)
            at += 1
            continue
        found += (retold(token, LAMBDA_CALL), parenthesis(token, TokenType.L_PAREN))
        for name in names:
            text = fold(name.text, is_quoted=name.token_type is TokenType.IDENTIFIER)
            found += (retold(name, text, TokenType.STRING), retold(name, ",", TokenType.COMMA))
        at += 2 * len(names) + 1
        ends.append(_body_end(tokens, at))
    return replace(lexed, tokens=found)


def _names(tokens: Sequence[Token], at: int) -> list[Token]:
    """Return the names in ``|a, b|`` that begins there; none if nothing such does."""
    names: list[Token] = []
    while tokens[at].token_type in {TokenType.PIPE, TokenType.COMMA} and at + 2 < len(tokens):
        if tokens[at].token_type is TokenType.PIPE and names:
            return names
        name = tokens[at + 1]
        if name.token_type is not TokenType.IDENTIFIER and not name.text.isidentifier():
            return []
        names.append(name)
        at += 2
    return []


def _body_end(tokens: Sequence[Token], at: int) -> int:
    """Return the index of the comma or bracket that ends the argument that begins there."""
    depth = 0
    for i in range(at, len(tokens)):
        kind = tokens[i].token_type
        if depth == 0 and (kind is TokenType.COMMA or kind in CLOSING):
            return i
        depth += (kind in OPENING) - (kind in CLOSING)
    return len(tokens)
