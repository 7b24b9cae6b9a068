"""Random histories over tables that are bound to each other by unique and foreign keys."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

_ACTIONS = ("NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT")
_NUMBERS: tuple[str, ...] = ("NULL", *"1234567")
_DEFERRALS = ("", "", " DEFERRABLE", " DEFERRABLE INITIALLY DEFERRED")

#: What is asked after each statement outside of a block.
CONTENTS = tuple(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4" for table in "pcs")


@dataclass
class History:
    """Statements of one seed: tables ``p``, ``c`` that refers to it, ``s`` that refers to itself.

    Single rows get other keys, since PostgreSQL looks at unique keys row by row.
    """

    seed: int

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def _rules(self) -> str:
        delete, update = self._random.choice(_ACTIONS), self._random.choice(_ACTIONS)
        return f" ON DELETE {delete} ON UPDATE {update}{self._deferral()}"

    def _deferral(self) -> str:
        return self._random.choice(_DEFERRALS)

    def definitions(self) -> list[str]:
        """CREATE TABLE and what stands on the tables."""
        chance = self._random
        full = chance.choice(("", " MATCH FULL"))
        nulls = chance.choice(("", " NULLS NOT DISTINCT"))
        other = (
            f"CREATE TABLE c (id int PRIMARY KEY, p int DEFAULT 1 REFERENCES p{self._rules()},"
            f" u int, v int, UNIQUE{nulls} (p, u){self._deferral()},"
            f" FOREIGN KEY (u, v) REFERENCES p (x, y){full}{self._rules()})"
        )
        itself = (
            f"CREATE TABLE s (id int PRIMARY KEY, up int DEFAULT 2 REFERENCES s{self._rules()},"
            f" k int, pa int REFERENCES p (a){self._rules()})"
        )
        return [
            "CREATE TABLE p (id int PRIMARY KEY, a int UNIQUE, x int, y int, UNIQUE (x, y))",
            other,
            itself,
            "CREATE UNIQUE INDEX ON s ((k % 5)) WHERE k > 2",
        ]

    def statements(self, count: int) -> Iterator[str]:
        """DML, some of it in blocks; every block is ended."""
        in_block = False
        for _ in range(count):
            roll = self._random.random()
            if not in_block and roll < 0.12:
                in_block = True
                yield "BEGIN"
            elif in_block and roll < 0.25:
                in_block = False
                yield self._random.choice(("COMMIT", "COMMIT", "COMMIT", "ROLLBACK"))
            elif in_block and roll < 0.32:
                yield f"SET CONSTRAINTS ALL {self._random.choice(('IMMEDIATE', 'DEFERRED'))}"
            else:
                yield self._write()
        if in_block:
            yield "COMMIT"

    def _number(self) -> str:
        return self._random.choice(_NUMBERS)

    def _id(self) -> int:
        return self._random.randint(1, 7)

    def _write(self) -> str:
        chance = self._random
        table = chance.choice("ppccss")
        columns = {"p": ("a", "x", "y"), "c": ("p", "u", "v"), "s": ("up", "k", "pa")}[table]
        key = self._id()
        match chance.choice(
            ("insert", "insert", "insert", "update", "update", "delete", "conflict")
        ):
            case "insert":
                values = ", ".join(self._number() for _ in columns)
                return f"INSERT INTO {table} VALUES ({key}, {values})"
            case "update":
                column = chance.choice(("id", *columns))
                value = self._id() if column == "id" else self._number()
                return f"UPDATE {table} SET {column} = {value} WHERE id = {key}"
            case "delete":
                return f"DELETE FROM {table} WHERE id {chance.choice(('=', '=', '>'))} {key}"
            case _:
                values = ", ".join(self._number() for _ in columns)
                what = chance.choice(
                    (
                        "DO NOTHING",
                        f"(id) DO UPDATE SET {columns[1]} = excluded.{columns[1]}",
                        "(a) DO UPDATE SET y = excluded.y" if table == "p" else "(id) DO NOTHING",
                    )
                )
                return f"INSERT INTO {table} VALUES ({key}, {values}) ON CONFLICT {what}"
