"""What there is from the start."""

from __future__ import annotations

from typing import Final

from bench.soak import flows, other
from tests.support.server import Address, Connection

BACKFILLED_ROWS: Final = 200_000

#: Views that are there all the time.
STANDING: Final = {
    "per_writer": "SELECT writer, count(*) AS n, sum(amount) AS s, max(number) AS last "
    "FROM entry GROUP BY writer",
    "total": "SELECT sum(n) AS n, sum(s) AS s FROM per_writer",
    "named": "SELECT e.writer, e.number, w.name FROM entry AS e "
    "LEFT JOIN writer AS w ON w.id = e.writer WHERE e.amount > 90",
    "amounts": "SELECT DISTINCT amount FROM entry",
    "queued_total": "SELECT count(*) AS n FROM queued",
}

#: Views that come and go; ``big`` is filled by a job of its own.
PASSING: Final = (
    "SELECT amount, count(*) AS n FROM entry GROUP BY amount",
    "SELECT v, count(*) AS n, sum(k) AS s FROM big GROUP BY v",
    "SELECT b.k, w.name FROM big AS b JOIN writer AS w ON w.id = b.v % 4",
    "SELECT v, max(k) AS top FROM big WHERE k % 3 = 0 GROUP BY v",
)


def prepare(address: Address) -> None:
    with address.connect() as connection:
        _prepare_entries(connection)
        for statement in (*flows.PREPARATION, f"CREATE DATABASE {other.OTHER}"):
            connection.execute(statement.encode())
    with address.of_database(other.OTHER).connect() as connection:
        for statement in other.PREPARATION:
            connection.execute(statement.encode())


def _prepare_entries(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE entry (writer int, number int, amount int, PRIMARY KEY (writer, number))"
    )
    connection.execute("CREATE TABLE writer (id int PRIMARY KEY, name text)")
    connection.execute("CREATE TABLE queued (a bigint)")
    connection.execute("CREATE TABLE big (k int PRIMARY KEY, v int)")
    connection.execute("INSERT INTO writer VALUES (0, 'a'), (1, 'b'), (2, 'c')")
    series = f"generate_series(1, {BACKFILLED_ROWS}) AS i"
    connection.execute(f"INSERT INTO big SELECT i, i % 100 FROM {series}".encode())
    for name, query in STANDING.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    connection.execute(
        "CREATE MATERIALIZED VIEW refreshed WITH (refresh.interval.sec = 1) AS "
        "SELECT writer, count(*) AS n FROM entry GROUP BY writer"
    )
