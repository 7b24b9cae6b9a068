"""Statements outside of transactions: writes, definitions, SHOW, and what is left behind."""

from __future__ import annotations

import time
from typing import Any

import pytest

from barrier.manager import BarrierManager
from catalog.errors import (
    CardinalityViolation,
    DependentObjectsStillExist,
    DuplicateColumn,
    DuplicateTable,
    FeatureNotSupported,
    InvalidParameterValue,
    NotNullViolation,
    ObjectInUse,
    ReservedName,
    UndefinedColumn,
    UndefinedSchema,
    UndefinedTable,
    UniqueViolation,
    WrongObjectType,
)
from tests.support.session_client import Client


def staging_tables(manager: BarrierManager) -> int:
    reader = manager.worker("dev").reader()
    ((count,),) = reader.rows(
        "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'staging'"
    )
    reader.close()
    assert isinstance(count, int)
    return count


def test_no_staging_tables_are_left(client: Client, manager: BarrierManager) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL)")
    before = staging_tables(manager)
    client.run("INSERT INTO t VALUES (1, 1), (2, 2) RETURNING *")
    client.run("UPDATE t SET v = v + 1")
    client.run("UPDATE t SET v = 0 WHERE k = 99")
    client.run("INSERT INTO t VALUES (1, 5), (3, 5) ON CONFLICT (k) DO UPDATE SET v = excluded.v")
    client.run("DELETE FROM t WHERE k = 1 RETURNING v")
    with pytest.raises(NotNullViolation):
        client.run("INSERT INTO t VALUES (4, NULL)")
    client.run(
        "BEGIN; INSERT INTO t VALUES (7, 7); SAVEPOINT a; DELETE FROM t; ROLLBACK TO a; COMMIT"
    )
    client.run("BEGIN; INSERT INTO t VALUES (8, 8); ROLLBACK")
    client.run("BEGIN; DECLARE c CURSOR FOR SELECT * FROM t; COMMIT")
    deadline = time.monotonic() + 10
    while staging_tables(manager) != before:  # They are dropped soon, on a thread of its own.
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_not_null_names_column_and_row(client: Client) -> None:
    client.run("CREATE TABLE t (id int PRIMARY KEY, name varchar NOT NULL, on_sale bool)")
    with pytest.raises(NotNullViolation) as caught:
        client.run("INSERT INTO t VALUES (4, NULL, true)")
    assert (
        caught.value.message
        == 'null value in column "name" of relation "t" violates not-null constraint'
    )
    assert caught.value.detail == "Failing row contains (4, null, t)."


