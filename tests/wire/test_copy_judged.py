"""COPY FROM beside a real PostgreSQL: what is read, and what is said of what cannot be."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator

import psycopg
import pytest

from tests.support.copying import copy_in, copy_out, values
from tests.support.rawwire import RawWire
from tests.support.server import Address, Connection

PLAIN = "k int, v text"
STRICT = "k int NOT NULL, v varchar(5)"
HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"


def row(*images: bytes | None) -> bytes:
    data = struct.pack("!h", len(images))
    for image in images:
        data += b"\xff\xff\xff\xff" if image is None else struct.pack("!i", len(image)) + image
    return data


ONE = row(b"\0\0\0\1", b"a")

TEXTS = [
    *(b"", b"1\ta\nx\tb\n", b"1\ta\n2\n", b"1\ta\n2\tb\tc\n", b"1\ta\n\n", b"\n"),
    *(b"1\ta\n\\N\tb\n", b"1\tabcdefgh\n", b"1\ta\n2\t\xff\n", b"1\ta\0b\n", b"1\ta\rb\n"),
    *(b"1\ta\r\n2\tb\n", b"1\ta\n2\tb\r\n", b"1\ta\r2\tb\n", b"1\ta\r2\tb\r", b"1.5\ta\n"),
    *(b"1e3\ta\n", b"1_000\ta\n", b" 7 \ta\n", b"+5\ta\n", b"\ta\n", b"99999999999\ta\n"),
    *(b"1\t" + b"x" * 300 + b"\ty\n", b"y" * 200 + b"\ta\n", b"1\ta\\", b"1\ta\\\n", b"1\t\\x\n"),
    *(b"1\t\\8\n", b"1\t\\777\n", b"1\t\\000\n", b"1\ta\n\\.\nrubbish", b"1\ta\n\\.x\n"),
    *(b"1\ta\n\\.", b"\\.\n", b"1\ta\\.\n", b"1\t\\.\n", b"1\ta\n\\.\r\n", b"x\ta\n\\.x\n"),
    *(
        b"1\ta\n2\t\\Nx\n",
        b"1\tx\\N\n",
        b"1\t\\N\t\\N\n",
        b"\xef\xbb\xbf1\ta\n",
        b"1\ta\\\nb\nx\tc\n",
    ),
]
CSVS = [
    *(b'1,a\n2,"b\n', b'1,"a"\nx,"b"\n', b'1,"a\nb"\n2,"a",b\n', b"1,a\n2\n", b"1,a\n\n"),
    *(b'1,a"b\n', b'1,a"b"c\n', b'1,"a""b"\n', b'1,""\n', b"1,\n", b",x\n", b'"",x\n'),
    *(b'1,"a"x\n', b'1, "a"\n', b'1,"a" \n', b"1,a\r\n2,b\r\n", b"1,a\n2,b\r\n", b"1,a\r\n2,b\n"),
    *(b'1,a\n2,"b\rc"\n', b"\\.\n1,a\n", b"1,a\n\\.\n2,b\n", b'1,a\n"\\.",b\n', b"1,a\n\\."),
    *(b"1,\xff\n", b'1,"abcdefghi"\n', b'"1","\n\n"\n"2",z\n', b'"x\ny",b\n', b'1,"a\nb",c\n'),
    *(b'1,"\r"\nx,b\n', b'1,a\n2,"\n"\nx,b\n', b'1,ab",c\n'),
]
BINARIES = [
    *(HEAD + ONE + END, HEAD + ONE, HEAD + END, HEAD, b"", b"PGCOPY\n", b"NOTCOPY" + HEAD[7:]),
    *(HEAD[:11] + b"\0\1\0\0" + bytes(4), HEAD[:11] + b"\1\0\0\0" + bytes(4)),
    *(HEAD[:11] + bytes(4) + b"\xff\xff\xff\xff", HEAD[:15] + b"\0\0\0\4abcd" + ONE + END),
    *(HEAD[:15] + b"\0\0\0\4ab", HEAD[:15], HEAD[:12], HEAD + row(b"\0\0\0\1") + END),
    *(HEAD + ONE + row(b"\0\0\0\1", b"a", b"b") + END, HEAD + row(b"\0\0\1", b"a") + END),
    *(HEAD + row(b"\0\0\0\0\1", b"a") + END, HEAD + ONE + row(None, b"a") + END),
    *(HEAD + ONE + row(b"\0\0\0\1", b"\xff") + END, HEAD + ONE + END + b"x"),
    *(HEAD + ONE + row(b"\0\0\0\1", b"abcdefgh") + END, HEAD + ONE + END + ONE),
    *(HEAD + ONE + ONE[:8], HEAD + ONE + ONE[:10] + b"\xff\xff\xff\xfe", HEAD + ONE + b"\0"),
    *(HEAD + ONE + b"\xff\xfe", HEAD + ONE + b"\0\2", HEAD + ONE + row(b"\0\0\0\1", b"a\0b") + END),
    *(HEAD + ONE + b"\0\2\x7f\xff\xff\xff", HEAD + row(b"\0\0\0\1", None) + END),
]
HEADERS = [b"k,v\n1,a\n", b"k,w\n1,a\n", b"k\n1,a\n", b"k,v,w\n", b"K,v\n", b"", b"k,\n", b"k,v"]

OPTIONS = [
    *("FORMAT text, QUOTE '\"'", "FORMAT binary, DELIMITER ','", "FORMAT binary, NULL ''"),
    *("FORMAT binary, HEADER", "FORMAT csv, DELIMITER '\"'", "FORMAT csv, DELIMITER 'ab'"),
    *("DELIMITER 'a'", "DELIMITER E'\\n'", "NULL E'\\n'", "DELIMITER '|', NULL '|'"),
    *("FORMAT csv, NULL '\"'", "FORMAT csv, QUOTE 'ab'", "FORMAT csv, ESCAPE 'ab'"),
    *("FORCE_QUOTE (k)", "FORMAT csv, FORCE_QUOTE (k)", "FORMAT csv, FORCE_NOT_NULL (nope)"),
    *("FORMAT csv, FORCE_NULL (k,k)", "FORCE_NULL (k)", "FORCE_NOT_NULL (k)", "FREEZE off"),
    *("FREEZE maybe", "HEADER maybe", "HEADER 2", "NOTHING", "FORMAT csv, FORMAT csv", "FORMAT x"),
    *("ENCODING 'utf8'", "ENCODING 'nope'", "ENCODING", "DELIMITER", "FORMAT", "NULL", "QUOTE"),
    *("FORMAT csv, FORCE_NULL *", "FORMAT csv, FORCE_QUOTE *", "FORMAT csv, FORCE_NULL"),
    *("DELIMITER ''", "FORMAT csv, QUOTE ''", "FORMAT csv, HEADER true, HEADER", "DELIMITER 'é'"),
]
WHERES = [
    *("k > 1", "v = 'b'", "k > 1 AND v LIKE 'b%'", "v IS NULL", "false", "NULL", "t.k = 2"),
    *("nope > 1", "k", "k > (SELECT 1)", "count(*) > 1", "u.k > 1", "row_number() OVER () > 1"),
    *("length(v) > 1", "k = $1"),
]
ENCODED = [
    *(("latin1", "1\té\n2\tü\n".encode("latin1")), ("LATIN9", "1\t€\n".encode("iso8859-15"))),
    *(("win1252", b"1\ta\n2\tx\x81\n"), ("win1252", "1\t€\n".encode("cp1252"))),
    *(("sjis", "1\tあ\n".encode("shift_jis")), ("sjis", b"x\ta\n2\t\xff\n")),
    *(("euc_jp", "1\tあ\n2\tい\n".encode("euc_jp")), ("big5", "1\t中\n".encode("big5"))),
    *(("koi8r", "1\tж\n".encode("koi8-r")), ("ISO_8859_5", "1\tж\n".encode("iso8859-5"))),
    *(("gb18030", "1\t中\n".encode("gb18030")), ("utf8", b"1\t\xe9\n")),
]


class Side:
    """One of the two servers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        connection.prepare_threshold = None  # The table is another one each time.

    def copy(self, columns: str, sql: str, data: bytes) -> object:
        """What becomes of a COPY: its tag and the rows, or all that is said of the error."""
        self._connection.execute("DROP TABLE IF EXISTS t")
        self._connection.execute(f"CREATE TABLE t ({columns})".encode())
        try:
            tag = copy_in(self._connection, sql, data)
        except psycopg.Error as e:
            said = e.diag
            assert values(self._connection, "SELECT * FROM t") == []
            return (
                *(e.sqlstate, said.message_primary, said.message_detail, said.message_hint),
                *(said.context, said.statement_position),
            )
        return tag, values(self._connection, "SELECT * FROM t ORDER BY k")


