"""Values go in as parameters and come back the same, by every driver and in both formats."""

from __future__ import annotations

import asyncio
import datetime as dt
import uuid
from decimal import Decimal
from typing import Any, Final

import asyncpg
import pg8000.dbapi
import psycopg2
import psycopg2.extras
import pytest

from tests.support.server import Address, Connection

#: Type, value, and the text PostgreSQL gives it.
VALUES: Final[list[tuple[str, Any, str]]] = [
    ("boolean", True, "true"),
    ("smallint", -32768, "-32768"),
    ("integer", 2147483647, "2147483647"),
    ("bigint", -(2**63), "-9223372036854775808"),
    ("real", 1.5, "1.5"),
    ("double precision", 1e300, "1e+300"),
    ("numeric(12,3)", Decimal("123456789.125"), "123456789.125"),
    ("text", "tide ☂ 'gate'\n", "tide ☂ 'gate'\n"),
    ("varchar", "", ""),
    ("bytea", b"\x00\xff'\\", "\\x00ff275c"),
    ("date", dt.date(2024, 2, 29), "2024-02-29"),
    ("time", dt.time(23, 59, 59, 250000), "23:59:59.25"),
    ("timestamp", dt.datetime(2024, 2, 29, 1, 2, 3), "2024-02-29 01:02:03"),
    ("timestamptz", dt.datetime(2024, 2, 29, 1, tzinfo=dt.UTC), "2024-02-29 01:00:00+00"),
    ("interval", dt.timedelta(days=3, seconds=5), "3 days 00:00:05"),
    ("uuid", uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    ("integer[]", [1, 2, 3], "{1,2,3}"),
    ("text[]", ["a", "b c"], '{a,"b c"}'),
]
NAMES: Final = [kind for kind, _, _ in VALUES]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize(("kind", "given", "text"), VALUES, ids=NAMES)
def test_psycopg_gets_back_what_it_gave(
    kind: str, given: Any, text: str, binary: bool, server: Address
) -> None:
    mark = "%b" if binary and not isinstance(given, dt.timedelta | list) else "%s"
    with server.connect() as connection, connection.cursor(binary=binary) as cursor:
        cursor.execute(
            f"SELECT {mark}::{kind}, ({mark}::{kind})::text, NULL::{kind}".encode(), (given, given)
        )
        assert cursor.fetchone() == (given, text, None)


@pytest.mark.parametrize(("kind", "given", "text"), VALUES, ids=NAMES)
def test_asyncpg_gets_back_what_it_gave(kind: str, given: Any, text: str, server: Address) -> None:
    async def ask() -> Any:
        session = await asyncpg.connect(server.url, timeout=10)
        try:
            return await session.fetchrow(
                f"SELECT $1::{kind}, ($1::{kind})::text, $2::{kind}", given, None, timeout=10
            )
        finally:
            await session.close(timeout=5)

    assert tuple(asyncio.run(ask())) == (given, text, None)


@pytest.mark.parametrize(("kind", "given", "text"), VALUES, ids=NAMES)
def test_psycopg2_gets_back_what_it_gave(kind: str, given: Any, text: str, server: Address) -> None:
    psycopg2.extras.register_uuid()
    session = psycopg2.connect(server.url)
    try:
        cursor = session.cursor()
        cursor.execute(
            f"SELECT CAST(%s AS {kind}), CAST(%s AS {kind})::text, %s::{kind}", (given, given, None)
        )
        got, its_text, nothing = cursor.fetchone()
        assert (bytes(got) if kind == "bytea" else got, its_text, nothing) == (given, text, None)
    finally:
        session.close()


@pytest.mark.parametrize(("kind", "given", "text"), VALUES, ids=NAMES)
def test_pg8000_gets_back_what_it_gave(kind: str, given: Any, text: str, server: Address) -> None:
    session = pg8000.dbapi.connect(
        user=server.user, host=server.host, port=server.port, database=server.database
    )
    try:
        cursor = session.cursor()
        cursor.execute(
            f"SELECT CAST(%s AS {kind}), CAST(CAST(%s AS {kind}) AS text)", (given, given)
        )
        assert tuple(cursor.fetchone()) == (given, text)
    finally:
        session.close()


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_stored_values_come_back_from_tables_and_views(
    binary: bool, connection: Connection
) -> None:
    columns = [f"c{i} {kind}" for i, kind in enumerate(NAMES)]
    connection.execute(f"CREATE TABLE t (id int PRIMARY KEY, {', '.join(columns)})".encode())
    connection.execute("CREATE MATERIALIZED VIEW v AS SELECT * FROM t")
    given = tuple(value for _, value, _ in VALUES)
    marks = ", ".join(["%s"] * len(given))
    connection.execute(f"INSERT INTO t VALUES (1, {marks})".encode(), given)
    connection.execute("INSERT INTO t (id) VALUES (2)")
    with connection.cursor(binary=binary) as cursor:
        for relation in ("t", "v"):
            cursor.execute(f"SELECT * FROM {relation} ORDER BY id".encode())
            assert cursor.fetchall() == [(1, *given), (2, *[None] * len(given))]


def test_a_large_result_arrives_whole(connection: Connection) -> None:
    """A hundred thousand rows in both formats; the sum tells when one is missing or doubled."""
    for binary in (False, True):
        with connection.cursor(binary=binary) as cursor:
            cursor.execute(
                "SELECT g, 'row ' || g, g::float8 / 2 FROM generate_series(1, 100000) AS g"
            )
            rows = cursor.fetchall()
        assert len(rows) == 100_000
        assert sum(row[0] for row in rows) == 5_000_050_000
        assert (77_777, "row 77777", 38888.5) in rows
