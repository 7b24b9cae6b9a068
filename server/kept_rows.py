"""Rows that wait for their client while its session does something else.

A portal that is suspended holds the session's connection to the engine. When another statement
wants it, the rows that are left are taken off it, and kept: a few in memory, more in files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Final

import numpy as np

from server.wire.blank_messages import FilledBatch
from server.wire.session_contract import RowBatch

#: So much is kept in memory, and so much goes into one file.
_BYTES_MAX: Final = 16 << 20


class _Filed:
    """Batches in a file, which goes when they are read."""

    def __init__(
        self,
        batches: Sequence[FilledBatch],
        file: Callable[[bytes], AbstractContextManager[str]],
    ) -> None:
        images = [batch.image() for batch in batches]
        self._sizes = [
            (batch.rows, len(image)) for batch, image in zip(batches, images, strict=True)
        ]
        self._held = ExitStack()
        self._path = Path(self._held.enter_context(file(b"".join(images))))

    def read(self) -> list[FilledBatch]:
        with self._held:
            content = np.fromfile(self._path, np.uint8)
        batches, start = [], 0
        for rows, size in self._sizes:
            batches.append(FilledBatch.of_image(content[start : start + size], rows))
            start += size
        return batches

    def close(self) -> None:
        self._held.close()


class KeptRows:
    """A queue of batches.

    Args:
        file: Gives the path of a file with the given bytes while its block runs.
        bytes_max: How much is kept in memory.
    """

    def __init__(
        self, file: Callable[[bytes], AbstractContextManager[str]], bytes_max: int = _BYTES_MAX
    ) -> None:
        self._file = file
        self._bytes_max = bytes_max
        self._size = 0
        self._waiting: deque[RowBatch | _Filed] = deque()
        self._last: list[FilledBatch] = []

    def add(self, batch: RowBatch) -> None:
        """Keep some rows.

        Raises:
            PgError: A file is wanted for them and cannot be written.
        """
        kept = batch.kept()
        self._size += kept.memory
        if not isinstance(kept, FilledBatch):  # Such are of few rows.
            self._waiting.append(kept)
        else:
            self._last.append(kept)
            if self._size >= self._bytes_max:
                self._waiting.append(_Filed(self._last, self._file))
                self._last.clear()
                self._size = 0

    def take(self) -> RowBatch | None:
        """Return the rows that were kept first, or None when there are no more."""
        if not self._waiting:
            self._waiting.extend(self._last)
            self._last.clear()
            self._size = 0
        if not self._waiting:
            return None
        first = self._waiting.popleft()
        if isinstance(first, _Filed):
            first, *others = first.read()
            self._waiting.extendleft(reversed(others))
        return first

    def clear(self) -> None:
        """Forget all rows and remove their files."""
        for batch in self._waiting:
            if isinstance(batch, _Filed):
                batch.close()
        self._waiting.clear()
        self._last.clear()
