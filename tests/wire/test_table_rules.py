"""Tables that have rules for rows, written to by COPY, by many at once, and after a restart."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.copying import copy_in
from tests.support.server import Address, Connection


def test_copy_follows_the_rules_of_the_table(connection: Connection) -> None:
    connection.execute(
        "CREATE TABLE t (k int PRIMARY KEY, v text CHECK (v <> 'bad'), n int, "
        "w text GENERATED ALWAYS AS (v || n) STORED) ON CONFLICT DO UPDATE IF NOT NULL"
    )
    connection.execute("INSERT INTO t VALUES (1, 'a', 1)")
    copy_in(connection, "COPY t FROM STDIN", b"1\t\\N\t5\n2\tb\t\\N\n2\t\\N\t6\n")
    rows = connection.execute("SELECT * FROM t ORDER BY k").fetchall()
    assert rows == [(1, "a", 5, "a5"), (2, "b", 6, "b6")]
    with pytest.raises(psycopg.errors.CheckViolation):
        copy_in(connection, "COPY t FROM STDIN", b"3\tbad\t5\n")
    with pytest.raises(psycopg.errors.InvalidColumnReference):
        copy_in(connection, "COPY t (k, w) FROM STDIN", b"3\tx\n")
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(2,)]


def test_of_many_who_insert_a_key_the_first_is_kept(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int) ON CONFLICT DO NOTHING")
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n, sum(k) AS s FROM t")

    def insert(number: int) -> None:
        with database.connect() as session:
            for k in range(40):
                session.execute("INSERT INTO t VALUES (%s, %s)", [k, number])

    for background in [Background(partial(insert, n)) for n in range(4)]:
        background.result(60)
    with database.connect() as connection:
        assert connection.execute("SELECT n, s FROM m").fetchall() == [(40, sum(range(40)))]


def test_rules_outlive_the_server(launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE first (k int PRIMARY KEY, v int) ON CONFLICT IGNORE")
        connection.execute("CREATE TABLE log (v int) APPEND ONLY")
        connection.execute("CREATE TABLE g (a int CHECK (a > 0), b int AS a + 1)")
    server.kill()
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute("INSERT INTO first VALUES (1, 1), (1, 2)")
        assert connection.execute("SELECT * FROM first").fetchall() == [(1, 1)]
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("DELETE FROM log")
        connection.execute("INSERT INTO g VALUES (1)")
        assert connection.execute("SELECT * FROM g").fetchall() == [(1, 2)]
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("INSERT INTO g VALUES (0)")
