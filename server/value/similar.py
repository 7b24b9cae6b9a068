"""Patterns of SIMILAR TO as regular expressions (PostgreSQL 15, chapter 9.7.2)."""

from __future__ import annotations

from catalog.errors import DataException, InvalidEscapeSequence
from catalog.sqlstate import SqlState


class InvalidUseOfEscape(DataException, sqlstate=SqlState.INVALID_USE_OF_ESCAPE_CHARACTER):
    """A pattern has too many of the marks that escapes make."""


#: A part that takes as little as it can: the quantifier tells PostgreSQL so, and nobody else.
_LAZY = "){1,1}?("
_GREEDY = "){1,1}(?:"


def similar_to_regex(pattern: str, escape: str, *, is_lazy: bool = False) -> str:
    """Return the regular expression of a pattern.

    Args:
        pattern: Of the SQL standard.
        escape: A character, or nothing.
        is_lazy: Whether what stands before the part that is marked shall be spelled as taking as
            little as it can, for an engine that needs to be told.

    Raises:
        InvalidEscapeSequence: The escape is more than one character.
        InvalidUseOfEscape: There are more than two marks.
    """
    if len(escape) > 1:
        raise InvalidEscapeSequence(
            "invalid escape string", hint="Escape string must be empty or one character."
        )
    found = ["^(?:"]
    quantifiers: list[int] = []  # Where pieces are that take as much as they can.
    marks = 0
    is_escaped = in_class = False
    for character in pattern:
        if is_escaped:
            is_escaped = False
            if character == '"' and not in_class:
                if marks == 2:
                    raise InvalidUseOfEscape(
                        "SQL regular expression may not contain more than two"
                        " escape-double-quote separators"
                    )
                found.append(_GREEDY if marks else _LAZY)
                marks += 1
                if is_lazy and marks == 1:
                    for place in quantifiers:
                        found[place] += "?"
            else:
                found.append(f"\\{character}")
        elif escape and character == escape:
            is_escaped = True
        elif in_class:
            found.append(r"\\" if character == "\\" else character)
            in_class = character != "]"
        else:
            if character == "?" and quantifiers[-1:] == [len(found) - 1]:
                quantifiers.pop()  # It takes as little as it can already.
            elif character in _QUANTIFIERS:
                quantifiers.append(len(found))
            found.append(_MEANINGS.get(character, character))
            in_class = character == "["
    return "".join([*found, ")$"])


#: What repeats what stands before it, or anything; of a bound it is the end.
_QUANTIFIERS = frozenset("%*+?}")
_MEANINGS = {"%": ".*", "_": ".", "(": "(?:", "\\": r"\\", ".": r"\.", "^": r"\^", "$": r"\$"}
