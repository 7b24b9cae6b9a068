"""One value between the wire and Python, in both formats, for every type there is.

``decode_parameter`` gives objects that DuckDB's client takes and that ``CAST($n AS type)`` turns
into the value. Where Python's classes are narrower than the type (dates beyond the year 9999,
infinity, intervals of months) or the same class stands for several types, that is a text.
The encoders take what DuckDB's client gives. They serve small results; large ones are built by
``rows``.
"""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from functools import partial
from typing import Any, Final

from catalog import types as t
from catalog.errors import (
    FeatureNotSupported,
    InvalidBinaryRepresentation,
    InvalidParameterValue,
    InvalidTextRepresentation,
    ProtocolViolation,
)
from catalog.oid import Oid
from catalog.types import PgType
from server.wire import calendar, intervals, numbers
from server.wire.arrays import array_text, pack_array, parse_array, unpack_array
from server.wire.binary_images import image_size
from server.wire.body import decode_utf8
from server.wire.json_text import check_json, normalized_jsonb
from server.wire.messages import BINARY_FORMAT

_NAME_BYTES_MAX: Final = 63
_UUID: Final = re.compile(r"(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}", re.IGNORECASE)
_BYTEA_ESCAPE: Final = re.compile(rb"\\(\\|[0-3][0-7][0-7])")
_JSONB_VERSION: Final = b"\x01"


def decode_parameter(pg_type: PgType, code: int, data: bytes, number: int = 1) -> object:
    """Return what DuckDB casts to the value.

    Args:
        pg_type: The parameter's type.
        code: The format code.
        data: Its image.
        number: The parameter's position, for the error.

    Raises:
        PgError: It is no value of the type.
    """
    codec = _codec(pg_type)
    if code != BINARY_FORMAT:
        return codec.parse(decode_utf8(data))
    try:
        return codec.unpack(data)
    except struct.error as e:
        size = image_size(pg_type) or 0
        if len(data) < size:
            missing = "no" if size == 1 else "insufficient"
            raise ProtocolViolation(f"{missing} data left in message") from e
        raise InvalidBinaryRepresentation(
            f"incorrect binary data format in bind parameter {number}"
        ) from e


def parser(pg_type: PgType) -> Callable[[str], object]:
    """Return what ``decode_parameter`` does with a text, for use on many."""
    return _codec(pg_type).parse


def unpacker(pg_type: PgType) -> Callable[[bytes], object]:
    """Return what ``decode_parameter`` does with a binary image, for use on many."""
    unpack = _codec(pg_type).unpack

    def unpacked(data: bytes) -> object:
        try:
            return unpack(data)
        except struct.error as e:
            raise InvalidBinaryRepresentation("incorrect binary data format") from e

    return unpacked


def encode(pg_type: PgType, code: int, value: object, zone: tzinfo | None = UTC) -> bytes | None:
    """Return the image of a value in the format of that code; None for NULL.

    ``zone`` is the session's; None means that every timestamptz is a text in it already.
    """
    return None if value is None else encoder(pg_type, code, zone)(value)


def encoder(pg_type: PgType, code: int, zone: tzinfo | None = UTC) -> Callable[[Any], bytes]:
    """Return what ``encode`` does with a value that is not NULL, for use on many."""
    codec = _codec(pg_type, zone)
    if code == BINARY_FORMAT:
        return codec.pack
    text = codec.text
    return lambda value: text(value).encode()


@dataclass(frozen=True, slots=True)
class _Codec:
    """The four directions of one type."""

    parse: Callable[[str], object]
    unpack: Callable[[bytes], object]
    text: Callable[[Any], str]
    pack: Callable[[Any], bytes]


def _codec(pg_type: PgType, zone: tzinfo | None = UTC) -> _Codec:
    if pg_type.element is not None:
        return _array_codec(pg_type.element, zone)
    if pg_type.same_base(t.TIMESTAMPTZ):
        return _timestamptz_codec(zone)
    if pg_type.same_base(t.NUMERIC):
        return _numeric_codec(pg_type)
    return _CODECS[pg_type.oid]


def _numeric_codec(pg_type: PgType) -> _Codec:
    # As text: DuckDB's client loses digits of decimals inside lists.
    return _Codec(
        lambda text: format(numbers.parse_numeric(text, pg_type), "f"),
        lambda data: format(numbers.unpack_numeric(data, pg_type), "f"),
        partial(numbers.numeric_text, pg_type=pg_type),
        partial(_pack_numeric, pg_type=pg_type),
    )


def _pack_numeric(value: Decimal | int, pg_type: PgType) -> bytes:
    return numbers.pack_numeric(Decimal(value), pg_type)


