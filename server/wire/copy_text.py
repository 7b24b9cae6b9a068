r"""The text format of COPY in Python: headers, lines with rare escapes, and lines that are wrong.

A backslash before the delimiter or the end of the line makes it data; ``\b \f \n \r \t \v`` are
control characters, ``\101`` and ``\x41`` bytes, any other character after it is itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from server.wire.body import decode_utf8
from server.wire.copy_format import CopyFormat

_NAMED: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_NAMES: Final = {character.decode(): name.decode() for name, character in _NAMED.items()}
_ESCAPE: Final = re.compile(rb"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.)|\Z)", re.DOTALL)


def text_line(values: Sequence[str], form: CopyFormat) -> str:
    """Return a line of values none of which is NULL, with its end."""
    return form.delimiter.join(_escaped(value, form.delimiter) for value in values) + "\n"


def _escaped(value: str, delimiter: str) -> str:
    shown = (
        f"\\{_NAMES.get(c, c)}" if c == "\\" or c in _NAMES or c == delimiter else c for c in value
    )
    return "".join(shown)


def split_lines(text: str, line_end: str) -> list[str]:
    """Return the lines of a chunk whose last line has no end."""
    return _split(text, line_end) if f"\\{line_end}" in text else text.split(line_end)


def split_fields(line: str, form: CopyFormat) -> list[str | None]:
    """Return the values of a line.

    Raises:
        CharacterNotInRepertoire: Escapes make bytes that are not UTF-8.
    """
    if "\\" not in line:
        return [None if field == form.null else field for field in line.split(form.delimiter)]
    fields = _split(line, form.delimiter)
    return [None if field == form.null else _unescaped(field) for field in fields]


def _split(text: str, separator: str) -> list[str]:
    """Return what stands between the separators that no backslash is before."""
    pattern = _piece(separator)
    pieces, at = [], 0
    while True:
        match = pattern.match(text, at)
        assert match is not None
        pieces.append(match[0])
        if match.end() == len(text):
            return pieces
        at = match.end() + len(separator)


@lru_cache(maxsize=16)
def _piece(separator: str) -> re.Pattern[str]:
    end = re.escape(separator)
    plain = rf"[^\\{end}]++" if len(separator) == 1 else rf"(?!{end})[^\\]"
    return re.compile(rf"(?:{plain}|\\.)*+\\?", re.DOTALL)


def _unescaped(field: str) -> str:
    if "\\" not in field:
        return field
    return decode_utf8(_ESCAPE.sub(_meaning, field.encode()))


def _meaning(match: re.Match[bytes]) -> bytes:
    hexadecimal, octal, other = match.groups()
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    return _NAMED.get(other, other) if other is not None else b""
