"""Notices clients that vanish while their statement runs or waits."""

from __future__ import annotations

import select
import socket
import threading
from typing import Final, Protocol

_INTERVAL_S: Final = 0.2
_HAS_RDHUP: Final = hasattr(select, "POLLRDHUP")


class Watched(Protocol):
    """A connection as the watcher sees it."""

    #: Whether its thread executes a statement, and so does not read the socket itself.
    is_busy: bool

    @property
    def request(self) -> socket.socket:
        """The socket, below any encryption."""
        ...

    def cancel(self) -> None:
        """End the statement that is running or waiting."""
        ...


class Watcher:
    """One thread that looks at the sockets of all busy connections a few times a second.

    Reading a socket is the business of its connection's thread, which cannot do so while it
    executes a statement; the watcher only looks whether the other side is still there. Connections
    say that they are busy by a plain attribute: with a lock for each message they would wait for
    each other more than for anything else.
    """

    def __init__(self) -> None:
        self._watched: set[Watched] = set()
        self._lock = threading.Lock()
        self._has_any = threading.Event()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._is_stopped = True
        self._has_any.set()
        self._thread.join()

    def watch(self, connection: Watched) -> None:
        """Cancel what the connection does while its client is found to be away.

        It is cancelled again and again: the session may just have begun the next statement.
        """
        with self._lock:
            self._watched.add(connection)
            self._has_any.set()

    def forget(self, connection: Watched) -> None:
        """Watch it no longer; it is not being cancelled any more when this returns."""
        with self._lock:
            self._watched.discard(connection)

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            self._has_any.wait()
            if self._is_stopped:
                return
            pause.wait(_INTERVAL_S)
            with self._lock:
                for connection in self._watched:
                    if connection.is_busy and _is_gone(connection.request):
                        connection.cancel()
                if not self._watched and not self._is_stopped:
                    self._has_any.clear()


def _is_gone(sock: socket.socket) -> bool:
    if sock.fileno() < 0:
        return True
    if _HAS_RDHUP:
        # Sees the end even when messages that nobody has read yet stand before it.
        poll = select.poll()
        poll.register(sock, select.POLLRDHUP)
        return bool(poll.poll(0))
    try:
        return sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
