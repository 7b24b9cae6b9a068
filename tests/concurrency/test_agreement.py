"""Many writers at once: two views over one table agree in every snapshot, and nothing is lost."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Final

import psycopg

from tests.support.background import Background
from tests.support.server import Address, Connection

WRITERS: Final = 32
READERS: Final = 4
SECONDS: Final = 8
DEADLINE_SECONDS: Final = 60

DISAGREEMENT: Final = """
SELECT (SELECT coalesce(sum(n), 0) FROM per_owner), (SELECT n FROM total), (SELECT count(*) FROM account),
       (SELECT coalesce(sum(cents), 0) FROM per_owner), (SELECT cents FROM total)
"""


def prepare(connection: Connection) -> None:
    connection.execute("CREATE TABLE account (id int PRIMARY KEY, owner int, cents bigint)")
    connection.execute(
        "CREATE MATERIALIZED VIEW per_owner AS SELECT owner, count(*) AS n, sum(cents) AS cents FROM account GROUP BY owner"
    )
    connection.execute(
        "CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, coalesce(sum(cents), 0) AS cents FROM account"
    )


def repeat(address: Address, stop: threading.Event, once: Callable[[Connection, int], None]) -> int:
    done = 0
    with address.connect() as connection:
        while not stop.is_set():
            once(connection, done)
            done += 1
    return done


def agree(connection: Connection, _: int) -> None:
    row = connection.execute(DISAGREEMENT).fetchone()
    assert row is not None
    grouped, counted, stored, cents_grouped, cents = row
    assert grouped == counted == stored, row
    assert cents_grouped == cents, row


def test_two_views_over_one_table_always_agree(connection: Connection, database: Address) -> None:
    prepare(connection)
    stop = threading.Event()

    def writer(number: int) -> Callable[[Connection, int], None]:
        chance = random.Random(number)

        def once(session: Connection, at: int) -> None:
            key = number * 100_000 + at
            session.execute("INSERT INTO account VALUES (%s, %s, %s)", (key, key % 7, at))
            if chance.random() < 0.2:
                session.execute(
                    "UPDATE account SET cents = cents + 1, owner = owner + 1 WHERE id = %s", (key,)
                )
            if chance.random() < 0.1:
                session.execute("DELETE FROM account WHERE id = %s", (key,))
                session.execute("INSERT INTO account VALUES (%s, 0, 0)", (key,))

        return once

    def start(once: Callable[[Connection, int], None]) -> Background[int]:
        return Background(lambda: repeat(database, stop, once))

    writers = [start(writer(number)) for number in range(WRITERS)]
    readers = [start(agree) for _ in range(READERS)]
    time.sleep(SECONDS)
    stop.set()
    written = sum(w.result(DEADLINE_SECONDS) for w in writers)
    assert all(r.result(DEADLINE_SECONDS) > 0 for r in readers)
    assert connection.execute("SELECT n FROM total").fetchone() == (written,)


def test_a_transfer_is_never_seen_half_done(connection: Connection, database: Address) -> None:
    """Money moves between accounts in transactions; conflicts are retried; the sum never changes."""
    prepare(connection)
    connection.execute("INSERT INTO account SELECT g, g % 3, 100 FROM generate_series(1, 8) AS g")
    stop = threading.Event()

    def transfer(number: int) -> Callable[[Connection, int], None]:
        chance = random.Random(number)

        def once(session: Connection, _: int) -> None:
            source, target = chance.sample(range(1, 9), 2)
            try:
                with session.transaction():
                    session.execute("UPDATE account SET cents = cents - 5 WHERE id = %s", (source,))
                    session.execute("UPDATE account SET cents = cents + 5 WHERE id = %s", (target,))
            except psycopg.errors.SerializationFailure:
                return

        return once

    def nothing_is_missing(session: Connection, _: int) -> None:
        assert session.execute("SELECT n, cents FROM total").fetchone() == (8, 800)
        assert session.execute("SELECT sum(cents) FROM account").fetchone() == (800,)

    def start(once: Callable[[Connection, int], None]) -> Background[int]:
        return Background(lambda: repeat(database, stop, once))

    writers = [start(transfer(number)) for number in range(8)]
    readers = [start(nothing_is_missing) for _ in range(READERS)]
    time.sleep(4)
    stop.set()
    for background in (*writers, *readers):
        assert background.result(DEADLINE_SECONDS) > 0
    nothing_is_missing(connection, 0)


def test_concurrent_updates_of_one_row_are_all_counted(
    connection: Connection, database: Address
) -> None:
    """An autocommit UPDATE that loses the race is evaluated again, never refused."""
    prepare(connection)
    connection.execute("INSERT INTO account VALUES (1, 0, 0)")

    def add() -> int:
        with database.connect() as session:
            for _ in range(20):
                session.execute("UPDATE account SET cents = cents + 1 WHERE id = 1")
        return 20

    added = sum(b.result(DEADLINE_SECONDS) for b in [Background(add) for _ in range(8)])
    assert connection.execute("SELECT cents FROM total").fetchone() == (added,)
