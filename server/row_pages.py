"""Rows that stand close to each other, read together and kept until an epoch changes them.

A page holds the rows of one relation whose values in an integer column are a run of ``_SPAN``
neighbours. Reading a page takes the engine hardly longer than reading a row of it, most of which is
planning, and the next rows of it cost next to nothing. Pages are read only out of what they have
saved before, so that queries all over a large relation, or between writes, are hardly slower than
without.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from server.result_cache import Versions
from server.wire.session_contract import RowBatch

Row: TypeAlias = Sequence[object]

#: Reads the rows with values from the first to the second, the value last in each row; at most so
#: many as the third says, and None if they are too large to be read together.
ReadRows: TypeAlias = Callable[[int, int, int], Sequence[Row] | None]

#: Values of the column in a page, as a power of two.
_SPAN_BITS: Final = 8
_SPAN: Final = 1 << _SPAN_BITS

#: A page with more rows is not kept: many rows have the same value.
_ROWS_MAX: Final = 4 * _SPAN

#: What a row of a page saves, about, in seconds.
_SAVED_S: Final = 0.0006
#: How much a relation may spend on pages before they have saved anything, and at most ahead.
_CREDIT_FIRST_S: Final = 0.1
_CREDIT_MAX_S: Final = 0.5
#: What a row that is in no page lends, so that a relation that has spent all is tried again.
_LENT_S: Final = _SAVED_S / 12

#: What a page that could not be kept costs beside the time to read it.
_HOPELESS_S: Final = 0.05

#: How many ways to ask have pages at a time.
_SHELVES_MAX: Final = 512

#: What a page, a row, a value, and the messages of a row beside its values take in memory, about.
_PAGE_BYTES: Final = 500
_ROW_BYTES: Final = 160
_VALUE_BYTES: Final = 40
_MESSAGE_BYTES: Final = 60

#: In so many combinations of formats messages are kept at a time.
_FORMATS_MAX: Final = 2


@dataclass(slots=True)
class _Page:
    """Rows by their value; None are too many, or too large.

    Plain tuples, since the garbage collector looks at every other object again and again.

    Attributes:
        messages: Those that somebody has asked for, by formats and value.
    """

    rows: dict[int, tuple[Row, ...]] | None
    size: int
    messages: dict[tuple[int, ...], dict[int, RowBatch]] = field(default_factory=dict)
    is_used: bool = True


class Near:
    """The rows with one value, and their messages once somebody has asked for them."""

    __slots__ = ("_page", "_value", "rows")

    def __init__(self, rows: Sequence[Row], page: _Page | None = None, value: int = 0) -> None:
        self.rows = rows
        self._page = page
        self._value = value

    def batch(
        self, formats: tuple[int, ...], encode: Callable[[Sequence[Row]], RowBatch]
    ) -> RowBatch:
        """Return the messages in the given formats; made once."""
        if self._page is None:
            return encode(self.rows)
        messages = self._page.messages
        made = messages.get(formats, {}).get(self._value)
        if made is None:
            made = encode(self.rows)
            if formats not in messages and len(messages) >= _FORMATS_MAX:
                messages.clear()
            messages.setdefault(formats, {})[self._value] = made
        return made


@dataclass(slots=True)
class _Shelf:
    """The pages of one way to ask for a relation's rows.

    Attributes:
        pages: By number.
        credit_s: How long reading pages may take.
    """

    versions: Versions
    pages: dict[int, _Page] = field(default_factory=dict)
    credit_s: float = _CREDIT_FIRST_S


class RowPages:
    """The pages of one server; safe to use from any thread.

    Args:
        bytes_max: About how much memory their rows may take; 0 keeps none.
        seconds: A clock, for what reading a page has cost. By default it counts the processor's
            time, which does not grow when others want the processor too.
    """

    def __init__(self, bytes_max: int, *, seconds: Callable[[], float] = time.thread_time) -> None:
        self._bytes_max = bytes_max
        self._seconds = seconds
        self._lock = threading.Lock()
        self._shelves: OrderedDict[Hashable, _Shelf] = OrderedDict()
        self._order: OrderedDict[tuple[Hashable, int], _Page] = OrderedDict()
        self._size = 0

    def find(
        self, key: Hashable, value: int, versions: Callable[[], Versions], read: ReadRows
    ) -> Near | None:
        """Return the rows with a value, or None if the engine is to be asked for them alone.

        Args:
            key: What the rows depend on, beside the relation's version.
            value: What the rows have in the column; it comes last in each row.
            versions: Tells of what version the relation is.
            read: Reads rows.
        """
        now = versions()
        if now is None or not self._bytes_max:
            return None
        shelf = self._shelves.get(key)
        if shelf is None or shelf.versions != now:
            shelf = self._new_shelf(key, now)
        number = value >> _SPAN_BITS
        page = shelf.pages.get(number)
        if page is None:
            if not self._may_read(shelf):
                return None
            page = self._read(shelf, key, number, versions, read)
        else:
            page.is_used = True
            if page.rows is not None and shelf.credit_s < _CREDIT_MAX_S:
                shelf.credit_s += _SAVED_S
        if page is None or page.rows is None:
            return None
        rows = page.rows.get(value)
        return Near(()) if rows is None else Near(rows, page, value)

    def _may_read(self, shelf: _Shelf) -> bool:
        if shelf.credit_s > 0:
            return True
        shelf.credit_s += _LENT_S
        return False

    def _read(
        self,
        shelf: _Shelf,
        key: Hashable,
        number: int,
        versions: Callable[[], Versions],
        read: ReadRows,
    ) -> _Page | None:
        first = number << _SPAN_BITS
        began = self._seconds()
        rows = read(first, first + _SPAN - 1, _ROWS_MAX + 1)
        shelf.credit_s -= self._seconds() - began
        # Equal versions before and after are those of the rows that were read.
        if versions() != shelf.versions:
            return None
        if rows is None or len(rows) > _ROWS_MAX:
            shelf.credit_s -= _HOPELESS_S
            page = _Page(None, _PAGE_BYTES)
        else:
            page = _page(rows)
        with self._lock:
            if self._shelves.get(key) is shelf and number not in shelf.pages:
                shelf.pages[number] = page
                self._order[key, number] = page
                self._size += page.size
                self._make_room()
        return page

    def _new_shelf(self, key: Hashable, versions: Versions) -> _Shelf:
        """Begin anew with the relation as it is now; what was saved or spent stays so."""
        with self._lock:
            before = self._shelves.pop(key, None)
            if before is not None and before.versions == versions:
                shelf = before
            else:
                shelf = _Shelf(versions)
                if before is not None:
                    shelf.credit_s = min(before.credit_s, _CREDIT_FIRST_S)
                    self._drop(key, before)
            self._shelves[key] = shelf
            if len(self._shelves) > _SHELVES_MAX:
                self._drop(*self._shelves.popitem(last=False))
            return shelf

    def _drop(self, key: Hashable, shelf: _Shelf) -> None:
        for number in shelf.pages:
            page = self._order.pop((key, number), None)
            if page is not None:
                self._size -= page.size

    def _make_room(self) -> None:
        """Drop pages that were not used since they were last looked at, the oldest first."""
        while self._size > self._bytes_max:
            (key, number), page = self._order.popitem(last=False)
            if page.is_used:
                page.is_used = False
                self._order[key, number] = page
                continue
            self._size -= page.size
            del self._shelves[key].pages[number]


def _page(rows: Sequence[Row]) -> _Page:
    by_value: dict[int, tuple[Row, ...]] = {}
    size = _PAGE_BYTES
    for row in rows:
        value = row[-1]
        assert isinstance(value, int), value
        by_value[value] = (*by_value.get(value, ()), row[:-1])
        size += _ROW_BYTES + _MESSAGE_BYTES + sum(map(_weight, row))
    return _Page(by_value, size)


def _weight(value: object) -> int:
    """Return about how many bytes a value takes, with the messages that have it."""
    match value:
        case str() | bytes():
            return _VALUE_BYTES + len(value) * (1 + _FORMATS_MAX)
        case list() | tuple():
            return _VALUE_BYTES + sum(map(_weight, value))
        case dict():
            return _VALUE_BYTES + sum(map(_weight, value.values()))
        case _:
            return _VALUE_BYTES
