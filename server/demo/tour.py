"""The script of the tour, from an empty server to the proof."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final
from urllib.parse import urlsplit

import psycopg

from barrier.clock import Clock, SystemClock
from server.demo.check import Verdict, check
from server.demo.child import ServerDidNotStartError, running_server
from server.demo.data import Dataset, Row, arrays, batches, load, split_live
from server.demo.pause import Window, pause_and_resume
from server.demo.screen import Screen
from server.demo.stream import NotFreshError, Progress, stream
from server.demo.views import VIEWS

_BATCH_ROWS: Final = 20_000

Connection = psycopg.Connection[Any]


@dataclass
class Loaded:
    """What was there before the stream began."""

    rows: int
    load_ms: int
    views_ms: int


def run(*, port: int, stays: bool) -> int:
    """Give the tour and return the exit status: 0 only if every check held.

    Args:
        port: Where the server is to listen; 0 picks a free one.
        stays: Leave the server up at the end, until Ctrl-C.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows only ASCII is no reason
    signal.signal(signal.SIGTERM, _interrupt)
    screen = Screen()
    try:
        with running_server(port) as url:
            holds = _Tour(url, screen, SystemClock()).give()
            if stays:
                _stay(url, screen)
            return 0 if holds else 1
    except ServerDidNotStartError as e:
        screen.failed(f"The server did not start: {e}")
    except NotFreshError as e:
        screen.failed(f"A view was not fresh: {e}")
    except psycopg.Error as e:
        screen.failed(f"The server refused: {e}")
    except KeyboardInterrupt:
        screen.note("\nInterrupted.")
        return 0 if stays else 130
    return 1


class _Tour:
    """The acts in order."""

    def __init__(self, url: str, screen: Screen, clock: Clock) -> None:
        self._url = url
        self._screen = screen
        self._clock = clock

    def give(self) -> bool:
        """Play all acts and tell whether everything held."""
        self._screen.act("Tidegate: live views over the flights that left New York in 2013")
        self._screen.say(f"A server is up, in memory: [bold]{self._url}[/]")
        *others, flights = load()
        loaded_flights, live = split_live(flights)
        with self._connect() as writer, self._connect() as reader:
            loaded = self._prepare(writer, (*others, flights), loaded_flights)
            progress = self._stream(writer, reader, flights, live)
        window = self._pause()
        verdicts = self._check()
        self._summarize(loaded, progress, window, verdicts)
        return window.holds and all(verdict.holds for verdict in verdicts)

    def _prepare(
        self, writer: Connection, tables: tuple[Dataset, ...], loaded_flights: tuple[Row, ...]
    ) -> Loaded:
        self._screen.act("1  Load January to November, then create the views")
        began = self._clock.monotonic_ms()
        plan = [(t, loaded_flights if t.name == "flights" else t.rows) for t in tables]
        total = sum(len(rows) for _, rows in plan)
        with self._screen.bar(total) as advance:
            for table, rows in plan:
                writer.execute(table.create.encode())
                for batch in batches(rows, _BATCH_ROWS):
                    writer.execute(table.insert.encode(), arrays(batch))
                    advance(table.name, len(batch))
        load_ms = self._clock.monotonic_ms() - began
        self._screen.say(f"{total:,} rows in {len(plan)} tables, {_per_second(total, load_ms)}")
        views_began = self._clock.monotonic_ms()
        for view in VIEWS:
            view_began = self._clock.monotonic_ms()
            writer.execute(view.create.encode())
            taken = self._clock.monotonic_ms() - view_began
            self._screen.answered(f"CREATE MATERIALIZED VIEW {view.name:<17} {taken:5,} ms")
        return Loaded(total, load_ms, self._clock.monotonic_ms() - views_began)

    def _stream(
        self,
        writer: Connection,
        reader: Connection,
        flights: Dataset,
        live: tuple[tuple[Row, ...], ...],
    ) -> Progress:
        self._screen.act("2  Stream December, hour by hour, and watch the views move")
        with self._screen.live() as show:
            progress = stream(writer, reader, flights, live, clock=self._clock, show=show)
        self._screen.views(progress)
        fresh = progress.freshness
        self._screen.say(
            f"{progress.sent:,} flights in {len(fresh.samples_ms)} inserts. From sending one until "
            f"another session read it in a view: median [bold]{fresh.median_ms:.0f} ms[/], "
            f"95 % within {fresh.p95_ms:.0f} ms."
        )
        return progress

    def _pause(self) -> Window:
        self._screen.act("3  Stop the tide: PAUSE and RESUME")
        return pause_and_resume(self._connect, self._screen, self._clock)

    def _check(self) -> list[Verdict]:
        self._screen.act("4  Every view against its query, run from scratch")
        with self._connect() as connection:
            verdicts = [check(connection, view) for view in VIEWS]
        self._screen.verdicts(verdicts)
        return verdicts

    def _summarize(
        self, loaded: Loaded, progress: Progress, window: Window, verdicts: list[Verdict]
    ) -> None:
        fresh = progress.freshness
        right = sum(verdict.holds for verdict in verdicts)
        self._screen.act("Summary")
        self._screen.summary(
            {
                "loaded": f"{loaded.rows:,} rows, {_per_second(loaded.rows, loaded.load_ms)}",
                "views": f"{len(VIEWS)} created over them in {loaded.views_ms / 1000:.1f} s",
                "streamed": f"{progress.sent:,} rows, {progress.rows_per_second:,.0f} a second, "
                f"all {len(VIEWS)} views kept",
                "freshness": f"median {fresh.median_ms:.0f} ms, 95 % {fresh.p95_ms:.0f} ms, "
                f"worst {fresh.worst_ms:.0f} ms",
                "pause": f"both errors {'right' if window.refusals_right == 2 else 'WRONG'}, "
                f"an insert waited {window.waited_ms / 1000:.1f} s and "
                f"{'came through once' if window.came_through else 'WENT WRONG'}",
                "checks": f"{right} of {len(verdicts)} views equal their queries",
            }
        )

    def _connect(self) -> Connection:
        return psycopg.connect(self._url, autocommit=True)


def _stay(url: str, screen: Screen) -> None:
    parts = urlsplit(url)
    screen.act("Join in")
    screen.say(
        f"  [bold]psql -h {parts.hostname} -p {parts.port} -U {parts.username} "
        f"{parts.path.lstrip('/')}[/]\n"
        "  SELECT * FROM worst_routes ORDER BY mean DESC LIMIT 5;\n"
        "  DELETE FROM flights WHERE carrier = 'UA';   -- and look again"
    )
    screen.note("The server stays up until Ctrl-C.")
    try:
        signal.pause()
    except KeyboardInterrupt:
        screen.note("\nStopped.")


def _per_second(rows: int, elapsed_ms: int) -> str:
    return f"{rows * 1000 / max(elapsed_ms, 1):,.0f} rows a second"


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
