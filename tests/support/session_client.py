"""What a connection does with a session, for tests: text results and command tags."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from catalog.errors import Notice, PgError
from server.session import Session


class Client:
    """Runs statements and decodes DataRow messages."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.notices: list[Notice] = []
        self.tags: list[str] = []
        session.notices = self.notices.append

    def run(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[str | None, ...]]:
        """Run a string of statements as a simple Query; return the last one's rows."""
        sources = self.session.split(sql)
        self.tags = []
        rows: list[tuple[str | None, ...]] = []
        try:
            if len(sources) > 1:
                self.session.begin_implicit()
            for source in sources:
                prepared = self.session.prepare(source.text if parameters else source)
                result = self.session.execute(prepared, parameters)
                try:
                    rows = []
                    if result.columns is not None:
                        for batch in result.batches((0,) * len(result.columns)):
                            rows += decode(bytes(batch.data(0, batch.rows)))
                    self.tags.append(result.tag(len(rows)))
                finally:
                    result.close()
            self.session.end_implicit()
        except PgError:
            self.session.fail()
            raise
        return rows

    @property
    def status(self) -> str:
        return self.session.transaction_status.decode()


def decode(data: bytes) -> list[tuple[str | None, ...]]:
    """Return the values of DataRow messages in text format."""
    rows = []
    at = 0
    while at < len(data):
        kind, length, count = struct.unpack_from("!ciH", data, at)
        assert kind == b"D"
        place = at + 7
        values: list[str | None] = []
        for _ in range(count):
            (size,) = struct.unpack_from("!i", data, place)
            place += 4
            values.append(None if size < 0 else data[place : place + size].decode())
            place += max(size, 0)
        rows.append(tuple(values))
        at += 1 + length
    return rows
