"""How bytes get to a client and back: as they are, or through TLS.

Python's TLS sockets are one OpenSSL object for both directions, which two threads must not use at
the same time, and which would be locked while one of them waits. Here the object works on memory
and only while a lock is held; the socket is waited for without it.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from barrier.clock import Clock

#: How much is encrypted at a time: what is sent in one piece does not stand twice in memory.
_PIECE_BYTES: Final = 256 * 1024


#: How often a thread whose client does not read looks whether it is to go on waiting.
_SEND_PATIENCE_S: Final = 1


class Channel(Protocol):
    """Bytes in and out. One thread receives; any may send."""

    def receive(self, bytes_max: int) -> bytes:
        """Wait for bytes; there are none at the end.

        Raises:
            OSError: The connection is lost, or the client was too slow.
        """
        ...

    def receive_now(self, bytes_max: int) -> bytes:
        """Return what has arrived, without waiting for more."""
        ...

    def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of it.

        Raises:
            OSError: The connection is lost, or the client was too slow.
        """
        ...

    def finish(self) -> None:
        """Say that nothing more will be sent.

        Raises:
            OSError: The connection is lost.
        """
        ...


class PlainChannel:
    """A socket as it is."""

    def __init__(self, sock: socket.socket, clock: Clock) -> None:
        self._socket = sock
        self._clock = clock
        self._deadline_ms: int | None = None
        self._is_wanted = True
        self._is_broken = False
        # The kernel's limit costs nothing; Python's own would be a call more for each send.
        patience = struct.pack("ll", _SEND_PATIENCE_S, 0)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)

    def stop_waiting(self) -> None:
        """Let nobody wait any longer until the client reads; from any thread.

        What it reads at once can still be sent, such as the reason for the end.
        """
        self._is_wanted = False

    def allow_until(self, deadline_ms: int | None) -> None:
        """Let the client take no longer than that, by the monotonic clock; None is for ever."""
        self._deadline_ms = deadline_ms
        if deadline_ms is None:
            self._socket.settimeout(None)

    def receive(self, bytes_max: int) -> bytes:
        self._heed_deadline()
        return self._socket.recv(bytes_max)

    def receive_now(self, bytes_max: int) -> bytes:
        try:
            return self._socket.recv(bytes_max, socket.MSG_DONTWAIT)
        except OSError:
            return b""

    def send(self, data: bytes | bytearray | memoryview) -> None:
        self._heed_deadline()
        if self._is_broken:
            # A message was sent in part: nothing that follows would be understood.
            raise TimeoutError
        if self._deadline_ms is not None:
            self._socket.sendall(data)
            return
        with memoryview(data) as whole, whole.cast("B") as view:
            at = 0
            while at < len(view):
                try:
                    at += self._socket.send(view[at:])
                except BlockingIOError as e:
                    if not self._is_wanted:
                        self._is_broken = True
                        raise TimeoutError from e

    def finish(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def _heed_deadline(self) -> None:
        """Give the socket the time that is left; a client that trickles gets no more than that."""
        if self._deadline_ms is None:
            return
        left_ms = self._deadline_ms - self._clock.monotonic_ms()
        if left_ms <= 0:
            raise TimeoutError
        self._socket.settimeout(left_ms / 1000)


@dataclass(frozen=True, slots=True)
class Tls:
    """What a handshake needs, and what binds a password dialogue to it.

    Attributes:
        binding: The certificate's hash (RFC 5929, tls-server-end-point); None when its signature
            names no hash.
    """

    context: ssl.SSLContext
    binding: bytes | None


class TlsChannel:
    """A connection that TLS protects."""

    def __init__(self, below: PlainChannel, context: ssl.SSLContext) -> None:
        self._below = below
        self._encrypted_in = ssl.MemoryBIO()
        self._encrypted_out = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._encrypted_in, self._encrypted_out, server_side=True)
        self._tls_lock = threading.Lock()
        self._send_lock = threading.Lock()  #: What is encrypted first goes out first.

    def shake_hands(self) -> None:
        """Agree on keys with the client.

        Raises:
            OSError: That failed (an SSLError), or the client is lost or too slow.
        """
        while True:
            try:
                with self._tls_lock:
                    self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._send_encrypted()
                if not self._feed(self._below.receive(_PIECE_BYTES)):
                    raise ConnectionResetError from None
            except ssl.SSLError:
                self._send_encrypted()  # The alert that tells the client why.
                raise
            else:
                self._send_encrypted()
                return

    @property
    def version(self) -> str:
        """What was agreed on, such as TLSv1.3."""
        return self._tls.version() or ""

    @property
    def cipher(self) -> tuple[str, int]:
        """The cipher's name and its bits."""
        name, _, bits = self._tls.cipher() or ("", "", 0)
        return name, bits

    def receive(self, bytes_max: int) -> bytes:
        while True:
            data, is_over = self._decrypted(bytes_max)
            if data or is_over:
                return data
            if not self._feed(self._below.receive(max(bytes_max, _PIECE_BYTES))):
                return b""

    def receive_now(self, bytes_max: int) -> bytes:
        while True:
            data, is_over = self._decrypted(bytes_max)
            if data or is_over:
                return data
            if not self._feed(self._below.receive_now(_PIECE_BYTES)):
                return b""

    def send(self, data: bytes | bytearray | memoryview) -> None:
        with self._send_lock, memoryview(data) as whole, whole.cast("B") as view:
            at = 0
            while at < len(view):
                with self._tls_lock:
                    at += self._tls.write(view[at : at + _PIECE_BYTES])
                self._send_encrypted_in_turn()

    def finish(self) -> None:
        # The client need not answer that it has finished too.
        with self._tls_lock, suppress(ssl.SSLError):
            self._tls.unwrap()
        self._send_encrypted()
        self._below.finish()

    def _decrypted(self, bytes_max: int) -> tuple[bytes, bool]:
        """Return what can be decrypted now, and whether no more will ever come."""
        data = bytearray()
        is_over = False
        with self._tls_lock:
            try:
                # OpenSSL gives one record at a time, 16 KB.
                while len(data) < bytes_max and (piece := self._tls.read(bytes_max - len(data))):
                    data += piece
                is_over = not data
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLZeroReturnError:
                is_over = True
            has_answer = self._encrypted_out.pending > 0
        if has_answer:
            self._send_encrypted()  # The protocol's own, such as new keys.
        return bytes(data), is_over

    def _feed(self, encrypted: bytes) -> bool:
        """Take bytes to decrypt; return whether there are any.

        OpenSSL is not told when there will be none: it would take that for an attack and send
        nothing more, and it is often we who have stopped to listen.
        """
        with self._tls_lock:
            self._encrypted_in.write(encrypted)
        return bool(encrypted)

    def _send_encrypted(self) -> None:
        with self._send_lock:
            self._send_encrypted_in_turn()

    def _send_encrypted_in_turn(self) -> None:
        with self._tls_lock:
            encrypted = self._encrypted_out.read()
        if encrypted:
            self._below.send(encrypted)
