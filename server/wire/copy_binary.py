"""The binary format of COPY FROM: a head, rows of sized images, a mark of the end."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catalog.errors import BadCopyFormat, PgError, ProgramLimitExceeded
from server.wire.copy_cut import CHUNK_BYTES, ROW_BYTES_MAX
from server.wire.copy_format import BINARY_HEAD, BINARY_SIGNATURE

_HEAD_BYTES: Final = len(BINARY_HEAD)
_COUNT: Final = struct.Struct("!h")
_LENGTH: Final = struct.Struct("!i")
_HAS_OIDS: Final = 1 << 16
_CRITICAL_FLAGS: Final = 0xFFFF0000
#: PostgreSQL takes no longer value.
_VALUE_BYTES_MAX: Final = 0x3FFFFFFF


@dataclass(frozen=True, slots=True)
class BinaryChunk:
    """Whole rows.

    Attributes:
        data: Where their images are.
        places: Where each begins, by row and column.
        lengths: How long each is; -1 is NULL.
        first_line: The number of the first row, from 1.
    """

    data: bytes
    places: NDArray[np.int64]
    lengths: NDArray[np.int64]
    first_line: int

    def images(self, column: int) -> list[bytes | None]:
        """Return the images of one column."""
        data = self.data
        return [
            None if length < 0 else data[place : place + length]
            for place, length in zip(
                self.places[:, column].tolist(), self.lengths[:, column].tolist(), strict=True
            )
        ]


class BinaryCutter:
    """Cuts what arrives into rows.

    Args:
        names: The columns' names.
        sizes: How long the images of each column are, where they usually all have one length.
    """

    def __init__(self, names: Sequence[str], sizes: Sequence[int | None]) -> None:
        self._names = names
        self._sizes = sizes
        self._buffer = bytearray()
        self._wanted = CHUNK_BYTES
        self._next_row = 1
        self._has_head = False
        self._is_over = False

    @property
    def line(self) -> int:
        """The number of the row that comes next."""
        return self._next_row

    @property
    def lines(self) -> int:
        """How many rows there were."""
        return self._next_row - 1

    def feed(self, data: bytes) -> Iterator[BinaryChunk]:
        """Take bytes and yield the chunks that are complete.

        Raises:
            BadCopyFormat: They do not follow the format.
            ProgramLimitExceeded: A row is too long.
        """
        if self._is_over:
            if data:
                raise self._wrong("received copy data after EOF marker")
            return
        self._buffer += data
        if len(self._buffer) >= self._wanted:
            yield from self._cut()

    def complete_rows(self) -> Iterator[BinaryChunk]:
        """Yield the rows that have arrived as a whole.

        Raises:
            BadCopyFormat: They do not follow the format.
        """
        yield from self._cut()

    def finish(self) -> Iterator[BinaryChunk]:
        """Yield what is left.

        Raises:
            BadCopyFormat: The last row, or the head, is not complete.
        """
        yield from self._cut()
        if not self._has_head:
            raise self._incomplete_head()
        # What is less than a count of fields counts as the end, as in PostgreSQL.
        if not self._is_over and len(self._buffer) >= _COUNT.size:
            raise self._wrong("unexpected EOF in COPY data", self._column_at_end())

    def _cut(self) -> Iterator[BinaryChunk]:
        if not self._has_head and not self._take_head():
            return
        data = bytes(self._buffer)
        chunk, end = self._expected_rows(data)
        if chunk is not None:
            yield chunk
        chunk, end, error = self._any_rows(data, end)
        del self._buffer[:end]
        self._wanted = max(CHUNK_BYTES, 2 * len(self._buffer))
        if chunk is not None:
            yield chunk
        if error is not None:
            raise error
        if self._is_over and self._buffer:
            raise self._wrong("received copy data after EOF marker")
        if len(self._buffer) > ROW_BYTES_MAX:
            raise ProgramLimitExceeded("out of memory", detail="A row is longer than 256 MB.")

    def _take_head(self) -> bool:
        """Take the head if it has arrived."""
        if len(self._buffer) < _HEAD_BYTES:
            return False
        if not self._buffer.startswith(BINARY_SIGNATURE):
            raise BadCopyFormat("COPY file signature not recognized")
        flags, extension = struct.unpack_from("!Ii", self._buffer, len(BINARY_SIGNATURE))
        if flags & _HAS_OIDS:
            raise BadCopyFormat("invalid COPY file header (WITH OIDS)")
        if flags & _CRITICAL_FLAGS:
            raise BadCopyFormat("unrecognized critical flags in COPY file header")
        if extension < 0:
            raise BadCopyFormat("invalid COPY file header (missing length)")
        if len(self._buffer) < _HEAD_BYTES + extension:
            return False
        del self._buffer[: _HEAD_BYTES + extension]
        self._has_head = True
        return True

    def _incomplete_head(self) -> BadCopyFormat:
        if not self._buffer.startswith(BINARY_SIGNATURE):
            return BadCopyFormat("COPY file signature not recognized")
        size = len(self._buffer) - len(BINARY_SIGNATURE)
        what = "missing flags" if size < 4 else "missing length" if size < 8 else "wrong length"
        return BadCopyFormat(f"invalid COPY file header ({what})")

    def _chunk(
        self, data: bytes, places: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> BinaryChunk | None:
        if not len(places):
            return None
        chunk = BinaryChunk(data, places, lengths, self._next_row)
        self._next_row += len(places)
        return chunk

    def _expected_rows(self, data: bytes) -> tuple[BinaryChunk | None, int]:
        """Return the first rows as long as no fixed size is missed, and where they end.

        Only lengths that vary are looked at on the way from row to row; the others are
        compared with what they should be afterwards, all at once.
        """
        variable = [place for place, size in enumerate(self._sizes) if size is None]
        if len(data) < 8 or not self._sizes:
            return None, 0
        starts, varying, end = self._walk(data)
        rows = len(starts)
        words = np.ndarray((len(data) - 3,), ">i4", data, strides=(1,))
        counts = np.ndarray((len(data) - 1,), ">i2", data, strides=(1,))
        at = np.array(starts, np.int64)
        are_right = counts[at] == len(self._sizes)
        places = np.empty((rows, len(self._sizes)), np.int64)
        lengths = np.empty((rows, len(self._sizes)), np.int64)
        at = at + 2
        for column, size in enumerate(self._sizes):
            places[:, column] = at + 4
            if size is None:
                lengths[:, column] = varying[variable.index(column) :: len(variable)]
            else:
                lengths[:, column] = size
                are_right &= words[at] == size
            at = at + 4 + lengths[:, column]
        if not are_right.all():
            rows = int(are_right.argmin())
            end = starts[rows]
        return self._chunk(data, places[:rows], lengths[:rows]), end

    def _walk(self, data: bytes) -> tuple[array[int], array[int], int]:
        """Go from row to row as if all fixed sizes were right.

        Returns:
            Where the rows begin, the lengths that vary in them, and where the last row ends.
        """
        gaps, gap = [], 2
        for size in self._sizes:
            gap += 4
            if size is None:
                gaps.append(gap)
                gap = 0
            else:
                gap += size
        starts, varying = array("q"), array("q")
        unpack, total = _LENGTH.unpack_from, len(data)
        begin = 0
        while True:
            at = begin
            for before in gaps:
                at += before
                if at > total:
                    break
                (length,) = unpack(data, at - 4)
                if length < 0:
                    at = total + 1
                    break
                varying.append(length)
                at += length
            at += gap
            if at > total:
                del varying[len(starts) * len(gaps) :]
                return starts, varying, begin
            starts.append(begin)
            begin = at

    def _any_rows(self, data: bytes, at: int) -> tuple[BinaryChunk | None, int, PgError | None]:
        """Return the rows from a place on, where they end, and what is wrong there."""
        places, lengths = array("q"), array("q")
        expected = len(self._sizes)
        rows, end = 0, at
        error: PgError | None = None
        total = len(data)
        while at + _COUNT.size <= total and error is None:
            (count,) = _COUNT.unpack_from(data, at)
            at += _COUNT.size
            if count == -1:
                self._is_over = True
                end = at
                break
            if count != expected:
                message = f"row field count is {count}, expected {expected}"
                error = self._wrong(message, rows=rows)
                break
            for column in range(expected):
                if at + _LENGTH.size > total:
                    at = total + 1
                    break
                (length,) = _LENGTH.unpack_from(data, at)
                at += _LENGTH.size
                error = self._wrong_length(length, column, rows)
                if error is not None:
                    break
                places.append(at)
                lengths.append(length)
                at += max(length, 0)
            if at > total or error is not None:
                break
            rows += 1
            end = at
        shape = (rows, expected)
        size = rows * expected
        chunk = self._chunk(
            data,
            np.array(places[:size], np.int64).reshape(shape),
            np.array(lengths[:size], np.int64).reshape(shape),
        )
        return chunk, end, error

    def _wrong_length(self, length: int, column: int, rows: int) -> PgError | None:
        if length < -1:
            return self._wrong("invalid field size", column, rows=rows)
        if length > _VALUE_BYTES_MAX:
            error = ProgramLimitExceeded(
                "out of memory",
                detail=f"Cannot enlarge string buffer containing 0 bytes by {length} more bytes.",
            )
            error.context = self._context(column, rows)
            return error
        return None

    def _column_at_end(self) -> int:
        """Return the column in which the data end."""
        data, at = self._buffer, _COUNT.size
        for column in range(len(self._sizes)):
            if at + _LENGTH.size > len(data):
                return column
            (length,) = _LENGTH.unpack_from(data, at)
            at += _LENGTH.size + max(length, 0)
            if at > len(data):
                return column
        raise AssertionError(at)

    def _wrong(self, message: str, column: int | None = None, *, rows: int = 0) -> BadCopyFormat:
        error = BadCopyFormat(message)
        error.context = self._context(column, rows)
        return error

    def _context(self, column: int | None, rows: int) -> str:
        line = f"line {self._next_row + rows}"
        return line if column is None else f"{line}, column {self._names[column]}"
