"""What an epoch costs, and how fast rows come back."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click
import psycopg
from rich.console import Console
from rich.table import Table

from server.demo.child import running_server

Connection = psycopg.Connection[Any]

VIEWS = {
    "filter": "SELECT id, v FROM fact WHERE v % 2 = 0",
    "group": "SELECT g, count(*) AS n, sum(v) AS s, avg(v) AS a FROM fact GROUP BY g",
    "min/max": "SELECT g, min(v) AS lo, max(v) AS hi FROM fact GROUP BY g",
    "join": "SELECT f.id, f.v, d.name FROM fact f JOIN dim d ON d.g = f.g",
    "join, group": "SELECT d.name, sum(f.v) AS s FROM fact f JOIN dim d ON d.g = f.g "
    "GROUP BY d.name",
    "distinct": "SELECT DISTINCT g FROM fact",
}


@dataclass(frozen=True)
class Measured:
    """One line of the report."""

    what: str
    median_ms: float
    p95_ms: float
    rows_per_second: float


@click.command()
@click.option("--url", help="Measure this server instead of starting one.")
@click.option("--rows", default=200_000, show_default=True, help="Rows that are there already.")
@click.option("--repeat", default=30, show_default=True, help="Epochs for each line.")
def main(url: str | None, rows: int, repeat: int) -> None:
    """Measure a server."""
    with _server(url) as address, psycopg.connect(address, autocommit=True) as connection:
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        for column in ("what", "median ms", "95 % ms", "rows/s"):
            table.add_column(column, justify="left" if column == "what" else "right")
        for measured in _measure(connection, rows, repeat):
            table.add_row(
                measured.what,
                f"{measured.median_ms:,.1f}",
                f"{measured.p95_ms:,.1f}",
                f"{measured.rows_per_second:,.0f}",
            )
        Console().print(table)


@contextmanager
def _server(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with running_server(0) as address:
        yield address


def _measure(connection: Connection, rows: int, repeat: int) -> Iterator[Measured]:
    _prepare(connection)
    keys = _keys()
    for size in (1, 100, 10_000):
        yield _epochs(connection, f"insert {size:,}, no view", size, repeat, keys)
    for already in (0, rows):
        if already:
            _insert(connection, already, keys)
        for name, query in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW v AS {query}".encode())
            for size in (1, 1_000):
                what = f"insert {size:,}, {name}, {already:,} there"
                yield _epochs(connection, what, size, repeat, keys)
            connection.execute("DROP MATERIALIZED VIEW v")
    for count in (10, 50):
        names = [f"many_{i}" for i in range(count)]
        for name in names:
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {VIEWS['group']}".encode())
        yield _epochs(connection, f"insert 1, {count} views", 1, repeat, keys)
        for name in names:
            connection.execute(f"DROP MATERIALIZED VIEW {name}".encode())
    for binary in (False, True):
        yield _reads(connection, rows, binary=binary)


def _prepare(connection: Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS fact CASCADE")
    connection.execute("DROP TABLE IF EXISTS dim CASCADE")
    connection.execute("CREATE TABLE fact (id int PRIMARY KEY, g int, v int)")
    connection.execute("CREATE TABLE dim (g int PRIMARY KEY, name text)")
    connection.execute("INSERT INTO dim SELECT g, 'group ' || g FROM generate_series(0, 999) AS g")


def _keys() -> Callable[[int], int]:
    """Give out ranges of keys that nobody has used; the returned function gives the first of n."""
    state = [1]

    def take(count: int) -> int:
        first, state[0] = state[0], state[0] + count
        return first

    return take


def _insert(connection: Connection, size: int, keys: Callable[[int], int]) -> None:
    first = keys(size)
    connection.execute(
        "INSERT INTO fact SELECT i, i %% 1000, i %% 77 FROM generate_series(%s::int, %s::int) AS i",
        (first, first + size - 1),
    )


def _epochs(
    connection: Connection, what: str, size: int, repeat: int, keys: Callable[[int], int]
) -> Measured:
    _insert(connection, size, keys)
    return _timed(what, size, repeat, lambda: _insert(connection, size, keys))


def _reads(connection: Connection, rows: int, *, binary: bool) -> Measured:
    def read() -> None:
        with connection.cursor(binary=binary) as cursor:
            cursor.execute("SELECT id, g, v FROM fact LIMIT %s", (rows,))

    return _timed(f"read {rows:,} rows, {'binary' if binary else 'text'}", rows, 5, read)


def _timed(what: str, rows: int, repeat: int, call: Callable[[], None]) -> Measured:
    taken = []
    for _ in range(repeat):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1000)
    median = statistics.median(taken)
    return Measured(what, median, sorted(taken)[int(len(taken) * 0.95)], rows * 1000 / median)


if __name__ == "__main__":
    main()
