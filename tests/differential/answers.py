"""What a server says of many statements, asked of it in batches."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.support.server import Address
from tests.support.wire_client import Message, WireClient, fields, rows

#: So many are on their way at once; questions and answers fit the sockets' buffers.
_BATCH = 100


@dataclass(frozen=True)
class Answer:
    """What a statement gives.

    Attributes:
        sqlstate: Of its error, or empty.
        message: Of its error.
        types: OID and modifier of each column.
        rows: As texts.
    """

    sqlstate: str = ""
    message: str = ""
    types: tuple[tuple[int, int], ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()

    def __str__(self) -> str:
        if self.sqlstate:
            return f"{self.sqlstate}: {self.message}"
        types = ", ".join(f"{oid}({modifier})" for oid, modifier in self.types)
        return f"{types} {[list(row) for row in self.rows]}"


def answers(address: Address, statements: Sequence[str], setup: Sequence[str] = ()) -> list[Answer]:
    """What becomes of statements in one session of UTC, in their order."""
    place = (address.host, address.port)
    with WireClient(place, user=address.user, database=address.database) as client:
        client.socket.settimeout(60)
        for statement in setup:
            assert "E" not in [kind for kind, _ in client.ask(statement)], statement
        return [
            answer
            for start in range(0, len(statements), _BATCH)
            for answer in _asked(client, statements[start : start + _BATCH])
        ]


def _asked(client: WireClient, statements: Sequence[str]) -> Iterator[Answer]:
    for statement in statements:
        client.send("Q", statement.encode() + b"\0")
    for _ in statements:
        yield _answer(client.until_ready())


def _answer(messages: Sequence[Message]) -> Answer:
    types: tuple[tuple[int, int], ...] = ()
    for kind, body in messages:
        if kind == "E":
            said = fields(body)
            return Answer(said["C"], said["M"])
        if kind == "T":
            types = tuple(_types(body))
    found = tuple(
        tuple(None if value is None else value.decode() for value in row) for row in rows(messages)
    )
    return Answer(types=types, rows=found)


def _types(body: bytes) -> Iterator[tuple[int, int]]:
    (count,) = struct.unpack_from("!h", body)
    at = 2
    for _ in range(count):
        end = body.index(b"\0", at)
        _, _, oid, _, modifier, _ = struct.unpack_from("!IhIhih", body, end + 1)
        yield oid, modifier
        at = end + 19
