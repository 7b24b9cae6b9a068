"""Who is connected: the sessions of a server, by database."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Final, Protocol

from catalog.errors import PgError
from catalog.system.snapshot import SessionState as Listed
from server.advisory_lock import AdvisoryLocks
from server.notifications import Notifications
from server.result_cache import ResultCache
from server.row_pages import RowPages
from server.system.view import SystemViews
from server.unknown_names import UnknownNames

#: How much memory results that are asked for again may take, and rows near those asked for, unless
#: something else is wanted.
CACHE_BYTES_MAX: Final = 320 * 1024 * 1024

#: The part of it that is for rows.
_PAGES_SHARE: Final = 0.2


class Member(Protocol):
    """What the others need to know of a session; asked for from any thread."""

    @property
    def process_id(self) -> int:
        """Which it is."""
        ...

    @property
    def database(self) -> str:
        """Where it is."""
        ...

    @property
    def login(self) -> str:
        """The name of who has logged in."""
        ...

    def listed(self) -> Listed:
        """What pg_stat_activity tells of it."""
        ...

    def cancel(self) -> None:
        """End its running statement."""
        ...

    def end(self, error: PgError) -> None:
        """End it with a FATAL error."""
        ...


class Sessions:
    """All sessions of a server, and what they keep for each other.

    Attributes:
        results: Results that are asked for again.
        pages: Rows near those that were asked for.
        locks: Advisory locks.
        notifications: What they tell each other.
        system: The rows of the system catalogs.
        unknown_names: What was asked of them in vain.

    Args:
        cache_bytes_max: How much memory ``results`` and ``pages`` may take; with 0 nothing is kept.
        facts: The values of internal parameters that tell of this server.
    """

    def __init__(
        self, cache_bytes_max: int = CACHE_BYTES_MAX, facts: Mapping[str, str] | None = None
    ) -> None:
        self.facts: Mapping[str, str] = facts or {}
        page_bytes_max = int(cache_bytes_max * _PAGES_SHARE)
        self.results = ResultCache(cache_bytes_max - page_bytes_max)
        self.pages = RowPages(page_bytes_max)
        self.locks = AdvisoryLocks()
        self.notifications = Notifications()
        self.system = SystemViews()
        self.unknown_names = UnknownNames()
        self._lock = threading.Lock()
        self._members: set[Member] = set()

    def add(self, member: Member) -> None:
        """Count a session."""
        with self._lock:
            self._members.add(member)

    def remove(self, member: Member) -> None:
        """Count a session no longer."""
        with self._lock:
            self._members.discard(member)

    def all(self) -> list[Member]:
        """Return the sessions there are."""
        with self._lock:
            return list(self._members)

    def find(self, process_id: int) -> Member | None:
        """Return a session, or None when there is none of that number."""
        return next((m for m in self.all() if m.process_id == process_id), None)

    def count_of(self, user: str) -> int:
        """Return how many sessions a user has."""
        return sum(member.login == user for member in self.all())

    def count_in(self, database: str) -> int:
        """Return how many sessions are in a database."""
        return sum(member.database == database for member in self.all())

    def end_in(self, database: str, error: PgError) -> None:
        """End every session in a database."""
        for member in self.all():
            if member.database == database:
                self.remove(member)
                member.end(error)
