"""Random schedules of all that can happen to a database, against one worker.

Writes, queued writes, creations in every way, pauses of every scope, steps, cancellations, a store
that fails, a clock that is set back, and crashes between any two statements of an epoch. The clock
is the test's and there is no thread, so a failing seed, which the message names, is replayed by
``pytest tests/sim/test_schedules.py --all -k 'seed-1234'``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from barrier.command import (
    CancelJobs,
    ChangeCatalog,
    CreateStreamingJob,
    Flush,
    FollowSystem,
    LimitBackfill,
    Pause,
    PauseInfo,
    PauseScope,
    PauseView,
    Recover,
    Resume,
    ResumeView,
    Step,
)
from catalog.change import DropRelations
from catalog.oid import Oid
from catalog.relation import JobStatus, MaterializedView
from tests.support.model import Change, Model
from tests.support.queries import TEMPLATES
from tests.support.seeds import seeds
from tests.support.simulation import Simulation

SEEDS: Final = 2000
STEPS: Final = 40
KEYS: Final = 8
VALUES: Final = 4
VIEWS_MAX: Final = 5


# --- writes ---------------------------------------------------------------------------------------


def insert(model: Model, rng: random.Random, *, is_queued: bool = False) -> None:
    oid = rng.choice(sorted(model.rows))
    rows = [(rng.randrange(KEYS), rng.randrange(VALUES)) for _ in range(rng.randint(1, 3))]
    model.write(Change(oid, new=tuple(rows)), is_queued=is_queued)


def queue(model: Model, rng: random.Random) -> None:
    insert(model, rng, is_queued=True)


def update(model: Model, rng: random.Random, *, is_delete: bool = False) -> None:
    oid = rng.choice(sorted(model.keyed & model.rows.keys()))
    if not model.rows[oid]:
        return
    old = tuple(rng.sample(model.rows[oid], min(len(model.rows[oid]), rng.randint(1, 2))))
    new = () if is_delete else tuple((key, rng.randrange(VALUES)) for key, _ in old)
    model.write(Change(oid, old, new))


def delete(model: Model, rng: random.Random) -> None:
    update(model, rng, is_delete=True)


# --- definitions ----------------------------------------------------------------------------------


def create(model: Model, rng: random.Random) -> None:
    catalog = model.sim.worker.catalog
    if len(model.views.keys() & catalog.relations.keys()) >= VIEWS_MAX:
        drop(model, rng)
        return
    above = [v for v in views(model) if v.refresh_interval_s is None]
    candidates = [*model.rows, *(v.oid for v in above)]
    template = rng.choice(TEMPLATES)
    inputs = tuple(rng.choice(candidates) for _ in range(template.inputs))
    reads = [catalog.relations[oid] for oid in sorted(set(inputs))]
    is_batch = rng.random() < 0.2
    view = model.sim.view(
        template.sql.format(*inputs),
        *reads,  # type: ignore[arg-type]  # tables and materialized views
        refresh_interval_s=2 if is_batch else None,
        is_background=rng.random() < 0.5,
        backfill_rate_limit=rng.choice([None, None, 1000, 0]),
    )
    model.views[view.oid] = (template, inputs)
    model.submit(
        CreateStreamingJob(
            view,
            based_on=tuple(reads),
            uses_snapshot_backfill=is_batch or rng.random() < 0.7,
            starts_paused=rng.random() < 0.2,
            reads=frozenset(inputs),
        )
    )


def views(model: Model) -> list[MaterializedView]:
    relations = model.sim.worker.catalog.relations
    found = [relations.get(oid) for oid in sorted(model.views)]
    return [view for view in found if isinstance(view, MaterializedView)]


def some_view(model: Model, rng: random.Random) -> Oid | None:
    oids = [view.oid for view in views(model)]
    return rng.choice(oids) if oids else None


def drop(model: Model, rng: random.Random) -> None:
    if (oid := some_view(model, rng)) is not None:
        gone = frozenset(r.oid for r in model.sim.worker.catalog.closure([oid]))
        model.submit(ChangeCatalog((DropRelations(gone),)))


def cancel(model: Model, rng: random.Random) -> None:
    model.submit(CancelJobs(frozenset(view.oid for view in views(model))))


def drop_table(model: Model, rng: random.Random) -> None:
    """The one without a key goes, with all that reads it, and another takes its place."""
    if plain := sorted(model.rows.keys() - model.keyed):
        gone = frozenset(r.oid for r in model.sim.worker.catalog.closure(plain[:1]))
        model.submit(ChangeCatalog((DropRelations(gone),)))


def limit(model: Model, rng: random.Random) -> None:
    if (oid := some_view(model, rng)) is not None:
        model.submit(LimitBackfill(oid, rng.choice([None, 0, 1000])))


# --- pauses ---------------------------------------------------------------------------------------


def pause(model: Model, rng: random.Random) -> None:
    model.submit(Pause("root", rng.choice([None, None, 3000])))


def resume(model: Model, rng: random.Random) -> None:
    model.submit(Resume("root"))


def follow_system(model: Model, rng: random.Random) -> None:
    is_paused = model.sim.system_pause is not None
    now_ms = model.sim.clock.now_ms()
    decided = None if is_paused else PauseInfo(PauseScope.SYSTEM, "root", now_ms)
    model.sim.system_pause = decided
    model.submit(FollowSystem(decided))


def pause_view(model: Model, rng: random.Random) -> None:
    if (oid := some_view(model, rng)) is not None:
        model.submit(PauseView(oid, "root"))


def resume_views(model: Model, rng: random.Random) -> None:
    for view in views(model):
        if view.paused_by is not None:
            model.submit(ResumeView(view.oid, "root"))


def step(model: Model, rng: random.Random) -> None:
    model.submit(Step("root", rng.randint(1, 4)))


# --- everything else ------------------------------------------------------------------------------


def flush(model: Model, rng: random.Random) -> None:
    model.submit(Flush())


def recover(model: Model, rng: random.Random) -> None:
    model.submit(Recover())


def withdraw(model: Model, rng: random.Random) -> None:
    model.withdraw(rng.randrange(8))


def tick(model: Model, rng: random.Random) -> None:
    model.sim.clock.pass_time(1000)
    model.turn(is_tick=True)


def step_back(model: Model, rng: random.Random) -> None:
    model.sim.clock.step_back(rng.randint(1, 100_000))


def fill(model: Model, rng: random.Random) -> None:
    """Let backfills work on some pieces."""
    for _ in range(rng.randint(1, 6)):
        model.fill()


def crash(model: Model, rng: random.Random) -> None:
    """Between two statements of the next epochs, or now."""
    if rng.random() < 0.3:
        model.crash()
        return
    rate, model.sim.faults.rate = model.sim.faults.rate, 0.0
    model.sim.faults.steps_left = rng.randrange(40)
    for _ in range(3):
        if model.sim.faults.steps_left is not None:
            insert(model, rng)
            model.fill()
            model.turn()
    model.sim.faults.steps_left = None
    model.sim.faults.rate = rate


ACTIONS: Final[tuple[Callable[[Model, random.Random], None], ...]] = (
    *[insert] * 7,
    *[queue] * 3,
    *[update] * 3,
    *[delete] * 3,
    *[create] * 5,
    *[fill] * 5,
    *[tick] * 4,
    *[pause] * 2,
    *[resume] * 3,
    *[pause_view] * 2,
    *[resume_views] * 3,
    *[step] * 2,
    *[crash] * 2,
    limit,
    follow_system,
    drop,
    drop_table,
    cancel,
    flush,
    recover,
    withdraw,
    step_back,
)


@pytest.fixture
def model(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    seed: int = request.param
    # Little is much to every other seed, so that views are filled by jobs of their own.
    monkeypatch.setattr("barrier.executor._ROWS_IN_BARRIER", -1 if seed % 2 else 100_000)
    monkeypatch.setattr("barrier.backfill.PIECE_ROWS", 3)
    monkeypatch.setattr("barrier.backfill.MERGE_ROWS", 1)
    monkeypatch.setattr("barrier.catch_up.PIECE_ROWS_MAX", 3)
    sim = Simulation(seed, 0.01 if seed % 3 == 0 else 0.0)
    held = Model(sim)
    for has_key in (True, True, False):
        held.add_table(has_key=has_key)
    yield held
    sim.end()


@pytest.mark.parametrize("model", seeds(50, SEEDS), indirect=True)
def test_whatever_happens_to_a_database_it_holds_what_it_must(model: Model) -> None:
    rng = model.sim.rng
    for _ in range(STEPS):
        rng.choice(ACTIONS)(model, rng)
        for _ in range(rng.randrange(4)):
            model.turn()
        if len(model.rows) < 3 and not model.pending:
            model.add_table(has_key=False)
    finish(model)


def finish(model: Model) -> None:
    """Let everything go on: nobody waits any more, and every view equals its query."""
    sim = model.sim
    sim.faults.rate = 0.0
    sim.system_pause = None
    model.submit(FollowSystem(None))
    model.submit(Resume("root"))
    model.turn(is_tick=True)  # A fault may have it wait for that.
    model.drain()
    resume_views(model, sim.rng)
    for view in views(model):
        if view.backfill_rate_limit == 0 and view.status is JobStatus.CREATING:
            model.submit(CancelJobs(frozenset({view.oid})))
    model.drain()
    for _ in range(3):
        model.settle_backfills()
        sim.clock.pass_time(4000)
        model.turn(is_tick=True)
        model.drain()
        model.submit(Recover())
        model.drain()
    assert model.pending == [], model.told("somebody waits for ever")
    for view in views(model):
        assert view.status is JobStatus.CREATED, model.told(view)
        assert not view.is_standing, model.told(view)
    sim.restart()
    sim.turn(is_tick=True)
    model.check()
    assert logs(model) <= read_by_clock(model), model.told("a change log is kept for nobody")


def logs(model: Model) -> set[str]:
    found = model.sim.reader.rows(
        "SELECT table_name FROM duckdb_tables() WHERE regexp_full_match(table_name, 'l[0-9]+')"
    )
    return {str(name) for (name,) in found}


def read_by_clock(model: Model) -> set[str]:
    batches = [view for view in views(model) if view.refresh_interval_s is not None]
    return {f"l{oid}" for view in batches for oid in model.views[view.oid][1]}
