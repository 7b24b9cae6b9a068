"""Columns of binary images as the engine takes them, all values at once.

What is not in its plainest form (and what is wrong) is left to the reading of single values.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from barrier.arrow_column import ArrowColumn, ColumnKind
from catalog import types as t
from catalog.types import PgType
from server.wire.copy_binary import BinaryChunk

#: Types whose images all have one size: what the engine takes, and numpy's name for the image.
_FIXED: Final = {
    t.BOOL.oid: (ColumnKind.BOOL, ">u1"),
    t.INT2.oid: (ColumnKind.INT16, ">i2"),
    t.INT4.oid: (ColumnKind.INT32, ">i4"),
    t.INT8.oid: (ColumnKind.INT64, ">i8"),
    t.FLOAT4.oid: (ColumnKind.FLOAT32, ">f4"),
    t.FLOAT8.oid: (ColumnKind.FLOAT64, ">f8"),
    t.TIMESTAMP.oid: (ColumnKind.TIMESTAMP, ">i8"),
    t.TIMESTAMPTZ.oid: (ColumnKind.TIMESTAMPTZ, ">i8"),
    t.DATE.oid: (ColumnKind.DATE, ">i4"),
}
_TEXTS: Final = frozenset({t.TEXT.oid, t.VARCHAR.oid, t.BPCHAR.oid})

#: By kind: how much lies between 1970 and 2000, and the moments that are surely known.
_MOMENTS: Final = {
    ColumnKind.TIMESTAMP: (946_684_800_000_000, -6 * 10**16, 25 * 10**16),
    ColumnKind.TIMESTAMPTZ: (946_684_800_000_000, -6 * 10**16, 25 * 10**16),
    ColumnKind.DATE: (10_957, -700_000, 2_900_000),
}


def image_size(pg_type: PgType) -> int | None:
    """Return how long a type's images are if they all have one length that is known here."""
    fixed = _FIXED.get(pg_type.oid)
    return None if fixed is None else np.dtype(fixed[1]).itemsize


def unpack_column(chunk: BinaryChunk, column: int, pg_type: PgType) -> ArrowColumn | None:
    """Return a column's values, or None if they need to be looked at one by one."""
    lengths = chunk.lengths[:, column]
    is_given = lengths >= 0
    validity = None
    if not is_given.all():
        validity = np.packbits(is_given, bitorder="little").tobytes()
    if pg_type.oid in _TEXTS:
        return _texts(chunk, column, validity)
    fixed = _FIXED.get(pg_type.oid)
    if fixed is None:
        return None
    kind, name = fixed
    image = np.dtype(name)
    if (lengths[is_given] != image.itemsize).any():
        return None
    values = _gathered(chunk, column, is_given, image)
    if kind is ColumnKind.BOOL:
        bits = np.packbits(values != 0, bitorder="little").tobytes()
        return ArrowColumn(kind, len(lengths), validity, (bits,))
    if kind in _MOMENTS:
        zero, earliest, latest = _MOMENTS[kind]
        given = values[is_given]
        if given.size and not earliest < given.min() <= given.max() < latest:
            return None
        values = values + zero
    numbers = values.astype(image.newbyteorder("<"), copy=False).tobytes()
    return ArrowColumn(kind, len(lengths), validity, (numbers,))


def _gathered(
    chunk: BinaryChunk, column: int, is_given: NDArray[np.bool_], image: np.dtype[np.generic]
) -> NDArray[np.generic]:
    """Return the images of one column as numbers; NULLs are anything."""
    room = len(chunk.data) - image.itemsize + 1
    if room <= 0:
        return np.zeros(len(is_given), image)
    anywhere = np.ndarray((room,), image, chunk.data, strides=(1,))
    found: NDArray[np.generic] = anywhere[np.where(is_given, chunk.places[:, column], 0)]
    return found


def _texts(chunk: BinaryChunk, column: int, validity: bytes | None) -> ArrowColumn | None:
    images = [image or b"" for image in chunk.images(column)]
    joined = b"".join(images)
    if b"\0" in joined:
        return None
    if not joined.isascii():
        try:
            # The ends of values are the ends of characters.
            b"\0".join(images).decode()
        except UnicodeDecodeError:
            return None
    offsets = np.zeros(len(images) + 1, np.int32)
    np.cumsum(np.maximum(chunk.lengths[:, column], 0), out=offsets[1:])
    return ArrowColumn(ColumnKind.TEXT, len(images), validity, (offsets.tobytes(), joined))
