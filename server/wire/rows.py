"""Rows to DataRow messages: in bulk by DuckDB, a few in Python.

DuckDB builds whole messages as one column, in parallel and in C++, but for numbers that are filled
in; the column's buffer is then the byte stream to send. Doing it row by row in Python is some
hundred times slower.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, tzinfo
from functools import partial
from typing import Any, Final, Protocol

from catalog import types as t
from catalog.types import PgType
from server.wire.binary_images import (
    binary_image,
    image_numbers,
    image_text,
    needs_padded_digits,
    padded_digits,
)
from server.wire.blank_messages import BlankMessages, MessageDraft
from server.wire.codec import data_row
from server.wire.messages import BINARY_FORMAT, TEXT_FORMAT
from server.wire.text_images import engine_text, needs_text, text_image
from server.wire.values import encoder

_NULL: Final = b"\xff\xff\xff\xff"
_LENGTH: Final = struct.Struct("!i")

#: The images of numbers with their lengths.
_NUMBERS: Final = {
    t.INT2.oid: struct.Struct("!ih"),
    t.INT4.oid: struct.Struct("!ii"),
    t.INT8.oid: struct.Struct("!iq"),
    t.FLOAT4.oid: struct.Struct("!if"),
    t.FLOAT8.oid: struct.Struct("!id"),
}

#: Types of which DuckDB's client gives less than there is: no infinity, no months.
_CLIENT_CASTS: Final = {
    pg_type.oid: "::VARCHAR"
    for pg_type in (t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL, t.JSON, t.JSONB)
}


class Column(Protocol):
    """What the encoding of a column depends on."""

    @property
    def type(self) -> PgType: ...


def datarow_messages(
    source: str, columns: Sequence[Column], formats: Sequence[int], *, kind: bytes = b"D"
) -> BlankMessages:
    """Return the query for a DataRow message for each row of ``source``, in their order.

    In steps, so that nothing is computed twice: what images are made from, the images, the message.

    Args:
        source: A FROM item without alias, such as ``r16385`` or ``(SELECT ...)``, whose columns
            are called c1 to cn.
        columns: Their types.
        formats: A format code for each.
        kind: The messages' type byte; a CopyData of COPY's binary format is a DataRow but for it.
    """
    draft = MessageDraft(kind)
    draft.constant(struct.pack("!H", len(columns)))
    if not columns:
        return draft.messages(source)
    made: list[str] = []
    for number, (column, code) in _numbered(columns, formats):
        numbers = image_numbers(f"c{number}", column.type) if code == BINARY_FORMAT else None
        if numbers is not None:
            parts = [(f"n{number}_{part}", size) for part, (_, size) in enumerate(numbers)]
            made += [f"{sql} AS {name}" for (sql, _), (name, _) in zip(numbers, parts, strict=True)]
            draft.fixed(parts)
            continue
        made.append(_image(number, column.type, code))
        if code == BINARY_FORMAT and image_text(f"c{number}", column.type) is None:
            draft.sized_blob(f"i{number}")
        else:
            draft.sized_text(f"i{number}")
    return draft.messages(
        f"(SELECT {', '.join(made)} FROM {_prepared(source, columns, formats)} AS t)"
    )


def text_images(source: str, columns: Sequence[Column]) -> str:
    """Return a FROM item of the texts i1 to in of the values of ``source``."""
    formats = [TEXT_FORMAT] * len(columns)
    images = [_image(n, column.type, code) for n, (column, code) in _numbered(columns, formats)]
    return f"(SELECT {', '.join(images)} FROM {_prepared(source, columns, formats)} AS t)"


def _numbered(
    columns: Sequence[Column], formats: Sequence[int]
) -> list[tuple[int, tuple[Column, int]]]:
    return list(enumerate(zip(columns, formats, strict=True), start=1))


def _prepared(source: str, columns: Sequence[Column], formats: Sequence[int]) -> str:
    """Return a FROM item that has what images are made from beside the values."""
    steps = [_first_step(n, column.type, code) for n, (column, code) in _numbered(columns, formats)]
    return f"(SELECT *{''.join(steps)} FROM {source} AS s)" if any(steps) else source


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
    made_from = f"h{number}" if step else None
    if code != BINARY_FORMAT:
        image = text_image(value, pg_type, made_from)
    else:
        image = image_text(value, pg_type) or binary_image(value, pg_type, made_from)
    return f"{image} AS i{number}"


def value_query(source: str, columns: Sequence[Column]) -> str:
    """Return a SELECT of values that ``EncodedRows`` takes with no zone, column by column.

    Planning ``datarow_messages`` costs some 0.5 ms a column, this next to nothing; Python needs
    0.01 ms a row. It pays for results of up to a few hundred rows.

    Args:
        source: As for ``datarow_messages``; there must be a column.
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
    return "[]" * pg_type.dimensions if is_cast else ""


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
            _field_encoder(column.type, code, zone)
            for column, code in zip(columns, formats, strict=True)
        ]
        self._messages = [
            data_row(
                [
                    _NULL if value is None else encode(value)
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

    @property
    def memory(self) -> int:
        """The messages' bytes and what Python takes for each."""
        return sum(map(sys.getsizeof, self._messages)) + sys.getsizeof(self._messages)

    def kept(self) -> EncodedRows:
        """Itself."""
        return self


def _field_encoder(pg_type: PgType, code: int, zone: tzinfo | None) -> Callable[[Any], bytes]:
    """Return what makes a value's image, with its length before it."""
    number = _NUMBERS.get(pg_type.oid)
    if code == BINARY_FORMAT and number is not None:
        return partial(number.pack, number.size - _LENGTH.size)
    encode = encoder(pg_type, code, zone)

    def field(value: object) -> bytes:
        image = encode(value)
        return _LENGTH.pack(len(image)) + image

    return field
