"""Whether there is room for the engine to write its log back into the database's file.

It does so by itself in the commit that lets the log grow beyond a limit. A commit that finds the
disk full fails, and that is all; but when writing back fails, the engine answers nothing any more
until the file is opened anew, not even who only reads. So where there may be too little room for
that, the log is left to grow, and written back once there is.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from barrier.interrupt import Interrupt
from catalog.errors import DiskFull, ObjectInUse

#: The engine's own limit of the log, and one that no log reaches.
_USUAL: Final = "16MB"
_NEVER: Final = "1000TB"

_MEBIBYTE: Final = 1 << 20
#: What writing back takes beside the log: rows around those that were changed are written anew, at
#: the worst all of a file; of a large one not that much.
_REWRITTEN_MAX: Final = 1024 * _MEBIBYTE
_SPARE: Final = 16 * _MEBIBYTE

#: How often writing back is tried that finds a transaction in its way, and how long after. Those of
#: epochs are over soon; that of a backfill is not.
_TRIES: Final = 40
_REST_MS: Final = 25


class LogRoom:
    """Looks after the room of one database's file; safe to use from all threads."""

    def __init__(self, path: Path | None, execute: Callable[[str], object]) -> None:
        """Take a file on.

        Args:
            path: The database's file; None is in memory.
            execute: Runs a statement of the engine's.
        """
        self._path = path
        self._execute = execute
        self._lock = threading.Lock()
        self._is_enough: bool | None = None

    def heed(self) -> bool:
        """Let commits write the log back only if there is room for it; returns whether there is."""
        if self._path is None:
            return True
        is_enough = has_room(self._path)
        with self._lock:
            if is_enough != self._is_enough:
                limit = _USUAL if is_enough else _NEVER
                self._execute(f"SET GLOBAL checkpoint_threshold = '{limit}'")
                self._is_enough = is_enough
        return is_enough

    def write_back(self, checkpoint: Callable[[], None], interrupt: Interrupt) -> bool:
        """Write the log back; returns whether that could be done.

        Args:
            checkpoint: Does it, or raises ObjectInUse.
            interrupt: What may end the wait.

        Raises:
            DiskFull: There may be too little room for it.
            PgError: It was interrupted.
        """
        for _ in range(_TRIES):
            if not self.heed():
                raise DiskFull("could not write the log back: too little room on the disk")
            try:
                checkpoint()
            except ObjectInUse:  # To wait for its turn would hold up whoever comes later.
                interrupt.sleep(_REST_MS)
            else:
                return True
        return False


def has_room(path: Path) -> bool:
    """Whether the disk of a database's file has room to write its log back."""
    if not path.parent.is_dir():
        return True
    log, file = (_size(path.with_name(path.name + suffix)) for suffix in (".wal", ""))
    needed = log + min(file, _REWRITTEN_MAX) + _SPARE
    return shutil.disk_usage(path.parent).free >= needed


def limit_for(path: Path | None) -> str:
    """Return the limit of the log to open a file with."""
    return _USUAL if path is None or has_room(path) else _NEVER


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
