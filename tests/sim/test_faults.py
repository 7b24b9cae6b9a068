"""What a fault leaves behind: no open transaction, no lost write, no busy loop, no other's error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from barrier.command import (
    ChangeCatalog,
    CreateStreamingJob,
    DiscardWrites,
    Flush,
    Pause,
    PauseView,
    Recover,
    Resume,
    ResumeView,
    RetryWrites,
)
from barrier.interrupt import Interrupt
from barrier.set_aside import TRIES
from barrier.table_program import TableProgram
from barrier.writes import TableWrites, WriteSet
from catalog.change import DropRelations
from catalog.errors import DataException, DiskFull, OutOfMemory, PgError
from catalog.relation import JobStatus, MaterializedView, Table
from tests.support.simulation import Simulation, outcome


@pytest.fixture
def sim() -> Iterator[Simulation]:
    simulation = Simulation(seed=1)
    yield simulation
    simulation.end()


def status_of(sim: Simulation, view: MaterializedView) -> JobStatus:
    held = sim.worker.catalog.relations[view.oid]
    assert isinstance(held, MaterializedView)
    return held.status


def reciprocal(sim: Simulation, table: Table) -> MaterializedView:
    """A view that fails when its table gets a zero."""
    query = (
        f"SELECT t1.c1 AS c1, CASE WHEN t1.c2 = 0 THEN error('22012:division by zero') "
        f"ELSE 1 END AS c2 FROM r{table.oid} AS t1"
    )
    return sim.view(query, table)


def count(sim: Simulation, sql: str) -> int:
    ((number,),) = sim.reader.rows(sql)
    return int(str(number))


def test_a_fault_while_a_failed_view_is_marked_leaves_no_open_transaction(sim: Simulation) -> None:
    table = sim.create_table()
    assert sim.create_view(reciprocal(sim, table)) is None
    for _ in range(40):
        sim.faults.rate = 0.4
        ticket = sim.insert(table, (1, 0))
        sim.turn()
        assert ticket.is_done
    sim.faults.rate = 0.0
    ticket = sim.insert(table, (2, 5))
    sim.turn()
    assert outcome(ticket, sim.clock) is None
    assert (2, 5) in sim.rows(table)


def test_a_bug_in_an_epoch_leaves_no_open_transaction(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sim.create_table()
    with monkeypatch.context() as patched:
        patched.setattr("barrier.writing.Application", None)
        ticket = sim.insert(table, (1, 1))
        sim.turn()
        error = outcome(ticket, sim.clock)
        assert error is not None
        assert error.sqlstate == "XX000"
    ticket = sim.insert(table, (2, 2))
    sim.turn()
    assert outcome(ticket, sim.clock) is None


def test_acknowledged_writes_stay_due_when_their_epoch_fails(sim: Simulation) -> None:
    table = sim.create_table()
    for key in range(3):
        name = sim.stage(table, [(key, key)])
        write_set = WriteSet((TableWrites(table.oid, new=name),), staging=(name,))
        sim.worker.write(write_set, is_queued=True).wait(Interrupt(sim.clock))
    sim.faults.rate = 1.0
    sim.turn()
    assert not sim.worker.turn(is_tick=False), "a full disk is not tried again without end"
    sim.faults.rate = 0.0
    sim.turn(is_tick=True)
    assert sim.rows(table) == [(0, 0), (1, 1), (2, 2)]
    assert count(sim, "SELECT count(*) FROM queue.entries") == 0


def test_acknowledged_writes_stay_due_in_order_when_one_of_them_cannot_be_applied(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sim.create_table()
    for value in range(3):
        name = sim.stage(table, [(1, value)])
        write_set = WriteSet((TableWrites(table.oid, new=name),), staging=(name,))
        sim.worker.write(write_set, is_queued=True).wait(Interrupt(sim.clock))
    incoming_rows = TableProgram.incoming_rows

    def refuse_the_second(
        program: TableProgram, sources: list[TableWrites], next_row_id: int
    ) -> str:
        if any(source.new == "queue.w2_0" for source in sources):
            raise OutOfMemory("out of memory")
        return incoming_rows(program, sources, next_row_id)

    with monkeypatch.context() as patched:
        patched.setattr(TableProgram, "incoming_rows", refuse_the_second)
        other = sim.insert(table, (2, 7))
        sim.turn()
        assert outcome(other, sim.clock) is None, "who comes in the same epoch is not hurt"
        assert sim.rows(table) == [(1, 0), (2, 7)]
    sim.turn(is_tick=True)
    assert sim.rows(table) == [(1, 2), (2, 7)]
    assert count(sim, "SELECT count(*) FROM queue.entries") == 0


def test_a_queued_write_to_a_dropped_table_does_not_stay_in_the_queue(sim: Simulation) -> None:
    table = sim.create_table()
    assert sim.ask(Pause("root")) is None
    name = sim.stage(table, [(1, 1)])
    write_set = WriteSet((TableWrites(table.oid, new=name),), staging=(name,))
    sim.worker.write(write_set, is_queued=True).wait(Interrupt(sim.clock))
    assert sim.ask(ChangeCatalog((DropRelations(frozenset({table.oid})),))) is None
    assert sim.ask(Resume("root")) is None
    sim.turn()
    assert count(sim, "SELECT count(*) FROM queue.entries") == 0
    assert not staged(sim)


@contextmanager
def refused(error: PgError, number: int) -> Iterator[None]:
    """Have the rows of one queued write fail."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("incoming_rows", "new_rows"):
            original = getattr(TableProgram, name)

            def refuse(
                program: TableProgram,
                sources: list[TableWrites],
                *more: int,
                original: Callable[..., str] = original,
            ) -> str:
                if any(source.new == f"queue.w{number}_0" for source in sources):
                    raise error
                return original(program, sources, *more)

            patched.setattr(TableProgram, name, refuse)
        yield


