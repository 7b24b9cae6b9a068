"""Clients that do not speak UTF-8 are understood and answered as by PostgreSQL."""

from __future__ import annotations

from typing import Final

import psycopg
import pytest
from psycopg import pq

from tests.support.server import Address

ENCODINGS: Final = ("LATIN1", "WIN1252", "latin-9", "KOI8R", "SJIS", "EUC_JP", "SQL_ASCII", "utf-8")
QUERIES: Final = (
    b"SELECT 'a\xe9b'",
    b"SELECT '\x81'",
    b"SELECT chr(233), chr(8364), chr(12354)",
    b"SELECT chr(233)",
    b"SELECT chr(1078)",
    b"SELECT chr(9731)",
    b"SELECT '\x82\xa0'",
    b'SELECT 1 AS "\xe9"',
    b'SELECT "\xe9nosuch"',
)
Told = tuple[object, ...]


def told(result: pq.abc.PGresult) -> Told:
    if result.status == pq.ExecStatus.FATAL_ERROR:
        fields = (pq.DiagnosticField.SQLSTATE, pq.DiagnosticField.MESSAGE_PRIMARY)
        return tuple(result.error_field(field) for field in fields)
    columns = range(result.nfields)
    return tuple((result.fname(column), result.get_value(0, column)) for column in columns)


def asked(connection: psycopg.Connection[object], encoding: str) -> list[Told]:
    pgconn = connection.pgconn
    answers = [told(pgconn.exec_(f"SET client_encoding = '{encoding}'".encode()))]
    answers.append((pgconn.parameter_status(b"client_encoding"),))
    answers += [told(pgconn.exec_(query)) for query in QUERIES]
    for code in (0, 1):
        sent = pgconn.exec_params(
            b"SELECT $1::text, length($1::text)", [b"\xe9"], param_formats=[code]
        )
        answers.append(told(sent))
        answers.append(told(pgconn.exec_params(b"SELECT chr(233), 5", None, result_format=code)))
    return answers


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_encoding_is_spoken_both_ways(
    encoding: str, server: Address, postgresql: Address
) -> None:
    with server.connect() as ours, postgresql.connect() as theirs:
        assert asked(ours, encoding) == asked(theirs, encoding)


def test_an_encoding_that_is_none_is_refused(server: Address) -> None:
    with server.connect() as connection, pytest.raises(psycopg.Error, match="client_encoding"):
        connection.execute("SET client_encoding = 'klingon'")


COPIED: Final = "SELECT 7 AS \"k\u00e9\", U&'\\00e9t\\00e9' AS v, ARRAY['a', U&'\\00fc', NULL] AS w"
#: Of the client, and of the option; nothing is no option.
COPY_ENCODINGS: Final = (
    *(("LATIN1", ""), ("UTF8", "latin9"), ("LATIN1", "utf8"), ("WIN1252", "EUC_JP")),
    *(("UTF8", "sql_ascii"), ("KOI8R", ""), ("UTF8", "SJIS"), ("LATIN1", "SJIS")),
)


def copied(connection: psycopg.Connection[object], client: str, option: str) -> list[object]:
    """What COPY gives, and what comes of reading it again."""
    written = f", ENCODING '{option}'" if option else ""
    connection.execute("SET client_encoding = 'UTF8'")
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute("CREATE TABLE t (k int, v text, w text[])")
    seen: list[object] = []
    for form in ("text, HEADER", "csv, HEADER", "binary"):
        cursor = connection.cursor()
        connection.execute(f"SET client_encoding = '{client}'".encode())
        try:
            with cursor.copy(f"COPY ({COPIED}) TO STDOUT (FORMAT {form}{written})".encode()) as out:
                data = b"".join(bytes(piece) for piece in out)
            seen.append(data)
            with cursor.copy(f"COPY t FROM STDIN (FORMAT {form}{written})".encode()) as back:
                back.write(data)
        except psycopg.Error as e:
            seen.append((e.sqlstate, e.diag.message_primary))
        connection.execute("SET client_encoding = 'UTF8'")
        seen.append(cursor.execute("SELECT * FROM t").fetchall())
        connection.execute("DELETE FROM t")
    return seen


@pytest.mark.parametrize(("client", "option"), COPY_ENCODINGS)
def test_copy_speaks_the_encodings_of_the_client_and_of_its_option(
    client: str, option: str, database: Address, postgresql: Address
) -> None:
    with database.connect() as ours, postgresql.connect() as theirs:
        assert copied(ours, client, option) == copied(theirs, client, option)


def test_an_encoding_without_a_codec_is_refused_by_name(server: Address) -> None:
    said = "conversion between EUC_TW and UTF8 is not supported"
    with server.connect() as connection:
        for sql in (
            "SET client_encoding = 'euc-tw'",
            "COPY (SELECT 1) TO STDOUT (ENCODING 'EUC_TW')",
        ):
            with pytest.raises(psycopg.errors.FeatureNotSupported, match=said):
                connection.execute(sql.encode())


@pytest.mark.parametrize("form", ["text", "csv"])
def test_copy_speaks_the_encoding_too(form: str, database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v text)")
        connection.execute("SET client_encoding = 'LATIN1'")
        cursor = connection.cursor()
        mark = b"," if form == "csv" else b"\t"
        given = b"1" + mark + b"\xe9t\xe9\n"
        with cursor.copy(f"COPY t FROM STDIN (FORMAT {form})".encode()) as copy:
            copy.write(given)
        with cursor.copy(f"COPY t TO STDOUT (FORMAT {form})".encode()) as copy:
            assert b"".join(bytes(piece) for piece in copy) == given
        connection.execute("SET client_encoding = 'UTF8'")
        assert cursor.execute("SELECT v FROM t").fetchone() == ("été",)
