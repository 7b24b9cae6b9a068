"""From a client's first byte to a session that it may have: encryption, startup packet, proof."""

from __future__ import annotations

import logging
import socket
import ssl
import struct
from dataclasses import dataclass
from typing import Final

from barrier.clock import Clock
from catalog.errors import ProtocolViolation
from server.authentication import Gate, WrongAnswerError
from server.channel import Channel, PlainChannel, Tls, TlsChannel
from server.hba import Attempt, address_of
from server.transport import ClientGoneError, Inbox, Outbox
from server.wire import messages as m
from server.wire.codec import HEADER_BYTES, LONG_MESSAGE_BYTES_MAX, encode
from server.wire.startup import (
    ANSWER_BYTES_MAX,
    PROTOCOL_VERSION,
    StartupParameters,
    decode_startup,
    packet_length,
    startup_parameters,
)

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server grants its clients.

    Attributes:
        connections_reserved: How many of the connections are kept for superusers.
    """

    connections_max: int = 1000
    connections_reserved: int = 0
    authentication_timeout_ms: int = 60_000
    message_bytes_max: int = LONG_MESSAGE_BYTES_MAX


class Reception:
    """The beginning of one connection.

    Attributes:
        inbox: What the client sends.
        outbox: What it is sent. Both change when TLS begins.
    """

    def __init__(
        self, sock: socket.socket, peer: str, *, limits: Limits, clock: Clock, tls: Tls | None
    ) -> None:
        self._socket = sock
        self._peer = peer
        self._limits = limits
        self._clock = clock
        self._tls = tls
        self._plain = PlainChannel(sock, clock)
        self._plain.allow_until(clock.monotonic_ms() + limits.authentication_timeout_ms)
        self._encrypted: TlsChannel | None = None
        self.inbox = Inbox(self._plain, limits.message_bytes_max)
        self.outbox = Outbox(self._plain)

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS protects the connection."""
        return self._encrypted is not None

    def first_packet(self) -> m.CancelRequest | m.Startup:
        """Return what the client wants, having agreed on how it is encrypted.

        Raises:
            PgError: FATAL; it is no packet, or of another protocol.
            ClientGoneError: The client has left, was too slow, or cannot agree on keys.
        """
        is_tls_settled = is_gss_settled = False
        while True:
            length = packet_length(self.inbox.exactly(4))
            packet = decode_startup(
                self.inbox.exactly(length),
                may_ask_tls=not is_tls_settled,
                may_ask_gss=not is_gss_settled,
            )
            match packet:
                case m.SslRequest():
                    is_tls_settled = True
                    is_gss_settled = self._answer_tls()
                case m.GssEncRequest():
                    is_gss_settled = True
                    self._answer(b"N")
                    self._refuse_what_came_before("GSSAPI encryption")
                case m.CancelRequest() | m.Startup():
                    return packet

    def negotiate(self, startup: m.Startup, process_id: int) -> StartupParameters:
        """Return what the client asks for, and tell it what is newer than this server.

        Raises:
            PgError: FATAL; it does not say who it is, or asks for what there is not.
        """
        if startup.minor_version > 0 or startup.unknown_options:
            self._write(m.NegotiateProtocolVersion(PROTOCOL_VERSION, startup.unknown_options))
        return startup_parameters(startup, process_id, self._peer)

    def authenticate(self, startup: StartupParameters, gate: Gate) -> None:
        """Let the client prove who it is, and tell it when it did. From then on it has time.

        Raises:
            PgError: FATAL; it could not.
            ClientGoneError: It has left, or was too slow.
        """
        attempt = Attempt(
            startup.user,
            startup.database,
            address_of(self._peer),
            self.is_encrypted,
            is_own_address=lambda: _is_own_address(self._socket, self._peer),
        )
        binding = None if self._tls is None or not self.is_encrypted else self._tls.binding
        last_words = gate.authenticate(attempt, self._ask, binding)
        for message in last_words:
            self._write(message)
        self._plain.allow_until(None)

    def stop_waiting(self) -> None:
        """Let no thread wait any longer until the client reads; from any thread."""
        self._plain.stop_waiting()

    def allow_ms(self, milliseconds: int) -> None:
        """Give the client some more time, but no longer than that."""
        self._plain.allow_until(self._clock.monotonic_ms() + milliseconds)

    def finish(self) -> None:
        """Say that nothing more will be sent.

        Raises:
            OSError: The connection is lost.
        """
        self._channel.finish()

    @property
    def _channel(self) -> Channel:
        return self._plain if self._encrypted is None else self._encrypted

    def _answer_tls(self) -> bool:
        """Answer the wish for TLS; return whether there is TLS now."""
        self._answer(b"N" if self._tls is None else b"S")
        if self._tls is not None:
            # What came with the request is in the old inbox still, and nobody believes it.
            came_before = self.inbox.available
            self._encrypted = TlsChannel(self._plain, self._tls.context)
            try:
                self._encrypted.shake_hands()
            except ssl.SSLError as e:
                _LOG.info("no TLS with %s: %s", self._peer, e)
                raise ClientGoneError from e
            except OSError as e:
                raise ClientGoneError from e
            self.outbox = Outbox(self._encrypted)
            if came_before == 0:
                self.inbox = Inbox(self._encrypted, self._limits.message_bytes_max)
        self._refuse_what_came_before("SSL")
        return self._tls is not None

    def _refuse_what_came_before(self, what: str) -> None:
        """Refuse bytes that were sent along with a request for encryption.

        Somebody between the client and here could have put them there, to be taken for the
        client's own once the connection is encrypted.
        """
        if self.inbox.available:
            raise ProtocolViolation(
                f"received unencrypted data after {what} request",
                detail="This could be either a client-software bug or evidence of an attempted "
                "man-in-the-middle attack.",
            )

    def _answer(self, byte: bytes) -> None:
        self.outbox.write(byte)
        self.outbox.flush()

    def _ask(self, message: m.BackendMessage) -> bytes:
        """Send a question of the dialogue and return the body of the answer."""
        self._write(message)
        self.outbox.flush()
        kind, length = struct.unpack("!Bi", self.inbox.exactly(HEADER_BYTES))
        if kind != ord("p"):
            is_password = isinstance(message, m.AuthenticationCleartextPassword)
            wanted = "password" if is_password else "SASL"
            raise ProtocolViolation(f"expected {wanted} response, got message type {kind}")
        if not 4 <= length <= ANSWER_BYTES_MAX:
            _LOG.info("%s answered with a message of invalid length", self._peer)
            raise WrongAnswerError
        return self.inbox.exactly(length - 4)

    def _write(self, message: m.BackendMessage) -> None:
        self.outbox.write(encode(message))


def _is_own_address(sock: socket.socket, peer: str) -> bool:
    """Whether an address is this machine's: only then can something listen there."""
    with socket.socket(sock.family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((peer, 0))
        except OSError:
            return False
    return True
