"""Constants with their type in front, made the casts that they are.

PostgreSQL's ``date '2024-01-01'`` binds tighter than any operator, sqlglot's takes the operators
behind it for part of the constant, and takes an interval's text apart. So the tokens are put in
another order before they are parsed: ``'2024-01-01'::date``; an interval becomes the call that
``INTERVAL_CALL`` names, of its text and its fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.names import RESERVED
from server.sql.parser.tokens import parenthesis, retold, word

#: Of the text of an interval constant, and its fields as one string: ``day to second(3)``.
INTERVAL_CALL: Final = "pg:interval constant"

#: Words that no type has as its name and that a string may follow, beside the reserved ones.
_NO_TYPES: Final = RESERVED | frozenset(
    """
    between by escape exists filter groups inout nullif out over range returns rows set uescape
    value values zone
    """.split()  # noqa: SIM905
)
#: Words of types that may have a modifier between them and the constant.
_MODIFIED: Final = frozenset(
    """
    bit bpchar char character dec decimal float interval nchar numeric time timestamp timestamptz
    varbit varchar
    """.split()  # noqa: SIM905
) | {"char varying", "character varying"}
_SEVERAL_WORDS: Final = frozenset({"char varying", "character varying", "double precision"})

_FIELDS: Final = ("year", "month", "day", "hour", "minute", "second")

#: The tokens before a constant that cannot end a type, so that nothing more is looked at.
_NEVER_TYPES: Final = frozenset(
    {
        *(TokenType.COMMA, TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.EQ, TokenType.NEQ),
        *(TokenType.LIKE, TokenType.ILIKE, TokenType.ARROW, TokenType.DARROW, TokenType.DPIPE),
        *(TokenType.STRING, TokenType.NUMBER, TokenType.FROM, TokenType.SELECT, TokenType.IN),
    }
)


def with_casts(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with every constant before its type."""
    found: list[Token] = []
    at = 0
    count = len(tokens)
    while at < count:
        token = tokens[at]
        at += 1
        if token.token_type is not TokenType.STRING or not found:
            found.append(token)
            continue
        if _is_ago(found):
            fields, at = _interval_fields(tokens, at)
            found += _interval(token, [], fields) if fields else [token]
            continue
        begin = _type_start(found)
        if begin is None:
            found.append(token)
            continue
        written = found[begin:]
        del found[begin:]
        if written[0].text.lower() == "interval":
            fields, at = _interval_fields(tokens, at)
            found += _interval(token, written[1:], fields)
        else:
            found += (token, retold(token, "::", TokenType.DCOLON), *_named(written))
    return found


def _is_ago(before: Sequence[Token]) -> bool:
    """Whether the tokens end with ``AS OF NOW() -``; INTERVAL may be left out behind that."""
    if before[-1].token_type not in {TokenType.DASH, TokenType.PLUS}:
        return False
    return [word(token) for token in before[-6:-3]] == ["as", "of", "now"]


def _type_start(before: Sequence[Token]) -> int | None:
    """Return where the type begins that the tokens end with, or None if they end with none."""
    last = len(before) - 1
    if before[last].token_type in _NEVER_TYPES:
        return None
    name = word(before[last])
    if name == "of" and last and word(before[last - 1]) == "as":
        return None  # FOR SYSTEM_TIME AS OF '...'
    if name == "zone":
        return _zoned_start(before, last)
    if before[last].token_type is TokenType.R_PAREN:
        begin = _before_modifier(before, last)
        return None if begin is None or word(before[begin]) not in _MODIFIED else begin
    if not name or name in _NO_TYPES or (" " in name and name not in _SEVERAL_WORDS):
        return None
    while last > 1 and before[last - 1].token_type is TokenType.DOT:
        last -= 2
    return last


def _zoned_start(before: Sequence[Token], last: int) -> int | None:
    """Return where ``timestamp(3) with time zone`` and its like begin."""
    if last < 3 or word(before[last - 1]) != "time":
        return None
    if word(before[last - 2]) not in {"with", "without"}:
        return None
    begin: int | None = last - 3
    if before[last - 3].token_type is TokenType.R_PAREN:
        begin = _before_modifier(before, last - 3)
    return begin if begin is not None and word(before[begin]) in {"time", "timestamp"} else None


def _before_modifier(before: Sequence[Token], closing: int) -> int | None:
    """Return the index of what stands before the ``(`` of a modifier such as ``(10, 2)``."""
    for i in range(closing - 1, max(closing - 5, 0), -1):
        if before[i].token_type is TokenType.L_PAREN:
            return i - 1
    return None


def _named(written: list[Token]) -> list[Token]:
    """Return the type's tokens; without a length ``char`` and ``bit`` keep everything here."""
    if len(written) > 1:
        return written
    (only,) = written
    if only.token_type is TokenType.CHAR:
        return [retold(only, "bpchar", TokenType.BPCHAR)]
    return boundless_bits(only) if only.token_type is TokenType.BIT else written


def boundless_bits(token: Token) -> list[Token]:
    """Return the name of ``bit`` that does not mean one bit alone."""
    return [
        retold(token, "pg_catalog"),
        retold(token, ".", TokenType.DOT),
        retold(token, "bit"),
    ]


def _interval_fields(tokens: Sequence[Token], at: int) -> tuple[list[Token], int]:
    """Return the fields behind an interval's text, and the index after them."""
    end = at
    if end < len(tokens) and word(tokens[end]) in _FIELDS:
        end += 1
        if end + 1 < len(tokens) and word(tokens[end]) == "to":
            end += 2
        if end < len(tokens) and tokens[end].token_type is TokenType.L_PAREN:
            end += 3
    return list(tokens[at:end]), end


def _interval(text: Token, modifier: list[Token], fields: list[Token]) -> list[Token]:
    written = "".join(
        token.text.lower() if token.text in "()" else f" {token.text.lower()}"
        for token in (*fields, *modifier)
    )
    return [
        retold(text, INTERVAL_CALL),
        parenthesis(text, TokenType.L_PAREN),
        text,
        retold(text, ",", TokenType.COMMA),
        retold(text, written.strip(), TokenType.STRING),
        parenthesis(text, TokenType.R_PAREN),
    ]
