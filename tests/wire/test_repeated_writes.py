"""A write whose text resembles earlier ones of its session does what it does alone."""

from __future__ import annotations

import re

import psycopg
import pytest

from tests.support.server import Address, Connection

#: Each is sent after others that differ from it in their values only.
VALUES = (
    *("(1, 2, 'a', 1.5, '2024-01-01', true)", "(2, NULL, NULL, NULL, NULL, NULL)"),
    *("(3, 99999, 'a', 1, '2024-01-01', true)", "(4, 2, 'too long', 1, '2024-01-01', true)"),
    *("(5, 2, 'a', 123456.789, '2024-01-01', true)", "(6, 2, 'a', 1.005, '2024-01-01', false)"),
    *("(7, 2, 'a', 1, '2024-13-01', true)", "(8, 2, 'a', 1, 'yesterday', true)"),
    *("(9, 2, 'a', 1, '2024-01-01', 'yes')", "(10, '2', 'a', '1', date '2024-01-01', 't')"),
    *("(NULL, 2, 'a', 1, '2024-01-01', true)", "(11, -2, 'it''s', -1.5, '0044-03-15', false)"),
    *("(12, 2, 'a', 1, '2024-01-01', 7)", "(13, 2.5, 'a', 1, '2024-01-01', true)"),
    *("(14, 2, 5, 1, '2024-01-01', true)", "(15, 2, 'a', 'x', '2024-01-01', true)"),
    *("(1, 3, 'b', 2, '2025-01-01', false), (16, 1, 'c', 3, '2024-01-01', true)", "(17)"),
    *("(18, 2, 'a', 1, '2024-01-01', true, 1)", "(19, 2, 'a', 1, '2024-01-01', DEFAULT)"),
    *("(20, 2, 'a', 1, '2024-01-01', 1 > 0)", "(21, 2, E'\\n', 1, '2024-01-01', true)"),
    "(22, 2, 'a', 1, '2024-01-01', true) RETURNING id",
    "(22, 3, 'a', 1, '2024-01-01', true) ON CONFLICT (id) DO NOTHING",
    "(23, 2, 'a', 1, '2024-01-01', true);  ",
    "(24, 2, 'a', 1, '2024-01-01', true) -- and no more",
)

TABLE = (
    "CREATE TABLE {} (id int PRIMARY KEY, small smallint, code varchar(3), price numeric(6,2), "
    "day date, is_new boolean CHECK (is_new OR price IS NULL OR price < 100))"
)


