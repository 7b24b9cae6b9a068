"""Clients that write, and remember what was acknowledged."""

from __future__ import annotations

import time
from typing import Final

from bench.soak.client import Client, Soak
from tests.support.server import Connection

WRITERS: Final = 3
QUEUERS: Final = 2


class Writer(Client):
    """Inserts, updates and deletes rows of its own, and remembers what was acknowledged."""

    def __init__(self, soak: Soak, number: int) -> None:
        super().__init__(soak, f"writer {number}")
        self.number = number
        self.acknowledged: dict[int, int] = {}
        self.unsure: dict[int, int] = {}
        self.doubtful: set[int] = set()
        self.next = 1

    def act(self, connection: Connection) -> None:
        if self.chance.random() < 0.25 and self.acknowledged:
            self._change(connection)
        else:
            self._insert(connection)
        time.sleep(self.chance.uniform(0, 0.02))

    def _insert(self, connection: Connection) -> None:
        count = self.chance.choice([1, 1, 1, 5, 50])
        rows = {self.next + i: self.chance.randrange(100) for i in range(count)}
        self.next += count
        self.unsure |= rows
        if self.chance.random() < 0.2:
            with connection.cursor().copy("COPY entry FROM STDIN") as copy:
                for number, amount in rows.items():
                    copy.write_row((self.number, number, amount))
        elif self.chance.random() < 0.2:
            with connection.transaction():
                for number, amount in rows.items():
                    self._insert_one(connection, number, amount)
        else:
            values = ", ".join(f"({self.number}, {n}, {a})" for n, a in rows.items())
            connection.execute(f"INSERT INTO entry VALUES {values}".encode())
        self.acknowledged |= rows
        self.unsure.clear()
        self.soak.note("rows written")

    def _insert_one(self, connection: Connection, number: int, amount: int) -> None:
        connection.execute("INSERT INTO entry VALUES (%s, %s, %s)", (self.number, number, amount))

    def _change(self, connection: Connection) -> None:
        number = self.chance.choice(list(self.acknowledged)[-500:])
        self.doubtful.add(number)
        mine = f"WHERE writer = {self.number} AND number = {number}"
        if self.chance.random() < 0.5:
            connection.execute(f"DELETE FROM entry {mine}".encode())
            del self.acknowledged[number]
        else:
            connection.execute(f"UPDATE entry SET amount = 77 {mine}".encode())
            self.acknowledged[number] = 77
        self.doubtful.discard(number)
        self.soak.note("rows changed")

    def check(self, connection: Connection) -> None:
        """Of what was not answered, each statement may have happened whole or not at all."""
        mine = f"SELECT number, amount FROM entry WHERE writer = {self.number}"
        stored: dict[int, int] = dict(connection.execute(mine.encode()).fetchall())
        for number in self.doubtful:
            self.acknowledged.pop(number, None)
            if number in stored:
                self.acknowledged[number] = stored[number]
        came_through = dict(self.unsure.items() & stored.items())
        if came_through and came_through != self.unsure:
            self.soak.problem(f"{self.name}: half of a statement was applied")
        self.acknowledged |= came_through
        if stored != self.acknowledged:
            lost = self.acknowledged.items() - stored.items()
            extra = stored.items() - self.acknowledged.items()
            self.soak.problem(f"{self.name}: lost {sorted(lost)[:5]}, not ours {sorted(extra)[:5]}")
            self.acknowledged = dict(stored)
        self.unsure.clear()
        self.doubtful.clear()


class Queuer(Client):
    """Inserts into a table without a key what is acknowledged before it is applied."""

    def __init__(self, soak: Soak, number: int) -> None:
        super().__init__(soak, f"queuer {number}")
        self.number = number
        self.acknowledged: set[int] = set()
        self.tried: set[int] = set()

    def prepare(self, connection: Connection) -> None:
        super().prepare(connection)
        connection.execute("SET implicit_flush = off")
        connection.execute("SET paused_dml = 'queue'")

    def act(self, connection: Connection) -> None:
        value = len(self.tried) * QUEUERS + self.number
        self.tried.add(value)
        connection.execute(f"INSERT INTO queued VALUES ({value})".encode())
        self.acknowledged.add(value)
        self.soak.note("rows queued")
        time.sleep(self.chance.uniform(0, 0.05))

    def check(self, connection: Connection) -> None:
        mine = f"SELECT a FROM queued WHERE a % {QUEUERS} = {self.number}"
        held = [value for (value,) in connection.execute(mine.encode()).fetchall()]
        stored = set(held)
        if len(held) != len(stored):
            self.soak.problem(f"{self.name}: a queued row was applied twice")
        if not self.acknowledged <= stored <= self.tried:
            self.soak.problem(f"{self.name}: lost {sorted(self.acknowledged - stored)[:5]}")
