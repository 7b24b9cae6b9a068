"""Where sqlglot's errors become ours; no other module of the front end catches them.

PostgreSQL points at the token that cannot follow, or says "at end of input". sqlglot's messages
name the rule that failed instead, so only the token its parser stood at is taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import Dialect, exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from catalog.errors import (
    InvalidTextRepresentation,
    PgError,
    SqlSyntaxError,
    StatementTooComplex,
)
from server.sql.query_tree import prepare, restored
from server.sql.source import Source, lexemes

DIALECT: Final = Dialect.get_or_raise("risingwave")


def too_complex() -> StatementTooComplex:
    """Build the error for a statement that is nested too deeply, with PostgreSQL's wording."""
    return StatementTooComplex(
        "stack depth limit exceeded",
        hint='Increase the configuration parameter "max_stack_depth" (currently 2048kB), '
        "after ensuring the platform's stack depth limit is adequate.",
    )


def near(token: Token | None, text: str, source: Source) -> SqlSyntaxError:
    """Build the error for a token that cannot stand where it does; None is the end of the input.

    Args:
        token: What the parser could not take.
        text: What the token's offsets count in.
        source: Where the statement stands.
    """
    if token is None or token.token_type is TokenType.SENTINEL:
        return SqlSyntaxError.near(None, position=source.start + len(source.text) + 1)
    return SqlSyntaxError.near(
        text[token.start : token.end + 1], position=source.start + token.start + 1
    )


def tokens_of(text: str, source: Source) -> list[Token]:
    """Tokenize a text of which every quote is known to end.

    Raises:
        SqlSyntaxError: A number or bit string is malformed.
    """
    try:
        return DIALECT.tokenize(text)
    except TokenError as e:
        raise _literal_error(text, source) from e


_BITS: Final = re.compile(r"(?<![\w$])([bBxX])'([^']*)'")


def _literal_error(text: str, source: Source) -> PgError:
    """Find the literal that the tokenizer does not take."""
    try:
        for _ in lexemes(text):
            pass
    except SqlSyntaxError as e:
        if e.position is not None:
            e.position += source.start
        return e
    for bits in _BITS.finditer(text):
        base, kind = (2, "binary") if bits[1] in "bB" else (16, "hexadecimal")
        for digit in bits[2]:
            if digit not in "0123456789abcdefABCDEF"[: 2 if base == 2 else None]:
                return InvalidTextRepresentation(
                    f'"{digit}" is not a valid {kind} digit',
                    position=source.start + bits.start() + 1,
                )
    return SqlSyntaxError("syntax error", position=source.start + 1)


def tree_of(tokens: Sequence[Token], text: str, source: Source) -> exp.Expr:
    """Parse the tokens of one query.

    Raises:
        SqlSyntaxError: They are not a statement that sqlglot knows.
        StatementTooComplex: They are nested too deeply.
    """
    parser = DIALECT.parser()
    try:
        trees = parser.parse(prepare(tokens), text)
    except (ParseError, TypeError) as e:
        # It builds some nodes before it looks whether there is an operand.
        token = parser._curr  # noqa: SLF001 - the message does not tell the end from its last token
        raise near(token, text, source) from e
    except RecursionError as e:
        raise too_complex() from e
    tree = trees[0] if len(trees) == 1 else None
    if tree is None:
        raise near(None, text, source)
    return restored(tree)
