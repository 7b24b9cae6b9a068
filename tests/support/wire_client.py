"""A client that sends bytes and reads messages, for what drivers hide."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

STARTUP = 196608
SSL_REQUEST = 80877103
GSSENC_REQUEST = 80877104
CANCEL_REQUEST = 80877102

Message = tuple[str, bytes]


def startup_packet(version: int = STARTUP, /, **parameters: str) -> bytes:
    body = b"".join(
        f"{name}\0{value}\0".encode()
        for name, value in ({"user": "root", "database": "dev"} | parameters).items()
    )
    return struct.pack("!II", len(body) + 9, version) + body + b"\0"


def fields(body: bytes) -> dict[str, str]:
    """The fields of an error or a notice."""
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}


def kinds(messages: Sequence[Message]) -> str:
    return "".join(kind for kind, _ in messages)


def errors(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [fields(body) for kind, body in messages if kind == "E"]


def tags(messages: Sequence[Message]) -> list[str]:
    return [body[:-1].decode() for kind, body in messages if kind == "C"]


def rows(messages: Sequence[Message]) -> list[list[bytes | None]]:
    out = []
    for kind, body in messages:
        if kind != "D":
            continue
        (count,) = struct.unpack_from("!h", body)
        at, row = 2, list[bytes | None]()
        for _ in range(count):
            (length,) = struct.unpack_from("!i", body, at)
            at += 4
            row.append(None if length < 0 else body[at : at + length])
            at += max(length, 0)
        out.append(row)
    return out


class WireClient:
    """One connection; every method that sends returns the client, so that calls chain."""

    def __init__(self, address: tuple[str, int], *, start: bool = True, **parameters: str) -> None:
        self.socket = socket.create_connection(address, timeout=10)
        self.greeting: list[Message] = []
        if start:
            self.raw(startup_packet(STARTUP, **parameters))
            self.greeting = self.until("Z", "E")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.close()

    @property
    def key(self) -> bytes:
        return next(body for kind, body in self.greeting if kind == "K")

    # Sending.

    def raw(self, data: bytes) -> WireClient:
        self.socket.sendall(data)
        return self

    def send(self, kind: str, body: bytes = b"") -> WireClient:
        return self.raw(kind.encode() + struct.pack("!i", len(body) + 4) + body)

    def query(self, sql: str) -> WireClient:
        return self.send("Q", sql.encode() + b"\0")

    def parse(self, sql: str, name: str = "", oids: Sequence[int] = ()) -> WireClient:
        types = struct.pack(f"!h{len(oids)}I", len(oids), *oids)
        return self.send("P", f"{name}\0{sql}\0".encode() + types)

    def bind(
        self,
        values: Sequence[bytes | None] = (),
        *,
        portal: str = "",
        name: str = "",
        formats: Sequence[int] = (),
        results: Sequence[int] = (),
    ) -> WireClient:
        body = f"{portal}\0{name}\0".encode()
        body += struct.pack(f"!h{len(formats)}hh", len(formats), *formats, len(values))
        for value in values:
            size = -1 if value is None else len(value)
            body += struct.pack("!i", size) + (value or b"")
        return self.send("B", body + struct.pack(f"!h{len(results)}h", len(results), *results))

    def describe(self, kind: str, name: str = "") -> WireClient:
        return self.send("D", f"{kind}{name}\0".encode())

    def execute(self, rows_max: int = 0, portal: str = "") -> WireClient:
        return self.send("E", f"{portal}\0".encode() + struct.pack("!i", rows_max))

    def close_name(self, kind: str, name: str = "") -> WireClient:
        return self.send("C", f"{kind}{name}\0".encode())

    def flush(self) -> WireClient:
        return self.send("H")

    def sync(self) -> WireClient:
        return self.send("S")

    # Receiving.

    def receive(self) -> Message:
        header = self._exactly(5)
        (length,) = struct.unpack("!i", header[1:])
        return header[:1].decode(), self._exactly(length - 4)

    def until(self, *stop: str) -> list[Message]:
        messages = []
        while True:
            messages.append(self.receive())
            if messages[-1][0] in stop:
                return messages

    def until_ready(self) -> list[Message]:
        return self.until("Z")

    def ask(self, sql: str) -> list[Message]:
        return self.query(sql).until_ready()

    def is_closed(self) -> bool:
        """Whether nothing but the end follows; waits for it."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            piece = self.socket.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data


def eventually(condition: Callable[[], bool], seconds: float = 3) -> bool:
    """Whether the condition comes to hold within that time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False
