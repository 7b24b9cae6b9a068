"""Rows to DataRow messages: in bulk by DuckDB, a few in Python.

DuckDB builds whole messages as one BLOB column, in parallel and in C++; the column's buffer is
then the byte stream to send. Doing it row by row in Python is some thirty times slower.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from typing import Final, Protocol

from catalog import types as t
from catalog.types import PgType
from server.wire.binary_images import (
    binary_image,
    blob,
    image_size,
    needs_padded_digits,
    padded_digits,
)
from server.wire.codec import data_row
from server.wire.messages import BINARY_FORMAT
from server.wire.text_images import engine_text, needs_text, text_image
from server.wire.values import encoder

_NULL: Final = blob(b"\xff\xff\xff\xff")

#: From so many columns on, planning takes longer than a slower expression.
WIDE_COLUMNS_MIN: Final = 20

#: Types of which DuckDB's client gives less than there is: no infinity, no months.
_CLIENT_CASTS: Final = {
    pg_type.oid: "::VARCHAR"
    for pg_type in (t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL, t.JSON, t.JSONB)
}


class Column(Protocol):
    """What the encoding of a column depends on."""

    @property
    def type(self) -> PgType: ...


def datarow_query(
    source: str, columns: Sequence[Column], formats: Sequence[int], *, kind: bytes = b"D"
) -> str:
    """Return a SELECT of one BLOB column that holds a DataRow message for each row of ``source``.

    In steps, so that nothing is computed twice: what images are made from, the images of the
    values, the message's body, the message. The order of rows is kept.

    Args:
        source: A FROM item without alias, such as ``r16385`` or ``(SELECT ...)``, whose columns
            are called c1 to cn.
        columns: Their types.
        formats: A format code for each.
        kind: The messages' type byte; a CopyData of COPY's binary format is a DataRow but for it.
    """
    count = struct.pack("!H", len(columns))
    if not columns:
        message = blob(kind + struct.pack("!i", 6) + count)
        return f"SELECT {message} AS message FROM {source} AS t"
    layout = [(f"i{n}", column.type, code) for n, (column, code) in _numbered(columns, formats)]
    if len(columns) < WIDE_COLUMNS_MIN:
        fields = concatenated([_field(image, pg_type, code) for image, pg_type, code in layout])
    else:
        fields = _listed([image if code else f"encode({image})" for image, _, code in layout])
    values = image_query(source, columns, formats)
    body = f"SELECT {fields} AS body FROM ({values}) AS i"
    head = f"{blob(kind)} || (octet_length(body) + 6)::INTEGER::BIT::BLOB || {blob(count)}"
    return f"SELECT {head} || body AS message FROM ({body}) AS b"


def image_query(source: str, columns: Sequence[Column], formats: Sequence[int]) -> str:
    """Return a SELECT of the images i1 to in of the values, texts as VARCHAR, others as BLOB."""
    numbered = _numbered(columns, formats)
    steps = [_first_step(n, column.type, code) for n, (column, code) in numbered]
    images = [_image(n, column.type, code) for n, (column, code) in numbered]
    inner = source if not any(steps) else f"(SELECT *{''.join(steps)} FROM {source} AS s)"
    return f"SELECT {', '.join(images)} FROM {inner} AS t"


def _numbered(
    columns: Sequence[Column], formats: Sequence[int]
) -> list[tuple[int, tuple[Column, int]]]:
    return list(enumerate(zip(columns, formats, strict=True), start=1))


def _first_step(number: int, pg_type: PgType, code: int) -> str:
    """Return a projection ``h<number>`` of what a column's image is made from, or nothing."""
    value = f"c{number}"
    if code == BINARY_FORMAT and needs_padded_digits(pg_type):
        return f", {padded_digits(value, pg_type)} AS h{number}"
    if code != BINARY_FORMAT and needs_text(pg_type):
        return f", {engine_text(value, pg_type)} AS h{number}"
    return ""


def _image(number: int, pg_type: PgType, code: int) -> str:
    """Return the projection ``i<number>`` of a column's image."""
    value, step = f"c{number}", _first_step(number, pg_type, code)
    image = binary_image if code == BINARY_FORMAT else text_image
    return f"{image(value, pg_type, f'h{number}' if step else None)} AS i{number}"


def _field(image: str, pg_type: PgType, code: int) -> str:
    """Return the expression for length and bytes of an image, or the mark of NULL."""
    if code != BINARY_FORMAT:
        sized = f"strlen({image})::INTEGER::BIT::BLOB || encode({image})"
    elif (size := image_size(pg_type)) is None:
        sized = f"octet_length({image})::INTEGER::BIT::BLOB || {image}"
    else:
        sized = f"{blob(struct.pack('!i', size))} || {image}"
    return f"coalesce({sized}, {_NULL})"


def concatenated(parts: Sequence[str]) -> str:
    """Return a balanced tree of ``||``: each byte is copied log n times, not n times."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return f"({concatenated(parts[:middle])} || {concatenated(parts[middle:])})"


def _listed(images: Sequence[str]) -> str:
    """Return the expression for all fields of a wide row, from images that are all BLOBs.

    Its rows are built more slowly, but planning the other expression for a thousand columns takes
    many seconds. BLOBs cannot be aggregated, their hexadecimal texts can.
    """
    sized = "octet_length(e)::INTEGER::BIT::BLOB || e"
    return (
        f"unhex(array_to_string(list_transform([{', '.join(images)}],"
        f" lambda e: coalesce(hex({sized}), 'FFFFFFFF')), ''))"
    )


def value_query(source: str, columns: Sequence[Column]) -> str:
    """Return a SELECT of values that ``EncodedRows`` takes with no zone, column by column.

    Planning ``datarow_query`` costs some 0.5 ms a column, this next to nothing; Python needs
    0.01 ms a row. It pays for results of up to a few hundred rows.

    Args:
        source: As for ``datarow_query``; there must be a column.
        columns: Their types.
    """
    values = (
        f"c{number}{_CLIENT_CASTS.get(_base(column.type).oid, '')}" + _brackets(column.type)
        for number, column in enumerate(columns, start=1)
    )
    return f"SELECT {', '.join(values)} FROM {source} AS t"


def _base(pg_type: PgType) -> PgType:
    return pg_type.element or pg_type


def _brackets(pg_type: PgType) -> str:
    is_cast = pg_type.element is not None and pg_type.element.oid in _CLIENT_CASTS
    return "[]" * pg_type.duckdb.count("[]") if is_cast else ""


class EncodedRows:
    """A ``RowBatch`` of rows that are encoded in Python, for results of a few rows.

    Args:
        columns: Their types.
        formats: A format code for each.
        rows: Values as DuckDB's client gives them.
        zone: The session's; None when every timestamptz is a text in it already.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        formats: Sequence[int],
        rows: Iterable[Sequence[object]],
        zone: tzinfo | None = UTC,
    ) -> None:
        encoders = [
            encoder(column.type, code, zone) for column, code in zip(columns, formats, strict=True)
        ]
        self._messages = [
            data_row(
                [
                    None if value is None else encode(value)
                    for encode, value in zip(encoders, row, strict=True)
                ]
            )
            for row in rows
        ]

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self._messages)

    def data(self, start: int, stop: int) -> bytes:
        """The messages of rows ``start`` to ``stop``."""
        return b"".join(self._messages[start:stop])
