r"""Data of COPY FROM that the engine's CSV reader reads exactly as PostgreSQL does.

The reader is fast and lenient: it passes over empty lines and a byte order mark, and takes a quote
within a field for data. Here is told, at little cost a byte, whether a chunk has nothing of the
kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.wire.copy_cut import Chunk, has_rare_escapes
from server.wire.copy_format import CopyFormat, CopyKind

_NEWLINE: Final = ord("\n")
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
    found = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(found == ord(quote))
    if len(quotes) % 2 or not _are_at_ends(found, quotes, ord(form.delimiter)):
        return None
    newlines = np.flatnonzero(found == _NEWLINE)
    # A newline is within quotes when an odd number of them is before it.
    outside = np.count_nonzero(np.searchsorted(quotes, newlines) % 2 == 0)
    return PlainData(data, int(outside) + 1, has_quotes=True)


def _are_at_ends(found: NDArray[np.uint8], quotes: NDArray[np.intp], delimiter: int) -> bool:
    """Whether quotes open and close at the ends of fields only, but for two that stand for one."""
    opening, closing = quotes[::2], quotes[1::2]
    before = found[np.maximum(opening - 1, 0)]
    after = found[np.minimum(closing + 1, len(found) - 1)]
    is_doubled = closing[:-1] + 1 == opening[1:]
    opens = (opening == 0) | (before == delimiter) | (before == _NEWLINE)
    opens[1:] |= is_doubled
    closes = (closing == len(found) - 1) | (after == delimiter) | (after == _NEWLINE)
    closes[:-1] |= is_doubled
    return bool(opens.all() and closes.all())


def _has_nulls_only(data: bytes, form: CopyFormat) -> bool:
    r"""Whether each backslash is the beginning of a field ``\N``, and that is NULL."""
    if form.null != "\\N" or data.count(b"\\") != data.count(b"\\N"):
        return False
    ends = b"\n" + re.escape(form.delimiter.encode())
    if re.search(rb"\\N(?![" + ends + rb"]|\Z)", data):
        return False
    return re.search(rb"\\N(?<![" + ends + rb"]\\N)(?<!\A\\N)", data) is None
