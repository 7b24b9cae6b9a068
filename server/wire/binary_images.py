"""DuckDB expressions for the binary images of values.

``x::BIT::BLOB`` gives the bytes of a number, the highest first. Each function takes an expression
and returns one of type BLOB that is NULL where the value is.
"""

from __future__ import annotations

import struct
from typing import Final

from catalog import types as t
from catalog.errors import FeatureNotSupported
from catalog.types import PgType
from catalog.written_numeric import TRIMMED, scale_code
from server.wire.arrays import RAGGED
from server.wire.numbers import SPECIAL_IMAGES
from server.wire.text_images import (
    flattened,
    interval_microseconds,
    member_of,
    text_image,
    unless_special,
)

_MICROSECONDS_1970_TO_2000: Final = 946_684_800_000_000


def blob(data: bytes) -> str:
    """Return a BLOB literal."""
    return "'" + "".join(f"\\x{byte:02X}" for byte in data) + "'::BLOB"


_NULL: Final = blob(b"\xff\xff\xff\xff")
_JSONB_VERSION: Final = 1

#: Bytes of an image, where all values of a type have as many.
_SIZES: Final = {
    **dict.fromkeys((t.BOOL.oid,), 1),
    **dict.fromkeys((t.INT2.oid,), 2),
    **dict.fromkeys((t.INT4.oid, t.FLOAT4.oid, t.DATE.oid, *t.UNSIGNED_OIDS), 4),
    **dict.fromkeys(
        (t.INT8.oid, t.XID8.oid, t.FLOAT8.oid, t.TIME.oid, t.TIMESTAMP.oid, t.TIMESTAMPTZ.oid), 8
    ),
    t.TIMETZ.oid: 12,
    **dict.fromkeys((t.INTERVAL.oid, t.UUID.oid), 16),
    t.INT256.oid: 32,
}


def image_size(pg_type: PgType) -> int | None:
    """Return the length of every binary image of a type, or None where it varies."""
    return None if pg_type.element is not None else _SIZES.get(pg_type.oid)


def needs_padded_digits(pg_type: PgType) -> bool:
    """Whether the image is made from ``padded_digits``."""
    return pg_type.oid == t.NUMERIC.oid


def image_numbers(value: str, pg_type: PgType) -> list[tuple[str, int]] | None:
    """Return the numbers that a type's binary images consist of, None if they are no numbers.

    Each is an expression, NULL where the value is, with the size of its type in bytes.
    """
    if pg_type.element is not None:
        return None
    match pg_type.oid:
        case t.INT2.oid | t.INT4.oid | t.INT8.oid | t.FLOAT4.oid | t.FLOAT8.oid | t.XID8.oid:
            return [(value, pg_type.size)]
        case t.BOOL.oid:
            return [(f"{value}::TINYINT", 1)]
        case oid if oid in t.UNSIGNED_OIDS:
            return [(f"{value}::UINTEGER", 4)]
        case t.TID.oid:
            return [(f"({value} >> 16)::UINTEGER", 4), (f"({value} & 65535)::USMALLINT", 2)]
        case t.DATE.oid:
            days = f"({value} - DATE '2000-01-01')::INTEGER"
            return [(_finite_or(value, days, 2**31 - 1), 4)]
        case t.TIME.oid:
            return [(f"epoch_us({value})", 8)]
        case t.TIMETZ.oid:
            return [
                (f"epoch_us({value})", 8),
                (f"(-datepart('timezone', {value}))::INTEGER", 4),
            ]
        case t.TIMESTAMP.oid | t.TIMESTAMPTZ.oid:
            since_2000 = f"epoch_us({value}) - {_MICROSECONDS_1970_TO_2000}"
            return [(_finite_or(value, since_2000, 2**63 - 1), 8)]
        case t.INTERVAL.oid:
            months = f"(datepart('year', {value}) * 12 + datepart('month', {value}))"
            return [
                (f"{interval_microseconds(value)}::BIGINT", 8),
                (f"datepart('day', {value})::INTEGER", 4),
                (f"{months}::INTEGER", 4),
            ]
        case _:
            return None


