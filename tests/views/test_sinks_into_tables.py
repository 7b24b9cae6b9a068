"""Sinks into tables: whatever is written, a table has what the sink's query gives, in the same epoch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.facts.session import Session, soon
from tests.support.server import Address


@pytest.fixture
def one(database: Address) -> Iterator[Session]:
    with closing(Session(database)) as session:
        yield session


@pytest.fixture
def two(database: Address) -> Iterator[Session]:
    with closing(Session(database)) as session:
        yield session


def of_key(rows: list[tuple[Any, ...]]) -> dict[Any, tuple[Any, ...]]:
    return {row[0]: row for row in rows}


@pytest.mark.parametrize("seed", range(2))
def test_a_table_has_what_the_query_of_its_sink_gives_after_each_statement(
    one: Session, seed: int
) -> None:
    rng = random.Random(seed)
    one.run("CREATE TABLE s (id int PRIMARY KEY, g int, v int)")
    one.run("CREATE TABLE t (g int PRIMARY KEY, n bigint, total bigint, big int)")
    query = "SELECT g, count(*) AS n, sum(v) AS total, max(v) AS big FROM s GROUP BY g"
    one.run("INSERT INTO s VALUES (1, 1, 1), (2, 1, 5), (3, 2, NULL), (4, NULL, 4)")
    one.run(f"CREATE SINK k INTO t AS {query}")
    one.run("CREATE MATERIALIZED VIEW above AS SELECT count(*) AS n, sum(total) AS s FROM t")
    for _ in range(20):
        ids = ", ".join(str(rng.randint(1, 12)) for _ in range(3))
        values = f"i, i % {rng.randint(1, 4)}, {rng.randint(0, 9)}"
        statement = rng.choice(
            [
                f"INSERT INTO s SELECT {values} FROM unnest(ARRAY[{ids}]) AS u(i)",
                f"UPDATE s SET g = {rng.randint(0, 4)}, v = v + 1 WHERE id IN ({ids})",
                f"DELETE FROM s WHERE id IN ({ids})",
            ]
        )
        one.run(statement)
        expected = of_key([row for row in one.rows(query) if row[0] is not None])
        assert of_key(one.rows("SELECT * FROM t")) == expected, statement
        assert one.rows("SELECT count(*), sum(total) FROM t") == one.rows("SELECT * FROM above")
    assert one.rows("CHECK MATERIALIZED VIEW above") == []


def test_a_key_that_several_rows_have_keeps_one_of_them_until_the_last_goes(one: Session) -> None:
    one.run("CREATE TABLE s (k int, v int)", "CREATE TABLE t (k int PRIMARY KEY, v int)")
    one.run("CREATE SINK x INTO t FROM s", "INSERT INTO s VALUES (1, 10)")
    one.run("INSERT INTO s VALUES (1, 20)")
    assert one.rows("SELECT * FROM t") == [(1, 20)]
    one.run("DELETE FROM s WHERE v = 20")
    assert one.rows("SELECT * FROM t") == [(1, 10)]
    one.run("DELETE FROM s")
    assert one.rows("SELECT * FROM t") == []


def test_what_others_write_into_the_table_stays_until_the_sink_says_otherwise(
    one: Session,
) -> None:
    one.run("CREATE TABLE s (k int PRIMARY KEY, v int)")
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "CREATE SINK x INTO t FROM s")
    one.run("INSERT INTO t VALUES (1, -1), (2, -2)", "INSERT INTO s VALUES (1, 1)")
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 1), (2, -2)]
    one.run("DELETE FROM t WHERE k = 1", "UPDATE s SET v = 3 WHERE k = 1")
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 3), (2, -2)]
    one.run("DELETE FROM s")
    assert one.rows("SELECT * FROM t") == [(2, -2)]


def test_defaults_generated_columns_and_forbidden_rows(one: Session) -> None:
    one.run("CREATE TABLE s (a int, b int)")
    one.run(
        "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL CHECK (v < 100), w int DEFAULT 7, "
        "x int GENERATED ALWAYS AS (v + 1) STORED)"
    )
    one.run("CREATE SINK x INTO t (v, k) AS SELECT b, a FROM s")
    one.run("INSERT INTO s VALUES (1, 10), (2, NULL), (NULL, 3), (4, 200)")
    assert one.rows("SELECT * FROM t") == [(1, 10, 7, 11)]
    one.run("UPDATE s SET b = 20 WHERE a IN (1, 2, 4)")
    assert sorted(one.rows("SELECT k, x FROM t")) == [(1, 21), (2, 21), (4, 21)]


def test_chains_of_sinks_are_followed_in_one_epoch(one: Session) -> None:
    for name in ("a", "b", "c"):
        one.run(f"CREATE TABLE {name} (k int PRIMARY KEY, v int)")
    one.run("CREATE SINK ab INTO b AS SELECT k, v + 1 FROM a")
    one.run("CREATE MATERIALIZED VIEW m AS SELECT k, sum(v) AS v FROM b GROUP BY k")
    one.run("CREATE SINK mc INTO c AS SELECT k, v::int FROM m")
    one.run("INSERT INTO a VALUES (1, 1), (2, 2)")
    assert sorted(one.rows("SELECT * FROM c")) == [(1, 2), (2, 3)]
    one.run("INSERT INTO b VALUES (9, 9)", "DELETE FROM a WHERE k = 1")
    assert sorted(one.rows("SELECT * FROM c")) == [(2, 3), (9, 9)]
    one.fails("CREATE SINK ca INTO a FROM c", errors.InvalidTableDefinition, "circular dependency")


def test_a_sink_that_only_appends_takes_nothing_away(one: Session) -> None:
    one.run("CREATE TABLE s (a int, b int)", "CREATE TABLE t (a int, b int)")
    append = "WITH (type = 'append-only', force_append_only = 'true')"
    one.fails(
        "CREATE SINK x INTO t FROM s", errors.InvalidTableDefinition, "Only append-only sinks"
    )
    one.fails(
        "CREATE SINK x INTO t FROM s WITH (type = 'append-only')",
        errors.InvalidTableDefinition,
        "cannot be append-only",
        has_hint=True,
    )
    one.run("INSERT INTO s VALUES (1, 1), (1, 1)", f"CREATE SINK x INTO t FROM s {append}")
    one.run("UPDATE s SET b = 2", "DELETE FROM s")
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 1), (1, 1), (1, 2), (1, 2)]
    one.run("CREATE TABLE grows (a int, b int) APPEND ONLY")
    one.run("CREATE SINK y INTO t FROM grows WITH (type = 'append-only')")
    one.run("INSERT INTO grows VALUES (3, 3)")
    assert one.value("SELECT count(*) FROM t") == 5


def test_rows_of_one_key_that_come_together_all_go_by_the_tables_rules(one: Session) -> None:
    one.run("CREATE TABLE s (k int, a int, b int, n int) APPEND ONLY")
    one.run(
        "CREATE TABLE t (k int PRIMARY KEY, a int, b int, n int) "
        "ON CONFLICT DO UPDATE IF NOT NULL WITH VERSION COLUMN (n)"
    )
    one.run("CREATE SINK x INTO t FROM s")
    one.run("INSERT INTO s VALUES (1, 10, NULL, 1), (1, NULL, 20, 2)")
    one.run(
        "INSERT INTO s VALUES (2, NULL, 20, 2), (2, 10, NULL, 1)",
        "INSERT INTO s VALUES (1, 5, 5, 1)",
    )
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 10, 20, 2), (2, 10, 20, 2)]


def test_a_sink_that_can_only_append_need_not_say_so(one: Session) -> None:
    one.run("CREATE TABLE t (a int)", "CREATE SINK x INTO t AS SELECT 3 AS a")
    assert one.rows("SELECT * FROM t") == [(3,)]


def test_what_was_there_does_not_come_without_a_snapshot(one: Session) -> None:
    one.run("CREATE TABLE s (k int PRIMARY KEY, v int)", "INSERT INTO s VALUES (1, 1), (2, 2)")
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    one.run("CREATE SINK x INTO t FROM s WITH (snapshot = 'false')")
    assert one.rows("SELECT * FROM t") == []
    one.run("UPDATE s SET v = 3 WHERE k = 1", "INSERT INTO s VALUES (3, 3)")
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 3), (3, 3)]


def test_a_paused_view_holds_the_sink_over_it_and_the_table_catches_up(one: Session) -> None:
    one.run(
        "CREATE TABLE s (k int PRIMARY KEY, v int)", "CREATE TABLE t (k int PRIMARY KEY, v int)"
    )
    one.run("CREATE MATERIALIZED VIEW m AS SELECT k, v FROM s WHERE v > 0")
    one.run("CREATE SINK x INTO t FROM m", "INSERT INTO s VALUES (1, 1), (2, 2)")
    one.run("CREATE MATERIALIZED VIEW above AS SELECT sum(v) AS v FROM t")
    one.run("ALTER MATERIALIZED VIEW m PAUSE", "DELETE FROM s WHERE k = 1")
    one.run("INSERT INTO s VALUES (3, 3)", "INSERT INTO t VALUES (9, 9)")
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 1), (2, 2), (9, 9)]
    one.run("ALTER MATERIALIZED VIEW m RESUME")
    soon(lambda: sorted(one.rows("SELECT * FROM t")) == [(2, 2), (3, 3), (9, 9)])
    assert one.rows("SELECT v FROM above") == [(14,)]


def test_a_pause_holds_a_sink_that_is_created_meanwhile(one: Session, two: Session) -> None:
    one.run("CREATE TABLE t (k int PRIMARY KEY)", f"ALTER DATABASE {one.database} PAUSE")
    waiting = two.waits("CREATE SINK x INTO t AS SELECT 1 AS k")
    assert one.rows("SELECT * FROM t") == []
    one.run(f"ALTER DATABASE {one.database} RESUME")
    waiting.result()
    assert one.rows("SELECT * FROM t") == [(1,)]


def test_a_large_snapshot_comes_by_a_job_of_its_own(one: Session) -> None:
    one.run(
        "CREATE TABLE s (k int PRIMARY KEY, v int)", "CREATE TABLE t (k int PRIMARY KEY, v int)"
    )
    one.run("INSERT INTO s SELECT i, i FROM generate_series(1, 150000) AS g(i)")
    one.run("CREATE SINK x INTO t FROM s")
    assert one.rows("SELECT count(*), sum(v)::bigint FROM t") == [(150000, 150000 * 150001 // 2)]
    one.run("DELETE FROM s WHERE k > 10")
    assert one.value("SELECT count(*) FROM t") == 10


def test_a_source_flows_through_a_sink_into_a_table(one: Session) -> None:
    one.run(
        "CREATE SOURCE s (v int) WITH (connector = 'datagen', fields.v.kind = 'sequence', "
        "fields.v.end = '999999', datagen.rows.per.second = '50')"
    )
    one.run("CREATE TABLE t (v int PRIMARY KEY)", "CREATE SINK x INTO t FROM s")
    soon(lambda: one.value("SELECT count(*) FROM t") > 60)
    ((count, last),) = one.rows("SELECT count(*), max(v) FROM t")
    assert count == last + 1
    one.run("DROP SOURCE s CASCADE")
    assert one.value("SELECT count(*) FROM t") >= count


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("CREATE SINK x INTO nowhere FROM s", errors.UndefinedTable),
        ("CREATE SINK x INTO m FROM s", errors.WrongObjectType),
        ("CREATE SINK x INTO t (z) AS SELECT a FROM s", errors.UndefinedColumn),
        ("CREATE SINK x INTO t (k, k) AS SELECT a, b FROM s", errors.DuplicateColumn),
        ("CREATE SINK x INTO t (k) AS SELECT a, b FROM s", errors.SyntaxError),
        ("CREATE SINK x INTO t AS SELECT a, b, 1, 2 FROM s", errors.SyntaxError),
        ("CREATE SINK x INTO t (v) AS SELECT a FROM s", errors.InvalidTableDefinition),
        ("CREATE SINK x INTO t (g, k) AS SELECT a, b FROM s", errors.InvalidTableDefinition),
        ("CREATE SINK x INTO t AS SELECT ARRAY[a], b FROM s", errors.DatatypeMismatch),
        ("CREATE SINK x INTO u FROM s", errors.FeatureNotSupported),
        ("CREATE SINK x INTO t FROM s WITH (type = 'debezium')", errors.InvalidParameterValue),
        ("CREATE SINK x INTO t FROM s WITH (colour = 'red')", errors.InvalidParameterValue),
        ("CREATE SINK x INTO t FROM s WITH (snapshot = 'maybe')", errors.InvalidParameterValue),
        ("CREATE SINK x INTO t FROM s FORMAT PLAIN ENCODE JSON", errors.SyntaxError),
        (
            "CREATE SINK x INTO t FROM s WITH (type = 'upsert') FORMAT PLAIN ENCODE JSON",
            errors.FeatureNotSupported,
        ),
        ("REPLACE SINK k INTO t FROM s", errors.FeatureNotSupported),
        ("ALTER TABLE f DROP COLUMN b", errors.FeatureNotSupported),
        ("ALTER TABLE f ALTER COLUMN b TYPE bigint", errors.FeatureNotSupported),
        ("CREATE UNIQUE INDEX i ON f (b)", errors.FeatureNotSupported),
        ("CREATE TABLE r (a int REFERENCES f (a))", errors.FeatureNotSupported),
        ("SELECT * FROM k", errors.UndefinedTable),
        ("DROP TABLE s", errors.DependentObjectsStillExist),
        ("DROP MATERIALIZED VIEW k", errors.WrongObjectType),
        ("ALTER MATERIALIZED VIEW k PAUSE", errors.WrongObjectType),
        ("CHECK MATERIALIZED VIEW k", errors.WrongObjectType),
    ],
)
def test_what_makes_no_sense_is_refused(
    prepared: Session, statement: str, error: type[psycopg.Error]
) -> None:
    prepared.fails(statement, error)


@pytest.fixture(scope="module")
def prepared(server: Address) -> Iterator[Session]:
    with closing(Session(server)) as session:
        session.run("CREATE SCHEMA sunk", "SET search_path = sunk")
        session.run("CREATE TABLE s (a int, b int)")
        session.run(
            "CREATE TABLE t (k int PRIMARY KEY, v int, g int GENERATED ALWAYS AS (v) STORED)"
        )
        session.run("CREATE TABLE u (a int PRIMARY KEY, b int UNIQUE)")
        session.run("CREATE TABLE f (a int PRIMARY KEY, b int)", "CREATE SINK k INTO f FROM s")
        session.run("CREATE MATERIALIZED VIEW m AS SELECT * FROM s")
        yield session
        session.run("DROP SCHEMA sunk CASCADE")


def test_dropping_a_table_takes_the_sinks_into_it_along(one: Session) -> None:
    one.run("CREATE TABLE s (a int)", "CREATE TABLE t (a int PRIMARY KEY)")
    one.run("CREATE SINK x INTO t FROM s", "DROP TABLE t")
    assert one.notices[-1] == "drop cascades to sink x"
    assert one.value("SELECT count(*) FROM rw_catalog.rw_sinks") == 0
    one.run("INSERT INTO s VALUES (1)", "DROP TABLE s")


def test_a_sink_that_fails_is_set_right_by_recover(one: Session) -> None:
    one.run(
        "CREATE TABLE s (k int PRIMARY KEY, v int)", "CREATE TABLE t (k int PRIMARY KEY, v int)"
    )
    one.run("SET streaming_expr_strict_mode = on")
    one.run(
        "CREATE SINK x INTO t AS SELECT k, 10 / v FROM s", "INSERT INTO s VALUES (1, 1), (2, 2)"
    )
    assert sorted(one.rows("SELECT * FROM t")) == [(1, 10), (2, 5)]
    one.run("INSERT INTO s VALUES (3, 0)", "DELETE FROM s WHERE k = 1")
    one.run("DELETE FROM s WHERE k = 3", "RECOVER")
    assert one.rows("SELECT * FROM t") == [(2, 5)]
