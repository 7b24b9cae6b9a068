"""What flows in by itself, under random schedules of ticks, pauses, a failing store and crashes.

A sequence tells everything: whatever happens, a table and each view over a source have its numbers
from the first to the last that has come, each once, and while it is paused no more come.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

import pytest

from barrier.command import (
    ChangeCatalog,
    CreateStreamingJob,
    Pause,
    PauseView,
    Recover,
    Resume,
    ResumeView,
)
from barrier.command import Step as StepCommand
from catalog import types
from catalog.change import AlterRelation, CreateRelation
from catalog.connector import Connector
from catalog.oid import Oid
from catalog.relation import Column, JobStatus, MaterializedView, Source, SourceReader, Table
from tests.support.seeds import seeds
from tests.support.simulation import Crash, Simulation

SEEDS: Final = 300
STEPS: Final = 40
RATE: Final = 5
COUNTED: Final = Connector(
    "datagen",
    (
        *(("fields.a.kind", "sequence"), ("fields.a.end", "1000000")),
        ("datagen.rows.per.second", str(RATE)),
    ),
)
COLUMNS: Final = (Column("a", types.INT4, 1), Column("b", types.INT4, 2))


class Flowing:
    """A table with a connector, a source, and views over both."""

    def __init__(self, seed: int, fault_rate: float) -> None:
        self.sim = Simulation(seed, fault_rate=0.0)
        self.fault_rate = fault_rate
        place = {"schema": "public", "owner": "root"}
        made = {"columns": COLUMNS, "connector": COUNTED}
        self.table = Table(oid=Oid(16001), name="t", primary_key=(1,), **place, **made)  # type: ignore[arg-type]
        self.source = Source(oid=Oid(16002), name="s", **place, **made)  # type: ignore[arg-type]
        for relation in (self.table, self.source):
            assert self.sim.ask(ChangeCatalog((CreateRelation(relation),))) is None
        self.views: list[MaterializedView] = []
        self.add_view()
        query = (
            f"SELECT t.c1 % 3 AS c1, count(*) AS c2 FROM r{self.table.oid} AS t GROUP BY t.c1 % 3"
        )
        over = self.sim.view(query, self.table)
        assert self.sim.create_view(over) is None
        self.totals = over
        self.sim.faults.rate = fault_rate

    def add_view(self) -> None:
        """One more over the source, to which the sequence comes from its start."""
        reader = Oid(21000 + len(self.views))
        view = self.sim.view(
            f"SELECT t.c1 AS c1, t.c2 AS c2 FROM r{reader} AS t",
            readers=(SourceReader(self.source.oid, reader, 1 << 15),),
        )
        view = replace(view, depends_on=frozenset({self.source.oid}))
        rate, self.sim.faults.rate = self.sim.faults.rate, 0.0
        if self.sim.ask(CreateStreamingJob(view, reads_tables=False)) is None:
            self.views.append(view)
        self.sim.faults.rate = rate

    @property
    def held(self) -> list[Table | MaterializedView]:
        return [self.table, *self.views]

    def numbers(self, relation: Table | MaterializedView) -> list[int]:
        return sorted(int(str(row[0])) for row in self.sim.rows(relation))

    def check(self) -> None:
        for relation in self.held:
            came = self.numbers(relation)
            assert came == list(range(len(came)))
        held = self.sim.worker.catalog.relations[self.totals.oid]
        assert isinstance(held, MaterializedView)
        if held.status is JobStatus.FAILED:
            return
        query = self.totals.query
        expected = sorted(self.sim.reader.rows(query), key=repr)
        assert self.sim.rows(self.totals) == expected


def act(flowing: Flowing, rng: random.Random) -> None:
    sim = flowing.sim
    match rng.choice(["tick", "tick", "tick", "pause", "resume", "step", "view", "hold", "back"]):
        case "tick":
            sim.clock.pass_time(rng.choice([200, 1000, 3000]))
            sim.turn(is_tick=True)
        case "pause":
            sim.ask(Pause("root"))
        case "resume":
            sim.ask(Resume("root"))
        case "step" if sim.worker.pause is not None:
            sim.ask(StepCommand("root", 1))
        case "view" if len(flowing.views) < 3:
            flowing.add_view()
        case "hold":
            view = rng.choice(flowing.views)
            held = sim.worker.catalog.relations[view.oid]
            assert isinstance(held, MaterializedView)
            move = PauseView if held.paused_by is None else ResumeView
            sim.ask(move(view.oid, "root"))
        case "back":
            sim.clock.step_back(rng.randint(1, 100_000))
        case _:
            pass


@pytest.mark.parametrize("seed", seeds(3, SEEDS))
def test_a_sequence_is_gap_free_whatever_happens(seed: int) -> None:
    rng = random.Random(seed)
    flowing = Flowing(seed, fault_rate=rng.choice([0.0, 0.02, 0.1]))
    sim = flowing.sim
    for _ in range(STEPS):
        if rng.random() < 0.1:
            sim.faults.steps_left = rng.randint(0, 20)
        before = {r.oid: len(flowing.numbers(r)) for r in flowing.held}
        try:
            act(flowing, rng)
        except Crash:
            sim.faults.steps_left = None
            sim.restart()
        flowing.check()
        for relation in flowing.held:
            assert len(flowing.numbers(relation)) >= before.get(relation.oid, 0)
    sim.faults.rate, sim.faults.steps_left = 0.0, None
    sim.ask(Resume("root"))
    for view in flowing.views:
        sim.ask(ResumeView(view.oid, "root"))
    sim.ask(Recover())
    came = {r.oid: len(flowing.numbers(r)) for r in flowing.held}
    for _ in range(3):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    flowing.check()
    for relation in flowing.held:
        assert len(flowing.numbers(relation)) >= came[relation.oid] + 3 * RATE
    sim.end()


def test_no_row_comes_while_paused_and_none_is_made_up_for_afterwards() -> None:
    flowing = Flowing(1, 0.0)
    sim = flowing.sim
    sim.clock.pass_time(2000)
    sim.turn(is_tick=True)
    assert len(flowing.numbers(flowing.table)) == 3 * RATE  # A second's worth comes at once.
    sim.ask(Pause("root"))
    for _ in range(5):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    assert len(flowing.numbers(flowing.table)) == 3 * RATE
    sim.ask(Resume("root"))
    sim.clock.pass_time(1000)
    sim.turn(is_tick=True)
    assert len(flowing.numbers(flowing.table)) == 4 * RATE
    flowing.check()
    sim.end()


def test_a_limit_of_none_a_second_stops_a_flow_and_a_higher_one_lets_it_go_on() -> None:
    flowing = Flowing(2, 0.0)
    sim, table = flowing.sim, flowing.table
    limited = replace(table, connector=COUNTED.limited(0))
    assert sim.ask(ChangeCatalog((AlterRelation(table, limited),))) is None
    before = len(flowing.numbers(table))
    sim.clock.pass_time(5000)
    sim.turn(is_tick=True)
    assert len(flowing.numbers(table)) == before
    held = sim.worker.catalog.table(table.oid)
    again = replace(held, connector=COUNTED.limited(2))
    assert sim.ask(ChangeCatalog((AlterRelation(held, again),))) is None
    for _ in range(3):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    assert len(flowing.numbers(table)) == before + 2 * 4  # One second's worth comes at once.
    flowing.check()
    sim.end()
