"""Notices clients that vanish while their statement runs or waits."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from typing import Final

_INTERVAL_S: Final = 0.2
_HAS_RDHUP: Final = hasattr(select, "POLLRDHUP")


class Watcher:
    """One thread that looks at the sockets of all busy connections a few times a second.

    Reading a socket is the business of its connection's thread, which cannot do so while it
    executes a statement; the watcher only looks whether the other side is still there.
    """

    def __init__(self) -> None:
        self._busy: dict[socket.socket, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._has_busy = threading.Event()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._is_stopped = True
        self._has_busy.set()
        self._thread.join()

    def watch(self, sock: socket.socket, on_gone: Callable[[], None]) -> None:
        """Call ``on_gone`` from the watcher's thread while the client is found to be away.

        It is called again and again: the session may just have begun the next statement.
        """
        with self._lock:
            self._busy[sock] = on_gone
            self._has_busy.set()

    def forget(self, sock: socket.socket) -> None:
        """Watch it no longer. ``on_gone`` is not running and will not run when this returns."""
        with self._lock:
            self._busy.pop(sock, None)

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            self._has_busy.wait()
            if self._is_stopped:
                return
            pause.wait(_INTERVAL_S)
            with self._lock:
                for sock, on_gone in self._busy.items():
                    if _is_gone(sock):
                        on_gone()
                if not self._busy and not self._is_stopped:
                    self._has_busy.clear()


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
