"""psycopg 3: both formats, pipelines, cursors on the server, COPY, notifications, asyncio."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
import time
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row, namedtuple_row
from psycopg.types.json import Jsonb

from tests.support.activity import until_runs
from tests.support.server import Address

Connection = psycopg.Connection[Any]

_ROW = {
    "i2": 7,
    "i4": 70000,
    "i8": 7_000_000_000,
    "f4": 1.5,
    "f8": -0.1,
    "n": Decimal("12.50"),
    "s": "naïve ☃",
    "b": True,
    "y": b"\x00\xff",
    "d": dt.date(2024, 2, 29),
    "t": dt.time(1, 2, 3, 4000),
    "ts": dt.datetime(2024, 2, 29, 1, 2, 3, 4),
    "tz": dt.datetime(2024, 2, 29, 1, 2, 3, tzinfo=dt.UTC),
    "iv": dt.timedelta(days=1, seconds=7, microseconds=5),
    "u": uuid.UUID("12345678-1234-5678-1234-567812345678"),
    "ia": [1, 2, 3],
    "ta": ["a", 'b"c', "", "NULL"],
}

_TABLE = """CREATE TABLE everything (i2 int2, i4 int PRIMARY KEY, i8 int8, f4 float4, f8 float8,
    n numeric(10,2), s text, b bool, y bytea, d date, t time, ts timestamp, tz timestamptz,
    iv interval, u uuid, ia int[], ta text[])"""


@pytest.fixture
def connection(address: Address) -> Iterator[Connection]:
    with psycopg.connect(address.url, autocommit=True) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        yield connection


@pytest.fixture
def numbers(connection: Connection) -> Connection:
    connection.execute("CREATE TABLE numbers (n int PRIMARY KEY, s text)")
    connection.execute("INSERT INTO numbers SELECT n, 'row ' || n FROM generate_series(1, 100) n")
    return connection


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_every_type_goes_there_and_back(connection: Connection, binary: bool) -> None:
    connection.execute(_TABLE)
    names = sql.SQL(", ").join(map(sql.Identifier, _ROW))
    kind = sql.Placeholder(
        format=psycopg.adapt.PyFormat.BINARY if binary else psycopg.adapt.PyFormat.AUTO
    )
    values = sql.SQL(", ").join([kind] * len(_ROW))
    insert = sql.SQL("INSERT INTO everything ({}) VALUES ({})").format(names, values)
    connection.execute(insert, list(_ROW.values()))
    cursor = connection.cursor(row_factory=dict_row, binary=binary)
    assert cursor.execute("SELECT * FROM everything").fetchone() == _ROW
    found = cursor.execute(
        "SELECT i4 FROM everything WHERE i2 = %(i2)s AND i8 = %(i8)s AND s = %(s)s AND d = %(d)s"
        " AND ts = %(ts)s AND tz = %(tz)s AND u = %(u)s AND n = %(n)s AND ia = %(ia)s::int[] AND b = %(b)s",
        _ROW,
    )
    assert found.fetchall() == [{"i4": 70000}]


def test_a_missing_value_stays_missing(connection: Connection) -> None:
    connection.execute(_TABLE)
    connection.execute(
        "INSERT INTO everything (i4, s, ia) VALUES (%s, %s, %s)", (1, None, [1, None])
    )
    assert connection.execute("SELECT s, ia, tz FROM everything").fetchall() == [
        (None, [1, None], None)
    ]


def test_columns_are_described(numbers: Connection) -> None:
    cursor = numbers.execute(
        "SELECT n, s AS label, n * 1.5::numeric(6,2) AS x, 'a'::varchar(7) AS v FROM numbers"
    )
    assert cursor.description is not None
    assert [(c.name, c.type_code) for c in cursor.description] == [
        ("n", 23), ("label", 25), ("x", 1700), ("v", 1043),
    ]  # fmt: skip
    assert cursor.description[3].display_size == 7
    assert cursor.rowcount == 100
    assert cursor.statusmessage == "SELECT 100"
    assert numbers.execute("UPDATE numbers SET s = 'x' WHERE n <= 3").rowcount == 3
    assert numbers.execute("DELETE FROM numbers WHERE n <= 3").statusmessage == "DELETE 3"
    row: Any = (
        numbers.cursor(row_factory=namedtuple_row)
        .execute("SELECT n, s FROM numbers WHERE n = 4")
        .fetchone()
    )
    assert row is not None
    assert row.s == "row 4"


def test_a_statement_is_prepared_after_five_runs(numbers: Connection) -> None:
    for n in range(1, 13):
        row = numbers.execute("SELECT s FROM numbers WHERE n = %s", (n,)).fetchone()
        assert row == (f"row {n}",)
    assert len(numbers._prepared._names) == 1
    numbers.execute("DISCARD ALL")
    numbers.execute("DEALLOCATE ALL")
    assert numbers.execute("SELECT s FROM numbers WHERE n = %s", (1,), prepare=True).fetchone() == (
        "row 1",
    )


def test_a_pipeline_sends_before_it_reads(numbers: Connection) -> None:
    with numbers.pipeline() as pipeline:
        cursors = [
            numbers.execute("SELECT s FROM numbers WHERE n = %s", (n,)) for n in range(1, 21)
        ]
        insert = numbers.execute("INSERT INTO numbers VALUES (%s, %s) RETURNING n", (1001, "new"))
        pipeline.sync()
        assert [c.fetchone() for c in cursors] == [(f"row {n}",) for n in range(1, 21)]
        assert insert.fetchone() == (1001,)


def test_an_error_in_a_pipeline_ends_what_follows(numbers: Connection) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero), numbers.pipeline() as pipeline:
        numbers.execute("INSERT INTO numbers VALUES (2001, 'gone')")
        numbers.execute("SELECT 1 / (n - n) FROM numbers")
        numbers.execute("INSERT INTO numbers VALUES (2002, 'never')")
        pipeline.sync()
    assert numbers.execute("SELECT count(*) FROM numbers WHERE n > 2000").fetchone() == (0,)


def test_executemany_returns_what_it_wrote(numbers: Connection) -> None:
    cursor = numbers.cursor()
    cursor.executemany(
        "INSERT INTO numbers VALUES (%s, %s) RETURNING n * 2",
        [(n, str(n)) for n in range(200, 210)],
        returning=True,
    )
    results = []
    while True:
        results += cursor.fetchall()
        if not cursor.nextset():
            break
    assert results == [(n * 2,) for n in range(200, 210)]
    assert numbers.execute("SELECT count(*) FROM numbers WHERE n >= 200").fetchone() == (10,)


@pytest.mark.parametrize("scrollable", [None, True])
def test_a_named_cursor_reads_in_pieces(numbers: Connection, scrollable: bool | None) -> None:
    with numbers.transaction(), numbers.cursor("c 1", scrollable=scrollable) as cursor:
        cursor.itersize = 7
        cursor.execute("SELECT n FROM numbers WHERE n > %s ORDER BY n", (10,))
        assert cursor.fetchone() == (11,)
        assert cursor.fetchmany(3) == [(12,), (13,), (14,)]
        if scrollable:
            cursor.scroll(-2)
            assert cursor.fetchone() == (13,)
            cursor.scroll(0, mode="absolute")
        rest = [n for (n,) in cursor]
        assert rest == list(range(11 if scrollable else 15, 101))


def test_a_cursor_with_hold_outlives_its_transaction(address: Address) -> None:
    with psycopg.connect(address.url) as connection:
        cursor = connection.cursor("held", withhold=True)
        cursor.execute("SELECT n FROM generate_series(1, 10) n")
        assert cursor.fetchmany(2) == [(1,), (2,)]
        connection.commit()
        assert cursor.fetchall() == [(n,) for n in range(3, 11)]
        cursor.close()


def test_a_stream_gives_rows_one_by_one(numbers: Connection) -> None:
    rows = numbers.cursor().stream("SELECT n FROM numbers WHERE n < %s ORDER BY n", (50,))
    assert [n for (n,) in rows] == list(range(1, 50))


@pytest.mark.parametrize("form", ["TEXT", "BINARY"])
def test_copy_writes_and_reads(numbers: Connection, form: str) -> None:
    rows = [(n, None if n % 5 == 0 else f"tab\there {n}") for n in range(1000, 1500)]
    cursor = numbers.cursor()
    with cursor.copy(f"COPY numbers FROM STDIN (FORMAT {form})") as copy:
        copy.set_types(["int4", "text"])
        for row in rows:
            copy.write_row(row)
    assert cursor.rowcount == 500
    query = f"COPY (SELECT n, s FROM numbers WHERE n >= 1000 ORDER BY n) TO STDOUT (FORMAT {form})"
    with cursor.copy(query) as copy:
        copy.set_types(["int4", "text"])
        assert list(copy.rows()) == rows


def test_copy_is_undone_when_the_client_fails(numbers: Connection) -> None:
    with pytest.raises(ZeroDivisionError), numbers.cursor().copy("COPY numbers FROM STDIN") as copy:
        copy.write_row((5000, "x"))
        raise ZeroDivisionError
    assert numbers.execute("SELECT count(*) FROM numbers WHERE n = 5000").fetchone() == (0,)


def test_transactions_nest(numbers: Connection) -> None:
    with numbers.transaction():
        numbers.execute("INSERT INTO numbers VALUES (300, 'outer')")
        with pytest.raises(psycopg.errors.SyntaxError), numbers.transaction():
            numbers.execute("INSERT INTO numbers VALUES (301, 'inner')")
            numbers.execute("INSERT INTO")
        with numbers.transaction() as inner:
            numbers.execute("INSERT INTO numbers VALUES (302, 'undone')")
            raise psycopg.Rollback(inner)
    assert numbers.execute("SELECT n FROM numbers WHERE n >= 300").fetchall() == [(300,)]


def test_an_error_tells_everything(numbers: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedColumn) as caught:
        numbers.execute("SELECT n, nope FROM numbers")
    diagnostics = caught.value.diag
    assert diagnostics.sqlstate == "42703"
    assert diagnostics.message_primary == 'column "nope" does not exist'
    assert diagnostics.statement_position == "11"
    assert diagnostics.severity_nonlocalized == "ERROR"
    with pytest.raises(psycopg.errors.NotNullViolation) as violated:
        numbers.execute("INSERT INTO numbers VALUES (NULL, 'x')")
    diagnostics = violated.value.diag
    assert (diagnostics.table_name, diagnostics.column_name) == ("numbers", "n")
    assert diagnostics.schema_name == "public"
    with pytest.raises(psycopg.errors.IndeterminateDatatype):
        numbers.execute("SELECT n FROM numbers WHERE %s IS NULL", (None,))


def test_a_failed_transaction_waits_for_rollback(address: Address) -> None:
    with psycopg.connect(address.url) as connection:
        with pytest.raises(psycopg.errors.UndefinedTable):
            connection.execute("SELECT * FROM nothing_there")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SELECT 1")
        connection.rollback()
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS


def test_notices_are_told(connection: Connection) -> None:
    told: list[str | None] = []
    connection.add_notice_handler(lambda diagnostic: told.append(diagnostic.message_primary))
    connection.execute("DROP TABLE IF EXISTS no_such_table")
    assert told == ['table "no_such_table" does not exist, skipping']


def test_notifications_arrive(address: Address, connection: Connection) -> None:
    connection.execute("LISTEN news")
    with psycopg.connect(address.url, autocommit=True) as other:
        other.execute("NOTIFY news, 'hello'")
        other.execute("SELECT pg_notify('news', 'again')")
    got = list(connection.notifies(timeout=5, stop_after=2))
    assert [(n.channel, n.payload) for n in got] == [("news", "hello"), ("news", "again")]


def test_a_cancel_ends_a_statement(address: Address, connection: Connection) -> None:
    def cancel() -> None:
        with address.connect() as observer:
            until_runs(observer, connection.info.backend_pid, "generate_series")
        time.sleep(0.3)  # In the middle of it.
        connection.cancel_safe(timeout=5)

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute(
            "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b WHERE a + b < 0"
        )
    thread.join()
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_client_sees_where_it_is(address: Address, connection: Connection) -> None:
    info = connection.info
    assert info.dbname == address.database
    assert info.server_version >= 150000
    assert info.parameter_status("standard_conforming_strings") == "on"
    assert info.encoding == "utf-8"
    assert str(info.timezone) == "UTC"
    connection.execute("SET TIME ZONE 'Europe/Paris'")
    assert str(info.timezone) == "Europe/Paris"
    row = connection.execute("SELECT '2024-07-01 12:00+00'::timestamptz").fetchone()
    assert row is not None
    assert row[0].utcoffset() == dt.timedelta(hours=2)


def test_parameters_may_stand_where_constants_are_wanted(numbers: Connection) -> None:
    moment = dt.datetime(2024, 5, 17, 13, 45, 59)
    row = numbers.execute(
        "SELECT date_trunc(%s, %s::timestamp), date_part(%s, %s::timestamp), to_char(%s::timestamp, %s)",
        ("month", moment, "hour", moment, moment, "YYYY/MM"),
    ).fetchone()
    assert row == (dt.datetime(2024, 5, 1), 13.0, "2024/05")
    query = "SELECT string_agg(s, %s ORDER BY n) FROM numbers WHERE n <= %s"
    assert numbers.execute(query, (" + ", 3)).fetchone() == ("row 1 + row 2 + row 3",)
    assert numbers.execute(query, ("|", 2)).fetchone() == ("row 1|row 2",)
    found = numbers.execute("SELECT n FROM numbers WHERE s LIKE %s ESCAPE %s", ("row !1", "!"))
    assert found.fetchall() == [(1,)]
    found = numbers.execute(
        "SELECT n FROM numbers WHERE s SIMILAR TO %s ORDER BY n", ("row (1|2)",)
    )
    assert found.fetchall() == [(1,), (2,)]
    assert numbers.execute("SELECT date_trunc(%s, now())", (None,)).fetchone() == (None,)


def test_parameters_may_stand_in_definitions(numbers: Connection) -> None:
    numbers.execute("CREATE TABLE few AS SELECT n, %s AS s FROM numbers WHERE n <= %s", ("x", 3))
    assert numbers.execute("SELECT * FROM few ORDER BY n").fetchall() == [
        (n, "x") for n in (1, 2, 3)
    ]
    assert numbers.execute(
        "SELECT relname FROM pg_class WHERE oid = %s::regclass", ("few",)
    ).fetchall() == [("few",)]
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        numbers.execute("CREATE MATERIALIZED VIEW v AS SELECT n FROM numbers WHERE n > %s", (1,))


def test_a_document_goes_there_and_back(connection: Connection) -> None:
    document = {"a": [1, {"b": None}], "c": "x"}
    row = connection.execute(
        "SELECT %s, %s::jsonb -> 'a' -> 0", (Jsonb(document), Jsonb(document))
    ).fetchone()
    assert row == (document, 1)


def test_two_connections_prepare_by_name(address: Address) -> None:
    with (
        psycopg.connect(address.url, prepare_threshold=0) as one,
        psycopg.connect(address.url, prepare_threshold=0) as two,
    ):
        for connection in (one, two, one):
            assert connection.execute("SELECT %s::int + 1", (1,)).fetchone() == (2,)


def test_asyncio_connections_run_side_by_side(address: Address) -> None:
    async def ask(n: int) -> Any:
        async with (
            await psycopg.AsyncConnection.connect(address.url) as connection,
            connection.pipeline(),
            connection.cursor() as cursor,
        ):
            await cursor.execute("SELECT %s::int * 2", (n,))
            return await cursor.fetchone()

    async def ask_all() -> list[Any]:
        return list(await asyncio.gather(*(ask(n) for n in range(10))))

    assert asyncio.run(ask_all()) == [(n * 2,) for n in range(10)]
