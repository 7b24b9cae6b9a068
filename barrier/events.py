"""The event log: what happened to barriers, jobs and pauses, for ``rw_catalog.rw_event_logs``."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from barrier.clock import Clock

#: Older events are forgotten; the log is for people who look, not for replay.
EVENTS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened.

    Attributes:
        unique_id: Grows by one an event since the server was started.
        timestamp_ms: When, in milliseconds since 1970.
        event_type: Such as BARRIER_COMPLETE, PAUSE, CREATE_STREAM_JOB_FAIL.
        info: Particulars.
    """

    unique_id: int
    timestamp_ms: int
    event_type: str
    info: Mapping[str, object]


class EventLog:
    """The latest events of the whole server; safe to use from all threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._events: deque[Event] = deque(maxlen=EVENTS_MAX)
        self._last_id = 0

    def record(self, event_type: str, **info: object) -> None:
        """Add an event."""
        with self._lock:
            self._last_id += 1
            event = Event(self._last_id, self._clock.now_ms(), event_type, info)
            self._events.append(event)

    def events(self) -> list[Event]:
        """Return the events, oldest first."""
        with self._lock:
            return list(self._events)
