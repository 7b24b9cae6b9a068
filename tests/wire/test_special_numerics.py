"""NaN and the infinities of numeric, against a PostgreSQL: values, images, errors, drivers, COPY."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

import asyncpg
import pg8000.dbapi
import psycopg
import psycopg2
import psycopg2.extensions
import pytest
from psycopg.types.numeric import NumericBinaryLoader

from tests.support.server import Address, Connection

_NUMERIC: Final = 1700
#: Some so large or small that they meet the ends of what is stored.
VALUES: Final = (
    *("'NaN'", "'Infinity'", "'-Infinity'", "NULL", "0", "1", "-1", "2.5", "-3", "0.5"),
    "10000000000",
)
SPECIALS: Final = (Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"))
BINARY: Final = (
    *("a.x + b.x", "a.x - b.x", "a.x * b.x", "a.x / b.x", "a.x % b.x", "mod(a.x, b.x)"),
    *("div(a.x, b.x)", "log(a.x, b.x)", "a.x = b.x", "a.x <> b.x", "a.x < b.x", "a.x >= b.x"),
    *("a.x IS DISTINCT FROM b.x", "greatest(a.x, b.x)", "least(a.x, b.x)", "nullif(a.x, b.x)"),
    *("a.x + b.x * 2 - 1", "(a.x - b.x) * (a.x + b.x)", "-(a.x * b.x)", "abs(a.x - b.x)"),
    *("round(a.x / 2 + b.x, 1)", "coalesce(a.x, 1) * b.x", "a.x BETWEEN b.x AND 'Infinity'"),
    *("CASE WHEN a.x > b.x THEN a.x ELSE b.x / 4 END + 1", "a.x IN (b.x, 1, 'NaN')"),
    *("width_bucket(a.x, b.x, 10, 4)", "array[a.x, b.x]", "a.x = ANY(array[b.x, 1])"),
    *("a.x * 2.50 + b.x::int8", "a.x < b.x::float8"),
)
UNARY: Final = (
    *("-x", "+x", "@x", "abs(x)", "sign(x)", "ceil(x)", "floor(x)", "round(x)", "round(x, 1)"),
    *("round(x, -1)", "trunc(x)", "trunc(x, 1)", "round(x, id)", "sqrt(x)", "ln(x)", "log(x)"),
    *("log10(x)", "exp(least(x, 5))", "x ^ 2", "x ^ -1", "x ^ 0.5", "2 ^ least(x, 9)", "0.5 ^ x"),
    *("x::float8", "x::float4", "x::int2", "x::int4", "x::int8", "x::text", "x::varchar(3)"),
    *("x::float8::numeric", "x::text::numeric", "x::float4::numeric", "to_json(x)", "to_jsonb(x)"),
    *("jsonb_build_object('x', x)", "to_jsonb(array[x])", "to_char(x, '9990.0')", "x || ''"),
    *("to_char(x, 'FM999999999')", "format('%s', x)", "concat(x, 1)", "x::float8 = x"),
    *("width_bucket(x, 0, 10, 5)", "width_bucket(1, x, 10, 5)", "array[x, 1.5]::float8[]"),
    *("scale(x)", "min_scale(x)", "trim_scale(x)", "scale(trunc(x, 3))", "scale(1.50 + 0 * id)"),
    *("array[x]::text[]", "x IS NULL", "x + 'NaN'", "'Infinity' - x", "x * '-inf'::numeric"),
)
GROUPED: Final = (
    *("sum(x)", "avg(x)", "min(x)", "max(x)", "count(x)", "count(DISTINCT x)", "sum(DISTINCT x)"),
    *("stddev(x)", "stddev_pop(x)", "variance(x)", "var_pop(x)", "array_agg(x ORDER BY id)"),
    *("sum(x) FILTER (WHERE x > 0)", "avg(x * 2 + 1)", "round(sum(x), 2)", "sum(-x) + 1"),
    *(
        "json_agg(x ORDER BY id)",
        "sum(coalesce(x, 0) / 2)",
        "percentile_disc(0.5) WITHIN GROUP (ORDER BY x)",
    ),
    *("sum(CASE WHEN x > 0 THEN x ELSE 1 END)",),
)


@pytest.fixture(scope="module")
def pair(server: Address, postgresql: Address) -> Iterator[tuple[Connection, Connection]]:
    with server.connect() as ours, postgresql.connect() as judge:
        for session in (ours, judge):
            session.execute("CREATE TABLE special (id int PRIMARY KEY, x numeric)")
            rows = ", ".join(f"({i}, {value})" for i, value in enumerate(VALUES))
            session.execute(f"INSERT INTO special VALUES {rows}".encode())
        yield ours, judge
        for session in (ours, judge):
            session.execute("DROP TABLE special")


def answer(session: Connection, sql: str, *, binary: bool) -> object:
    """Rows as a driver reads them from their images, or the error's SQLSTATE."""
    with session.cursor(binary=binary) as cursor:
        try:
            cursor.execute(sql.encode())
        except psycopg.Error as e:
            return e.sqlstate
        result = cursor.pgresult
        assert result is not None
        return [
            tuple(
                _value(result.ftype(column), binary, result.get_value(row, column))
                for column in range(result.nfields)
            )
            for row in range(result.ntuples)
        ]


