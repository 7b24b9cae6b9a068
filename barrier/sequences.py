"""How far sequences are: their numbers are given out at once, outside of epochs and transactions.

A number that was given out is never given out again, also after a crash: numbers are set aside in
the store before they are used, as many at once as were asked for lately, and what was set aside and
not used when the server crashed is lost.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from catalog.oid import Oid
from catalog.sequence import SequenceGenerator

#: How many numbers are set aside at once, at first and at most.
_ASIDE_LEAST: Final = 32
_ASIDE_MOST: Final = 8192


@dataclass(frozen=True, slots=True)
class SequencePlace:
    """Where a sequence is.

    Attributes:
        value: Its last number, or the first that it will give.
        is_called: Whether that was given out.
    """

    value: int
    is_called: bool


#: Of a database without sequences.
NO_PLACES: Final[Mapping[Oid, SequencePlace]] = {}


class Shelf(Protocol):
    """What keeps the places of sequences; what was put there is durable when ``put`` returns."""

    def put_sequence(self, oid: Oid, place: SequencePlace) -> None:
        """Keep the place of a sequence."""
        ...

    def drop_sequence(self, oid: Oid) -> None:
        """Forget it."""
        ...


class Sequences:
    """The sequences of a database; for any thread.

    Args:
        shelf: Keeps their places.
        places: Those that it has kept.
        known: The sequences that there are; the places of others are forgotten.
    """

    def __init__(
        self, shelf: Shelf, places: Mapping[Oid, SequencePlace], known: Container[Oid]
    ) -> None:
        self._shelf = shelf
        self._lock = threading.Lock()
        self._places = {oid: place for oid, place in places.items() if oid in known}
        self._kept = dict(self._places)
        for oid in places.keys() - self._places.keys():
            shelf.drop_sequence(oid)
        self._aside: dict[Oid, int] = {}
        self._left: dict[Oid, int] = {}

    def next(self, sequence: SequenceGenerator) -> int:
        """Return the next number.

        Raises:
            SequenceLimitExceeded: There is none.
        """
        with self._lock:
            place = self._place(sequence)
            value = sequence.after(place.value) if place.is_called else place.value
            if not self._left.get(sequence.oid, 0):
                self._set_aside(sequence, value)
            self._left[sequence.oid] -= 1
            self._places[sequence.oid] = SequencePlace(value, is_called=True)
            return value

    def place(self, sequence: SequenceGenerator) -> SequencePlace:
        """Return where a sequence is."""
        with self._lock:
            return self._place(sequence)

    def move(self, sequence: SequenceGenerator, place: SequencePlace) -> None:
        """Let a sequence go on from somewhere else."""
        with self._lock:
            self._shelf.put_sequence(sequence.oid, place)
            self._places[sequence.oid] = self._kept[sequence.oid] = place
            self._left.pop(sequence.oid, None)

    def close(self) -> None:
        """Keep where all of them are, so that nothing that was set aside is lost."""
        with self._lock:
            for oid, place in self._places.items():
                if self._kept.get(oid) != place:
                    self._shelf.put_sequence(oid, place)
                    self._kept[oid] = place
            self._left.clear()

    def _place(self, sequence: SequenceGenerator) -> SequencePlace:
        return self._places.get(sequence.oid) or SequencePlace(sequence.start, is_called=False)

    def _set_aside(self, sequence: SequenceGenerator, value: int) -> None:
        """Keep a number ahead of those that are given out until then."""
        count = min(2 * self._aside.get(sequence.oid, _ASIDE_LEAST // 2), _ASIDE_MOST)
        ahead = value + sequence.increment * (count - 1)
        if not sequence.minimum <= ahead <= sequence.maximum:
            count, ahead = 1, value
        place = SequencePlace(ahead, is_called=True)
        self._shelf.put_sequence(sequence.oid, place)
        self._kept[sequence.oid] = place
        self._aside[sequence.oid], self._left[sequence.oid] = count, count
