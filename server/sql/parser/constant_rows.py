"""Rows of plain constants or parameters in an INSERT, found without a token for each.

Reading 1000 rows takes the tokenizer, the parser and the binder a quarter of a second, the engine
as much again. What is nothing but numbers, plain strings, dates and timestamps with or without the
word before them, NULL, TRUE, FALSE and ``$n`` is found by one regular expression here; anything
else in such a statement is left to the parser.
"""

from __future__ import annotations

import re
from typing import Final

from server.sql.constant_rows import ConstantRows
from server.sql.source import Source

_HEAD: Final = re.compile(
    r'\s*INSERT\s+INTO\s+[\w."$]+\s*(?:\([\w\s,"$]*\)\s*)?(?=VALUES\s*\()', re.IGNORECASE
)
_TEXT: Final = r"(?:(?:DATE|TIMESTAMP)\s++)?+'[^']*+(?:''[^']*+)*+'"
_CONSTANT: Final = rf"(?:{_TEXT}|-?[0-9]++(?:\.[0-9]++)?|NULL|TRUE|FALSE|\$[0-9]{{1,5}}+)"
_ROW: Final = rf"\(\s*+{_CONSTANT}\s*+(?:,\s*+{_CONSTANT}\s*+)*+\)\s*+"
_ROWS: Final = re.compile(
    rf"VALUES\s*+{_ROW}(?:,\s*+{_ROW})*+(?=\Z|ON\b|RETURNING\b)", re.IGNORECASE
)
_CONSTANT_OR_END: Final = re.compile(rf"{_CONSTANT}|\)", re.IGNORECASE)


def find_rows(text: str) -> ConstantRows | None:
    """Return the rows of an INSERT; None if it is none, or has other values."""
    head = _HEAD.match(text)
    if head is None:
        return None
    whole = _ROWS.match(text, head.end())
    if whole is None:
        return None
    cells = _CONSTANT_OR_END.findall(text, *whole.span())
    width = cells.index(")")
    count = cells.count(")")
    if len(cells) != count * (width + 1):
        return None
    if any(end != ")" for end in cells[width :: width + 1]):
        return None
    columns = tuple(tuple(cells[i :: width + 1]) for i in range(width))
    return ConstantRows(columns, *whole.span())


def without_rows(source: Source, rows: ConstantRows) -> Source:
    """Return a statement with one short row in the place of many; all offsets stay true."""
    text = source.text
    blanks = " " * (rows.end - rows.start - len(_SHORT))
    return Source(f"{text[: rows.start]}{_SHORT}{blanks}{text[rows.end :]}", source.start)


_SHORT: Final = "VALUES (0)"


def only_rows(source: Source, rows: ConstantRows) -> Source:
    """Return the rows alone as a query; all offsets stay true."""
    return Source(" " * rows.start + source.text[rows.start : rows.end], source.start)
