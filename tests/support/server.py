"""A server as its users run it: a process of its own, reached over TCP."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

import psycopg

READY: Final = re.compile(r"^tidegate \S+ ready: (postgresql://\S+)$")
READY_SECONDS: Final = 30
STOP_SECONDS: Final = 20
REPOSITORY: Final = Path(__file__).resolve().parents[2]

Connection = psycopg.Connection[tuple[Any, ...]]


def hang_up(connection: Connection) -> None:
    """Have the client vanish without a word, also while another thread waits for its answer.

    Closed under whoever waits for it, the socket's number would soon be another connection's.
    """
    with socket.socket(fileno=os.dup(connection.fileno())) as found:
        found.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True)
class Address:
    """Where a server listens and which database is meant."""

    host: str
    port: int
    user: str
    database: str

    @classmethod
    def of(cls, url: str) -> Address:
        parts = urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        return cls(parts.hostname, parts.port, parts.username or "root", parts.path.lstrip("/"))

    @property
    def url(self) -> str:
        return f"postgresql://{self.user}@{self.host}:{self.port}/{self.database}"

    def of_database(self, database: str) -> Address:
        return Address(self.host, self.port, self.user, database)

    def connect(self, **options: Any) -> Connection:
        """Open a psycopg connection, in autocommit unless the options say otherwise."""
        return psycopg.connect(self.url, **{"autocommit": True, "connect_timeout": 10, **options})


def _environment() -> dict[str, str]:
    """Return what a server starts with: it compiles its modules once, as where it is installed."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TIDEGATE_") and name != "PYTHONDONTWRITEBYTECODE"
    }


@dataclass
class ServerProcess:
    """``tidegate serve`` as a child of the test; ``data_dir`` None keeps it in memory."""

    data_dir: Path | None = None
    arguments: tuple[str, ...] = ()
    program: tuple[str, ...] = ("-m", "server")
    ready_seconds: float = READY_SECONDS
    log: deque[str] = field(default_factory=lambda: deque(maxlen=400))

    def start(self) -> Address:
        """Start the process and return once it has printed that it is ready."""
        storage = ["--ephemeral"] if self.data_dir is None else ["--data-dir", str(self.data_dir)]
        self.process = subprocess.Popen(
            [sys.executable, *self.program, "serve", "--port", "0", *storage, *self.arguments],
            cwd=REPOSITORY,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._stdout: queue.Queue[str] = queue.Queue()
        self._readers = [
            self._reader(self.process.stdout, self._stdout.put),
            self._reader(self.process.stderr, self.log.append),
        ]
        try:
            line = self._stdout.get(timeout=self.ready_seconds)
        except queue.Empty:
            line = ""
        match = READY.match(line.rstrip("\n"))
        if match is None:
            self.kill()
            raise AssertionError(f"no ready line but {line!r}; log: {''.join(self.log)}")
        self.address = Address.of(match[1])
        return self.address

    def further_output(self) -> list[str]:
        """Lines on standard output after the ready line."""
        return list(self._stdout.queue)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask the server to stop and return its exit status."""
        self.process.send_signal(number)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired as e:
            self.kill()
            raise AssertionError(
                f"still up {STOP_SECONDS} s after {number!r}: {''.join(self.log)}"
            ) from e
        self._close()
        return self.process.returncode

    def kill(self) -> None:
        """Kill -9, as a power failure would."""
        self.process.kill()
        self.process.wait(STOP_SECONDS)
        self._close()

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def _reader(self, stream: IO[str], put: Callable[[str], None]) -> threading.Thread:
        def read() -> None:
            for line in stream:
                put(line)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def _close(self) -> None:
        for thread in self._readers:
            thread.join(STOP_SECONDS)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()


@contextmanager
def running_server(data_dir: Path | None = None, *arguments: str) -> Iterator[ServerProcess]:
    """A server for a ``with`` block; it must still be up and stop with status 0 at the end."""
    with running(ServerProcess(data_dir, arguments)) as server:
        yield server


@contextmanager
def running(server: ServerProcess) -> Iterator[ServerProcess]:
    """Start a server and look after it as ``running_server`` does."""
    server.start()
    try:
        yield server
    except BaseException as e:
        was_running = server.is_running
        server.kill()
        if not was_running:
            status = server.process.returncode
            e.add_note(f"the server had ended with {status}: {''.join(server.log)}")
        raise
    if not server.is_running:
        server.kill()
        raise AssertionError(f"the server ended by itself: {''.join(server.log)}")
    status = server.stop()
    assert status == 0, (status, "".join(server.log))
