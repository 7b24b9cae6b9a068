"""UPDATEs and DELETEs that differ only in whole numbers and texts, recognised by what is left.

Tools write values into the text. These are taken out of it, and what is left is prepared with a
parameter for each, once for all texts of that kind. A text has no type, nor has its parameter, so
that it is given the one that the text would be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from catalog.errors import PgError
from catalog.types import DATE, INT4, INT8, TIMESTAMP, PgType
from server.sql.source import Source
from server.sql.statement import Delete, Statement, Update
from server.wire.values import parser

_TEXT: Final = r"'(?:[^'\\\0]|'')*+'"

#: Texts in which a whole number or a text can be nothing but a constant of an expression: without
#: other quotes, parentheses, comments and signs of casts.
_SIMPLE: Final = re.compile(
    r"\s*(?:UPDATE|DELETE)\b(?!.*(?:--|\b(?:RETURNING|INTERVAL|LIMIT)\b))"
    rf"(?:[A-Za-z0-9_ \t\r\n.,*=<>+-]|{_TEXT}){{1,2000}}+\Z",
    re.IGNORECASE | re.DOTALL,
)
#: What may stand before a text that is an operand: it has no type, or the one that is named.
_CONSTANT: Final = re.compile(
    rf"(?<![\w.])(?P<number>\d{{1,18}})(?![\w.])"
    rf"|(?:(?<=[=<>,+-])|\b(?P<type>TIMESTAMP|DATE)\b|\b(?P<word>I?LIKE|BETWEEN|AND)\b)"
    rf"(?P<space>\s*)(?P<text>{_TEXT})"
    rf"|(?P<other>{_TEXT})",
    re.IGNORECASE,
)
_TYPES: Final = {"TIMESTAMP": TIMESTAMP, "DATE": DATE}

_INT4_MAX: Final = 2**31 - 1

#: How many different texts are known at a time.
_TEXTS_MAX: Final = 256


@dataclass(frozen=True, slots=True)
class TakenApart:
    """A statement without its whole numbers and texts.

    Attributes:
        source: Its text with ``$1``, ``$2``, ... in their places.
        types: Their types, as PostgreSQL types constants; None of texts.
        values: They themselves.
    """

    source: Source
    types: tuple[PgType | None, ...]
    values: tuple[int | str, ...]

    def parsed(self, types: Sequence[PgType]) -> tuple[object, ...] | None:
        """Return the values as parameters of these types; None if a text is none of its type's."""
        try:
            return tuple(
                value if isinstance(value, int) else parser(pg_type)(value)
                for value, pg_type in zip(self.values, types, strict=True)
            )
        except PgError:
            return None


class PlainChanges:
    """The UPDATEs and DELETEs of a session by their texts without numbers and texts."""

    def __init__(self) -> None:
        self._known: set[TakenApart] = set()

    def note(self, source: Source, statement: Statement) -> None:
        """Remember a statement that was bound: others of its kind make as much sense."""
        if not isinstance(statement, Update | Delete) or (taken := _taken_apart(source)) is None:
            return
        if len(self._known) >= _TEXTS_MAX:
            self._known.clear()
        self._known.add(_kind(taken))

    def find(self, source: Source) -> TakenApart | None:
        """Return a statement taken apart if it is of a kind that is known."""
        if not self._known or (taken := _taken_apart(source)) is None:
            return None
        return taken if _kind(taken) in self._known else None

    def forget(self, taken: TakenApart) -> None:
        """Let statements of a kind be prepared as they are written."""
        self._known.discard(_kind(taken))


def _kind(taken: TakenApart) -> TakenApart:
    return TakenApart(taken.source, taken.types, ())


def _taken_apart(source: Source) -> TakenApart | None:
    """Return a statement taken apart; None if it has no constant, or more than constants."""
    if not _SIMPLE.match(source.text):
        return None
    types: list[PgType | None] = []
    values: list[int | str] = []

    def taken(found: re.Match[str]) -> str:
        if found["number"] is not None:
            number = int(found["number"])
            values.append(number)
            types.append(INT4 if number <= _INT4_MAX else INT8)
            return f"${len(values)}"
        values.append(found["text"][1:-1].replace("''", "'"))
        types.append(_TYPES[found["type"].upper()] if found["type"] else None)
        return f"{found['word'] or ''}{found['space']}${len(values)}"

    if any(found["other"] is not None for found in _CONSTANT.finditer(source.text)):
        return None
    text = _CONSTANT.sub(taken, source.text)
    if not values:
        return None
    return TakenApart(Source(text, source.start), tuple(types), tuple(values))
