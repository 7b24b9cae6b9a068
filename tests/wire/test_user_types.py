"""Values of types that users have made, as drivers send, describe and receive them."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import psycopg
import pytest
from psycopg import pq
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.enum import EnumInfo, register_enum

from tests.support.server import Address, Connection

SCRIPT = (
    "CREATE TYPE mood AS ENUM ('sad', 'so, so', 'happy')",
    "CREATE DOMAIN pos AS bigint CHECK (VALUE > 0)",
    "CREATE DOMAIN code AS varchar(3)",
    "CREATE TYPE pair AS (m mood, n numeric(6,2), p pos, l int[])",
    "CREATE TABLE t (k int PRIMARY KEY, m mood, ms mood[], p pos, c code, r pair)",
)


@pytest.fixture
def connection(database: Address) -> Any:
    with database.connect() as opened:
        for statement in SCRIPT:
            opened.execute(statement)
        yield opened


def test_domains_are_described_as_what_they_are_made_of(connection: Connection) -> None:
    cursor = connection.execute("SELECT p, c, m, ms, r, p + 1 FROM t")
    assert cursor.description is not None
    found = [column.type_code for column in cursor.description]
    oids: dict[str, int] = dict(connection.execute("SELECT typname, oid FROM pg_type").fetchall())
    assert found == [20, 1043, oids["mood"], oids["_mood"], oids["pair"], 20]
    assert cursor.pgresult is not None
    assert cursor.pgresult.fmod(1) == 7


@pytest.mark.parametrize("binary", [False, True])
def test_registered_types_come_back_as_they_went(connection: Connection, *, binary: bool) -> None:
    mood = EnumInfo.fetch(connection, "mood")
    pair = CompositeInfo.fetch(connection, "pair")
    assert mood is not None
    assert mood.labels == ["sad", "so, so", "happy"]
    assert pair is not None
    assert list(pair.field_names) == ["m", "n", "p", "l"]
    register_enum(mood, connection)
    register_composite(pair, connection)
    kinds = mood.enum
    assert kinds is not None
    so_so, happy = list(kinds)[1:]
    assert pair.python_type is not None
    row = pair.python_type(so_so, 12, 4, [1, 2])
    with connection.cursor(binary=binary) as cursor:
        mark = "%b" if binary else "%s"
        cursor.execute(
            f"INSERT INTO t VALUES (1, {mark}, {mark}, {mark}, %s, %s)".encode(),
            (so_so, [happy, so_so], 7, "abc", row),
        )
        cursor.execute("SELECT m, ms, p, c, r FROM t")
        found = cursor.fetchone()
        assert found is not None
        m, ms, p, c, r = found
        assert (m, ms, p, c) == (so_so, [happy, so_so], 7, "abc")
        assert (r.m, float(r.n), r.l) == (so_so, 12.0, [1, 2])
    assert connection.execute("SELECT r::text FROM t").fetchall() == [
        ('("so, so",12.00,4,"{1,2}")',)
    ]


def test_asyncpg_reads_and_writes_them_in_binary(connection: Connection, database: Address) -> None:
    async def ask() -> list[Any]:
        session = await asyncpg.connect(database.url, timeout=10)
        try:
            await session.execute(
                "INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6)",
                *(2, "happy", ["sad", None], 9, "xy", ("sad", 1, 2, None)),
            )
            return list(await session.fetch("SELECT m, ms, p, c, r FROM t WHERE k = 2"))
        finally:
            await session.close(timeout=5)

    ((m, ms, p, c, r),) = asyncio.run(ask())
    assert (m, ms, p, c) == ("happy", ["sad", None], 9, "xy")
    assert (r["m"], float(r["n"]), r["p"], r["l"]) == ("sad", 1.0, 2, None)


@pytest.mark.parametrize("form", ["text", "csv", "binary"])
def test_copy_takes_and_gives_them(connection: Connection, form: str) -> None:
    connection.execute(
        "INSERT INTO t VALUES (1, 'happy', '{sad,NULL}', 5, 'ab', ROW('sad', 2.5, 3, '{1}')),"
        " (2, NULL, '{}', NULL, NULL, NULL)"
    )
    rows = connection.execute("SELECT * FROM t ORDER BY k").fetchall()
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY t TO STDOUT (FORMAT {form})") as out:
            data = b"".join(bytes(block) for block in out)
        cursor.execute("DELETE FROM t")
        with cursor.copy(f"COPY t FROM STDIN (FORMAT {form})") as copy:
            copy.write(data)
    assert connection.execute("SELECT * FROM t ORDER BY k").fetchall() == rows


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("3\tnope\t\\N\t\\N\t\\N\t\\N", "22P02"),
        ("3\t\\N\t\\N\t0\t\\N\t\\N", "23514"),
        ("3\t\\N\t\\N\t\\N\tabcd\t\\N", "22001"),
        ("3\t\\N\t\\N\t\\N\t\\N\t(sad,1,0,)", "23514"),
        ("3\t\\N\t\\N\t\\N\t\\N\t(sad,1)", "22P02"),
    ],
)
def test_copy_refuses_what_is_no_value(connection: Connection, line: str, state: str) -> None:
    cursor = connection.cursor()
    with pytest.raises(psycopg.Error) as caught, cursor.copy("COPY t FROM STDIN") as copy:
        copy.write("1\tsad\t{happy}\t1\ta\t(sad,1,1,{})\n" + line + "\n")
    assert caught.value.sqlstate == state
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(0,)]


def test_prepared_statements_take_their_values(connection: Connection) -> None:
    connection.execute("INSERT INTO t (k, m, p) VALUES (1, 'sad', 5), (2, 'happy', 6)")
    connection.execute("PREPARE q (mood, pos) AS SELECT k FROM t WHERE m >= $1 AND p > $2")
    assert connection.execute("EXECUTE q ('so, so', 1)").fetchall() == [(2,)]
    oid = connection.execute("SELECT 'mood'::regtype::oid::int").fetchall()[0][0]
    result = connection.pgconn.exec_params(
        b"SELECT k FROM t WHERE m = $1", [b"sad"], [oid], [pq.Format.BINARY]
    )
    assert result.get_value(0, 0) == b"1"
    wrong = connection.pgconn.exec_params(b"SELECT $1::mood", [b"nope"], [oid])
    assert wrong.error_field(pq.DiagnosticField.SQLSTATE) == b"22P02"


def test_views_are_maintained_over_them(connection: Connection) -> None:
    connection.execute(
        "CREATE MATERIALIZED VIEW mv AS SELECT (r).m AS m, count(*) AS n, max(p) AS p,"
        " max(m) AS top FROM t GROUP BY (r).m"
    )
    connection.execute(
        "INSERT INTO t SELECT i, (enum_range(NULL::mood))[i % 3 + 1], NULL, i, NULL,"
        " ROW((enum_range(NULL::mood))[i % 2 + 1], 1, 1, NULL)::pair FROM generate_series(1, 30) i"
    )
    connection.execute("DELETE FROM t WHERE m = 'happy' OR p = 30")
    connection.execute("UPDATE t SET m = 'happy' WHERE k = 4")
    assert connection.execute("CHECK MATERIALIZED VIEW mv").fetchall() == []
    query = "SELECT (r).m, count(*), max(p), max(m) FROM t GROUP BY (r).m ORDER BY 1"
    assert (
        connection.execute("SELECT * FROM mv ORDER BY m").fetchall()
        == connection.execute(query).fetchall()
    )
