"""A view that is filled beside the barriers equals its query from its first epoch on."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from barrier.backfills import Task
from barrier.command import (
    CancelJobs,
    ChangeCatalog,
    CreateStreamingJob,
    Flush,
    Pause,
    PauseView,
    Resume,
    ResumeView,
)
from catalog.change import DropRelations
from catalog.relation import JobStatus, MaterializedView, Table
from tests.support.seeds import seeds
from tests.support.simulation import Simulation, outcome

SEEDS = seeds(5, 24)

#: Queries over two tables of (key, value).
QUERIES = (
    "SELECT a.c1 AS c1, a.c2 AS c2 FROM r{0} AS a WHERE a.c2 > 2",
    "SELECT a.c2 AS c1, count(*) AS c2, sum(a.c1)::BIGINT AS c3 FROM r{0} AS a GROUP BY a.c2",
    "SELECT count(*) AS c1, max(a.c1) AS c2 FROM r{0} AS a",
    "SELECT a.c1 AS c1, b.c1 AS c2 FROM r{0} AS a JOIN r{1} AS b ON a.c2 = b.c2",
    "SELECT a.c1 AS c1, b.c1 AS c2 FROM r{0} AS a LEFT JOIN r{1} AS b ON a.c2 = b.c2",
    "SELECT DISTINCT a.c2 AS c1 FROM r{0} AS a",
    "SELECT a.c2 AS c1 FROM r{0} AS a UNION ALL SELECT b.c1 AS c1 FROM r{1} AS b",
    "SELECT a.c1 AS c1, row_number() OVER (PARTITION BY a.c2 ORDER BY a.c1) AS c2 FROM r{0} AS a",
    "SELECT a.c2 AS c1, min(b.c1) AS c2 FROM r{0} AS a, r{0} AS b WHERE a.c2 = b.c2 GROUP BY a.c2",
    "SELECT a.c1 AS c1 FROM r{0} AS a WHERE a.c2 NOT IN (SELECT b.c2 FROM r{1} AS b)",
)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work on what a test has time for as if it were much."""
    monkeypatch.setattr("barrier.executor._ROWS_IN_BARRIER", -1)
    monkeypatch.setattr("barrier.backfill.PIECE_ROWS", 7)
    monkeypatch.setattr("barrier.backfill.MERGE_ROWS", 2)


@pytest.fixture
def sim() -> Iterator[Simulation]:
    simulation = Simulation(seed=3)
    yield simulation
    simulation.end()


def change(sim: Simulation, table: Table) -> None:
    """Insert, overwrite or delete some rows."""
    if sim.rng.random() < 0.3:
        sim.delete(table, f"c1 % 5 = {sim.rng.randrange(5)}")
    else:
        count = sim.rng.randint(1, 6)
        keys = sim.rng.sample(range(40), count)
        sim.insert(table, *((key, sim.rng.randrange(6)) for key in keys))
    sim.turn()


def filled(sim: Simulation) -> Table:
    table = sim.create_table()
    sim.insert(table, *((key, sim.rng.randrange(6)) for key in range(30)))
    sim.turn()
    return table


def status(sim: Simulation, view: MaterializedView) -> JobStatus | None:
    held = sim.worker.catalog.relations.get(view.oid)
    return held.status if isinstance(held, MaterializedView) else None


def begun(sim: Simulation, view: MaterializedView) -> Task:
    """Create a view and return its backfill, which has done nothing yet."""
    assert sim.create_view(view) is None
    return sim.backfills[-1]


def tables(sim: Simulation, pattern: str) -> list[object]:
    rows = sim.reader.rows(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND "
        f"regexp_full_match(table_name, '{pattern}')"
    )
    return [name for (name,) in rows]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("limit", [None, 1000])
