r"""LIKE and regular expressions (PostgreSQL 15, chapter 9.7).

DuckDB's LIKE has no escape character unless one is named; its regular expressions are RE2's
(``regex``).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import InvalidEscapeSequence
from catalog.types import BOOL, BPCHAR, TEXT
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import call, cast, fragment, string
from server.sql.known import known_text
from server.sql.typed import Typed
from server.value.regex import re2_regex
from server.value.similar import similar_to_regex

_ENDS_IN_ESCAPE: Final = "LIKE pattern must not end with escape character"


def pattern_operator(
    symbol: str,
    left: Typed,
    right: Typed,
    *,
    escape: Typed | None = None,
    position: int | None = None,
) -> Typed:
    """Return the match of a text with a pattern.

    Args:
        symbol: ``~~``, ``~~*``, ``~``, ``~*`` or one of them after ``!``.
        left: The text.
        right: The pattern.
        escape: The escape character of a LIKE; a backslash if None.
        position: For errors.
    """
    is_negated = symbol.startswith("!")
    bare = symbol.removeprefix("!")
    # A char(n) is compared with its blanks.
    text = left.tree if left.type.oid == BPCHAR.oid else coerce(left, TEXT, Coercion.IMPLICIT).tree
    pattern = coerce(right, TEXT, Coercion.IMPLICIT)
    if escape is not None:
        escape = coerce(escape, TEXT, Coercion.IMPLICIT)
    if bare == "similar to":
        tree = _similar(text, pattern, escape)
    elif bare.startswith("~~"):
        word = "ILIKE" if bare == "~~*" else "LIKE"
        tree = _like(word, text, pattern, escape, position)
    else:
        tree = matched(text, pattern, "i" if bare == "~*" else "")
    return Typed(fragment("NOT (_0)", tree) if is_negated else tree, BOOL)


def _like(
    word: str, text: exp.Expr, pattern: Typed, escape: Typed | None, position: int | None
) -> exp.Expr:
    mark = "\\"
    if escape is not None:
        given = known_text(escape, "the escape of LIKE", stand_in="\\", position=position)
        if given is None:
            return cast(exp.Null(), BOOL.duckdb)
        mark = given
    _check_escape(mark, position)
    constant = pattern.constant_text
    if constant is not None and mark and _ends_in_escape(constant, mark):
        return _never(word, text, constant[:-1], mark, position)
    if not mark or (constant is not None and mark not in constant):
        return fragment(f"_0 {word} _1", text, pattern.tree)
    quoted = "''" if mark == "'" else mark
    return fragment(f"_0 {word} _1 ESCAPE '{quoted}'", text, pattern.tree)


def _never(word: str, text: exp.Expr, before: str, mark: str, position: int | None) -> exp.Expr:
    """Return the match of a pattern that ends in its escape: none, and an error where it is read.

    That is so where what stands before it leaves something of the text.
    """
    if mark in "%_":
        raise InvalidEscapeSequence(_ENDS_IN_ESCAPE, position=position)
    quoted = "''" if mark == "'" else mark
    fault = call("ERROR", string(f"22025:{_ENDS_IN_ESCAPE}"))
    return fragment(
        f"CASE WHEN _0 {word} _1 ESCAPE '{quoted}' THEN CAST(_2 AS BOOLEAN) "
        "WHEN _0 IS NOT NULL THEN FALSE END",
        text,
        string(before + "_%"),
        fault,
    )


def _check_escape(mark: str, position: int | None) -> None:
    if len(mark) > 1:
        raise InvalidEscapeSequence(
            "invalid escape string",
            hint="Escape string must be empty or one character.",
            position=position,
        )


def _similar(text: exp.Expr, pattern: Typed, escape: Typed | None) -> exp.Expr:
    mark = "\\" if escape is None else escape.constant_text
    if pattern.constant_text is not None and mark is not None:
        regular = string(similar_to_regex(pattern.constant_text, mark))
    else:
        given = string("\\") if escape is None else escape.tree
        regular = call("tg_similar_escape", pattern.tree, given)
    return matched(text, Typed(regular, TEXT))


def _ends_in_escape(pattern: str, mark: str) -> bool:
    at = 0
    while at < len(pattern):
        if pattern[at] == mark:
            at += 1
            if at == len(pattern):
                return True
        at += 1
    return False


def matched(text: exp.Expr, pattern: Typed, letters: str = "") -> exp.Expr:
    """Return whether a text matches a regular expression, whose options are letters.

    DuckDB's engine is fast, and asked where it knows all that a constant expression has.

    Raises:
        InvalidRegularExpression: A constant is none.
    """
    constant = pattern.constant_text
    found = None if constant is None else re2_regex(constant, letters)
    if found is not None:
        return fragment("REGEXP_MATCHES(_0, _1, 's')", text, string(found))
    return fragment("tg_regexp_matches(_0, _1, _2)", text, pattern.tree, string(letters))
