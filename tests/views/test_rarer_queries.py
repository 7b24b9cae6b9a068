"""Views over the rarer parts of queries follow a random history."""

from __future__ import annotations

from random import Random
from typing import Final

from tests.support.server import Connection
from tests.views.test_named_cases import rows

QUERIES: Final = (
    "SELECT a.y, count(b.*) AS n, count(b) AS m FROM a LEFT JOIN b ON a.x = b.x GROUP BY a.y",
    "SELECT count(a.*) AS n, count(b.*) AS m FROM a FULL JOIN b ON a.x = b.x",
    "SELECT a.x, s::text FROM a LEFT JOIN (SELECT x, sum(y) AS y FROM b GROUP BY x) s ON a.x = s.x",
    (
        "SELECT a.x, s.n FROM a LEFT JOIN (SELECT x, count(*) AS n FROM b GROUP BY x) s USING (x)"
        " WHERE s IS NULL OR s.n > 1"
    ),
    "SELECT x, a IS NULL AS n, a IS NOT NULL AS v FROM a",
    "SELECT x % 3 AS k, y, count(*) AS n FROM a GROUP BY DISTINCT rollup(x % 3, y), rollup(x % 3)",
    (
        "SELECT x % 3 AS k, array_agg(DISTINCT y) AS l, string_agg(DISTINCT t, ',') AS s FROM a"
        " GROUP BY x % 3"
    ),
    "SELECT x % 3 AS k, mode() WITHIN GROUP (ORDER BY y) AS m FROM a GROUP BY x % 3",
    "SELECT a.x, (SELECT b.y FROM b WHERE b.x = a.x ORDER BY b.y LIMIT 1 OFFSET a.x % 2) AS o FROM a",
    "SELECT x, generate_series(1, generate_series(1, x % 4)) AS g FROM a",
    (
        "SELECT a.x, z.i, z.t FROM a, rows FROM (generate_series(1, a.x % 3), unnest(ARRAY['p', 'q']))"
        " z (i, t)"
    ),
    "SELECT (SELECT max(a.x) + max(b.x) FROM b) AS m FROM a",
    "SELECT max(a.x) AS m, (SELECT count(*) FROM b WHERE b.y = max(a.y)) AS c FROM a",
    "SELECT x FROM a WHERE (x % 4, y % 2) IN (VALUES (1, 0), (2, 1))",
    "SELECT x FROM a WHERE (x, y) IN (SELECT x, y FROM b)",
    "SELECT x FROM a WHERE NOT (x, y) IN (SELECT x, y FROM b)",
    "SELECT DISTINCT ON (y) y, x, t FROM a ORDER BY y, 12 / (x % 5 + 1) DESC, t::varchar(1), x",
    "SELECT DISTINCT ON (12 / x) 12 / x AS q, y FROM a ORDER BY 12 / x, (x::text || '0')::int DESC",
    "SELECT DISTINCT ON (a) a, b.y FROM a JOIN b ON a.y = b.y ORDER BY a, 12 / (b.x + 1), 2",
    (
        "SELECT DISTINCT ON (x / 2) x / 2 AS k, y, count(*) AS n FROM b GROUP BY x / 2, y"
        " ORDER BY x / 2, 12 / count(*), y"
    ),
)


def change(connection: Connection, chance: Random) -> None:
    key, value = chance.randint(1, 12), chance.choice(("NULL", "1", "2", "3"))
    text = chance.choice(("NULL", "'p'", "'q'"))
    statement = chance.choice(
        (
            f"INSERT INTO a VALUES ({key}, {value}, {text})",
            f"INSERT INTO b VALUES ({chance.choice((key, 'NULL'))}, {value})",
            f"DELETE FROM a WHERE x = {key}",
            f"DELETE FROM b WHERE x = {key}",
            f"UPDATE b SET y = y + 1 WHERE x < {key}",
        )
    )
    connection.execute(statement.encode())


def test_views_over_the_rarer_parts_of_queries_equal_them(connection: Connection) -> None:
    connection.execute("CREATE TABLE a (x int PRIMARY KEY, y int, t text)")
    connection.execute("CREATE TABLE b (x int, y int)")
    for number, query in enumerate(QUERIES):
        connection.execute(f"CREATE MATERIALIZED VIEW v{number} AS {query}".encode())
    chance = Random(7)
    for _ in range(25):
        with connection.transaction():
            for _ in range(chance.randint(1, 4)):
                change(connection, chance)
        for number, query in enumerate(QUERIES):
            shown = rows(connection, f"SELECT * FROM v{number}")
            assert list(map(repr, shown)) == list(map(repr, rows(connection, query))), query
