"""A session that follows RisingWave's habits gets its texts, its tags and its BEGIN."""

from __future__ import annotations

from datetime import datetime

import psycopg
import pytest

from tests.support.server import Address, Connection

#: Of each type texts of one value: PostgreSQL's, and RisingWave's, which writes times as chrono does
#: and floats as ryu does, but for the exponent.
TEXTS = (
    ("timestamptz", "2022-10-01 20:00:00+00", "2022-10-01 20:00:00+00:00"),
    ("timestamptz", "2022-10-01 20:00:00.1+00", "2022-10-01 20:00:00.100+00:00"),
    ("timestamptz", "0002-10-01 20:00:00.12+00 BC", "0002-10-01 20:00:00.120+00:00 BC"),
    ("timestamptz", "infinity", "infinity"),
    ("timestamp", "2022-10-01 20:00:00.1234", "2022-10-01 20:00:00.123400"),
    ("timestamp", "2022-10-01 20:00:00.12345", "2022-10-01 20:00:00.123450"),
    ("timestamp", "2022-10-01 20:00:00", "2022-10-01 20:00:00"),
    ("time", "10:11:12.123456", "10:11:12.123456"),
    ("time", "10:11:12.07", "10:11:12.070"),
    ("date", "2022-10-01", "2022-10-01"),
    ("float8", "5e+15", "5000000000000000"),
    ("float8", "-1.2345e+15", "-1234500000000000"),
    ("float8", "1e+16", "1e+16"),
    ("float8", "1.5e-05", "0.000015"),
    ("float8", "1.5e-06", "1.5e-06"),
    ("float8", "-Infinity", "-Infinity"),
    ("float4", "1e+06", "1000000"),
    ("float4", "1e+13", "1e+13"),
    ("float4", "1.5e-06", "0.0000015"),
)


def test_times_and_floats_are_shown_as_risingwave_shows_them(database: Address) -> None:
    with database.connect() as connection:
        for number, style in enumerate(("postgres", "risingwave")):
            connection.execute(f"SET compatibility = '{style}'")
            columns = [f"'{texts[0]}'::{pg_type}" for pg_type, *texts in TEXTS]
            shown = [texts[number] for _, *texts in TEXTS]
            query = f"SELECT {', '.join([*columns, *(f'{c}::text' for c in columns)])}"
            result = connection.pgconn.exec_(query.encode())
            found = [(result.get_value(0, n) or b"").decode() for n in range(result.nfields)]
            assert found == shown * 2, result.error_message
            for pg_type, *texts in (TEXTS[1], TEXTS[10]):
                query = f"""SELECT array[x], array[x]::text, row(x, array[x]), row(x, array[x])::text
                    FROM (SELECT '{texts[0]}'::{pg_type} AS x) AS v"""
                result = connection.pgconn.exec_(query.encode())
                found = [(result.get_value(0, n) or b"").decode() for n in range(4)]
                assert [text.count(texts[number]) for text in found] == [1, 1, 2, 2]
                assert [text.count(texts[1 - number]) for text in found] == [0, 0, 0, 0]


