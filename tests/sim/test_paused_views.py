"""Random schedules of writes and of pauses of single views: each equals its query at its epoch.

A failing seed is replayed by ``pytest tests/sim/test_paused_views.py -k 'seed-17'``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from barrier.command import Pause, PauseView, Resume, ResumeView, Step
from catalog import types
from catalog.relation import Column, JobStatus, MaterializedView, Table
from tests.support.seeds import seeds
from tests.support.simulation import Simulation, outcome

SEEDS = 12
STEPS = 40
COLUMNS = (Column("a1", types.INT8, 1), Column("a2", types.INT8, 2))


@pytest.fixture
def sim(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulation]:
    monkeypatch.setattr("barrier.catch_up.PIECE_ROWS_MAX", 4)
    seed, fault_rate = getattr(request, "param", (1, 0.0))
    simulation = Simulation(seed, fault_rate)
    yield simulation
    simulation.end()


def held(sim: Simulation, view: MaterializedView) -> MaterializedView:
    found = sim.worker.catalog.relations[view.oid]
    assert isinstance(found, MaterializedView)
    return found


def check(sim: Simulation, views: list[MaterializedView]) -> None:
    for view in views:
        found = held(sim, view)
        if found.status is not JobStatus.CREATED:
            continue
        query = sim.worker.pin_comparison(sim.reader, found, frozenset())
        try:
            assert sim.reader.rows(query) == [], (sim.seed, found)
        finally:
            sim.reader.rollback()


def build(sim: Simulation) -> tuple[list[Table], list[MaterializedView]]:
    a, b = tables = [sim.create_table(), sim.create_table()]
    rate, sim.faults.rate = sim.faults.rate, 0.0
    views: list[MaterializedView] = []

    def add(query: str, *reads: Table | MaterializedView, **options: object) -> MaterializedView:
        view = replace(sim.view(query, *reads, **options), columns=COLUMNS)
        assert sim.create_view(view) is None
        views.append(view)
        return view

    total = add(f"SELECT t.c2 AS c1, count(*) AS c2 FROM r{a.oid} AS t GROUP BY t.c2", a)
    join = f"r{a.oid} AS t JOIN r{b.oid} AS u ON t.c2 = u.c2"
    pairs = add(f"SELECT t.c1 AS c1, u.c1 AS c2 FROM {join}", a, b)
    add(f"SELECT t.c1 AS c1, max(t.c2) AS c2 FROM r{pairs.oid} AS t GROUP BY t.c1", pairs)
    both = f"r{total.oid} AS t JOIN r{b.oid} AS u ON t.c1 = u.c2"
    above = add(f"SELECT u.c1 AS c1, t.c2 AS c2 FROM {both}", total, b)
    left = f"r{above.oid} AS t LEFT JOIN r{pairs.oid} AS u ON t.c1 = u.c2"
    add(f"SELECT t.c1 AS c1, u.c1 AS c2 FROM {left}", above, pairs)
    add(
        f"SELECT t.c1 AS c1, count(*) AS c2 FROM r{total.oid} AS t GROUP BY t.c1",
        total,
        refresh_interval_s=2,
    )
    sim.faults.rate = rate
    return tables, views


def write(sim: Simulation, table: Table, rng: random.Random) -> None:
    if rng.random() < 0.7:
        rows = [(rng.randrange(8), rng.randrange(4)) for _ in range(rng.randint(1, 3))]
        sim.insert(table, *rows)
    else:
        sim.delete(table, f"c1 = {rng.randrange(8)}")


@pytest.mark.parametrize(
    "sim",
    seeds(4, SEEDS, lambda seed: (seed, 0.0 if seed % 2 else 0.01)),
    indirect=True,
)
def test_a_view_equals_its_query_at_the_epoch_that_it_stands_at(sim: Simulation) -> None:
    tables, views = build(sim)
    rng = sim.rng
    for _ in range(STEPS):
        before = {v.oid: sim.rows(v) for v in views if sim.worker.held_by(v.oid) is not None}
        match rng.randrange(12):
            case 0 | 1:
                sim.ask(PauseView(rng.choice(views).oid, "root"))
                before = {}
            case 2 | 3 | 4:
                sim.worker.submit(ResumeView(rng.choice(views).oid, "root"))
                sim.worker.turn(is_tick=False)
                before = {}
            case 5:
                sim.clock.pass_time(1000)
                sim.turn(is_tick=True)
            case 6:
                sim.turn()
                sim.restart()
                before = {}
            case _:
                write(sim, rng.choice(tables), rng)
        # One turn at a time, so that pieces of catching up come between the others.
        sim.worker.turn(is_tick=False)
        check(sim, views)
        for view in views:
            if view.oid in before:
                assert sim.rows(view) == before[view.oid], "what is paused stands still"
    sim.faults.rate = 0.0
    for view in views:
        assert sim.ask(ResumeView(view.oid, "root")) is None
    for _ in range(4):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    check(sim, views)
    for view in views:
        if held(sim, view).status is JobStatus.CREATED:
            assert not held(sim, view).is_standing
            assert sim.rows(view) == sim.recomputed(view)


def test_a_long_backlog_is_caught_up_with_in_pieces_between_writes_of_others(
    sim: Simulation,
) -> None:
    (a, b), views = build(sim)
    assert sim.ask(PauseView(views[1].oid, "root")) is None
    for key in range(20):
        sim.insert(a, (key, key % 4))
        sim.turn()
    sim.insert(b, (1, 1))
    sim.turn()
    assert sim.ask(Pause("root")) is None
    assert sim.ask(ResumeView(views[1].oid, "root")) is None
    assert sim.worker.backlog().views[0].held_by is None
    assert sim.ask(Resume("root")) is None
    assert not held(sim, views[1]).is_standing
    check(sim, views)
    # And the logs are gone with their last reader, but for those of the batch refresh.
    logs = "SELECT count(*) FROM duckdb_tables() WHERE table_name IN (?, ?)"
    assert sim.reader.rows(logs, (f"l{a.oid}", f"l{b.oid}")) == [(0,)]


def test_pieces_of_catching_up_alternate_with_what_others_write(sim: Simulation) -> None:
    (a, _), views = build(sim)
    assert sim.ask(PauseView(views[1].oid, "root")) is None
    for key in range(20):
        sim.insert(a, (key, key % 4))
        sim.turn()
    sim.worker.submit(ResumeView(views[1].oid, "root"))
    sim.worker.turn(is_tick=False)
    served = []
    for key in range(4):
        ticket = sim.insert(a, (100 + key, 1))
        sim.worker.turn(is_tick=False)
        sim.worker.turn(is_tick=False)
        served.append(ticket.is_done)
        check(sim, views)
    assert served == [True] * 4
    sim.turn()
    assert sim.rows(views[1]) == sim.recomputed(views[1])


def test_a_step_moves_exactly_so_many_epochs_of_a_paused_database(sim: Simulation) -> None:
    table = sim.create_table()
    view = sim.view(f"SELECT count(*) AS c1 FROM r{table.oid} AS t", table)
    assert sim.create_view(view) is None
    error = sim.ask(Step("root", 1))
    assert error is not None
    assert error.sqlstate == "55000"
    assert sim.ask(Pause("root")) is None
    first = sim.insert(table, (1, 1))
    second = sim.insert(table, (2, 1))
    sim.turn()
    assert not first.is_done
    before = sim.worker.committed_epoch
    epochs = []
    ticket = sim.worker.submit(Step("root", 3))
    while sim.worker.turn(is_tick=False):
        epochs.append(sim.worker.committed_epoch)
    assert outcome(ticket, sim.clock) is None
    assert first.is_done
    assert second.is_done
    assert len({before, *epochs}) == 4
    assert sim.rows(view) == [(2,)]
    third = sim.insert(table, (3, 1))
    sim.turn(is_tick=True)
    assert not third.is_done, "it stands still again"


def test_a_step_that_fails_says_so_and_loses_no_acknowledged_write(sim: Simulation) -> None:
    table = sim.create_table()
    assert sim.ask(Pause("root")) is None
    write_set = sim.inserted(table, (1, 1))
    sim.worker.write(write_set, is_queued=True)
    sim.faults.rate = 1.0
    error = sim.ask(Step("root", 2))
    assert error is not None
    assert error.sqlstate == "53100"
    sim.faults.rate = 0.0
    sim.turn(is_tick=True)
    assert sim.rows(table) == []
    assert sim.ask(Step("root", 1)) is None
    assert sim.rows(table) == [(1, 1)]


def test_a_pause_for_a_time_ends_by_itself_also_over_a_restart(sim: Simulation) -> None:
    table = sim.create_table()
    assert sim.ask(Pause("root", for_ms=5000)) is None
    ticket = sim.insert(table, (1, 1))
    sim.clock.pass_time(4000)
    sim.turn(is_tick=True)
    assert not ticket.is_done
    sim.clock.pass_time(2000)
    sim.turn()
    assert ticket.is_done
    assert sim.worker.own_pause is None
    assert sim.ask(Pause("root", for_ms=5000)) is None
    sim.clock.pass_time(60_000)
    sim.restart()
    sim.turn()
    assert sim.worker.own_pause is None


def test_a_view_that_fails_while_it_catches_up_takes_what_reads_it_with_it(
    sim: Simulation,
) -> None:
    table = sim.create_table()
    query = f"SELECT t.c1 AS c1, CASE WHEN t.c2 = 0 THEN error('22012:zero') ELSE 1 END AS c2 FROM r{table.oid} AS t"
    view = replace(sim.view(query, table), columns=COLUMNS)
    assert sim.create_view(view) is None
    above = sim.view(f"SELECT t.c2 AS c1, count(*) AS c2 FROM r{view.oid} AS t GROUP BY t.c2", view)
    assert sim.create_view(replace(above, columns=COLUMNS)) is None
    assert sim.ask(PauseView(view.oid, "root")) is None
    sim.insert(table, (1, 1), (2, 0))
    sim.turn()
    assert sim.ask(ResumeView(view.oid, "root")) is None
    sim.turn(is_tick=True)
    assert [held(sim, v).status for v in (view, above)] == [JobStatus.FAILED] * 2
    assert sim.ask(Pause("root")) is None, "the database goes on"