def test_a_view_equals_its_query_whatever_is_written_meanwhile(
    seed: int, limit: int | None
) -> None:
    sim = Simulation(seed)
    one, two = filled(sim), filled(sim)
    query = QUERIES[seed % len(QUERIES)].format(one.oid, two.oid)
    below = sim.view(f"SELECT a.c1 AS c1, a.c2 AS c2 FROM r{one.oid} AS a", one)
    reads_view = sim.rng.random() < 0.3
    if reads_view:
        task = begun(sim, below)
        while task.turn():
            pass
        sim.turn()
        query = query.replace(f"r{one.oid} ", f"r{below.oid} ")
    view = sim.view(query, below if reads_view else one, two, backfill_rate_limit=limit)
    task = begun(sim, view)
    while task.turn():
        for _ in range(sim.rng.randrange(3)):
            change(sim, sim.rng.choice((one, two)))
    if sim.rng.random() < 0.5:
        change(sim, one)
    sim.turn()
    assert status(sim, view) is JobStatus.CREATED
    assert sim.rows(view) == sim.recomputed(view)
    assert tables(sim, r"l\d+") == [], "a change log is kept that nobody reads"
    for _ in range(4):
        change(sim, sim.rng.choice((one, two)))
        assert sim.rows(view) == sim.recomputed(view)
    sim.end()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_restart_on_the_way_lets_a_background_job_start_over(seed: int) -> None:
    sim = Simulation(seed)
    one, two = filled(sim), filled(sim)
    query = QUERIES[seed % len(QUERIES)].format(one.oid, two.oid)
    view = sim.view(query, one, two, is_background=True)
    task = begun(sim, view)
    for _ in range(sim.rng.randrange(8)):
        task.turn()
        change(sim, one)
    if not task.is_done:
        task.stop(leaves=True)
        task.turn()
    sim.restart()
    change(sim, two)
    sim.turn(is_tick=True)
    task = sim.backfills[-1]
    while not task.is_done and task.turn():
        change(sim, one)
    sim.turn()
    assert status(sim, view) is JobStatus.CREATED
    assert sim.rows(view) == sim.recomputed(view)
    change(sim, two)
    assert sim.rows(view) == sim.recomputed(view)
    sim.end()


def test_a_restart_drops_a_job_whose_statement_is_gone(sim: Simulation) -> None:
    table = filled(sim)
    view = sim.view(QUERIES[0].format(table.oid), table)
    task = begun(sim, view)
    task.turn()
    task.stop(leaves=True)
    task.turn()
    sim.restart()
    sim.turn(is_tick=True)
    assert status(sim, view) is None
    assert tables(sim, rf"[rs]{view.oid}.*|l\d+") == []


@pytest.mark.parametrize("turns", range(7))
@pytest.mark.parametrize("is_dropped", [False, True])
def test_a_job_that_is_taken_away_leaves_nothing(
    sim: Simulation, turns: int, is_dropped: bool
) -> None:
    table = filled(sim)
    view = sim.view(QUERIES[1].format(table.oid), table)
    task = begun(sim, view)
    for _ in range(turns):
        if not task.turn():
            break
    oids = frozenset({view.oid})
    ending = ChangeCatalog((DropRelations(oids),)) if is_dropped else CancelJobs(oids)
    assert sim.worker.submit(ending) is not None
    sim.turn()
    if not task.is_done:
        task.turn()
    sim.turn()
    assert task.is_done
    if status(sim, view) is None:
        assert tables(sim, rf"[rs]{view.oid}.*|l\d+") == []
        assert not sim.worker.jobs()
    change(sim, table)


def test_a_pause_holds_a_backfill_and_its_merge(sim: Simulation) -> None:
    table = filled(sim)
    view = sim.view(QUERIES[1].format(table.oid), table)
    task = begun(sim, view)
    task.turn()
    before = sim.worker.jobs()[0].progress
    assert sim.ask(Pause("root")) is None
    for _ in range(20):
        assert task.turn()
    assert sim.worker.jobs()[0].progress == f"{before} (waiting for RESUME)"
    assert sim.ask(Resume("root")) is None
    while task.turn():
        pass
    assert sim.worker.submit(Pause("root")) is not None
    sim.worker.turn(is_tick=False)
    sim.worker.turn(is_tick=False)
    assert sim.ask(Flush()) is None
    sim.turn(is_tick=True)
    assert sim.ask(Resume("root")) is None
    sim.turn()
    assert status(sim, view) is JobStatus.CREATED
    assert sim.rows(view) == sim.recomputed(view)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_job_starts_over_when_what_it_reads_stood_still(seed: int) -> None:
    sim = Simulation(seed)
    table, other = filled(sim), filled(sim)
    below = sim.view(f"SELECT a.c1 AS c1, a.c2 AS c2 FROM r{table.oid} AS a", table)
    task = begun(sim, below)
    while task.turn():
        pass
    sim.turn()
    view = sim.view(QUERIES[seed % len(QUERIES)].format(below.oid, other.oid), below, other)
    task = begun(sim, view)
    for _ in range(sim.rng.randrange(12)):
        if not task.turn():
            break
        change(sim, table)
    sim.worker.submit(PauseView(below.oid, "root"))
    sim.turn()
    if status(sim, view) is JobStatus.CREATING:
        task.turn()
        change(sim, table)
        change(sim, other)
        assert status(sim, view) is JobStatus.CREATING
    sim.worker.submit(ResumeView(below.oid, "root"))
    for _ in range(4):
        change(sim, table)
        sim.turn(is_tick=True)
    while sim.backfills[-1].turn():
        change(sim, sim.rng.choice((table, other)))
    for _ in range(3):
        sim.turn(is_tick=True)
    assert status(sim, view) is JobStatus.CREATED
    assert sim.rows(view) == sim.recomputed(view)
    change(sim, table)
    assert sim.rows(view) == sim.recomputed(view)
    sim.end()


