"""Searches by regular expressions that go back and forth, none of them without end.

Some patterns try more ways through a text than anybody can wait for. Python's own engine does not
let go of the interpreter meanwhile, so that all sessions would wait; the ``regex`` library does,
remembers most ways that lead nowhere, and gives up after a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import regex

from catalog.errors import InvalidRegularExpression

#: So long one text is searched.
_SECONDS_MAX: Final = 5.0


class RegexMatch(Protocol):
    """Where a text matches, as Python's ``re.Match`` tells it."""

    def __getitem__(self, group: int, /) -> str | None: ...

    def start(self, group: int = 0, /) -> int: ...

    def end(self, group: int = 0, /) -> int: ...

    def span(self, group: int = 0, /) -> tuple[int, int]: ...

    def groups(self) -> Sequence[str | None]: ...


@dataclass(frozen=True)
class BoundedRegex:
    """A compiled expression.

    Attributes:
        count: How many groups it has.
    """

    _compiled: regex.Pattern[str]
    count: int

    @classmethod
    def compiled(cls, source: str, *, ignores_case: bool, has_lines: bool) -> BoundedRegex:
        """Compile an expression in Python's spelling.

        Raises:
            ValueError: It is none; the text says why.
        """
        flags = regex.VERSION0
        flags |= regex.MULTILINE if has_lines else 0
        flags |= regex.IGNORECASE if ignores_case else 0
        try:
            found = regex.compile(source, flags)
        except (regex.error, OverflowError, RecursionError) as e:
            raise ValueError(str(e)) from e
        return cls(found, found.groups)

    def search(self, text: str) -> RegexMatch | None:
        """Return the first match.

        Raises:
            InvalidRegularExpression: It takes too long.
        """
        return next(self.finditer(text), None)

    def finditer(self, text: str, start: int = 0) -> Iterator[RegexMatch]:
        """Yield the matches from a place on.

        Raises:
            InvalidRegularExpression: It takes too long.
        """
        try:
            yield from self._compiled.finditer(text, start, concurrent=True, timeout=_SECONDS_MAX)
        except TimeoutError:
            raise InvalidRegularExpression(
                "regular expression failed: the search takes too long"
            ) from None
