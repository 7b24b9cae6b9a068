"""Arrays: text and binary images (PostgreSQL 15, chapter 8.15)."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from catalog.errors import (
    ArraySubscriptError,
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
)
from catalog.oid import Oid

Items: TypeAlias = "list[object]"

_BLANKS: Final = " \t\n\r\v\f"
_DIMENSIONS_MAX: Final = 6
_BOUNDS: Final = re.compile(r"\s*(?:\[[+-]?\d+(?::[+-]?\d+)?\])+\s*=\s*", re.ASCII)
#: One token of an array's text: a quoted or a plain element, or punctuation.
_TOKEN: Final = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|([{},])|((?:[^"{},\\\s]|\\.)(?:[^"{},\\]|\\.)*))',
    re.DOTALL | re.ASCII,
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_QUOTES: Final = re.compile(r'[{}",\\ \t\n\r\v\f]')
_NULL_IMAGE: Final = b"\xff\xff\xff\xff"


def parse_array(text: str, parse_element: Callable[[str], object]) -> Items:
    """Return the nested lists of an array's text.

    Raises:
        InvalidTextRepresentation: It is no array.
    """
    bounds = _BOUNDS.match(text)
    tokens = _tokens(text[bounds.end() :] if bounds else text, text)
    if next(tokens, None) != ("{", None):
        raise _malformed(text, 'Array value must start with "{" or dimension information.')
    items = _items(tokens, parse_element, text, depth=1)
    if next(tokens, None) is not None:
        raise _malformed(text, "Junk after closing right brace.")
    _shape(items, text)
    return items if _is_filled(items) else []


#: "{", "}" or ","; "value" with its text; "null".
_Lexeme: TypeAlias = tuple[str, str | None]


def _tokens(body: str, text: str) -> Iterator[_Lexeme]:
    at = 0
    end = len(body.rstrip(_BLANKS))
    while at < end:
        found = _TOKEN.match(body, at)
        if found is None:
            raise _malformed(text, "Unexpected array element.")
        at = found.end()
        quoted, mark, plain = found.groups()
        if mark is not None:
            yield mark, None
        elif quoted is not None:
            yield "value", _ESCAPE.sub(r"\1", quoted)
        elif plain.rstrip(_BLANKS).upper() == "NULL":
            yield "null", None
        else:
            yield "value", _ESCAPE.sub(r"\1", _without_trailing_blanks(plain))


def _without_trailing_blanks(plain: str) -> str:
    stripped = plain.rstrip(_BLANKS)
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return plain[: len(stripped) + backslashes % 2]  # A blank after a backslash stays.


def _items(
    tokens: Iterator[_Lexeme], parse_element: Callable[[str], object], text: str, depth: int
) -> Items:
    if depth > _DIMENSIONS_MAX:
        raise _malformed(text, f"Arrays have at most {_DIMENSIONS_MAX} dimensions.")
    items: Items = []
    is_item_next = True
    for kind, value in tokens:
        if kind == "}" and (not is_item_next or not items):
            return items
        if is_item_next == (kind == ","):
            break
        match kind:
            case ",":
                is_item_next = True
                continue
            case "{":
                items.append(_items(tokens, parse_element, text, depth + 1))
            case "null":
                items.append(None)
            case "value":
                assert value is not None
                items.append(parse_element(value))
            case _:
                break
        is_item_next = False
    raise _malformed(text, "Unexpected end of input or misplaced delimiter.")


def _shape(items: Items, text: str) -> tuple[int, ...]:
    """Return the length of each dimension; all sub-arrays must have the same."""
    shapes = {_shape(item, text) if isinstance(item, list) else () for item in items}
    if len(shapes) > 1:
        raise _malformed(
            text, "Multidimensional arrays must have sub-arrays with matching dimensions."
        )
    return (len(items), *(shapes.pop() if shapes else ()))


def _is_filled(items: Items) -> bool:
    return any(not isinstance(item, list) or _is_filled(item) for item in items)


def _malformed(text: str, detail: str) -> InvalidTextRepresentation:
    return InvalidTextRepresentation(f'malformed array literal: "{text}"', detail=detail)


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


def unpack_array(data: bytes, unpack_element: Callable[[bytes], object]) -> tuple[Oid, Items]:
    """Return the element type and the nested lists of a binary image.

    Raises:
        struct.error: It is shorter or longer than it says.
        InvalidBinaryRepresentation: It contradicts itself.
    """
    dimensions, flags, element_oid = struct.unpack_from("!iiI", data)
    if not 0 <= dimensions <= _DIMENSIONS_MAX:
        raise ArraySubscriptError(
            f"number of array dimensions ({dimensions}) exceeds the maximum allowed"
            f" ({_DIMENSIONS_MAX})"
        )
    if flags not in (0, 1):
        raise InvalidBinaryRepresentation("invalid array flags")
    at = 12
    lengths: list[int] = []
    count = 1
    for _ in range(dimensions):
        length, _lower = struct.unpack_from("!ii", data, at)
        at += 8
        count *= length
        # Each element has at least a length word.
        if length < 0 or count > len(data) // 4:
            raise InvalidBinaryRepresentation("invalid array size")
        lengths.append(length)
    flat: Items = []
    for _ in range(count if dimensions else 0):
        (size,) = struct.unpack_from("!i", data, at)
        at += 4
        if size == -1:
            flat.append(None)
            continue
        if size < 0 or at + size > len(data):
            raise InvalidBinaryRepresentation("insufficient data left in message")
        flat.append(unpack_element(data[at : at + size]))
        at += size
    if at != len(data):
        raise InvalidBinaryRepresentation("improper binary format in array")
    for length in reversed(lengths[1:]):
        flat = [flat[start : start + length] for start in range(0, len(flat), length or 1)]
    return Oid(element_oid), flat


def pack_array(
    items: Sequence[object],
    element_oid: Oid,
    pack_element: Callable[[object], bytes],
    lower: int = 1,
) -> bytes:
    """Return the binary image of nested lists."""
    if not _is_filled(list(items)):
        return struct.pack("!iiI", 0, 0, element_oid)
    lengths = _shape(list(items), "")
    flat = list(_flattened(items))
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
