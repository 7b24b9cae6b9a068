"""Plays a transcript against a server and compares what comes back."""

from __future__ import annotations

import select
import socket
import struct
from contextlib import ExitStack
from typing import Final

from tests.support.server import Address
from tests.support.transcript import MAIN, Case, Message, Step, Value
from tests.support.transcript_messages import describe, encode

_TIMEOUT_S: Final = 10.0
#: How long a server must say nothing for ``until silence``.
_SILENCE_S: Final = 0.15
#: How often a statement is cancelled until it ends, and how long is waited each time.
_CANCELS_MAX: Final = 50
_CANCEL_PAUSE_S: Final = 0.2
CLOSED: Final = Message("Closed")


class MismatchError(AssertionError):
    """A server answered otherwise than the transcript says."""


class Wire:
    """One connection: bytes out, messages in."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.key = b""
        self.socket = socket.create_connection((address.host, address.port), timeout=_TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""

    def close(self) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # What is left to read tells why.

    def start(self, message: Message) -> list[Message]:
        """Open a session; return what the server says up to ReadyForQuery or the end."""
        self.send(encode(message, self.address, {}))
        return self.until("ReadyForQuery")

    def receive(self) -> Message:
        """Return the next message; ``Closed`` at the end."""
        try:
            head = self._exactly(5)
            (length,) = struct.unpack("!i", head[1:])
            kind, body = chr(head[0]), self._exactly(length - 4)
        except (EOFError, ConnectionError):
            return CLOSED
        if kind == "K":
            self.key = body
        return describe(kind, body)

    def until(self, kind: str, count: int = 1) -> list[Message]:
        """Return the messages up to the last of that many of a kind."""
        messages: list[Message] = []
        if kind == "byte":
            return [self._byte()]
        while count > 0:
            if kind == "silence" and not self.has_more(_SILENCE_S):
                return messages
            try:
                messages.append(self.receive())
            except TimeoutError:
                return [*messages, Message("Silence")]
            if messages[-1] == CLOSED:
                return messages
            count -= messages[-1].kind == kind
        return messages

    def _byte(self) -> Message:
        """The answer to a request for encryption, which is no message."""
        try:
            return Message("Byte", (self._exactly(1).decode(),))
        except (EOFError, ConnectionError):
            return CLOSED
        except TimeoutError:
            return Message("Silence")

    def has_more(self, seconds: float) -> bool:
        return bool(self._received) or bool(select.select([self.socket], [], [], seconds)[0])

    def _exactly(self, size: int) -> bytes:
        while len(self._received) < size:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self._received += data
        taken, self._received = self._received[:size], self._received[size:]
        return taken


def play(case: Case, side: str, address: Address, *, record: bool = False) -> None:
    """Play one test.

    Args:
        case: The test.
        side: Whose lines count.
        address: Where it is played.
        record: Whether what does not fit is written into the steps instead of being refused.

    Raises:
        MismatchError: A server answered otherwise; the message shows both.
    """
    with ExitStack() as stack:
        wires: dict[str, Wire] = {}

        def open_wire(name: str, startup: Message | None) -> Wire:
            wire = wires[name] = Wire(address)
            stack.callback(wire.close)
            if startup is not None:
                greeting = wire.start(startup)
                assert greeting[-1].kind == "ReadyForQuery", [str(m) for m in greeting]
            return wire

        for step in case.steps:
            if not step.applies_to(side):
                continue
            if step.verb in ("open", "connect"):
                startup = Message("Startup", (), step.options.named)
                open_wire(step.connection, startup if step.verb == "connect" else None)
                continue
            if step.connection not in wires:
                assert step.connection == MAIN, f"{case.path.name}:{step.line}: not open"
                open_wire(MAIN, Message("Startup"))
            _perform(case, step, side, wires, record=record)


def _perform(case: Case, step: Step, side: str, wires: dict[str, Wire], *, record: bool) -> None:
    wire = wires[step.connection]
    match step.verb:
        case "close":
            wire.close()
        case "cancel":
            _cancel(wire)
        case "send":
            keys = {name: other.key for name, other in wires.items()}
            data = b"".join(encode(m, wire.address, keys) for m in step.messages_for(side))
            for piece in [data[i : i + 1] for i in range(len(data))] if step.in_bytes else [data]:
                wire.send(piece)
        case _:
            received = wire.until(step.until, step.until_count)
            expected = step.messages_for(side)
            if are_equal(expected, received):
                return
            if record:
                step.messages = received
                return
            raise MismatchError(
                f"{case.path.name}:{step.line}: {case.name} ({side})\nexpected:\n"
                + "".join(f"  {m}\n" for m in expected)
                + "received:\n"
                + "".join(f"  {m}\n" for m in received)
            )


def _cancel(wire: Wire) -> None:
    """Ask to cancel until there is an answer: nobody knows when a statement begins to run."""
    request = encode(Message("CancelRequest", (MAIN,)), wire.address, {MAIN: wire.key})
    for _ in range(_CANCELS_MAX):
        other = Wire(wire.address)
        other.send(request)
        other.until("Closed")
        other.close()
        if wire.has_more(_CANCEL_PAUSE_S):
            return
    raise MismatchError("the statement was not cancelled")


def are_equal(expected: list[Message], received: list[Message]) -> bool:
    """Whether the messages are those; ``Kind ...`` stands for any number of a kind."""
    rest = list(received)
    for message in expected:
        if message.fields[-1:] == ("...",):
            while rest and rest[0].kind == message.kind:
                rest.pop(0)
        elif not rest or not _fits(message, rest.pop(0)):
            return False
    return not rest


def _fits(expected: Message, received: Message) -> bool:
    """Whether a message has all fields that are expected of it; ``*`` is any value."""
    if expected.kind != received.kind:
        return False
    is_report = expected.kind in ("ErrorResponse", "NoticeResponse")
    if not is_report and len(expected.fields) != len(received.fields):
        return False
    found = received.options
    pairs: list[tuple[Value, Value]] = list(zip(expected.fields, received.fields, strict=False))
    pairs += [(value, found.get(name)) for name, value in expected.named]
    return all(_equal(one, other) for one, other in pairs)


def _equal(expected: Value, received: Value) -> bool:
    if isinstance(expected, list) and isinstance(received, list):
        return len(expected) == len(received) and all(map(_equal, expected, received))
    one, other = (v.encode() if isinstance(v, str) else v for v in (expected, received))
    return one in (b"*", other)
