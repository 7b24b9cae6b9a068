"""Nothing stays in the staging area, whatever became of a statement."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from barrier.manager import BarrierManager
from catalog.errors import PgError
from tests.support.session_client import Client

Connect = Callable[[], Client]


def staged(manager: BarrierManager) -> int:
    """How many staging tables there are once those that were discarded are dropped."""
    reader = manager.worker("dev").reader()
    query = "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'staging'"
    count = -1
    for _ in range(50):
        count = int(str(reader.rows(query)[0][0]))
        if not count:
            break
        time.sleep(0.02)
    reader.close()
    return count


SCRIPTS = {
    "statements": (
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "INSERT INTO t VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET n = t.n + excluded.n",
        "INSERT INTO t VALUES (1, 5) ON CONFLICT DO NOTHING",
        "UPDATE t SET k = k + 10 WHERE k = 2 RETURNING k",
        "UPDATE t SET n = n RETURNING *",
        "DELETE FROM t WHERE k = 99",
        "DELETE FROM t RETURNING *",
        "INSERT INTO u SELECT g, g FROM generate_series(1, 10) AS g RETURNING a",
    ),
    "errors": (
        "INSERT INTO t VALUES (1, 1 / 0)",
        "INSERT INTO t VALUES (NULL, 1)",
        "INSERT INTO t VALUES (1, 1), (1, 2) ON CONFLICT (k) DO UPDATE SET n = 1",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "UPDATE t SET k = 1",
        "UPDATE t SET n = 1 / (n - 1)",
        "UPDATE t SET k = NULL",
    ),
    "a block": (
        "BEGIN",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "SAVEPOINT a",
        "UPDATE t SET n = 3",
        "INSERT INTO t VALUES (5, 1), (5, 2) ON CONFLICT (k) DO UPDATE SET n = 1",
        "ROLLBACK TO a",
        "DELETE FROM t WHERE k = 1",
        "INSERT INTO u VALUES (1, 1) RETURNING a",
        "UPDATE u SET b = b + 1",
        "COMMIT",
    ),
    "a block rolled back": (
        "BEGIN",
        "INSERT INTO t VALUES (1, 1)",
        "UPDATE t SET n = 2",
        "ROLLBACK",
    ),
    "a failed block": ("BEGIN", "INSERT INTO t VALUES (1, 1)", "SELECT 1 / 0", "COMMIT"),
    "a block brought back": (
        "BEGIN",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM t",
        "SAVEPOINT a",
        "UPDATE t SET n = 3",
        "SAVEPOINT b",
        "INSERT INTO t VALUES (3, 1 / 0)",
        "ROLLBACK TO b",
        "DELETE FROM t WHERE k = 1",
        "SELECT 1 / 0",
        "ROLLBACK TO a",
        "INSERT INTO u VALUES (1, 1)",
        "COMMIT",
        "FETCH ALL c",
        "CLOSE c",
    ),
    "a block brought back in vain": (
        "BEGIN",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "SAVEPOINT a",
        "SELECT 1 / 0",
        "ROLLBACK TO a",
        "UPDATE t SET n = 3",
        "ROLLBACK",
    ),
    "a savepoint in an open block": (
        "BEGIN",
        "INSERT INTO t VALUES (1, 1), (2, 2)",
        "SAVEPOINT a",
        "SELECT 1 / 0",
    ),
    "an open block": ("BEGIN", "INSERT INTO t VALUES (1, 1)", "UPDATE t SET n = 2"),
    "definitions in a block": (
        "BEGIN",
        "INSERT INTO t VALUES (1, 1)",
        "CREATE TABLE v AS SELECT * FROM t",
        "INSERT INTO v VALUES (2, 2)",
        "ROLLBACK",
    ),
    "cursors": (
        "BEGIN",
        "DECLARE held CURSOR WITH HOLD FOR SELECT generate_series(1, 100)",
        "DECLARE other CURSOR FOR SELECT 1",
        "COMMIT",
        "FETCH 5 FROM held",
    ),
    "queued writes": (
        "SET implicit_flush = off",
        "INSERT INTO t VALUES (1, 1)",
        "INSERT INTO u VALUES (1, 1)",
        "UPDATE t SET n = 5",
        "FLUSH",
    ),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_nothing_is_left_behind(
    script: tuple[str, ...], client: Client, connect: Connect, manager: BarrierManager
) -> None:
    client.run("CREATE TABLE t (k int PRIMARY KEY, n int)")
    client.run("CREATE TABLE u (a int, b int)")
    ((path,),) = client.run("SHOW search_path")
    session = connect()
    session.run(f"SET search_path TO {path}")
    for statement in script:
        try:
            session.run(statement)
        except PgError as e:
            assert e.sqlstate != "XX000", (statement, e)
    session.session.close()
    assert staged(manager) == 0
