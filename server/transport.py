"""Bytes from and to one client: frames in, buffered output."""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Final

from server.channel import Channel
from server.wire.codec import HEADER_BYTES, body_length

_RECEIVE_BYTES: Final = 64 * 1024
_RECEIVE_BYTES_MAX: Final = 1024 * 1024
_HEADER: Final = struct.Struct("!Bi")
_COPY_DATA: Final = ord("d")
#: Output is collected up to here; a piece that is larger goes out on its own, without a copy.
_PENDING_BYTES_MAX: Final = 64 * 1024


_SYNC: Final = ord("S")
_FLUSH: Final = ord("H")


class ClientGoneError(Exception):
    """The client has closed or lost its connection."""


@contextlib.contextmanager
def _client_errors() -> Iterator[None]:
    try:
        yield
    except OSError as e:
        raise ClientGoneError from e


class Inbox:
    """The frames that a client sends."""

    def __init__(self, channel: Channel, message_bytes_max: int) -> None:
        self._channel = channel
        self._message_bytes_max = message_bytes_max
        self._buffer = bytearray()
        self._at = 0
        #: Called before bytes are waited for; it may wait itself, and end the wait by an error.
        self.before_waiting: Callable[[], None] | None = None
        self._compacted = 0  #: How far the last ``_keep`` has moved the buffer's start.

    @property
    def available(self) -> int:
        """How many bytes have been received and not been taken."""
        return len(self._buffer) - self._at

    def exactly(self, length: int) -> bytes:
        """Return that many bytes.

        Raises:
            ClientGoneError: The connection ended before.
        """
        while self.available < length:
            self.receive(length)
        end = self._at + length
        taken = bytes(memoryview(self._buffer)[self._at : end])
        self._take_to(end)
        return taken

    def _take_to(self, end: int) -> None:
        self._at = end
        if end == len(self._buffer):
            self._buffer.clear()
            self._at = 0

    def frame(self) -> tuple[bytes, bytes]:
        """Return the next message's type byte and body.

        Raises:
            ClientGoneError: The connection ended.
            ProtocolViolation: FATAL; this is no frame.
        """
        # Nothing is taken before all of it is there: a wait that is ended leaves the rest whole.
        self._await(HEADER_BYTES)
        header = bytes(self._buffer[self._at : self._at + HEADER_BYTES])
        length = body_length(header, self._message_bytes_max)
        self._await(HEADER_BYTES + length)
        return self.exactly(HEADER_BYTES)[:1], self.exactly(length)

    def _await(self, length: int) -> None:
        while self.available < length:
            self.receive(length - self.available)

    def holds_frame(self) -> bool:
        """Whether a whole message has arrived already. Never waits.

        Raises:
            ProtocolViolation: FATAL; what has arrived is none.
        """
        while True:
            if self.available >= HEADER_BYTES:
                header = bytes(self._buffer[self._at : self._at + HEADER_BYTES])
                length = body_length(header, self._message_bytes_max)
                if self.available >= HEADER_BYTES + length:
                    return True
            if not self._receive_without_waiting():
                return False

    def copy_data(self) -> bytes | None:
        """Return what the next CopyData messages hold, of one at least; None if none comes next.

        They are taken as many at once as have arrived: some clients send one for each row.

        Raises:
            ClientGoneError: The connection ended.
            ProtocolViolation: FATAL; this is no frame.
        """
        while self.available < HEADER_BYTES:
            self.receive(_RECEIVE_BYTES_MAX)
        at, size = self._at, len(self._buffer)
        pieces = []
        unpack = _HEADER.unpack_from
        with memoryview(self._buffer) as buffer:
            while size - at >= HEADER_BYTES:
                kind, length = unpack(buffer, at)
                end = at + 1 + length
                if kind != _COPY_DATA or not at + HEADER_BYTES <= end <= size:
                    break
                pieces.append(buffer[at + HEADER_BYTES : end])
                at = end
            data = b"".join(pieces)
            for piece in pieces:
                piece.release()
        if not pieces:
            # Another message, one that has not arrived as a whole, or none at all.
            return self.frame()[1] if self._buffer[at] == _COPY_DATA else None
        self._take_to(at)
        return data

    def holds_sync(self) -> bool:
        """Whether a Sync has arrived already, and nothing before it that could fail.

        Never waits; what has not arrived is not seen.
        """
        at = self._at
        while True:
            while len(self._buffer) - at < HEADER_BYTES:
                if not self._receive_without_waiting():
                    return False
                at -= self._compacted
            kind, length = struct.unpack_from("!Bi", self._buffer, at)
            if kind == _SYNC:
                return True
            if kind != _FLUSH or length < 4:
                return False
            at += 1 + length

    def receive(self, wanted: int = 0) -> None:
        """Wait for more bytes, whatever comes.

        Raises:
            ClientGoneError: The connection ended.
        """
        # Grows with what has arrived, never with what a header merely claims.
        size = max(_RECEIVE_BYTES, min(wanted, _RECEIVE_BYTES_MAX))
        if self.before_waiting is not None:
            if data := self._channel.receive_now(size):
                self._keep(data)
                return
            self.before_waiting()
        with _client_errors():
            data = self._channel.receive(size)
        if not data:
            raise ClientGoneError
        self._keep(data)

    def _receive_without_waiting(self) -> bool:
        try:
            data = self._channel.receive_now(_RECEIVE_BYTES)
        except OSError:
            data = b""
        if data:
            self._keep(data)
        return bool(data)

    def _keep(self, data: bytes) -> None:
        self._compacted = self._at
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data


class Outbox:
    """The messages to a client, sent in large pieces; safe to use from several threads."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._pending = bytearray()

    def write(self, data: bytes | memoryview) -> None:
        """Send whole messages, now or with the next flush.

        Raises:
            ClientGoneError: They cannot be sent.
        """
        with self._lock:
            if len(data) < _PENDING_BYTES_MAX:
                self._pending += data
                if len(self._pending) >= _PENDING_BYTES_MAX:
                    self._send_pending()
            else:
                self._send_pending()
                with _client_errors():
                    self._channel.send(data)

    def flush(self) -> None:
        """Send what is pending.

        Raises:
            ClientGoneError: It cannot be sent.
        """
        with self._lock:
            self._send_pending()

    def _send_pending(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, bytearray()
            with _client_errors():
                self._channel.send(pending)
