"""What sessions begin with, as the server keeps it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from barrier.cluster import Cluster
from barrier.session_defaults import SessionDefaults, applying, with_value, without_scope
from catalog.oid import Oid


class ServerDefaults:
    """The parameters of later sessions; safe to use from all threads."""

    def __init__(
        self,
        lock: threading.RLock,
        cluster: Callable[[], Cluster],
        save: Callable[[Cluster], None],
    ) -> None:
        """Take over what is kept.

        Args:
            lock: Held by whoever changes the cluster.
            cluster: Returns it.
            save: Makes another one durable.
        """
        self._lock = lock
        self._cluster = cluster
        self._save = save

    def all(self) -> tuple[SessionDefaults, ...]:
        """Return the values by whose they are."""
        return self._cluster().defaults

    def of_session(self, database: str, role: Oid) -> Mapping[str, str]:
        """Return the values that a session begins with."""
        cluster = self._cluster()
        return applying(cluster.defaults, cluster.databases[database].oid, role)

    def change(self, database: Oid, role: Oid, name: str | None, value: str | None) -> None:
        """Set a value for good.

        Args:
            database: Of which sessions; see ``SessionDefaults``.
            role: Likewise.
            name: The parameter; None takes all of theirs away.
            value: None takes it away.
        """
        with self._lock:
            cluster = self._cluster()
            if name is None:
                defaults = without_scope(cluster.defaults, database, role)
            else:
                defaults = with_value(cluster.defaults, database, role, name, value)
            self._save(replace(cluster, defaults=defaults))