def queue(sim: Simulation, table: Table, row: tuple[int, int]) -> None:
    name = sim.stage(table, [row])
    write_set = WriteSet((TableWrites(table.oid, new=name),), staging=(name,))
    sim.worker.write(write_set, is_queued=True).wait(Interrupt(sim.clock))


def staged(sim: Simulation) -> list[tuple[object, ...]]:
    return sim.reader.rows(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'queue' AND"
        " table_name LIKE 'w%' ORDER BY 1"
    )


def test_an_acknowledged_write_that_cannot_be_applied_stands_aside_until_it_is_tried_again(
    sim: Simulation,
) -> None:
    table = sim.create_table()
    for value in range(3):
        queue(sim, table, (value, value))
    with refused(DataException("that is no value"), 2):
        sim.turn()
        assert sim.rows(table) == [(0, 0), (2, 2)], "those that come after it go on"
        assert sim.ask(RetryWrites("root", 2)) is not None
    (write,) = sim.worker.backlog().failed
    assert (write.failed.number, write.failed.message) == (2, "that is no value")
    sim.restart()
    sim.turn(is_tick=True)
    assert sim.rows(table) == [(0, 0), (2, 2)], "it is not tried by itself"
    queue(sim, table, (7, 7))
    assert staged(sim) == [("w2_0",), ("w3_0",)], "its number is not given again"
    assert sim.ask(Pause("root")) is None
    assert sim.ask(RetryWrites("root", 2)) is not None, "no row moves while paused"
    assert sim.ask(Resume("root")) is None
    assert sim.ask(RetryWrites("root", 2)) is None
    assert sim.rows(table) == [(0, 0), (1, 1), (2, 2), (7, 7)]
    assert sim.worker.backlog().failed == ()
    assert not staged(sim)