def test_a_job_that_starts_paused_begins_at_resume(sim: Simulation) -> None:
    table = filled(sim)
    assert sim.ask(Pause("root")) is None
    view = sim.view(QUERIES[1].format(table.oid), table)
    command = CreateStreamingJob(view, starts_paused=True, reads=frozenset({table.oid}))
    assert sim.ask(command) is None
    task = sim.backfills[-1]
    assert task.turn()
    assert tables(sim, rf"r{view.oid}") == []
    assert sim.ask(Resume("root")) is None
    while task.turn():
        change(sim, table)
    sim.turn()
    assert status(sim, view) is JobStatus.CREATED
    assert sim.rows(view) == sim.recomputed(view)


def test_jobs_follow_each_other_as_the_parameter_says(sim: Simulation) -> None:
    table = filled(sim)
    views = [sim.view(QUERIES[n].format(table.oid), table) for n in range(3)]
    for view in views:
        assert sim.create_view(view) is None
    assert len(sim.backfills) == 1
    for number, view in enumerate(views):
        assert len(sim.backfills) == number + 1
        while sim.backfills[-1].turn():
            change(sim, table)
        sim.turn()
        assert status(sim, view) is JobStatus.CREATED
    for view in views:
        assert sim.rows(view) == sim.recomputed(view)


def test_an_error_ends_a_job_and_leaves_nothing(sim: Simulation) -> None:
    table = filled(sim)
    sim.insert(table, (77, -1))
    sim.turn()
    query = (
        f"SELECT a.c1 AS c1, CASE WHEN a.c2 = -1 THEN error('22012:division by zero') ELSE 1 END "
        f"AS c2 FROM r{table.oid} AS a"
    )
    view = sim.view(query, table)
    task = begun(sim, view)
    while task.turn():
        pass
    sim.turn()
    assert status(sim, view) is None
    assert tables(sim, rf"[rs]{view.oid}.*|l\d+") == []


def test_a_view_over_one_that_is_being_created_is_refused(sim: Simulation) -> None:
    table = filled(sim)
    view = sim.view(QUERIES[0].format(table.oid), table)
    task = begun(sim, view)
    above = sim.view(f"SELECT a.c1 AS c1 FROM r{view.oid} AS a", view)
    error = sim.create_view(above)
    assert error is not None
    assert error.sqlstate == "55000"
    while task.turn():
        pass
    sim.turn()
    assert status(sim, view) is JobStatus.CREATED


def test_a_full_disk_puts_a_merge_off(sim: Simulation) -> None:
    table = filled(sim)
    view = sim.view(QUERIES[1].format(table.oid), table)
    task = begun(sim, view)
    while task.turn():
        pass
    sim.faults.rate = 1.0
    sim.turn()
    assert not sim.worker.turn(is_tick=False), "a full disk is not tried again without end"
    sim.faults.rate = 0.0
    sim.turn(is_tick=True)
    assert status(sim, view) is JobStatus.CREATED
    assert sim.rows(view) == sim.recomputed(view)


def test_what_waited_is_written_in_bounded_epochs() -> None:
    rng = random.Random(1)
    sim = Simulation(5)
    table = sim.create_table()
    assert sim.ask(Pause("root")) is None
    tickets = [sim.insert(table, (rng.randrange(10_000), n)) for n in range(1200)]
    sim.turn()
    sim.worker.submit(Resume("root"))
    epochs = set()
    while sim.worker.turn(is_tick=False):
        epochs.add(sim.worker.committed_epoch)
    assert all(outcome(ticket, sim.clock) is None for ticket in tickets)
    assert len(epochs) >= 3, "the RESUME, and the writes in two epochs"
    sim.end()
