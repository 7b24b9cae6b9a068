"""How much memory the process may take, so that a statement that wants more fails and nothing else.

The engine counts its tables and hash tables, and keeps them within ``memory_limit``. Single values
it does not count: ``repeat('x', 1000000)`` for each row of a thousand is a gigabyte before anybody
looks. Where the process as a whole has a limit, an allocation beyond it fails and the statement
ends with 53200; without, the system ends the process.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

try:
    import resource
except ImportError:  # Not every system has such limits.
    resource = None  # type: ignore[assignment]

#: Parts of the machine's memory: what the engine may count on, and the process as a whole.
_ENGINE_SHARE: Final = 0.6
_PROCESS_SHARE: Final = 0.9

#: What a container may take, by its two kinds.
_CONTAINER_FILES: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def memory_bytes() -> int | None:
    """Return how much memory the machine has, or the container; None if nobody tells."""
    found: list[int] = []
    with suppress(ValueError, OSError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _CONTAINER_FILES:
        with suppress(ValueError, OSError):  # "max" is no number.
            found.append(int(path.read_text()))
    return min((size for size in found if size > 0), default=None)


def engine_limit(memory: int | None) -> str | None:
    """Return the engine's limit where nobody has set one, as it spells it."""
    return None if memory is None else f"{int(memory * _ENGINE_SHARE) >> 20}MiB"


class Room:
    """The limit of what the process may allocate; it moves with the stacks of its threads.

    A stack counts in full from the beginning, though hardly anything of it is ever used.

    Args:
        memory: What there is; None sets no limit.
    """

    def __init__(self, memory: int | None) -> None:
        self._lock = threading.Lock()
        self._stacks = 0
        self._limit: int | None = None
        if memory is None or resource is None:
            return
        soft, self._hard = resource.getrlimit(resource.RLIMIT_DATA)
        self._limit = int(memory * _PROCESS_SHARE)
        if soft != resource.RLIM_INFINITY:
            self._limit = min(self._limit, soft)
        self.add_stacks(0)

    def add_stacks(self, size: int) -> None:
        """Make room for stacks of that many bytes; take it back if they are negative."""
        if self._limit is None:
            return
        with self._lock:
            self._stacks += size
            limit = self._limit + self._stacks
            if self._hard != resource.RLIM_INFINITY:
                limit = min(limit, self._hard)
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_DATA, (limit, self._hard))
