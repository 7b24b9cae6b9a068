"""What the creation of views costs those who insert meanwhile."""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from tests.support.server import Connection, running_server

VIEWS: Final = {
    "filter": "SELECT k, v + 1 AS w FROM big WHERE v > 10",
    "group": "SELECT g, count(*) AS n, sum(v) AS s FROM big GROUP BY g",
    "join": "SELECT b.k, d.name, b.v FROM big AS b JOIN dim AS d ON b.g = d.g",
    "many groups": "SELECT k / 2 AS h, sum(v) AS s FROM big GROUP BY k / 2",
    "first rows": "SELECT * FROM (SELECT k, g, v, row_number() OVER (PARTITION BY g "
    "ORDER BY v DESC, k) AS r FROM big) AS x WHERE r <= 3",
}

_CHUNK: Final = 1_000_000


class Inserter:
    """A client that inserts a row, rests ten milliseconds, and inserts the next."""

    def __init__(self, connection: Connection, first: int) -> None:
        self._connection = connection
        self._next = first
        self._is_stopping = False
        self._taken: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._insert)

    @contextmanager
    def working(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._is_stopping = True
            self._thread.join()

    def between(self, began: float, ended: float) -> list[float]:
        """How many milliseconds the inserts of a time took."""
        return [taken * 1000 for at, taken in self._taken if began <= at < ended]

    def _insert(self) -> None:
        while not self._is_stopping:
            began = time.perf_counter()
            row = f"({self._next}, {self._next % 1000}, {self._next % 77})"
            self._connection.execute(f"INSERT INTO big VALUES {row}".encode())
            self._taken.append((began, time.perf_counter() - began))
            self._next += 1
            time.sleep(0.01)


@click.command()
@click.option("--rows", default=5_000_000, show_default=True, help="Rows that are there already.")
@click.option("--idle", default=6.0, show_default=True, help="Seconds between two creations.")
def main(rows: int, idle: float) -> None:
    """Create views one after the other while a client inserts."""
    with (
        tempfile.TemporaryDirectory() as directory,
        running_server(Path(directory)) as server,
        server.address.connect() as connection,
        server.address.connect() as other,
    ):
        _prepare(connection, rows)
        inserter = Inserter(other, rows)
        with inserter.working():
            _measure(connection, inserter, idle)


def _prepare(connection: Connection, rows: int) -> None:
    connection.execute("CREATE TABLE big (k int PRIMARY KEY, g int, v int)")
    connection.execute("CREATE TABLE dim (g int PRIMARY KEY, name text)")
    connection.execute("INSERT INTO dim SELECT i, 'n' || i FROM generate_series(0, 999) AS i")
    for first in range(0, rows, _CHUNK):
        last = min(first + _CHUNK, rows) - 1
        source = f"generate_series({first}, {last}) AS i"
        connection.execute(f"INSERT INTO big SELECT i, i % 1000, i % 77 FROM {source}".encode())


def _measure(connection: Connection, inserter: Inserter, idle: float) -> None:
    usual: list[float] = []
    lines: list[tuple[str, float, list[float], list[float]]] = []
    for name, query in VIEWS.items():
        began = time.perf_counter()
        time.sleep(idle)
        before = inserter.between(began, time.perf_counter())
        usual += before
        began = time.perf_counter()
        connection.execute(f"CREATE MATERIALIZED VIEW m AS {query}".encode())
        ended = time.perf_counter()
        lines.append((name, ended - began, before, inserter.between(began, ended)))
        connection.execute("DROP MATERIALIZED VIEW m")
    heads = ("view", "creation", "inserts", *(f"{p} before, during" for p in ("p50", "p95", "p99")))
    print(f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", sep="\n")
    for name, seconds, before, during in lines:
        print(f"| {name} | {seconds:.1f} s | {len(during)} | {_told(before, during)} |")
    everything = [taken for *_, during in lines for taken in during]
    print(f"| all | | {len(everything)} | {_told(usual, everything)} |")


def _told(before: list[float], during: list[float]) -> str:
    return " | ".join(
        f"{usual:.1f}, {taken:.1f} ms ({taken / usual:.1f}x)"
        for usual, taken in zip(_quantiles(before), _quantiles(during), strict=True)
    )


def _quantiles(taken: list[float]) -> tuple[float, float, float]:
    cuts = statistics.quantiles(taken, n=100, method="inclusive")
    return cuts[49], cuts[94], cuts[98]


if __name__ == "__main__":
    main()
