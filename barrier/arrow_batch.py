"""Batches of rows as the engine hands them over: Arrow's memory, seen through numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nanoarrow
import numpy as np
from numpy.typing import NDArray

from barrier.engine_errors import from_engine_text


def batches(stream: object) -> Iterator[ArrowBatch]:
    """Yield the batches of an Arrow stream of the engine's.

    Raises:
        PgError: The engine has failed after the stream had begun.
    """
    try:
        # Nothing here holds a batch while the next is computed: one may be large.
        yield from map(ArrowBatch, nanoarrow.c_array_stream(stream))
    except RuntimeError as e:
        # nanoarrow's exception, which has no public name, has the engine's text.
        raise from_engine_text(str(getattr(e, "message", e))) from e


class ArrowBatch:
    """A batch of an Arrow stream, read and written in place: it is nobody else's."""

    __slots__ = ("_array", "_children", "rows")

    def __init__(self, array: Any) -> None:  # noqa: ANN401  # nanoarrow has no types
        assert array.offset == 0, array.offset
        self._array = array
        self._children = list(array.children)
        self.rows: int = array.length

    def numbers(self, column: int, size: int) -> NDArray[Any]:
        return self._view(self._children[column].buffers[1], f"<i{size}", self.rows)

    def validity(self, column: int) -> NDArray[np.bool_] | None:
        child = self._children[column]
        if not child.null_count:
            return None
        bitmap = self._view(child.buffers[0], "|u1", (self.rows + 7) // 8)
        return np.unpackbits(bitmap, count=self.rows, bitorder="little").view(np.bool_)

    def offsets(self) -> NDArray[np.int64]:
        return self._view(self._children[-1].buffers[1], "<i8", self.rows + 1)

    def messages(self) -> NDArray[np.uint8]:
        return self._view(self._children[-1].buffers[2], "|u1", int(self.offsets()[-1]))

    def _view(self, address: int, kind: str, count: int) -> NDArray[Any]:
        """Return memory of the batch as an array, which keeps the batch."""
        return np.asarray(_Memory(self._array, address, kind, count))


class _Memory:
    """Some memory of a batch, as numpy wants it described."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, owner: object, address: int, kind: str, count: int) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "data": (address, False),
            "shape": (count,),
            "typestr": kind,
            "version": 3,
        }
