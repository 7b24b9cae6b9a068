"""COPY over the wire: what goes in comes out again, and what is wrong leaves nothing."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import psycopg2
import pytest

from tests.support.copying import copy_in, copy_out, refused, values
from tests.support.rawwire import RawWire, kinds, sqlstates
from tests.support.server import Address, Connection
from tests.wire.test_psql import psql
from tests.wire.test_values import NAMES, VALUES

TYPED = ", ".join(f"c{i} {kind}" for i, kind in enumerate(NAMES))
TRICKY = [
    "",
    "plain",
    "\\N",
    "\\",
    "tab\there",
    "line\nend",
    "line\r\nend\r",
    '"quoted", and, commas',
    "\\.",
    "back\\slash\\t",
    "☂ tide Ω 𝄞",
    "\x01\x08\x0b\x0c",
    " blanks ",
    "NULL",
]


@pytest.fixture
def two(connection: Connection) -> Connection:
    """A table of two columns."""
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, v text)")
    return connection


# What goes in comes out.


@pytest.mark.parametrize("form", ["text", "csv", "binary"])
def test_every_type_comes_back(form: str, connection: Connection) -> None:
    for name in ("t", "u"):
        connection.execute(f"CREATE TABLE {name} (id int PRIMARY KEY, {TYPED})".encode())
    given = tuple(value for _, value, _ in VALUES)
    marks = ", ".join(["%s"] * len(given))
    connection.execute(f"INSERT INTO t VALUES (1, {marks})".encode(), given)
    connection.execute("INSERT INTO t (id) VALUES (2)")
    data = copy_out(connection, f"COPY (SELECT * FROM t ORDER BY id) TO STDOUT (FORMAT {form})")
    assert copy_in(connection, f"COPY u FROM STDIN (FORMAT {form})", data) == "COPY 2"
    assert values(connection, "SELECT * FROM u ORDER BY id") == [
        (1, *given),
        (2, *[None] * len(given)),
    ]


@pytest.mark.parametrize(
    "options",
    [
        "FORMAT text",
        "FORMAT text, DELIMITER '|', NULL ''",
        "FORMAT text, HEADER",
        "FORMAT csv",
        "FORMAT csv, HEADER match",
        "FORMAT csv, DELIMITER ';', QUOTE '''', NULL 'NULL'",
        "FORMAT csv, ESCAPE '\\'",
        "FORMAT binary",
    ],
)
def test_every_text_comes_back(options: str, two: Connection) -> None:
    two.execute("CREATE TABLE u (k int, v text)")
    with two.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", [*enumerate(TRICKY), (-1, None)])
    out = options.replace("HEADER match", "HEADER")
    data = copy_out(two, f"COPY t TO STDOUT ({out})")
    if "NULL ''" in options:  # In the text format an empty text is NULL then, there as here.
        two.execute("UPDATE t SET v = NULL WHERE v = ''")
    assert copy_in(two, f"COPY u FROM STDIN ({options})", data) == f"COPY {len(TRICKY) + 1}"
    query = "SELECT k, v FROM {} ORDER BY k"
    assert values(two, query.format("u")) == values(two, query.format("t"))


def test_psycopg_writes_and_reads_rows(two: Connection) -> None:
    rows = [(1, "one"), (2, None), (3, "a\tb\\c\nd")]
    with two.cursor() as cursor:
        with cursor.copy("COPY t (k, v) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        with cursor.copy("COPY (SELECT * FROM t ORDER BY k) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["int4", "text"])
            assert list(copy.rows()) == rows


def test_asyncpg_copies_records_and_queries(two: Connection, database: Address) -> None:
    async def run() -> tuple[str, str, bytes]:
        session = await asyncpg.connect(database.url, timeout=10)
        try:
            into = await session.copy_records_to_table("t", records=[(1, "one"), (2, None)])
            out = io.BytesIO()
            from_ = await session.copy_from_query(
                "SELECT * FROM t WHERE k < $1 ORDER BY k", 3, output=out, format="csv"
            )
            return into, from_, out.getvalue()
        finally:
            await session.close(timeout=5)

    assert asyncio.run(run()) == ("COPY 2", "COPY 2", b"1,one\n2,\n")


def test_psycopg2_copies_files(two: Connection, database: Address) -> None:
    session = psycopg2.connect(database.url)
    try:
        cursor = session.cursor()
        cursor.copy_from(io.StringIO("1\tone\n2\t\\N\n"), "t")
        session.commit()
        out = io.StringIO()
        cursor.copy_expert("COPY t (v) TO STDOUT WITH CSV HEADER", out)
        assert sorted(out.getvalue().splitlines()) == ["", "one", "v"]
    finally:
        session.close()


def test_psql_copies_files(two: Connection, database: Address, tmp_path: Path) -> None:
    given, taken = tmp_path / "given.csv", tmp_path / "taken.tsv"
    given.write_text('k,v\n1,"a ""b""\nc"\n2,\n')
    done = psql(database, "-c", f"\\copy t FROM '{given}' CSV HEADER")
    assert (done.stdout, done.stderr) == ("COPY 2\n", "")
    done = psql(database, "-c", f"\\copy (SELECT * FROM t ORDER BY k) TO '{taken}'")
    assert taken.read_text() == '1\ta "b"\\nc\n2\t\\N\n', done.stderr
    done = psql(database, script="COPY t FROM STDIN;\n7\tseven\n\\.\nSELECT count(*) FROM t;\n")
    assert "COPY 1" in done.stdout, done.stderr


# The formats.


@pytest.mark.parametrize(
    ("options", "data", "expected"),
    [
        ("", "1\ta\n2\t\\N\n", [(1, "a"), (2, None)]),
        ("", "1\ta\n2\tb", [(1, "a"), (2, "b")]),
        ("", "1\ta\r\n2\tb\r\n", [(1, "a"), (2, "b")]),
        ("", "1\ta\r2\tb\r", [(1, "a"), (2, "b")]),
        ("", "1\tA\\102\\x43\\d\n", [(1, "ABCd")]),
        ("", "1\t\\u00e9\\\\n\n", [(1, "u00e9\\n")]),
        ("", "1\ta\\\tb\n2\ta\\\nb\n3\tc\\\\\n", [(1, "a\tb"), (2, "a\nb"), (3, "c\\")]),
        ("", "1\ta\n\\.\n2\tnot read\n", [(1, "a")]),
        ("", "", []),
        ("DELIMITER ','", "1,a\n", [(1, "a")]),
        ("WITH DELIMITER AS ',' NULL AS 'x'", "1,a\n2,x\n", [(1, "a"), (2, None)]),
        ("CSV HEADER", "k,v\n1,a\n", [(1, "a")]),
        ("CSV", '1,\n2,""\n3," x "\n', [(1, None), (2, ""), (3, " x ")]),
        ("CSV", '1,a\r\n2,"b\r\nc"\r\n', [(1, "a"), (2, "b\r\nc")]),
        ("CSV", '1,a"b,c"d\n', [(1, "ab,cd")]),
        ("CSV", "1,\\N\n\\.\n", [(1, "\\N")]),
        ("CSV ESCAPE '\\'", '1,"a\\"b\\\\c\\d"\n', [(1, 'a"b\\c\\d')]),
        ("(FORMAT csv, FORCE_NOT_NULL (v))", "1,\n", [(1, "")]),
        ("(FORMAT csv, FORCE_NULL (v))", '1,""\n', [(1, None)]),
    ],
)
def test_the_data_are_read_as_postgresql_reads_them(
    options: str, data: str, expected: list[tuple[Any, ...]], two: Connection
) -> None:
    assert copy_in(two, f"COPY t FROM STDIN {options}", data) == f"COPY {len(expected)}"
    assert values(two, "SELECT * FROM t ORDER BY k") == expected


def test_forms_that_only_python_knows_are_read_too(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (d date, i int[][], n numeric(6,2), z timestamptz)")
    connection.execute("SET TIME ZONE 'Europe/Paris'")
    data = "Jan 5, 2024\t{{1,2},{3,NULL}}\t 1e2 \t2024-07-01 12:00\n"
    copy_in(connection, "COPY t FROM STDIN", data)
    assert copy_out(connection, "COPY t (d, n, z) TO STDOUT") == (
        b"2024-01-05\t100.00\t2024-07-01 12:00:00+02\n"
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", b'1\ta,"b"\\n\n2\t\\N\n3\t\n'),
        ("WITH DELIMITER ',' NULL 'none'", b'1,a\\,"b"\\n\n2,none\n3,\n'),
        ("WITH CSV HEADER", b'k,v\n1,"a,""b""\n"\n2,\n3,""\n'),
        ("(FORMAT csv, FORCE_QUOTE *)", b'"1","a,""b""\n"\n"2",\n"3",""\n'),
        ("(FORMAT csv, ESCAPE '\\')", b'1,"a,\\"b\\"\n"\n2,\n3,""\n'),
    ],
)
def test_the_data_look_as_those_of_postgresql(
    options: str, expected: bytes, two: Connection
) -> None:
    two.execute("INSERT INTO t VALUES (1, 'a,\"b\"\n'), (2, NULL), (3, '')")
    got = copy_out(two, f"COPY (SELECT * FROM t ORDER BY k) TO STDOUT {options}")
    assert got == expected


def test_many_columns_are_copied(connection: Connection) -> None:
    columns = ", ".join(f"c{i} int" for i in range(60))
    connection.execute(f"CREATE TABLE t ({columns})".encode())
    line = "\t".join(str(i) if i % 3 else "\\N" for i in range(60)) + "\n"
    copy_in(connection, "COPY t FROM STDIN", line)
    assert copy_out(connection, "COPY t TO STDOUT").decode() == line


# What COPY reads and writes.


def test_defaults_and_column_lists(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a int DEFAULT 7, b text, c text DEFAULT 'x')")
    copy_in(connection, "COPY t (c, b) FROM STDIN", "1\t2\n")
    assert values(connection, "SELECT * FROM t") == [(7, "2", "1")]
    assert copy_out(connection, "COPY t (c, a) TO STDOUT") == b"1\t7\n"


def test_rows_of_a_key_are_replaced_and_views_follow(two: Connection) -> None:
    two.execute("CREATE MATERIALIZED VIEW w AS SELECT count(*) AS n, max(v) AS v FROM t")
    two.execute("INSERT INTO t VALUES (1, 'old')")
    copy_in(two, "COPY t FROM STDIN", "1\tfirst\n2\tb\n1\tlast\n")
    assert values(two, "SELECT * FROM t ORDER BY k") == [(1, "last"), (2, "b")]
    assert copy_out(two, "COPY w TO STDOUT") == b"2\tlast\n"
    two.execute("SET insert_conflict = 'error'")
    assert refused(two, "COPY t FROM STDIN", "2\tc\n").sqlstate == "23505"


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("COPY nothing FROM STDIN", "42P01"),
        ("COPY t (k, nothing) FROM STDIN", "42703"),
        ("COPY t (k, k) FROM STDIN", "42701"),
        ("COPY w FROM STDIN", "42809"),
        ("COPY m FROM STDIN", "42809"),
        ("COPY w TO STDOUT", "42809"),
        ("COPY (SELECT nothing FROM t) TO STDOUT", "42703"),
        ("COPY (SELECT $1) TO STDOUT", "42P02"),
        ("COPY (DELETE FROM t) TO STDOUT", "0A000"),
        ("COPY t FROM '/etc/passwd'", "42501"),
        ("COPY t TO PROGRAM 'cat'", "42501"),
        ("COPY t FROM STDIN (FORMAT xml)", "22023"),
        ("COPY t FROM STDIN (NOTHING)", "42601"),
        ("COPY t FROM STDIN (FORMAT csv, FORMAT csv)", "42601"),
        ("COPY t FROM STDIN (DELIMITER 'ab')", "0A000"),
        ("COPY t FROM STDIN (DELIMITER 'a')", "22023"),
        ("COPY t FROM STDIN (QUOTE '\"')", "0A000"),
        ("COPY t FROM STDIN (FORMAT binary, NULL '')", "42601"),
        ("COPY t FROM STDIN (ENCODING 'latin')", "22023"),
        ("COPY t TO STDOUT (ENCODING 'euc_tw')", "0A000"),
        ("COPY t TO STDOUT (HEADER match)", "0A000"),
    ],
)
def test_a_wrong_statement_is_refused_before_data_are_wanted(
    sql: str, sqlstate: str, two: Connection, database: Address
) -> None:
    two.execute("CREATE VIEW w AS SELECT * FROM t")
    two.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    with RawWire(database) as wire:
        wire.query(sql)
        messages = wire.until_ready()
        assert (kinds(messages), sqlstates(messages)) == ("EZ", [sqlstate])


# What is wrong with the data.


@pytest.mark.parametrize(
    ("options", "data", "sqlstate", "message", "context"),
    [
        (
            *("", b"1\ta\nx\tb\n", "22P02"),
            *('invalid input syntax for type integer: "x"', 'COPY t, line 2, column k: "x"'),
        ),
        (
            *("", b"99999999999\ta\n", "22003"),
            *(
                'value "99999999999" is out of range for type integer',
                'COPY t, line 1, column k: "99999999999"',
            ),
        ),
        (
            *("", b"1\ta\n2\tb\tc\n", "22P04"),
            *("extra data after last expected column", 'COPY t, line 2: "2\tb\tc"'),
        ),
        ("", b"1\ta\n2\n", "22P04", 'missing data for column "v"', 'COPY t, line 2: "2"'),
        (
            *("", b"1\ta\n\n", "22P02", 'invalid input syntax for type integer: ""'),
            'COPY t, line 2, column k: ""',
        ),
        (
            *("", b"1\ta\n2\t\xff\n", "22021"),
            *('invalid byte sequence for encoding "UTF8": 0xff', "COPY t, line 2"),
        ),
        (
            *("", b"1\t\\xff\n", "22021"),
            *('invalid byte sequence for encoding "UTF8": 0xff', 'COPY t, line 1: "1\t\\xff"'),
        ),
        (
            *("", b"1\ta\n\\N\tb\n", "23502"),
            *(
                'null value in column "k" of relation "t" violates not-null constraint',
                'COPY t, line 2: "\\N\tb"',
            ),
        ),
        ("", b"1\ta\n2\tb\rc\n", "22P04", "literal carriage return found in data", None),
        ("CSV", b'1,a\n2,"b\n', "22P04", "unterminated CSV quoted field", None),
        ("CSV", b'1,"a"\nx,"b"\n', "22P02", None, 'COPY t, line 2, column k: "x"'),
        ("CSV", b'1,"a\nb"\n2,"a",b\n', "22P04", None, 'COPY t, line 2: "2,"a",b"'),
        ("(HEADER match)", b"k\tw\n", "22P04", None, 'COPY t, line 1: "k\tw"'),
        (
            "BINARY",
            b"not at all a binary file",
            "22P04",
            "COPY file signature not recognized",
            None,
        ),
    ],
)
def test_an_error_tells_where_and_leaves_nothing(  # noqa: PLR0917
    options: str,
    data: bytes,
    sqlstate: str,
    message: str | None,
    context: str | None,
    two: Connection,
) -> None:
    error = refused(two, f"COPY t FROM STDIN {options}", data)
    assert error.sqlstate == sqlstate
    assert message in {None, error.diag.message_primary}
    if context is not None:
        assert error.diag.context == context
    assert values(two, "SELECT * FROM t") == []


def test_lengths_of_strings_are_kept(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a varchar(3), b char(3))")
    copy_in(connection, "COPY t FROM STDIN", "abc   \tx\n")
    assert values(connection, "SELECT * FROM t") == [("abc", "x  ")]
    error = refused(connection, "COPY t FROM STDIN", "abcd\tx\n")
    assert (error.sqlstate, error.diag.context) == ("22001", 'COPY t, line 1, column a: "abcd"')


def test_a_late_error_takes_the_first_rows_along(two: Connection) -> None:
    good = "".join(f"{i}\t{'v' * 40}\n" for i in range(60_000))
    error = refused(two, "COPY t FROM STDIN", good + "x\ty\n")
    assert error.diag.context == 'COPY t, line 60001, column k: "x"'
    assert values(two, "SELECT * FROM t") == []
    assert copy_in(two, "COPY t FROM STDIN", good) == "COPY 60000"


@pytest.mark.parametrize(
    "column", ["a int", "a int PRIMARY KEY", "a int UNIQUE", "a int REFERENCES p"]
)
@pytest.mark.parametrize(
    ("change", "sqlstate"),
    [("DROP TABLE t", "42P01"), ("ALTER TABLE t ADD COLUMN b int", "40001")],
)
def test_rows_for_a_table_that_is_another_when_they_have_come_are_given_up(
    database: Address, column: str, change: str, sqlstate: str
) -> None:
    with database.connect() as one, database.connect() as rival:
        one.execute("CREATE TABLE p (id int PRIMARY KEY)")
        one.execute("INSERT INTO p VALUES (1)")
        one.execute(f"CREATE TABLE t ({column})".encode())
        one.execute("SET statement_timeout = '20s'")

        def copy_meanwhile() -> None:
            with one.cursor().copy("COPY t FROM STDIN") as copy:
                copy.write("1\n")
                rival.execute(change.encode())

        with pytest.raises(psycopg.Error) as given_up:
            copy_meanwhile()
        assert given_up.value.sqlstate == sqlstate
        rival.execute("INSERT INTO p VALUES (2)")
