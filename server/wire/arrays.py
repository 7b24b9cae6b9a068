"""Arrays: text and binary images (PostgreSQL 15, chapter 8.15)."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from catalog.errors import (
    FeatureNotSupported,
    InvalidBinaryRepresentation,
    ProgramLimitExceeded,
    ProtocolViolation,
)
from catalog.oid import Oid
from server.value.array_text import DIMENSIONS_MAX, Items, shape

_NEEDS_QUOTES: Final = re.compile(r'[{}",\\ \t\n\r\v\f]')
_ITEMS_MAX: Final = 134_217_727
#: Why an array has no binary image.
RAGGED: Final = "arrays whose inner arrays differ in length have no binary format"

_NULL_IMAGE: Final = b"\xff\xff\xff\xff"


def _is_filled(items: Items) -> bool:
    return any(not isinstance(item, list) or _is_filled(item) for item in items)


def array_text(items: Sequence[object], element_text: Callable[[Any], str]) -> str:
    """Return the text of nested lists."""
    if not _is_filled(list(items)):
        return "{}"
    return "{" + ",".join(_item_text(item, element_text) for item in items) + "}"


def _item_text(item: object, element_text: Callable[[Any], str]) -> str:
    if item is None:
        return "NULL"
    if isinstance(item, list):
        return array_text(item, element_text)
    text = element_text(item)
    if text and text.upper() != "NULL" and not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unpack_array(
    data: bytes,
    unpack_element: Callable[[bytes], object],
    wanted: Callable[[Oid], None],
    lower: int = 1,
) -> Items:
    """Return the nested lists of a binary image.

    Args:
        data: The image.
        unpack_element: Reads an element's image.
        wanted: Refuses an element type that is not the one to be read.
        lower: The lower bound that every dimension must have.

    Raises:
        struct.error: It goes on after its end.
        ProtocolViolation: It ends too early.
        InvalidBinaryRepresentation: It contradicts itself.
        FeatureNotSupported: It has other lower bounds.
    """
    dimensions, flags, element_oid = _numbers("!iiI", data, 0)
    if dimensions < 0:
        raise InvalidBinaryRepresentation(f"invalid number of dimensions: {dimensions}")
    if dimensions > DIMENSIONS_MAX:
        raise ProgramLimitExceeded(
            f"number of array dimensions ({dimensions}) exceeds the maximum allowed"
            f" ({DIMENSIONS_MAX})"
        )
    if flags not in (0, 1):
        raise InvalidBinaryRepresentation("invalid array flags")
    wanted(Oid(element_oid))
    lengths, count, at = _lengths(data, dimensions, lower)
    flat: Items = []
    for number in range(count):
        (size,) = _numbers("!i", data, at)
        at += 4
        if size == -1:
            flat.append(None)
            continue
        if size < 0 or at + size > len(data):
            raise InvalidBinaryRepresentation("insufficient data left in message")
        try:
            flat.append(unpack_element(data[at : at + size]))
        except struct.error as e:
            raise InvalidBinaryRepresentation(
                f"improper binary format in array element {number + 1}"
            ) from e
        at += size
    if at != len(data):
        raise struct.error
    for length in reversed(lengths[1:]):
        flat = [flat[start : start + length] for start in range(0, len(flat), length or 1)]
    return flat


def _numbers(form: str, data: bytes, at: int) -> tuple[int, ...]:
    try:
        return struct.unpack_from(form, data, at)
    except struct.error as e:
        raise ProtocolViolation("insufficient data left in message") from e


def _lengths(data: bytes, dimensions: int, lower: int) -> tuple[list[int], int, int]:
    """Return the length of each dimension, how many elements there are, and where they begin."""
    at = 12
    lengths: list[int] = []
    count = 1 if dimensions else 0
    for _ in range(dimensions):
        length, first = _numbers("!ii", data, at)
        at += 8
        count *= length
        if not 0 <= length <= _ITEMS_MAX or count > _ITEMS_MAX:
            raise ProgramLimitExceeded(f"array size exceeds the maximum allowed ({_ITEMS_MAX})")
        # Each element has at least a length word.
        if count > len(data) // 4:
            raise ProtocolViolation("insufficient data left in message")
        if first != lower and length:
            raise FeatureNotSupported(
                f"arrays with lower bounds other than {lower} are not supported"
            )
        lengths.append(length)
    return lengths, count, at


def pack_array(
    items: Sequence[object],
    element_oid: Oid,
    pack_element: Callable[[object], bytes],
    lower: int = 1,
) -> bytes:
    """Return the binary image of nested lists."""
    if not _is_filled(list(items)):
        return struct.pack("!iiI", 0, 0, element_oid)
    lengths = shape(list(items))
    flat = list(_flattened(items))
    if math.prod(lengths) != len(flat):
        raise FeatureNotSupported(RAGGED)
    header = struct.pack("!iiI", len(lengths), int(None in flat), element_oid)
    bounds = b"".join(struct.pack("!ii", length, lower) for length in lengths)
    images = (_NULL_IMAGE if item is None else _sized(pack_element(item)) for item in flat)
    return header + bounds + b"".join(images)


def _flattened(items: Sequence[object]) -> Iterator[object]:
    for item in items:
        if isinstance(item, list):
            yield from _flattened(item)
        else:
            yield item


def _sized(image: bytes) -> bytes:
    return struct.pack("!i", len(image)) + image
