"""Altered tables after kill -9, and writes that were acknowledged before a table was altered."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.server import Connection

VIEWS = {
    "narrow": "SELECT k, n FROM t",
    "grouped": "SELECT g, count(*) AS c, sum(n) AS s, max(n) AS m FROM t GROUP BY g",
    "joined": "SELECT a.k, b.n FROM t a JOIN t b ON a.k = b.n",
    "outer_joined": "SELECT a.k, b.g FROM t a LEFT JOIN t b ON a.n = b.k",
    "ranked": "SELECT k, row_number() OVER (PARTITION BY g ORDER BY n) AS r FROM t",
    "distinct_g": "SELECT DISTINCT g FROM t",
    "above": "SELECT sum(s) AS s FROM grouped",
    "recomputed": "WITH RECURSIVE r AS (SELECT k FROM t UNION SELECT k + 100 FROM r WHERE k < 200) SELECT count(*) AS c FROM r",
}


def assert_equal_to_queries(connection: Connection) -> None:
    for name, query in VIEWS.items():
        stored = connection.execute(f"SELECT * FROM {name}".encode()).fetchall()
        asked = connection.execute(query.encode()).fetchall()
        assert sorted(map(repr, stored)) == sorted(map(repr, asked)), name


@pytest.mark.parametrize("key", ["k int PRIMARY KEY", "k int"])
def test_views_stay_equal_to_their_queries_through_alterations_and_kills(
    key: str, launch: Launch, tmp_path: Path
) -> None:
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        connection.execute(f"CREATE TABLE t ({key}, x text, n int, g int DEFAULT 1)".encode())
        connection.execute(
            "INSERT INTO t SELECT i, 'x', i % 7, i % 3 FROM generate_series(1, 50) i"
        )
        connection.execute("CREATE INDEX by_n ON t (n); CREATE INDEX by_x ON t (x, g)")
        connection.execute("COMMENT ON TABLE t IS 'kept'; COMMENT ON SCHEMA public IS 'too'")
        for name, query in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    for number, alteration in enumerate(
        [
            "ADD COLUMN d int",
            "ADD COLUMN e int DEFAULT 7, DROP COLUMN x",
            "DROP COLUMN d, ALTER e TYPE text, ADD COLUMN x timestamptz DEFAULT now()",
            "RENAME COLUMN e TO f",
        ]
    ):
        with server.address.connect() as connection:
            connection.execute(f"ALTER TABLE t {alteration}".encode())
            assert_equal_to_queries(connection)
            connection.execute(f"INSERT INTO t (k, n) VALUES ({1000 + number}, {number})".encode())
            connection.execute("UPDATE t SET n = n + 1 WHERE k % 5 = 0")
            connection.execute(f"DELETE FROM t WHERE k = {number + 1}".encode())
            assert_equal_to_queries(connection)
        server.kill()
        server = launch(tmp_path / "data")
        with server.address.connect() as connection:
            assert_equal_to_queries(connection)
            connection.execute("UPDATE t SET g = g + 1 WHERE k % 4 = 0")
            assert_equal_to_queries(connection)
    with server.address.connect() as connection:
        indexes = connection.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'by_n'")
        assert indexes.fetchall() == [("CREATE INDEX by_n ON public.t USING btree (n)",)]
        told = connection.execute("SELECT description FROM pg_description ORDER BY 1").fetchall()
        assert told == [("kept",), ("too",)]
        rows = connection.execute("SELECT k FROM t WHERE n = 3 ORDER BY k").fetchall()
        assert rows == connection.execute("SELECT k FROM t WHERE n + 0 = 3 ORDER BY k").fetchall()
        described = connection.execute("SHOW CREATE TABLE t").fetchone()
        assert described is not None
        connection.execute("CREATE SCHEMA copy; SET search_path = copy")
        connection.execute(described[1].replace("CREATE TABLE t", "CREATE TABLE copy.t").encode())
        columns = "SELECT column_name, data_type, column_default FROM information_schema.columns WHERE table_name = 't' AND table_schema = %s ORDER BY ordinal_position"
        assert (
            connection.execute(columns, ["copy"]).fetchall()
            == connection.execute(columns, ["public"]).fetchall()
        )


def test_rows_that_were_acknowledged_before_an_alteration_fit_the_altered_table(
    launch: Launch, tmp_path: Path
) -> None:
    server = launch(tmp_path / "data")
    with server.address.connect() as one, server.address.connect() as other:
        one.execute("CREATE TABLE t (a int, b int, c int)")
        one.execute("CREATE MATERIALIZED VIEW v AS SELECT count(a) AS n FROM t")
        one.execute("SET implicit_flush = off")
        for i in range(50):
            one.execute(f"INSERT INTO t VALUES ({i}, {i}, {i})".encode())
        other.execute("ALTER TABLE t DROP COLUMN b, ADD COLUMN d int DEFAULT 9, ALTER c TYPE text")
        one.execute("FLUSH")
        rows = one.execute("SELECT a, c, d FROM t ORDER BY a").fetchall()
        assert rows == [(i, str(i), 9) for i in range(50)]
        assert one.execute("SELECT n FROM v").fetchall() == [(50,)]


def test_a_block_that_wrote_to_a_table_which_another_alters_cannot_commit(
    launch: Launch, tmp_path: Path
) -> None:
    server = launch(None)
    with server.address.connect() as one, server.address.connect() as other:
        one.execute("CREATE TABLE t (a int)")
        one.execute("BEGIN")
        one.execute("INSERT INTO t VALUES (1)")
        other.execute("ALTER TABLE t ADD COLUMN b int NOT NULL DEFAULT 2")
        with pytest.raises(psycopg.errors.SerializationFailure):
            one.execute("COMMIT")
        assert other.execute("SELECT count(*) FROM t").fetchall() == [(0,)]


def test_columns_of_a_table_under_a_batch_refresh_view_stay(launch: Launch) -> None:
    server = launch(None)
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute(
            "CREATE MATERIALIZED VIEW b WITH (refresh.interval.sec = 1000) AS SELECT a FROM t"
        )
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="replacing a table"):
            connection.execute("ALTER TABLE t ADD COLUMN b int")
        connection.execute("ALTER TABLE t RENAME COLUMN a TO c")
        connection.execute("INSERT INTO t (c) VALUES (1)")
        assert connection.execute("SELECT c FROM t").fetchall() == [(1,)]


def test_columns_of_a_table_wait_for_a_view_that_is_paused(launch: Launch) -> None:
    server = launch(None)
    with server.address.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
        connection.execute("ALTER MATERIALIZED VIEW v PAUSE")
        connection.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="behind"):
            connection.execute("ALTER TABLE t ADD COLUMN b int")
        connection.execute("ALTER TABLE t RENAME TO u")


def test_what_creates_a_relation_follows_its_name(launch: Launch) -> None:
    server = launch(None)
    with server.address.connect() as connection:
        connection.execute("CREATE SCHEMA s; CREATE TABLE t (a int)")
        connection.execute('create materialized view "Old v" as select a from t')
        connection.execute('ALTER MATERIALIZED VIEW "Old v" RENAME TO v')
        connection.execute("ALTER MATERIALIZED VIEW v SET SCHEMA s")
        connection.execute("ALTER TABLE t RENAME TO u")
        shown = connection.execute("SHOW CREATE MATERIALIZED VIEW s.v").fetchone()
        assert shown == ("s.v", "CREATE MATERIALIZED VIEW s.v AS SELECT a FROM t")
        shown = connection.execute("SHOW CREATE TABLE u").fetchone()
        assert shown == ("public.u", "CREATE TABLE u (a INT)")
