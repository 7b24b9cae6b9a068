"""Bad values are refused with PostgreSQL's words and SQLSTATEs."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import types as t
from catalog.errors import PgError, ProtocolViolation
from catalog.types import PgType
from server.wire.values import decode_parameter, encode

REFUSED = [
    (t.BOOL, "maybe", "22P02", 'invalid input syntax for type boolean: "maybe"'),
    (t.INT4, "x", "22P02", 'invalid input syntax for type integer: "x"'),
    (t.INT4, "1_0", "22P02", 'invalid input syntax for type integer: "1_0"'),
    (t.INT2, "32768", "22003", 'value "32768" is out of range for type smallint'),
    (t.FLOAT8, "1e400", "22003", '"1e400" is out of range for type double precision'),
    (t.FLOAT4, "1e39", "22003", '"1e39" is out of range for type real'),
    (t.NUMERIC, "1.2.3", "22P02", 'invalid input syntax for type numeric: "1.2.3"'),
    (t.NUMERIC, "1e30", "22003", "numeric field overflow"),
    (t.numeric(4, 2), "99.995", "22003", "numeric field overflow"),
    (t.DATE, "soon", "22007", 'invalid input syntax for type date: "soon"'),
    (t.DATE, "2024-02-30", "22008", 'date/time field value out of range: "2024-02-30"'),
    (t.TIME, "25:00", "22008", 'date/time field value out of range: "25:00"'),
    (t.TIMESTAMP, "x", "22007", 'invalid input syntax for type timestamp: "x"'),
    (t.TIMESTAMP, "294276-01-01", "22008", 'timestamp out of range: "294276-01-01"'),
    (t.TIMESTAMPTZ, "x", "22007", 'invalid input syntax for type timestamp with time zone: "x"'),
    (t.INTERVAL, "1 fortnight", "22007", 'invalid input syntax for type interval: "1 fortnight"'),
    (t.INTERVAL, "1 day 2 days", "22007", 'invalid input syntax for type interval: "1 day 2 days"'),
    (
        t.INTERVAL,
        "9999999999 days",
        "22015",
        'interval field value out of range: "9999999999 days"',
    ),
    (t.UUID, "x", "22P02", 'invalid input syntax for type uuid: "x"'),
    (t.JSON, "{", "22P02", "invalid input syntax for type json"),
    (t.JSONB, '{"a": NaN}', "22P02", "invalid input syntax for type json"),
    (t.BYTEA, "\\xz0", "22023", 'invalid hexadecimal digit: "z"'),
    (t.BYTEA, "\\x0", "22023", "invalid hexadecimal data: odd number of digits"),
    (t.array_of(t.INT4), "1", "22P02", 'malformed array literal: "1"'),
    (t.array_of(t.INT4), "{1,{2}}", "22P02", 'malformed array literal: "{1,{2}}"'),
    (t.array_of(t.INT4), "{1,}", "22P02", 'malformed array literal: "{1,}"'),
    (t.array_of(t.INT4), "{x}", "22P02", 'invalid input syntax for type integer: "x"'),
    (t.TEXT, "a\0b", "22021", 'invalid byte sequence for encoding "UTF8": 0x00'),
]


@pytest.mark.parametrize(("pg_type", "text", "sqlstate", "message"), REFUSED)
def test_bad_text(pg_type: PgType, text: str, sqlstate: str, message: str) -> None:
    with pytest.raises(PgError) as caught:
        decode_parameter(pg_type, 0, text.encode())
    assert (caught.value.sqlstate, caught.value.message) == (sqlstate, message)


@pytest.mark.parametrize(
    ("pg_type", "data", "sqlstate"),
    [
        (t.INT4, b"\0", "08P01"),
        (t.INT4, bytes(5), "22P03"),
        (t.FLOAT8, b"", "08P01"),
        (t.BOOL, b"\0\0", "22P03"),
        (t.DATE, bytes(5), "22P03"),
        (t.TIMETZ, bytes(8), "08P01"),
        (t.TIMETZ, struct.pack("!qi", 0, 57600), "22009"),
        (t.TIME, struct.pack("!q", 86_400_000_001), "22008"),
        (t.UUID, bytes(15), "08P01"),
        (t.NUMERIC, b"\0\1\0\0\0\0\0\0", "22P03"),
        (t.NUMERIC, struct.pack("!HhHHh", 1, 0, 0, 0, 10_000), "22P03"),
        (t.NUMERIC, struct.pack("!HhHHh", 1, 0, 1, 0, 1), "22P03"),
        (t.JSONB, b"\2{}", "22P03"),
        (t.array_of(t.INT4), b"", "08P01"),
        (t.array_of(t.INT4), struct.pack("!iiIii", 1, 0, 23, 2**31 - 1, 1), "54000"),
        (t.array_of(t.INT4), struct.pack("!iiIiiiq", 1, 0, 20, 1, 1, 8, 1), "42804"),
        (t.array_of(t.INT4), struct.pack("!iiIiiii", 1, 0, 23, 1, 0, 4, 1), "0A000"),
    ],
)
def test_bad_binary(pg_type: PgType, data: bytes, sqlstate: str) -> None:
    with pytest.raises(PgError) as caught:
        decode_parameter(pg_type, 1, data)
    assert caught.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    ("pg_type", "data"), [(t.INT4, b"\0"), (t.FLOAT8, b""), (t.BOOL, b""), (t.UUID, b"\0" * 15)]
)
def test_binary_that_ends_too_early(pg_type: PgType, data: bytes) -> None:
    with pytest.raises(ProtocolViolation, match="data left in message"):
        decode_parameter(pg_type, 1, data)


@given(st.sampled_from(t.all_types()), st.sampled_from([0, 1]), st.binary(max_size=48))
def test_any_bytes_are_a_value_or_refused(pg_type: PgType, code: int, data: bytes) -> None:
    try:
        decode_parameter(pg_type, code, data)
    except PgError as e:
        assert e.sqlstate[:2] in ("22", "0A", "08", "54", "42")


@given(
    st.sampled_from(t.all_types()),
    st.text('0123456789-+:. /eEPTYMDWHSinfaNd{}",\\adghmy', max_size=24),
)
def test_any_text_is_a_value_or_refused(pg_type: PgType, text: str) -> None:
    try:
        decode_parameter(pg_type, 0, text.encode())
    except PgError as e:
        is_path = pg_type.name == "jsonpath"  # Whose grammar has syntax errors.
        assert e.sqlstate[:2] in ("22", "0A", "54") or (is_path and e.sqlstate == "42601")


def test_null_has_no_image() -> None:
    assert encode(t.INT4, 0, None) is None