def image_text(value: str, pg_type: PgType) -> str | None:
    """Return the expression for a type's binary image as VARCHAR, None if it is no text."""
    if pg_type.element is not None or image_numbers(value, pg_type) is not None:
        return None
    if pg_type.is_row or pg_type.entry is not None:
        return None
    if pg_type.labels:
        return text_image(value, pg_type)
    match pg_type.oid:
        case t.NUMERIC.oid | t.BYTEA.oid | t.UUID.oid | t.INT256.oid:
            return None
        case oid if oid in t.VECTORS or pg_type.is_bits:
            return None
        case t.JSONB.oid | t.JSONPATH.oid:
            return f"chr({_JSONB_VERSION}) || {value}::VARCHAR"
        case _:
            return f"{value}::VARCHAR"


def binary_image(value: str, pg_type: PgType, padded: str | None = None) -> str:
    """Return the expression for the binary image of ``value``, an expression of that type.

    ``padded`` are its ``padded_digits``, where these have been computed already.
    """
    if pg_type.element is not None:
        return _array(value, pg_type.element, pg_type.dimensions)
    if (numbers := image_numbers(value, pg_type)) is not None:
        return " || ".join(f"({number})::BIT::BLOB" for number, _ in numbers)
    if (text := image_text(value, pg_type)) is not None:
        return f"encode({text})"
    if pg_type.is_row:
        return _record(value, pg_type)
    if pg_type.entry is not None:
        raise FeatureNotSupported("no binary output function available for type map")
    code: str | None = None
    match pg_type.oid:
        case t.NUMERIC.oid:
            if pg_type.carries_scale:
                code = f"struct_extract({value}, 's')"
                value, pg_type = f"struct_extract({value}, 'v')", t.NUMERIC
            image = _numeric(padded or f"({padded_digits(value, pg_type)})", pg_type, code)
            if pg_type.has_specials:
                images = {special: blob(found) for special, found in SPECIAL_IMAGES.items()}
                image = unless_special(value, pg_type, image, images)
            return image
        case t.INT256.oid:
            return f"tg_int256_image({value}::VARCHAR)"
        case t.BIT.oid | t.VARBIT.oid:
            # The engine has no bits without any, so there is a byte in front, which is cut off.
            size = f"8 + (length({value}) + 7) // 8 * 8"
            held = f"rpad('00000000' || {value}, ({size})::INTEGER, '0')::BIT::BLOB"
            return f"{_int32(f'length({value})')} || ({held})[2:]"
        case t.UUID.oid:
            return f"unhex(replace({value}::VARCHAR, '-', ''))"
        case t.INT2VECTOR.oid | t.OIDVECTOR.oid:
            return _array(value, t.VECTORS[pg_type.oid], 1, lower=0)
        case _:
            return value


def _finite_or(value: str, number: str, infinity: int) -> str:
    # The least number has no literal of its type.
    return (
        f"CASE WHEN isfinite({value}) THEN {number}"
        f" WHEN {value} > '2000-01-01' THEN {infinity}"
        f" WHEN {value} < '2000-01-01' THEN -{infinity} - 1 END"
    )


