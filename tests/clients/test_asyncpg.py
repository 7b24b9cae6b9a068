"""asyncpg: everything prepared and binary, COPY of records, pools, listeners, introspection."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import uuid
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any, TypeAlias

import asyncpg
import pytest

from tests.support.server import Address

Work: TypeAlias = Callable[[Any], Awaitable[Any]]

_VALUES: list[tuple[str, Any]] = [
    ("int2", 7),
    ("int4", -70000),
    ("int8", 7_000_000_000),
    ("float4", 1.5),
    ("float8", -0.1),
    ("numeric", Decimal("12.5")),
    ("numeric", Decimal("-0.000001")),
    ("text", "naïve ☃"),
    ("varchar", "x"),
    ("bool", True),
    ("bytea", b"\x00\xff"),
    ("date", dt.date(1999, 12, 31)),
    ("time", dt.time(1, 2, 3, 4000)),
    ("timestamp", dt.datetime(2024, 2, 29, 1, 2, 3, 4)),
    ("timestamptz", dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=dt.UTC)),
    ("interval", dt.timedelta(days=400, seconds=7, microseconds=5)),
    ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ("json", '{"a": 1}'),
    ("jsonb", '{"a": 1}'),
    ("int4[]", [1, None, 3]),
    ("text[]", ["a", "", None, 'b"c']),
    ("numeric[]", [Decimal("1.5"), None]),
    ("timestamptz[]", [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]),
    ("bool[]", [True, False]),
    ("int4[]", [[1, 2], [3, 4]]),
    ("int4[]", []),
]


def run(address: Address, work: Work) -> Any:
    """Run something with a connection and return what it gives."""

    async def main() -> Any:
        connection = await asyncpg.connect(address.url)
        try:
            await connection.execute("CREATE TABLE numbers (n int PRIMARY KEY, s text)")
            await connection.execute(
                "INSERT INTO numbers SELECT n, 'row ' || n FROM generate_series(1, 100) n"
            )
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(main())


def test_every_type_goes_there_and_back(address: Address) -> None:
    async def work(connection: Any) -> None:
        for name, value in _VALUES:
            got = await connection.fetchval(f"SELECT $1::{name}", value)
            assert got == value, name
            got = await connection.fetchval(f"SELECT $1::{name}", None)
            assert got is None

    run(address, work)


def test_a_statement_is_described_without_being_run(address: Address) -> None:
    async def work(connection: Any) -> None:
        statement = await connection.prepare(
            "INSERT INTO numbers (n, s) VALUES ($1, $2) RETURNING n, s || $3"
        )
        assert [t.name for t in statement.get_parameters()] == ["int4", "text", "text"]
        assert [(a.name, a.type.name) for a in statement.get_attributes()] == [
            ("n", "int4"),
            ("?column?", "text"),
        ]
        assert await connection.fetchval("SELECT count(*) FROM numbers") == 100
        assert tuple(await statement.fetchrow(500, "a", "b")) == (500, "ab")
        statement = await connection.prepare("SELECT s FROM numbers WHERE n = ANY($1) LIMIT $2")
        assert [t.name for t in statement.get_parameters()] == ["int4[]", "int8"]
        assert [r["s"] for r in await statement.fetch([3, 4, 5], 2)] == ["row 3", "row 4"]

    run(address, work)


def test_rows_are_records(address: Address) -> None:
    async def work(connection: Any) -> None:
        row = await connection.fetchrow("SELECT n, s AS label FROM numbers WHERE n = $1", 7)
        assert dict(row) == {"n": 7, "label": "row 7"}
        assert await connection.execute("DELETE FROM numbers WHERE n > $1", 90) == "DELETE 10"
        assert await connection.execute("UPDATE numbers SET s = s WHERE n < 4") == "UPDATE 3"

    run(address, work)


def test_a_cursor_reads_in_pieces(address: Address) -> None:
    async def work(connection: Any) -> None:
        async with connection.transaction():
            rows = connection.cursor(
                "SELECT n FROM numbers WHERE n > $1 ORDER BY n", 10, prefetch=7
            )
            assert [r["n"] async for r in rows] == list(range(11, 101))
            cursor = await connection.cursor("SELECT n FROM numbers ORDER BY n")
            assert await cursor.forward(5) == 5
            assert (await cursor.fetchrow())["n"] == 6
            assert [r["n"] for r in await cursor.fetch(3)] == [7, 8, 9]

    run(address, work)


def test_records_are_copied(address: Address) -> None:
    async def work(connection: Any) -> None:
        records = [(n, None if n % 7 == 0 else f"x{n}") for n in range(1000, 3000)]
        tag = await connection.copy_records_to_table("numbers", records=records, columns=["n", "s"])
        assert tag == "COPY 2000"
        out = io.BytesIO()
        tag = await connection.copy_from_query(
            "SELECT n, s FROM numbers WHERE n BETWEEN $1 AND 1002 ORDER BY n", 1000, output=out
        )
        assert (tag, out.getvalue()) == ("COPY 3", b"1000\tx1000\n1001\t\\N\n1002\tx1002\n")
        out = io.BytesIO(b"5000,five\n5001,\n")
        await connection.copy_to_table("numbers", source=out, format="csv")
        assert await connection.fetchval("SELECT s FROM numbers WHERE n = 5001") is None
        out = io.BytesIO()
        await connection.copy_from_table("numbers", columns=["n"], output=out, format="binary")
        assert out.getvalue().startswith(b"PGCOPY\n\xff\r\n\0")

    run(address, work)


def test_executemany_is_one_transaction(address: Address) -> None:
    async def work(connection: Any) -> None:
        await connection.executemany(
            "INSERT INTO numbers VALUES ($1, $2)", [(n, str(n)) for n in range(200, 400)]
        )
        assert await connection.fetchval("SELECT count(*) FROM numbers") == 300
        with pytest.raises(asyncpg.DivisionByZeroError):
            await connection.executemany(
                "INSERT INTO numbers VALUES (1000 / $1::int, 'x')", [(1,), (2,), (0,)]
            )
        assert await connection.fetchval("SELECT count(*) FROM numbers") == 300
        rows = await connection.fetchmany(
            "INSERT INTO numbers VALUES ($1, 'y') RETURNING n", [(n,) for n in range(600, 605)]
        )
        assert [r["n"] for r in rows] == [600, 601, 602, 603, 604]

    run(address, work)


def test_transactions_nest(address: Address) -> None:
    async def work(connection: Any) -> None:
        async with connection.transaction(isolation="repeatable_read"):
            await connection.execute("INSERT INTO numbers VALUES (300, 'outer')")
            with pytest.raises(asyncpg.UndefinedTableError):
                async with connection.transaction():
                    await connection.execute("INSERT INTO numbers VALUES (301, 'inner')")
                    await connection.fetch("SELECT * FROM nothing")
        rows = await connection.fetch("SELECT n FROM numbers WHERE n >= 300")
        assert [r["n"] for r in rows] == [300]
        async with connection.transaction(readonly=True):
            with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
                async with connection.transaction():
                    await connection.execute("DELETE FROM numbers")

    run(address, work)


def test_listeners_hear(address: Address) -> None:
    async def work(connection: Any) -> None:
        heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        await connection.add_listener("news", lambda _c, _p, ch, text: heard.put_nowait((ch, text)))
        other = await asyncpg.connect(address.url)
        await other.execute("NOTIFY news, 'hello'")
        await other.close()
        assert await asyncio.wait_for(heard.get(), 5) == ("news", "hello")

    run(address, work)


def test_notices_are_told(address: Address) -> None:
    async def work(connection: Any) -> None:
        told: list[str] = []
        connection.add_log_listener(lambda _, message: told.append(message.message))
        await connection.execute("DROP TABLE IF EXISTS nothing")
        await asyncio.sleep(0)
        assert told == ['table "nothing" does not exist, skipping']

    run(address, work)


def test_an_error_tells_everything(address: Address) -> None:
    async def work(connection: Any) -> None:
        with pytest.raises(asyncpg.UndefinedColumnError) as caught:
            await connection.fetch("SELECT nope FROM numbers")
        assert (caught.value.sqlstate, caught.value.position) == ("42703", "8")
        with pytest.raises(asyncpg.NotNullViolationError) as violated:
            await connection.execute("INSERT INTO numbers (s) VALUES ('x')")
        assert (violated.value.table_name, violated.value.column_name) == ("numbers", "n")
        with pytest.raises(asyncpg.DataError):
            await connection.fetch("SELECT n FROM numbers WHERE n = $1", "text")
        with pytest.raises(asyncpg.IndeterminateDatatypeError):
            await connection.fetch("SELECT $1 IS NULL", None)

    run(address, work)


def test_a_timeout_cancels(address: Address) -> None:
    async def work(connection: Any) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await connection.fetchval(
                "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b"
                " WHERE a + b < 0",
                timeout=0.3,
            )
        assert await connection.fetchval("SELECT 1") == 1

    run(address, work)


def test_a_pool_resets_its_connections(address: Address) -> None:
    async def main() -> None:
        async with asyncpg.create_pool(address.url, min_size=1, max_size=3) as pool:
            async with pool.acquire() as connection:
                await connection.execute("SET application_name = 'spoilt'")
                pid = connection.get_server_pid()
            async with pool.acquire() as connection:
                assert connection.get_server_pid() == pid
                assert await connection.fetchval("SHOW application_name") == ""

            async def ask(n: int) -> int:
                found: int = await pool.fetchval("SELECT $1::int * 2", n)
                return found

            assert await asyncio.gather(*map(ask, range(20))) == [n * 2 for n in range(20)]

    asyncio.run(main())


def test_session_facts_are_known(address: Address) -> None:
    async def work(connection: Any) -> None:
        assert connection.get_server_version().major >= 15
        assert connection.get_settings().client_encoding == "UTF8"
        assert await connection.fetchval("SELECT current_database()") == address.database
        connection.get_settings()
        await connection.execute("SET TIME ZONE 'Europe/Paris'")
        assert connection.get_settings().TimeZone == "Europe/Paris"
        assert connection.is_in_transaction() is False
        await connection.reset()

    run(address, work)


def test_a_name_is_looked_up_for_an_unknown_type(address: Address) -> None:
    """asyncpg asks the catalogs about types that it does not know by OID."""

    async def work(connection: Any) -> None:
        await connection.set_type_codec(
            "jsonb", schema="pg_catalog", encoder=str, decoder=len, format="text"
        )
        assert await connection.fetchval("SELECT '[1, 2]'::jsonb") == len("[1, 2]")

    run(address, work)
