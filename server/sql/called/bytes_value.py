"""Bits and bytes (PostgreSQL 15, chapter 9.5), hashes and checksums."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable
from functools import partial
from typing import Final

from barrier.prelude import PythonFunction
from catalog.encoding import CODECS, SQL_ASCII, UTF8, encoding_named
from catalog.errors import (
    ArraySubscriptError,
    CharacterNotInRepertoire,
    DataException,
    InvalidEscapeSequence,
    InvalidParameterValue,
    UntranslatableCharacter,
)
from catalog.sqlstate import SqlState
from server.sql.called.python_function import called


class SubstringError(DataException, sqlstate=SqlState.SUBSTRING_ERROR):
    """A part of a value was asked for that has a negative length."""


def get_bit(value: bytes, at: int) -> int:
    """Return a bit; of each byte the lowest comes first."""
    _check(at, len(value) * 8)
    return value[at // 8] >> (at % 8) & 1


def set_bit(value: bytes, at: int, bit: int) -> bytes:
    """Return the bytes with another bit at a place."""
    _check(at, len(value) * 8)
    if bit not in (0, 1):
        raise InvalidParameterValue("new bit must be 0 or 1")
    found = bytearray(value)
    found[at // 8] = found[at // 8] & ~(1 << at % 8) | bit << at % 8
    return bytes(found)


def get_byte(value: bytes, at: int) -> int:
    """Return a byte."""
    _check(at, len(value))
    return value[at]


def set_byte(value: bytes, at: int, byte: int) -> bytes:
    """Return the bytes with another at a place; of a larger number its lowest bits."""
    _check(at, len(value))
    found = bytearray(value)
    found[at] = byte % 256
    return bytes(found)


def _check(at: int, count: int) -> None:
    if not 0 <= at < count:
        raise ArraySubscriptError(f"index {at} out of valid range, 0..{count - 1}")


def overlay(value: bytes, replacement: bytes, start: int, count: int) -> bytes:
    """Return the bytes with others in place of some, which begin at a place from 1 on."""
    if start <= 0:
        raise SubstringError("negative substring length not allowed")
    end = max(start + count, 1)
    return value[: start - 1] + replacement + value[end - 1 :]


def substring(value: bytes, start: int, count: int) -> bytes:
    """Return so many bytes from a place on, from 1; those before the first are counted too."""
    if count < 0:
        raise SubstringError("negative substring length not allowed")
    return value[max(start - 1, 0) : max(start - 1 + count, 0)]


def reverse(value: bytes) -> bytes:
    """Return the bytes in the opposite order."""
    return value[::-1]


def trim(value: bytes, others: bytes) -> bytes:
    """Return the bytes without those of a set at both ends."""
    return value.strip(others) if others else value


def trim_start(value: bytes, others: bytes) -> bytes:
    """Return the bytes without those of a set at the beginning."""
    return value.lstrip(others) if others else value


def trim_end(value: bytes, others: bytes) -> bytes:
    """Return the bytes without those of a set at the end."""
    return value.rstrip(others) if others else value


def bit_count(value: bytes) -> int:
    """Return how many bits are set."""
    return sum(byte.bit_count() for byte in value)


def position(part: bytes, value: bytes) -> int:
    """Return where a part begins, from 1; 0 if it is not there."""
    return value.find(part) + 1


def digest(name: str, value: bytes) -> bytes:
    """Return a hash."""
    return hashlib.new(name, value).digest()


def crc32(value: bytes) -> int:
    """Return the checksum of Ethernet and zip."""
    return zlib.crc32(value)


_CASTAGNOLI: Final = 0x82F63B78


_NULL_HASHED: Final = (0xFFFF_FFF0).to_bytes(4, "little")
_INTEGERS_HASHED: Final = {"i2": 2, "i4": 4, "i8": 8}


def row_hash(keys: list[str | None]) -> int:
    """Return RisingWave's hash of a row, of whose values each begins with a word for its type."""
    whole = bytearray()
    for key in keys:
        if key is None:
            whole += _NULL_HASHED
        elif key[:2] in _INTEGERS_HASHED:
            whole += int(key[2:]).to_bytes(_INTEGERS_HASHED[key[:2]], "little", signed=True)
        elif key[0] == "b":
            whole += b"\1" if key[1:] == "true" else b"\0"
        else:
            whole += key[1:].encode() + b"\xff"
    return zlib.crc32(bytes(whole))


