"""Rows to the CopyData messages of COPY TO, built by DuckDB as ``rows`` builds DataRows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from catalog import types as t
from catalog.types import PgType
from server.wire.blank_messages import BlankMessages, MessageDraft
from server.wire.codec import HEADER_BYTES, encode
from server.wire.copy_csv import csv_line
from server.wire.copy_format import BINARY_HEAD, CopyFormat, CopyKind, Header
from server.wire.copy_text import text_line
from server.wire.messages import CopyData
from server.wire.rows import Column, datarow_messages, text_images
from server.wire.session_contract import RowBatch

#: Types whose text holds digits, letters and ``- + . :`` only, or blanks.
_PLAIN: Final = frozenset(
    pg_type.oid
    for pg_type in (
        *(t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.UUID, t.DATE),
        *(t.TIME, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL, t.OID, t.INT256),
        *(t.BIT, t.VARBIT),
    )
)
#: Delimiters and marks of NULL that are no part of such a text.
_DELIMITERS_PLAIN: Final = frozenset("\t,;|")
_NULLS_PLAIN: Final = frozenset({"", "\\N", "NULL", "null"})


def header_line(names: Sequence[str], form: CopyFormat) -> bytes:
    """Return the line of names that comes before the rows, if it is wanted."""
    if form.header is Header.NONE:
        return b""
    line = csv_line(names, form) if form.kind is CopyKind.CSV else text_line(names, form)
    return line.encode()


class HeadedBatch:
    """The first batch of the binary format, with the head in the message of its first row."""

    def __init__(self, batch: RowBatch) -> None:
        self._batch = batch
        self.rows = batch.rows

    def data(self, start: int, stop: int) -> bytes | memoryview:
        if start > 0 or stop == 0:
            return self._batch.data(start, stop)
        row = BINARY_HEAD + bytes(self._batch.data(0, 1))[HEADER_BYTES:]
        return encode(CopyData(row)) + bytes(self._batch.data(1, stop))

    @property
    def memory(self) -> int:
        return self._batch.memory

    def kept(self) -> HeadedBatch:
        return HeadedBatch(self._batch.kept())


def copy_messages(source: str, columns: Sequence[Column], form: CopyFormat) -> BlankMessages:
    """Return the query for a CopyData message for each row of ``source``.

    Args:
        source: As for ``datarow_messages``.
        columns: Their types.
        form: How the rows are to look.
    """
    if form.kind is CopyKind.BINARY:
        return datarow_messages(source, columns, (form.code,) * len(columns), kind=b"d")
    draft = MessageDraft(b"d")
    for number, column in enumerate(columns):
        if number:
            draft.text(_literal(form.delimiter))
        draft.text(_field(number, column.type, form, len(columns)))
    draft.text(_literal("\n"))
    return draft.messages(text_images(source, columns) if columns else source)


def _field(number: int, pg_type: PgType, form: CopyFormat, count: int) -> str:
    """Return the expression for the text of one column's value."""
    image = f"i{number + 1}"
    is_plain = (
        pg_type.oid in _PLAIN
        and form.delimiter in _DELIMITERS_PLAIN
        and form.null in _NULLS_PLAIN
        and number not in form.force_quote
        and form.quote in {'"', "'"}
    )
    shown = image if is_plain else _escaped(image, form)
    if form.kind is CopyKind.CSV and not is_plain:
        shown = _quoted(image, form, is_forced=number in form.force_quote, is_alone=count == 1)
    return f"coalesce({shown}, {_literal(form.null)})"


def _escaped(image: str, form: CopyFormat) -> str:
    controls = {"\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
    escapes = {"\\": "\\", **controls}
    if form.delimiter not in escapes:
        escapes[form.delimiter] = form.delimiter
    escaped = image
    for character, name in escapes.items():
        escaped = f"replace({escaped}, {_literal(character)}, {_literal(chr(92) + name)})"
    # JSON escapes all of these but the delimiter, and quotes.
    has_some = f"strlen(to_json({image})) <> strlen({image}) + 2"
    if form.delimiter != "\t":
        has_some += f" OR contains({image}, {_literal(form.delimiter)})"
    return f"CASE WHEN {has_some} THEN {escaped} ELSE {image} END"


def _quoted(image: str, form: CopyFormat, *, is_forced: bool, is_alone: bool) -> str:
    quote, escape = form.quote, form.escape
    inner = image
    if escape != quote:
        inner = f"replace({inner}, {_literal(escape)}, {_literal(escape * 2)})"
    inner = f"replace({inner}, {_literal(quote)}, {_literal(escape + quote)})"
    quoted = f"{_literal(quote)} || {inner} || {_literal(quote)}"
    if is_forced:
        return quoted
    special = f"{image} = {_literal(form.null)} OR "
    if is_alone:  # Else it would be the end of the data.
        special += f"{image} = {_literal(chr(92) + '.')} OR "
    characters = dict.fromkeys((form.delimiter, quote, "\n", "\r"))
    return f"CASE WHEN {special}{_contains(image, characters)} THEN {quoted} ELSE {image} END"


def _contains(image: str, characters: dict[str, str] | dict[str, None]) -> str:
    return " OR ".join(f"contains({image}, {_literal(c)})" for c in characters)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
