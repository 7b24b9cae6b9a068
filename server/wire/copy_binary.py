"""The binary format of COPY FROM: a head, rows of sized images, a mark of the end."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from catalog.errors import BadCopyFormat, ProgramLimitExceeded
from server.wire.copy_cut import CHUNK_BYTES, ROW_BYTES_MAX

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
_HEAD_BYTES: Final = len(_SIGNATURE) + 8
_COUNT: Final = struct.Struct("!h")
_LENGTH: Final = struct.Struct("!i")
_HAS_OIDS: Final = 1 << 16
_CRITICAL_FLAGS: Final = 0xFFFF0000


@dataclass(frozen=True, slots=True)
class BinaryChunk:
    """Whole rows.

    Attributes:
        rows: The images of their values.
        first_line: The number of the first row, from 1.
    """

    rows: list[list[bytes | None]]
    first_line: int


class BinaryCutter:
    """Cuts what arrives into rows.

    Args:
        count: How many columns a row has.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._buffer = bytearray()
        self._wanted = CHUNK_BYTES
        self._next_row = 1
        self._has_head = False
        self._is_over = False

    @property
    def line(self) -> int:
        """The number of the row that comes next."""
        return self._next_row

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
            raise BadCopyFormat("COPY file signature not recognized")
        if self._buffer:
            raise self._wrong("unexpected EOF in COPY data")

    def _cut(self) -> Iterator[BinaryChunk]:
        if not self._has_head and not self._take_head():
            return
        data = bytes(self._buffer)
        rows, end = self._rows(data)
        del self._buffer[:end]
        if self._is_over and self._buffer:
            raise self._wrong("received copy data after EOF marker")
        self._wanted = max(CHUNK_BYTES, 2 * len(self._buffer))
        if len(self._buffer) > ROW_BYTES_MAX:
            raise ProgramLimitExceeded("out of memory", detail="A row is longer than 256 MB.")
        if rows:
            chunk = BinaryChunk(rows, self._next_row)
            yield chunk
            self._next_row += len(rows)

    def _take_head(self) -> bool:
        """Take the head if it has arrived."""
        if len(self._buffer) < _HEAD_BYTES:
            return False
        if not self._buffer.startswith(_SIGNATURE):
            raise BadCopyFormat("COPY file signature not recognized")
        flags, extension = struct.unpack_from("!Ii", self._buffer, len(_SIGNATURE))
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

    def _rows(self, data: bytes) -> tuple[list[list[bytes | None]], int]:
        """Return the complete rows and where they end."""
        rows: list[list[bytes | None]] = []
        length_at, expected, places = _LENGTH.unpack_from, self._count, range(self._count)
        at = end = 0
        size = len(data)
        while at + 2 <= size:
            (count,) = _COUNT.unpack_from(data, at)
            at += 2
            if count == -1:
                self._is_over = True
                return rows, at
            if count != expected:
                raise self._wrong(f"row field count is {count}, expected {expected}", len(rows))
            row: list[bytes | None] = []
            for _ in places:
                if at + 4 > size:
                    return rows, end
                (length,) = length_at(data, at)
                at += 4
                if length >= 0:
                    row.append(data[at : at + length])
                    at += length
                elif length == -1:
                    row.append(None)
                else:
                    raise self._wrong("invalid field size", len(rows))
            if at > size:
                return rows, end
            rows.append(row)
            end = at
        return rows, end

    def _wrong(self, message: str, rows: int = 0) -> BadCopyFormat:
        error = BadCopyFormat(message)
        error.context = f"line {self._next_row + rows}"
        return error
