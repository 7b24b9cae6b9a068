"""Reading the body of a message: every length is checked before it is believed."""

from __future__ import annotations

import struct
from typing import TypeVar

from catalog.errors import CharacterNotInRepertoire, ProtocolViolation

Message = TypeVar("Message")

_INT16 = struct.Struct("!h")
_INT32 = struct.Struct("!i")
_UINT32 = struct.Struct("!I")


def decode_utf8(data: bytes) -> str:
    """Return the text of bytes that a client sent.

    Raises:
        CharacterNotInRepertoire: They are not UTF-8, or contain NUL.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        raise invalid_bytes(data[e.start :]) from e
    if "\0" in text:
        raise invalid_bytes(b"\0")
    return text


def exactly(data: bytes, size: int) -> bytes:
    """Return an image that has the size of its type.

    Raises:
        ProtocolViolation: It is shorter.
        struct.error: It is longer; whoever reads it knows how to say so.
    """
    if len(data) < size:
        missing = "no" if size == 1 else "insufficient"
        raise ProtocolViolation(f"{missing} data left in message")
    if len(data) > size:
        raise struct.error(f"{len(data) - size} bytes too many")
    return data


def invalid_bytes(data: bytes) -> CharacterNotInRepertoire:
    """Build PostgreSQL's error about the character that ``data`` starts with."""
    first = data[0]
    length = 1 if not 0xC0 <= first < 0xF8 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    shown = " ".join(f"0x{byte:02x}" for byte in data[:length])
    return CharacterNotInRepertoire(f'invalid byte sequence for encoding "UTF8": {shown}')


class Body:
    """A cursor over the body of one message."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> bytes:
        """Return the next bytes.

        Raises:
            ProtocolViolation: There are fewer.
        """
        end = self._at + length
        if length < 0 or end > len(self._data):
            raise ProtocolViolation("insufficient data left in message")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def byte(self) -> bytes:
        """Return the next byte.

        Raises:
            ProtocolViolation: There is none.
        """
        if self._at == len(self._data):
            raise ProtocolViolation("no data left in message")
        return self.take(1)

    def rest(self) -> bytes:
        """Return all that is left."""
        return self.take(len(self._data) - self._at)

    def int16(self) -> int:
        """Return a signed 16-bit number."""
        value: int = _INT16.unpack(self.take(2))[0]
        return value

    def int32(self) -> int:
        """Return a signed 32-bit number."""
        value: int = _INT32.unpack(self.take(4))[0]
        return value

    def uint32(self) -> int:
        """Return an unsigned 32-bit number."""
        value: int = _UINT32.unpack(self.take(4))[0]
        return value

    def count(self) -> int:
        """Return a number of things that follow; drivers use all of its 16 bits."""
        return self.int16() & 0xFFFF

    def string(self) -> str:
        """Return a string that ends with NUL.

        Raises:
            ProtocolViolation: No NUL follows.
            CharacterNotInRepertoire: It is not UTF-8.
        """
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise ProtocolViolation("invalid string in message")
        text = decode_utf8(self._data[self._at : end])
        self._at = end + 1
        return text

    def finish(self, message: Message) -> Message:
        """Return ``message``, having checked that the whole body was consumed."""
        if self._at != len(self._data):
            raise ProtocolViolation("invalid message format")
        return message
