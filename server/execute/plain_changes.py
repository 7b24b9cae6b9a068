"""UPDATEs and DELETEs that differ only in whole numbers, recognised by their text.

Tools write values into the text. Numbers are taken out of such a text, and what is left is prepared
with a parameter of its type for each, once for all texts of that kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import Final

from catalog.types import INT4, INT8, PgType
from server.sql.source import Source
from server.sql.statement import Delete, Statement, Update

#: Texts in which a whole number can be nothing but a constant of an expression: without quotes,
#: parentheses, comments and signs of casts.
_SIMPLE: Final = re.compile(
    r"\s*(?:UPDATE|DELETE)\b(?!.*(?:--|\b(?:RETURNING|INTERVAL|LIMIT)\b))"
    r"[A-Za-z0-9_ \t\r\n.,*=<>+-]{1,2000}\Z",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,18}(?![\w.])")

_INT4_MAX: Final = 2**31 - 1

#: How many different texts are known at a time.
_TEXTS_MAX: Final = 256


@dataclass(frozen=True, slots=True)
class TakenApart:
    """A statement without its whole numbers.

    Attributes:
        source: Its text with ``$1``, ``$2``, ... in their places.
        types: Their types, as PostgreSQL types constants.
        values: They themselves.
    """

    source: Source
    types: tuple[PgType, ...]
    values: tuple[int, ...]


class PlainChanges:
    """The UPDATEs and DELETEs of a session by their texts without whole numbers."""

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
    """Return a statement taken apart; None if it has no whole number, or more than that."""
    if not _SIMPLE.match(source.text):
        return None
    values = tuple(map(int, _NUMBER.findall(source.text)))
    if not values:
        return None
    places = count(1)
    text = _NUMBER.sub(lambda _: f"${next(places)}", source.text)
    types = tuple(INT4 if value <= _INT4_MAX else INT8 for value in values)
    return TakenApart(Source(text, source.start), types, values)
