"""Random schedules over what is emitted on window close: pauses, pieces of catching up, restarts.

After every turn a view equals its restricted query at the epoch that it stands at, and what it has
emitted is there for good. A failing seed is replayed by
``pytest tests/sim/test_window_close.py -k 'seed-17'``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from barrier.command import ChangeCatalog, Pause, PauseView, Resume, ResumeView
from catalog import types
from catalog.change import CreateRelation
from catalog.oid import Oid
from catalog.relation import Column, JobStatus, MaterializedView, Table
from catalog.watermark import Watermark
from tests.support.seeds import seeds
from tests.support.simulation import Simulation

STEPS = 50
COLUMNS = (Column("a1", types.INT8, 1), Column("a2", types.INT8, 2))

#: The greatest time that a row of the table has had, less what rows may be late.
REACHED = (
    "(SELECT GREATEST(MAX({0}_row.c1 - 3), (SELECT floor FROM m{1})) AS c1 FROM r{1} AS {0}_row)"
    " AS {0}"
)


@pytest.fixture
def sim(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulation]:
    monkeypatch.setattr("barrier.catch_up.PIECE_ROWS_MAX", 4)
    seed, fault_rate = request.param
    simulation = Simulation(seed, fault_rate)
    yield simulation
    simulation.end()


def build(sim: Simulation) -> tuple[Table, list[MaterializedView]]:
    rate, sim.faults.rate = sim.faults.rate, 0.0
    oid = Oid(next(sim._oids))
    watermark = Watermark(1, "this_row.c1 - 3", "a1 - 3", columns=(1,))
    like = sim.create_table(has_key=False)
    table = replace(like, oid=oid, name="events", is_append_only=True, watermark=watermark)
    assert sim.ask(ChangeCatalog((CreateRelation(table),))) is None
    views: list[MaterializedView] = []

    def add(query: str, *reads: Table | MaterializedView) -> MaterializedView:
        view = replace(sim.view(query, *reads), columns=COLUMNS)
        assert sim.create_view(view) is None
        views.append(view)
        return view

    def closed(query: str, bound: str = "{}.c1") -> str:
        name = f"watermark{len(views)}"
        reached = REACHED.format(name, oid)
        return (
            f"SELECT q.c1 AS c1, q.c2 AS c2 FROM ({query}) AS q CROSS JOIN {reached}"
            f" WHERE q.c1 < {bound.format(name)}"
        )

    groups = closed(
        f"SELECT t.c1 // 4 AS c1, count(*) AS c2 FROM r{oid} AS t GROUP BY t.c1 // 4", "{}.c1 // 4"
    )
    grouped = add(groups, table)
    add(closed(f"SELECT t.c1 AS c1, t.c2 AS c2 FROM r{oid} AS t"), table)
    above = f"SELECT t.c1 // 2 AS c1, sum(t.c2) AS c2 FROM r{grouped.oid} AS t GROUP BY t.c1 // 2"
    add(closed(above, "{}.c1 // 4 // 2"), grouped, table)
    sim.faults.rate = rate
    return table, views


def held(sim: Simulation, view: MaterializedView) -> MaterializedView:
    found = sim.worker.catalog.relations[view.oid]
    assert isinstance(found, MaterializedView)
    return found


def check(
    sim: Simulation, views: list[MaterializedView], shown: dict[Oid, Counter[tuple[Any, ...]]]
) -> None:
    for view in views:
        found = held(sim, view)
        if found.status is not JobStatus.CREATED:
            continue
        query = sim.worker.pin_comparison(sim.reader, found, frozenset())
        try:
            assert sim.reader.rows(query) == [], (sim.seed, found)
        finally:
            sim.reader.rollback()
        now = Counter(sim.rows(view))
        assert shown.get(view.oid, Counter()) <= now, (sim.seed, "what was emitted has changed")
        shown[view.oid] = now


@pytest.mark.parametrize(
    "sim", seeds(2, 100, lambda seed: (seed, 0.0 if seed % 2 else 0.01)), indirect=True
)
def test_what_is_closed_is_shown_for_good(sim: Simulation) -> None:
    table, views = build(sim)
    rng, time, is_paused = sim.rng, 10, False
    shown: dict[Oid, Counter[tuple[Any, ...]]] = {}
    for _ in range(STEPS):
        match rng.randrange(12):
            case 0 | 1:
                sim.ask(PauseView(rng.choice(views).oid, "root"))
            case 2 | 3 | 4:
                sim.worker.submit(ResumeView(rng.choice(views).oid, "root"))
            case 5:
                sim.turn()
                sim.restart()
            case 6 if rng.random() < 0.3:
                sim.ask(Resume("root") if is_paused else Pause("root"))
                is_paused = sim.worker.pause is not None
            case _:
                time += rng.choice((0, 1, 3))
                rows = [(time - rng.randrange(8), rng.randrange(3)) for _ in range(3)]
                sim.insert(table, *rows)
        # One turn at a time, so that pieces of catching up come between the others.
        sim.worker.turn(is_tick=False)
        check(sim, views, shown)
    sim.faults.rate = 0.0
    sim.ask(Resume("root"))
    for view in views:
        sim.ask(ResumeView(view.oid, "root"))
    # However little went on before, something closes.
    sim.insert(table, *((time + ahead, group) for ahead in (20, 40, 60) for group in range(3)))
    for _ in range(4):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    check(sim, views, shown)
    for view in views:
        if held(sim, view).status is JobStatus.CREATED:
            assert sim.rows(view) == sim.recomputed(view), sim.seed
    assert sim.fault_rate or all(shown[view.oid] for view in views)
