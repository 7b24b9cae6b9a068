"""Accepts clients, and tells them when the server stops."""

from __future__ import annotations

import errno
import logging
import socket
import threading
from collections.abc import Callable
from typing import Any, Final

from buenavista.core import Connection as BuenaVistaConnection
from buenavista.postgres import BuenaVistaServer

from barrier.clock import Clock, SystemClock
from catalog.errors import AdminShutdown, PgError
from server.authentication import Gate
from server.channel import Tls
from server.connection import Connection, Context, OpenSession, Registry
from server.hba import default_rules
from server.memory import Room
from server.reception import Limits
from server.wire.session_contract import Session
from server.wire.startup import StartupParameters

_LOG: Final = logging.getLogger(__name__)

#: Deeply nested statements recurse deeply. Only what is used takes memory.
_STACK_BYTES: Final = 64 * 1024 * 1024
_ACCEPT_POLL_S: Final = 0.1
_STOP_GRACE_S: Final = 1.6

_stack_size_lock = threading.Lock()


class Listener:
    """A listening socket and the connections that came through it.

    Args:
        host: The address to listen at.
        port: 0 picks a free one.
        open_session: Makes the session of a client that has said what it wants, or raises the
            PgError with which it is turned away.
        limits: What clients are granted.
        clock: What time-outs are measured by.
        gate: Who may come in, and how they prove who they are; without one, whoever is on this
            machine.
        tls: What connections are encrypted by; without it they are not.
        room: What the process may allocate; without it nothing is limited.
    """

    def __init__(
        self,
        host: str,
        port: int,
        open_session: Callable[[StartupParameters], Session[Any, Any]],
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        gate: Gate | None = None,
        tls: Tls | None = None,
        room: Room | None = None,
    ) -> None:
        limits = limits or Limits()
        clock = clock or SystemClock()
        sessions = SessionSource(open_session)
        self._context = Context(
            sessions.new_session,
            limits,
            clock,
            Registry(limits),
            gate or Gate(default_rules(is_loopback_only=True), lambda _: None, b"", clock),
            tls,
        )
        self._server = Server(host, port, sessions, self._context, room or Room(None))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_ACCEPT_POLL_S,), name="listener", daemon=True
        )

    @property
    def address(self) -> tuple[str, int]:
        """Where clients connect."""
        host, port, *_ = self._server.server_address
        return host, port

    @property
    def port(self) -> int:
        """The port of the address."""
        return self.address[1]

    def start(self) -> None:
        """Accept connections; the port is bound already."""
        self._context.watcher.start()
        self._thread.start()

    def stop(self) -> None:
        """Refuse new connections and end the open ones with 57P01, within two seconds."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._context.registry.close(AdminShutdown.plain(), grace_s=_STOP_GRACE_S)
        self._context.watcher.stop()

    def cancel(self, process_id: int) -> bool:
        """End the running statement of a session; False if there is no such session."""
        connection = self._context.registry.find(process_id)
        if connection is not None:
            connection.cancel()
        return connection is not None

    def terminate(self, process_id: int, error: PgError) -> bool:
        """End a session with a FATAL error; False if there is no such session."""
        connection = self._context.registry.find(process_id)
        if connection is not None:
            connection.terminate(error)
        return connection is not None


class SessionSource(BuenaVistaConnection):  # type: ignore[misc]  # buenavista is not typed
    """buenavista's contract for what opens sessions; ours must know what the client asks for."""

    def __init__(self, open_session: OpenSession) -> None:
        super().__init__()
        self._open_session = open_session

    def new_session(self, startup: StartupParameters) -> Session[Any, Any]:
        return self._open_session(startup)


class Server(BuenaVistaServer):  # type: ignore[misc]  # buenavista is not typed
    """buenavista's threading server with our connections."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(
        self, host: str, port: int, sessions: SessionSource, context: Context, room: Room
    ) -> None:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        self.address_family = family
        self.context = context
        self._room = room
        self._pause = threading.Event()
        super().__init__(address, sessions)
        self.RequestHandlerClass = Connection

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection.

        Raises:
            OSError: There is none any more, or no descriptor for it.
        """
        try:
            request: tuple[socket.socket, Any] = super().get_request()
        except OSError as e:
            if e.errno in (errno.EMFILE, errno.ENFILE):
                # It stays in the queue; without a pause this would be asked for again at once.
                _LOG.warning("a client must wait: %s", e.strerror)
                self._pause.wait(_ACCEPT_POLL_S)
            raise
        return request

    def verify_request(self, request: socket.socket, client_address: Any) -> bool:  # noqa: ANN401, ARG002
        """Take all but a flood; who may open a session is decided when the client can be told."""
        return not self.context.registry.is_flooded

    def process_request(self, request: socket.socket, client_address: Any) -> None:  # noqa: ANN401
        """Serve the connection in a thread of its own."""
        with _stack_size_lock:
            before = threading.stack_size(_STACK_BYTES)
            self._room.add_stacks(_STACK_BYTES)
            try:
                super().process_request(request, client_address)
            except BaseException:
                self._room.add_stacks(-_STACK_BYTES)
                raise
            finally:
                threading.stack_size(before)

    def process_request_thread(self, request: socket.socket, client_address: Any) -> None:  # noqa: ANN401
        """Serve the connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.add_stacks(-_STACK_BYTES)

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002
        """Log what went wrong with one connection; the others go on."""
        _LOG.exception("a connection from %s failed", client_address)
