"""What it takes to make rows into messages, without a client: the processor's time for them.

Everything takes turns, so that what else the machine does falls on all alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import click
from rich.console import Console
from rich.table import Table

from barrier.duckdb_store import DuckdbStore
from barrier.prelude import Prelude
from barrier.store import Reader
from catalog import types as t
from catalog.types import PgType
from server.wire.blank_messages import BlankMessages
from server.wire.copy_format import CopyFormat
from server.wire.copy_rows import copy_messages
from server.wire.rows import EncodedRows, datarow_messages, value_query

FEW = (1, 10, 100, 200, 300, 500, 1000)


@dataclass(frozen=True)
class Column:
    """One column of the rows."""

    name: str
    type: PgType
    value: str  #: The expression for it, over ``i``.


COLUMNS = (
    Column("id", t.INT8, "i"),
    Column("k", t.INT4, "i * 7919 % 1000"),
    Column("v", t.FLOAT8, "(i * 2654435761 % 1073741824) / 1024"),
    Column("s", t.VARCHAR, "left(md5(i::VARCHAR), 8 + i % 16)"),
    Column("ts", t.TIMESTAMP, "TIMESTAMP '2015-07-15' + to_microseconds(i * 1000003)"),
)


@click.command()
@click.option("--rows", default=1_000_000, show_default=True, help="Rows of a large result.")
@click.option("--repeat", default=7, show_default=True, help="Turns; the best counts.")
def main(rows: int, repeat: int) -> None:
    """Measure the encoding of rows."""
    store = DuckdbStore(None, Prelude((), ()))
    reader = store.reader()
    values = ", ".join(
        f"({c.value})::{c.type.duckdb} AS c{n}" for n, c in enumerate(COLUMNS, start=1)
    )
    reader.run(f"CREATE TABLE many AS SELECT {values} FROM range({rows}) AS r(i)")
    console = Console()
    console.print(_table("many rows", _taken(dict(_many(reader)), repeat), rows))
    for code in (0, 1):
        for count in FEW:
            taken = _taken(dict(_few(reader, code, count)), 3 * repeat)
            what = f"{count:,} rows, {'binary' if code else 'text'}"
            console.print(what.ljust(22), *(f"{k} {v * 1000:8.2f} ms  " for k, v in taken.items()))
    reader.close()
    store.close()


def _many(reader: Reader) -> Iterator[tuple[str, Callable[[], None]]]:
    """Give what is measured by its name: the engine's part, and all of it."""
    queries = {
        "text": datarow_messages("many", COLUMNS, [0] * len(COLUMNS)),
        "binary": datarow_messages("many", COLUMNS, [1] * len(COLUMNS)),
        "COPY": copy_messages("many", COLUMNS, CopyFormat()),
    }
    for name, query in queries.items():
        yield f"{name}, with blanks", partial(_drain, reader, query, is_filled=False)
        yield f"{name}, filled in", partial(_drain, reader, query, is_filled=True)


def _few(reader: Reader, code: int, count: int) -> Iterator[tuple[str, Callable[[], None]]]:
    source, codes = f"(SELECT * FROM many LIMIT {count})", [code] * len(COLUMNS)

    def by_python() -> None:
        rows = reader.rows(value_query(source, COLUMNS))
        EncodedRows(COLUMNS, codes, rows, zone=None).data(0, count)

    def by_engine() -> None:
        _drain(reader, datarow_messages(source, COLUMNS, codes), is_filled=True)

    yield "Python", by_python
    yield "engine", by_engine


def _drain(reader: Reader, query: BlankMessages, *, is_filled: bool) -> None:
    for batch in reader.stream(query.sql):
        if is_filled:
            query.fill(batch).data(0, batch.rows)


def _taken(calls: dict[str, Callable[[], None]], repeat: int) -> dict[str, float]:
    """Return the least time of the process that each call takes, in seconds."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            began = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - began)
    return best


def _table(title: str, taken: dict[str, float], rows: int) -> Table:
    table = Table(title=title, box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("what")
    table.add_column("ms for a million", justify="right")
    for name, seconds in taken.items():
        table.add_row(name, f"{seconds * 1000 * 1_000_000 / rows:,.0f}")
    return table


if __name__ == "__main__":
    main()
