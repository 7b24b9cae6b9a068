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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from decimal import Decimal
from functools import partial
from typing import Any, Final

from catalog import types as t
from catalog.errors import (
    DatatypeMismatch,
    FeatureNotSupported,
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
)
from catalog.oid import Oid
from catalog.types import PgType
from catalog.written_numeric import TRIMMED, scale_code, shown_text, stored_text
from server.value import calendar, int256
from server.value.array_text import check_dimensions, parse_array, shape
from server.value.bits import pack_bits, parse_bits, unpack_bits
from server.value.bytea import parse_bytea
from server.value.enum_label import label_of_order, order_of_label
from server.value.json_path.parser import parse_path
from server.value.json_text import canonical_text, check_json
from server.value.record_text import parse_record, record_text
from server.value.restyle import is_plain, restyled
from server.value.style import Style, current_style
from server.wire import moment_values, numbers
from server.wire.arrays import array_text, pack_array, unpack_array
from server.wire.body import decode_utf8, exactly
from server.wire.messages import BINARY_FORMAT
from server.wire.records import pack_record, unpack_record

_NAME_BYTES_MAX: Final = 63
_UUID: Final = re.compile(r"(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}", re.IGNORECASE)
_JSONB_VERSION: Final = b"\x01"
_JSONPATH_VERSION: Final = b"\x01"


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
        raise InvalidBinaryRepresentation(
            f"incorrect binary data format in bind parameter {number}"
        ) from e


def parser(pg_type: PgType) -> Callable[[str], object]:
    """Return what ``decode_parameter`` does with a text, for use on many of a column."""
    parse = _codec(pg_type).parse
    return parse if pg_type.element is None else lambda text: _held(parse(text), pg_type)


def _held(items: object, pg_type: PgType) -> object:
    """Return an array that a column of the type can hold."""
    assert isinstance(items, list)
    check_dimensions(len(shape(items)), pg_type)
    return items


def unpacker(pg_type: PgType) -> Callable[[bytes], object]:
    """Return what ``decode_parameter`` does with a binary image, for use on many of a column."""
    unpack = _codec(pg_type).unpack
    is_array = pg_type.element is not None

    def unpacked(data: bytes) -> object:
        try:
            value = unpack(data)
        except struct.error as e:
            raise InvalidBinaryRepresentation("incorrect binary data format") from e
        return _held(value, pg_type) if is_array else value

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
    style = current_style()
    base = pg_type.element or pg_type
    if not is_plain(base.name, style):
        return _styled_encoder(codec, pg_type, style, zone)
    text = codec.text
    return lambda value: text(value).encode()


def _styled_encoder(
    codec: _Codec, pg_type: PgType, style: Style, zone: tzinfo | None
) -> Callable[[Any], bytes]:
    if pg_type.element is None:
        return lambda value: restyled(pg_type.name, codec.text(value), style).encode()
    name, text = pg_type.element.name, _codec(pg_type.element, zone).text
    return lambda items: array_text(
        items, lambda value: restyled(name, text(value), style)
    ).encode()


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
    if pg_type.labels:
        return _enum_codec(pg_type)
    if pg_type.is_row:
        return _record_codec(pg_type, zone)
    if pg_type.same_base(t.MAP):
        return _map_codec(pg_type.entry or (t.TEXT, t.TEXT), zone)
    if pg_type.same_base(t.TIMESTAMPTZ):
        return _timestamptz_codec(zone)
    if pg_type.carries_scale:
        return _WRITTEN_CODEC
    if pg_type.same_base(t.NUMERIC):
        return _numeric_codec(pg_type)
    return _CODECS[pg_type.oid]


def _enum_codec(pg_type: PgType) -> _Codec:
    return _Codec(
        lambda text: order_of_label(text, pg_type),
        lambda data: order_of_label(decode_utf8(data), pg_type),
        lambda order: label_of_order(order, pg_type),
        lambda order: label_of_order(order, pg_type).encode(),
    )


