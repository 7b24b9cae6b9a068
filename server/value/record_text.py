"""Reading and writing rows such as ``(1,"a b",)`` (PostgreSQL 15, chapter 8.16.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from catalog.errors import InvalidTextRepresentation

_BLANKS: Final = " \t\n\r\v\f"
_NEEDS_QUOTES: Final = re.compile(r'[(),"\\\s]')


def parse_record(text: str, count: int) -> list[str | None]:
    """Return the texts of a row's columns; None for NULL.

    Args:
        text: The whole.
        count: How many columns there are.

    Raises:
        InvalidTextRepresentation: It is no row of so many columns.
    """
    at = len(text) - len(text.lstrip(_BLANKS))
    if text[at : at + 1] != "(":
        raise _malformed(text, "Missing left parenthesis.")
    at += 1
    columns: list[str | None] = []
    while True:
        column, at = _column(text, at)
        columns.append(column)
        if text[at] == ")":
            break
        at += 1
    if text[at + 1 :].strip(_BLANKS):
        raise _malformed(text, "Junk after right parenthesis.")
    if not count and columns == [None]:
        return []
    if len(columns) != count:
        few = "few" if len(columns) < count else "many"
        raise _malformed(text, f"Too {few} columns.")
    return columns


def _column(text: str, at: int) -> tuple[str | None, int]:
    """Return a column and where it ends, which is at a comma or the right parenthesis."""
    if text[at : at + 1] in {",", ")"}:
        return None, at
    found: list[str] = []
    is_quoted = False
    while True:
        character = text[at : at + 1]
        if not character:
            raise _malformed(text, "Unexpected end of input.")
        if character == "\\":
            if at + 1 == len(text):
                raise _malformed(text, "Unexpected end of input.")
            found.append(text[at + 1])
            at += 2
        elif character == '"':
            if is_quoted and text[at + 1 : at + 2] == '"':
                found.append('"')
                at += 1
            else:
                is_quoted = not is_quoted
            at += 1
        elif not is_quoted and character in ",)":
            return "".join(found), at
        else:
            found.append(character)
            at += 1


def _malformed(text: str, detail: str) -> InvalidTextRepresentation:
    return InvalidTextRepresentation(f'malformed record literal: "{text}"', detail=detail)


def record_text(columns: Sequence[str | None]) -> str:
    """Return the text of a row, given its columns' texts."""
    return f"({','.join('' if column is None else _quoted(column) for column in columns)})"


def _quoted(text: str) -> str:
    if text and not _NEEDS_QUOTES.search(text):
        return text
    doubled = text.replace("\\", "\\\\").replace('"', '""')
    return f'"{doubled}"'
