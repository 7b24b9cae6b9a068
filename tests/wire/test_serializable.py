"""SERIALIZABLE: blocks that read what others write are as if they had run one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest

from tests.support.server import Address, Connection


def begin(database: Address) -> Connection:
    connection = database.connect()
    connection.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
    assert connection.execute("SHOW transaction_isolation").fetchone() == ("serializable",)
    return connection


def count(connection: Connection, query: str) -> int:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture(autouse=True)
def doctors(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE doctor (name text PRIMARY KEY, is_on_call bool)")
        connection.execute("INSERT INTO doctor VALUES ('a', true), ('b', true), ('c', false)")
        connection.execute("CREATE TABLE other (n int)")
        connection.execute("CREATE VIEW on_call AS SELECT name FROM doctor WHERE is_on_call")
        connection.execute("CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM on_call")


@pytest.mark.parametrize(
    "question",
    ["SELECT count(*) FROM doctor WHERE is_on_call", "SELECT count(*) FROM on_call",
     "SELECT n FROM counted", "WITH o AS (SELECT 1 FROM doctor WHERE is_on_call) SELECT count(*) FROM o"],
)  # fmt: skip
def test_one_of_two_that_read_what_the_other_writes_fails(database: Address, question: str) -> None:
    with begin(database) as one, begin(database) as two:
        for connection, name in ((one, "a"), (two, "b")):
            assert count(connection, question) == 2
            connection.execute("UPDATE doctor SET is_on_call = false WHERE name = %s", (name,))
        one.execute("COMMIT")
        with pytest.raises(psycopg.errors.SerializationFailure) as caught:
            two.execute("COMMIT")
        assert caught.value.diag.message_primary == (
            "could not serialize access due to read/write dependencies among transactions"
        )
        assert caught.value.diag.message_hint == "The transaction might succeed if retried."
        assert count(two, question) == 1


def test_a_snapshot_alone_lets_both_pass(database: Address) -> None:
    with database.connect() as one, database.connect() as two:
        for connection, name in ((one, "a"), (two, "b")):
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            assert count(connection, "SELECT count(*) FROM on_call") == 2
            connection.execute("UPDATE doctor SET is_on_call = false WHERE name = %s", (name,))
        one.execute("COMMIT")
        two.execute("COMMIT")
        assert count(one, "SELECT count(*) FROM on_call") == 0


def test_who_reads_other_things_or_writes_nothing_passes(database: Address) -> None:
    with begin(database) as one, begin(database) as two, begin(database) as reader:
        assert count(reader, "SELECT count(*) FROM doctor") == 3
        assert count(one, "SELECT count(*) FROM doctor") == 3
        assert count(two, "SELECT count(*) FROM other") == 0
        one.execute("INSERT INTO doctor VALUES ('d', true)")
        two.execute("INSERT INTO other VALUES (1)")
        for connection in (one, two, reader):
            connection.execute("COMMIT")
        assert count(one, "SELECT count(*) FROM doctor") == 4


def test_the_default_holds_for_blocks_and_for_statements(database: Address) -> None:
    with database.connect() as one, database.connect() as two:
        for connection in (one, two):
            connection.execute(
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE"
            )
            connection.execute("BEGIN")
            connection.execute("INSERT INTO other SELECT count(*) FROM other")
        one.execute("COMMIT")
        with pytest.raises(psycopg.errors.SerializationFailure):
            two.execute("COMMIT")
        two.execute("INSERT INTO other SELECT count(*) FROM other")
        assert one.execute("SELECT n FROM other ORDER BY n").fetchall() == [(0,), (1,)]


def test_rows_are_numbered_without_gaps_by_many_at_once(database: Address) -> None:
    """Each takes the next number; only one after the other can they all get another."""
    statement = "INSERT INTO other SELECT coalesce(max(n), 0) + 1 FROM other"

    def alone() -> None:
        with database.connect() as connection:
            connection.execute("SET default_transaction_isolation = 'serializable'")
            for _ in range(10):
                connection.execute(statement)

    def in_blocks() -> None:
        with database.connect() as connection:
            done = 0
            while done < 10:
                connection.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
                try:
                    connection.execute(statement)
                    connection.execute("COMMIT")
                    done += 1
                except psycopg.errors.SerializationFailure:
                    connection.execute("ROLLBACK")

    work: list[Callable[[], None]] = [alone, in_blocks, alone]
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.connect() as connection:
        rows = connection.execute("SELECT n FROM other ORDER BY n").fetchall()
    assert rows == [(n,) for n in range(1, 31)]
