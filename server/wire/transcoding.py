"""Messages of clients that do not speak UTF-8, made UTF-8 and back (PostgreSQL 15, chapter 24.3.4).

Only texts are touched: names, queries, text images, and binary images of types that are texts or
arrays of them.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from catalog import types as t
from catalog.encoding import CODECS, UTF8
from catalog.errors import CharacterNotInRepertoire, PgError, UntranslatableCharacter
from catalog.types import PgType
from server.wire.copy_format import BINARY_HEAD, BINARY_TAIL
from server.wire.messages import BINARY_FORMAT

_LENGTH: Final = struct.Struct("!i")
_COUNT: Final = struct.Struct("!H")
#: A binary array begins with its number of dimensions, a flag and its elements' type.
_ARRAY_HEAD_BYTES: Final = 12
_DIMENSION_BYTES: Final = 8
#: What follows a column's name in a RowDescription.
_DESCRIPTION_BYTES: Final = 18

_EUC_LEAST: Final = 0xA1
#: Of encodings with characters of several bytes the least that a second byte may be.
_TRAILING_LEAST: Final = {
    **dict.fromkeys(("EUC_CN", "EUC_JIS_2004", "EUC_JP", "EUC_KR"), _EUC_LEAST),
    **dict.fromkeys(("BIG5", "GBK", "SHIFT_JIS_2004", "SJIS", "UHC", "JOHAB"), 0x40),
    "GB18030": 0x30,
}

_TEXTS: Final = frozenset(
    kind.oid for kind in (t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.JSON, t.JSONB, t.UNKNOWN)
)


#: What makes a text of another encoding, and what makes an image with its texts so.
_Change: TypeAlias = Callable[[bytes], bytes]
ImageChange: TypeAlias = Callable[[bytes, _Change], bytes]


def image_change(pg_type: PgType, code: int) -> ImageChange | None:
    """Return what changes the texts in an image in the format of that code; None, it has none."""
    if code != BINARY_FORMAT or pg_type.oid in _TEXTS:
        return _whole
    if pg_type.element is not None and pg_type.element.oid in _TEXTS:
        return _elements
    return None


def _whole(image: bytes, change: _Change) -> bytes:
    return change(image)


def _elements(image: bytes, change: _Change) -> bytes:
    """Change the elements of a binary array; one that is none is left to its reader."""
    try:
        (dimensions,) = _LENGTH.unpack_from(image)
        at = _ARRAY_HEAD_BYTES + dimensions * _DIMENSION_BYTES
        made = bytearray(image[:at])
        while at < len(image):
            (length,) = _LENGTH.unpack_from(image, at)
            at += _LENGTH.size
            element = image[at : at + max(length, 0)]
            at += max(length, 0)
            if length >= 0:
                element = change(element)
                length = len(element)
            made += _LENGTH.pack(length) + element
    except struct.error:
        return image
    return bytes(made)


class TextDecoder:
    """Turns bytes in an encoding into UTF-8, however they are divided.

    Args:
        name: The encoding, one of ``CODECS``.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._decoder = codecs.getincrementaldecoder(CODECS[name])()

    def feed(self, data: bytes, *, is_last: bool = False) -> tuple[bytes, PgError | None]:
        """Return what is read, and what is wrong with what comes next."""
        try:
            return self._decoder.decode(data, final=is_last).encode(), None
        except UnicodeDecodeError as e:
            read = e.object[: e.start].decode(e.encoding).encode()
            return read, _undecodable(self._name, e.object, e.start)


