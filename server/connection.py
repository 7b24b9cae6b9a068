"""One client's connection: startup, then messages until one side ends it.

buenavista gives the threading server and calls ``handle`` in a thread of the connection's own;
its message layer is replaced, since it knows neither SQLSTATEs nor suspended portals.
"""

from __future__ import annotations

import hmac
import itertools
import logging
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from buenavista.postgres import BuenaVistaHandler

from barrier.clock import Clock
from catalog.errors import AdminShutdown, PgError, TooManyConnections
from server.authentication import Gate
from server.channel import Tls
from server.conversation import Conversation
from server.failure import as_pg_error
from server.idle import Signal, heeding, wait_for_client
from server.reception import Limits, Reception
from server.transport import ClientGoneError
from server.watcher import Watcher
from server.wire import messages as m
from server.wire.codec import encode, error_response
from server.wire.session_contract import Session
from server.wire.startup import StartupParameters
from server.wire.state import Phase

_LOG: Final = logging.getLogger(__name__)

#: How long a client may take to close its side of a connection that has ended.
_LINGER_S: Final = 0.2

#: How long the last words to a client may take.
_FAREWELL_MS: Final = 2000

#: How many connections may wait to be told that there is no room, or only want to cancel.
_UNADMITTED_MAX: Final = 200

OpenSession = Callable[[StartupParameters], Session[Any, Any]]