def _crc32c_table() -> tuple[int, ...]:
    found = []
    for byte in range(256):
        rest = byte
        for _ in range(8):
            rest = rest >> 1 ^ (_CASTAGNOLI if rest & 1 else 0)
        found.append(rest)
    return tuple(found)


_CRC32C: Final = _crc32c_table()


def crc32c(value: bytes) -> int:
    """Return Castagnoli's checksum, that of iSCSI."""
    rest = 0xFFFFFFFF
    for byte in value:
        rest = rest >> 8 ^ _CRC32C[(rest ^ byte) & 255]
    return rest ^ 0xFFFFFFFF


def int8_sent(value: int) -> bytes:
    """Return the eight bytes of an integer, the highest first."""
    return value.to_bytes(8, "big", signed=True)


def int8_received(value: bytes) -> int:
    """Return the integer of eight bytes."""
    if len(value) != 8:
        raise InvalidParameterValue(f"a bigint has 8 bytes, not {len(value)}")
    return int.from_bytes(value, "big", signed=True)


def decoded(value: bytes, encoding: str) -> str:
    """Return the text that bytes are in an encoding."""
    name = _encoding(encoding, "source")
    try:
        text = value.decode(_codec(name))
    except UnicodeDecodeError as e:
        byte = value[e.start : e.start + 1].hex()
        raise CharacterNotInRepertoire(
            f'invalid byte sequence for encoding "{name}": 0x{byte}'
        ) from None
    if "\0" in text:
        raise CharacterNotInRepertoire(f'invalid byte sequence for encoding "{name}": 0x00')
    return text


def encoded(text: str, encoding: str) -> bytes:
    """Return the bytes that a text has in an encoding."""
    name = _encoding(encoding, "destination")
    try:
        return text.encode(_codec(name))
    except UnicodeEncodeError as e:
        found = " ".join(f"0x{byte:02x}" for byte in text[e.start].encode())
        raise UntranslatableCharacter(
            f'character with byte sequence {found} in encoding "UTF8" '
            f'has no equivalent in encoding "{name}"'
        ) from None


def _encoding(text: str, place: str) -> str:
    name = encoding_named(text)
    if name is None:
        raise InvalidParameterValue(f'invalid {place} encoding name "{text}"')
    return name


def _codec(name: str) -> str:
    return "utf-8" if name in {UTF8, SQL_ASCII} else CODECS[name]


def from_hex(text: str) -> bytes:
    """Return the bytes of hexadecimal digits, which blanks may stand between."""
    digits = re.sub(r"[ \n\t\r]", "", text)
    stray = re.search(r"[^0-9A-Fa-f]", digits)
    if stray is not None:
        raise InvalidParameterValue(f'invalid hexadecimal digit: "{stray[0]}"')
    if len(digits) % 2:
        raise InvalidParameterValue("invalid hexadecimal data: odd number of digits")
    return bytes.fromhex(digits)


def to_escape(value: bytes) -> str:
    """Return bytes as text in which zero bytes, those above 127 and backslashes are escaped."""
    return "".join(
        f"\\{byte:03o}" if byte == 0 or byte > 127 else "\\\\" if byte == 92 else chr(byte)
        for byte in value
    )


def from_base64(text: str) -> bytes:
    """Return the bytes of base64 digits, which blanks may stand between."""
    digits = re.sub(r"[ \n\t\r]", "", text)
    stray = re.search(r"[^0-9A-Za-z+/=]", digits)
    if stray is not None:
        raise InvalidParameterValue(
            f'invalid symbol "{stray[0]}" found while decoding base64 sequence'
        )
    if re.fullmatch(r"[^=]*={0,2}", digits) is None:
        raise InvalidParameterValue('unexpected "=" while decoding base64 sequence')
    if len(digits) % 4:
        raise InvalidParameterValue(
            "invalid base64 end sequence",
            hint="Input data is missing padding, is truncated, or is otherwise corrupted.",
        )
    return base64.b64decode(digits)