def test_an_acknowledged_write_that_stands_aside_goes_when_it_is_discarded_or_its_table_is_dropped(
    sim: Simulation,
) -> None:
    table, other = sim.create_table(), sim.create_table()
    for number, one in enumerate((table, other), start=1):
        queue(sim, one, (1, 1))
        with refused(DataException("that is no value"), number):
            sim.turn(is_tick=True)
    assert [write.failed.number for write in sim.worker.backlog().failed] == [1, 2]
    assert sim.ask(DiscardWrites("root", 1)) is None
    assert staged(sim) == [("w2_0",)]
    assert sim.ask(ChangeCatalog((DropRelations(frozenset({other.oid})),))) is None
    assert sim.worker.backlog().failed == ()
    assert not staged(sim)
    sim.restart()
    assert sim.worker.backlog().failed == ()
    assert sim.rows(table) == []


def test_what_fails_for_want_of_memory_is_tried_a_while_and_holds_no_command_back(
    sim: Simulation,
) -> None:
    table = sim.create_table()
    queue(sim, table, (1, 1))
    queue(sim, table, (2, 2))
    with refused(OutOfMemory("out of memory"), 1):
        for _ in range(TRIES):
            assert not sim.worker.backlog().failed
            sim.turn(is_tick=True)
            assert sim.rows(table) == [], "what was queued is applied in order"
            assert sim.ask(ChangeCatalog(())) is None
        sim.turn(is_tick=True)
    (write,) = sim.worker.backlog().failed
    assert write.failed.sqlstate == "53200"
    assert sim.rows(table) == [(2, 2)]


def test_commands_go_on_while_the_disk_has_no_room_for_acknowledged_writes(
    sim: Simulation,
) -> None:
    table, other = sim.create_table(), sim.create_table()
    queue(sim, table, (1, 1))
    with refused(DiskFull("no room"), 1):
        for _ in range(3 * TRIES):
            sim.turn(is_tick=True)
        flushed = sim.worker.submit(Flush())
        sim.turn(is_tick=True)
        error = outcome(flushed, sim.clock)
        assert error is not None, "what waits is not flushed"
        assert sim.events.events()[-1].event_type == "WRITE_DELAY"
        assert error.sqlstate == "53100"
        assert sim.ask(ChangeCatalog((DropRelations(frozenset({other.oid})),))) is None
        assert sim.worker.backlog().queued_sets == 1
    sim.turn(is_tick=True)
    assert sim.rows(table) == [(1, 1)]


def test_a_job_that_cannot_be_filled_is_tried_once_a_tick_while_the_disk_is_full(
    sim: Simulation,
) -> None:
    table = sim.create_table()
    assert sim.ask(Pause("root")) is None
    view = sim.view(f"SELECT t1.c1 AS c1 FROM r{table.oid} AS t1", table)
    assert sim.ask(CreateStreamingJob(view, uses_snapshot_backfill=False)) is None
    sim.worker.submit(Resume("root"))
    sim.worker.turn(is_tick=False)
    sim.faults.rate = 1.0
    turns = 0
    while sim.worker.turn(is_tick=False):
        turns += 1
        assert turns < 5
    sim.faults.rate = 0.0
    sim.turn(is_tick=True)
    assert sim.ask(Flush()) is None


def test_a_view_on_a_failed_view_is_refused(sim: Simulation) -> None:
    table = sim.create_table()
    view = reciprocal(sim, table)
    assert sim.create_view(view) is None
    sim.insert(table, (1, 0))
    sim.turn()
    assert status_of(sim, view) is JobStatus.FAILED
    above = sim.view(f"SELECT t1.c1 AS c1 FROM r{view.oid} AS t1", view)
    error = sim.create_view(above)
    assert error is not None
    assert error.sqlstate == "55000"
    assert error.detail == "division by zero"


