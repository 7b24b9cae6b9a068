"""Errors in RisingWave's words, where a session follows its habits: the SQLSTATE stays."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.server import Address

#: A statement, its SQLSTATE, and the causes that RisingWave 3 gives for it.
ERRORS = (
    ("SELECT * FROM nowhere", "42P01", ("Catalog error", "table or source not found: nowhere")),
    ("DROP TABLE nowhere", "42P01", ("Catalog error", "table not found: nowhere")),
    ("DROP SOURCE nowhere", "42P01", ("Catalog error", "source not found: nowhere")),
    ("DROP SINK nowhere", "42P01", ("Catalog error", "sink not found: nowhere")),
    ("DROP TABLE nowhere.t", "3F000", ("Catalog error", "schema not found: nowhere")),
    (
        "DROP MATERIALIZED VIEW t",
        "42809",
        ("Invalid input syntax: Use `DROP TABLE` to drop a table.",),
    ),
    ("DROP SOURCE t", "42809", ("Invalid input syntax: Use `DROP TABLE` to drop a table.",)),
    ("DROP VIEW t", "42809", ("Catalog error", "view not found: t")),
    ("DROP TABLE v", "42809", ("Catalog error", "table not found: v")),
    ("DROP TABLE t", "2BP01", ("Permission denied: table used by 1 other objects.",)),
    ("SELECT 1 / (a - a) FROM t", "22012", ("Expr error", "Division by zero")),
    ("SELECT 2147483647 + a FROM t", "22003", ("Expr error", "Numeric out of range")),
    (
        "SELECT (SELECT 1 FROM generate_series(1, 2)) FROM t",
        "21000",
        ("Expr error", "Scalar subquery produced more than one row"),
    ),
    (
        "UPDATE t SET a = 1, a = 2",
        "42601",
        ("Bind error: multiple assignments to the same column",),
    ),
    (
        "SELECT b FROM t",
        "42703",
        ("Failed to bind expression: b", "Item not found: Invalid column: b"),
    ),
    (
        "SELECT a + a = b FROM t",
        "42703",
        ("Failed to bind expression: a + a = b", "Item not found: Invalid column: b"),
    ),
    (
        "SELECT 1 + nope(a) FROM t",
        "42883",
        ("Failed to bind expression: 1 + nope(a)", "function nope(integer) does not exist"),
    ),
    (
        "SELECT 1 FROM t WHERE a+'{}'::jsonb",
        "42883",
        (
            "Failed to bind expression: a + CAST('{}' AS JSONB)",
            "function add(integer, jsonb) does not exist",
        ),
    ),
    (
        "SELECT map_filter(MAP{'a':1}, |k,v| v+1)",
        "42804",
        (
            "Failed to bind expression: map_filter(MAP {'a': 1}, |k, v| v + 1)",
            "Bind error: Lambda must return Boolean type, got integer",
        ),
    ),
    (
        "SELECT map_from_entries(array[row('a',1,2)])",
        "22023",
        (
            "Failed to bind expression: map_from_entries(ARRAY[ROW('a', 1, 2)])",
            "Expr error",
            (
                "the underlying struct for map must have exactly two fields, got: Varchar, Int32, "
                "Int32"
            ),
        ),
    ),
    (
        "CREATE TABLE m (m map(float8, int))",
        "22023",
        ("Bind error: invalid map key type: double precision",),
    ),
    (
        "SELECT 1 AS b UNION CORRESPONDING BY (z) SELECT 1 AS b",
        "42703",
        (
            (
                "Invalid input syntax: Column name `z` in CORRESPONDING BY is not found in a side of "
                "the UNION operation. It shall be included in both sides."
            ),
        ),
    ),
    (
        "SELECT 1 LIMIT generate_series(1, 2)",
        "0A000",
        (
            "Expr error",
            (
                "expects an integer or expression that can be evaluated to an integer after LIMIT, "
                "but found non-const expression"
            ),
        ),
    ),
    (
        "SELECT 'nowhere'::regclass",
        "42P01",
        ("Expr error", "Invalid parameter name: class not found: nowhere"),
    ),
    (
        "ALTER TABLE v ADD COLUMN b int",
        "42809",
        ('Invalid input syntax: "v" is not a table or cannot be altered',),
    ),
    (
        "ALTER TABLE t DROP COLUMN a",
        "0A000",
        ("Feature is not yet implemented: dropping the only column of a table is not supported",),
    ),
    (
        "SET nothing_of_this_name = 1",
        "42704",
        (
            "Failed to get or set session config",
            "Unrecognized config entry `nothing_of_this_name`",
        ),
    ),
)


def told(connection: psycopg.Connection[tuple[object, ...]], sql: str) -> tuple[str, str]:
    with pytest.raises(psycopg.Error) as failed:
        connection.execute(sql)
    return failed.value.diag.sqlstate or "", failed.value.diag.message_primary or ""


def test_risingwaves_words_come_with_postgresqls_codes(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.execute("CREATE VIEW v AS SELECT a FROM t")
        plain = [told(connection, sql) for sql, _, _ in ERRORS]
        connection.execute("SET compatibility = 'risingwave'")
        for (sql, sqlstate, causes), (was_sqlstate, was) in zip(ERRORS, plain, strict=True):
            code, message = told(connection, sql)
            assert (code, was_sqlstate) == (sqlstate, sqlstate), sql
            assert message.startswith("Failed to run the query\n\nCaused by"), sql
            assert (
                tuple(
                    line.split(": ", 1)[-1] if len(causes) > 1 else line.strip()
                    for line in message.splitlines()[3:]
                )
                == causes
            ), sql
            assert "Failed to" not in was, sql


def test_what_risingwave_does_not_alter_is_refused_to_who_follows_its_habits(
    database: Address,
) -> None:
    refused = {
        "ALTER TABLE t ALTER COLUMN a TYPE bigint": "only types containing struct can be altered",
        "ALTER TABLE t ADD COLUMN k int PRIMARY KEY": "alter primary key of table is not supported",
    }
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (a int, s struct<x int>)")
        connection.execute("SET compatibility = 'risingwave'")
        for sql, words in refused.items():
            code, message = told(connection, sql)
            assert (code, message.splitlines()[-1]) == ("0A000", f"  Invalid input syntax: {words}")
        connection.execute("ALTER TABLE t ALTER COLUMN s TYPE struct<x int, y text>")
        code, message = told(connection, "ALTER TABLE t ALTER COLUMN s TYPE map(varchar, int)")
        assert message.endswith("incompatible data type change from Struct to Map")
        connection.execute("SET compatibility = 'postgres'")
        for sql in refused:
            connection.execute(sql.encode())


def test_drop_if_exists_of_what_there_is_none_of_is_a_notice(database: Address) -> None:
    with database.connect() as connection:
        said: list[str] = []
        connection.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        connection.execute("DROP SOURCE IF EXISTS a")
        connection.execute("DROP SUBSCRIPTION IF EXISTS b")
        assert said == [
            'source "a" does not exist, skipping',
            'subscription "b" does not exist, skipping',
        ]


def test_functions_about_privileges_name_the_argument_that_is_wrong(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        asked = (
            ("has_table_privilege('nobody', 't', 'SELECT')", "user: User nobody not found"),
            ("has_table_privilege('nothing', 'SELECT')", "name: class not found: nothing"),
            ("has_schema_privilege('nowhere', 'USAGE')", "schema: schema not found: nowhere"),
            (
                "has_table_privilege('t', 'SELEC')",
                'privilege: unrecognized privilege type: "SELEC"',
            ),
        )
        plain = [told(connection, f"SELECT {call}") for call, _ in asked]
        connection.execute("SET compatibility = 'risingwave'")
        for (call, words), (code, was) in zip(asked, plain, strict=True):
            assert told(connection, f"SELECT {call}") == (code, f"Invalid parameter {words}")
            assert "Invalid parameter" not in was
