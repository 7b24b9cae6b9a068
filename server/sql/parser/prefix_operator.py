"""Prefix operators, made calls before sqlglot parses them.

To PostgreSQL ``@``, ``|/``, ``||/`` and ``~`` bind as loosely as any operator of several
characters, so that ``|/ 16 + 9`` is 5. sqlglot takes some of them for part of the next constant
or name and does not know others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.names import RESERVED
from server.sql.parser.tokens import CLOSING, OPENING, after_closing, parenthesis, retold, word

#: What each call is to be in the tree.
PREFIX_CALLS: Final[dict[str, type[exp.Expr]]] = {
    "pg:prefix @": exp.Abs,
    "pg:prefix |/": exp.Sqrt,
    "pg:prefix ||/": exp.Cbrt,
    "pg:prefix ~": exp.BitwiseNot,
}

#: Kinds of tokens that may be a prefix operator; ``@`` has the kind of ``$``.
PREFIX_KINDS: Final = frozenset(
    {TokenType.PARAMETER, TokenType.PIPE_SLASH, TokenType.DPIPE_SLASH, TokenType.RLIKE}
)

#: Operators that bind tighter than a prefix operator.
_ARITHMETIC: Final = frozenset(
    {
        *(TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD),
        TokenType.CARET,
    }
)
_SIGNS: Final = frozenset({TokenType.PLUS, TokenType.DASH})
_OPERANDS: Final = (
    frozenset({TokenType.NUMBER, TokenType.STRING, TokenType.IDENTIFIER, TokenType.NULL}) | CLOSING
)
#: What is before ``~`` in ``!~`` and in ``OPERATOR(pg_catalog.~)``.
_INSIDE_OPERATORS: Final = frozenset({TokenType.NOT, TokenType.DOT})
_WORD_OPERANDS: Final = frozenset(
    """
    true false user current_user session_user current_catalog current_role current_date
    current_time current_timestamp localtime localtimestamp
    """.split()  # noqa: SIM905
)


def with_calls(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with a call for every prefix operator and its operand."""
    found: list[Token] = []
    closing: list[int] = []  # Where the operands end of the operators that are open.
    for i, token in enumerate(tokens):
        while closing and closing[-1] == i:
            closing.pop()
            found.append(parenthesis(tokens[i - 1], TokenType.R_PAREN))
        if token.token_type in PREFIX_KINDS and _is_prefix(tokens, i):
            found.append(retold(token, f"pg:prefix {token.text}"))
            found.append(parenthesis(token, TokenType.L_PAREN))
            closing.append(_operand_end(tokens, i + 1))
        else:
            found.append(token)
    found += [parenthesis(tokens[-1], TokenType.R_PAREN) for _ in closing]
    return found


def _is_prefix(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if token.token_type is TokenType.PARAMETER:
        return token.text == "@"
    return token.token_type is not TokenType.RLIKE or begins_operand(tokens, i)


def begins_operand(tokens: Sequence[Token], i: int) -> bool:
    """Whether an operand may begin with a token, rather than an operator stand there."""
    if not i:
        return True
    before = tokens[i - 1]
    if before.token_type in _OPERANDS or before.token_type in _INSIDE_OPERATORS:
        return False
    name = word(before)
    return not name or (name in RESERVED and name not in _WORD_OPERANDS)


def _operand_end(tokens: Sequence[Token], at: int) -> int:
    """Return the index after the operand that begins at an index."""
    is_complete = False
    while at < len(tokens):
        token = tokens[at]
        kind = token.token_type
        if not is_complete:
            if kind in _SIGNS or (kind in PREFIX_KINDS and token.text != "$"):
                at += 1
                continue
            at = _atom_end(tokens, at)
            is_complete = True
        elif kind in _ARITHMETIC:
            at += 1
            is_complete = False
        elif kind in (TokenType.L_PAREN, TokenType.L_BRACKET):
            at = after_closing(tokens, at)
        elif kind in (TokenType.DOT, TokenType.DCOLON):
            at = _zone_end(tokens, at + 2)
        elif token.text.lower() == "collate":
            at += 2
        elif _words(tokens, at, 3) == ["at", "time", "zone"]:
            at += 3
            is_complete = False
        else:
            return at
    return at


def _atom_end(tokens: Sequence[Token], at: int) -> int:
    kind = tokens[at].token_type
    if kind in OPENING:
        return after_closing(tokens, at)
    return at + 2 if kind is TokenType.PARAMETER else at + 1


def _zone_end(tokens: Sequence[Token], at: int) -> int:
    """Return the index after WITH TIME ZONE, should that follow a type."""
    words = _words(tokens, at, 3)
    return at + 3 if words[1:] == ["time", "zone"] and words[0] in {"with", "without"} else at


def _words(tokens: Sequence[Token], at: int, count: int) -> list[str]:
    return [token.text.lower() for token in tokens[at : at + count]]