def _timestamptz_codec(zone: tzinfo | None) -> _Codec:
    return _Codec(
        _parse_timestamptz,
        _unpack_timestamptz,
        calendar.era_last if zone is None else partial(_timestamptz_text, zone=zone),
        _pack_timestamp,
    )


def _array_codec(element: PgType, zone: tzinfo | None) -> _Codec:
    codec = _codec(element, zone)

    def unpack(data: bytes) -> object:
        oid, items = unpack_array(data, codec.unpack)
        if oid != element.oid:
            raise InvalidBinaryRepresentation(
                f"binary data has array element type {oid} instead of expected {element.oid}"
            )
        return items

    return _Codec(
        lambda text: parse_array(text, codec.parse),
        unpack,
        lambda items: array_text(items, codec.text),
        lambda items: pack_array(items, element.oid, codec.pack),
    )


def _integer_codec(pg_type: PgType) -> _Codec:
    return _Codec(
        partial(numbers.parse_integer, pg_type=pg_type),
        partial(numbers.unpack_integer, pg_type=pg_type),
        str,
        partial(numbers.pack_integer, pg_type=pg_type),
    )


def _float_codec(pg_type: PgType) -> _Codec:
    image = struct.Struct("!f" if pg_type.size == 4 else "!d")
    return _Codec(
        partial(numbers.parse_float, pg_type=pg_type),
        lambda data: image.unpack(data)[0],
        partial(numbers.float_text, pg_type=pg_type),
        image.pack,
    )


def _string_codec(bytes_max: int | None = None) -> _Codec:
    def cut(text: str) -> str:
        return text.encode()[:bytes_max].decode(errors="ignore")

    parse: Callable[[str], str] = str if bytes_max is None else cut
    return _Codec(parse, lambda data: parse(decode_utf8(data)), str, lambda text: text.encode())


def _unpack_boolean(data: bytes) -> bool:
    value: bool = struct.unpack("!?", data)[0]
    return value


def _parse_bytea(text: str) -> bytes:
    if text.startswith("\\x"):
        return _parse_hexadecimal(text[2:])
    raw = text.encode()
    if b"\\" in _BYTEA_ESCAPE.sub(b"", raw):
        raise InvalidTextRepresentation("invalid input syntax for type bytea")
    return _BYTEA_ESCAPE.sub(
        lambda found: b"\\" if found[1] == b"\\" else bytes([int(found[1], 8)]), raw
    )


def _parse_hexadecimal(digits: str) -> bytes:
    for digit in digits:
        if digit not in "0123456789abcdefABCDEF \t\n\r":
            raise InvalidParameterValue(f'invalid hexadecimal digit: "{digit}"')
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise InvalidParameterValue("invalid hexadecimal data: odd number of digits") from None


def _parse_date(text: str) -> str:
    return calendar.duckdb_date(calendar.parse_date(text))


def _unpack_date(data: bytes) -> str:
    return calendar.duckdb_date(struct.unpack("!i", data)[0])


def _parse_time(text: str) -> str:
    return calendar.time_text(calendar.parse_time(text))


def _unpack_time(data: bytes) -> str:
    (microseconds,) = struct.unpack("!q", data)
    if not 0 <= microseconds <= calendar.DAY:
        raise InvalidBinaryRepresentation("time out of range")
    return calendar.time_text(microseconds)


def _parse_timestamp(text: str) -> str:
    return calendar.duckdb_timestamp(calendar.parse_timestamp(text))


def _unpack_timestamp(data: bytes) -> str:
    return calendar.duckdb_timestamp(struct.unpack("!q", data)[0])


def _parse_timestamptz(text: str) -> str:
    microseconds, zone = calendar.parse_timestamptz(text)
    return calendar.duckdb_timestamp(microseconds, "+00" if zone is None else f" {zone}".rstrip())


def _unpack_timestamptz(data: bytes) -> str:
    return calendar.duckdb_timestamp(struct.unpack("!q", data)[0], "+00")


def _timestamptz_text(value: datetime | str, zone: tzinfo) -> str:
    return calendar.timestamptz_text(calendar.timestamp_microseconds(value), zone)


def _pack_timestamp(value: datetime | str) -> bytes:
    return struct.pack("!q", calendar.timestamp_microseconds(value))


def _pack_date(value: date | str) -> bytes:
    return struct.pack("!i", calendar.date_days(value))


def _pack_time(value: time | str) -> bytes:
    return struct.pack("!q", calendar.time_microseconds(value))


def _interval_text(value: intervals.Interval | timedelta | str) -> str:
    return intervals.interval_text(intervals.interval_of(value))


def _pack_interval(value: intervals.Interval | timedelta | str) -> bytes:
    return intervals.pack_interval(intervals.interval_of(value))