class MessageTranscoder:
    """One client's encoding.

    Attributes:
        changes: Of the rows that are being sent, what each column's images need.
        is_binary_copy: Whether the data of COPY that are being sent are such rows, and not lines.
    """

    def __init__(self, name: str) -> None:
        self.changes: Sequence[ImageChange | None] = ()
        self.is_binary_copy = False
        self._name = name
        self._codec = codecs.lookup(CODECS[name])

    # From the client.

    def to_utf8(self, data: bytes) -> bytes:
        """Return a client's text in UTF-8.

        Raises:
            UntranslatableCharacter: It is none in the client's encoding.
        """
        try:
            return self._codec.decode(data)[0].encode()
        except UnicodeDecodeError as e:
            raise _undecodable(self._name, data, e.start) from e

    def image_to_utf8(self, pg_type: PgType, code: int, image: bytes) -> bytes:
        """Return a client's image of a value with its texts in UTF-8.

        Raises:
            PgError: One is none in the client's encoding.
        """
        change = image_change(pg_type, code)
        return image if change is None else change(image, self.to_utf8)

    def incoming(self, kind: bytes, body: bytes) -> bytes:
        """Return a message's body with its strings in UTF-8; parameters' images stay as they are.

        Raises:
            UntranslatableCharacter: A string is none in the client's encoding.
        """
        match kind:
            case b"P" | b"B":
                return self._strings_first(body, 2)
            case b"Q" | b"E" | b"f":
                return self._strings_first(body, 1)
            case b"D" | b"C":
                return body[:1] + self._strings_first(body[1:], 1)
            case _:
                return body

    def _strings_first(self, body: bytes, count: int) -> bytes:
        *strings, rest = body.split(b"\0", count)
        if len(strings) < count:
            return body  # Malformed, as its reader will say.
        return b"".join(self.to_utf8(string) + b"\0" for string in strings) + rest

    # To the client.

    def outgoing(self, messages: bytes) -> bytes:
        """Return whole messages with their texts in the client's encoding.

        Raises:
            UntranslatableCharacter: A row has a character that the encoding has not.
        """
        made = bytearray()
        at = 0
        while at < len(messages):
            kind = messages[at : at + 1]
            (length,) = _LENGTH.unpack_from(messages, at + 1)
            body = messages[at + 5 : at + 1 + length]
            at += 1 + length
            change = self._changes.get(kind)
            if change is not None and not body.isascii():
                body = change(self, body)
            made += kind + _LENGTH.pack(len(body) + 4) + body
        return bytes(made)

    def _from_utf8(self, data: bytes) -> bytes:
        if data.isascii():
            return data
        text = data.decode()
        try:
            return self._codec.encode(text)[0]
        except UnicodeEncodeError as e:
            raise _untranslatable(text[e.start].encode(), UTF8, self._name) from e

    def _told(self, body: bytes) -> bytes:
        """Return errors and notices, in which a mark stands for what cannot be said."""
        return self._codec.encode(body.decode(), "replace")[0]

    def _row(self, body: bytes) -> bytes:
        made = bytearray(body[:2])
        at = 2
        for change in self.changes:
            (length,) = _LENGTH.unpack_from(body, at)
            at += 4
            image = body[at : at + max(length, 0)]
            at += len(image)
            if length >= 0 and change is not None:
                image = change(image, self._from_utf8)
                length = len(image)
            made += _LENGTH.pack(length) + image
        return bytes(made)

    def _description(self, body: bytes) -> bytes:
        made = bytearray(body[:2])
        at = 2
        for _ in range(_COUNT.unpack_from(body)[0]):
            end = body.index(b"\0", at)
            made += self._from_utf8(body[at:end])
            at = end + 1 + _DESCRIPTION_BYTES
            made += body[end:at]
        return bytes(made)

    def _copy(self, body: bytes) -> bytes:
        if not self.is_binary_copy:
            return self._from_utf8(body)
        at = len(BINARY_HEAD) if body.startswith(BINARY_HEAD) else 0
        rest = body[at:]
        return body if rest == BINARY_TAIL else body[:at] + self._row(rest)

    _changes: Final[dict[bytes, Callable[[MessageTranscoder, bytes], bytes]]] = {
        b"D": _row,
        b"T": _description,
        b"d": _copy,
        b"E": _told,
        b"N": _told,
        b"S": _told,
    }


def _undecodable(name: str, data: bytes, at: int) -> PgError:
    """Return the error of a character that is malformed, or that UTF-8 has not."""
    least = _TRAILING_LEAST.get(name)
    if least is None:
        return _untranslatable(data[at : at + 1], name, UTF8)
    character = data[at : at + 2]
    is_whole = len(character) == 2 and character[1] >= least
    if is_whole and (least < _EUC_LEAST or character[0] >= _EUC_LEAST):
        return _untranslatable(character, name, UTF8)
    shown = " ".join(f"0x{byte:02x}" for byte in character)
    return CharacterNotInRepertoire(f'invalid byte sequence for encoding "{name}": {shown}')


def _untranslatable(data: bytes, source: str, target: str) -> UntranslatableCharacter:
    shown = " ".join(f"0x{byte:02x}" for byte in data)
    return UntranslatableCharacter(
        f'character with byte sequence {shown} in encoding "{source}" has no equivalent in'
        f' encoding "{target}"'
    )
