"""DuckDB's images of values equal those of ``values``, and both PostgreSQL's."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier.duckdb_reader import DuckdbReader
from catalog import types as t
from catalog.types import PgType
from server.wire.blank_messages import BlankMessages
from server.wire.rows import EncodedRows, datarow_messages, value_query
from server.wire.values import decode_parameter, encode

FORMATS = (0, 1)


@dataclass(frozen=True)
class Column:
    type: PgType


ENGINE = duckdb.connect()
ENGINE.execute("SET TimeZone = 'UTC'")
ENGINE.execute("SET GLOBAL arrow_large_buffer_size = true")


def split_row(message: bytes) -> list[bytes | None]:
    assert message[:1] == b"D"
    assert struct.unpack_from("!i", message, 1)[0] == len(message) - 1
    (count,) = struct.unpack_from("!h", message, 5)
    at = 7
    fields: list[bytes | None] = []
    for _ in range(count):
        (length,) = struct.unpack_from("!i", message, at)
        at += 4
        if length == -1:
            fields.append(None)
        else:
            fields.append(message[at : at + length])
            at += length
    assert at == len(message)
    return fields


def messages(
    query: BlankMessages,
    values: Sequence[object] = (),
    connection: duckdb.DuckDBPyConnection = ENGINE,
) -> list[bytes]:
    """The messages of a query, with their blanks filled in."""
    batches = map(query.fill, DuckdbReader(connection).stream(query.sql, values))
    return [bytes(batch.data(n, n + 1)) for batch in batches for n in range(batch.rows)]


def images(
    pg_type: PgType,
    values: Sequence[object],
    code: int,
    connection: duckdb.DuckDBPyConnection = ENGINE,
) -> list[bytes | None]:
    """What DuckDB builds for values given as parameters of the type."""
    rows = ", ".join(f"({n}, CAST(${n} AS {pg_type.duckdb}))" for n in range(1, len(values) + 1))
    source = f"(SELECT v AS c1 FROM (VALUES {rows}) AS x(n, v) ORDER BY n)"
    query = datarow_messages(source, [Column(pg_type)], [code])
    return [split_row(message)[0] for message in messages(query, values, connection)]


def texts(pg_type: PgType, given_texts: Sequence[str]) -> list[str]:
    """Text in, through DuckDB, text out; the binary image goes the same way and must agree."""
    parameters = [decode_parameter(pg_type, 0, text.encode()) for text in given_texts]
    shown = [image.decode() for image in images(pg_type, parameters, 0) if image is not None]
    binary = images(pg_type, parameters, 1)
    again = [decode_parameter(pg_type, 1, image) for image in binary if image is not None]
    assert images(pg_type, again, 1) == binary
    assert [image.decode() for image in images(pg_type, again, 0) if image is not None] == shown
    return shown


# What PostgreSQL 15 prints for what it is given.
PRINTED = [
    (t.BOOL, "yes", "t"),
    (t.BOOL, "f", "f"),
    (t.INT2, " -32768 ", "-32768"),
    (t.INT8, "9223372036854775807", "9223372036854775807"),
    (t.FLOAT8, "1", "1"),
    (t.FLOAT8, "-0", "-0"),
    (t.FLOAT8, "0.1", "0.1"),
    (t.FLOAT8, "123456789012345", "123456789012345"),
    (t.FLOAT8, "999999999999999.9", "999999999999999.9"),
    (t.FLOAT8, "1e15", "1e+15"),
    (t.FLOAT8, "-1234567890123456.5", "-1.2345678901234565e+15"),
    (t.FLOAT8, "1e20", "1e+20"),
    (t.FLOAT8, "1e21", "1e+21"),
    (t.FLOAT8, "0.0001", "0.0001"),
    (t.FLOAT8, "0.00001", "1e-05"),
    (t.FLOAT8, "1.5e-7", "1.5e-07"),
    (t.FLOAT8, "1e300", "1e+300"),
    (t.FLOAT8, "5e-324", "5e-324"),
    (t.FLOAT8, "inf", "Infinity"),
    (t.FLOAT8, "-Infinity", "-Infinity"),
    (t.FLOAT8, "nan", "NaN"),
    (t.FLOAT4, "0.1", "0.1"),
    (t.FLOAT4, "999999", "999999"),
    (t.FLOAT4, "1e6", "1e+06"),
    (t.FLOAT4, "1234567", "1.234567e+06"),
    (t.FLOAT4, "16777216", "1.6777216e+07"),
    (t.FLOAT4, "-1e10", "-1e+10"),
    (t.FLOAT4, "3.4028235e38", "3.4028235e+38"),
    (t.FLOAT4, "1e-5", "1e-05"),
    (t.FLOAT4, "1591683.75", "1.5916838e+06"),
    (t.FLOAT4, "482507.625", "482507.62"),
    (t.FLOAT4, "0.998046875", "0.9980469"),
    (t.FLOAT4, "908792832", "9.0879283e+08"),
    (t.NUMERIC, "1.50", "1.5"),
    (t.NUMERIC, "100", "100"),
    (t.NUMERIC, "0.00001", "0.00001"),
    (t.NUMERIC, "-0", "0"),
    (t.numeric(10, 2), "1.5", "1.50"),
    (t.numeric(10, 2), "-0.005", "-0.01"),
    (
        t.numeric(38, 0),
        "99999999999999999999999999999999999999",
        "99999999999999999999999999999999999999",
    ),
    (t.numeric(2, 2), "0.25", "0.25"),
    (t.TEXT, "añ ☃\t\\", "añ ☃\t\\"),
    (t.TEXT, "", ""),
    (t.BYTEA, "\\xDEADbeef", "\\xdeadbeef"),
    (t.BYTEA, "a\\\\b\\001", "\\x615c6201"),
    (t.DATE, "2024-02-29", "2024-02-29"),
    (t.DATE, "20240229", "2024-02-29"),
    (t.DATE, "0044-03-15 BC", "0044-03-15 BC"),
    (t.DATE, "12345-01-01", "12345-01-01"),
    (t.DATE, "infinity", "infinity"),
    (t.DATE, "-infinity", "-infinity"),
    (t.TIME, "04:05:06.700", "04:05:06.7"),
    (t.TIME, "4:05 PM", "16:05:00"),
    (t.TIME, "24:00", "24:00:00"),
    (t.TIMESTAMP, "2024-01-01T01:02:03.456Z", "2024-01-01 01:02:03.456"),
    (t.TIMESTAMP, "0044-03-15 10:00:00 BC", "0044-03-15 10:00:00 BC"),
    (t.TIMESTAMP, "12345-01-01 00:00:00", "12345-01-01 00:00:00"),
    (t.TIMESTAMP, "infinity", "infinity"),
    (t.TIMESTAMP, "-infinity", "-infinity"),
    (t.TIMESTAMPTZ, "2024-01-01 00:00:00+05:30", "2023-12-31 18:30:00+00"),
    (t.TIMESTAMPTZ, "2024-01-01 00:00:00", "2024-01-01 00:00:00+00"),
    (t.TIMESTAMPTZ, "0001-01-01 00:00:00+01", "0001-12-31 23:00:00+00 BC"),
    (t.TIMESTAMPTZ, "infinity", "infinity"),
    (t.INTERVAL, "1 day 02:03:04", "1 day 02:03:04"),
    (t.INTERVAL, "14 months 3 days 04:05:06.7", "1 year 2 mons 3 days 04:05:06.7"),
    (t.INTERVAL, "-1 months +3 days -04:05:06", "-1 mons +3 days -04:05:06"),
    (t.INTERVAL, "-1 days 2 hours", "-1 days +02:00:00"),
    (t.INTERVAL, "-13 months", "-1 years -1 mons"),
    (t.INTERVAL, "1 mon -1 day 1 sec", "1 mon -1 days +00:00:01"),
    (t.INTERVAL, "P1Y2M3DT4H5M6.5S", "1 year 2 mons 3 days 04:05:06.5"),
    (t.INTERVAL, "1.5 days", "1 day 12:00:00"),
    (t.INTERVAL, "1 day ago", "-1 days"),
    (t.INTERVAL, "0", "00:00:00"),
    (t.INTERVAL, "-5 microseconds", "-00:00:00.000005"),
    (t.INTERVAL, "100:00:00", "100:00:00"),
    (t.INTERVAL, "2 day 3 second 4 microsecond", "2 days 00:00:03.000004"),
    (t.UUID, "A0EEBC99-9C0B4EF8-BB6D6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    (t.JSON, '{"a" :1}', '{"a" :1}'),
    (t.JSONB, '{"bb":1,"a" : [1.50,null,"é"],"a":2}', '{"a": 2, "bb": 1}'),
    (t.array_of(t.INT4), "{1,NULL, 3}", "{1,NULL,3}"),
    (t.array_of(t.INT4), "{}", "{}"),
    (t.array_of(t.array_of(t.INT4)), "{{1,2},{3,NULL}}", "{{1,2},{3,NULL}}"),
    (
        t.array_of(t.TEXT),
        '{a b,NULL,"","NULL","q\\"",\\{\\},"c\\\\d"}',
        '{"a b",NULL,"","NULL","q\\"","{}","c\\\\d"}',
    ),
    (
        t.array_of(t.TIMESTAMP),
        '{"2024-01-01 00:00:00",infinity}',
        '{"2024-01-01 00:00:00",infinity}',
    ),
    (t.array_of(t.INTERVAL), '{"1 day",01:00:00}', '{"1 day",01:00:00}'),
    (t.array_of(t.numeric(10, 2)), "{1.5,NULL}", "{1.50,NULL}"),
    (t.array_of(t.NUMERIC), "{1.5,NULL,0}", "{1.5,NULL,0}"),
    (t.array_of(t.BYTEA), '{"\\\\xdead"}', '{"\\\\xdead"}'),
    (t.array_of(t.BOOL), "{t,f,NULL}", "{t,f,NULL}"),
    (t.array_of(t.FLOAT8), "{1,1e20,NaN}", "{1,1e+20,NaN}"),
    (t.array_of(t.JSONB), '{"{\\"a\\":1}"}', '{"{\\"a\\": 1}"}'),
    (t.array_of(t.DATE), "{2024-01-01}", "{2024-01-01}"),
    (
        t.array_of(t.UUID),
        "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
        "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
    ),
    (t.INT2VECTOR, "1 2 3", "1 2 3"),
    (t.OID, "4294967295", "4294967295"),
]


@pytest.mark.parametrize(("pg_type", "text", "shown"), PRINTED)
def test_text_goes_in_and_comes_out_as_postgresql_prints_it(
    pg_type: PgType, text: str, shown: str
) -> None:
    assert texts(pg_type, [text]) == [shown]


SCALARS: list[tuple[PgType, st.SearchStrategy[object]]] = [
    (t.BOOL, st.booleans()),
    (t.INT2, st.integers(-(2**15), 2**15 - 1)),
    (t.INT4, st.integers(-(2**31), 2**31 - 1)),
    (t.INT8, st.integers(-(2**63), 2**63 - 1)),
    (t.FLOAT4, st.floats(width=32, allow_nan=False) | st.just(math.nan)),
    (t.FLOAT8, st.floats(allow_nan=False) | st.just(math.nan)),
    (t.NUMERIC, st.decimals(-(10**21), 10**21, allow_nan=False, places=16)),
    (t.numeric(12, 3), st.decimals(-(10**8), 10**8, allow_nan=False, places=3)),
    (t.numeric(38, 38), st.decimals(Decimal("-0.9"), Decimal("0.9"), allow_nan=False, places=38)),
    (t.TEXT, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))),
    (t.BYTEA, st.binary()),
    (t.DATE, st.dates()),
    (t.TIME, st.times()),
    (t.TIMESTAMP, st.datetimes()),
    (t.UUID, st.uuids()),
    (t.INTERVAL, st.timedeltas()),
]
COLUMNS = SCALARS + [
    (t.array_of(pg_type), st.lists(st.none() | strategy, max_size=4))
    for pg_type, strategy in SCALARS
]


@pytest.mark.parametrize(("pg_type", "strategy"), COLUMNS, ids=[c[0].display() for c in COLUMNS])
@pytest.mark.parametrize("code", FORMATS)
def test_duckdb_and_python_build_the_same_bytes(
    pg_type: PgType, strategy: st.SearchStrategy[object], code: int
) -> None:
    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.none() | strategy, min_size=1, max_size=20))
    def check(values: list[object]) -> None:
        expected = [encode(pg_type, code, value) for value in values]
        parameters = [
            None
            if value is None
            else decode_parameter(pg_type, 0, encode(pg_type, 0, value) or b"")
            for value in values
        ]
        assert images(pg_type, parameters, code) == expected

    check()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York"])
def test_timestamptz_is_shown_in_the_sessions_zone(zone: str) -> None:
    moments = [
        "2024-07-01 00:00:00+00",
        "2024-01-01 12:00:00.5+00",
        "1990-01-01 00:00:00+00",
        "0044-03-15 10:00:00+00 BC",
    ]
    parameters = [decode_parameter(t.TIMESTAMPTZ, 0, text.encode()) for text in moments]
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{zone}'")
        connection.execute("SET GLOBAL arrow_large_buffer_size = true")
        shown = images(t.TIMESTAMPTZ, parameters, 0, connection)
    assert shown[:3] == [encode(t.TIMESTAMPTZ, 0, text, ZoneInfo(zone)) for text in moments[:3]]
    assert (shown[3] or b"").endswith(b" BC")


@pytest.mark.parametrize(("pg_type", "text", "shown"), PRINTED)
@pytest.mark.parametrize("code", FORMATS)
def test_few_rows_are_encoded_alike(pg_type: PgType, text: str, shown: str, code: int) -> None:
    value = decode_parameter(pg_type, 0, text.encode())
    source = f"(SELECT CAST($1 AS {pg_type.duckdb}) AS c1)"
    rows = ENGINE.execute(value_query(source, [Column(pg_type)]), [value]).fetchall()
    message = EncodedRows([Column(pg_type)], [code], rows, zone=None).data(0, 1)
    assert split_row(message) == images(pg_type, [value], code)


def test_rows_keep_their_order_and_nulls_are_marked() -> None:
    source = "(SELECT i AS c1, CASE WHEN i % 2 = 0 THEN 'x' || i END AS c2 FROM range(200000) AS r(i) ORDER BY i DESC)"
    query = datarow_messages(source, [Column(t.INT8), Column(t.TEXT)], [0, 0])
    rows = [split_row(message) for message in messages(query)]
    assert rows == [
        [str(i).encode(), None if i % 2 else f"x{i}".encode()] for i in reversed(range(200000))
    ]


def test_rows_without_columns() -> None:
    assert messages(datarow_messages("range(2)", [], [])) == [b"D\0\0\0\x06\0\0"] * 2


@pytest.mark.parametrize("code", FORMATS)
def test_wide_rows(code: int) -> None:
    types = [t.INT4, t.TEXT, t.FLOAT8] * 400
    values = [None, "a b", 1.5] * 400
    source = (
        "(SELECT "
        + ", ".join(
            f"CAST(${n} AS {pg_type.duckdb}) AS c{n}" for n, pg_type in enumerate(types, start=1)
        )
        + ")"
    )
    query = datarow_messages(source, [Column(pg_type) for pg_type in types], [code] * 1200)
    (message,) = messages(query, values)
    assert split_row(message) == [
        encode(pg_type, code, value) for pg_type, value in zip(types, values, strict=True)
    ]


@pytest.mark.parametrize("code", FORMATS)
def test_rows_of_many_types_are_built_as_python_builds_them(code: int) -> None:
    def value_of(pg_type: PgType, strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        parameters = strategy.map(
            lambda value: decode_parameter(pg_type, 0, encode(pg_type, 0, value) or b"")
        )
        return st.none() | parameters

    chosen = st.lists(st.sampled_from(COLUMNS), min_size=2, max_size=6)
    tables = chosen.flatmap(
        lambda columns: st.tuples(
            st.just([pg_type for pg_type, _ in columns]),
            st.lists(st.tuples(*(value_of(*c) for c in columns)), min_size=1, max_size=9),
        )
    )

    @settings(max_examples=40, deadline=None)
    @given(tables)
    def check(table: tuple[list[PgType], list[tuple[object, ...]]]) -> None:
        types, rows = table
        selected = (
            "SELECT "
            + ", ".join(
                f"CAST(${len(types) * row + n} AS {pg_type.duckdb}) AS c{n}"
                for n, pg_type in enumerate(types, start=1)
            )
            for row in range(len(rows))
        )
        source = f"({' UNION ALL '.join(selected)})"
        columns = [Column(pg_type) for pg_type in types]
        values = [value for row in rows for value in row]
        few = ENGINE.execute(value_query(source, columns), values).fetchall()
        expected = EncodedRows(columns, [code] * len(types), few, zone=None)
        built = messages(datarow_messages(source, columns, [code] * len(types)), values)
        assert b"".join(built) == expected.data(0, len(rows))

    check()
