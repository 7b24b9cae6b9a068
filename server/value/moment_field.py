"""The text of a date or time cut into fields, and what is read from them."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from server.value.moment_words import KNOWN


class FieldKind(Enum):
    """What a field looks like, before it is known what it means."""

    NUMBER = auto()
    DATE = auto()
    TIME = auto()
    OFFSET = auto()
    WORD = auto()
    SPECIAL = auto()
    BAD = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """A piece of the text, in lower case."""

    kind: FieldKind
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """What a text names.

    Attributes:
        days: Since 2000-01-01, or None where only a time of day was given.
        microseconds: Since midnight.
        offset: Seconds east of Greenwich, where the text tells.
        zone: The zone's name, where the text has one.
        relative_days: Days from the day on which it is read, instead of ``days``.
        special: "now", "epoch", "infinity" or "-infinity", and then nothing else.
    """

    days: int | None = None
    microseconds: int = 0
    offset: int | None = None
    zone: str | None = None
    relative_days: int | None = None
    special: str | None = None


_NUMBER_MAX: Final = 10**9
_BLANKS: Final = " \t\n\r\v\f"
_IGNORED: Final = frozenset(string.punctuation)
_DIGITS: Final = re.compile(r"[0-9]+")
_CLOCK: Final = re.compile(r"[0-9]+:[0-9:.]*")
_DELIMITED: Final = re.compile(r"[0-9]+([-/.])([0-9]+)(?:(\1)[0-9\-/.]*)?")
_DELIMITED_WORD: Final = re.compile(r"[0-9]+([-/.])(?=[^0-9])(?:[a-z0-9]|\1)*")
_FRACTION: Final = re.compile(r"\.[0-9]*")
_LETTERS: Final = re.compile(r"[a-z]+")
_WORDS: Final = re.compile(r"[a-z0-9+\-/_.:]+")
_OFFSET: Final = re.compile(r"([+-])\s*([0-9][0-9:.\-]*)")
_SIGNED_WORD: Final = re.compile(r"([+-])\s*([a-z]+)")


def cut(text: str) -> list[Field]:
    """Return the fields of a text."""
    lowered = "".join(c.lower() if c.isascii() else c for c in text)
    fields: list[Field] = []
    at = 0
    while at < len(lowered):
        character = lowered[at]
        if character in _BLANKS:
            at += 1
            continue
        field, at = _next(lowered, at, character)
        if field is not None:
            fields.append(field)
    return fields


def _next(text: str, at: int, first: str) -> tuple[Field | None, int]:
    if first in string.digits:
        return _numeric(text, at)
    if first == "." and (found := _FRACTION.match(text, at)):
        return Field(FieldKind.NUMBER, found[0]), found.end()
    if first in string.ascii_lowercase:
        return _word(text, at)
    if first in "+-":
        if found := _OFFSET.match(text, at):
            return Field(FieldKind.OFFSET, found[1] + found[2]), found.end()
        if found := _SIGNED_WORD.match(text, at):
            return Field(FieldKind.SPECIAL, found[1] + found[2]), found.end()
        return Field(FieldKind.BAD, first), at + 1
    if first in _IGNORED:
        return None, at + 1
    return Field(FieldKind.BAD, first), at + 1


def _numeric(text: str, at: int) -> tuple[Field, int]:
    if found := _CLOCK.match(text, at):
        return Field(FieldKind.TIME, found[0]), found.end()
    if found := _DELIMITED.match(text, at):
        is_date = found[1] != "." or found[3] is not None
        return Field(FieldKind.DATE if is_date else FieldKind.NUMBER, found[0]), found.end()
    if found := _DELIMITED_WORD.match(text, at):
        return Field(FieldKind.DATE, found[0]), found.end()
    found = _DIGITS.match(text, at)
    assert found is not None
    return Field(FieldKind.NUMBER, found[0]), found.end()


def _word(text: str, at: int) -> tuple[Field, int]:
    found = _LETTERS.match(text, at)
    assert found is not None
    following = text[found.end() : found.end() + 1]
    is_name = following in {"-", "/", "."} or (
        following != "" and following in "+0123456789" and found[0] not in KNOWN
    )
    if not is_name:
        return Field(FieldKind.WORD, found[0]), found.end()
    whole = _WORDS.match(text, at)
    assert whole is not None
    return Field(FieldKind.DATE, whole[0]), whole.end()


def clock_parts(text: str) -> tuple[int, int, int, str | None] | None:
    """Return hour, minute, second and the fraction's digits of ``04:05`` or ``04:05:06.789``.

    ``05:06.789`` is minutes and seconds. None is no time of day.
    """
    parts = text.split(":")
    last, point, fraction = parts[-1].partition(".")
    numbers = [*parts[:-1], last]
    if not 2 <= len(numbers) <= 3 or not all(n.isdigit() or n == "" for n in numbers):
        return None
    values = [min(int(n or 0), _NUMBER_MAX) if len(n) < 12 else _NUMBER_MAX for n in numbers]
    if point and len(values) == 2:
        values.insert(0, 0)
    hour, minute, second = (*values, 0)[:3]
    return hour, minute, second, fraction if point else None


def offset_of(text: str) -> int | None:
    """Return the seconds east of Greenwich of ``+02``, ``-0330``, ``+05:45:15``; None is none.

    What is further than any zone is the largest number there is.
    """
    parts = text[1:].split(":")
    if not all(part and set(part) <= set(string.digits) for part in parts) or len(parts) > 3:
        return None
    numbers = [int(part) if len(part) < 12 else _NUMBER_MAX for part in parts]
    if len(parts) == 1 and len(text) > 3:
        numbers = list(divmod(numbers[0], 100))
    hours, minutes, seconds = (*numbers, 0, 0)[:3]
    if minutes > 59 or seconds > 59:
        return _NUMBER_MAX
    offset = hours * 3600 + minutes * 60 + seconds
    return -offset if text[0] == "-" else offset