def test_update_onto_another_key(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("INSERT INTO t VALUES (1, 1), (2, 2)")
    with pytest.raises(UniqueViolation) as caught:
        client.run("UPDATE t SET k = 2 WHERE k = 1")
    assert caught.value.message == 'duplicate key value violates unique constraint "t_pkey"'
    assert caught.value.detail == "Key (k)=(2) already exists."
    client.run("UPDATE t SET k = 3 - k")  # the two change places
    assert client.run("SELECT * FROM t ORDER BY k") == [("1", "2"), ("2", "1")]


def test_on_conflict(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("INSERT INTO t VALUES (1, 1)")
    client.run("INSERT INTO t VALUES (1, 9), (2, 2), (2, 3) ON CONFLICT DO NOTHING")
    assert client.tags == ["INSERT 0 1"]
    client.run(
        "INSERT INTO t VALUES (1, 9), (3, 3) ON CONFLICT (k) DO UPDATE SET v = t.v + excluded.v"
    )
    assert client.tags == ["INSERT 0 2"]
    assert client.run("SELECT * FROM t ORDER BY k") == [("1", "10"), ("2", "2"), ("3", "3")]
    with pytest.raises(CardinalityViolation):
        client.run("INSERT INTO t VALUES (1, 1), (1, 2) ON CONFLICT (k) DO UPDATE SET v = 0")


def test_insert_conflict_error(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY)")
    client.run("SET insert_conflict = 'error'")
    client.run("INSERT INTO t VALUES (1)")
    with pytest.raises(UniqueViolation):
        client.run("INSERT INTO t VALUES (1)")
    with pytest.raises(UniqueViolation):
        client.run("INSERT INTO t VALUES (2), (2)")


def test_parameters(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v varchar)")
    client.run("INSERT INTO t VALUES ($1, $2) RETURNING $2 || '!'", (1, "a"))
    assert client.run("SELECT v FROM t WHERE k = $1", (1,)) == [("a",)]
    prepared = client.session.prepare("UPDATE t SET v = $1 WHERE k = $2")
    assert [t.name for t in prepared.parameter_types] == ["varchar", "int4"]
    assert prepared.columns is None


def test_a_prepared_statement_follows_the_catalog(client: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    prepared = client.session.prepare("SELECT * FROM t")
    client.run("DROP TABLE t")
    with pytest.raises(UndefinedTable):
        client.session.execute(prepared, ())
    client.run("CREATE TABLE t (v varchar)")
    with pytest.raises(FeatureNotSupported, match="cached plan must not change result type"):
        client.session.execute(prepared, ())


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("CREATE TABLE b (a int, a int)", DuplicateColumn),
        ("CREATE TABLE b (a int, PRIMARY KEY (c))", UndefinedColumn),
        ("CREATE TABLE b (_row_id int)", ReservedName),
        ("CREATE TABLE b (_rw_weight int)", ReservedName),
        ("CREATE TABLE t (a int)", DuplicateTable),
        ("CREATE TABLE nowhere.b (a int)", UndefinedSchema),
        ("CREATE SCHEMA pg_mine", ReservedName),
        ("DROP TABLE v", WrongObjectType),
        ("DROP TABLE t", DependentObjectsStillExist),
        ("DROP TABLE nothing", UndefinedTable),
        ("CREATE VIEW w (x, x) AS SELECT 1, 2", DuplicateColumn),
        ("CREATE VIEW w AS SELECT * FROM pg_class", FeatureNotSupported),
        (
            "CREATE MATERIALIZED VIEW w WITH (refresh.interval.sec = 0) AS SELECT a FROM t",
            InvalidParameterValue,
        ),
        ("CREATE MATERIALIZED VIEW w WITH (x = 0) AS SELECT a FROM t", InvalidParameterValue),
        ("DROP DATABASE dev", ObjectInUse),
    ],
)
def test_refusals(client: Client, statement: str, error: type[Exception]) -> None:
    client.run("CREATE TABLE t (a int)")
    client.run("CREATE VIEW v AS SELECT a FROM t")
    with pytest.raises(error):
        client.run(statement)


def test_if_exists_and_if_not_exists_tell(client: Client) -> None:
    client.run("CREATE TABLE t (a int)")
    client.run("CREATE TABLE IF NOT EXISTS t (b int)")
    client.run("DROP TABLE IF EXISTS x")
    client.run("DROP MATERIALIZED VIEW IF EXISTS x")
    assert [n.message for n in client.notices] == [
        'relation "t" already exists, skipping',
        'table "x" does not exist, skipping',
        'materialized view "x" does not exist, skipping',
    ]


def test_create_table_as(client: Client) -> None:
    client.run("CREATE TABLE t AS SELECT i AS k, i * 2 AS v FROM generate_series(1, 3) AS g(i)")
    assert client.tags == ["SELECT 3"]
    assert client.run("SELECT sum(v) FROM t") == [("12",)]
    with pytest.raises(DuplicateTable):
        client.run("CREATE TABLE t AS SELECT 1 AS a")


def test_the_scale_of_a_constant_is_no_limit_for_other_rows(client: Client) -> None:
    client.run(
        "CREATE TABLE t AS SELECT 1.50 AS a, 1.5 * 2 AS b, 1e30 AS c, 1.5::numeric(9, 2) AS d"
    )
    client.run("INSERT INTO t VALUES (1.23456, 1.23456, 2, 1.23456)")
    assert client.run("SELECT * FROM t ORDER BY a") == [
        ("1.23456", "1.23456", "2", "1.23"),
        ("1.50", "3", "1" + "0" * 30, "1.50"),
    ]
    assert client.run(
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum > 0 "
        "AND attrelid = 't'::regclass ORDER BY attnum"
    ) == [("numeric",), ("numeric",), ("numeric",), ("numeric(9,2)",)]


def test_show(client: Client) -> None:
    client.run("CREATE TABLE apple (k int PRIMARY KEY, v numeric(10, 2))")
    client.run("CREATE TABLE pear (k int)")
    assert client.run("SHOW TABLES LIKE 'a%'") == [("apple",)]
    assert client.run("SHOW TABLES ILIKE 'P__R'") == [("pear",)]
    assert client.run("DESCRIBE apple")[:3] == [
        ("k", "integer", "false", None),
        ("v", "numeric(10,2)", "false", None),
        ("primary key", "k", None, None),
    ]
    assert client.run("SHOW COLUMNS FROM pear") == [
        ("k", "integer", "false", None),
        ("_row_id", "serial", "true", None),
    ]
    ((_, definition),) = client.run("SHOW CREATE TABLE apple")
    assert definition == "CREATE TABLE test_show.apple (k INT, v numeric(10,2), PRIMARY KEY (k))"


@pytest.mark.parametrize(
    ("statement", "tag"),
    [
        ("SET application_name = 'x'", "SET"),
        ("RESET ALL", "RESET"),
        ("SHOW timezone", "SHOW"),
        ("FLUSH", "FLUSH"),
        ("ALTER SYSTEM SET barrier_interval_ms TO DEFAULT", "ALTER SYSTEM"),
        ("ALTER DATABASE dev SET checkpoint_frequency TO DEFAULT", "ALTER DATABASE"),
        ("START TRANSACTION", "START TRANSACTION"),
        ("DISCARD ALL", "DISCARD ALL"),
        ("UNLISTEN *", "UNLISTEN"),
        ("EXPLAIN SELECT 1", "EXPLAIN"),
        ("CLOSE ALL", "CLOSE CURSOR ALL"),
        ("DEALLOCATE ALL", "DEALLOCATE ALL"),
    ],
)
def test_command_tags(client: Client, statement: str, tag: str) -> None:
    client.run(statement)
    assert client.tags == [tag]


def test_set_config_sets(client: Client) -> None:
    assert client.run("SELECT set_config('application_name', 'x', false)") == [("x",)]
    assert client.run("SHOW application_name") == [("x",)]
    prepared: Any = client.session.prepare("SELECT set_config('application_name', 'y', false)")
    assert [column.name for column in prepared.columns] == ["set_config"]
    assert client.run("SHOW application_name") == [("x",)]


def test_a_portal_keeps_its_place_when_another_statement_runs(client: Client) -> None:
    client.run("BEGIN")
    prepared = client.session.prepare("SELECT i FROM generate_series(1, 100000) AS g(i)")
    result = client.session.execute(prepared, ())
    batches = result.batches((0,))
    seen = next(batches).rows
    assert client.run("SELECT 42") == [("42",)]
    seen += sum(batch.rows for batch in batches)
    assert seen == 100_000
    result.close()
    client.run("COMMIT")
