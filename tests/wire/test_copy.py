"""COPY over the wire: what goes in comes out again, and what is wrong leaves nothing."""

from __future__ import annotations

import asyncio
import io
import struct
import time
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import psycopg2
import pytest

from tests.support.rawwire import RawWire, kinds, sqlstates, tags
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


def copy_in(connection: Connection, sql: str, data: bytes | str) -> str | None:
    with connection.cursor() as cursor:
        with cursor.copy(sql.encode()) as copy:
            copy.write(data)
        return cursor.statusmessage


def copy_out(connection: Connection, sql: str) -> bytes:
    with connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
        return b"".join(bytes(piece) for piece in copy)


def refused(connection: Connection, sql: str, data: bytes | str) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as caught:
        copy_in(connection, sql, data)
    return caught.value


def values(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql.encode()).fetchall()


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
        ("COPY t FROM STDIN (ENCODING 'latin1')", "22023"),
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
        ("", b"1\ta\n\n", "22P04", 'missing data for column "v"', 'COPY t, line 2: ""'),
        (
            *("", b"1\ta\n2\t\xff\n", "22021"),
            *('invalid byte sequence for encoding "UTF8": 0xff', "COPY t, line 2"),
        ),
        (
            *("", b"1\t\\xff\n", "22021"),
            *('invalid byte sequence for encoding "UTF8": 0xff', "COPY t, line 1"),
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
        ("CSV", b'1,"a\nb"\n2,"a",b\n', "22P04", None, 'COPY t, line 3: "2,"a",b"'),
        ("(HEADER match)", b"k\tw\n", "22P04", None, "COPY t, line 1"),
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


# The protocol.


def data(*pieces: bytes) -> bytes:
    return b"".join(b"d" + struct.pack("!i", len(piece) + 4) + piece for piece in pieces)


DONE = b"c" + struct.pack("!i", 4)


def test_data_may_be_cut_anywhere(two: Connection, database: Address) -> None:
    text = "1\té\n2\t\\N\n3\tline\\nend\n".encode()
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN")
        assert wire.receive().body == struct.pack("!bhhh", 0, 2, 0, 0)
        wire.send_raw(data(*(text[i : i + 1] for i in range(len(text)))) + DONE)
        assert tags(wire.until_ready()) == ["COPY 3"]
    assert values(two, "SELECT v FROM t ORDER BY k") == [("é",), (None,), ("line\nend",)]


def test_the_extended_protocol_ignores_sync_while_it_copies(
    two: Connection, database: Address
) -> None:
    with RawWire(database) as wire:
        wire.parse("COPY t FROM STDIN")
        wire.bind()
        wire.describe("P")
        wire.execute()
        wire.sync()
        wire.send("H")
        wire.send_raw(data(b"1\ta\n") + DONE)
        wire.sync()
        messages = wire.until_ready()
        assert (kinds(messages), tags(messages)) == ("12nGCZ", ["COPY 1"])
        wire.parse("COPY t TO STDOUT")
        wire.bind()
        wire.execute()
        wire.sync()
        assert kinds(wire.until_ready()) == "12HdcCZ"
    assert values(two, "SELECT * FROM t") == [(1, "a")]


def test_after_an_error_the_rest_is_skipped(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN; SELECT 1")
        wire.send_raw(data(b"x\ta\n" * 300_000, b"1\ta\n") + DONE)
        messages = wire.until_ready()
        assert (kinds(messages), sqlstates(messages)) == ("GEZ", ["22P02"])
        wire.parse("COPY t FROM STDIN")
        wire.bind()
        wire.execute()
        wire.send_raw(data(b"x\ta\n" * 300_000))
        wire.parse("SELECT 1")
        wire.send_raw(data(b"1\ta\n") + DONE)
        wire.sync()
        messages = wire.until_ready()
        assert (kinds(messages), sqlstates(messages)) == ("12GEZ", ["22P02"])
        wire.query("SELECT count(*) FROM t")
        assert kinds(wire.until_ready()) == "TDCZ"


def test_several_copies_in_one_string(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN; COPY t FROM STDIN; COPY t TO STDOUT; SELECT 1")
        assert wire.receive().kind == "G"
        wire.send_raw(data(b"1\ta\n") + DONE)
        assert [wire.receive().kind for _ in "CG"] == ["C", "G"]
        wire.send_raw(data(b"2\tb\n") + DONE)
        messages = wire.until_ready()
        assert kinds(messages) == "CHddcCTDCZ"
        assert tags(messages) == ["COPY 1", "COPY 2", "SELECT 1"]


def test_copyfail_ends_it(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN")
        wire.send_raw(data(b"1\ta\n"))
        wire.send("f", b"changed my mind\0")
        messages = wire.until_ready()
        assert messages[1].fields["M"] == "COPY from stdin failed: changed my mind"
        assert sqlstates(messages) == ["57014"]
    assert values(two, "SELECT * FROM t") == []


def test_a_client_that_vanishes_leaves_nothing(two: Connection, database: Address) -> None:
    with RawWire(database) as wire:
        wire.query("COPY t FROM STDIN")
        assert wire.receive().kind == "G"
        wire.send_raw(data(b"".join(b"%d\ta\n" % i for i in range(300_000))))
    deadline = time.monotonic() + 10
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    while values(two, query) != [(1,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert values(two, "SELECT * FROM t") == []


def test_cancel_ends_it(two: Connection, database: Address) -> None:
    with database.connect() as other:

        def write_until_canceled() -> None:
            with other.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as copy:
                copy.write("1\ta\n")
                other.cancel()
                deadline = time.monotonic() + 10
                while time.monotonic() < deadline:
                    copy.write("2\tb\n" * 1000)

        with pytest.raises(psycopg.errors.QueryCanceled):
            write_until_canceled()
        assert values(other, "SELECT * FROM t") == []


# Transactions and the pause.


def test_in_a_transaction_it_is_part_of_it(two: Connection, database: Address) -> None:
    two.execute("CREATE TABLE free (a text)")
    with database.connect(autocommit=False) as other:
        copy_in(other, "COPY t FROM STDIN", "1\ta\n2\tb\n")
        copy_in(other, "COPY t FROM STDIN CSV", '2,"c"\n')
        copy_in(other, "COPY free FROM STDIN", "x\nx\n")
        assert copy_out(other, "COPY (SELECT * FROM t ORDER BY k) TO STDOUT") == b"1\ta\n2\tc\n"
        assert values(two, "SELECT * FROM t") == []
        other.rollback()
        assert values(other, "SELECT * FROM t") == []
        copy_in(other, "COPY t FROM STDIN", "3\tc\n")
        other.execute("SAVEPOINT s")
        assert refused(other, "COPY t FROM STDIN", "4\td\nx\te\n").sqlstate == "22P02"
        other.execute("ROLLBACK TO SAVEPOINT s")
        copy_in(other, "COPY free FROM STDIN", "y\n")
        other.commit()
    assert values(two, "SELECT * FROM t") == [(3, "c")]
    assert values(two, "SELECT * FROM free") == [("y",)]


def test_a_read_only_transaction_takes_none(two: Connection) -> None:
    two.execute("BEGIN READ ONLY")
    assert refused(two, "COPY t FROM STDIN", "1\ta\n").sqlstate == "25006"
    two.execute("ROLLBACK")


def test_without_flush_it_does_not_wait(two: Connection) -> None:
    two.execute("SET implicit_flush = off")
    copy_in(two, "COPY t FROM STDIN", "1\ta\n")
    two.execute("FLUSH")
    assert values(two, "SELECT * FROM t") == [(1, "a")]


def test_it_waits_before_and_behind_the_data(two: Connection, database: Address) -> None:
    with RawWire(database) as early, RawWire(database) as late:
        late.query("COPY t FROM STDIN")
        assert late.receive().kind == "G"
        late.send_raw(data(b"1\tlate\n"))
        two.execute(f"ALTER DATABASE {database.database} PAUSE")
        early.query("COPY t FROM STDIN")
        assert early.receive().kind == "N"
        late.send_raw(DONE)
        assert late.receive().kind == "N"
        assert values(two, "SELECT * FROM t") == []
        two.execute("SET paused_dml = 'error'")
        assert refused(two, "COPY t FROM STDIN", "3\tc\n").sqlstate == "55000"
        two.execute(f"ALTER DATABASE {database.database} RESUME")
        assert tags(late.until_ready()) == ["COPY 1"]
        assert early.receive().kind == "G"
        early.send_raw(data(b"2\tearly\n") + DONE)
        assert tags(early.until_ready()) == ["COPY 1"]
    assert values(two, "SELECT * FROM t ORDER BY k") == [(1, "late"), (2, "early")]


@pytest.mark.slow
def test_a_million_rows_need_no_memory_of_their_own(two: Connection, launch: Any) -> None:
    """The rows are stored by the engine; what Python holds does not grow with them."""
    server = launch(None)
    piece = "".join(
        f"{i}\t{i % 97}\t{i / 8}\tword {i % 1009}\t2024-01-05 12:00:00\n" for i in range(10_000)
    )

    def resident_mb() -> float:
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    with server.address.connect() as connection:
        connection.execute("CREATE TABLE b (i bigint, k int, v float8, s text, at timestamp)")
        copy_in(connection, "COPY b FROM STDIN", piece)
        before = resident_mb()
        with connection.cursor() as cursor:
            with cursor.copy("COPY b FROM STDIN") as copy:
                for _ in range(100):
                    copy.write(piece)
            assert cursor.statusmessage == "COPY 1000000"
            size = 0
            with cursor.copy("COPY b TO STDOUT") as copy:
                for line in copy:
                    size += len(line)
        assert size > 101 * len(piece) * 0.9
        assert resident_mb() - before < 700
