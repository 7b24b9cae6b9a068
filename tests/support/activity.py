"""What the server says that its sessions do, as the signal to go on."""

from __future__ import annotations

import time

from tests.support.background import PATIENCE_SECONDS
from tests.support.server import Connection


def until_runs(observer: Connection, backend: int, words: str = "") -> None:
    """Wait until the server runs a statement with these words for the session of this process."""
    _until(
        observer,
        f"SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = {backend} AND state = 'active' "
        f"AND position('{words}' IN query) > 0",
    )


def until_gone(observer: Connection, backend: int) -> None:
    """Wait until the server has noticed that a client left."""
    _until(observer, f"SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = {backend}")


def _until(observer: Connection, query: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while observer.execute(query.encode()).fetchone() != (True,):
        assert time.monotonic() < end, query
        time.sleep(0.02)