def like(value: bytes, pattern: bytes) -> bool:
    """Return whether bytes are as a pattern of LIKE says."""
    found = bytearray()
    at = 0
    while at < len(pattern):
        byte = pattern[at : at + 1]
        if byte == b"\\":
            at += 1
            if at >= len(pattern):
                raise InvalidEscapeSequence("LIKE pattern must not end with escape character")
            found += re.escape(pattern[at : at + 1])
        else:
            found += {b"%": b".*", b"_": b"."}.get(byte, re.escape(byte))
        at += 1
    return re.fullmatch(bytes(found), value, re.DOTALL) is not None


def like_escape(pattern: bytes, escape: bytes) -> bytes:
    """Return a pattern of LIKE whose escape is another byte, or none, with a backslash for it."""
    if not escape:
        return pattern.replace(b"\\", b"\\\\")
    if len(escape.decode("utf-8", "replace")) != 1:
        raise InvalidEscapeSequence(
            "invalid escape string", hint="Escape string must be empty or one character."
        )
    if escape == b"\\":
        return pattern
    found = bytearray()
    at, is_escaped = 0, False
    while at < len(pattern):
        if pattern.startswith(escape, at) and not is_escaped:
            found += b"\\"
            is_escaped = True
            at += len(escape)
            continue
        byte = pattern[at : at + 1]
        found += b"\\\\" if byte == b"\\" and not is_escaped else byte
        is_escaped = False
        at += 1
    return bytes(found)


def _of_bytes(
    name: str, function: Callable[..., object], more: tuple[str, ...] = (), result: str = "BLOB"
) -> PythonFunction:
    return called(name, function, ("BLOB", *more), result)


CALLED: Final = (
    _of_bytes("tg_get_bit", get_bit, ("BIGINT",), "INTEGER"),
    _of_bytes("tg_set_bit", set_bit, ("BIGINT", "INTEGER")),
    _of_bytes("tg_get_byte", get_byte, ("INTEGER",), "INTEGER"),
    _of_bytes("tg_set_byte", set_byte, ("INTEGER", "INTEGER")),
    _of_bytes("tg_overlay_bytes", overlay, ("BLOB", "INTEGER", "INTEGER")),
    _of_bytes("tg_substring_bytes", substring, ("INTEGER", "INTEGER")),
    _of_bytes("tg_reverse_bytes", reverse),
    _of_bytes("tg_bit_count", bit_count, result="BIGINT"),
    _of_bytes("tg_position_bytes", position, ("BLOB",), "INTEGER"),
    called("tg_row_hash", row_hash, ("VARCHAR[]",), "BIGINT"),
    _of_bytes("tg_crc32", crc32, result="BIGINT"),
    _of_bytes("tg_crc32c", crc32c, result="BIGINT"),
    _of_bytes("tg_int8recv", int8_received, result="BIGINT"),
    _of_bytes("tg_decoded", decoded, ("VARCHAR",), "VARCHAR"),
    called("tg_encoded", encoded, ("VARCHAR", "VARCHAR"), "BLOB"),
    called("tg_from_hex", from_hex, ("VARCHAR",), "BLOB"),
    called("tg_from_base64", from_base64, ("VARCHAR",), "BLOB"),
    _of_bytes("tg_bytes_like", like, ("BLOB",), "BOOLEAN"),
    _of_bytes("tg_like_escape_bytes", like_escape, ("BLOB",)),
    _of_bytes("tg_to_escape", to_escape, result="VARCHAR"),
    called("tg_int8send", int8_sent, ("BIGINT",), "BLOB"),
    _of_bytes("tg_btrim_bytes", trim, ("BLOB",)),
    _of_bytes("tg_ltrim_bytes", trim_start, ("BLOB",)),
    _of_bytes("tg_rtrim_bytes", trim_end, ("BLOB",)),
    *(
        _of_bytes(f"tg_{name}", partial(digest, name))
        for name in ("sha1", "sha224", "sha384", "sha512")
    ),
)
