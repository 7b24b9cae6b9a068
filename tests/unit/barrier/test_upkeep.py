"""What storage does when it is told to tidy up."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from barrier.clock import SystemClock
from barrier.duckdb_store import DuckdbStore
from barrier.epoch import Epoch
from barrier.interrupt import Interrupt
from barrier.prelude import Prelude
from catalog.errors import DiskFull, QueryCanceled


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "1.duckdb"


@pytest.fixture
def store(path: Path) -> Iterator[DuckdbStore]:
    store = DuckdbStore(path, Prelude())
    yield store
    store.close()


def run(store: DuckdbStore, epoch: int, *statements: str) -> None:
    attempt = store.attempt()
    for statement in statements:
        attempt.run(statement)
    attempt.commit(Epoch(epoch))


def test_a_checkpoint_writes_the_log_back_and_room_is_used_again(
    store: DuckdbStore, path: Path
) -> None:
    interrupt = Interrupt(SystemClock())
    # More than the engine lets the log grow to, so that its own checkpoints play no part.
    filling = "INSERT INTO r1 SELECT i, md5(i::varchar) FROM range(100000) t(i)"
    run(store, 1, "CREATE TABLE r1 (c1 BIGINT, c2 VARCHAR)", filling)
    store.checkpoint(interrupt)
    log = path.with_name(path.name + ".wal")
    run(store, 2, "DELETE FROM r1 WHERE c1 < 10")
    assert log.stat().st_size > 0
    store.checkpoint(interrupt)
    assert not log.exists() or log.stat().st_size == 0
    sizes = []
    for epoch in range(3, 9):
        run(store, epoch, "DELETE FROM r1", filling)
        store.checkpoint(interrupt)
        sizes.append(path.stat().st_size)
    assert sizes[-1] <= sizes[1]


def test_the_log_is_left_to_grow_where_there_is_no_room_to_write_it_back(
    store: DuckdbStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine would write it back in a commit, and were that to fail, answer nothing any more."""
    log = path.with_name(path.name + ".wal")
    filling = "INSERT INTO r1 SELECT i, md5(i::varchar) FROM range(100000) t(i)"
    disk = shutil.disk_usage(path.parent)
    monkeypatch.setattr("barrier.log_room.shutil.disk_usage", lambda _: disk._replace(free=1 << 20))
    run(store, 1, "CREATE TABLE r1 (c1 BIGINT, c2 VARCHAR)")
    before = path.stat().st_size
    for epoch in range(2, 12):
        run(store, epoch, filling)
    assert log.stat().st_size > 20 << 20
    assert path.stat().st_size == before
    with pytest.raises(DiskFull):
        store.checkpoint(Interrupt(SystemClock()))
    monkeypatch.setattr("barrier.log_room.shutil.disk_usage", lambda _: disk._replace(free=1 << 40))
    run(store, 12, filling)
    assert not log.exists() or log.stat().st_size < 1 << 20
    assert store.reader().rows("SELECT count(*) FROM r1") == [(1_100_000,)]


def test_upkeep_disturbs_no_transaction_that_is_open(store: DuckdbStore) -> None:
    interrupt = Interrupt(SystemClock())
    run(store, 1, "CREATE TABLE r1 (c1 BIGINT)", "INSERT INTO r1 FROM range(1000)")
    reader = store.reader()
    reader.begin()
    attempt = store.attempt()
    attempt.run("DELETE FROM r1 WHERE c1 < 500")
    store.analyze("r1", ("c1",), interrupt)
    store.checkpoint(interrupt)
    attempt.commit(Epoch(2))
    assert reader.rows("SELECT count(*) FROM r1") == [(1000,)]
    reader.rollback()
    assert reader.rows("SELECT count(*) FROM r1") == [(500,)]
    reader.close()


def test_a_checkpoint_waits_for_no_transaction_that_makes_tables(store: DuckdbStore) -> None:
    interrupt = Interrupt(SystemClock())
    run(store, 1, "CREATE TABLE r1 (c1 BIGINT)")
    attempt = store.attempt()
    attempt.run("CREATE TABLE r2 (c1 BIGINT)")
    assert not store.checkpoint(interrupt)
    threading.Timer(0.2, lambda: attempt.commit(Epoch(2))).start()
    assert store.checkpoint(interrupt)
    assert store.reader().rows("SELECT count(*) FROM r2") == [(0,)]


def test_upkeep_of_a_statement_that_was_cancelled_is_not_begun(store: DuckdbStore) -> None:
    interrupt = Interrupt(SystemClock())
    interrupt.arm(None)
    interrupt.set(QueryCanceled.by_user())
    with pytest.raises(QueryCanceled):
        store.checkpoint(interrupt)
