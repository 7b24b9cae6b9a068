"""The ledger: what each epoch did to each view, for ``rw_catalog.rw_epochs``."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from barrier.epoch import Epoch
from catalog.oid import Oid

#: Older entries are forgotten; the ledger is for people who look, not for replay.
ENTRIES_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What an epoch did to a view.

    Attributes:
        rows_in: How many rows of the changes it reads.
        rows_out: How many rows of its own were deleted and inserted.
        strategy: ``delta`` and ``anew`` as the plan chose, ``fill`` when it was created, ``refill``
            when its query took another form.
        duration_us: How long the engine took, in microseconds.
    """

    epoch: Epoch
    view: Oid
    name: str
    rows_in: int
    rows_out: int
    strategy: str
    duration_us: int


class Ledger:
    """The latest entries of one database; safe to use from all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: deque[Entry] = deque(maxlen=ENTRIES_MAX)

    def add(self, entries: Iterable[Entry]) -> None:
        """Add what a committed epoch did."""
        with self._lock:
            self._entries.extend(entries)

    def entries(self) -> list[Entry]:
        """Return the entries, oldest first."""
        with self._lock:
            return list(self._entries)
