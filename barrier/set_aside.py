"""Acknowledged writes that cannot be applied: they stand aside until somebody decides about them.

Who wrote them has gone on and cannot be told. So nothing of them is thrown away: they stay where
they were queued, with what is wrong, and all others go on. An operator sees them in
``rw_catalog.rw_failed_writes``, and has them tried again or thrown away.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from barrier.writes import WriteSet
from catalog.errors import DiskFull, IoError, PgError, UndefinedObject

#: How often what fails for want of memory is tried, once a barrier interval.
TRIES: Final = 10

#: The classes of errors that may be gone the next time: resources, and what was interrupted.
_PASSING: Final = ("53", "57")


@dataclass(frozen=True, slots=True)
class SetAside:
    """An acknowledged write set that could not be applied, and why.

    Attributes:
        since_ms: When it was last tried, in milliseconds since 1970.
    """

    write_set: WriteSet
    sqlstate: str
    message: str
    detail: str | None
    since_ms: int

    @classmethod
    def of(cls, write_set: WriteSet, error: PgError, now_ms: int) -> SetAside:
        """Set a write set aside that failed now."""
        return cls(write_set, error.sqlstate.value, error.message, error.detail, now_ms)

    @property
    def number(self) -> int:
        """Its number in the durable queue."""
        assert self.write_set.queue_number is not None
        return self.write_set.queue_number


@dataclass(frozen=True, slots=True)
class Queue:
    """What was acknowledged and is not applied.

    Attributes:
        due: What is applied next, in its order.
        set_aside: What could not be.
    """

    due: tuple[WriteSet, ...] = ()
    set_aside: tuple[SetAside, ...] = ()


#: Of a database that is new.
NOTHING_QUEUED: Final = Queue()


def still_failing(error: PgError, failed: int, tried: int) -> PgError:
    """Return what to tell of writes that were tried again and could not be applied, but for some.

    Args:
        error: What was wrong with the first of them.
        failed: How many there are.
        tried: How many were tried; the others are applied.
    """
    told = copy.copy(error)
    told.hint = "It stays in rw_catalog.rw_failed_writes, with what is wrong."
    if tried > 1:
        told.context = f"{failed} of {tried} writes could not be applied; the others are"
        told.hint = "They stay in rw_catalog.rw_failed_writes, with what is wrong."
    return told


def numbers_of(set_aside: Collection[int], number: int | None) -> list[int]:
    """Return the numbers of writes that stand aside: all of them, or the one that is named.

    Raises:
        UndefinedObject: There is no such write.
    """
    if number is None:
        return sorted(set_aside)
    if number not in set_aside:
        raise UndefinedObject(
            f"failed write {number} does not exist",
            hint="rw_catalog.rw_failed_writes lists the writes that could not be applied.",
        )
    return [number]


def may_pass(error: PgError, tries: int) -> bool:
    """Whether an acknowledged write that failed so often may succeed if it is just tried again."""
    if isinstance(error, DiskFull | IoError):  # Nor could it be written down that it failed.
        return True
    return error.sqlstate.value[:2] in _PASSING and tries < TRIES