class Registry:
    """The open connections, by the process id that clients know them by."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process_ids = itertools.count(1)
        self._changed = threading.Condition()
        self._connections: set[Connection] = set()
        self._by_process_id: dict[int, Connection] = {}
        self._is_closed = False

    @property
    def is_flooded(self) -> bool:
        """Whether there are far more connections than sessions are granted."""
        return len(self._connections) >= self._limits.connections_max + _UNADMITTED_MAX

    def add(self, connection: Connection) -> None:
        """Remember a connection that has not said yet what it wants."""
        with self._changed:
            self._connections.add(connection)
            connection.process_id = next(self._process_ids)
            is_closed = self._is_closed
        if is_closed:
            connection.terminate(AdminShutdown.plain())

    def admit(self, connection: Connection, *, is_superuser: bool) -> None:
        """Count a connection that wants a session.

        Raises:
            TooManyConnections: FATAL; there is no room for it.
        """
        limits = self._limits
        with self._changed:
            count = len(self._by_process_id)
            if count >= limits.connections_max:
                raise TooManyConnections("sorry, too many clients already", severity="FATAL")
            if count >= limits.connections_max - limits.connections_reserved and not is_superuser:
                raise TooManyConnections(
                    "remaining connection slots are reserved for non-replication superuser "
                    "connections",
                    severity="FATAL",
                )
            self._by_process_id[connection.process_id] = connection

    def remove(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        with self._changed:
            self._connections.discard(connection)
            self._by_process_id.pop(connection.process_id, None)
            self._changed.notify_all()

    def cancel(self, request: m.CancelRequest) -> None:
        """Stop what the session of that key is doing; a wrong key does nothing."""
        connection = self.find(request.process_id)
        if connection is not None and connection.has_secret(request.secret_key):
            connection.cancel()

    def find(self, process_id: int) -> Connection | None:
        """Return the connection of a session."""
        with self._changed:
            return self._by_process_id.get(process_id)

    def close(self, error: PgError, *, grace_s: float) -> None:
        """End all connections, now and to come, and cut off those that have not ended in time."""
        with self._changed:
            self._is_closed = True
            connections = list(self._connections)
        for connection in connections:
            connection.terminate(error)
        with self._changed:
            if self._changed.wait_for(lambda: not self._connections, grace_s):
                return
            connections = list(self._connections)
        for connection in connections:
            connection.cut_off()
        with self._changed:
            self._changed.wait_for(lambda: not self._connections, grace_s / 4)


@dataclass(frozen=True, slots=True)
class Context:
    """What all connections of a server share."""

    open_session: OpenSession
    limits: Limits
    clock: Clock
    registry: Registry
    gate: Gate
    tls: Tls | None
    watcher: Watcher = field(default_factory=Watcher)


class Connection(BuenaVistaHandler):  # type: ignore[misc]  # buenavista is not typed
    """The socket of one client and what goes over it."""

    request: socket.socket

    def setup(self) -> None:
        """Prepare the socket; called by socketserver before ``handle``."""
        self._context: Context = self.server.context
        self.process_id = 0
        self.is_busy = False
        self._secret_key = secrets.randbits(32)
        self._session: Session[Any, Any] | None = None
        self._ending: PgError | None = None
        self._signal = Signal()
        self._reception = Reception(
            self.request,
            self.client_address[0],
            limits=self._context.limits,
            clock=self._context.clock,
            tls=self._context.tls,
        )
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._context.registry.add(self)

    def handle(self) -> None:
        """Serve the client until one side ends the connection."""
        try:
            startup = self._start()
            if startup is not None:
                self._serve(startup)
            self._linger()
        except ClientGoneError:
            if self._ending is not None:
                self._say_farewell(self._ending)
        except Exception as e:  # noqa: BLE001  The last border: the server goes on.
            error = self._ending or as_pg_error(e)
            error.severity = "FATAL"
            self._say_farewell(error)

    def finish(self) -> None:
        """Forget the connection; called by socketserver after ``handle``."""
        self._context.registry.remove(self)
        self._signal.close()

    # Called from other threads.

    def has_secret(self, secret_key: int) -> bool:
        """Whether that is the connection's key, compared in constant time."""
        mine, theirs = (n.to_bytes(4, "big") for n in (self._secret_key, secret_key))
        return hmac.compare_digest(mine, theirs)

    def cancel(self) -> None:
        """End the statement that is running or waiting."""
        session = self._session
        if session is not None:
            session.cancel()

    def terminate(self, error: PgError) -> None:
        """End the connection with a FATAL error, whatever it is doing."""
        self._ending = error
        self._reception.stop_waiting()
        # Wakes a thread that waits for the next message; the client can still be told.
        self._shut_down(socket.SHUT_RD)
        self.cancel()

    def cut_off(self) -> None:
        """End the connection without a word."""
        self._shut_down(socket.SHUT_RDWR)
        self.cancel()

    # Startup.

    def _start(self) -> StartupParameters | None:
        """Return what the client asks for and may have; None when it wanted no session."""
        packet = self._reception.first_packet()
        if isinstance(packet, m.CancelRequest):
            self._context.registry.cancel(packet)
            return None
        startup = self._reception.negotiate(packet, self.process_id)
        gate = self._context.gate
        self._reception.authenticate(startup, gate)
        user = gate.find_user(startup.user)
        # One that does not exist takes the place of nobody for long.
        self._context.registry.admit(self, is_superuser=user is None or user.is_superuser)
        return startup

    # The session.

    def _serve(self, startup: StartupParameters) -> None:
        session = self._context.open_session(startup)
        session.terminate = self.terminate
        session.wake = self._signal.give
        self._session = session
        try:
            inbox = self._reception.inbox
            conversation = Conversation(
                session,
                self._reception.outbox,
                next_frame=inbox.frame,
                next_data=inbox.copy_data,
                heeding=lambda copy: heeding(copy, inbox, signal=self._signal, sock=self.request),
                holds_sync=inbox.holds_sync,
                ending=lambda: self._ending,
            )
            self._context.watcher.watch(self)
            try:
                self._converse(conversation)
            finally:
                self._context.watcher.forget(self)
                conversation.close()
        finally:
            self._session = None
            session.close()

    def _converse(self, conversation: Conversation[Any, Any]) -> None:
        conversation.greet(m.BackendKeyData(self.process_id, self._secret_key))
        inbox = self._reception.inbox
        while conversation.phase is not Phase.CLOSED:
            self._wait_for_client(conversation)
            kind, body = inbox.frame()
            if self._ending is not None:
                raise self._ending
            self.is_busy = True
            conversation.receive(kind, body)
            self.is_busy = False

    def _wait_for_client(self, conversation: Conversation[Any, Any]) -> None:
        session = self._session
        assert session is not None
        wait_for_client(
            session,
            conversation,
            self._reception.inbox,
            signal=self._signal,
            sock=self.request,
            clock=self._context.clock,
        )

    def _say_farewell(self, error: PgError) -> None:
        try:
            self._reception.allow_ms(_FAREWELL_MS)
            self._reception.outbox.write(encode(error_response(error)))
            self._reception.outbox.flush()
        except ClientGoneError:
            _LOG.debug("a client was gone before it could be told: %s", error.message)
        else:
            self._linger()

    def _linger(self) -> None:
        """Give the client a moment to read what it was told.

        Closing a socket with unread input resets the connection, and the last words might be lost.
        """
        with suppress(OSError):
            self._reception.finish()
            self.request.settimeout(_LINGER_S)
            for _ in range(16):
                if not self.request.recv(65536):
                    break

    def _shut_down(self, how: int) -> None:
        try:
            self.request.shutdown(how)
        except OSError:
            _LOG.debug("the socket was closed already")