def _value(oid: int, binary: bool, image: bytes | None) -> object:
    if image is None or oid != _NUMERIC:
        return image
    number: Any = NumericBinaryLoader(oid).load(image) if binary else Decimal(image.decode())
    # Scales and the last digits of quotients differ on purpose.
    return f"{float(number) + 0.0:.12g}" if number.is_finite() else (image, str(number))


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("expression", [*BINARY, *UNARY])
def test_operations_give_what_postgresql_gives(
    expression: str, binary: bool, pair: tuple[Connection, Connection]
) -> None:
    names, order = (
        ("special a, special b", "a.id, b.id") if expression in BINARY else ("special", "id")
    )
    query = f"SELECT {expression} FROM {names}"
    ours, judge = (answer(s, f"{query} ORDER BY {order}", binary=binary) for s in pair)
    if isinstance(judge, list):
        assert ours == judge
        return
    # For some values it is an error: ask for each row alone.
    numbers = [range(len(VALUES))] * (order.count(",") + 1)
    for ids in itertools.product(*numbers):
        one = f"{query} WHERE ({order}) = ({', '.join(map(str, ids))})"
        ours, judge = (answer(session, one, binary=binary) for session in pair)
        assert ours == judge, one


@pytest.mark.parametrize("expression", GROUPED)
def test_aggregates_give_what_postgresql_gives(
    expression: str, pair: tuple[Connection, Connection]
) -> None:
    for group in ("id % 3", "id / 2", "id", "1"):
        query = f"SELECT {group} AS g, {expression} FROM special GROUP BY 1 ORDER BY 1"
        ours, judge = (answer(session, query, binary=False) for session in pair)
        assert ours == judge, query


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, x FROM special ORDER BY x, id",
        "SELECT id, x FROM special ORDER BY x DESC NULLS LAST, id LIMIT 5",
        "SELECT DISTINCT x FROM special ORDER BY x",
        "SELECT x, count(*) FROM (SELECT x FROM special UNION ALL SELECT 'NaN') q GROUP BY x ORDER BY x",
        "SELECT a.id, b.id FROM special a JOIN special b ON a.x = b.x ORDER BY 1, 2",
        "SELECT id FROM special WHERE x > 'Infinity'",
        "SELECT id, sum(x) OVER (ORDER BY id ROWS 1 PRECEDING) FROM special ORDER BY id",
        "SELECT id, avg(x) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM special",
        "SELECT id, rank() OVER (ORDER BY x) FROM special ORDER BY id",
        "SELECT id, count(*) OVER (ORDER BY x RANGE 1 PRECEDING) FROM special ORDER BY id",
        "SELECT count(*) OVER (ORDER BY x DESC RANGE BETWEEN 1.5 PRECEDING AND 2 FOLLOWING) FROM special ORDER BY id",
        "SELECT x FROM special EXCEPT SELECT 'NaN'::numeric ORDER BY x",
        "SELECT unnest('{NaN,1.5,-inf,NULL}'::numeric[])",
        "SELECT coalesce(1.50, 'NaN'), CASE WHEN false THEN 1.5 ELSE 'Infinity' END",
        "SELECT 2.5 IN ('NaN', 1), 'nan'::numeric IN (1, 2.5, 'NaN')",
        "SELECT 'Infinity'::numeric(10,2)",
        "SELECT '-Infinity'::float8::numeric(10,2)",
        "SELECT ' +inF '::numeric, '-INFINITY'::numeric, 'nAn'::numeric",
        "SELECT '+NaN'::numeric",
        "SELECT 'infi'::numeric",
        "SELECT x::numeric(10,2) FROM special WHERE id = 1",
        "SELECT 1 LIMIT 'NaN'::numeric",
        "SELECT x / 0 FROM special WHERE id = 0",
        "SELECT x / 0 FROM special WHERE id = 1",
    ],
)
def test_queries_give_what_postgresql_gives(
    query: str, pair: tuple[Connection, Connection]
) -> None:
    for binary in (False, True):
        ours, judge = (answer(session, query, binary=binary) for session in pair)
        assert ours == judge


