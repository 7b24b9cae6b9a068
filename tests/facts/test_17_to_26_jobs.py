"""Facts 17 to 26 of forty that a user of RisingWave relies on, as they hold here: jobs, refreshes.

Where this server differs on purpose (docs/known-differences.md), the fact is this server's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from psycopg import errors

from tests.conftest import Launch
from tests.facts.session import Session, soon
from tests.support.server import Address

ROWS: Final = 10_000
CREATE: Final = "CREATE MATERIALIZED VIEW m AS SELECT k, v FROM t"
BATCH: Final = "CREATE MATERIALIZED VIEW b WITH (refresh.interval.sec = {}) AS SELECT v FROM m"
PROGRESS: Final = "SELECT progress FROM rw_catalog.rw_ddl_progress"


@pytest.fixture
def slow(one: Session) -> Session:
    """A session in which the view of ten thousand rows takes a hundred seconds to fill."""
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)")
    one.run(f"INSERT INTO t SELECT i, i % 10 FROM generate_series(1, {ROWS}) AS i")
    one.run("SET backfill_rate_limit = 100")
    return one


@pytest.fixture
def background(slow: Session) -> Iterator[Session]:
    slow.run("SET background_ddl = true", CREATE)
    yield slow
    slow.run("DROP MATERIALIZED VIEW IF EXISTS m")


def test_fact_17_a_background_job_returns_at_once_and_shows_its_progress(
    background: Session,
) -> None:
    soon(lambda: f"/{ROWS})" in str(background.rows(PROGRESS)))
    with pytest.raises(errors.DuplicateTable) as refused:
        background.run(CREATE)
    assert "already exists" in str(refused.value)
    assert "still being created" in str(refused.value)
    background.fails("SELECT * FROM m", errors.ObjectNotInPrerequisiteState, "not been populated")
    background.run("ALTER MATERIALIZED VIEW m SET backfill_rate_limit TO DEFAULT", "WAIT")
    assert background.value("SELECT count(*) FROM m") == ROWS
    assert background.rows(PROGRESS) == []


def test_fact_18_cancel_jobs_takes_the_view_away_and_ends_who_waits(
    slow: Session, two: Session
) -> None:
    creation = slow.waits(CREATE)
    ((number, statement, kind, _),) = two.rows("SHOW JOBS")
    assert (statement, kind) == (CREATE, "FOREGROUND")
    assert two.rows(f"CANCEL JOBS {number}") == [(number,)]
    with pytest.raises(errors.QueryCanceled):
        creation.result()
    two.fails("SELECT * FROM m", errors.UndefinedTable)
    assert two.rows("CANCEL JOBS 999999") == []


def test_fact_19_dropping_a_view_that_is_created_cancels_it(background: Session) -> None:
    background.run("DROP MATERIALIZED VIEW m")
    assert background.rows(PROGRESS) == []
    background.run("CREATE TABLE m (a int)", "DROP TABLE m")


def test_fact_20_a_job_goes_on_over_recover_which_is_for_superusers(
    database: Address, background: Session
) -> None:
    assert background.run("RECOVER") == "RECOVER"
    assert len(background.rows(PROGRESS)) == 1
    background.run("CREATE USER fact_20_user")
    plain = Address(database.host, database.port, "fact_20_user", database.database)
    with closing(Session(plain)) as other:
        other.fails("RECOVER", errors.InsufficientPrivilege, "superuser")
    background.run("DROP USER fact_20_user")
    background.run("ALTER MATERIALIZED VIEW m SET backfill_rate_limit TO DEFAULT")
    background.run("WAIT MATERIALIZED VIEW m")
    assert background.value("SELECT count(*) FROM m") == ROWS


def test_fact_21_what_is_written_while_a_view_is_filled_is_neither_lost_nor_doubled(
    background: Session, two: Session
) -> None:
    for key in range(20):
        two.run(f"INSERT INTO t VALUES ({ROWS + 1 + key}, {key})")
        two.run(f"DELETE FROM t WHERE k = {key * 7}")
        two.run(f"UPDATE t SET v = 77 WHERE k = {key * 11 + 1}")
    background.run("ALTER MATERIALIZED VIEW m SET backfill_rate_limit TO DEFAULT")
    two.run("UPDATE t SET v = 78 WHERE k = 5000", "WAIT")
    total = "SELECT count(*), sum(v), sum(k) FROM"
    assert two.rows(f"{total} m") == two.rows(f"{total} t")


def test_fact_23_a_batch_refresh_view_follows_at_its_own_rhythm(one: Session) -> None:
    one.run("CREATE TABLE t (v int)", "INSERT INTO t VALUES (1), (2)")
    one.run("CREATE MATERIALIZED VIEW m AS SELECT v FROM t", BATCH.format(2))
    shown = "SELECT v FROM b ORDER BY v"
    assert one.rows(shown) == [(1,), (2,)]
    one.run("INSERT INTO t VALUES (3)")
    assert one.value("SELECT count(*) FROM m") == 3
    assert one.rows(shown) == [(1,), (2,)]
    soon(lambda: one.rows(shown) == [(1,), (2,), (3,)])
    one.run("DELETE FROM t WHERE v = 1")
    soon(lambda: one.rows(shown) == [(2,), (3,)])


def test_fact_24_what_a_batch_refresh_view_cannot_be(one: Session) -> None:
    one.run("CREATE TABLE t (v int)", "CREATE MATERIALIZED VIEW m AS SELECT v FROM t")
    one.fails(BATCH.format(0), errors.InvalidParameterValue, "must be larger than 0, but got: 0")
    one.fails(BATCH.format("'abc'"), errors.InvalidParameterValue, "must be a positive integer")
    one.fails(
        "CREATE MATERIALIZED VIEW c WITH (refresh.interval.sec = 1) AS SELECT 1 AS a",
        errors.FeatureNotSupported,
        "must have snapshot backfill upstream",
    )
    one.run("CREATE MATERIALIZED VIEW b WITH (refresh.interval.sec = 60) AS SELECT v FROM t")
    one.fails(
        "CREATE MATERIALIZED VIEW c AS SELECT v FROM b",
        errors.FeatureNotSupported,
        "creating streaming jobs on batch refresh materialized views is not supported",
    )
    one.fails(
        "ALTER TABLE t ADD COLUMN x int",
        errors.FeatureNotSupported,
        "replacing a table with dependent batch refresh materialized views is not supported",
    )
    one.run("SET streaming_use_snapshot_backfill = false", "DROP MATERIALIZED VIEW b")
    one.fails(BATCH.format(1), errors.FeatureNotSupported, "requires snapshot backfill")


@pytest.mark.slow
def test_fact_25_a_batch_refresh_view_outlives_a_restart_and_can_be_dropped(
    launch: Launch, tmp_path: Path
) -> None:
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        session.run("CREATE TABLE t (v int)", "CREATE MATERIALIZED VIEW m AS SELECT v FROM t")
        session.run("INSERT INTO t VALUES (1)", BATCH.format(1), "INSERT INTO t VALUES (2)")
    server.kill()
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        assert session.value("SELECT count(*) FROM b") >= 1
        session.run("INSERT INTO t VALUES (3)")
        soon(lambda: bool(session.value("SELECT count(*) FROM b") == 3))
        assert session.rows(PROGRESS) == []
        session.run("DROP MATERIALIZED VIEW b", "DROP TABLE t CASCADE")


def test_fact_26_exactly_one_refresh_catches_up_with_a_pause(one: Session) -> None:
    one.run("CREATE TABLE t (v int)", "CREATE MATERIALIZED VIEW m AS SELECT v FROM t")
    one.run(BATCH.format(1), "INSERT INTO t VALUES (1)")
    one.pause()
    refreshes = "SELECT count(*) FROM rw_catalog.rw_epochs WHERE relation = 'b' AND rows_in > 0"
    before = one.value(refreshes)
    soon(lambda: one.run("FLUSH") == "FLUSH")
    one.connection.execute("SELECT pg_sleep(2.2)")
    assert (one.value("SELECT count(*) FROM b"), one.value(refreshes)) == (0, before)
    one.resume()
    soon(lambda: one.value("SELECT count(*) FROM b") == 1)
    assert one.value(refreshes) == before + 1
