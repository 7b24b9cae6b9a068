"""Files that cannot be written, in PostgreSQL's words."""

from __future__ import annotations

import errno
from pathlib import Path

from catalog.errors import DiskFull, IoError, PgError


def write_failure(path: Path, error: OSError) -> PgError:
    """Return what to tell of a file that could not be written."""
    message = f'could not write to file "{path}": {error.strerror or error}'
    return DiskFull(message) if error.errno == errno.ENOSPC else IoError(message)
