"""Backing up a server that runs: each database at an epoch of its own, since nothing spans two."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from barrier import backup
from barrier.cluster import Cluster, Database, write_cluster
from barrier.epoch import Epoch
from catalog.errors import PgError


def back_up_running(
    target: Path,
    databases: Iterable[Database],
    copy: Callable[[str, Path], Epoch],
    cluster: Callable[[], Cluster],
    taken_ms: int,
) -> dict[str, Epoch]:
    """Fill a new directory with copies of databases and what describes the server.

    Args:
        target: The directory.
        databases: What to copy.
        copy: Copies the database of that name to a file and returns the copy's epoch.
        cluster: Returns what describes the server now.
        taken_ms: When the backup was begun.

    Returns:
        The epoch of each database's copy.

    Raises:
        PgError: It was interrupted, or the directory cannot be written; nothing is left of it.
    """
    epochs: dict[str, Epoch] = {}
    copied = set()
    with backup.new_directory(target) as directory:
        for database in databases:
            file = directory / f"{database.oid}.duckdb"
            try:
                epochs[database.name] = copy(database.name, file)
            except (PgError, OSError):
                if any(d.oid == database.oid for d in cluster().databases.values()):
                    raise
                file.unlink(missing_ok=True)  # It was dropped meanwhile.
            else:
                copied.add(database.oid)
        # As it is after the copies, so that no identifier of theirs is given out again.
        after = cluster()
        known = {name: d for name, d in after.databases.items() if d.oid in copied}
        write_cluster(directory, replace(after, databases=known))
        backup.seal(directory, epochs, taken_ms)
    return epochs
