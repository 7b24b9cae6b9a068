"""Rows that SQL has taken off a portal of the protocol, in the formats that its own client wants.

They are encoded as the portal's Bind asked for; other formats are made of the values in them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from server.kept_rows import KeptRows
from server.sql.bind.result import OutputColumn
from server.wire.rows import EncodedRows
from server.wire.session_contract import RowBatch
from server.wire.values import decode_parameter

_LENGTH: Final = struct.Struct("!i")


class PortalRows:
    """Rows that were taken off a portal."""

    def __init__(
        self, columns: tuple[OutputColumn, ...], formats: Sequence[int], taken: KeptRows
    ) -> None:
        """Take over the rows.

        Args:
            columns: The portal's.
            formats: What they are encoded in, a code for each column.
            taken: The rows.
        """
        self.columns = columns
        self._formats = tuple(formats)
        self._taken = taken

    def batches(self, formats: Sequence[int]) -> Iterator[RowBatch]:
        """Yield the rows in the given formats."""
        while (batch := self._taken.take()) is not None:
            if tuple(formats) == self._formats:
                yield batch
            else:
                yield self._recoded(batch, formats)

    def tag(self, rows: int) -> str:
        """Return the command tag."""
        return f"FETCH {rows}"

    def close(self) -> None:
        """Let go of the rows."""
        self._taken.clear()

    def _recoded(self, batch: RowBatch, formats: Sequence[int]) -> EncodedRows:
        held = list(zip(self.columns, self._formats, strict=True))
        rows = [
            [
                None if image is None else decode_parameter(column.type, code, image)
                for (column, code), image in zip(held, _fields(message), strict=True)
            ]
            for message in _messages(batch.data(0, batch.rows))
        ]
        return EncodedRows(self.columns, formats, rows)


class RowPiece:
    """A ``RowBatch`` of messages as they were taken."""

    def __init__(self, data: bytes) -> None:
        self._messages = list(_messages(data))

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self._messages)

    def data(self, start: int, stop: int) -> bytes:
        """The messages of rows ``start`` to ``stop``."""
        return b"".join(self._messages[start:stop])

    @property
    def memory(self) -> int:
        """The messages' bytes."""
        return sum(map(len, self._messages))

    def kept(self) -> RowPiece:
        """Itself."""
        return self


def _messages(data: bytes | memoryview) -> Iterator[bytes]:
    """Yield the DataRow messages that stand one after the other."""
    held, at = bytes(data), 0
    while at < len(held):
        end = at + 1 + _LENGTH.unpack_from(held, at + 1)[0]
        yield held[at:end]
        at = end


def _fields(message: bytes) -> Iterator[bytes | None]:
    """Yield the images in a DataRow message; None is NULL."""
    at = 7
    while at < len(message):
        (length,) = _LENGTH.unpack_from(message, at)
        at += _LENGTH.size
        yield None if length < 0 else message[at : at + length]
        at += max(length, 0)
