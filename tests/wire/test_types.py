"""Every type is read and shown as PostgreSQL does, which is asked for its bytes and its words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import psycopg
import pytest

from tests.support.images import answers, ask, quoted
from tests.support.server import Address

CASES: Final = {
    "bool": ["t", "FALSE", " yes ", "of", "on", "o", "2", ""],
    "int2": ["-32768", "32768", " 12 ", "+5", "1.5"],
    "int4": ["2147483647", "2147483648", "x", ""],
    "int8": ["-9223372036854775808", "9223372036854775808"],
    "oid": ["0", "4294967295", "4294967296", "-1", "x"],
    "float4": ["-0", "0.1", "1e20", "3.5e38", "1e-45", "1e-46", "NaN", "-inf", "16777216", "x"],
    "float8": ["-0", "1e308", "1e309", "5e-324", "2e-324", "Infinity", "1e15", "1e-7", "0.1e1"],
    "text": ["", "é☂😀", "it's\n\t\\"],
    "varchar(3)": ["abc", "abcd", "abc  ", "é☂xy"],
    "char(3)": ["a", "abcd", ""],
    "bytea": ["\\x", "\\xDEAD beef", "\\x0", "\\xzz", "a\\000b\\\\", "a\\400", "\\x1 2"],
    "uuid": [
        "A0EEBC999C0B4EF8BB6D6BB9BD380A11",
        "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
        "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
        " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "x",
    ],
    "date": [
        *("2024-02-29", "infinity", "-infinity", "0044-03-15 BC", "4714-11-24 BC", "5874897-12-31"),
        *("5874898-01-01", "2024-02-30", "2024-13-01", "1/2/2003", "01-02-03", "99-1-8", "990108", "+infinity"),
        *("Jan 8, 1999", "8 January 1999", "1999-Jan-08", "1999.008", "J2451187", "epoch", "0000-01-01"),
        *("Thursday, January 8 1999", "2024-02-29 AD", "2024-01-01 25:00", "x", ""),
    ],
    "time": [
        *("00:00:00", "24:00:00", "24:00:01", "23:59:60", "23:59:59.9999999", "04:05:06.789-8"),
        *("040506", "040506.5", "04:05 PM", "12:00 AM", "13:05 PM", "04:05:06 PST", "allballs"),
        *("2003-04-12 04:05:06 America/New_York", "T040506", "1:2:3", "04:60", "x"),
    ],
    "timetz": [
        *("04:05:06+02", "04:05:06.789-08:30", "04:05:06", "00:00:00+15:59:59", "04:05:06-16"),
        *("040506+0730", "04:05 PST", "2003-04-12 04:05:06 America/New_York", "24:00:00+00", "x"),
    ],
    "timestamp": [
        *("2024-02-29 01:02:03", "2024-02-29 01:02:03.4567896", "1999-12-31 23:59:59.9999999"),
        *("infinity", "-infinity", "4714-11-24 00:00:00 BC", "0044-03-15 12:00 BC", "epoch"),
        *("2024-06-30 23:59:60", "2024-02-29 24:00:00", "2024-02-29 24:00:01", "20240229T010203"),
        *("Mon Feb 12 10:11:12 1997 PST", "2024-02-29 01:02:03 America/New_York", "x", ""),
    ],
    "timestamptz": [
        *("2024-02-29 01:02:03.456789-08", "2024-02-29 01:02:03", "2024-07-29 01:02:03 EDT"),
        *("2024-02-29 01:02:03 europe/london", "2024-02-29 01:02:03+05:45:15", "infinity"),
        *("2024-02-29 01:02:03+16", "2024-02-29 01:02:03 zzz/abc", "0044-03-15 12:00+00 BC", "x"),
    ],
    "interval": [
        *("1 year 2 mons 3 days 04:05:06.789", "-1 day +02:03", "1 mon -1 day", "1 day ago", "0"),
        *("P1Y2M3DT4H5M6S", "P0001-02-03T04:05:06", "P1.5W", "PT0.5S", "PT", "1-2 3 4:05:06"),
        *("1.5 months", "1.5 years", "0.1 mon", "2147483648 days", "2147483647 years", "2147483648 years", "300000000 decades",
          "1 hour 1 hour", "@ 1 week", "x"),
    ],
    "timestamp(3)": ["2024-02-29 01:02:03.4567", "1999-12-31 23:59:59.9996"],
    "time(1)": ["23:59:59.99", "01:02:03.45"],
    "interval(2)": ["1.235 s", "-1.235 s"],
    "interval year to month": ["1-2", "1 year 2 mons 3 days"],
    "bit(5)": ["10110", "101", "1011011", "x1F", "B01", "", "2", " 1", "xg"],
    "bit": ["1", "10", ""],
    "bit varying": ["", "0", "10110101", "101101011", "Xa5f", "b1b"],
    "varbit(3)": ["101", "1011", "1"],
    "name": ["a" * 70, "é" * 40],
    "json": [' {"b":1, "a":2,"a":3}', "[1,]", '{"a"}', "nul", '"\t"', "1 2", '"\\x"', "{", "01"],
    "jsonb": [
        *('{"bb":1,"a":2,"ccc":0,"a":3}', "1.10", "1e5", "-0.0", "123456789012345678901234567890"),
        *('"\\u0000"', '"\\ud83d"', '"\\ud83d\\ude00\\u0041"', '{"é":1,"z":2}', "[1 2]", "{}"),
    ],
}  # fmt: skip

#: Ways on which arrays of these have something that is not PostgreSQL's.
STYLES: Final = (
    "DateStyle = 'German'",
    "DateStyle = 'SQL, DMY'",
    "DateStyle = 'Postgres, MDY'",
    "DateStyle = 'YMD'",
    "IntervalStyle = postgres_verbose",
    "IntervalStyle = sql_standard",
    "IntervalStyle = iso_8601",
    "bytea_output = escape",
    "extra_float_digits = 0",
    "extra_float_digits = -4",
    "TimeZone = 'Asia/Kolkata'",
)
STYLED: Final = {
    "date": ["2024-02-29", "0044-03-15 BC", "infinity", "01-02-03", "29/02/2024"],
    "timestamp": ["2024-02-29 01:02:03.5", "04/05/2003 1:2"],
    "timestamptz": ["2024-02-29 01:02:03.5+00", "2024-07-01 12:00:00", "0044-03-15 12:00+00 BC"],
    "timetz": ["01:02:03"],
    "interval": ["1 year 2 mons 3 days 04:05:06.789", "-1 day", "1 day -00:00:01.5", "0", "-1 2:3"],
    "bytea": ["\\x00ff415c"],
    "float4": ["0.1", "123456.7"],
    "float8": ["0.1", "0.30000000000000004", "-Infinity"],
}


@pytest.fixture(scope="module")
def ours(server: Address) -> Iterator[psycopg.Connection[object]]:
    with server.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def theirs(postgresql: Address) -> Iterator[psycopg.Connection[object]]:
    with postgresql.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in CASES.items() for text in texts]
)
def test_a_value_is_what_it_is_in_postgresql(
    kind: str,
    text: str,
    ours: psycopg.Connection[object],
    theirs: psycopg.Connection[object],
) -> None:
    image = ask(theirs, f"SELECT {quoted(text)}::{kind}", binary_out=True).value
    expected = dict(answers(theirs, kind, text, image))
    assert dict(answers(ours, kind, text, image)) == expected


@pytest.mark.parametrize("style", STYLES)
def test_a_style_shows_what_it_shows_in_postgresql(
    style: str, ours: psycopg.Connection[object], theirs: psycopg.Connection[object]
) -> None:
    for connection in (ours, theirs):
        connection.execute(f"SET {style}".encode())
    try:
        for kind, texts in STYLED.items():
            for text in texts:
                expected = dict(answers(theirs, kind, text))
                assert dict(answers(ours, kind, text)) == expected, (kind, text)
    finally:
        for connection in (ours, theirs):
            connection.execute("RESET ALL")
