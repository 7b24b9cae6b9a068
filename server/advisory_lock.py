"""Advisory locks (PostgreSQL 15, chapter 13.3.5): who holds which, and who waits for whom."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from barrier.interrupt import Interrupt
from catalog.errors import PgError
from catalog.session_errors import DeadlockDetected, LockNotAvailable
from catalog.system.snapshot import LockState

_HALF: Final = 2**32


@dataclass(frozen=True, slots=True)
class LockTag:
    """What is locked: in a database, one number of 64 bits or two of 32."""

    database: int
    key: tuple[int, ...]

    @property
    def parts(self) -> tuple[int, int, int]:
        """The numbers by which pg_locks tells of it, and whether they are two."""
        if len(self.key) == 1:
            return (self.key[0] // _HALF) % _HALF, self.key[0] % _HALF, 1
        return self.key[0] % _HALF, self.key[1] % _HALF, 2

    def __str__(self) -> str:
        high, low, kind = self.parts
        return f"advisory lock [{self.database},{high},{low},{kind}]"


@dataclass(frozen=True, slots=True)
class Hold:
    """A way to hold a lock: shared or not, until the session or its transaction ends."""

    is_shared: bool
    is_session: bool

    @property
    def mode(self) -> str:
        """Its name."""
        return mode_name(is_shared=self.is_shared)


def mode_name(*, is_shared: bool) -> str:
    """Return PostgreSQL's name of a mode."""
    return "ShareLock" if is_shared else "ExclusiveLock"


class Owner:
    """A session as the locks know it."""

    def __init__(self, process_id: int, interrupt: Interrupt) -> None:
        self.process_id = process_id
        self.interrupt = interrupt


@dataclass(eq=False, slots=True)
class _Request:
    owner: Owner
    tag: LockTag
    hold: Hold
    is_granted: bool = False


@dataclass(slots=True)
class _Lock:
    #: By owner, how often it holds the lock in which way.
    held: dict[Owner, Counter[Hold]] = field(default_factory=dict)
    waiting: list[_Request] = field(default_factory=list)


