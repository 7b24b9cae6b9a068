r"""LIKE and regular expressions (PostgreSQL 15, chapter 9.7).

DuckDB's LIKE has no escape character unless one is named; its regular expressions are RE2's,
which lack back references and spell some escapes differently.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from catalog.errors import DataException
from catalog.sqlstate import SqlState
from catalog.types import BOOL, TEXT
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import cast, fragment, string
from server.sql.known import known_text
from server.sql.typed import Typed

#: Escapes of PostgreSQL's regular expressions that RE2 spells differently.
_ESCAPES: Final = {
    r"\m": r"\b",
    r"\M": r"\b",
    r"\y": r"\b",
    r"\Y": r"\B",
    r"\Z": r"\z",
    r"\e": r"\x1b",
}
_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)


class InvalidEscapeSequence(DataException, sqlstate=SqlState.INVALID_ESCAPE_SEQUENCE):
    """A LIKE pattern ends in, or is given, an escape that is none."""


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
    text = coerce(left, TEXT, Coercion.IMPLICIT).tree
    pattern = coerce(right, TEXT, Coercion.IMPLICIT)
    if escape is not None:
        escape = coerce(escape, TEXT, Coercion.IMPLICIT)
    if bare == "similar to":
        similar = _similar(pattern, escape, position)
        regular = exp.Null() if similar is None else string(similar)
        tree = fragment("REGEXP_MATCHES(_0, _1, 's')", text, regular)
    elif bare.startswith("~~"):
        word = "ILIKE" if bare == "~~*" else "LIKE"
        tree = _like(word, text, pattern, escape, position)
    else:
        flags = "is" if bare == "~*" else "s"
        tree = fragment("REGEXP_MATCHES(_0, _1, _2)", text, regex(pattern), string(flags))
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
        raise InvalidEscapeSequence(
            "LIKE pattern must not end with escape character", position=position
        )
    if not mark or (constant is not None and mark not in constant):
        return fragment(f"_0 {word} _1", text, pattern.tree)
    quoted = "''" if mark == "'" else mark
    return fragment(f"_0 {word} _1 ESCAPE '{quoted}'", text, pattern.tree)


def _check_escape(mark: str, position: int | None) -> None:
    if len(mark) > 1:
        raise InvalidEscapeSequence(
            "invalid escape string",
            hint="Escape string must be empty or one character.",
            position=position,
        )


def _similar(pattern: Typed, escape: Typed | None, position: int | None) -> str | None:
    """Return the regular expression of a constant SIMILAR TO pattern; None of NULL."""
    constant = known_text(pattern, "the pattern of SIMILAR TO", stand_in="", position=position)
    mark: str | None = "\\"
    if escape is not None:
        mark = known_text(escape, "the escape of SIMILAR TO", stand_in="\\", position=position)
    if constant is None or mark is None:
        return None
    _check_escape(mark, position)
    found: list[str] = []
    is_escaped = in_class = False
    for character in constant:
        if is_escaped:
            found.append(re.escape(character))
            is_escaped = False
        elif mark and character == mark:
            is_escaped = True
        elif in_class:
            found.append(character)
            in_class = character != "]"
        elif character == "[":
            found.append(character)
            in_class = True
        else:
            found.append(_SIMILAR.get(character, character))
    return f"^(?:{''.join(found)})$"


_SIMILAR: Final = {"%": ".*", "_": ".", "(": "(?:", ".": r"\.", "^": r"\^", "$": r"\$"}


def _ends_in_escape(pattern: str, mark: str) -> bool:
    at = 0
    while at < len(pattern):
        if pattern[at] == mark:
            at += 1
            if at == len(pattern):
                return True
        at += 1
    return False


def regex(pattern: Typed) -> exp.Expr:
    """Return a pattern in RE2's spelling; one that is not constant is taken as it is."""
    constant = pattern.constant_text
    return pattern.tree if constant is None else string(translated_regex(constant))


def translated_regex(pattern: str) -> str:
    """Return a regular expression in RE2's spelling."""
    if pattern.startswith("***="):
        return re.escape(pattern[4:])
    pattern = pattern.removeprefix("***:")
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m[0], m[0]), pattern)
