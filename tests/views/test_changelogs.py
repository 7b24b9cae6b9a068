"""Changelogs: what a relation went through, kept as rows; played back it is the relation.

Each statement is a transaction and an epoch of its own, so what a changelog must have is known from
the rows before and after it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from psycopg import errors

from tests.conftest import Launch
from tests.facts.session import Session, soon
from tests.support.server import Address

CHANGELOG = "WITH c AS CHANGELOG FROM {} SELECT _changelog_row_id AS place, * FROM c"


@pytest.fixture
def one(database: Address) -> Iterator[Session]:
    with closing(Session(database)) as session:
        yield session


@pytest.fixture
def two(database: Address) -> Iterator[Session]:
    with closing(Session(database)) as session:
        yield session


def log_of(session: Session, view: str) -> list[tuple[Any, ...]]:
    """The changes that a view has, in their order: each a row and what happened."""
    return [row[1:] for row in session.rows(f"SELECT * FROM {view} ORDER BY place")]


def played_back(log: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """The rows that are there after changes, none of which takes away what is not there."""
    there: Counter[tuple[Any, ...]] = Counter()
    for *row, op in log:
        if op in (1, 3):
            there[tuple(row)] += 1
        else:
            assert there[tuple(row)] > 0, (row, op)
            there[tuple(row)] -= 1
    return +there


def rows_of(session: Session, relation: str) -> Counter[tuple[Any, ...]]:
    return Counter(session.rows(f"SELECT * FROM {relation}"))


def test_each_change_is_a_row_and_an_update_is_two(one: Session) -> None:
    one.run("CREATE TABLE keyed (k int PRIMARY KEY, v int)", "CREATE TABLE bare (k int, v int)")
    one.run("INSERT INTO keyed VALUES (1, 1)", "INSERT INTO bare VALUES (1, 1)")
    for table in ("keyed", "bare"):
        one.run(f"CREATE MATERIALIZED VIEW m_{table} AS {CHANGELOG.format(table)}")
        one.run(f"INSERT INTO {table} VALUES (2, 2)", f"UPDATE {table} SET v = 10 WHERE k = 1")
        one.run(f"DELETE FROM {table} WHERE k = 2", f"UPDATE {table} SET v = 10 WHERE k = 1")
        log = [(1, 1, 1), (2, 2, 1), (1, 1, 4), (1, 10, 3), (2, 2, 2)]
        assert log_of(one, f"m_{table}") == log, table
    one.run("UPDATE keyed SET k = 5", "INSERT INTO keyed VALUES (5, 50)")
    ends = log_of(one, "m_keyed")[5:]
    assert sorted(ends[:2]) == [(1, 10, 2), (5, 10, 1)]  # Another key is another row.
    assert ends[2:] == [(5, 10, 4), (5, 50, 3)]
    one.run("TRUNCATE bare")
    assert log_of(one, "m_bare")[-1] == (1, 10, 2)
    assert one.rows("SELECT pg_typeof(changelog_op)::text, pg_typeof(place)::text FROM m_bare")[
        0
    ] == (
        "smallint",
        "bigint",
    )


def test_what_a_transaction_undoes_itself_has_not_happened(one: Session) -> None:
    one.run("CREATE TABLE t (k int, v int)")
    one.run(f"CREATE MATERIALIZED VIEW m AS {CHANGELOG.format('t')}")
    one.run("BEGIN", "INSERT INTO t VALUES (1, 1), (2, 2)", "UPDATE t SET v = 9 WHERE k = 2")
    one.run("DELETE FROM t WHERE k = 1", "COMMIT")
    assert log_of(one, "m") == [(2, 9, 1)]


@pytest.mark.parametrize("seed", range(2))
def test_a_changelog_that_is_played_back_is_the_relation(one: Session, seed: int) -> None:
    rng = random.Random(seed)
    one.run(
        "CREATE TABLE t (k int PRIMARY KEY, g int, v numeric, i interval)",
        "CREATE TABLE bare (g int, v float8)",
        "CREATE MATERIALIZED VIEW u AS SELECT g, count(*) AS n, sum(v) AS s FROM t GROUP BY g",
        "CREATE MATERIALIZED VIEW j AS SELECT t.g, bare.v FROM t JOIN bare ON t.g = bare.g",
        "CREATE MATERIALIZED VIEW top AS SELECT k, v FROM t ORDER BY v DESC, k LIMIT 3",
    )
    relations = ("t", "bare", "u", "j", "top")
    for statement in _history(rng, 8):
        one.run(statement)
    for relation in relations:
        one.run(f"CREATE MATERIALIZED VIEW log_{relation} AS {CHANGELOG.format(relation)}")
    one.run(
        "CREATE MATERIALIZED VIEW counted AS WITH c AS CHANGELOG FROM u "
        "SELECT c.g, count(*) AS n, t.v FROM c JOIN t ON t.k = c.g GROUP BY c.g, t.v",
        "CREATE TABLE sunk (g int, op smallint)",
        "CREATE SINK s INTO sunk AS WITH c AS CHANGELOG FROM u SELECT g, changelog_op FROM c "
        "WITH (type = 'append-only')",
    )
    for statement in _history(rng, 16):
        one.run(statement)
        for relation in relations:
            log = log_of(one, f"log_{relation}")
            assert played_back(log) == rows_of(one, relation), (statement, relation)
    for view in ("counted", *(f"log_{relation}" for relation in relations)):
        assert one.rows(f"CHECK MATERIALIZED VIEW {view}") == [], view
    assert any("as it was kept" in notice for notice in one.notices)
    log_u = Counter((row[0], row[-1]) for row in log_of(one, "log_u"))
    assert rows_of(one, "sunk") == log_u


def _history(rng: random.Random, length: int) -> Iterator[str]:
    for _ in range(length):
        keys = ", ".join(str(rng.randint(1, 9)) for _ in range(3))
        unit = rng.choice(["'1 month'", "'30 days'"])
        row = f"i, i % {rng.randint(1, 4)}, {rng.choice(['1.5', '1.50', 'NULL::numeric'])}, {unit}::interval"
        yield rng.choice(
            [
                f"INSERT INTO t SELECT DISTINCT {row} FROM unnest(ARRAY[{keys}]) AS u(i)",
                f"UPDATE t SET g = {rng.randint(0, 4)}, v = v * 2 WHERE k IN ({keys})",
                f"UPDATE t SET i = {unit}",
                f"DELETE FROM t WHERE k IN ({keys})",
                f"INSERT INTO bare SELECT i % 4, -0.0 FROM unnest(ARRAY[{keys}]) AS u(i)",
                f"UPDATE bare SET v = 0 WHERE g = {rng.randint(0, 3)}",
                "DELETE FROM bare WHERE g = 1",
            ]
        )


def test_a_query_may_read_two_changelogs_and_the_relation_itself(one: Session) -> None:
    one.run("CREATE TABLE a (k int, v int)", "CREATE TABLE b (k int, v int)")
    one.run(
        "CREATE MATERIALIZED VIEW m AS WITH x AS CHANGELOG FROM a, y (key) AS CHANGELOG FROM b, "
        "z AS (SELECT k, count(*) AS n FROM a GROUP BY k) SELECT x.k, x.changelog_op AS a_op, "
        "y.changelog_op AS b_op, z.n FROM x JOIN y ON x.k = y.key LEFT JOIN z ON z.k = x.k"
    )
    one.run("INSERT INTO a VALUES (1, 1)", "INSERT INTO b VALUES (1, 1)", "DELETE FROM b")
    assert sorted(one.rows("SELECT * FROM m")) == [(1, 1, 1, 1), (1, 1, 2, 1)]
    one.run("DELETE FROM a")
    found = [(1, a, b, None) for a in (1, 2) for b in (1, 2)]
    assert sorted(one.rows("SELECT * FROM m")) == found
    assert one.rows("CHECK MATERIALIZED VIEW m") == []


def test_a_view_that_stands_still_has_all_changes_of_what_went_on(one: Session) -> None:
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    one.run("CREATE MATERIALIZED VIEW u AS SELECT k, v FROM t WHERE v > 0")
    for relation in ("t", "u"):
        one.run(f"CREATE MATERIALIZED VIEW log_{relation} AS {CHANGELOG.format(relation)}")
    one.run("ALTER MATERIALIZED VIEW log_t PAUSE", "ALTER MATERIALIZED VIEW u PAUSE")
    one.run("INSERT INTO t VALUES (1, 1), (2, 2)", "UPDATE t SET v = 3 WHERE k = 1")
    one.run("DELETE FROM t WHERE k = 2")
    assert log_of(one, "log_t") == log_of(one, "log_u") == []
    one.run("ALTER MATERIALIZED VIEW log_t RESUME", "ALTER MATERIALIZED VIEW u RESUME")
    whole = [(1, 1, 1), (2, 2, 1), (1, 1, 4), (1, 3, 3), (2, 2, 2)]
    soon(lambda: log_of(one, "log_t") == whole)
    soon(lambda: log_of(one, "log_u") == [(1, 3, 1)])  # It caught up in one epoch.
    one.run("UPDATE t SET v = 0")
    assert log_of(one, "log_u")[1:] == [(1, 3, 2)]
    assert one.rows("CHECK MATERIALIZED VIEW log_u") == []


def test_a_view_that_was_filled_anew_has_told_what_it_has_become(one: Session) -> None:
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
    one.run("SET streaming_expr_strict_mode = on")
    one.run("CREATE MATERIALIZED VIEW u AS SELECT k, 6 / v AS v FROM t")
    one.run(f"CREATE MATERIALIZED VIEW m AS {CHANGELOG.format('u')}")
    one.run("UPDATE t SET v = 0 WHERE k = 1")
    one.fails("SELECT * FROM m", errors.ObjectNotInPrerequisiteState, "has failed")
    one.run("UPDATE t SET v = 3 WHERE k = 1", "RECOVER")
    log = log_of(one, "m")
    assert sorted(log[:2]) == [(1, 6, 1), (2, 3, 1)]
    assert sorted(log[2:]) == [(1, 2, 3), (1, 6, 4)]
    one.run("DELETE FROM t WHERE k = 2")
    assert log_of(one, "m")[4:] == [(2, 3, 2)]


def test_a_view_that_is_filled_from_a_snapshot_misses_nothing(one: Session, two: Session) -> None:
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    one.run("INSERT INTO t SELECT i, i % 7 FROM generate_series(1, 120000) AS s(i)")
    one.run("SET background_ddl = true", "SET backfill_rate_limit = 100000")
    one.run(f"CREATE MATERIALIZED VIEW m AS {CHANGELOG.format('t')}")
    for start in range(5):
        two.run(f"UPDATE t SET v = 100 WHERE k = {start + 1}", f"DELETE FROM t WHERE k = {start}")
    one.run("SET backfill_rate_limit = -1", "WAIT MATERIALIZED VIEW m")
    ((rows, inserted, gone),) = one.rows(
        "SELECT count(*), count(*) FILTER (WHERE changelog_op = 1), "
        "count(*) FILTER (WHERE changelog_op = 2) FROM m"
    )
    assert (rows, inserted, gone) == (120000 + 10 + 4, 120000, 4)
    assert one.rows("CHECK MATERIALIZED VIEW m") == []


def test_what_is_followed_keeps_its_columns_and_may_get_more(one: Session) -> None:
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int, n numeric)", "INSERT INTO t VALUES (1, 1)")
    one.run(f"CREATE MATERIALIZED VIEW m AS {CHANGELOG.format('t')}")
    needed = "cannot drop column v of table t because other objects depend on it"
    one.fails("ALTER TABLE t DROP COLUMN v", errors.DependentObjectsStillExist, needed)
    one.fails("ALTER TABLE t ALTER COLUMN v TYPE text", errors.FeatureNotSupported)
    one.fails("ALTER TABLE t ADD UNIQUE (n)", errors.FeatureNotSupported)
    one.run("ALTER TABLE t ADD COLUMN w int DEFAULT 5", "ALTER TABLE t RENAME COLUMN v TO other")
    one.run("ALTER TABLE t RENAME TO s", "UPDATE s SET other = 2")
    assert log_of(one, "m") == [(1, 1, None, 1), (1, 1, None, 4), (1, 2, None, 3)]
    one.fails("DROP TABLE s", errors.DependentObjectsStillExist)
    one.run("DROP TABLE s CASCADE")


def test_where_there_is_no_changelog(one: Session) -> None:
    one.run("CREATE TABLE t (a int)", "CREATE VIEW v AS SELECT a FROM t")
    changelog = "WITH c AS CHANGELOG FROM {} SELECT * FROM c"
    create = "CREATE MATERIALIZED VIEW m AS "
    refused = "only support with create mv/sink"
    one.fails(changelog.format("t"), errors.FeatureNotSupported, refused)
    one.fails(f"CREATE VIEW x AS {changelog.format('t')}", errors.FeatureNotSupported, refused)
    for relation in ("v", "pg_class"):
        one.fails(create + changelog.format(relation), errors.FeatureNotSupported, "changelog of")
    one.fails(create + changelog.format("nothing"), errors.UndefinedTable)
    one.run("CREATE TABLE taken (changelog_op int)")
    one.fails(create + changelog.format("taken"), errors.DuplicateColumn, "rename it first")
    one.run(f"CREATE SINK s AS {changelog.format('t')} WITH (connector = 'blackhole')")
    assert one.value("SELECT sink_type FROM rw_catalog.rw_sinks") == "APPEND_ONLY"
    # Elsewhere the word is one like others.
    one.run("INSERT INTO t VALUES (7)")
    assert one.rows("WITH w AS (SELECT 1) SELECT a, a AS changelog FROM t") == [(7, 7)]


def test_a_changelog_goes_on_after_a_kill(launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        session.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1)")
        session.run(f"CREATE MATERIALIZED VIEW m AS {CHANGELOG.format('t')}")
        session.run("UPDATE t SET v = 2")
    server.kill()
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        session.run("INSERT INTO t VALUES (2, 2)", "DELETE FROM t WHERE k = 1")
        log = [(1, 1, 1), (1, 1, 4), (1, 2, 3), (2, 2, 1), (1, 2, 2)]
        assert log_of(session, "m") == log
        assert session.rows("CHECK MATERIALIZED VIEW m") == []
        session.run("DROP TABLE t CASCADE")
    assert server.stop() == 0
