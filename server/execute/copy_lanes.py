"""Loading the chunks of a COPY beside receiving them, a few at once.

The engine works without Python's lock, so that one chunk is read while the next arrives.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

from barrier.store import Reader
from server.session_state import SessionState

ChunkT = TypeVar("ChunkT")

#: So many chunks of one COPY are loaded at once.
_LANES: Final = 2
#: So many may be on their way; more would only take memory.
_CHUNKS_MAX: Final = _LANES + 1

#: How often work that is not wanted any more is asked to stop.
_ASK_AGAIN_S: Final = 0.05

#: So many chunks of all COPYs together are loaded at once.
_TURNS: Final = threading.BoundedSemaphore(max(_LANES, os.cpu_count() or 1))


class Lanes(Generic[ChunkT]):
    """Threads and connections of one COPY.

    Args:
        state: The session.
        connect: Opens a connection.
        load: Loads a chunk by a connection, in a transaction of its own.
    """

    def __init__(
        self,
        state: SessionState,
        connect: Callable[[], Reader],
        load: Callable[[Reader, ChunkT], None],
    ) -> None:
        self._state = state
        self._connect = connect
        self._load = load
        self._threads = ThreadPoolExecutor(_LANES, thread_name_prefix="copy")
        self._readers: list[Reader] = []
        self._free: SimpleQueue[Reader] = SimpleQueue()
        self._loading: deque[Future[None]] = deque()

    def add(self, chunk: ChunkT) -> None:
        """Have a chunk loaded; waits while there are too many.

        Raises:
            PgError: Something is wrong with an earlier chunk, or the wait was ended.
        """
        while len(self._loading) >= _CHUNKS_MAX or (self._loading and self._loading[0].done()):
            self._await_first()
        if len(self._loading) >= len(self._readers) < _LANES:
            self._readers.append(self._connect())
            self._free.put(self._readers[-1])
        self._loading.append(self._threads.submit(self._run, chunk))

    def finish(self) -> None:
        """Wait until all chunks are loaded.

        Raises:
            PgError: Something is wrong with one; the first counts.
        """
        while self._loading:
            self._await_first()

    def close(self) -> None:
        """End what is still going on and let go of everything."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        while not self._are_done():
            self._interrupt()
        self._threads.shutdown()
        for reader in self._readers:
            reader.close()

    def _run(self, chunk: ChunkT) -> None:
        with _TURNS:
            reader = self._free.get()
            try:
                self._load(reader, chunk)
            finally:
                self._free.put(reader)

    def _await_first(self) -> None:
        # In order of the data, so that of several errors the first is told.
        with self._state.interrupt.on_set(self._interrupt):
            self._loading[0].result()
        self._state.interrupt.check()
        self._loading.popleft()

    def _are_done(self) -> bool:
        """Whether no chunk is being loaded any more; waits a moment for it."""
        return not wait([f for f in self._loading if not f.cancelled()], _ASK_AGAIN_S).not_done

    def _interrupt(self) -> None:
        for reader in self._readers:
            reader.interrupt()
