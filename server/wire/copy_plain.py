r"""Data of COPY FROM that the engine's CSV reader reads exactly as PostgreSQL does.

The reader is fast and lenient: it passes over empty lines and a byte order mark, and takes a quote
within a field for data. Here is told, at little cost a byte, whether a chunk has nothing of the
kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from server.wire.copy_cut import Chunk, has_rare_escapes
from server.wire.copy_format import CopyFormat, CopyKind

_DELIMITERS: Final = frozenset("\t,;|")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class PlainData:
    """Rows that end with newlines.

    Attributes:
        rows: How many there are; if the reader finds others, it has read something else.
        has_escapes: Whether fields have backslashes that mean something.
        has_quotes: Whether fields are quoted.
    """

    data: bytes
    rows: int
    has_escapes: bool = False
    has_quotes: bool = False


def plain_data(chunk: Chunk) -> PlainData | None:
    """Return a chunk's rows for the reader, or None if it might read them otherwise."""
    form, data = chunk.form, chunk.data
    if form.delimiter not in _DELIMITERS or form.force_null or form.force_not_null:
        return None
    if chunk.line_end != "\n":
        data = data.replace(chunk.line_end.encode(), b"\n")
        if data.count(b"\n") != chunk.lines - 1:
            return None
    if b"\r" in data or b"\0" in data or data.startswith(_BYTE_ORDER_MARK):
        return None
    if form.kind is CopyKind.CSV:
        return _plain_csv(data, chunk)
    if b"\\" not in data or _has_nulls_only(data, form):
        return PlainData(data, chunk.lines)
    if has_rare_escapes(data, form):
        return None
    return PlainData(data, chunk.lines, has_escapes=True)


def _plain_csv(data: bytes, chunk: Chunk) -> PlainData | None:
    form = chunk.form
    quote = form.quote.encode()
    if quote not in data:
        return PlainData(data, chunk.lines)
    if form.escape != form.quote:
        return None
    # By turns what is outside and within quotes; nothing outside is the second half of "".
    pieces = data.split(quote)
    outside = pieces[::2]
    if len(outside) == len(pieces) // 2:
        return None
    delimiter = form.delimiter.encode()
    first, *between, last = outside
    ends = (delimiter, b"\n")
    are_plain = (
        (not first or first.endswith(ends))
        and (not last or last.startswith(ends))
        and all(not piece or (piece.startswith(ends) and piece.endswith(ends)) for piece in between)
    )
    if not are_plain:
        return None
    return PlainData(data, sum(piece.count(b"\n") for piece in outside) + 1, has_quotes=True)


def _has_nulls_only(data: bytes, form: CopyFormat) -> bool:
    r"""Whether each backslash is the beginning of a field ``\N``, and that is NULL."""
    if form.null != "\\N" or data.count(b"\\") != data.count(b"\\N"):
        return False
    ends = b"\n" + re.escape(form.delimiter.encode())
    if re.search(rb"\\N(?![" + ends + rb"]|\Z)", data):
        return False
    return re.search(rb"\\N(?<![" + ends + rb"]\\N)(?<!\A\\N)", data) is None
