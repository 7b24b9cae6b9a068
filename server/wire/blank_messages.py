"""Messages in which the engine leaves blanks, and how these are filled in.

A number as the protocol wants it, highest byte first, is what the engine is slowest at, and
messages are full of them: lengths. So its query gives each message with blanks where such numbers
belong, and the numbers as columns of their own; a column is then written into all messages of a
batch at once. Where a blank is depends on the lengths of the values before it in the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from barrier.store import Batch
from server.wire.binary_images import blob

_Bytes: TypeAlias = NDArray[np.uint8]
_Places: TypeAlias = NDArray[np.intp]

#: The number that stands for NULL where the length of a value is.
_NULL: Final = -1
_LENGTH_SIZE: Final = 4


class FilledBatch:
    """A ``RowBatch`` of messages without blanks."""

    __slots__ = ("_messages", "_offsets", "rows")

    def __init__(self, messages: _Bytes, offsets: NDArray[np.int64]) -> None:
        self.rows = len(offsets) - 1
        self._messages = messages.data
        self._offsets = offsets.data

    def data(self, start: int, stop: int) -> memoryview:
        """The messages of rows ``start`` to ``stop``."""
        return self._messages[self._offsets[start] : self._offsets[stop]]

    @property
    def memory(self) -> int:
        """The messages' bytes and those of the places where they begin."""
        return self._messages.nbytes + self._offsets.nbytes

    def kept(self) -> FilledBatch:
        """A copy, without the columns that the engine gave beside the messages."""
        return FilledBatch(np.array(self._messages), np.array(self._offsets))

    def image(self) -> bytes:
        """Return all there is as bytes: where the messages begin and end, and they themselves."""
        return b"".join((self._offsets, self._messages))

    @staticmethod
    def of_image(image: _Bytes, rows: int) -> FilledBatch:
        """Return what an image of so many rows was made of."""
        split = (rows + 1) * np.dtype(np.int64).itemsize
        # The places are copied, so that they lie where numbers may.
        return FilledBatch(image[split:], np.array(image[:split]).view(np.int64))


@dataclass(frozen=True, slots=True)
class _Constant:
    """Bytes that the engine cannot write: it takes them for text."""

    data: bytes


@dataclass(frozen=True, slots=True)
class _Gap:
    """Bytes that are there already."""

    size: int


@dataclass(frozen=True, slots=True)
class _Sized:
    """A value of any length, after a blank for that length, which is a number of the engine's."""

    column: int


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Blanks for numbers, after their length; where they are NULL there are no blanks."""

    column: int
    sizes: tuple[int, ...]


_Step: TypeAlias = _Constant | _Gap | _Sized | _Fixed


@dataclass(frozen=True, slots=True)
class BlankMessages:
    """A query, and what is missing from the messages that it gives.

    Attributes:
        sql: Has a column for each number, and one for the messages: texts or BLOBs.
    """

    sql: str
    _steps: tuple[_Step, ...]

    def fill(self, batch: Batch) -> FilledBatch:
        """Return a batch of the query's, whose messages are written to in place."""
        offsets, messages = batch.offsets(), batch.messages()
        filling = _Filling(batch, messages, offsets[:-1].astype(np.intp))
        if batch.rows:
            filling.write(1, (np.diff(offsets) - 1).astype(np.int32))
            for step in self._steps:
                filling.take(step)
        return FilledBatch(messages, offsets)