@pytest.fixture(scope="module")
def original(postgresql: Address) -> Iterator[Connection]:
    with postgresql.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def judge(original: Connection) -> Side:
    return Side(original)


def check(judge: Side, connection: Connection, columns: str, sql: str, data: bytes) -> None:
    assert Side(connection).copy(columns, sql, data) == judge.copy(columns, sql, data), (sql, data)


@pytest.mark.parametrize("columns", [PLAIN, STRICT])
@pytest.mark.parametrize(
    ("form", "cases"),
    [("text", TEXTS), ("csv", CSVS), ("binary", BINARIES)],
    ids=["text", "csv", "binary"],
)
def test_data_are_read_and_refused_as_by_postgresql(
    form: str, cases: list[bytes], columns: str, judge: Side, connection: Connection
) -> None:
    for data in cases:
        check(judge, connection, columns, f"COPY t FROM STDIN (FORMAT {form})", data)


@pytest.mark.parametrize(
    "options", ["HEADER", "QUOTE '''', NULL 'a'", "ESCAPE '\\'", "FORCE_NOT_NULL (v)"]
)
def test_csv_with_options_is_read_as_by_postgresql(
    options: str, judge: Side, connection: Connection
) -> None:
    for data in CSVS:
        head = b"k,v\n" if options == "HEADER" else b""
        check(judge, connection, PLAIN, f"COPY t FROM STDIN (FORMAT csv, {options})", head + data)


