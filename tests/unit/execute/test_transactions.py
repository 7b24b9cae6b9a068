"""Transaction blocks: own writes, snapshots, conflicts, savepoints, DDL on the way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from barrier.duckdb_reader import DuckdbReader
from catalog.errors import (
    DivisionByZero,
    InFailedTransaction,
    InvalidSavepoint,
    NoActiveTransaction,
    QueryCanceled,
    ReadOnlyTransaction,
    SerializationFailure,
    UndefinedTable,
    UniqueViolation,
)
from tests.support.session_client import Client

Connect = Callable[[], Client]


@pytest.fixture
def other(client: Client, connect: Connect) -> Client:
    """Somebody else in the same schema."""
    made = connect()
    made.run(f"SET search_path TO {client.run('SHOW search_path')[0][0]}")
    return made


def test_own_writes_pile_up_in_a_table_with_a_key(client: Client, other: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    client.run("BEGIN")
    client.run("INSERT INTO t VALUES (1, 10)")  # an upsert of a stored row,
    client.run("DELETE FROM t WHERE k = 1")  # which must not come back
    client.run("UPDATE t SET v = v + 1 WHERE k = 2")
    client.run("UPDATE t SET v = v + 1 WHERE k = 2")
    client.run("UPDATE t SET k = 30 WHERE k = 3")
    client.run("INSERT INTO t VALUES (4, 4), (4, 44)")
    seen = [("2", "4"), ("4", "44"), ("30", "3")]
    assert client.run("SELECT * FROM t ORDER BY k") == seen
    assert other.run("SELECT * FROM t ORDER BY k") == [("1", "1"), ("2", "2"), ("3", "3")]
    client.run("COMMIT")
    assert other.run("SELECT * FROM t ORDER BY k") == seen


def test_own_writes_pile_up_in_a_table_without_a_key(client: Client, other: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    client.run("INSERT INTO t VALUES (1), (1), (2)")
    client.run("BEGIN; INSERT INTO t VALUES (1), (5); UPDATE t SET v = v + 1 WHERE v = 1")
    assert client.tags[-1] == "UPDATE 3"
    client.run("DELETE FROM t WHERE v = 5")
    client.run("UPDATE t SET v = 7 WHERE v = 2")
    assert client.tags == ["UPDATE 4"]
    assert client.run("SELECT v, count(*) FROM t GROUP BY v") == [("7", "4")]
    client.run("COMMIT")
    assert other.run("SELECT v, count(*) FROM t GROUP BY v") == [("7", "4")]


def test_a_block_reads_one_snapshot(client: Client, other: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    client.run("BEGIN")
    assert client.run("SELECT count(*) FROM t") == [("0",)]
    other.run("INSERT INTO t VALUES (1)")
    assert client.run("SELECT count(*) FROM t") == [("0",)]
    client.run("COMMIT")
    assert client.run("SELECT count(*) FROM t") == [("1",)]


def test_a_snapshot_is_pinned_by_the_first_statement(client: Client, other: Client) -> None:
    client.run("CREATE TABLE a (v int)")
    client.run("CREATE TABLE b (v int)")
    client.run("BEGIN")
    client.run("SELECT 1")
    other.run("INSERT INTO b VALUES (1)")
    assert client.run("SELECT count(*) FROM b") == [("0",)]
    client.run("ROLLBACK")


def test_the_second_of_two_changes_of_a_row_fails(client: Client, other: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("INSERT INTO t VALUES (1, 0)")
    for one in (client, other):
        one.run("BEGIN")
        one.run("UPDATE t SET v = v + 1 WHERE k = 1")
    client.run("COMMIT")
    with pytest.raises(SerializationFailure):
        other.run("COMMIT")
    assert other.status == "I"
    assert client.run("SELECT v FROM t") == [("1",)]


def test_an_error_fails_the_block_and_commit_is_a_rollback(client: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    client.run("BEGIN")
    client.run("INSERT INTO t VALUES (1)")
    with pytest.raises(DivisionByZero):
        client.run("SELECT 1 / 0")
    assert client.status == "E"
    with pytest.raises(InFailedTransaction):
        client.run("SELECT 1")
    client.run("COMMIT")
    assert (client.tags, client.status) == (["ROLLBACK"], "I")
    assert client.run("SELECT count(*) FROM t") == [("0",)]


def test_several_statements_are_one_transaction(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("INSERT INTO t VALUES (1, 1); UPDATE t SET v = 5; SELECT v FROM t")
    assert client.tags == ["INSERT 0 1", "UPDATE 1", "SELECT 1"]
    with pytest.raises(DivisionByZero):
        client.run("INSERT INTO t VALUES (2, 2); INSERT INTO t VALUES (3, 1 / 0)")
    assert (client.run("SELECT * FROM t"), client.status) == ([("1", "5")], "I")


def test_what_follows_a_block_in_one_string_is_a_transaction_too(client: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    with pytest.raises(UndefinedTable):
        client.run(
            "BEGIN; INSERT INTO t VALUES (5); COMMIT; INSERT INTO t VALUES (6); SELECT * FROM nowhere"
        )
    assert (client.run("SELECT v FROM t"), client.status) == ([("5",)], "I")


def test_savepoints(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    client.run("BEGIN; INSERT INTO t VALUES (1, 1); SAVEPOINT a; UPDATE t SET v = 2; SAVEPOINT b")
    client.run("DELETE FROM t")
    client.run("ROLLBACK TO b")
    assert client.run("SELECT v FROM t") == [("2",)]
    client.run("INSERT INTO t VALUES (2, 2)")
    client.run("ROLLBACK TO SAVEPOINT a")
    with pytest.raises(InvalidSavepoint):
        client.run("ROLLBACK TO b")
    client.run("ROLLBACK TO a")
    client.run("RELEASE a; COMMIT")
    assert client.run("SELECT * FROM t") == [("1", "1")]


def test_a_savepoint_whose_second_copy_is_cancelled_is_none(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.run("CREATE TABLE a (v int); CREATE TABLE b (v int)")
    client.run("BEGIN; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)")
    keep = DuckdbReader.keep
    copies: list[str] = []

    def cancelled(reader: DuckdbReader, name: str, copy: str) -> None:
        keep(reader, name, copy)
        copies.append(copy)
        if len(copies) == 2:
            raise QueryCanceled.by_user()

    monkeypatch.setattr(DuckdbReader, "keep", cancelled)
    with pytest.raises(QueryCanceled):
        client.run("SAVEPOINT s")
    assert len(copies) == 2
    with pytest.raises(InvalidSavepoint, match="does not exist"):
        client.run("ROLLBACK TO s")
    client.run("ROLLBACK")
    assert client.run("SELECT * FROM a UNION ALL SELECT * FROM b") == []


def test_a_savepoint_survives_an_error_of_ours(client: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY)")
    client.run("BEGIN; INSERT INTO t VALUES (1); SAVEPOINT a; SET LOCAL insert_conflict = 'error'")
    with pytest.raises(UniqueViolation):
        client.run("INSERT INTO t VALUES (1)")
    client.run("ROLLBACK TO a")
    assert client.status == "T"
    client.run("INSERT INTO t VALUES (2)")
    client.run("COMMIT")
    assert client.run("SELECT count(*) FROM t") == [("2",)]


def test_ddl_commits_on_the_way_and_says_so_once(client: Client, other: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    client.run("BEGIN; INSERT INTO t VALUES (1); SAVEPOINT a")
    client.run("CREATE TABLE u (v int)")
    assert (client.status, len(client.notices)) == ("T", 1)
    assert other.run("SELECT count(*) FROM t") == [("1",)]
    client.run("INSERT INTO u VALUES (1)")
    client.run("CREATE TABLE w (v int)")
    assert len(client.notices) == 1
    with pytest.raises(InvalidSavepoint, match="cannot roll back"):
        client.run("ROLLBACK TO a")
    client.run("ROLLBACK")
    assert client.run("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM u)") == [("1", "1")]


def test_read_only_blocks(client: Client) -> None:
    client.run("CREATE TABLE t (v int)")
    for statement in ("INSERT INTO t VALUES (1)", "CREATE TABLE u (v int)", "DROP TABLE t"):
        client.run("BEGIN READ ONLY")
        assert client.run("SHOW transaction_read_only") == [("on",)]
        with pytest.raises(ReadOnlyTransaction):
            client.run(statement)
        client.run("ROLLBACK")
    assert client.run("SHOW transaction_read_only") == [("off",)]


def test_ends_without_a_block_warn(client: Client) -> None:
    client.run("COMMIT")
    client.run("ROLLBACK")
    assert [(n.severity, n.message) for n in client.notices] == [
        ("WARNING", "there is no transaction in progress")
    ] * 2
    with pytest.raises(NoActiveTransaction):
        client.run("SAVEPOINT a")


def test_cursors_go_both_ways_and_end_with_the_block(client: Client) -> None:
    client.run("BEGIN")
    client.run("DECLARE c CURSOR FOR SELECT i FROM generate_series(1, 5) AS g(i)")
    assert client.run("FETCH 2 FROM c") == [("1",), ("2",)]
    assert client.run("FETCH BACKWARD 1 FROM c") == [("1",)]
    assert client.run("FETCH ABSOLUTE -1 FROM c") == [("5",)]
    assert client.run("FETCH NEXT FROM c") == []
    assert client.run("FETCH PRIOR FROM c") == [("5",)]
    client.run("MOVE BACKWARD ALL IN c")
    assert client.tags == ["MOVE 4"]
    assert client.run("FETCH ALL FROM c") == [("1",), ("2",), ("3",), ("4",), ("5",)]
    client.run("DECLARE h CURSOR WITH HOLD FOR SELECT 7")
    client.run("COMMIT")
    assert client.run("FETCH ALL FROM h") == [("7",)]
    client.run("CLOSE ALL")


def test_what_is_locked_is_nobody_elses(client: Client, other: Client) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, v int); CREATE TABLE sums (n int)")
    client.run("INSERT INTO t VALUES (1, 1)")
    client.run("BEGIN; LOCK TABLE t IN SHARE MODE")
    client.run("INSERT INTO sums SELECT sum(v) FROM t")
    other.run("INSERT INTO t VALUES (2, 2)")
    with pytest.raises(SerializationFailure):
        client.run("COMMIT")
    client.run("BEGIN; LOCK TABLE t IN ROW EXCLUSIVE MODE")
    client.run("INSERT INTO sums SELECT sum(v) FROM t")
    other.run("INSERT INTO t VALUES (3, 3)")
    client.run("COMMIT")
    assert client.run("SELECT n FROM sums") == [("3",)]