class AdvisoryLocks:
    """All advisory locks of a server."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._locks: dict[LockTag, _Lock] = {}

    def try_acquire(self, owner: Owner, tag: LockTag, hold: Hold) -> bool:
        """Take a lock if nobody has it, or waits for it, in a way that excludes this one."""
        with self._mutex:
            return self._try(_Request(owner, tag, hold))

    def acquire(self, owner: Owner, tag: LockTag, hold: Hold, *, timeout_ms: int) -> None:
        """Take a lock, waiting for it; 0 is no limit.

        Raises:
            DeadlockDetected: It would wait for itself.
            LockNotAvailable: It took too long.
            PgError: The statement is to end.
        """
        request = _Request(owner, tag, hold)
        with self._mutex:
            if self._try(request):
                return
            self._locks[tag].waiting.append(request)
            error: PgError | None = self._deadlock(request)
            if error is not None:
                self._give_up(request)
                raise error
        interrupt = owner.interrupt
        interrupt.wait_for(lambda: request.is_granted, lambda _: None, limit_ms=timeout_ms or None)
        error = interrupt.error()
        with self._mutex:
            if request.is_granted and error is None:
                return
            if request.is_granted:
                self._release(owner, tag, hold)
            else:
                self._give_up(request)
        raise error or LockNotAvailable("canceling statement due to lock timeout")

    def release(self, owner: Owner, tag: LockTag, hold: Hold) -> bool:
        """Give a lock back once; False when the owner does not hold it in that way."""
        with self._mutex:
            return self._release(owner, tag, hold)

    def release_all(self, owner: Owner) -> None:
        """Give back what the owner holds until its session ends."""
        with self._mutex:
            for tag, lock in list(self._locks.items()):
                for hold, count in list(lock.held.get(owner, Counter[Hold]()).items()):
                    if hold.is_session:
                        self._release(owner, tag, hold, count)

    def listed(self) -> list[LockState]:
        """Return what pg_locks tells of the locks and of who waits for them."""
        with self._mutex:
            return list(self._listed())

    def _listed(self) -> Iterator[LockState]:
        for tag, lock in self._locks.items():
            for owner, holds in lock.held.items():
                for is_shared in sorted({hold.is_shared for hold in holds}):
                    mode = mode_name(is_shared=is_shared)
                    yield _listed(tag, owner, mode, is_granted=True)
            for request in lock.waiting:
                yield _listed(tag, request.owner, request.hold.mode, is_granted=False)

    def _try(self, request: _Request) -> bool:
        lock = self._locks.setdefault(request.tag, _Lock())
        if next(self._blockers(request), None) is not None:
            return False
        self._grant(lock, request)
        return True

    def _grant(self, lock: _Lock, request: _Request) -> None:
        lock.held.setdefault(request.owner, Counter())[request.hold] += 1
        request.is_granted = True

    def _blockers(self, request: _Request) -> Iterator[Owner]:
        """Yield whom a request has to wait for: holders, and those who wait before it."""
        lock = self._locks[request.tag]
        mine = lock.held.get(request.owner, Counter[Hold]())
        if any(hold.is_shared == request.hold.is_shared for hold in mine):
            return  # More of what it has; not to be kept waiting for others who wait for it.
        for owner, holds in lock.held.items():
            if owner is not request.owner and any(_exclude(h, request.hold) for h in holds):
                yield owner
        for other in lock.waiting:
            if other is request:
                break
            # Who holds the lock in the other mode comes before those who wait for him.
            if not mine and other.owner is not request.owner and _exclude(other.hold, request.hold):
                yield other.owner

    def _release(self, owner: Owner, tag: LockTag, hold: Hold, count: int = 1) -> bool:
        lock = self._locks.get(tag)
        holds = None if lock is None else lock.held.get(owner)
        if lock is None or holds is None or holds[hold] < count:
            return False
        holds[hold] -= count
        if not holds[hold]:
            del holds[hold]
        if not holds:
            del lock.held[owner]
        self._serve_waiting(tag)
        return True

    def _give_up(self, request: _Request) -> None:
        self._locks[request.tag].waiting.remove(request)
        self._serve_waiting(request.tag)

    def _serve_waiting(self, tag: LockTag) -> None:
        """Grant what can be granted now, in the order in which it was asked for."""
        lock = self._locks[tag]
        for request in list(lock.waiting):
            if next(self._blockers(request), None) is None:
                lock.waiting.remove(request)
                self._grant(lock, request)
                request.owner.interrupt.wake()
        if not lock.held and not lock.waiting:
            del self._locks[tag]

    def _deadlock(self, request: _Request) -> PgError | None:
        """Return the error for a request by which sessions wait for each other in a ring."""
        waits = [r for lock in self._locks.values() for r in lock.waiting]
        path: list[tuple[_Request, Owner]] = []
        seen: set[Owner] = set()

        def leads_back(owner: Owner) -> bool:
            for wait in waits:
                if wait.owner is not owner:
                    continue
                for blocker in self._blockers(wait):
                    path.append((wait, blocker))
                    if blocker is request.owner:
                        return True
                    if blocker not in seen:
                        seen.add(blocker)
                        if leads_back(blocker):
                            return True
                    path.pop()
            return False

        if not leads_back(request.owner):
            return None
        return DeadlockDetected(
            "deadlock detected",
            detail="\n".join(
                f"Process {wait.owner.process_id} waits for {wait.hold.mode} on {wait.tag}; "
                f"blocked by process {blocker.process_id}."
                for wait, blocker in path
            ),
            hint="See server log for query details.",
        )


def _exclude(one: Hold, other: Hold) -> bool:
    return not (one.is_shared and other.is_shared)


def _listed(tag: LockTag, owner: Owner, mode: str, *, is_granted: bool) -> LockState:
    return LockState(tag.database, *tag.parts, owner.process_id, mode, is_granted=is_granted)
