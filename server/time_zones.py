"""The names of time zones, which the engine knows."""

from __future__ import annotations

from collections.abc import Callable

from barrier.store import Reader


class TimeZones:
    """Finds a zone's true spelling.

    Args:
        open_reader: Opens a connection of its own: a query that calls set_config() may have the
            session's.
    """

    def __init__(self, open_reader: Callable[[], Reader]) -> None:
        self._open_reader = open_reader
        self._names: dict[str, str] = {}

    def find(self, name: str) -> str | None:
        """Return a zone's true spelling, or None when there is none of that name."""
        if not self._names:
            reader = self._open_reader()
            rows = reader.rows("SELECT name FROM pg_timezone_names()")
            reader.close()
            self._names = {str(zone).lower(): str(zone) for (zone,) in rows}
        return self._names.get(name.lower())