def _groups(pg_type: PgType) -> tuple[int, int]:
    """Return how many groups of four digits a numeric has before and after its point."""
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    whole = -(-(pg_type.precision - pg_type.scale) // 4)
    # Digits are cut out sixteen at a time; there is at least one before the point.
    fraction = -(-pg_type.scale // 4)
    whole = max(1, whole) + -(max(1, whole) + fraction) % 4
    return whole, fraction


def padded_digits(value: str, pg_type: PgType) -> str:
    """Return the expression for a numeric's sign and all digits, filled up to whole groups."""
    if pg_type.carries_scale:
        value, pg_type = f"struct_extract({value}, 'v')", t.NUMERIC
    text = f"ltrim({value}::VARCHAR, '-')"
    whole_groups, fraction_groups = _groups(pg_type)
    scale = pg_type.scale
    sign = f"CASE WHEN {value} < 0 THEN '-' ELSE '+' END"
    if not scale:
        return f"{sign} || lpad({text}, {whole_groups * 4}, '0')"
    return (
        f"{sign} || lpad(left({text}, -{scale + 1}), {whole_groups * 4}, '0')"
        f" || rpad(right({text}, {scale}), {fraction_groups * 4}, '0')"
    )


def _numeric(padded: str, pg_type: PgType, code: str | None = None) -> str:
    """Digits to the base of 10,000 without the zeros around them, after four numbers.

    The header's four numbers of 16 bits are built as one of 64, and so are four digits each.
    """
    whole_groups, fraction_groups = _groups(pg_type)
    groups = whole_groups + fraction_groups
    leading = f"((4 * {groups} - strlen(ltrim({padded}, '+-0'))) // 4)"
    trailing = f"((4 * {groups} + 1 - strlen(rtrim({padded}, '0'))) // 4)"
    scale = str(pg_type.scale)
    if not pg_type.keeps_scale:
        scale = f"greatest(0, strlen(rtrim({padded}, '0')) - {1 + 4 * whole_groups})"
    if code is not None:
        scale = f"CASE {code} WHEN {TRIMMED} THEN {scale} ELSE {scale_code(0)} - {code} END"
    is_zero = f"({leading} = {groups})"
    # A weight of -1 is 65535.
    weight = f"(({whole_groups - 1 + 65536} - {leading}) % 65536)"
    header = (
        f"(CASE WHEN {is_zero} THEN 0 ELSE ({groups} - {leading} - {trailing}) * {1 << 48}"
        f" + {weight} * {1 << 32} END"
        f" + CASE WHEN {padded}[1] = '-' THEN {0x4000 << 16} ELSE 0 END + {scale})"
    )
    digits = " || ".join(_four_digits(padded, at) for at in range(0, groups, 4))
    return (
        f"{header}::BIGINT::BIT::BLOB || ({digits})[2 * {leading} + 1:2 * ({groups} - {trailing})]"
    )


def _four_digits(padded: str, first: int) -> str:
    """Return the expression for four digits to the base of 10,000, two bytes each.

    With q(i) = x // 10^4i the digits are q(i) - 10^4 q(i + 1); their sum at the base B = 2^16 is
    x + q(1) (B - 10^4) + q(2) (B - 10^4) B + q(3) (B - 10^4) B^2.
    """
    x = f"{padded}[{first * 4 + 2}:{first * 4 + 17}]::BIGINT"
    terms = (f"{x} // {10 ** (4 * i)} * {(2**16 - 10**4) << (16 * (i - 1))}" for i in (1, 2, 3))
    return f"({x} + {' + '.join(terms)})::BIT::BLOB"


def _record(value: str, pg_type: PgType) -> str:
    items = [
        f"{blob(struct.pack('!I', member.listed_oid))}"
        f" || coalesce({sized(member_of(value, number), member)}, {_NULL})"
        for number, (_, member) in enumerate(pg_type.members, 1)
    ]
    count = blob(struct.pack("!i", len(pg_type.members)))
    return f"CASE WHEN {value} IS NOT NULL THEN {' || '.join([count, *items])} END"


def _int32(number: str) -> str:
    return f"{number}::INTEGER::BIT::BLOB"


def _array(value: str, element: PgType, depth: int, lower: int = 1) -> str:
    flat = flattened(value, depth)
    oid = blob(struct.pack("!I", element.oid))
    has_null = (
        f"CASE WHEN list_count({flat}) < len({flat})"
        f" THEN {blob(struct.pack('!i', 1))} ELSE {blob(bytes(4))} END"
    )
    first = "[1]"
    bounds = " || ".join(
        f"{_int32(f'len({value}{first * level})')} || {blob(struct.pack('!i', lower))}"
        for level in range(depth)
    )
    # BLOBs cannot be aggregated, their hexadecimal texts can.
    items = (
        f"unhex(array_to_string(list_transform({flat},"
        f" lambda e: coalesce(hex({sized('e', element)}), 'FFFFFFFF')), ''))"
    )
    return (
        f"CASE WHEN {value} IS NULL THEN NULL{_ragged(value, flat, depth)}"
        f" WHEN len({flat}) = 0 THEN {blob(bytes(8))} || {oid}"
        f" ELSE {blob(struct.pack('!i', depth))} || {has_null} || {oid} || {bounds} || {items} END"
    )


def _ragged(value: str, flat: str, depth: int) -> str:
    """Return the case of an array of arrays that differ in length, which has no image."""
    if depth == 1:
        return ""
    count = " * ".join(f"len({value}{'[1]' * level})" for level in range(depth))
    return f" WHEN len({flat}) <> {count} THEN error('0A000:{RAGGED}')"


def sized(value: str, pg_type: PgType) -> str:
    """Return the expression for an image with its length in front."""
    image = binary_image(value, pg_type)
    size = image_size(pg_type)
    if size is not None:
        return f"{blob(struct.pack('!i', size))} || {image}"
    return f"{_int32(f'octet_length({image})')} || {image}"
