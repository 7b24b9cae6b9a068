"""Random conversations: valid messages in any order, and what two servers must agree on of the answers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from tests.support.server import Address
from tests.support.transcript import Message, Value, write
from tests.support.transcript_messages import encode
from tests.support.transcript_player import CLOSED, Wire

PREPARATION: Final = (
    "DROP TABLE IF EXISTS f",
    "CREATE TABLE f (a int PRIMARY KEY, b text)",
    "INSERT INTO f VALUES (1, 'one'), (2, 'two'), (3, NULL)",
)
#: Ends a batch: no other simple query in it is empty, and it is answered in a failed block too.
_END: Final = Message("Query", (b"",))

_NAMES: Final = ("", "", "s", "t")
_PORTALS: Final = ("", "", "p", "q")
_PORTAL_NAMES: Final = ("p", "q")

_QUERIES: Final = (
    "SELECT 1 AS a",
    "SELECT a, b FROM f ORDER BY a",
    "SELECT g FROM generate_series(1, 5) AS g ORDER BY g",
    "SELECT 1 AS a WHERE false",
    "VALUES (1, 'x'), (2, 'y')",
    "SHOW extra_float_digits",
    "FETCH 2 FROM c",
    "FETCH ALL FROM h",
    "EXECUTE x",
)
_FAILURES: Final = (
    "SELEC",
    "SELECT * FROM nothing",
    "SELECT nothing FROM f",
    "SELECT 1 / (g - 1) FROM generate_series(1, 1) AS g",
    "INSERT INTO nothing VALUES (1)",
    "DEALLOCATE nothing",
    "CLOSE nothing",
)
_UTILITY: Final = (
    "SET extra_float_digits = 2",
    "RESET extra_float_digits",
    "SET application_name = 'one'",
    "SET application_name = 'two'",
    "DECLARE c CURSOR FOR SELECT g FROM generate_series(1, 5) AS g ORDER BY g",
    "DECLARE h CURSOR WITH HOLD FOR SELECT g FROM generate_series(1, 3) AS g ORDER BY g",
    "MOVE 1 FROM c",
    "CLOSE c",
    "CLOSE h",
    "PREPARE x AS SELECT 7 AS seven",
    "DEALLOCATE x",
    "COPY (SELECT g FROM generate_series(1, 3) AS g ORDER BY g) TO STDOUT",
)
_TRANSACTION: Final = (
    "BEGIN",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT one",
    "ROLLBACK TO one",
    "RELEASE one",
    "BEGIN READ ONLY",
)
_STRINGS: Final = (
    "SELECT 1 AS a; SELECT 2 AS b",
    "BEGIN; SELECT 1 AS a",
    "SELECT 1 AS a; COMMIT; SELECT 2 AS b",
    "SELECT 1 AS a; SELEC",
    "SELECT 1 AS a; SELECT * FROM nothing; SELECT 2",
    "ROLLBACK; BEGIN; SELECT 1 AS a",
    "DECLARE d CURSOR FOR SELECT 1 AS a; FETCH ALL FROM d; CLOSE d",
)
_WITH_PARAMETERS: Final = (
    "SELECT $1::int4 AS a",
    "SELECT a, b FROM f WHERE a >= $1 ORDER BY a",
    "SELECT $1 || 'x' AS a, $2::int8 AS b",
)


class Generator:
    """Makes batches of messages; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._key = 100

    def batch(self) -> list[Message]:
        """Return some messages, ``Sync`` behind them."""
        messages: list[Message] = []
        for _ in range(self._random.randint(1, 8)):
            messages += self._random.choices(self._makers, self._weights)[0](self)
        return [*messages, Message("Sync"), _END]

    def _query(self) -> list[Message]:
        return [Message("Query", (self._sql(with_strings=True).encode(),))]

    def _cycle(self) -> list[Message]:
        """A whole cycle, mostly of things that exist."""
        name, portal = self._random.choice(_NAMES), self._random.choice(_PORTALS)
        messages = [self._parse_of(name)]
        if self._random.random() < 0.3:
            messages.append(Message("DescribeStatement", (name.encode(),)))
        messages.append(self._bind_of(name, portal, str(messages[0].fields[0])))
        if self._random.random() < 0.3:
            messages.append(Message("DescribePortal", (portal.encode(),)))
        messages += [self._execute_of(portal) for _ in range(self._random.choice((1, 1, 2, 3)))]
        return messages

    def _parse(self) -> list[Message]:
        return [self._parse_of(self._random.choice(_NAMES))]

    def _bind(self) -> list[Message]:
        name, portal = self._random.choice(_NAMES), self._random.choice(_PORTALS)
        return [self._bind_of(name, portal, "$1" if self._random.random() < 0.2 else "")]

    # In a failed block a simple query may have left its portal, which has no name, in pieces: to
    # ask for it then has made PostgreSQL 15 crash.

    def _execute(self) -> list[Message]:
        return [self._execute_of(self._random.choice(_PORTAL_NAMES))]

    def _describe(self) -> list[Message]:
        if self._random.random() < 0.5:
            return [Message("DescribeStatement", (self._random.choice(_NAMES).encode(),))]
        return [Message("DescribePortal", (self._random.choice(_PORTAL_NAMES).encode(),))]

    def _close(self) -> list[Message]:
        kind = self._random.choice(("CloseStatement", "ClosePortal"))
        return [Message(kind, (self._random.choice(_NAMES + _PORTALS).encode(),))]

    def _sync(self) -> list[Message]:
        return [Message("Sync")]

    def _flush(self) -> list[Message]:
        return [Message("Flush")]

    def _copy_in(self) -> list[Message]:
        good, bad = f"{self._next_key()}\tcopied\n", "x\ty\n"
        data = self._random.choice((good, good, bad, ""))
        last = self._random.choice(
            (Message("CopyDone"), Message("CopyDone"), Message("CopyFail", (b"no",)))
        )
        # What comes behind bad data may be taken for part of the COPY or not, as time would have it.
        between = self._random.choice(([], [Message("Flush")], [Message("Sync")]))
        if data == bad:
            between = []
        return [
            Message("Query", (b"COPY f FROM STDIN",)),
            Message("CopyData", (data.encode(),)),
            *between,
            last,
        ]

    def _stray_copy(self) -> list[Message]:
        return [Message("CopyData", (b"x",)), Message("CopyDone")]

    _makers: Final[tuple[Callable[[Generator], list[Message]], ...]] = (
        _query, _cycle, _parse, _bind, _execute, _describe, _close, _sync, _flush, _copy_in,
        _stray_copy,
    )  # fmt: skip
    _weights: Final = (6, 10, 3, 3, 5, 2, 2, 3, 1, 1, 0.2)

    def _parse_of(self, name: str) -> Message:
        sql = self._sql(with_strings=False)
        return Message("Parse", (sql.encode(),), (("name", name.encode()),))

    def _bind_of(self, name: str, portal: str, sql: str) -> Message:
        count = 2 if "$2" in sql else 1 if "$1" in sql else 0
        if self._random.random() < 0.03:
            count += 1
        values: list[Value] = [self._random.choice((b"1", b"2", b"1", None)) for _ in range(count)]
        if values and self._random.random() < 0.05:
            values[0] = b"x"
        named: tuple[tuple[str, Value], ...] = (
            ("statement", name.encode()),
            ("portal", portal.encode()),
            ("values", values),
        )
        formats: list[Value] = [self._random.choice(("0", "1"))]
        return Message("Bind", (), (*named, *([("results", formats)] if formats else [])))

    def _execute_of(self, portal: str) -> Message:
        rows = self._random.choice(("0", "0", "0", "1", "2", "3", "-1"))
        return Message("Execute", (), (("portal", portal.encode()), ("rows_max", rows)))

    def _sql(self, *, with_strings: bool) -> str:
        kinds: list[tuple[float, Callable[[], str]]] = [
            (6, lambda: self._random.choice(_QUERIES)),
            (2, lambda: self._random.choice(_FAILURES)),
            (3, lambda: self._random.choice(_UTILITY)),
            (4, lambda: self._random.choice(_TRANSACTION)),
            (3, self._write),
            (2, lambda: self._random.choice(_STRINGS)) if with_strings else (0, str),
            (0, str) if with_strings else (3, lambda: self._random.choice(_WITH_PARAMETERS)),
            (0, str) if with_strings else (0.5, str),
        ]
        weights, makers = zip(*kinds, strict=True)
        made: str = self._random.choices(makers, weights)[0]()
        return made

    def _write(self) -> str:
        key = self._next_key()
        return self._random.choice(
            (
                f"INSERT INTO f VALUES ({key}, 'new')",
                f"INSERT INTO f VALUES ({key}, 'new') RETURNING a, b",
                f"INSERT INTO f SELECT g, 'many' FROM generate_series({key}, {key + 2}) AS g",
                "UPDATE f SET b = 'changed' WHERE a = 1",
                "UPDATE f SET b = 'changed' WHERE a = 1 RETURNING b",
                "DELETE FROM f WHERE a > 50",
                "DELETE FROM f WHERE a = 2 RETURNING a",
            )
        )

    def _next_key(self) -> int:
        self._key += 5
        return self._key


class Talk:
    """One server's side of a random conversation."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._wire = Wire(address)
        self._wire.start(Message("Startup"))
        for sql in PREPARATION:
            self._wire.send(encode(Message("Query", (sql.encode(),)), address, {}))
            self._wire.until("ReadyForQuery")

    def close(self) -> None:
        self._wire.close()

    def answers(self, batch: list[Message]) -> list[str]:
        """Send a batch; return what the answers come down to."""
        self._wire.send(b"".join(encode(message, self._address, {}) for message in batch))
        received: list[Message] = []
        while [m.kind for m in received[-3:]] != [
            "ReadyForQuery",
            "EmptyQueryResponse",
            "ReadyForQuery",
        ]:
            received.append(self._wire.receive())
            if received[-1] == CLOSED:
                break
        return [essence(message) for message in received]


def essence(message: Message) -> str:
    """Return what must be equal of a message."""
    if message.kind in ("ErrorResponse", "NoticeResponse"):
        return f"{message.kind} {write(message.fields[0])}"
    return str(message)
