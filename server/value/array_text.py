"""Reading arrays such as ``{1,"b c",NULL}`` and ``{{1,2},{3,4}}`` (PostgreSQL 15, 8.15.2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, NoReturn, TypeAlias

from catalog.errors import (
    ArraySubscriptError,
    FeatureNotSupported,
    InvalidTextRepresentation,
    ProgramLimitExceeded,
)
from catalog.types import PgType
from server.value.style import current_style

#: Elements, None for NULL, or inner arrays.
Items: TypeAlias = "list[object]"

DIMENSIONS_MAX: Final = 6
DIMENSIONS_DETAIL: Final = (
    "An array that is stored or sent has as many dimensions as brackets were declared for it."
)

_BLANKS: Final = " \t\n\r\v\f"
_BOUND: Final = re.compile(r"[ \t\n\r\v\f]*\[([+-]?\d+)(?::([+-]?\d+))?\]")
#: A quoted run, a mark, a plain run with its escapes, or blanks.
_TOKEN: Final = re.compile(
    r'"((?:[^"\\]|\\.)*)"|([{},])'
    r'|((?:[^"{},\\ \t\n\r\v\f]|\\.)(?:[^"{},\\]|\\.)*)|([ \t\n\r\v\f]+)',
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


class _State(Enum):
    """What came last."""

    NOTHING = auto()
    OPENED = auto()
    PLAIN = auto()
    QUOTED = auto()
    ITEM_DELIMITED = auto()
    CLOSED = auto()
    ARRAY_DELIMITED = auto()


_BEFORE_ITEM: Final = frozenset({_State.OPENED, _State.ITEM_DELIMITED})
_BEFORE_ARRAY: Final = frozenset({_State.NOTHING, _State.OPENED, _State.ARRAY_DELIMITED})
_AFTER_ITEM: Final = frozenset({_State.PLAIN, _State.QUOTED, _State.CLOSED})


def parse_array(text: str, read: Callable[[str], object]) -> Items:
    """Return the nested lists of an array's text.

    Args:
        text: The whole.
        read: Reads an element.

    Raises:
        InvalidTextRepresentation: It is none, or its inner arrays differ in length.
        FeatureNotSupported: Its bounds do not begin with 1.
    """
    bounds, at = _bounds(text)
    reader = _Reader(text, read)
    items = reader.read(at)
    if bounds and bounds != shape(items):
        reader.malformed("Specified array dimensions do not match array contents.")
    return items


def shape(items: Items) -> tuple[int, ...]:
    """Return the length of each dimension of nested lists."""
    lengths: list[int] = []
    level: object = items
    while isinstance(level, list):
        lengths.append(len(level))
        level = level[0] if level else None
    return () if lengths == [0] else tuple(lengths)


def check_dimensions(dimensions: int, pg_type: PgType) -> None:
    """Refuse an array that the engine cannot hold in the type; empty ones fit everywhere.

    Raises:
        FeatureNotSupported: It has another number of dimensions.
    """
    if dimensions not in (0, pg_type.dimensions):
        declared = pg_type.dimensions
        raise FeatureNotSupported(
            f"array has {dimensions} dimensions, but {declared} are declared",
            detail=DIMENSIONS_DETAIL,
        )


def _bounds(text: str) -> tuple[tuple[int, ...], int]:
    """Return the lengths that are told in front, and where the contents begin."""
    start = len(text) - len(text.lstrip(_BLANKS))
    lengths: list[int] = []
    at = start
    while found := _BOUND.match(text, at):
        low, high = (1, int(found[1])) if found[2] is None else (int(found[1]), int(found[2]))
        if high < low:
            raise ArraySubscriptError("upper bound cannot be less than lower bound")
        if low != 1:
            raise FeatureNotSupported("arrays with lower bounds other than 1 are not supported")
        lengths.append(high - low + 1)
        at = found.end()
    if not lengths:
        if text[at : at + 1] == "[":
            raise _malformed(text, "Missing array dimension value.")
        return (), at
    rest = text[at:].lstrip(_BLANKS)
    if not rest.startswith("="):
        raise _malformed(text, 'Missing "=" after array dimensions.')
    body = rest[1:].lstrip(_BLANKS)
    if not body.startswith("{"):
        raise _malformed(text, 'Array contents must start with "{".')
    return tuple(lengths), len(text) - len(body)


def _malformed(text: str, detail: str) -> InvalidTextRepresentation:
    return InvalidTextRepresentation(f'malformed array literal: "{text}"', detail=detail)


class _Reader:
    """The state between two tokens."""

    def __init__(self, text: str, read: Callable[[str], object]) -> None:
        self._text = text
        self._read = read
        self._state = _State.NOTHING
        #: Whether inner arrays may differ in length, as RisingWave's do.
        self._may_be_ragged = current_style().is_peer
        #: The arrays that are open, the innermost last.
        self._open: list[Items] = []
        #: Of each depth how long its arrays are, once one is closed.
        self._lengths: list[int | None] = []

    def malformed(self, detail: str) -> NoReturn:
        raise _malformed(self._text, detail)

    def read(self, at: int) -> Items:
        text = self._text
        if text[at : at + 1] != "{":
            self.malformed('Array value must start with "{" or dimension information.')
        whole: Items | None = None
        while whole is None:
            found = _TOKEN.match(text, at)
            if found is None:
                self._broken(text[at:])
            at = found.end()
            quoted, mark, plain, _ = found.groups()
            if mark == "{":
                self._begin()
            elif mark == "}":
                whole = self._end()
            elif mark == ",":
                self._delimit()
            elif quoted is not None:
                self._item(_ESCAPE.sub(r"\1", quoted), _State.QUOTED)
            elif plain is not None:
                self._plain(plain)
        if text[at:].strip(_BLANKS):
            self.malformed("Junk after closing right brace.")
        return whole

    def _broken(self, rest: str) -> NoReturn:
        """Tell of a token that is none: the end, or a quoted run without one."""
        if rest[:1] in {'"', "\\"} and self._state not in _BEFORE_ITEM:
            self.malformed("Unexpected array element.")
        self.malformed("Unexpected end of input.")

    def _begin(self) -> None:
        if self._state not in _BEFORE_ARRAY:
            self.malformed('Unexpected "{" character.')
        depth = len(self._open)
        if depth >= DIMENSIONS_MAX:
            raise ProgramLimitExceeded(
                f"number of array dimensions ({depth + 1}) exceeds the maximum allowed"
                f" ({DIMENSIONS_MAX})"
            )
        items: Items = []
        if self._open:
            self._open[-1].append(items)
        self._open.append(items)
        if len(self._lengths) < len(self._open):
            self._lengths.append(None)
        self._state = _State.OPENED

    def _end(self) -> Items | None:
        """Close an array; return it if it is the outermost."""
        is_empty = self._state is _State.OPENED and len(self._open) == 1
        if self._state not in _AFTER_ITEM and not is_empty:
            self.malformed('Unexpected "}" character.')
        items = self._open.pop()
        depth = len(self._open)
        known = self._lengths[depth]
        is_deepest = depth == len(self._lengths) - 1
        is_ragged = known is not None and known != len(items) and not self._may_be_ragged
        if is_ragged or (not is_deepest and items and not isinstance(items[0], list)):
            self.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
        self._lengths[depth] = len(items)
        self._state = _State.CLOSED
        return items if depth == 0 else None

    def _delimit(self) -> None:
        if self._state not in _AFTER_ITEM:
            self.malformed('Unexpected "," character.')
        is_array = self._state is _State.CLOSED
        self._state = _State.ARRAY_DELIMITED if is_array else _State.ITEM_DELIMITED

    def _plain(self, written: str) -> None:
        stripped = written.rstrip(_BLANKS)
        backslashes = len(stripped) - len(stripped.rstrip("\\"))
        word = written[: len(stripped) + backslashes % 2]  # A blank after a backslash stays.
        if word.upper() == "NULL":
            self._put(None, _State.PLAIN)
        else:
            self._item(_ESCAPE.sub(r"\1", word), _State.PLAIN)

    def _item(self, text: str, state: _State) -> None:
        self._check_place()
        self._put(self._read(text), state)

    def _put(self, item: object, state: _State) -> None:
        self._check_place()
        self._open[-1].append(item)
        self._state = state

    def _check_place(self) -> None:
        if self._state not in _BEFORE_ITEM:
            self.malformed("Unexpected array element.")
