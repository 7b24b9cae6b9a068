"""Epochs: the steps of logical time.

An epoch is 64 bits: milliseconds since 2021-04-01T00:00:00Z in the upper 48, zeros below, as in
RisingWave, so that an epoch can be read as the time at which it was opened.
"""

from __future__ import annotations

from typing import Final, NewType

Epoch = NewType("Epoch", int)

#: 2021-04-01T00:00:00Z in milliseconds since 1970.
EPOCH_ORIGIN_MS: Final = 1_617_235_200_000

_SHIFT: Final = 16

#: Before everything.
ZERO: Final = Epoch(0)


def at(unix_ms: int) -> Epoch:
    """Return the epoch that opens at a time in milliseconds since 1970."""
    return Epoch(max(unix_ms - EPOCH_ORIGIN_MS, 0) << _SHIFT)


def unix_ms(epoch: Epoch) -> int:
    """Return when an epoch was opened, in milliseconds since 1970."""
    return (epoch >> _SHIFT) + EPOCH_ORIGIN_MS


def following(previous: Epoch, now_ms: int) -> Epoch:
    """Return the epoch for now, later than ``previous`` even when the clock stepped back."""
    return max(at(now_ms), Epoch(previous + (1 << _SHIFT)))
