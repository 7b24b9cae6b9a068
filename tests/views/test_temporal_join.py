"""Temporal joins: a row shows what the other side was when it came, as long as it is there.

What a view must show is worked out here in Python, row by row as they come.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from psycopg import errors

from tests.support.seeds import seeds
from tests.support.server import Address, Connection

SEEDS = 2
STEPS = 30

QUERY = "SELECT s.id, s.k, d.k, d.v FROM s {} JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON s.k = d.k"
VIEWS = {"inner_v": QUERY.format(""), "left_v": QUERY.format("LEFT")}
ABOVE = "SELECT v, count(*) FROM left_v GROUP BY v"


@dataclass
class Model:
    """Both sides, and what each row of the left one met when it came."""

    left: dict[int, int] = field(default_factory=dict)
    dim: dict[int, int] = field(default_factory=dict)
    met: dict[int, int | None] = field(default_factory=dict)

    def comes(self, row: int, key: int) -> None:
        self.left[row] = key
        self.met[row] = self.dim.get(key)

    def fills(self) -> dict[int, int | None]:
        return {row: self.dim.get(key) for row, key in self.left.items()}


def rows(connection: Connection, query: str) -> Counter[tuple[Any, ...]]:
    return Counter(connection.execute(query.encode()).fetchall())


def shown(model: Model, met: dict[int, int | None], *, is_left: bool) -> Counter[tuple[Any, ...]]:
    return Counter(
        (row, key, None if met[row] is None else key, met[row])
        for row, key in model.left.items()
        if is_left or met[row] is not None
    )


def change(model: Model, rng: random.Random) -> list[str]:
    """Return one transaction, and let the model follow it; the other side is written first."""
    statements: list[str] = []
    if rng.random() < 0.5:
        key = rng.randint(1, 4)
        if rng.random() < 0.3:
            model.dim.pop(key, None)
            statements.append(f"DELETE FROM d WHERE k = {key}")
        else:
            model.dim[key] = rng.randint(1, 9)
            statements.append(f"INSERT INTO d VALUES ({key}, {model.dim[key]})")
    if not statements or rng.random() < 0.6:
        draw = rng.random()
        if draw < 0.6 or not model.left:
            for _ in range(rng.randint(1, 3)):
                row, key = max(model.left, default=0) + 1, rng.randint(1, 5)
                model.comes(row, key)
                statements.append(f"INSERT INTO s VALUES ({row}, {key})")
        elif draw < 0.8:
            row = rng.choice(sorted(model.left))
            del model.left[row], model.met[row]
            statements.append(f"DELETE FROM s WHERE id = {row}")
        else:
            row, key = rng.choice(sorted(model.left)), rng.randint(1, 5)
            if key != model.left[row]:  # A row that is written as it was does not come again.
                model.comes(row, key)
            statements.append(f"UPDATE s SET k = {key} WHERE id = {row}")
    return statements


@pytest.mark.parametrize("seed", seeds(SEEDS, 100))
def test_a_row_shows_what_the_other_side_was_when_it_came(database: Address, seed: int) -> None:
    rng, model = random.Random(seed), Model()
    with database.connect() as connection:
        connection.execute("CREATE TABLE s (id int PRIMARY KEY, k int)")
        connection.execute("CREATE TABLE d (k int PRIMARY KEY, v int)")
        for _ in range(rng.choice((0, 10))):
            for statement in change(model, rng):
                connection.execute(statement.encode())
        model.met = model.fills()  # A view begins with both sides as they are.
        for name, query in VIEWS.items():
            connection.execute(
                f"CREATE MATERIALIZED VIEW {name} (id, k, found, v) AS {query}".encode()
            )
        connection.execute(f"CREATE MATERIALIZED VIEW above AS {ABOVE}".encode())
        for _ in range(STEPS):
            with connection.transaction():
                for statement in change(model, rng):
                    connection.execute(statement.encode())
            for name, is_left in (("inner_v", False), ("left_v", True)):
                expected = shown(model, model.met, is_left=is_left)
                assert rows(connection, f"SELECT * FROM {name}") == expected, (seed, name)
            counted = Counter(model.met.values())
            assert rows(connection, "SELECT * FROM above") == Counter(counted.items()), seed
            assert rows(connection, "CHECK MATERIALIZED VIEW above") == Counter()
        with pytest.raises(errors.FeatureNotSupported, match="cannot be checked"):
            connection.execute("CHECK MATERIALIZED VIEW left_v")
        connection.execute("DROP MATERIALIZED VIEW above, left_v")
        connection.execute(
            f"CREATE MATERIALIZED VIEW left_v AS {VIEWS['left_v'].replace('d.k,', 'd.k AS found,')}".encode()
        )
        expected = shown(model, model.fills(), is_left=True)
        assert rows(connection, "SELECT * FROM left_v") == expected, seed


def test_a_value_that_fails_for_one_row_leaves_what_is_shown(database: Address) -> None:
    """A view is filled anew in a form that fails no more; one with a history has it already."""
    with database.connect() as connection:
        connection.execute("CREATE TABLE s (id int PRIMARY KEY, k int)")
        connection.execute("CREATE TABLE d (k int PRIMARY KEY, v int)")
        connection.execute(
            "CREATE MATERIALIZED VIEW m AS SELECT s.id, 10 / (d.v - 5) AS q FROM s"
            " JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON s.k = d.k"
        )
        connection.execute("INSERT INTO d VALUES (1, 6)")
        connection.execute("INSERT INTO s VALUES (1, 1)")
        connection.execute("UPDATE d SET v = 5")
        connection.execute("INSERT INTO s VALUES (2, 1)")
        found = connection.execute("SELECT id, q FROM m ORDER BY id").fetchall()
        assert found == [(1, 10), (2, None)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 1 FROM s RIGHT JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON s.k = d.k", "dangling"),
        ("SELECT 1 FROM d FOR SYSTEM_TIME AS OF PROCTIME()", "dangling"),
        ("SELECT 1 FROM s JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON s.k = d.v", "key columns"),
        (
            (
                "WITH c AS (SELECT * FROM d) SELECT 1 FROM s"
                " JOIN c FOR SYSTEM_TIME AS OF PROCTIME() ON s.k = c.k"
            ),
            "should not be a CTE",
        ),
    ],
)
def test_what_cannot_be_looked_up_is_refused(database: Address, query: str, message: str) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE s (id int PRIMARY KEY, k int)")
        connection.execute("CREATE TABLE d (k int PRIMARY KEY, v int)")
        with pytest.raises(errors.FeatureNotSupported, match=message):
            connection.execute(
                f"CREATE MATERIALIZED VIEW m AS {query.replace('SELECT 1', 'SELECT 1 AS x')}".encode()
            )
        with pytest.raises(errors.FeatureNotSupported, match="batch queries"):
            connection.execute(VIEWS["inner_v"].encode())
