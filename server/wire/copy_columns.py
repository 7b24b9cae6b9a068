"""Columns of binary images, read all at once.

What is not in its plainest form (and what is wrong) is left to the reading of single values.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from catalog import types as t
from catalog.types import PgType

#: Of types whose images all have one size: the code of ``struct`` and the size.
_FIXED: Final = {
    t.INT2.oid: ("h", 2),
    t.INT4.oid: ("i", 4),
    t.INT8.oid: ("q", 8),
    t.FLOAT4.oid: ("f", 4),
    t.FLOAT8.oid: ("d", 8),
    t.TIMESTAMP.oid: ("q", 8),
    t.DATE.oid: ("i", 4),
}
_TEXTS: Final = frozenset({t.TEXT.oid, t.VARCHAR.oid, t.BPCHAR.oid})

_TIMESTAMP_ZERO: Final = datetime(2000, 1, 1)  # noqa: DTZ001  # a timestamp without time zone
_DATE_ZERO: Final = date(2000, 1, 1)
#: Moments that Python knows lie between these, exclusively.
_TIMESTAMPS: Final = (-6 * 10**16, 25 * 10**16)
_DATES: Final = (-700_000, 2_900_000)


def unpack_column(images: Sequence[bytes | None], pg_type: PgType) -> list[object] | None:
    """Return a column's values, or None if they need to be looked at one by one."""
    given = [image for image in images if image is not None]
    values = _values(given, pg_type)
    if values is None or len(given) == len(images):
        return values
    following = iter(values)
    return [None if image is None else next(following) for image in images]


def _values(images: Sequence[bytes], pg_type: PgType) -> list[object] | None:
    if pg_type.oid in _TEXTS:
        return _texts(images)
    fixed = _FIXED.get(pg_type.oid)
    if fixed is None or not images:
        return None
    code, size = fixed
    if set(map(len, images)) != {size}:
        return None
    numbers = struct.unpack(f"!{len(images)}{code}", b"".join(images))
    match pg_type.oid:
        case t.TIMESTAMP.oid:
            if not _TIMESTAMPS[0] < min(numbers) <= max(numbers) < _TIMESTAMPS[1]:
                return None
            return [_TIMESTAMP_ZERO + timedelta(microseconds=n) for n in numbers]
        case t.DATE.oid:
            if not _DATES[0] < min(numbers) <= max(numbers) < _DATES[1]:
                return None
            return [_DATE_ZERO + timedelta(days=n) for n in numbers]
        case _:
            return list(numbers)


def _texts(images: Sequence[bytes]) -> list[object] | None:
    joined = b"\0".join(images)
    if joined.count(b"\0") != max(len(images) - 1, 0):
        return None
    try:
        return list(joined.decode().split("\0"))
    except UnicodeDecodeError:
        return None
