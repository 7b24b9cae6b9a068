"""Statements that compute for minutes, each in another way."""

from __future__ import annotations

from typing import Final

from tests.support.server import Connection

#: Over the table of ``make_table``.
LONG_STATEMENTS: Final = (
    "SELECT count(*) FROM n a, n b WHERE (a.i::bigint * b.i) % 7 = 3",
    "SELECT count(*) FROM n a, n b WHERE (a.t || b.t) ~ '(1|2)*3(4|5)*$'",
    "SELECT sum(r) FROM (SELECT row_number() OVER (PARTITION BY a.i % 7 ORDER BY b.i) AS r FROM n a, n b) s",
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100000000) SELECT count(*) FROM r",
    "CREATE MATERIALIZED VIEW v AS SELECT a.t, count(*) AS n FROM n a JOIN n b ON a.i % 50 = b.i % 50 GROUP BY a.t",
    "CREATE TABLE c AS SELECT a.i, b.t FROM n a, n b WHERE (a.i::bigint * b.i) % 7 = 3",
    "INSERT INTO n SELECT a.i, b.t FROM n a, n b WHERE (a.i::bigint * b.i) % 7 = 3",
    "DELETE FROM n WHERE (SELECT count(*) FROM n b WHERE (n.i::bigint * b.i) % 7 = 3) > 0",
)


def make_table(connection: Connection) -> None:
    """Make the table ``n`` that the statements read."""
    connection.execute("CREATE TABLE n (i int PRIMARY KEY, t text)")
    connection.execute("INSERT INTO n SELECT i, 'x' || i % 100 FROM generate_series(1, 300000) i")


def nothing_is_left(connection: Connection) -> bool:
    """What a statement has begun is taken back by the barrier, which may be a moment later."""
    found = connection.execute("SELECT count(*) FROM pg_class WHERE relname IN ('v', 'c')")
    return found.fetchone() == (0,)
