"""PostgreSQL's text of values that came in binary, written apart from the server's own encoder."""

from __future__ import annotations

import datetime as dt
import json
import math
import struct
import uuid
from decimal import Decimal
from typing import Final

EPOCH: Final = dt.datetime(2000, 1, 1)
ARRAY_ELEMENTS: Final = {
    1000: 16, 1001: 17, 1005: 21, 1007: 23, 1009: 25, 1014: 1042, 1015: 1043, 1016: 20, 1021: 700,
    1022: 701, 1115: 1114, 1182: 1082, 1183: 1083, 1185: 1184, 1187: 1186, 1231: 1700, 199: 114,
    2951: 2950, 3807: 3802, 1561: 1560, 1563: 1562,
}  # fmt: skip


def binary_to_text(oid: int, data: bytes) -> str:
    """Return what the server would have sent in text format."""
    if oid in ARRAY_ELEMENTS:
        return _array(ARRAY_ELEMENTS[oid], data)
    match oid:
        case 16:
            return "t" if data == b"\1" else "f"
        case 17:
            return "\\x" + data.hex()
        case 20 | 21 | 23 | 26:
            return str(int.from_bytes(data, "big", signed=oid != 26))
        case 700:
            return _float(struct.unpack("!f", data)[0], single=True)
        case 701:
            return _float(struct.unpack("!d", data)[0], single=False)
        case 1082:
            return str((EPOCH + dt.timedelta(days=struct.unpack("!i", data)[0])).date())
        case 1083:
            return _moment(EPOCH + dt.timedelta(microseconds=struct.unpack("!q", data)[0]))[11:]
        case 1114 | 1184:
            moment = EPOCH + dt.timedelta(microseconds=struct.unpack("!q", data)[0])
            return _moment(moment) + ("+00" if oid == 1184 else "")
        case 1186:
            return _interval(*struct.unpack("!qii", data))
        case 1560 | 1562:
            count = struct.unpack_from("!i", data)[0]
            return "".join(f"{byte:08b}" for byte in data[4:])[:count]
        case 1700:
            return _numeric(data)
        case 2950:
            return str(uuid.UUID(bytes=data))
        case 3802:
            assert data[0] == 1, "jsonb of an unknown version"
            return data[1:].decode()
        case _:
            return data.decode()


def _float(value: float, *, single: bool) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    shortest = repr(value)
    if single:
        for digits in range(1, 10):
            shortest = f"{value:.{digits}g}"
            if struct.pack("!f", float(shortest)) == struct.pack("!f", value):
                break
    mantissa, _, exponent = f"{Decimal(shortest).normalize():e}".partition("e")
    power = int(exponent)
    if -5 < power < (6 if single else 15):
        return f"{Decimal(shortest):f}".removesuffix(".0")
    return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _moment(moment: dt.datetime) -> str:
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{moment.microsecond:06d}".rstrip("0") if moment.microsecond else text


def _interval(microseconds: int, days: int, months: int) -> str:
    words = []
    years, rest = divmod(abs(months), 12)
    sign = -1 if months < 0 else 1
    for number, unit in ((sign * years, "year"), (sign * rest, "mon"), (days, "day")):
        if number:
            words.append(f"{number} {unit}{'' if number == 1 else 's'}")
    if microseconds or not words:
        seconds, fraction = divmod(abs(microseconds), 1_000_000)
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        if fraction:
            clock = f"{clock}.{fraction:06d}".rstrip("0")
        words.append(("-" if microseconds < 0 else "") + clock)
    return " ".join(words)


def _numeric(data: bytes) -> str:
    count, weight, sign, scale = struct.unpack_from("!hhHH", data)
    if sign == 0xC000:
        return "NaN"
    if sign in (0xD000, 0xF000):
        return "Infinity" if sign == 0xD000 else "-Infinity"
    digits = struct.unpack_from(f"!{count}h", data, 8)
    value = sum(
        (Decimal(d) * Decimal(10_000) ** (weight - i) for i, d in enumerate(digits)), Decimal(0)
    )
    return f"{-value if sign == 0x4000 else value:.{scale}f}"


def _array(element_oid: int, data: bytes) -> str:
    dimensions, _, oid = struct.unpack_from("!iii", data)
    assert oid == element_oid or dimensions == 0, (oid, element_oid)
    lengths = [struct.unpack_from("!ii", data, 12 + 8 * i)[0] for i in range(dimensions)]
    at = 12 + 8 * dimensions

    def read(level: int) -> str:
        nonlocal at
        if level == len(lengths):
            (size,) = struct.unpack_from("!i", data, at)
            at += 4
            if size < 0:
                return "NULL"
            at += size
            return _quoted(binary_to_text(element_oid, data[at - size : at]))
        return "{" + ",".join(read(level + 1) for _ in range(lengths[level])) + "}"

    return read(0) if dimensions else "{}"


def _quoted(text: str) -> str:
    if text and text.upper() != "NULL" and not any(c in text for c in '{},"\\ \t\n'):
        return text
    return json.dumps(text, ensure_ascii=False)
