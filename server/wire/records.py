"""Binary images of rows: how many columns there are, and of each its type and its image."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from catalog.errors import DatatypeMismatch, InvalidBinaryRepresentation
from catalog.oid import Oid

_HEADER: Final = struct.Struct("!Ii")
_NULL: Final = -1


def unpack_record(data: bytes, types: Sequence[Oid]) -> list[bytes | None]:
    """Return the images of a row's columns; None for NULL.

    Raises:
        DatatypeMismatch: It has other columns.
        InvalidBinaryRepresentation: It is cut off, or goes on after its columns.
    """
    (count,) = struct.unpack_from("!i", data)
    if count != len(types):
        raise DatatypeMismatch(f"wrong number of columns: {count}, expected {len(types)}")
    at = 4
    images: list[bytes | None] = []
    for number, wanted in enumerate(types, 1):
        oid, size = _HEADER.unpack_from(data, at)
        at += _HEADER.size
        if oid != wanted:
            raise DatatypeMismatch(
                f"binary data has type {oid} instead of expected {wanted} in record column {number}"
            )
        if size == _NULL:
            images.append(None)
            continue
        if size < 0 or at + size > len(data):
            raise InvalidBinaryRepresentation("insufficient data left in message")
        images.append(data[at : at + size])
        at += size
    if at != len(data):
        raise InvalidBinaryRepresentation("improper binary format in record")
    return images


def pack_record(columns: Sequence[tuple[Oid, bytes | None]]) -> bytes:
    """Return the image of a row, given its columns' types and images."""
    pieces = [struct.pack("!i", len(columns))]
    for oid, image in columns:
        pieces.append(_HEADER.pack(oid, _NULL if image is None else len(image)))
        if image is not None:
            pieces.append(image)
    return b"".join(pieces)
