"""A view that takes long to fill can be given up: by its client, a time limit, the server's end."""

from __future__ import annotations

import time
from typing import Final

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.server import Connection

#: Minutes of work for any machine.
ENDLESS: Final = (
    b"CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t AS a, t AS b, t AS c "
    b"WHERE (a.k::bigint * b.k + c.k) % 7 = 3"
)


def fill(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (k int PRIMARY KEY)")
    connection.execute("INSERT INTO t SELECT * FROM generate_series(1, 5000)")


def assert_nothing_is_left(connection: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute("SELECT * FROM m")
    connection.execute("INSERT INTO t VALUES (0)")
    connection.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t")
    assert connection.execute("SELECT n FROM m").fetchone() == (5001,)


def test_statement_timeout_ends_a_creation_and_leaves_nothing(connection: Connection) -> None:
    fill(connection)
    connection.execute("SET statement_timeout = '500ms'")
    started = time.monotonic()
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute(ENDLESS)
    assert time.monotonic() - started < 10
    connection.execute("SET statement_timeout = 0")
    assert_nothing_is_left(connection)


def test_a_cancel_ends_a_creation_and_leaves_nothing(connection: Connection) -> None:
    fill(connection)
    creation = Background(lambda: connection.execute(ENDLESS))
    creation.assert_waits()
    connection.cancel()
    with pytest.raises(psycopg.errors.QueryCanceled):
        creation.result(10)
    assert_nothing_is_left(connection)


def test_the_server_ends_though_a_view_is_being_filled(launch: Launch) -> None:
    process = launch(None)
    with process.address.connect() as connection:
        fill(connection)
        creation = Background(lambda: connection.execute(ENDLESS))
        creation.assert_waits()
        assert process.stop() == 0
        with pytest.raises(psycopg.OperationalError):
            creation.result(10)
