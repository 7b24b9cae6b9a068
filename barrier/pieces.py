"""Pieces of bulk data in files, for an engine that reads such data from files only.

The directory is the one place that the engine may open files in, beside the database's own.
"""

from __future__ import annotations

import errno
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from catalog.errors import DiskFull, IoError


class Pieces:
    """A directory whose files live as long as somebody reads them."""

    def __init__(self, database: Path | None) -> None:
        """Find a place; what a server that was killed has left there is removed.

        Args:
            database: The file that the directory is for; None for a temporary one.
        """
        if database is None:
            self.directory = Path(tempfile.mkdtemp(prefix="tidegate-")).resolve()
        else:
            self.directory = database.with_name(f"{database.name}.pieces").resolve()
            self.remove()
        self._numbers = itertools.count(1)

    @contextmanager
    def file(self, data: bytes) -> Iterator[str]:
        """Give the path of a file with these bytes while the block runs.

        Raises:
            DiskFull: There is no room for it.
            IoError: It cannot be written.
        """
        path = self.directory / f"{next(self._numbers)}"
        try:
            try:
                self.directory.mkdir(mode=0o700, exist_ok=True)
                path.write_bytes(data)
            except OSError as e:
                if e.errno == errno.ENOSPC:
                    raise DiskFull(f'could not write to file "{path}": {e.strerror}') from e
                raise IoError(f'could not write to file "{path}": {e.strerror}') from e
            yield str(path)
        finally:
            path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the directory with all that is in it."""
        shutil.rmtree(self.directory, ignore_errors=True)