@pytest.mark.parametrize("sql", ["COPY t FROM STDIN", "COPY t (v, k) FROM STDIN"])
def test_headers_are_matched_as_by_postgresql(
    sql: str, judge: Side, connection: Connection
) -> None:
    for data in HEADERS:
        check(judge, connection, PLAIN, f"{sql} (FORMAT csv, HEADER match)", data)
        lines = data.replace(b",", b"\t")
        check(judge, connection, PLAIN, f"{sql} (FORMAT text, HEADER match)", lines)


def test_options_are_refused_as_by_postgresql(judge: Side, connection: Connection) -> None:
    for options in OPTIONS:
        check(judge, connection, PLAIN, f"COPY t FROM STDIN ({options})", b"")


def test_where_keeps_what_postgresql_keeps(judge: Side, connection: Connection) -> None:
    for where in WHERES:
        sql = f"COPY t FROM STDIN WHERE {where}"
        check(judge, connection, PLAIN, sql, b"1\ta\n2\tb\n3\t\\N\n")
    check(judge, connection, STRICT, "COPY t FROM STDIN WHERE k > 0", b"1\ta\n\\N\tb\n")
    check(judge, connection, PLAIN, "COPY t TO STDOUT WHERE k > 0", b"")


def test_encodings_are_read_as_by_postgresql(judge: Side, connection: Connection) -> None:
    for name, data in ENCODED:
        check(judge, connection, PLAIN, f"COPY t FROM STDIN (ENCODING '{name}')", data)