def _record_codec(pg_type: PgType, zone: tzinfo | None) -> _Codec:
    """Return the codec of rows with known columns, which the engine has as structs."""
    names = [f"f{number}" for number in range(1, len(pg_type.members) + 1)]
    codecs = [_codec(member, zone) for _, member in pg_type.members]

    def parse(text: str) -> object:
        columns = parse_record(text, len(names))
        return {
            name: None if column is None else codec.parse(column)
            for name, codec, column in zip(names, codecs, columns, strict=True)
        }

    def unpack(data: bytes) -> object:
        images = unpack_record(data, [member.listed_oid for _, member in pg_type.members])
        return {
            name: None if image is None else codec.unpack(image)
            for name, codec, image in zip(names, codecs, images, strict=True)
        }

    def text(row: Mapping[str, object]) -> str:
        values = zip(codecs, row.values(), strict=True)
        return record_text(
            [None if value is None else codec.text(value) for codec, value in values]
        )

    def pack(row: Mapping[str, object]) -> bytes:
        images = [
            (member.listed_oid, None if value is None else codec.pack(value))
            for codec, (_, member), value in zip(codecs, pg_type.members, row.values(), strict=True)
        ]
        return pack_record(images)

    return _Codec(parse, unpack, text, pack)


def _map_codec(entry: tuple[PgType, PgType], zone: tzinfo | None) -> _Codec:
    """Return the codec of maps, which clients cannot send."""
    key, value = (_codec(part, zone) for part in entry)

    def text(held: Mapping[object, object]) -> str:
        shown = (f"{key.text(k)}:{'NULL' if v is None else value.text(v)}" for k, v in held.items())
        return f"{{{','.join(shown)}}}"

    def pack(held: object) -> bytes:  # noqa: ARG001
        raise FeatureNotSupported("no binary output function available for type map")

    return _Codec(_refuse_input("map"), _refuse_input("map"), text, pack)


def _numeric_codec(pg_type: PgType) -> _Codec:
    # As text: DuckDB's client loses digits of decimals inside lists.
    return _Codec(
        lambda text: format(numbers.parse_numeric(text, pg_type), "f"),
        lambda data: format(numbers.unpack_numeric(data, pg_type), "f"),
        partial(numbers.numeric_text, pg_type=pg_type),
        partial(_pack_numeric, pg_type=pg_type),
    )


def _written_numeric(text: str) -> str:
    number = numbers.parse_numeric(text, t.NUMERIC)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return _stored_numeric(number, -exponent)


def _unpacked_numeric(data: bytes) -> str:
    return _stored_numeric(numbers.unpack_numeric(data, t.NUMERIC), numbers.shown_scale(data))


def _stored_numeric(number: Decimal, scale: int) -> str:
    is_special = numbers.is_special(number, t.NUMERIC)
    return stored_text(format(number, "f"), TRIMMED if is_special else scale_code(max(scale, 0)))


def _written_text(stored: Mapping[str, Any]) -> str:
    value, code = Decimal(stored["v"]), stored["s"]
    if numbers.is_special(value, t.NUMERIC):
        return numbers.numeric_text(value, t.NUMERIC)
    return shown_text(f"{value:.{t.NUMERIC_SCALE}f}", code)


#: Of numerics that carry their scale, which the engine has as structs.
_WRITTEN_CODEC: Final = _Codec(
    _written_numeric,
    _unpacked_numeric,
    _written_text,
    lambda stored: numbers.pack_number(_written_text(stored)),
)


def _pack_numeric(value: Decimal | int, pg_type: PgType) -> bytes:
    return numbers.pack_numeric(Decimal(value), pg_type)


def _timestamptz_codec(zone: tzinfo | None) -> _Codec:
    return _Codec(
        moment_values.parse_timestamptz,
        moment_values.unpack_timestamptz,
        calendar.era_last if zone is None else partial(moment_values.timestamptz_text, zone=zone),
        moment_values.pack_timestamp,
    )


