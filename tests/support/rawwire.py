"""The protocol as bytes, for what no driver would send."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import Self

from tests.support.server import Address

PROTOCOL = 196608
SSL_REQUEST = 80877103
GSSENC_REQUEST = 80877104
CANCEL_REQUEST = 80877102


@dataclass(frozen=True)
class Message:
    """One message of the server."""

    kind: str
    body: bytes

    @property
    def fields(self) -> dict[str, str]:
        """The fields of an ErrorResponse or NoticeResponse."""
        return {f[:1].decode(): f[1:].decode() for f in self.body.split(b"\0") if f}


class RawWire:
    """A socket that speaks in whole messages."""

    def __init__(self, address: Address, *, starts: bool = True, timeout_s: float = 10) -> None:
        self._socket = socket.create_connection((address.host, address.port), timeout=timeout_s)
        self._received = b""
        self._address = address
        if starts:
            self.start()
            self.startup = self.until_ready()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def start(self) -> None:
        """Send the startup packet."""
        pairs = {"user": self._address.user, "database": self._address.database}
        body = b"".join(f"{k}\0{v}\0".encode() for k, v in pairs.items()) + b"\0"
        self.send_raw(struct.pack("!ii", len(body) + 8, PROTOCOL) + body)

    def close(self) -> None:
        self._socket.close()

    def finish(self) -> None:
        """Say that nothing more will be sent."""
        self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """End the connection as a killed machine does: by RST, without a word."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def send_raw(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send(self, kind: str, body: bytes = b"") -> None:
        self.send_raw(kind.encode() + struct.pack("!i", len(body) + 4) + body)

    def query(self, sql: str) -> None:
        self.send("Q", sql.encode() + b"\0")

    def parse(self, sql: str, name: str = "") -> None:
        self.send("P", f"{name}\0{sql}\0".encode() + struct.pack("!h", 0))

    def bind(self, portal: str = "", statement: str = "") -> None:
        self.send("B", f"{portal}\0{statement}\0".encode() + struct.pack("!hhh", 0, 0, 0))

    def describe(self, kind: str, name: str = "") -> None:
        self.send("D", f"{kind}{name}\0".encode())

    def execute(self, rows_max: int = 0, portal: str = "") -> None:
        self.send("E", f"{portal}\0".encode() + struct.pack("!i", rows_max))

    def sync(self) -> None:
        self.send("S")

    def receive(self) -> Message:
        """Read the next message.

        Raises:
            EOFError: The server has closed the connection.
        """
        head = self.receive_raw(5)
        (length,) = struct.unpack("!i", head[1:])
        return Message(chr(head[0]), self.receive_raw(length - 4))

    def receive_raw(self, size: int) -> bytes:
        while len(self._received) < size:
            data = self._socket.recv(65536)
            if not data:
                raise EOFError
            self._received += data
        taken, self._received = self._received[:size], self._received[size:]
        return taken

    def until_ready(self) -> list[Message]:
        """Read up to ReadyForQuery, which is the last of the messages."""
        messages = [self.receive()]
        while messages[-1].kind != "Z":
            messages.append(self.receive())
        return messages

    def until_closed(self) -> list[Message]:
        """Read what comes before the server closes the connection."""
        messages = []
        try:
            while True:
                messages.append(self.receive())
        except (EOFError, ConnectionResetError):
            return messages


def kinds(messages: list[Message]) -> str:
    """The type bytes in order; notices are left out."""
    return "".join(m.kind for m in messages if m.kind != "N")


def tags(messages: list[Message]) -> list[str]:
    """The command tags in order."""
    return [m.body.rstrip(b"\0").decode() for m in messages if m.kind == "C"]


def sqlstates(messages: list[Message]) -> list[str]:
    """The SQLSTATEs of the errors in order."""
    return [m.fields["C"] for m in messages if m.kind == "E"]
