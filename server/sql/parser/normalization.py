"""``text IS NFC NORMALIZED`` and ``normalize(text, NFC)``, whose forms are words.

PostgreSQL's grammar makes calls of functions in ``pg_catalog`` of both, with the form as a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from server.sql.parser.tokens import after_closing, parenthesis, retold, word

#: What either of them has.
NORMALIZATION: Final = frozenset(("normalize", "normalized"))

_FORMS: Final = ("nfc", "nfd", "nfkc", "nfkd")

#: Begins the name of the call that stands on the right of IS, behind which the form follows.
_TEST: Final = "is normalized "

_CATALOG: Final = "pg_catalog"


def with_normalizations(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with a call for each such test, and forms as texts."""
    found: list[Token] = []
    texts: set[int] = set()  # The indexes of forms that are arguments.
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if (test := _test(tokens, at)) is not None:
            end, form = test
            found += tokens[at:end]
            name = tokens[end]
            found += (
                retold(token, _TEST + form),  # Where errors of it point.
                parenthesis(name, TokenType.L_PAREN),
                parenthesis(name, TokenType.R_PAREN),
            )
            at = end + (1 if word(name) == "normalized" else 2)
            continue
        if _is_call(tokens, at):
            is_quoted = token.token_type is TokenType.IDENTIFIER
            form_at = after_closing(tokens, at + 1) - 2
            if not is_quoted and _is_form(tokens, form_at):
                texts.add(form_at)
            if not is_quoted and not (at and tokens[at - 1].token_type is TokenType.DOT):
                found += (retold(token, _CATALOG), retold(token, ".", TokenType.DOT))
            token = retold(token, "normalize")
        elif at in texts:
            token = retold(token, token.text.upper(), TokenType.STRING)
        found.append(token)
        at += 1
    return found


def called(test: exp.Is) -> exp.Expr | None:
    """Return the call that a test on the right of IS stands for, or None."""
    right = test.expression
    if not isinstance(right, exp.Anonymous) or not str(right.this).startswith(_TEST):
        return None
    form = str(right.this).removeprefix(_TEST).upper()
    call = exp.Anonymous(
        this="is_normalized",
        expressions=[test.this, *([exp.Literal.string(form)] if form else [])],
    )
    made = exp.Dot(this=exp.to_identifier(_CATALOG), expression=call)
    for node in (made, made.this, call):
        node.meta.update(right.meta)
    return made


def _test(tokens: Sequence[Token], at: int) -> tuple[int, str] | None:
    """Return where what follows IS [NOT] begins, and the form; None where it is no such test."""
    if tokens[at].token_type is not TokenType.IS:
        return None
    at += 1
    if at < len(tokens) and tokens[at].token_type is TokenType.NOT:
        at += 1
    words = [token.text.lower() for token in tokens[at : at + 2]]
    if words[:1] == ["normalized"]:
        return at, ""
    return (at, words[0]) if words[1:] == ["normalized"] and words[0] in _FORMS else None


def _is_call(tokens: Sequence[Token], at: int) -> bool:
    is_open = at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.L_PAREN
    return is_open and word(tokens[at]) == "normalize"


def _is_form(tokens: Sequence[Token], at: int) -> bool:
    is_last = tokens[at - 1].token_type is TokenType.COMMA
    return is_last and tokens[at].text.lower() in _FORMS and word(tokens[at]) != ""