def test_a_view_that_failed_while_it_stood_still_is_filled_anew(sim: Simulation) -> None:
    table = sim.create_table()
    view = reciprocal(sim, table)
    assert sim.create_view(view) is None
    assert sim.ask(PauseView(view.oid, "root")) is None
    sim.insert(table, (1, 0))
    sim.turn()
    sim.worker.submit(ResumeView(view.oid, "root"))
    sim.turn()
    assert status_of(sim, view) is JobStatus.FAILED
    sim.delete(table, "c1 = 1")
    sim.insert(table, (2, 4))
    sim.turn()
    assert sim.ask(Recover()) is None
    sim.turn(is_tick=True)
    assert status_of(sim, view) is JobStatus.CREATED
    sim.insert(table, (3, 4))
    sim.turn()
    assert sim.rows(view) == sim.recomputed(view)


def test_the_log_of_a_failed_batch_refresh_job_goes(sim: Simulation) -> None:
    table = sim.create_table()
    view = reciprocal(sim, table)
    batch = sim.view(view.query.replace("t1", "t2"), table, refresh_interval_s=1)
    assert sim.create_view(batch) is None
    ticket = sim.insert(table, (1, 0))
    sim.turn()
    assert outcome(ticket, sim.clock) is None
    for _ in range(3):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    assert status_of(sim, batch) is JobStatus.FAILED
    logs = f"SELECT count(*) FROM duckdb_tables() WHERE table_name = 'l{table.oid}'"
    assert count(sim, logs) == 0


def test_a_batch_refresh_with_nothing_to_do_changes_nothing(sim: Simulation) -> None:
    table = sim.create_table()
    query = f"SELECT t1.c2 AS c1, count(*) AS c2 FROM r{table.oid} AS t1 GROUP BY t1.c2"
    batch = sim.view(query, table, refresh_interval_s=1)
    assert sim.create_view(batch) is None
    before = sim.worker.catalog.version
    for _ in range(5):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    assert sim.worker.catalog.version == before
    sim.insert(table, (1, 1), (2, 1))
    for _ in range(3):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    assert sim.rows(batch) == [(1, 2)]
    assert count(sim, f"SELECT count(*) FROM l{table.oid}") == 0


def test_batch_refreshes_of_different_rhythms_lose_and_repeat_nothing(sim: Simulation) -> None:
    table = sim.create_table()
    query = f"SELECT t1.c2 AS c1, count(*) AS c2 FROM r{table.oid} AS t1 GROUP BY t1.c2"
    views = [sim.view(query, table, refresh_interval_s=n) for n in (1, 3, 7)]
    for view in views:
        assert sim.create_view(view) is None
    for second in range(40):
        for _ in range(sim.rng.randrange(3)):
            sim.insert(table, (sim.rng.randrange(6), sim.rng.randrange(3)))
            sim.turn()
        if second % 4 == 1:
            sim.delete(table, f"c1 = {sim.rng.randrange(6)}")
            sim.turn()
        if second in (9, 22):
            sim.restart()
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
        assert count(sim, f"SELECT count(DISTINCT __epoch) FROM l{table.oid}") <= 7 * 4
    for _ in range(9):
        sim.clock.pass_time(1000)
        sim.turn(is_tick=True)
    for view in views:
        assert sim.rows(view) == sim.recomputed(view)
    assert count(sim, f"SELECT count(*) FROM l{table.oid}") == 0


@pytest.mark.parametrize("has_key", [True, False], ids=["key", "no-key"])
def test_a_thousand_write_sets_share_an_epoch(sim: Simulation, has_key: bool) -> None:
    table = sim.create_table(has_key=has_key)
    query = f"SELECT count(*) AS c1 FROM r{table.oid} AS t1"
    view = sim.view(query, table)
    assert sim.create_view(view) is None
    tickets = [sim.insert(table, (key % 700, key)) for key in range(1001)]
    sim.worker.turn(is_tick=False)
    assert [ticket.is_done for ticket in tickets] == [True] * 1000 + [False]
    sim.turn()
    assert outcome(tickets[-1], sim.clock) is None
    rows = sim.rows(table)
    assert len(rows) == (700 if has_key else 1001)
    assert sim.rows(view) == [(len(rows),)]
    if has_key:
        assert (5, 705) in rows, "of one key the last stays"
