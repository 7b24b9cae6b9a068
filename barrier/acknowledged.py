"""Acknowledged writes that an epoch could not apply: whether they stay due or stand aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from barrier.application import WriteFailed
from barrier.message import InjectWrites, Written
from barrier.outcome import Outcome
from barrier.set_aside import SetAside, may_pass
from catalog.errors import UndefinedTable


def left_out(
    writes: Sequence[Written], failed: WriteFailed, set_aside: Mapping[int, SetAside]
) -> list[int]:
    """Return the tickets without which an epoch goes on after one of its write sets failed.

    What was queued is applied in order, so those that come after one that stays due wait for it.
    """
    (ticket,) = failed.tickets
    at = next(at for at, written in enumerate(writes) if written.ticket == ticket)
    number = writes[at].write_set.queue_number
    if number is None or number in set_aside or not may_pass(failed.error, writes[at].tries):
        return [ticket]
    return [w.ticket for w in writes[at:] if w.write_set.queue_number is not None]


def judge(injection: InjectWrites, outcome: Outcome, set_aside: Mapping[int, SetAside]) -> None:
    """Tell those writes apart that stay due and those that stand aside.

    Args:
        injection: The epoch.
        outcome: Its failures are known; what is found is added.
        set_aside: The writes that stand aside once it is committed.
    """
    kept: list[Written] = []
    aside: list[SetAside] = []
    for written in injection.writes:
        number, error = written.write_set.queue_number, outcome.failures.get(written.ticket)
        if number is None or error is None:
            continue
        if number in set_aside:
            aside.append(set_aside[number])
        elif not isinstance(error, UndefinedTable):  # Else its rows are gone with the table.
            # The first is what failed, the others wait for it.
            kept.append(written if kept else replace(written, tries=written.tries + 1))
    outcome.kept, outcome.set_aside = tuple(kept), tuple(aside)
    if kept:  # What was to be flushed is not.
        error = outcome.failures[kept[0].ticket]
        outcome.failures |= dict.fromkeys(injection.flushes, error)
