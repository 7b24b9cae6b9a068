"""The live month: inserted hour by hour while another session looks at the views."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg

from barrier.clock import Clock
from server.demo.data import Dataset, Row, arrays
from server.demo.views import VIEWS

_LOOK_EVERY_MS: Final = 400
#: A slow machine takes several hours in one insert, so that nobody waits much longer than this.
_BUDGET_MS: Final = 45_000

Connection = psycopg.Connection[Any]


@dataclass
class Freshness:
    """Milliseconds from sending a batch until another session has read it in a view."""

    samples_ms: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        """Half of the batches were quicker."""
        return statistics.median(self.samples_ms)

    @property
    def p95_ms(self) -> float:
        """Nineteen of twenty batches were quicker."""
        return sorted(self.samples_ms)[int(len(self.samples_ms) * 0.95)]

    @property
    def worst_ms(self) -> float:
        """No batch was slower."""
        return max(self.samples_ms)


@dataclass
class Progress:
    """Where the stream stands."""

    total: int
    sent: int = 0
    elapsed_ms: int = 0
    day: int = 0
    headlines: dict[str, str] = field(default_factory=dict)
    moves: dict[str, int] = field(default_factory=dict)  #: How often a headline has changed.
    freshness: Freshness = field(default_factory=Freshness)

    @property
    def rows_per_second(self) -> float:
        """The stream's speed so far."""
        return self.sent * 1000 / max(self.elapsed_ms, 1)


class NotFreshError(Exception):
    """A view did not show what had been acknowledged."""


def stream(
    writer: Connection,
    reader: Connection,
    flights: Dataset,
    hours: tuple[tuple[Row, ...], ...],
    *,
    clock: Clock,
    show: Callable[[Progress], None],
) -> Progress:
    """Insert the hours one by one.

    Args:
        writer: Inserts.
        reader: Reads the views; another session than the writer's.
        flights: The table.
        hours: Its rows, in batches.
        clock: For the measurements.
        show: Is called after every batch.

    Raises:
        NotFreshError: A view misses rows of an INSERT that has returned.
    """
    day = [column.name for column in flights.columns].index("day")
    progress = Progress(sum(len(rows) for rows in hours))
    before = _flights_in_pulse(reader)
    began = looked = clock.monotonic_ms()
    look(reader, progress)
    pending = list(hours)
    while pending:
        count = _hours_at_once(len(pending), progress)
        rows = tuple(row for batch in pending[:count] for row in batch)
        del pending[:count]
        sent = clock.monotonic_ms()
        writer.execute(flights.insert.encode(), arrays(rows))
        progress.sent += len(rows)
        shown = _flights_in_pulse(reader)
        now = clock.monotonic_ms()
        if shown != before + progress.sent:
            raise NotFreshError(f"pulse shows {shown} of {before + progress.sent} flights")
        progress.freshness.samples_ms.append(now - sent)
        progress.elapsed_ms = now - began
        progress.day = rows[-1][day]
        if now - looked >= _LOOK_EVERY_MS:
            look(reader, progress)
            looked = now
        show(progress)
    look(reader, progress)
    show(progress)
    return progress


def look(reader: Connection, progress: Progress) -> None:
    """Read every view's headline and note which have changed."""
    for view in VIEWS:
        row = reader.execute(view.headline.encode()).fetchone()
        headline = view.tell(*row) if row is not None else "nothing yet"
        if progress.headlines.get(view.name) != headline:
            if view.name in progress.headlines:
                progress.moves[view.name] = progress.moves.get(view.name, 0) + 1
            progress.headlines[view.name] = headline


def _hours_at_once(pending: int, progress: Progress) -> int:
    """Return how many hours the next insert takes, so that all end about when they should."""
    inserts = len(progress.freshness.samples_ms)
    if not inserts:
        return 1
    left_ms = max(_BUDGET_MS - progress.elapsed_ms, 1)
    return min(max(1, round(pending * progress.elapsed_ms / inserts / left_ms)), pending)


def _flights_in_pulse(reader: Connection) -> int:
    row = reader.execute("SELECT flights FROM pulse").fetchone()
    assert row is not None
    return int(row[0])
