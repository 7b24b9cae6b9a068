"""The number of files that the process may have open: a connection is at least one."""

from __future__ import annotations

import logging
from typing import Final

try:
    import resource
except ImportError:  # Not every system has such limits.
    resource = None  # type: ignore[assignment]

_LOG: Final = logging.getLogger(__name__)

#: A socket, and two more when it waits for notifications.
_FOR_A_CONNECTION: Final = 3
_FOR_THE_REST: Final = 200


def allow_connections(connections_max: int) -> None:
    """Raise the limit of open files as far as that many connections want and the system allows."""
    if resource is None:
        return
    wanted = connections_max * _FOR_A_CONNECTION + _FOR_THE_REST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):
        allowed = soft
    if allowed < wanted:
        _LOG.warning(
            "the system allows %d open files, max_connections = %d may want %d",
            allowed,
            connections_max,
            wanted,
        )