#: Each is sent after others that differ from it in their whole numbers and texts only.
CHANGES = (
    *("UPDATE {} SET small = small + 1 WHERE id = 3", "UPDATE {} SET small = 7 WHERE id = 4"),
    *("UPDATE {} SET small = 70000 WHERE id = 4", "UPDATE {} SET small = 3000000000 WHERE id = 4"),
    *("UPDATE {} SET small = small + 32000 WHERE id < 9", "UPDATE {} SET id = 5 WHERE id = 6"),
    *("UPDATE {} SET id = id + 100 WHERE id > 8", "UPDATE {} SET price = price * 2, small = -3"),
    *("UPDATE {} SET price = 99999 WHERE id = 1", "UPDATE {} SET code = 12345 WHERE id = 1"),
    *("UPDATE {} SET code = 123 WHERE id = 2", "UPDATE {} SET price = id - -5, small = - 2"),
    *("UPDATE {} SET is_new = 1 < 2 WHERE id = 3", "UPDATE {} SET day = 5 WHERE id = 3"),
    *("DELETE FROM {} WHERE id = 108", "DELETE FROM {} WHERE id = 9223372036854775807"),
    *("DELETE FROM {} WHERE id = 1.0", "DELETE FROM {} WHERE 1 = 2 OR id BETWEEN 1 AND 2"),
    *("DELETE FROM {} WHERE code = 5", "DELETE FROM {} WHERE id = 3 -- 4"),
    *("UPDATE {} SET small = 2 WHERE id = 4 RETURNING 5", "DELETE FROM {} AS x WHERE x.id = 5"),
    *("UPDATE {} SET nothing = 2", "UPDATE {} SET small = 2 WHERE nothing = 4"),
    *("UPDATE {} SET small = small * 1000000 WHERE id = 7", "DELETE FROM {} WHERE 5"),
    *("UPDATE {} SET code = 'q' WHERE id = 1", "UPDATE {} SET code = 'it''' WHERE id = 2"),
    *("UPDATE {} SET code = 'too long' WHERE id = 1", r"UPDATE {} SET code = '\' WHERE id < 3"),
    *("UPDATE {} SET code = 'a  ' WHERE id = 1", r"UPDATE {} SET code = E'\n' WHERE id = 1"),
    *("UPDATE {} SET code = 'a' 'b' WHERE id = 1", "UPDATE {} SET code = 'a'\n'b' WHERE id = 1"),
    *("UPDATE {} SET day = '2024-02-30' WHERE id = 1", "UPDATE {} SET day = 'now' WHERE id = 1"),
    *("UPDATE {} SET day = '2024-02-29' WHERE id = 1", "UPDATE {} SET day = '2/9/24' WHERE id = 3"),
    *("UPDATE {} SET day = date '2024-02-28' WHERE id = 1", "UPDATE {} SET day = DATE '2024-13-1'"),
    "UPDATE {} SET day = timestamp '2024-02-28 23:59' WHERE code = 'q' OR code LIKE 'it%'",
    "UPDATE {} SET day = TIMESTAMP '2023-03-15 10:00:00.5' WHERE day < '2024-01-02' AND code <> 'c'",
    *("UPDATE {} SET price = '1.5' WHERE id = 1", "UPDATE {} SET price = 'x' WHERE id = 1"),
    *(
        "UPDATE {} SET price = '12345' WHERE id = 1",
        "UPDATE {} SET price = price + '1' WHERE id = 1",
    ),
    *("UPDATE {} SET small = '5' WHERE id = '1'", "UPDATE {} SET small = '5.5' WHERE id = '1'"),
    *("UPDATE {} SET small = '99999' WHERE id = '1'", "UPDATE {} SET small = small + '2'"),
    *("UPDATE {} SET is_new = 'yes' WHERE id = '2'", "UPDATE {} SET is_new = 'maybe' WHERE id = 2"),
    *("UPDATE {} SET is_new = code = 'a'", "UPDATE {} SET code = 'a' - 'b'"),
    *("DELETE FROM {} WHERE day BETWEEN '2001-01-01' AND '2002-01-01'", "DELETE FROM {} WHERE 'f'"),
    *("DELETE FROM {} WHERE day = 'yesterday'", "DELETE FROM {} WHERE id = '2' AND code = ''"),
    *("DELETE FROM {} WHERE code = 'RETURNING'", "DELETE FROM {} WHERE code = '--' OR id = 5"),
    *("UPDATE {} SET code = U&'a' WHERE id = 1", "UPDATE {} SET code = 'a' WHERE id = 'x'"),
    *("UPDATE {} SET code = 'unclosed WHERE id = 1", "UPDATE {} SET code = 'a'x WHERE id = 1"),
    *(
        "UPDATE {} SET code = NULL, day = '1999-01-08'",
        "UPDATE {} SET day = day - '1 day' WHERE id > 3",
    ),
)


def outcome(connection: Connection, sql: str) -> object:
    """Return the tag of a statement, or all that its error says."""
    try:
        return connection.execute(sql).statusmessage
    except psycopg.Error as e:
        said = e.diag
        return (e.sqlstate, said.message_primary, said.message_detail, said.statement_position)


def rows(connection: Connection, table: str) -> object:
    return connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()


