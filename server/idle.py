"""How a connection waits for its client: with notifications to deliver, and not for ever.

A client that neither listens nor has a limit is waited for by reading. Otherwise the connection's
own thread waits for the socket and for a signal at once, so that a notification comes to an idle
client as soon as it is sent, and no thread ever writes into another's messages.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from barrier.clock import Clock
from server.conversation import Conversation
from server.transport import Inbox
from server.wire.session_contract import CopyInResult, PreparedT, Session, SourceT

_READ_BYTES: Final = 4096


class Signal:
    """Wakes one thread that waits for it among sockets; may be given from any thread."""

    def __init__(self) -> None:
        self._ends: tuple[socket.socket, socket.socket] | None = None

    def open(self) -> socket.socket:
        """Return what becomes readable when the signal is given, from now on."""
        if self._ends is None:
            ours, theirs = socket.socketpair()
            ours.settimeout(0)
            theirs.settimeout(0)
            self._ends = ours, theirs
        return self._ends[0]

    def give(self) -> None:
        """Give the signal; nothing happens when nobody has opened it."""
        if self._ends is not None:
            # Full means that it was given and not looked at; closed, that nobody will.
            with suppress(OSError):
                self._ends[1].send(b"!")

    def clear(self) -> None:
        """Take it as seen."""
        if self._ends is not None:
            with suppress(BlockingIOError):
                while len(self._ends[0].recv(_READ_BYTES)) == _READ_BYTES:
                    pass

    def close(self) -> None:
        """Let go of it."""
        for end in self._ends or ():
            end.close()


def wait_for_client(
    session: Session[SourceT, PreparedT],
    conversation: Conversation[SourceT, PreparedT],
    inbox: Inbox,
    *,
    signal: Signal,
    sock: socket.socket,
    clock: Clock,
) -> None:
    """Return when the client's next message can be read, or may as well be waited for by reading.

    Raises:
        ClientGoneError: The connection ended.
        PgError: FATAL; the client has been silent for too long.
    """
    if not conversation.is_at_rest:
        return
    limit = session.patience()
    if limit is None and not session.is_listening:
        return
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    if session.is_listening:
        poll.register(signal.open(), select.POLLIN)
    until_ms = None if limit is None else clock.monotonic_ms() + limit[0]
    while not inbox.holds_frame():
        signal.clear()
        conversation.deliver()
        left_ms = None if until_ms is None else until_ms - clock.monotonic_ms()
        if limit is not None and left_ms is not None and left_ms <= 0:
            raise limit[1]
        ready = [number for number, _ in poll.poll(left_ms)]
        if sock.fileno() in ready:
            inbox.receive()


@contextmanager
def heeding(
    copy: CopyInResult, inbox: Inbox, *, signal: Signal, sock: socket.socket
) -> Iterator[None]:
    """While the block reads a COPY's data, let what ends the statement end the reading.

    Raises:
        PgError: The statement has to end. What has arrived of a message is left in the inbox.
    """
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    poll.register(signal.open(), select.POLLIN)

    def wait() -> None:
        ready: list[int] = []
        while sock.fileno() not in ready:
            with copy.interruptible(signal.give):
                ready = [number for number, _ in poll.poll()]
            signal.clear()

    inbox.before_waiting = wait
    try:
        yield
    finally:
        inbox.before_waiting = None