def _parse_uuid(text: str) -> str:
    bare = text.strip()
    if bare.startswith("{") and bare.endswith("}"):
        bare = bare[1:-1]
    if not _UUID.fullmatch(bare):
        raise InvalidTextRepresentation.of("uuid", text)
    return str(uuid.UUID(hex=bare))


def _unpack_uuid(data: bytes) -> str:
    (image,) = struct.Struct("16s").unpack(data)
    return str(uuid.UUID(bytes=image))


def _pack_uuid(value: uuid.UUID | str) -> bytes:
    return value.bytes if isinstance(value, uuid.UUID) else uuid.UUID(hex=value).bytes


def _unpack_json(data: bytes) -> str:
    return check_json(decode_utf8(data))


def _unpack_jsonb(data: bytes) -> str:
    if data[:1] != _JSONB_VERSION:
        raise InvalidBinaryRepresentation(
            f"unsupported jsonb version number {data[0] if data else 0}"
        )
    return normalized_jsonb(decode_utf8(data[1:]))


def _parse_int2vector(text: str) -> list[int]:
    return [numbers.parse_integer(word, t.INT2) for word in text.split()]


def _unpack_int2vector(data: bytes) -> object:
    return unpack_array(data, partial(numbers.unpack_integer, pg_type=t.INT2))[1]


def _int2vector_text(items: list[int]) -> str:
    return " ".join(map(str, items))


def _pack_int2vector(items: list[int]) -> bytes:
    return pack_array(items, t.INT2.oid, partial(numbers.pack_integer, pg_type=t.INT2), lower=0)


def _refuse_input(name: str) -> Callable[[Any], object]:
    def refuse(_: object) -> object:
        raise FeatureNotSupported(f"input of type {name} is not supported")

    return refuse


def _bytes_text(value: bytes) -> str:
    return "\\x" + value.hex()


_TEXT: Final = _string_codec()
_JSON: Final = _Codec(check_json, _unpack_json, str, lambda text: text.encode())
_JSONB: Final = _Codec(
    normalized_jsonb, _unpack_jsonb, str, lambda text: _JSONB_VERSION + text.encode()
)

_CODECS: Final[dict[Oid, _Codec]] = {
    t.BOOL.oid: _Codec(
        numbers.parse_boolean,
        _unpack_boolean,
        lambda value: "t" if value else "f",
        lambda value: b"\x01" if value else b"\x00",
    ),
    t.BYTEA.oid: _Codec(_parse_bytea, bytes, _bytes_text, bytes),
    **{
        pg_type.oid: _integer_codec(pg_type)
        for pg_type in (t.INT2, t.INT4, t.INT8, t.OID, t.REGCLASS, t.REGTYPE)
    },
    **{pg_type.oid: _float_codec(pg_type) for pg_type in (t.FLOAT4, t.FLOAT8)},
    **{pg_type.oid: _TEXT for pg_type in (t.TEXT, t.VARCHAR, t.BPCHAR, t.UNKNOWN, t.REGPROC)},
    t.CHAR.oid: _string_codec(bytes_max=1),
    t.NAME.oid: _string_codec(bytes_max=_NAME_BYTES_MAX),
    t.DATE.oid: _Codec(
        _parse_date,
        _unpack_date,
        lambda value: calendar.date_text(calendar.date_days(value)),
        _pack_date,
    ),
    t.TIME.oid: _Codec(
        _parse_time,
        _unpack_time,
        lambda value: calendar.time_text(calendar.time_microseconds(value)),
        _pack_time,
    ),
    t.TIMESTAMP.oid: _Codec(
        _parse_timestamp,
        _unpack_timestamp,
        lambda value: calendar.timestamp_text(calendar.timestamp_microseconds(value)),
        _pack_timestamp,
    ),
    t.INTERVAL.oid: _Codec(
        lambda text: intervals.duckdb_interval(intervals.parse_interval(text)),
        lambda data: intervals.duckdb_interval(intervals.unpack_interval(data)),
        _interval_text,
        _pack_interval,
    ),
    t.UUID.oid: _Codec(_parse_uuid, _unpack_uuid, str, _pack_uuid),
    t.JSON.oid: _JSON,
    t.JSONB.oid: _JSONB,
    t.INT2VECTOR.oid: _Codec(
        _parse_int2vector, _unpack_int2vector, _int2vector_text, _pack_int2vector
    ),
    t.RECORD.oid: _Codec(
        _refuse_input("record"), _refuse_input("record"), str, lambda value: str(value).encode()
    ),
    t.VOID.oid: _Codec(_refuse_input("void"), _refuse_input("void"), lambda _: "", lambda _: b""),
}