def _array_codec(element: PgType, zone: tzinfo | None) -> _Codec:
    codec = _codec(element, zone)

    def check(oid: Oid) -> None:
        if oid != element.oid:
            raise DatatypeMismatch(
                f"binary data has array element type {_titled(oid)}"
                f" instead of expected {_titled(element.oid)}"
            )

    def unpack(data: bytes) -> object:
        return unpack_array(data, codec.unpack, check)

    return _Codec(
        lambda text: parse_array(text, codec.parse),
        unpack,
        lambda items: array_text(items, codec.text),
        lambda items: pack_array(items, element.oid, codec.pack),
    )


def _titled(oid: Oid) -> str:
    found = t.by_oid(oid)
    return f"{oid} ({'unknown' if found is None else found.sql_name})"


def _integer_codec(pg_type: PgType) -> _Codec:
    return _Codec(
        partial(numbers.parse_integer, pg_type=pg_type),
        partial(numbers.unpack_integer, pg_type=pg_type),
        str,
        partial(numbers.pack_integer, pg_type=pg_type),
    )


def _named_codec(pg_type: PgType) -> _Codec:
    """Return the codec of OIDs for which a name may be given, which the binder looks up."""
    codec = _integer_codec(pg_type)

    def parse(text: str) -> object:
        return codec.parse(text) if text.strip().isdigit() else text

    return _Codec(parse, codec.unpack, codec.text, codec.pack)


def _float_codec(pg_type: PgType) -> _Codec:
    image = struct.Struct("!f" if pg_type.size == 4 else "!d")
    return _Codec(
        partial(numbers.parse_float, pg_type=pg_type),
        lambda data: image.unpack(exactly(data, image.size))[0],
        partial(numbers.float_text, pg_type=pg_type),
        image.pack,
    )


def _string_codec(bytes_max: int | None = None) -> _Codec:
    def cut(text: str) -> str:
        return text.encode()[:bytes_max].decode(errors="ignore")

    parse: Callable[[str], str] = str if bytes_max is None else cut
    return _Codec(parse, lambda data: parse(decode_utf8(data)), str, lambda text: text.encode())


def _unpack_boolean(data: bytes) -> bool:
    return exactly(data, 1) != b"\x00"


def _parse_uuid(text: str) -> str:
    bare = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    if not _UUID.fullmatch(bare):
        raise InvalidTextRepresentation.of("uuid", text)
    return str(uuid.UUID(hex=bare))


def _unpack_uuid(data: bytes) -> str:
    return str(uuid.UUID(bytes=exactly(data, 16)))


def _pack_uuid(value: uuid.UUID | str) -> bytes:
    return value.bytes if isinstance(value, uuid.UUID) else uuid.UUID(hex=value).bytes


def _unpack_json(data: bytes) -> str:
    return check_json(decode_utf8(data))


def _unpack_jsonb(data: bytes) -> str:
    if data[:1] != _JSONB_VERSION:
        raise InvalidBinaryRepresentation(
            f"unsupported jsonb version number {data[0] if data else 0}"
        )
    return canonical_text(decode_utf8(data[1:]))


def _vector_codec(element: PgType) -> _Codec:
    item = _integer_codec(element)
    return _Codec(
        lambda text: [item.parse(word) for word in text.split()],
        lambda data: unpack_array(data, item.unpack, _any, lower=0),
        lambda items: " ".join(map(str, items)),
        lambda items: pack_array(items, element.oid, item.pack, lower=0),
    )


def _any(_: Oid) -> None:
    """Take every type of elements."""


def _refuse_input(name: str) -> Callable[[Any], object]:
    def refuse(_: object) -> object:
        raise FeatureNotSupported(f"input of type {name} is not supported")

    return refuse


def _bytes_text(value: bytes) -> str:
    return "\\x" + value.hex()


_TID: Final = struct.Struct("!IH")


def _unpack_tid(data: bytes) -> int:
    page, item = _TID.unpack(exactly(data, _TID.size))
    return int(page) << 16 | int(item)


_TEXT: Final = _string_codec()
_JSON: Final = _Codec(check_json, _unpack_json, str, lambda text: text.encode())
_JSONB: Final = _Codec(
    canonical_text, _unpack_jsonb, str, lambda text: _JSONB_VERSION + text.encode()
)


