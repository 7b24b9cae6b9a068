"""LISTEN and NOTIFY: who listens to what, and what has been sent and not delivered yet.

A notification is put into the queue of every session that listens when its transaction is
committed, and each session's own thread sends what is in its queue. So nobody who notifies waits
for somebody who does not read; a session that leaves too much unread is ended.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from catalog.errors import InvalidParameterValue, PgError, ProgramLimitExceeded

#: A channel's name has fewer bytes than this, a payload fewer than that (PostgreSQL's limits).
CHANNEL_BYTES_MAX: Final = 64
PAYLOAD_BYTES_MAX: Final = 8000

#: How much a session may leave undelivered.
QUEUE_BYTES_MAX: Final = 64 * 1024 * 1024

#: What a notification takes beside its texts, about.
_OVERHEAD_BYTES: Final = 100


@dataclass(frozen=True, slots=True)
class Notification:
    """What a session is told when somebody notifies a channel that it listens to."""

    process_id: int
    channel: str
    payload: str

    @property
    def size(self) -> int:
        """How much of a queue it takes, in bytes."""
        return len(self.channel.encode()) + len(self.payload.encode()) + _OVERHEAD_BYTES


def check(channel: str, payload: str) -> None:
    """Refuse what cannot be sent.

    Raises:
        InvalidParameterValue: The channel has no name or too long a one, or the payload is too
            long.
    """
    if not channel:
        raise InvalidParameterValue("channel name cannot be empty")
    if len(channel.encode()) >= CHANNEL_BYTES_MAX:
        raise InvalidParameterValue("channel name too long")
    if len(payload.encode()) >= PAYLOAD_BYTES_MAX:
        raise InvalidParameterValue("payload string too long")


class Mailbox:
    """One session's queue.

    Args:
        wake: Called from any thread when there is something to deliver; must not wait.
        overflow: Called with the error that the session is to end with, when it reads too slowly.
    """

    def __init__(self, wake: Callable[[], None], overflow: Callable[[PgError], None]) -> None:
        self._wake = wake
        self._overflow = overflow
        self._lock = threading.Lock()
        self._queue: deque[Notification] = deque()
        self._bytes = 0
        self._is_over = False

    @property
    def usage(self) -> float:
        """How full it is, from 0 to 1."""
        return min(self._bytes / QUEUE_BYTES_MAX, 1.0)

    def put(self, notifications: Iterable[Notification]) -> None:
        """Add what was sent; the session is ended when it has too much."""
        with self._lock:
            if self._is_over:
                return
            for notification in notifications:
                self._queue.append(notification)
                self._bytes += notification.size
            if self._bytes > QUEUE_BYTES_MAX:
                self._is_over = True
                self._queue.clear()
                self._bytes = 0
        if self._is_over:
            self._overflow(
                ProgramLimitExceeded(
                    "terminating connection because its notifications were not read",
                    severity="FATAL",
                )
            )
        else:
            self._wake()

    def take(self) -> list[Notification]:
        """Take all that is to be delivered."""
        if not self._queue:
            return []
        with self._lock:
            taken = list(self._queue)
            self._queue.clear()
            self._bytes = 0
        return taken


#: A channel: the database, whichever object stands for it, and the name.
_Channel = tuple[object, str]


class Notifications:
    """All channels of a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[_Channel, set[Mailbox]] = defaultdict(set)

    def listen(self, database: object, channel: str, mailbox: Mailbox) -> None:
        """Deliver what is sent from now on."""
        with self._lock:
            self._listeners[database, channel].add(mailbox)

    def unlisten(self, database: object, channel: str, mailbox: Mailbox) -> None:
        """Deliver no more; what is in the queue still comes."""
        with self._lock:
            listeners = self._listeners.get((database, channel), set())
            listeners.discard(mailbox)
            if not listeners:
                self._listeners.pop((database, channel), None)

    def send(self, database: object, notifications: Iterable[Notification]) -> None:
        """Put notifications into the queues; all of one call come together, and in order."""
        with self._lock:
            found: dict[Mailbox, list[Notification]] = defaultdict(list)
            for notification in notifications:
                for mailbox in self._listeners.get((database, notification.channel), ()):
                    found[mailbox].append(notification)
            for mailbox, ours in found.items():
                mailbox.put(ours)

    def usage(self) -> float:
        """Return how full the fullest queue is, from 0 to 1."""
        with self._lock:
            mailboxes = {mailbox for group in self._listeners.values() for mailbox in group}
        return max((mailbox.usage for mailbox in mailboxes), default=0.0)
