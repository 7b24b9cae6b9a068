"""Pieces of bulk data in files, for an engine that reads such data from files only.

The directory is the one place that the engine may open files in, beside the database's own.
"""

from __future__ import annotations

import itertools
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from barrier.write_failure import write_failure


class Pieces:
    """A directory that is there while files are in it, which live as long as they are read."""

    def __init__(self, database: Path | None) -> None:
        """Find a place; what a server that was killed has left there is removed.

        Args:
            database: The file that the directory is for; None for a temporary one.
        """
        if database is None:
            # Nobody can make a directory first whose name he cannot guess.
            place = Path(tempfile.gettempdir()) / f"tidegate-{secrets.token_hex(16)}"
            self.directory = place.resolve()
        else:
            self.directory = database.with_name(f"{database.name}.pieces").resolve()
            self.remove()
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._open = 0

    @contextmanager
    def file(self, data: bytes) -> Iterator[str]:
        """Give the path of a file with these bytes while the block runs.

        Raises:
            DiskFull: There is no room for it.
            IoError: It cannot be written.
        """
        with self.place() as path:
            try:
                path.write_bytes(data)
            except OSError as e:
                raise write_failure(path, e) from e
            del data  # The file may be wanted for long.
            yield str(path)

    @contextmanager
    def place(self) -> Iterator[Path]:
        """Give the path for a new file, whose name is a number, while the block runs."""
        path = self.directory / f"{next(self._numbers)}"
        self._enter()
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)
            self._leave()

    def _enter(self) -> None:
        with self._lock:
            try:
                self.directory.mkdir(mode=0o700, exist_ok=True)
            except OSError as e:
                raise write_failure(self.directory, e) from e
            self._open += 1

    def _leave(self) -> None:
        with self._lock:
            self._open -= 1
            if not self._open:
                self.remove()

    def remove(self) -> None:
        """Remove the directory with all that is in it."""
        shutil.rmtree(self.directory, ignore_errors=True)
