"""Fact 22 of forty: other databases are read by queries, and followed by materialized views."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest
from psycopg import errors

from tests.facts.session import Session, soon
from tests.support.background import Background
from tests.support.seeds import seeds
from tests.support.server import Address

KEPT = "WITH (retention = '1D')"


@pytest.fixture
def up(server: Address, database: Address) -> Iterator[Session]:
    """A session of another database, which is called up."""
    with closing(Session(server)) as dev:
        dev.run("CREATE DATABASE up")
        with closing(Session(server.of_database("up"))) as session:
            yield session
        # What follows it must go first.
        dev.run(
            f"DROP DATABASE IF EXISTS {database.database} WITH (FORCE)",
            "DROP DATABASE up WITH (FORCE)",
        )
        dev.run(f"CREATE DATABASE {database.database}")


def test_fact_22_queries_read_what_is_in_other_databases(up: Session, one: Session) -> None:
    up.run(
        "CREATE SCHEMA s",
        "CREATE TABLE s.t (k int, i interval, a numeric[], j jsonb, b bytea, ts timestamptz)",
        "INSERT INTO s.t VALUES (1, '1 mon 2 days', '{1.5}', '{\"a\": 1}', 'x', '2020-02-03 04:05Z')",
        "INSERT INTO s.t VALUES (2)",
        "CREATE VIEW w AS SELECT k + 10 AS k FROM s.t",
        "CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM s.t",
    )
    query = "SELECT * FROM {}s.t ORDER BY k"
    assert (
        one.rows(query.format("up.")) == up.rows(query.format("")) == up.rows(query.format("up."))
    )
    one.run("CREATE TABLE own (k int)", "INSERT INTO own SELECT k FROM up.s.t")
    joined = "SELECT own.k, w.k, m.n FROM own JOIN up.public.w ON w.k = own.k + 10, up.public.m"
    assert sorted(one.rows(joined)) == [(1, 11, 2), (2, 12, 2)]
    twice = "SELECT a.k, b.j FROM up.s.t a JOIN up.s.t b USING (k) WHERE a.k = 1"
    assert one.rows(twice) == [(1, {"a": 1})]
    one.run("BEGIN", "INSERT INTO own VALUES (3)")
    up.run("INSERT INTO s.t VALUES (3)")
    assert one.rows("SELECT own.k, t.k FROM own JOIN up.s.t t USING (k) WHERE own.k = 3") == [
        (3, 3)
    ]
    one.run("ROLLBACK")
    with one.connection.cursor() as cursor:
        for k in (1, 2, 9):
            cursor.execute("SELECT count(*) FROM up.s.t WHERE k = %s", (k,), prepare=True)
            assert cursor.fetchall() == [(int(k != 9),)]


def test_fact_22_what_cannot_be_read_or_written_there_says_so(up: Session, one: Session) -> None:
    up.run("CREATE TABLE t (k int)", "CREATE TYPE mood AS ENUM ('well')", "CREATE TABLE e (m mood)")
    one.fails("SELECT * FROM nowhere.public.t", errors.InvalidCatalogName, "does not exist")
    one.fails("SELECT * FROM up.public.nothing", errors.UndefinedTable)
    one.fails("SELECT * FROM up.nowhere.t", errors.UndefinedTable)
    one.fails("SELECT * FROM up.public.e", errors.FeatureNotSupported, "user-defined types")
    for statement in ("INSERT INTO up.public.t VALUES (1)", "DELETE FROM up.public.t"):
        one.fails(statement, errors.FeatureNotSupported, "another database", has_hint=True)
    one.fails("DROP TABLE up.public.t", errors.FeatureNotSupported, has_hint=True)
    up.run("CREATE SOURCE g (v int) WITH (connector = 'datagen', datagen.rows.per.second = '1')")
    one.fails("SELECT * FROM up.public.g", errors.FeatureNotSupported, "not allowed for cross-db")
    up.fails(f"CREATE SUBSCRIPTION sg FROM g {KEPT}", errors.WrongObjectType)
    one.fails("CREATE VIEW w AS SELECT * FROM up.public.t", errors.FeatureNotSupported, "other dat")


def test_fact_22_privileges_are_asked_where_the_relation_is(
    up: Session, one: Session, database: Address
) -> None:
    up.run("CREATE TABLE t (k int)", "CREATE VIEW w AS SELECT * FROM t", "CREATE SCHEMA hidden")
    up.run("CREATE TABLE hidden.t (k int)", "CREATE ROLE reader_22 LOGIN")
    up.run("REVOKE CONNECT ON DATABASE up FROM PUBLIC")
    try:
        with closing(Session(replace(database, user="reader_22"))) as reader:

            def may(relation: str) -> bool:
                try:
                    return reader.rows(f"SELECT * FROM up.{relation}") == []
                except psycopg.errors.InsufficientPrivilege:
                    return False

            up.run("GRANT SELECT ON w, hidden.t TO reader_22")
            assert not may("public.w")
            up.run("GRANT CONNECT ON DATABASE up TO reader_22")
            assert may("public.w")
            assert not may("public.t")
            assert not may("hidden.t")
            up.run("GRANT USAGE ON SCHEMA hidden TO reader_22")
            assert may("hidden.t")
    finally:
        up.run("DROP OWNED BY reader_22", "DROP ROLE reader_22")


@pytest.fixture
def followed(up: Session, one: Session) -> Session:
    """A view of one database that follows a table of the other."""
    up.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 10), (2, 20)")
    query = "CREATE MATERIALIZED VIEW m AS SELECT * FROM up.public.t"
    one.fails(
        query,
        errors.ObjectNotInPrerequisiteState,
        "Some upstream tables are not subscribed",
        has_hint=True,
    )
    up.run(f"CREATE SUBSCRIPTION s FROM t {KEPT}")
    one.run(query)
    return up


def test_fact_22_a_view_follows_a_table_of_another_database(
    followed: Session, one: Session
) -> None:
    def is_same() -> bool:
        return sorted(one.rows("SELECT * FROM m")) == sorted(followed.rows("SELECT * FROM t"))

    assert is_same()
    for statement in (
        "INSERT INTO t VALUES (3, 30)",
        "UPDATE t SET v = v + 1",
        "UPDATE t SET k = k + 10 WHERE k < 3",
        "DELETE FROM t WHERE v = 31",
        "ALTER TABLE t ADD COLUMN z int",
        "INSERT INTO t VALUES (4, 40, 400)",
        "TRUNCATE t",
    ):
        followed.run(statement)
        soon(
            lambda: (
                sorted(one.rows("SELECT * FROM m")) == sorted(followed.rows("SELECT k, v FROM t"))
            )
        )
    assert one.rows("CHECK MATERIALIZED VIEW m") == []
    # The rows that it reads are in a table that nobody can see or name.
    assert one.rows("SHOW TABLES") == []
    assert one.rows("SELECT relname FROM pg_class WHERE relname ~ '^[0-9]'") == []


def test_fact_22_what_is_followed_stays_until_the_view_goes(
    followed: Session, one: Session
) -> None:
    referenced = "Referenced by 1 cross-db objects."
    followed.run(f"CREATE SUBSCRIPTION another FROM t {KEPT}", "DROP SUBSCRIPTION s")
    for statement in (
        "DROP SUBSCRIPTION another",
        "DROP TABLE t CASCADE",
        "DROP SCHEMA public CASCADE",
        "ALTER TABLE t DROP COLUMN v",
        "ALTER TABLE t ALTER v TYPE text",
    ):
        followed.fails(statement, errors.DependentObjectsStillExist, referenced, has_hint=True)
    one.fails("DROP DATABASE up", errors.DependentObjectsStillExist, referenced)
    followed.run("ALTER TABLE t RENAME TO u", "INSERT INTO u VALUES (3, 30)")
    soon(lambda: one.value("SELECT count(*) FROM m") == 3)
    one.run("DROP MATERIALIZED VIEW m")
    followed.run("DROP SUBSCRIPTION another", "DROP TABLE u")


def test_fact_22_a_view_that_cannot_be_made_leaves_nothing_behind(
    followed: Session, one: Session
) -> None:
    one.run("DROP MATERIALIZED VIEW m")
    one.fails("CREATE MATERIALIZED VIEW m AS SELECT nope FROM up.public.t", errors.UndefinedColumn)
    one.pause()
    one.fails(
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM up.public.t",
        errors.ObjectNotInPrerequisiteState,
        "cannot create streaming job with snapshot backfill when paused",
    )
    one.resume()
    followed.run("DROP SUBSCRIPTION s")


def test_fact_22_a_pause_of_either_database_holds_what_is_followed(
    followed: Session, one: Session
) -> None:
    one.pause()
    followed.run("INSERT INTO t VALUES (3, 30)")
    time.sleep(0.5)
    assert one.value("SELECT count(*) FROM m") == 2
    followed.pause()
    one.resume()
    soon(lambda: one.value("SELECT count(*) FROM m") == 3)
    followed.resume()
    followed.run("INSERT INTO t VALUES (4, 40)")
    soon(lambda: one.value("SELECT count(*) FROM m") == 4)


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_fact_22_what_is_written_together_is_followed_together(
    up: Session, one: Session, seed: int
) -> None:
    chance = random.Random(seed)
    up.run("CREATE TABLE a (k int PRIMARY KEY, n int)", "CREATE TABLE b (n int)")
    up.run("INSERT INTO a SELECT g, 10 FROM generate_series(1, 5) g", "INSERT INTO b VALUES (50)")
    up.run("CREATE MATERIALIZED VIEW c AS SELECT n, count(*) AS m FROM b GROUP BY n")
    for name in "abc":
        up.run(f"CREATE SUBSCRIPTION of_{name} FROM {name} {KEPT}")
    one.run("CREATE TABLE own (k int)", "INSERT INTO own VALUES (1), (2)")
    one.run(
        "CREATE MATERIALIZED VIEW total AS SELECT "
        "(SELECT sum(n) FROM up.public.a) + (SELECT sum(n) FROM up.public.b) AS n",
        "CREATE MATERIALIZED VIEW joined AS SELECT own.k, a.n, c.m FROM own "
        "JOIN up.public.a ON a.k = own.k LEFT JOIN up.public.c ON c.n = a.n",
    )
    for _ in range(20):
        amount = chance.randrange(1, 4)
        up.run(
            "BEGIN",
            f"UPDATE a SET n = n + {amount} WHERE k = {chance.randrange(1, 6)}",
            f"INSERT INTO b VALUES ({-amount})",
            "COMMIT",
        )
        if chance.random() < 0.3:
            up.run("DELETE FROM b WHERE n = -1", "INSERT INTO b SELECT -1 FROM b LIMIT 3")
        if chance.random() < 0.3:
            assert one.value("SELECT n FROM total") is not None
    there = (
        "SELECT own.k, a.n, c.m FROM (VALUES (1), (2)) own(k) "
        "JOIN a ON a.k = own.k LEFT JOIN c ON c.n = a.n"
    )
    soon(
        lambda: (
            sorted(map(str, one.rows("SELECT * FROM joined"))) == sorted(map(str, up.rows(there)))
        )
    )
    total = "SELECT (SELECT sum(n) FROM a) + (SELECT sum(n) FROM b)"
    soon(lambda: one.value("SELECT n FROM total") == up.value(total))


def test_fact_22_no_reader_sees_half_of_what_was_written_elsewhere(
    up: Session, one: Session
) -> None:
    up.run("CREATE TABLE a (n int)", "CREATE TABLE b (n int)")
    up.run("INSERT INTO a VALUES (100)", "INSERT INTO b VALUES (0)")
    up.run(f"CREATE SUBSCRIPTION sa FROM a {KEPT}", f"CREATE SUBSCRIPTION sb FROM b {KEPT}")
    one.run(
        "CREATE MATERIALIZED VIEW m AS SELECT 'a' AS of, n FROM up.public.a "
        "UNION ALL SELECT 'b', n FROM up.public.b"
    )
    seen = set()

    def move() -> None:
        for _ in range(40):
            up.run("BEGIN", "UPDATE a SET n = n - 1", "UPDATE b SET n = n + 1", "COMMIT")

    moving = Background(move)
    while one.value("SELECT n FROM m WHERE of = 'b'") < 40:
        total, at = one.rows("SELECT sum(n), max(n) FILTER (WHERE of = 'b') FROM m")[0]
        assert total == 100
        seen.add(at)
    moving.result()
    assert len(seen) > 1


def test_fact_22_a_view_that_follows_can_be_followed(
    followed: Session, one: Session, server: Address
) -> None:
    one.run("CREATE MATERIALIZED VIEW n AS SELECT sum(v) AS s FROM m")
    one.run(f"CREATE SUBSCRIPTION sn FROM n {KEPT}")
    query = f"SELECT s FROM {one.database}.public.n"
    with closing(Session(server)) as dev:
        dev.run(f"CREATE MATERIALIZED VIEW fact_22 AS {query}")
        followed.run("INSERT INTO t VALUES (5, 50)")
        soon(lambda: dev.value("SELECT s FROM fact_22") == 80)
        dev.run("DROP MATERIALIZED VIEW fact_22")