def _unpack_jsonpath(data: bytes) -> str:
    if data[:1] != _JSONPATH_VERSION:
        raise InvalidBinaryRepresentation(
            f"unsupported jsonpath version number: {data[0] if data else 0}"
        )
    return str(parse_path(decode_utf8(data[1:])))


_JSONPATH: Final = _Codec(
    lambda text: str(parse_path(text)),
    _unpack_jsonpath,
    str,
    lambda text: _JSONPATH_VERSION + text.encode(),
)

_CODECS: Final[dict[Oid, _Codec]] = {
    t.BOOL.oid: _Codec(
        numbers.parse_boolean,
        _unpack_boolean,
        lambda value: "t" if value else "f",
        lambda value: b"\x01" if value else b"\x00",
    ),
    t.BYTEA.oid: _Codec(parse_bytea, bytes, _bytes_text, bytes),
    **{
        pg_type.oid: _integer_codec(pg_type)
        for pg_type in (t.INT2, t.INT4, t.INT8, t.OID, t.XID, t.CID, t.XID8)
    },
    **{pg_type.oid: _named_codec(pg_type) for pg_type in t.OBJECT_TYPES},
    **{pg_type.oid: _float_codec(pg_type) for pg_type in (t.FLOAT4, t.FLOAT8)},
    **{pg_type.oid: _TEXT for pg_type in (t.TEXT, t.VARCHAR, t.BPCHAR, t.UNKNOWN)},
    **{pg_type.oid: _TEXT for pg_type in t.BASE_TYPES if pg_type.is_internal_text},
    t.CHAR.oid: _string_codec(bytes_max=1),
    t.NAME.oid: _string_codec(bytes_max=_NAME_BYTES_MAX),
    t.DATE.oid: _Codec(
        moment_values.parse_date,
        moment_values.unpack_date,
        moment_values.date_text,
        moment_values.pack_date,
    ),
    t.TIME.oid: _Codec(
        moment_values.parse_time,
        moment_values.unpack_time,
        moment_values.time_text,
        moment_values.pack_time,
    ),
    t.TIMETZ.oid: _Codec(
        moment_values.parse_timetz,
        moment_values.unpack_timetz,
        moment_values.timetz_text,
        moment_values.pack_timetz,
    ),
    t.TIMESTAMP.oid: _Codec(
        moment_values.parse_timestamp,
        moment_values.unpack_timestamp,
        moment_values.timestamp_text,
        moment_values.pack_timestamp,
    ),
    t.INTERVAL.oid: _Codec(
        moment_values.read_interval,
        moment_values.read_interval_image,
        moment_values.write_interval,
        moment_values.write_interval_image,
    ),
    t.TID.oid: _Codec(
        numbers.parse_tid,
        _unpack_tid,
        lambda value: f"({value >> 16},{value & 0xFFFF})",
        lambda value: _TID.pack(value >> 16, value & 0xFFFF),
    ),
    **dict.fromkeys((t.BIT.oid, t.VARBIT.oid), _Codec(parse_bits, unpack_bits, str, pack_bits)),
    t.UUID.oid: _Codec(_parse_uuid, _unpack_uuid, str, _pack_uuid),
    t.INT256.oid: _Codec(
        lambda text: str(int256.parse_int256(text)),
        lambda data: str(int256.unpack_int256(data)),
        str,
        lambda value: int256.pack_int256(int(value)),
    ),
    t.JSON.oid: _JSON,
    t.JSONB.oid: _JSONB,
    t.JSONPATH.oid: _JSONPATH,
    **{oid: _vector_codec(element) for oid, element in t.VECTORS.items()},
    t.RECORD.oid: _Codec(
        _refuse_input("record"), _refuse_input("record"), str, lambda value: str(value).encode()
    ),
    t.VOID.oid: _Codec(_refuse_input("void"), _refuse_input("void"), lambda _: "", lambda _: b""),
}