def test_the_ends_of_what_is_stored_are_no_specials(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, x numeric)")
    for text in (
        "9999999999999999999999.9999999999999997",
        "-9999999999999999999999.9999999999999997",
    ):
        connection.execute("INSERT INTO t VALUES (1, %s)", (Decimal(text),))
        assert connection.execute("SELECT x, x::text FROM t").fetchone() == (Decimal(text), text)
    largest = "9999999999999999999999.9999999999999999"
    for statement in (
        f"INSERT INTO t VALUES (2, {largest})",
        f"INSERT INTO t VALUES (2, '{largest}')",
        f"INSERT INTO t VALUES (2, '{largest}'::text::numeric)",
        f"INSERT INTO t VALUES (2, {largest[:-1]}8)",
        f"INSERT INTO t SELECT 2, -{largest}::numeric(38,16)",
        "INSERT INTO t SELECT 2, x - 0.0000000000000002 FROM t WHERE id = 1",
        "SELECT sum(y) FROM (SELECT x AS y FROM t UNION ALL SELECT -0.0000000000000001) q",
        f"SELECT '{largest}'::jsonb::numeric",
    ):
        with pytest.raises(psycopg.errors.NumericValueOutOfRange):
            connection.execute(statement.encode())
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        connection.execute("INSERT INTO t VALUES (2, %s)", (Decimal(largest),))
    with (
        pytest.raises(psycopg.errors.NumericValueOutOfRange),
        connection.cursor() as cursor,
        cursor.copy("COPY t FROM STDIN") as copy,
    ):
        copy.write(f"2\t{largest}\n")


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_psycopg_gets_back_what_it_gave(binary: bool, connection: Connection) -> None:
    mark = "%b" if binary else "%t"
    connection.execute("CREATE TABLE t (id int PRIMARY KEY, x numeric, y numeric[])")
    for i, value in enumerate(SPECIALS):
        with connection.cursor(binary=binary) as cursor:
            cursor.execute(
                f"INSERT INTO t VALUES ({i}, {mark}, {mark})".encode(), (value, [value, Decimal(1)])
            )
            cursor.execute(f"SELECT x, y, {mark}::numeric FROM t WHERE id = {i}".encode(), (value,))
            row: Any = cursor.fetchone()
        assert _texts([row[0], *row[1], row[2]]) == _texts([value, value, Decimal(1), value])


def test_other_drivers_get_back_what_they_gave(server: Address) -> None:
    async def ask() -> list[Any]:
        session = await asyncpg.connect(server.url, timeout=10)
        try:
            sql = "SELECT $1::numeric, $1::numeric + 1, $2::numeric[]"
            return [await session.fetchrow(sql, v, [v, Decimal(2)], timeout=10) for v in SPECIALS]
        finally:
            await session.close(timeout=5)

    for value, row in zip(SPECIALS, asyncio.run(ask()), strict=True):
        assert _texts([row[0], row[1], *row[2]]) == _texts([value, value, value, Decimal(2)])
    for driver in (psycopg2.connect(server.url), _pg8000(server)):
        cursor = driver.cursor()
        # psycopg2 makes NaN of infinities before it sends them.
        for value in (
            SPECIALS[:1] if isinstance(driver, psycopg2.extensions.connection) else SPECIALS
        ):
            cursor.execute("SELECT CAST(%s AS numeric)", (value,))
            assert _texts(cursor.fetchone()) == _texts([value])
        driver.close()


def _pg8000(server: Address) -> Any:
    return pg8000.dbapi.connect(
        user=server.user, host=server.host, port=server.port, database=server.database
    )


def _texts(values: Sequence[Decimal]) -> list[str]:
    return [str(value) for value in values]


@pytest.mark.parametrize("form", ["text", "csv", "binary"])
def test_copy_reads_and_writes_what_postgresql_does(
    form: str, pair: tuple[Connection, Connection]
) -> None:
    images = []
    for session in pair:
        with (
            session.cursor() as cursor,
            cursor.copy(
                f"COPY (SELECT id, x FROM special WHERE id < 4 ORDER BY id) TO STDOUT (FORMAT {form})".encode()
            ) as copy,
        ):
            images.append(b"".join(map(bytes, copy)))
    assert images[0] == images[1]
    (ours, _) = pair
    ours.execute("CREATE TABLE copied (id int PRIMARY KEY, x numeric)")
    try:
        with (
            ours.cursor() as cursor,
            cursor.copy(f"COPY copied FROM STDIN (FORMAT {form})".encode()) as copy,
        ):
            copy.write(images[1])
        same = "SELECT count(*) FROM copied c JOIN special s USING (id) WHERE c.x IS NOT DISTINCT FROM s.x"
        assert ours.execute(same).fetchone() == (4,)
    finally:
        ours.execute("DROP TABLE copied")


def test_a_declared_precision_has_room_for_numbers_alone(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (x numeric(10,2))")
    for value, what in zip(
        SPECIALS, ("NaN", "an infinite value", "an infinite value"), strict=True
    ):
        detail = f"A field with precision 10, scale 2 cannot hold {what}."
        for statement, values in (
            (f"INSERT INTO t VALUES ('{value}')", ()),
            ("INSERT INTO t VALUES (%s)", (value,)),
            (f"SELECT '{value}'::numeric::numeric(10,2)", ()),
        ):
            with pytest.raises(psycopg.errors.NumericValueOutOfRange) as caught:
                connection.execute(statement.encode(), values)
            assert caught.value.diag.message_primary == "numeric field overflow"
            assert caught.value.diag.message_detail == detail


def test_averages_of_many_digits_are_exact_to_sixteen(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (x numeric(30,20))")
    connection.execute("INSERT INTO t VALUES (1.5), (2), (0.12345678901234567891)")
    found = connection.execute("SELECT avg(x)::text FROM t").fetchone()
    assert found == ("1.2078189296707819",)
