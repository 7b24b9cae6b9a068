"""Parts of JSON texts as they were written, which json keeps (PostgreSQL 15, chapter 8.14)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

_BLANKS: Final = " \t\n\r"
_BLANK: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,\]}]+")
#: What nesting is told by; brackets in strings are none.
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_INTEGER: Final = re.compile(r"[+-]?\d+")


def members(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of an object's members in their order."""
    for begin, at in _parts(text, "{"):
        yield json.loads(text[begin:at]), _value(text, at)


def elements(text: str) -> Iterator[str]:
    """Yield an array's items."""
    for begin, at in _parts(text, "["):
        yield text[begin:at]


def member(text: str, name: str) -> str | None:
    """Return a member of an object, the last of several; None if there is none."""
    found = None
    for key, value in members(text):
        if key == name:
            found = value
    return found


def element(text: str, place: int) -> str | None:
    """Return an item of an array by its place from 0, or from its end; None if there is none."""
    items = list(elements(text))
    return items[place] if -len(items) <= place < len(items) else None


def at_path(text: str, path: list[str | None]) -> str | None:
    """Return what is at a path of names and places."""
    found: str | None = text
    for step in path:
        if found is None or step is None:
            return None
        if found.lstrip(_BLANKS)[:1] == "{":
            found = member(found, step)
        elif _INTEGER.fullmatch(step):
            found = element(found, int(step))
        else:
            return None
    return None if found is None else found.strip(_BLANKS)


class _Number(str):
    """A number as it stands in a text."""

    __slots__ = ()


def at_steps(text: str, steps: list[str | None]) -> str | None:
    """Return what the operators of jsonb find one after the other.

    Args:
        text: The text of a jsonb.
        steps: Each begins with what it is: ``.`` a name, ``#`` a place, and ``/`` whichever of the
            two fits, as in a path.
    """
    number = _number_at(text, steps)
    return _slice_at(text, steps) if number is None else number


def _number_at(text: str, steps: list[str | None]) -> str | None:
    """Return the number at the end of the steps, which the parser of Python finds fastest."""
    value = json.loads(text, parse_float=_Number, parse_int=_Number)
    for step in steps:
        wanted = step[1:] if step else ""
        if isinstance(value, dict):
            value = value.get(wanted)
        elif isinstance(value, list) and _INTEGER.fullmatch(wanted):
            place = int(wanted)
            value = value[place] if -len(value) <= place < len(value) else None
    return value if isinstance(value, _Number) else None


def _slice_at(text: str, steps: list[str | None]) -> str | None:
    found: str | None = text.strip(_BLANKS)
    for step in steps:
        if found is None or step is None:
            return None
        kind, wanted = step[0], step[1:]
        if kind == "/":
            found = at_path(found, [wanted])
        elif kind == ".":
            found = member(found, wanted)
        elif found[0] in "[{" or wanted not in {"0", "-1"}:
            found = element(found, int(wanted))
    return found


def _parts(text: str, opening: str) -> Iterator[tuple[int, int]]:
    """Yield where the items of an array, or the names in an object, begin and end."""
    at = _skipped(text, 0)
    if text[at : at + 1] != opening:
        return
    at = _skipped(text, at + 1)
    while at < len(text) and text[at] not in "]}":
        end = _end(text, at)
        yield at, end
        at = _skipped(text, end)
        if opening == "{":  # Past the colon and the value.
            at = _skipped(text, _end(text, _skipped(text, at + 1)))
        if text[at : at + 1] == ",":
            at = _skipped(text, at + 1)


def _value(text: str, end_of_name: int) -> str:
    begin = _skipped(text, _skipped(text, end_of_name) + 1)
    return text[begin : _end(text, begin)]


def _skipped(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _end(text: str, at: int) -> int:
    """Return where the value ends that begins there."""
    if text[at] == '"':
        match = _STRING.match(text, at)
    elif text[at] in "[{":
        depth = 0
        for mark in _MARK.finditer(text, at):
            depth += (mark[0] in "[{") - (mark[0] in "]}")
            if depth == 0:
                return mark.end()
        return len(text)
    else:
        match = _SCALAR.match(text, at)
    return len(text) if match is None else match.end()
