"""Random histories of tables that keep rows for some time: what is too old goes, and only that.

A failing seed is replayed by ``pytest tests/sim/test_retention.py -k 'seed-17'``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from barrier.command import ChangeCatalog, Pause, Resume
from catalog.change import CreateRelation
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView, Table
from tests.support.seeds import seeds
from tests.support.simulation import Simulation, outcome

STEPS = 60
KEPT_S = 5


@pytest.fixture
def sim(request: pytest.FixtureRequest) -> Iterator[Simulation]:
    seed, fault_rate = request.param
    simulation = Simulation(seed, fault_rate)
    yield simulation
    simulation.end()


def table_of(sim: Simulation, *, has_key: bool) -> Table:
    like = sim.create_table(has_key=has_key)
    oid = Oid(next(sim._oids))
    made = replace(like, oid=oid, name=f"kept{oid}", retention_s=KEPT_S)
    rate, sim.faults.rate = sim.faults.rate, 0.0
    assert sim.ask(ChangeCatalog((CreateRelation(made),))) is None
    sim.faults.rate = rate
    return made


def view_of(sim: Simulation, table: Table) -> MaterializedView:
    view = sim.view(
        f"SELECT t.c2 AS c1, count(*) AS c2, max(t.c1) AS c3 FROM r{table.oid} AS t GROUP BY t.c2",
        table,
    )
    rate, sim.faults.rate = sim.faults.rate, 0.0
    assert sim.create_view(view) is None
    sim.faults.rate = rate
    return view


@pytest.mark.parametrize(
    "sim", seeds(2, 60, lambda seed: (seed, 0.0 if seed % 2 else 0.01)), indirect=True
)
def test_a_row_goes_when_its_time_has_passed(sim: Simulation) -> None:
    rng = sim.rng
    has_key = bool(rng.getrandbits(1))
    table = table_of(sim, has_key=has_key)
    view = view_of(sim, table)
    there: list[tuple[int, int, int]] = []  # Two columns, and when it was written.
    is_paused = False

    def expire() -> None:
        if not is_paused:
            there[:] = [r for r in there if r[2] + KEPT_S * 1000 > sim.clock.now_ms()]

    for _ in range(STEPS):
        match rng.randrange(8):
            case 0 | 1 | 2 if not is_paused:
                row = (rng.randrange(6), rng.randrange(3))
                ticket = sim.insert(table, row)
                sim.turn()
                if ticket.is_done and outcome(ticket, sim.clock) is None:
                    expire()
                    # A row that is written as it was keeps its time.
                    if not has_key or row not in [r[:2] for r in there]:
                        there[:] = [r for r in there if not has_key or r[0] != row[0]]
                        there.append((*row, sim.clock.now_ms()))
            case 3 if not is_paused and rng.random() < 0.5:
                key = rng.randrange(6)
                ticket = sim.delete(table, f"c1 = {key}")
                sim.turn()
                if ticket.is_done and outcome(ticket, sim.clock) is None:
                    expire()
                    there[:] = [r for r in there if r[0] != key]
            case 4:
                sim.restart()
            case 5 if rng.random() < 0.3:
                rate, sim.faults.rate = sim.faults.rate, 0.0
                assert sim.ask(Resume("root") if is_paused else Pause("root")) is None
                is_paused = not is_paused
                sim.faults.rate = rate
            case _:
                sim.clock.pass_time(rng.choice((200, 1000, 3000)))
        rate, sim.faults.rate = sim.faults.rate, 0.0
        sim.clock.pass_time(1)
        sim.turn(is_tick=True)
        sim.faults.rate = rate
        expire()
        expected = Counter((a, b) for a, b, _ in there)
        assert Counter(sim.rows(table)) == expected, sim.seed
        held = sim.worker.catalog.relations[view.oid]
        assert isinstance(held, MaterializedView), held
        if held.status is JobStatus.CREATED:
            assert sim.rows(view) == sim.recomputed(view), sim.seed
    ages = sim.reader.rows(f"SELECT count(*) FROM a{table.oid}")
    assert ages == [(len(there),)], "what is gone is not remembered"