@pytest.mark.parametrize(
    ("columns", "lines", "bad"),
    [
        (PLAIN, b"%d\t\\N\n", b"7\t\xc3\n"),
        (PLAIN, b"%d\ta\\tb\\\\\n", b"\n"),
        (PLAIN, b"%d\tplain\n", b"7\ta\tb\n"),
        (STRICT, b"%d\tplain\n", b"7\tlonger\n"),
        (STRICT, b"%d\tplain\n", b"\\N\ta\n"),
    ],
)
def test_the_wrong_line_is_found_in_large_data(
    columns: str, lines: bytes, bad: bytes, judge: Side, connection: Connection
) -> None:
    """Chunks are loaded side by side; of two wrong lines the first is told."""
    good = b"".join(lines % n for n in range(60_000))
    for data in (good, good * 3 + bad + good + bad, good * 3 + bad):
        check(judge, connection, columns, "COPY t FROM STDIN", data)


@pytest.mark.parametrize(
    "number",
    [
        *(b"1_0.5", b"1_0", b"+-1", b"1e+-5", b"+-inf", b"1e1_0", b"+1", b"-0", b"0e9", b" 1.5 "),
        *(b"1e-400", b"1e400", b"inf", b"-Infinity", b"\\0531", b"\\053-1", b"+\\0551", b"1\\1370"),
    ],
)
def test_numbers_in_large_data_are_read_and_refused_as_by_postgresql(
    number: bytes, judge: Side, connection: Connection
) -> None:
    """The engine takes more than PostgreSQL does, and is only asked where none of that can be."""
    lines = b"".join(b"%d\t%d.25\n" % (n, n) for n in range(20_000))
    columns = "k int, f float8"
    check(judge, connection, columns, "COPY t FROM STDIN", lines + b"-1\t" + number + b"\n")
    table = lines.replace(b"\t", b",") + b'-1,"' + number + b'"\n'
    check(judge, connection, columns, "COPY t FROM STDIN (FORMAT csv)", table)


def test_large_data_of_each_format_are_those_of_postgresql(
    judge: Side, connection: Connection, original: Connection
) -> None:
    columns = (
        "k int, n bigint, f float8, r real, b bool, d date, ts timestamp, v text, z timestamptz"
    )
    query = (
        "SELECT i AS k, i * 10000000000, (i / 7.0)::float8, (i / 3.0)::real, i % 3 = 0, "
        "date '2000-02-28' + i % 5000, timestamp '1999-12-31 23:59:59.5' + i * interval '1 hour', "
        "CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'plain' ELSE 'é, \"ü\"' END, "
        "timestamptz '2020-01-01 00:00:00+00' + i * interval '1 minute' "
        "FROM generate_series(1, 30000) AS i"
    )
    for form, block in itertools.product(("text", "csv", "binary"), (False, True)):
        data = copy_out(original, f"COPY ({query}) TO STDOUT (FORMAT {form})")
        connection.execute("BEGIN" if block else "SELECT 1")
        check(judge, connection, columns, f"COPY t FROM STDIN (FORMAT {form})", data)
        connection.execute("COMMIT" if block else "SELECT 1")


def test_what_comes_after_data_is_looked_at_after_them(
    connection: Connection, database: Address, postgresql: Address
) -> None:
    """CopyFail and messages that have no place in a COPY, behind good rows and behind bad ones."""

    def dialogue(address: Address, rows: bytes, ending: bytes) -> list[tuple[str, ...]]:
        with RawWire(address) as wire:
            wire.query("DROP TABLE IF EXISTS t; CREATE TABLE t (k int)")
            wire.until_ready()
            wire.query("COPY t FROM STDIN")
            assert wire.receive().kind == "G"
            wire.send_raw(b"d" + struct.pack("!i", len(rows) + 4) + rows)
            wire.send_raw(ending)
            said = wire.receive()
            return [(said.kind, *(said.fields.get(code, "") for code in "SCMW"))]

    fail = b"f" + struct.pack("!i", 4 + 5) + b"stop\0"
    for rows, ending in itertools.product((b"1\n2\n", b"1\nx\n", b"1\n2"), (fail,)):
        assert dialogue(database, rows, ending) == dialogue(postgresql, rows, ending)
