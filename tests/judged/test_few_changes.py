"""Few rows that an UPDATE or DELETE changes are handed in as values, of whatever type they are."""

from __future__ import annotations

import random

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

#: Of each type the values that are most likely to come back as others.
VALUES = {
    "boolean": ["true", "false", "NULL"],
    "smallint": ["-32768", "32767", "NULL"],
    "integer": ["-2147483648", "2147483647"],
    "bigint": ["-9223372036854775808", "9223372036854775807"],
    "real": ["'NaN'", "'-Infinity'", "1.17549435e-38", "3.4028235e38", "'-0'", "0.1"],
    "double precision": ["'NaN'", "'Infinity'", "5e-324", "1.7976931348623157e308", "'-0'", "0.1"],
    "numeric": ["'NaN'", "'Infinity'", "123456789012345678901.0123456789", "-0.0000000001"],
    "numeric(12, 3)": ["-999999999.999", "0.001"],
    "varchar": ["''", "'it''s'", "E'a\\tb\\n\\\\'", "'{1,\"2\"}'", "'日本 🌊'", "'NULL'", "NULL"],
    "date": ["'0044-03-15 BC'", "'infinity'", "'-infinity'", "'5874897-12-31'", "'2024-02-29'"],
    "time": ["'00:00:00'", "'23:59:59.999999'"],
    "timestamp": ["'0044-03-15 01:02:03.000004 BC'", "'infinity'", "'9999-12-31 23:59:59.999999'"],
    "timestamptz": ["'-infinity'", "'1900-01-01 00:00:00+00'", "'2024-03-31 02:30:00+01'"],
    "uuid": ["'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    "jsonb": ["'{\"a\": [1, 2.50, null]}'", "'\"x\"'", "'null'", "NULL"],
    "bytea": ["'\\x00ff'", "''", "NULL"],
    "interval": ["'-1 year 2 days 03:00:00'", "'178956970 years'", "NULL"],
    "integer[]": ["'{}'", "'{1,NULL,3}'", "NULL"],
}


def test_values_stay_what_they_are(judge: Address, database: Address) -> None:
    tables = [(f"keyed{n}", f"unkeyed{n}", type_) for n, type_ in enumerate(VALUES)]
    created = [
        f"CREATE TABLE {keyed} (k int PRIMARY KEY, a int, v {type_});\n"
        f"CREATE TABLE {unkeyed} (k int, a int, v {type_});\n"
        for keyed, unkeyed, type_ in tables
    ]
    assert_equal(judge, database, "".join(created))
    with database.connect() as connection:
        for pair in tables:
            for table in pair[:2]:
                view = f"CREATE MATERIALIZED VIEW seen_{table} AS SELECT * FROM {table}"
                connection.execute(view.encode())
    script = "SET timezone = 'America/New_York';\n"
    for keyed, unkeyed, type_ in tables:
        values = VALUES[type_]
        rows = ", ".join(f"({n}, {n % 2}, {value})" for n, value in enumerate(values))
        script += f"INSERT INTO {keyed} VALUES {rows};\nINSERT INTO {unkeyed} VALUES {rows};\n"
        for n in range(len(values)):
            script += f"UPDATE {keyed} SET a = a + 1 WHERE k = {n};\n"
        script += (
            f"UPDATE {keyed} SET a = a + 1 WHERE k < 2;\n"
            f"UPDATE {unkeyed} SET v = v, a = 7 WHERE k > 0;\n"
            f"UPDATE {keyed} SET v = {values[-1]} WHERE k = 0;\n"
            f"DELETE FROM {unkeyed} WHERE k = 1;\n"
            f"SELECT k, a, v::text FROM {keyed} ORDER BY k;\n"
            f"SELECT k, a, v::text FROM {unkeyed} ORDER BY k;\n"
        )
    assert_equal(judge, database, script)
    with database.connect() as connection:
        for pair in tables:
            for table in pair[:2]:
                shown = "SELECT k, a, v::text FROM {} ORDER BY k"
                stored = connection.execute(shown.format(table).encode()).fetchall()
                seen = connection.execute(shown.format(f"seen_{table}").encode()).fetchall()
                assert seen == stored, table


@pytest.mark.parametrize("rows", [1, 2, 299, 300, 301, 3000])
def test_as_many_rows_change_as_are_found(rows: int, database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, g int, v bigint)")
        connection.execute("INSERT INTO t SELECT i, i % 7, i FROM generate_series(1, 4000) AS i")
        view = "SELECT g, count(*) AS n, sum(v) AS s, min(v) AS lo FROM t GROUP BY g"
        connection.execute(f"CREATE MATERIALIZED VIEW grouped AS {view}".encode())
        updated = connection.execute("UPDATE t SET v = v + 1000000 WHERE k <= %s", (rows,))
        assert updated.rowcount == rows
        found = connection.execute("SELECT count(*), sum(v) FROM t WHERE v > 1000000").fetchone()
        assert found == (rows, sum(range(1, rows + 1)) + 1000000 * rows)
        assert connection.execute("CHECK MATERIALIZED VIEW grouped").fetchall() == []
        assert connection.execute("DELETE FROM t WHERE k <= %s", (rows,)).rowcount == rows
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (4000 - rows,)
        assert connection.execute("CHECK MATERIALIZED VIEW grouped").fetchall() == []


@pytest.mark.parametrize("seed", range(3))
def test_groups_that_come_and_go_are_followed(seed: int, database: Address) -> None:
    chance = random.Random(seed)
    views = {
        "plain": "SELECT g, count(*) AS n, sum(v) AS s FROM t GROUP BY g",
        "computed": "SELECT g % 3 AS h, count(*) AS n, sum(v) AS s FROM t GROUP BY g % 3",
        "filtered": "SELECT g, h, count(v) AS n FROM t WHERE v > 2 GROUP BY g, h",
        "all_rows": "SELECT count(*) AS n, sum(v) AS s FROM t",
        "over_it": "SELECT n, count(*) AS c FROM plain GROUP BY n",
    }
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, g int, h real, v int)")
        for name, query in views.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
        for key in range(60):
            g, h, v, other = (chance.choice([None, 0, 1, 2, 3]) for _ in range(4))
            connection.execute("INSERT INTO t VALUES (%s, %s, %s, %s)", (key, g, h, v))
            where = chance.choice(["k = %(k)s", "g = %(g)s", "k BETWEEN %(k)s AND %(k)s + 2"])
            change = chance.choice(
                ["UPDATE t SET v = %(v)s", "UPDATE t SET g = %(v)s, h = -h", "DELETE FROM t"]
            )
            given = {"k": chance.randint(0, key), "g": g, "v": other}
            connection.execute(f"{change} WHERE {where}".encode(), given)
            for name in views:
                assert (
                    connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall() == []
                )