class _Filling:
    """A batch of messages in which all blanks up to some place are filled in."""

    def __init__(self, batch: Batch, messages: _Bytes, places: _Places) -> None:
        self._batch = batch
        self._messages = messages
        self._places = places
        self._at = 0  #: How far the place is from ``places`` in each message.

    def take(self, step: _Step) -> None:
        match step:
            case _Gap(size):
                self._at += size
            case _Constant(data):
                constant = np.frombuffer(data, np.dtype((np.void, len(data))))
                self._window(self._at, constant.dtype)[self._places] = constant[0]
                self._at += len(data)
            case _Sized(column):
                self._sized(column)
            case _Fixed(column, sizes):
                self._fixed(column, sizes)

    def write(self, at: int, numbers: NDArray[Any], places: _Places | None = None) -> None:
        """Write numbers so many bytes after the places, all or those that are given."""
        window = self._window(at, numbers.dtype)
        window[self._places if places is None else places] = numbers.byteswap()

    def _sized(self, column: int) -> None:
        lengths = self._batch.numbers(column, 8)
        valid = self._batch.validity(column)
        if valid is not None:
            self.write(self._at, np.where(valid, lengths, _NULL).astype(np.int32))
            lengths = np.where(valid, lengths, 0)
        else:
            self.write(self._at, lengths.astype(np.int32))
        self._at += _LENGTH_SIZE
        self._places += lengths

    def _fixed(self, column: int, sizes: Sequence[int]) -> None:
        valid = self._batch.validity(column)
        if valid is None:
            self._at += _LENGTH_SIZE
            for number, size in enumerate(sizes, start=column):
                self.write(self._at, self._batch.numbers(number, size))
                self._at += size
            return
        nulls = self._places[~valid]
        self.write(self._at, np.full(len(nulls), _NULL, np.int32), nulls)
        self._at += _LENGTH_SIZE
        places, at = self._places[valid], self._at
        for number, size in enumerate(sizes, start=column):
            self.write(at, self._batch.numbers(number, size)[valid], places)
            at += size
        self._places += valid * (at - self._at)

    def _window(self, at: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the messages as values that begin at each byte and overlap.

        Indexed by places it is the values that are so many bytes after them.
        """
        starts = max(0, len(self._messages) - at - dtype.itemsize + 1)
        return np.ndarray((starts,), dtype, self._messages, at if starts else 0, (1,))


class MessageDraft:
    """A message that is being laid out, from its first byte to its last.

    Args:
        kind: The message's type byte; the length after it is a blank.
    """

    def __init__(self, kind: bytes) -> None:
        self._numbers: list[str] = []
        self._steps: list[_Step] = []
        self._runs: list[str] = []  #: BLOBs that are joined to the message.
        self._texts: list[str] = []  #: Texts that are joined to the run to come.
        self._bytes = bytearray()  #: Constant bytes that are to be the next text.
        self.constant(kind + bytes(_LENGTH_SIZE))

    def constant(self, data: bytes) -> None:
        """Add bytes that are the same in all messages."""
        if data.isascii():
            self._add_blank(data)
        else:
            self._bytes += bytes(len(data))
            self._steps.append(_Constant(data))

    def text(self, image: str) -> None:
        """Add a text that is not NULL, of which nobody needs to know the length."""
        self._end_constant()
        self._texts.append(image)

    def sized_text(self, image: str) -> None:
        """Add an image that is a VARCHAR, and its length."""
        self._add_sized(f"strlen({image})")
        self._end_constant()
        self._texts.append(image)  # concat() passes over NULLs.

    def sized_blob(self, image: str) -> None:
        """Add an image that is a BLOB, and its length."""
        self._add_sized(f"octet_length({image})")
        self._end_run()
        self._runs.append(f"coalesce({image}, ''::BLOB)")

    def fixed(self, numbers: Sequence[tuple[str, int]]) -> None:
        """Add an image of numbers, each with its size in bytes, and its length.

        Either all of the numbers are NULL or none; their expressions have signed types, or
        floating point ones, of their sizes.
        """
        sizes = tuple(size for _, size in numbers)
        self._bytes += sum(sizes).to_bytes(_LENGTH_SIZE, "big")
        self._steps.append(_Fixed(len(self._numbers), sizes))
        self._numbers += [number for number, _ in numbers]
        self._end_constant()
        blank = _text_literal(bytes(sum(sizes)))
        self._texts.append(f"CASE WHEN {numbers[0][0]} IS NULL THEN '' ELSE {blank} END")

    def messages(self, source: str) -> BlankMessages:
        """Return the query for a message for each row of a FROM item."""
        self._end_constant()
        if self._runs:
            self._end_run()
            message = " || ".join(self._runs)
        else:
            message = _joined(self._texts)
        sql = f"SELECT {', '.join([*self._numbers, message])} AS message FROM {source} AS m"
        return BlankMessages(sql, tuple(self._steps))

    def _add_blank(self, data: bytes) -> None:
        self._bytes += data
        match self._steps:
            case [*_, _Gap(size)]:
                self._steps[-1] = _Gap(size + len(data))
            case _:
                self._steps.append(_Gap(len(data)))

    def _add_sized(self, length: str) -> None:
        self._bytes += bytes(_LENGTH_SIZE)
        self._steps.append(_Sized(len(self._numbers)))
        self._numbers.append(length)

    def _end_constant(self) -> None:
        if self._bytes:
            self._texts.append(_text_literal(bytes(self._bytes)))
            self._bytes.clear()

    def _end_run(self) -> None:
        self._end_constant()
        if self._texts:
            self._runs.append(f"encode({_joined(self._texts)})")
            self._texts.clear()


def _joined(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"concat({', '.join(texts)})"


def _text_literal(data: bytes) -> str:
    return f"decode({blob(data)})"