@pytest.mark.parametrize("columns", ["", " (id, small, code, price, day, is_new)"])
def test_it_stores_and_refuses_what_it_does_in_a_session_of_its_own(
    database: Address, columns: str
) -> None:
    with database.connect() as warm:
        for table in ("one", "two"):
            warm.execute(TABLE.format(table))
        warm.execute(f"INSERT INTO one{columns} VALUES (0, 0, '', 0, '2000-01-01', true)")
        warm.execute("INSERT INTO two VALUES (0, 0, '', 0, '2000-01-01', true)")
        for values in VALUES:
            with database.connect() as cold:
                alone = outcome(cold, f"INSERT INTO two{columns} VALUES {values}")
            told = str(outcome(warm, f"INSERT INTO one{columns} VALUES {values}"))
            assert told.replace('"one', '"two') == str(alone), values
        assert rows(warm, "one") == rows(warm, "two")


def test_what_it_changes_and_takes_away_is_what_it_is_in_a_session_of_its_own(
    database: Address,
) -> None:
    with database.connect() as warm:
        for table in ("one", "two"):
            warm.execute(TABLE.format(table))
            warm.execute(
                f"INSERT INTO {table} SELECT i, i, i, i + 0.5, '2024-01-01', true "
                "FROM generate_series(1, 9) AS i"
            )
        for change in CHANGES:
            # Others of its kind, which change nothing.
            for number, text in (("1", "1"), ("0", "2001-01-01"), ("2", "a")):
                shifted = re.sub(r"'[^']*'", f"'{text}'", change)
                shifted = re.sub(r"(?<![\w.'-])\d+(?![\w.])", number, shifted)
                warm.execute("BEGIN")
                outcome(warm, shifted.format("one"))
                warm.execute("ROLLBACK")
            with database.connect() as cold:
                alone = outcome(cold, change.format("two"))
            told = str(outcome(warm, change.format("one")))
            assert told.replace('"one', '"two') == str(alone), change
            assert rows(warm, "one") == rows(warm, "two"), change


@pytest.mark.parametrize("write", ["INSERT INTO t VALUES ({}, 'y')", "UPDATE t SET a = {}"])
@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE t ADD COLUMN d int DEFAULT 7",
        "ALTER TABLE t ADD CONSTRAINT few CHECK (a < 4)",
        "ALTER TABLE t ADD COLUMN d int GENERATED ALWAYS AS (a * 2) STORED",
        "ALTER TABLE t DROP COLUMN b",
        "ALTER TABLE t ALTER COLUMN b TYPE int USING length(b)",
        "ALTER TABLE t ALTER COLUMN c SET DEFAULT 9",
        "ALTER TABLE t RENAME COLUMN a TO other",
        "ALTER TABLE t RENAME TO u",
        "DROP TABLE t",
        "DROP TABLE t; CREATE TABLE t (b text, a int PRIMARY KEY, c int)",
        "CREATE SCHEMA s; CREATE TABLE s.t (b text); SET search_path = s, public",
        "CREATE TEMP TABLE t (a int, b text, x text)",
        "SET transaction_read_only = on",
        "CREATE ROLE nobody; SET ROLE nobody",
        "BEGIN; SELECT 1/0",
    ],
)
def test_it_follows_what_has_become_of_its_table(
    database: Address, change: str, write: str
) -> None:
    outcomes = []
    for is_warm in (True, False):
        with database.connect() as connection:
            connection.execute("DROP SCHEMA IF EXISTS s CASCADE")
            connection.execute("DROP ROLE IF EXISTS nobody")
            connection.execute("DROP TABLE IF EXISTS t, u CASCADE")
            connection.execute("CREATE TABLE t (a int PRIMARY KEY, b text, c int)")
            for number in range(3 if is_warm else 0):
                connection.execute(write.format(number))
                connection.execute("DELETE FROM t")
            connection.execute("INSERT INTO t VALUES (1, 'first', 2)")
            for piece in change.split("; "):
                outcome(connection, piece)
            # The first is a text that was said before, which is bound anew.
            told = [outcome(connection, write.format(number)) for number in (0, 5)]
            outcome(connection, "ROLLBACK")
            connection.execute("RESET ROLE")
            found = outcome(connection, "TABLE t"), outcome(connection, "SELECT * FROM t")
            outcomes.append((told, found))
    assert outcomes[0] == outcomes[1]
