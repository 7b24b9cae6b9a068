"""Fact 22 of forty: other databases are read by queries, and followed by materialized views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest
from psycopg import errors

from tests.facts.session import Session
from tests.support.server import Address


@pytest.fixture
def up(server: Address, database: Address) -> Iterator[Session]:
    """A session of another database, which is called up."""
    with closing(Session(server)) as dev:
        dev.run("CREATE DATABASE up")
        with closing(Session(server.of_database("up"))) as session:
            yield session
        # What follows it must go first.
        dev.run(f"DROP DATABASE IF EXISTS {database.database} WITH (FORCE)", "DROP DATABASE up")
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
