"""Point queries that differ only in the number they look for, recognised by their text.

Tools write values into the text. Parsing and binding each of these texts anew takes many times
what finding the row takes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, TypeAlias

from server.execute.describe import Described
from server.session_state import SessionState
from server.sql.source import Source
from server.sql.statement import Query, Statement

#: Texts in which a number can be nothing but a number: without quotes, comments, casts and signs.
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_ \t\r\n.,*=()]{1,2000}\Z")
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,18}(?![\w.])")

#: How many different texts are known at a time.
_TEXTS_MAX: Final = 256

_Known: TypeAlias = tuple[Query, Described]


class PointQueries:
    """The point queries of a session by their texts without the number."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def note(self, source: Source, statement: Statement, described: Described) -> None:
        """Remember a statement if it is a point query with the only number of its text."""
        if not isinstance(statement, Query) or described.query is None:
            return
        taken = _taken_apart(source)
        if taken is None or _constant(described) != taken[1]:
            return
        if len(self._known) >= _TEXTS_MAX:
            self._known.clear()
        self._known[taken[0]] = statement, described

    def find(self, source: Source, state: SessionState) -> tuple[Query, Described, int] | None:
        """Return a known point query as a statement of another text, and what it looks for.

        Raises:
            PgError: What it names is not there any more.
        """
        if not self._known or (taken := _taken_apart(source)) is None:
            return None
        known = self._known.get(taken[0])
        if known is None:
            return None
        statement, described = known
        described.refresh(state)
        if _constant(described) is None:
            return None
        return replace(statement, source=source), described, taken[1]


def _constant(described: Described) -> int | None:
    assert described.query is not None
    point = described.query.reading().point
    return None if point is None else point.constant


def _taken_apart(source: Source) -> tuple[str, int] | None:
    """Return a text without its only number, and the number."""
    if not _SIMPLE.match(source.text):
        return None
    numbers = _NUMBER.findall(source.text)
    if len(numbers) != 1:
        return None
    return _NUMBER.sub("?", source.text), int(numbers[0])
