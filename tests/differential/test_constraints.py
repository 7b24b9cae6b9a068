"""Unique and foreign keys hold as in PostgreSQL: the same refusals, the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.differential.constraints import CONTENTS, History
from tests.support.server import Address, Connection

_STATEMENTS = 60


def told(connection: Connection, sql: str) -> str:
    """What became of a statement: its SQLSTATE, or how many rows it touched."""
    try:
        cursor = connection.execute(sql.encode())
    except psycopg.Error as error:
        return str(error.sqlstate)
    return f"{cursor.rowcount} rows"


def contents(connection: Connection) -> list[object]:
    return [connection.execute(sql.encode()).fetchall() for sql in CONTENTS]


@contextmanager
def histories(address: Address, schema: str) -> Iterator[Connection]:
    """A session in a schema of its own that refuses keys which are there, as PostgreSQL does."""
    with address.connect() as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        connection.execute(f"SET search_path TO {schema}".encode())
        yield connection
        connection.execute("ROLLBACK")
        connection.execute(f"DROP SCHEMA {schema} CASCADE".encode())


def compare(seed: int, postgresql: Address, server: Address) -> None:
    history = History(seed)
    schema = f"constraints_{seed}"
    done: list[str] = []
    with histories(postgresql, schema) as theirs, histories(server, schema) as ours:
        ours.execute("SET insert_conflict = 'error'")
        for sql in history.definitions():
            done.append(sql)
            theirs.execute(sql.encode())
            ours.execute(sql.encode())
        view = "CREATE MATERIALIZED VIEW m AS SELECT c.id, c.p, s.up, p.a FROM p LEFT JOIN c ON"
        ours.execute(f"{view} c.p = p.id LEFT JOIN s ON s.pa = p.a".encode())
        for sql in history.statements(_STATEMENTS):
            done.append(sql)
            expected, found = told(theirs, sql), told(ours, sql)
            script = ";\n".join(done)
            assert found == expected, f"seed {seed}:\n{script};\n-- {expected}, not {found}"
            if theirs.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
                theirs.execute("ROLLBACK")
                ours.execute("ROLLBACK")
                done.append("ROLLBACK")
            rows, own = contents(theirs), contents(ours)
            assert own == rows, f"seed {seed}:\n{script};\n-- {rows}, not {own}"
        ours.execute("CHECK MATERIALIZED VIEW m")


@pytest.mark.parametrize("seed", range(2))
def test_a_history_goes_as_in_postgresql(seed: int, postgresql: Address, server: Address) -> None:
    compare(seed, postgresql, server)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 60))
def test_more_histories_go_as_in_postgresql(
    seed: int, postgresql: Address, server: Address
) -> None:
    compare(seed, postgresql, server)
