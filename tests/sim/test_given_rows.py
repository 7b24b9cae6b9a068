"""Rows that are handed over as values are stored as rows from staging tables are."""

from __future__ import annotations

import random

import pytest

from barrier.writes import ORDINAL
from tests.support.simulation import Simulation, given_rows, outcome


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("is_read", [False, True])
def test_of_one_key_the_last_row_stays(seed: int, *, is_read: bool) -> None:
    sim = Simulation(seed=seed)
    table = sim.create_table()
    view = sim.view(
        f"SELECT t.c2 AS c1, count(*) AS c2 FROM r{table.oid} AS t GROUP BY t.c2", table
    )
    if is_read:
        assert sim.create_view(view) is None
    chance, rows = random.Random(seed), dict[int, int]()
    for _ in range(40):
        tickets = []
        for _ in range(chance.randint(1, 3)):  # Together in one epoch.
            new = [
                (chance.randint(1, 1000 if seed % 2 else 30), chance.randint(1, 5))
                for _ in range(chance.choice([1, 1, 3, 20]))
            ]
            write = sim.give if chance.random() < 0.7 else sim.insert
            tickets.append(write(table, *new))
            rows |= dict(new)
        sim.turn()
        assert [outcome(ticket, sim.clock) for ticket in tickets] == [None] * len(tickets)
        assert sim.rows(table) == sorted(rows.items(), key=repr)
        if is_read:
            assert sim.rows(view) == sim.recomputed(view)


def test_rows_without_key_are_all_kept_in_their_order() -> None:
    sim = Simulation(seed=1)
    table = sim.create_table(has_key=False)
    for number in range(5):
        sim.give(table, (number, 1), (number, 2))
        sim.insert(table, (number, 3))
    sim.turn()
    expected = [(number, place) for number in range(5) for place in (1, 2, 3)]
    found = sim.reader.rows(f"SELECT c1, c2 FROM r{table.oid} ORDER BY _row_id")
    assert found == expected
    ((count,),) = sim.reader.rows(f"SELECT count(DISTINCT _row_id) FROM r{table.oid}")
    assert count == len(expected)


@pytest.mark.parametrize(
    "row", [(1, "it's"), (-5, None), (None, ""), (7, "a,b]\n'; DROP TABLE x; --")]
)
def test_values_spelled_out_are_the_same(row: tuple[object, ...]) -> None:
    sim = Simulation(seed=1)
    table = sim.create_table()
    given = given_rows(table, [(1, 2)])
    given = type(given)(("c1", "c2"), ("INTEGER", "VARCHAR"), ((row[0],), (row[1],)))  # type: ignore[arg-type]
    ((*spelled, place),) = sim.reader.rows(f"FROM {given.item(ORDINAL)}")
    ((*plain,),) = sim.reader.rows(given.query(), given.parameters())
    assert tuple(spelled) == tuple(plain) == row
    assert place == 1
