"""What a transaction does when it is committed, and what it holds until then.

LISTEN, UNLISTEN and NOTIFY take effect at COMMIT; advisory locks of a transaction are given back
at its end. A statement outside a block is a transaction of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from server.advisory_lock import Hold, LockTag


@dataclass(frozen=True, slots=True)
class Listening:
    """A channel to listen to, or not any more; None is every channel."""

    channel: str | None
    is_wanted: bool


@dataclass(frozen=True, slots=True)
class PromiseMark:
    """How far the promises had come at a savepoint."""

    listenings: int
    notifications: int
    locks: int


@dataclass(slots=True)
class Promises:
    """What is to happen at the end, in order.

    Attributes:
        notifications: Channels and payloads; the same twice is sent once.
        locks: Advisory locks to give back, each as often as it was taken.
    """

    listenings: list[Listening] = field(default_factory=list)
    notifications: dict[tuple[str, str], None] = field(default_factory=dict)
    locks: list[tuple[LockTag, Hold]] = field(default_factory=list)

    def mark(self) -> PromiseMark:
        """Return how far they have come."""
        return PromiseMark(len(self.listenings), len(self.notifications), len(self.locks))

    def return_to(self, mark: PromiseMark) -> list[tuple[LockTag, Hold]]:
        """Forget what was promised after a mark; returns the locks that are to be given back."""
        del self.listenings[mark.listenings :]
        for key in list(self.notifications)[mark.notifications :]:
            del self.notifications[key]
        given_back = self.locks[mark.locks :]
        del self.locks[mark.locks :]
        return given_back
