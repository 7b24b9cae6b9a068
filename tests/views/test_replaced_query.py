"""ALTER MATERIALIZED VIEW ... AS: a view and all that reads it equal their queries, also after."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.support.seeds import seeds
from tests.support.server import Address, Connection

#: Each may stand in the place of each other: rows with other keys, groups, constants, joins.
QUERIES = (
    "SELECT k, v FROM t WHERE v > 2",
    "SELECT k, v FROM t",
    "SELECT v AS k, count(*)::int AS v FROM t GROUP BY v",
    "SELECT t.k, u.v FROM t JOIN u ON t.v = u.k",
    "SELECT k, v FROM u UNION ALL SELECT k, v FROM t",
    "SELECT DISTINCT v AS k, v FROM t",
    "SELECT 1 AS k, 2 AS v",
    "SELECT t.k, 12 / (t.v - 3) AS v FROM t LEFT JOIN u ON t.k = u.k",
)
ABOVE = {
    "sums": "SELECT k, sum(v) AS s, count(*) AS n FROM m GROUP BY k",
    "pairs": "SELECT m.k, u.v FROM m JOIN u ON m.v = u.v",
    "highest": "SELECT max(s) AS s FROM sums",
}


@pytest.fixture
def connection(database: Address) -> Iterator[Connection]:
    with database.connect() as opened:
        opened.execute("CREATE TABLE t (k int, v int)")
        opened.execute("CREATE TABLE u (k int PRIMARY KEY, v int)")
        opened.execute(f"CREATE MATERIALIZED VIEW m AS {QUERIES[0]}".encode())
        yield opened


def rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query.encode()).fetchall()


@pytest.mark.parametrize("seed", seeds(2, 60))
def test_all_equal_their_queries_whatever_is_replaced(connection: Connection, seed: int) -> None:
    rng = random.Random(seed)
    for name, query in ABOVE.items():
        connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    for _ in range(20):
        match rng.randrange(4):
            case 0:
                query = rng.choice(QUERIES)
                connection.execute(f"ALTER MATERIALIZED VIEW m AS {query}".encode())
                (shown,) = rows(connection, "SHOW CREATE MATERIALIZED VIEW m")
                assert shown[1] == f"CREATE MATERIALIZED VIEW m AS {query}"
            case 1:
                connection.execute(f"DELETE FROM t WHERE k = {rng.randrange(5)}".encode())
            case _:
                key, value = rng.randrange(5), rng.randrange(6)
                table = rng.choice("tu")
                connection.execute(f"INSERT INTO {table} VALUES ({key}, {value})".encode())
        for name in ("m", *ABOVE):
            assert rows(connection, f"CHECK MATERIALIZED VIEW {name}") == [], (seed, name)


def test_columns_may_be_added_and_none_taken_away(connection: Connection) -> None:
    connection.execute("CREATE MATERIALIZED VIEW above AS SELECT k FROM m")
    connection.execute("INSERT INTO t VALUES (1, 3)")
    connection.execute("ALTER MATERIALIZED VIEW m AS SELECT k, v, v * 2 AS w FROM t")
    assert rows(connection, "SELECT * FROM m") == [(1, 3, 6)]
    connection.execute("INSERT INTO t VALUES (2, 4)")
    assert rows(connection, "SELECT * FROM above ORDER BY k") == [(1,), (2,)]
    for query, message in (
        ("SELECT k FROM t", "cannot drop columns"),
        ("SELECT k, v::bigint AS v, 1 AS w FROM t", "cannot change data type"),
        ("SELECT k, v AS x, 1 AS w FROM t", "cannot change name"),
    ):
        with pytest.raises(errors.InvalidTableDefinition, match=message):
            connection.execute(f"ALTER MATERIALIZED VIEW m AS {query}".encode())
    assert rows(connection, "SELECT * FROM m ORDER BY k") == [(1, 3, 6), (2, 4, 8)]


@pytest.mark.parametrize(
    ("before", "query", "error"),
    [
        ("CREATE MATERIALIZED VIEW b AS SELECT k, v FROM m", "SELECT k, v FROM b", "after it"),
        ("SELECT 1", "SELECT k, v FROM m", "after it"),
        (
            "CREATE MATERIALIZED VIEW b WITH (refresh.interval.sec = 5) AS SELECT k FROM m",
            "SELECT k, v FROM t",
            "batch refresh",
        ),
        ("ALTER MATERIALIZED VIEW m PAUSE", "SELECT k, v FROM t", "is paused"),
        ("CREATE SUBSCRIPTION s FROM m WITH (retention = '1D')", "SELECT k, v FROM t", "replace"),
        (
            (
                "CREATE MATERIALIZED VIEW b AS SELECT m.v FROM m"
                " JOIN u FOR SYSTEM_TIME AS OF PROCTIME() ON m.k = u.k"
            ),
            "SELECT k, v FROM t",
            "temporal join",
        ),
        ("SELECT 1", "SELECT k, random() FROM t", "random"),
        (
            "CREATE SOURCE r (k int, v int) WITH (connector = 'datagen') FORMAT PLAIN ENCODE JSON",
            "SELECT k, v FROM r",
            "sources are read",
        ),
        ("SELECT 1", "SELECT k, v FROM nowhere", "does not exist"),
    ],
)
def test_what_cannot_follow_is_refused_and_nothing_changes(
    connection: Connection, before: str, query: str, error: str
) -> None:
    connection.execute(before.encode())
    connection.execute("INSERT INTO t VALUES (1, 1), (2, 9)")
    was = rows(connection, "SHOW CREATE MATERIALIZED VIEW m")
    with pytest.raises(psycopg.Error, match=error):
        connection.execute(f"ALTER MATERIALIZED VIEW m AS {query}".encode())
    assert rows(connection, "SHOW CREATE MATERIALIZED VIEW m") == was