def test_zones_have_their_minutes_wherever_they_are(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("SET compatibility = 'risingwave'")
        connection.execute("SET timezone = 'America/New_York'")
        query = b"SELECT '0001-01-01 01:01:01'::timestamptz"  # Before there were zones: 4:56:02.
        assert connection.pgconn.exec_(query).get_value(0, 0) == b"0001-01-01 01:01:01-04:56"
        for zone, offset in (("Asia/Kolkata", "+05:30"), ("US/Pacific", "-07:00")):
            connection.execute(f"SET timezone = '{zone}'")
            text = "'2022-10-01 00:00:00+00'::timestamptz"
            (shown, moment), *_ = connection.execute(f"SELECT {text}::text, {text}").fetchall()
            assert shown.endswith(offset)
            assert moment == datetime.fromisoformat("2022-10-01 00:00:00+00:00")


def test_tags_are_the_names_of_kinds(database: Address) -> None:
    expected = (
        ("CREATE TABLE t (a int)", "CREATE_TABLE"),
        ("INSERT INTO t VALUES (1), (2)", "INSERT 0 2"),
        ("CREATE MATERIALIZED VIEW m AS SELECT a FROM t", "CREATE_MATERIALIZED_VIEW"),
        ("SELECT a FROM m", "SELECT 2"),
        ("SHOW TABLES", "SHOW_COMMAND"),
        ("SHOW search_path", "SHOW_VARIABLE"),
        ("SET search_path = public", "SET_VARIABLE"),
        ("ALTER TABLE t ADD COLUMN b int", "ALTER_TABLE"),
        ("FLUSH", "FLUSH"),
        ("CREATE USER u", "CREATE_USER"),
        ("GRANT SELECT ON m TO u", "GRANT_PRIVILEGE"),
        ("REVOKE SELECT ON m FROM u", "REVOKE_PRIVILEGE"),
        ("DROP USER u", "DROP_USER"),
        ("DROP MATERIALIZED VIEW m", "DROP_MATERIALIZED_VIEW"),
        ("START TRANSACTION READ ONLY", "START_TRANSACTION"),
        ("ROLLBACK", "ROLLBACK"),
    )
    with database.connect() as connection:
        connection.execute("SET compatibility = 'risingwave'")
        for statement, tag in expected:
            assert connection.execute(statement).statusmessage == tag, statement
        connection.execute("SET compatibility = 'postgres'")
        assert connection.execute("DROP TABLE t").statusmessage == "DROP TABLE"


def test_lists_name_the_schemas(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        for habits, name in (("postgres", "t"), ("risingwave", "public.t")):
            connection.execute(f"SET compatibility = '{habits}'".encode())
            assert connection.execute("SHOW TABLES").fetchall() == [(name,)]


def is_in_block(connection: Connection) -> bool:
    return connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS


def test_a_block_that_might_write_is_none(database: Address) -> None:
    with database.connect() as connection:
        said: list[str | None] = []
        connection.add_notice_handler(lambda diagnostic: said.append(diagnostic.message_primary))
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("SET compatibility = 'risingwave'")
        connection.execute("BEGIN")
        assert said[-1] is not None
        assert said[-1].startswith("Read-write transaction is not supported yet.")
        assert not is_in_block(connection)
        connection.execute("INSERT INTO t VALUES (1)")
        connection.execute("ROLLBACK")
        assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
        connection.execute("BEGIN READ ONLY")
        assert is_in_block(connection)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("INSERT INTO t VALUES (2)")
        connection.execute("CREATE TABLE IF NOT EXISTS t (a int)")  # There is nothing to make.
        # A block that only reads goes on after an error.
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("SELECT 1 / (a - a) FROM t")
        assert is_in_block(connection)
        assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
        connection.execute("ROLLBACK")
        connection.execute("SET compatibility = 'postgres'")
        connection.execute("BEGIN READ ONLY")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("INSERT INTO t VALUES (2)")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SELECT a FROM t")


def test_who_spells_as_risingwave_is_told_and_followed(database: Address) -> None:
    with database.connect() as connection:
        said: list[str | None] = []
        connection.add_notice_handler(lambda diagnostic: said.append(diagnostic.message_hint))
        connection.execute("SET implicit_flush = on")
        assert connection.execute("SHOW compatibility").fetchall() == [("postgres",)]
        connection.execute("SET RW_IMPLICIT_FLUSH TO true")
        assert connection.execute("SHOW compatibility").fetchall() == [("risingwave",)]
        connection.execute("SET rw_implicit_flush TO true")
        assert len(said) == 1
        connection.execute("RESET compatibility")
        assert connection.execute("SELECT '00:00:00.1'::time::text").fetchall() == [("00:00:00.1",)]


def test_what_was_answered_in_one_manner_is_not_given_in_the_other(database: Address) -> None:
    with database.connect() as connection, database.connect() as other:
        connection.execute("CREATE TABLE t (a timestamptz)")
        connection.execute("INSERT INTO t VALUES ('2022-10-01 00:00:00+00')")
        other.execute("SET compatibility = 'risingwave'")
        for _ in range(3):
            shown = connection.pgconn.exec_(b"SELECT a FROM t").get_value(0, 0)
            assert shown == b"2022-10-01 00:00:00+00"
            shown = other.pgconn.exec_(b"SELECT a FROM t").get_value(0, 0)
            assert shown == b"2022-10-01 00:00:00+00:00"


def test_a_block_that_a_driver_began_before_is_none_either(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("BEGIN")
        connection.execute("SET rw_implicit_flush TO true")
        assert not is_in_block(connection)
        connection.execute("CREATE TABLE kept AS SELECT 1 AS a")
        connection.execute("INSERT INTO kept VALUES (2)")
    with database.connect() as connection:
        assert connection.execute("SELECT a FROM kept ORDER BY a").fetchall() == [(1,), (2,)]


def test_a_name_of_several_columns_groups_by_the_output(database: Address) -> None:
    query = """SELECT a.n AS n, count(*) FROM (VALUES (1), (1), (2)) AS a(n)
        JOIN (VALUES (1), (2)) AS b(n) ON a.n = b.n GROUP BY n ORDER BY 1"""
    with database.connect() as connection:
        with pytest.raises(psycopg.errors.AmbiguousColumn):
            connection.execute(query)
        connection.execute("SET compatibility = 'risingwave'")
        assert connection.execute(query).fetchall() == [(1, 2), (2, 1)]
