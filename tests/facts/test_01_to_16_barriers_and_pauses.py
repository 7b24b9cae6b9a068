"""Facts 1 to 16 of forty that a user of RisingWave relies on, as they hold here: barriers, pauses.

Where this server differs on purpose (docs/known-differences.md), the fact is this server's.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Final

import psycopg
from psycopg import errors

from tests.conftest import Launch
from tests.facts.session import Session, soon
from tests.support.activity import until_runs
from tests.support.server import Address

BACKFILL: Final = "cannot create streaming job with snapshot backfill when paused"
REFRESH: Final = "cannot create batch refresh job while database barrier is paused"


def test_fact_01_views_and_views_on_views_follow_their_tables(one: Session) -> None:
    one.run("CREATE TABLE t (v int)", "INSERT INTO t VALUES (1), (2)")
    one.run("CREATE MATERIALIZED VIEW m AS SELECT sum(v) AS s FROM t", "INSERT INTO t VALUES (3)")
    assert one.value("SELECT s FROM m") == 6
    one.run("DELETE FROM t WHERE v = 1", "CREATE MATERIALIZED VIEW m2 AS SELECT s + 1 AS x FROM m")
    assert one.rows("SELECT s, x FROM m, m2") == [(5, 6)]


def test_fact_02_flush_makes_what_was_written_visible_however_rare_checkpoints_are(
    one: Session,
) -> None:
    one.run("CREATE TABLE t (v int)", "SET implicit_flush = false")
    one.run("ALTER SYSTEM SET checkpoint_frequency TO 1000")
    try:
        one.run("INSERT INTO t VALUES (10)")
        assert one.run("FLUSH") == "FLUSH"
        assert one.value("SELECT count(*) FROM t WHERE v = 10") == 1
    finally:
        one.run("ALTER SYSTEM SET checkpoint_frequency TO DEFAULT")


def test_fact_03_a_view_with_backfill_is_refused_while_paused_and_its_name_is_free(
    one: Session,
) -> None:
    one.run("CREATE TABLE t (v int)", "ALTER SYSTEM PAUSE")
    create = "CREATE MATERIALIZED VIEW m AS SELECT * FROM t"
    one.fails(create, errors.ObjectNotInPrerequisiteState, BACKFILL)
    assert one.value("SELECT count(*) FROM rw_catalog.rw_materialized_views WHERE name = 'm'") == 0
    assert one.rows("SHOW JOBS") == []
    one.run("ALTER SYSTEM RESUME", create)


def test_fact_04_a_batch_refresh_view_is_refused_while_paused_and_nothing_recovers(
    one: Session,
) -> None:
    one.run("CREATE TABLE t (v int)", "ALTER SYSTEM PAUSE")
    create = "CREATE MATERIALIZED VIEW m WITH (refresh.interval.sec = 5) AS SELECT * FROM t"
    recoveries = "SELECT count(*) FROM rw_catalog.rw_event_logs WHERE event_type LIKE '%RECOVERY%'"
    before = one.value(recoveries)
    one.fails(create, errors.ObjectNotInPrerequisiteState, REFRESH)
    assert one.value(recoveries) == before
    one.run("ALTER SYSTEM RESUME", create)


def test_fact_05_one_database_is_paused_by_its_owner_and_others_go_on(
    server: Address, database: Address, one: Session
) -> None:
    create = "CREATE MATERIALIZED VIEW fact_05 AS SELECT * FROM fact_05_t"
    with closing(Session(server)) as dev:
        dev.run("CREATE TABLE fact_05_t (v int)", "CREATE USER fact_05_user")
        one.run("CREATE TABLE fact_05_t (v int)")
        one.pause()
        dev.run(create)
        one.fails(create, errors.ObjectNotInPrerequisiteState, BACKFILL)
        stranger = Address(server.host, server.port, "fact_05_user", database.database)
        with closing(Session(stranger)) as other:
            resume = f"ALTER DATABASE {database.database} RESUME"
            other.fails(resume, errors.InsufficientPrivilege, "must be owner of database")
        one.resume()
        one.run(create)
        dev.run("DROP TABLE fact_05_t CASCADE", "DROP USER fact_05_user")


def test_fact_06_barriers_and_reads_go_on_while_paused(one: Session) -> None:
    one.run("CREATE TABLE t (v int)", "INSERT INTO t VALUES (1)", "ALTER SYSTEM PAUSE")
    barriers = (
        "SELECT count(*) FROM rw_catalog.rw_event_logs WHERE event_type = 'BARRIER_COMPLETE' "
        f"AND info::jsonb ->> 'database' = '{one.database}'"
    )
    before = one.value(barriers)
    one.run("FLUSH")
    assert one.rows("SELECT * FROM t") == [(1,)]
    assert one.value(barriers) > before


def test_fact_07_a_write_waits_for_resume_a_timeout_or_a_cancel(one: Session, two: Session) -> None:
    one.run("CREATE TABLE t (v int)", "ALTER SYSTEM PAUSE")
    insert = two.waits("INSERT INTO t VALUES (99)")
    assert one.value("SELECT count(*) FROM t") == 0
    one.run("ALTER SYSTEM RESUME")
    assert insert.result() == "INSERT 0 1"
    assert one.value("SELECT count(*) FROM t WHERE v = 99") == 1
    one.run("ALTER SYSTEM PAUSE")
    two.run("SET statement_timeout = '300ms'")
    two.fails("INSERT INTO t VALUES (100)", errors.QueryCanceled)
    two.run("SET statement_timeout = 0")
    cancelled = two.waits("INSERT INTO t VALUES (101)")
    until_runs(one.connection, two.connection.info.backend_pid, "101")
    two.connection.cancel()
    try:
        cancelled.result()
    except errors.QueryCanceled:
        one.run("ALTER SYSTEM RESUME")
    assert one.value("SELECT count(*) FROM t") == 1


def test_fact_08_sources_stand_still_while_paused_and_lose_and_repeat_nothing(
    one: Session,
) -> None:
    counted = (
        "WITH (connector = 'datagen', fields.v.kind = 'sequence', fields.v.start = '1', "
        "fields.v.end = '1000000', datagen.rows.per.second = '10')"
    )
    one.run(f"CREATE SOURCE s (v int) {counted}", f"CREATE TABLE t (v int) {counted}")
    one.run("CREATE MATERIALIZED VIEW m AS SELECT v FROM s")
    tell = (
        "SELECT count(*), count(DISTINCT v), min(v), max(v) FROM {0}"
        " WHERE (SELECT count(*) FROM {0}) > 0"
    )
    soon(lambda: one.value("SELECT least((SELECT count(*) FROM m), (SELECT count(*) FROM t))") > 0)
    one.pause()
    before = [one.rows(tell.format(name)) for name in ("m", "t")]
    time.sleep(1.5)
    assert [one.rows(tell.format(name)) for name in ("m", "t")] == before
    one.resume()
    for name, ((count, *_),) in zip(("m", "t"), before, strict=True):
        soon(lambda name=name, count=count: one.value(f"SELECT count(*) FROM {name}") > count)  # type: ignore[misc]
        ((rows, distinct, first, last),) = one.rows(tell.format(name))
        assert (rows, distinct, first, last) == (last, last, 1, last)
    one.fails("SELECT * FROM s", errors.FeatureNotSupported, "keeps no rows", has_hint=True)
    one.fails("INSERT INTO s VALUES (1)", errors.WrongObjectType, 'cannot change source "s"')


def test_fact_09_now_stands_still_while_paused(one: Session) -> None:
    one.run("CREATE TABLE t (ts timestamptz)")
    one.run(
        "CREATE MATERIALIZED VIEW m AS SELECT ts FROM t WHERE ts > now() - interval '4 seconds'"
    )
    one.run("INSERT INTO t VALUES (now())")
    one.pause()
    time.sleep(4.6)
    assert one.value("SELECT count(*) FROM m") == 1
    one.resume()
    soon(lambda: one.value("SELECT count(*) FROM m") == 0)


def test_fact_10_pauses_are_not_counted(one: Session, two: Session) -> None:
    one.run("CREATE TABLE t (v int)", "ALTER SYSTEM PAUSE", "ALTER SYSTEM PAUSE")
    insert = two.waits("INSERT INTO t VALUES (1)")
    one.run("ALTER SYSTEM RESUME")
    assert insert.result() == "INSERT 0 1"
    assert one.run("ALTER SYSTEM RESUME") == "ALTER SYSTEM"


def test_fact_11_without_snapshot_backfill_a_view_is_accepted_and_filled_at_resume(
    one: Session,
) -> None:
    one.run("CREATE TABLE t (v int)", "INSERT INTO t VALUES (1), (2)")
    one.run("SET streaming_use_snapshot_backfill = false", "SET background_ddl = true")
    one.pause()
    one.run("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    progress = one.rows("SELECT progress FROM rw_catalog.rw_ddl_progress")
    assert progress == [("0.00% (waiting for RESUME)",)]
    assert one.rows("SELECT progress FROM rw_catalog.rw_ddl_progress") == progress
    one.resume()
    assert one.run("WAIT") == "WAIT"
    assert one.value("SELECT count(*) FROM m") == 2


def test_fact_12_a_table_is_created_while_paused_and_its_first_insert_waits(
    one: Session, two: Session
) -> None:
    one.run("CREATE TABLE old (v int)", "CREATE MATERIALIZED VIEW m AS SELECT * FROM old")
    one.pause()
    one.run("CREATE TABLE t (v int)")
    insert = two.waits("INSERT INTO t VALUES (1)")
    one.run("DROP MATERIALIZED VIEW m", "CREATE VIEW w AS SELECT * FROM old")
    one.run("ALTER TABLE old RENAME TO older", "DROP TABLE older CASCADE")
    one.resume()
    assert insert.result() == "INSERT 0 1"


def test_fact_13_a_create_before_the_pause_goes_on_after_it_and_one_behind_it_is_refused(
    one: Session, two: Session
) -> None:
    one.run("CREATE TABLE t (v int)", "INSERT INTO t SELECT generate_series(1, 1500)")
    two.run("SET backfill_rate_limit = 1000")
    creation = two.waits("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    one.pause()
    one.fails(
        "CREATE MATERIALIZED VIEW n AS SELECT * FROM t",
        errors.ObjectNotInPrerequisiteState,
        BACKFILL,
    )
    assert "waiting for RESUME" in one.rows("SHOW JOBS")[0][3]
    one.resume()
    assert creation.result() == "CREATE MATERIALIZED VIEW"
    assert one.value("SELECT count(*) FROM m") == 1500


def test_fact_14_a_pause_is_durable_over_recover(one: Session, two: Session) -> None:
    one.run("CREATE TABLE t (v int)", "ALTER SYSTEM PAUSE", "RECOVER")
    insert = two.waits("INSERT INTO t VALUES (1)")
    one.run("ALTER SYSTEM RESUME")
    assert insert.result() == "INSERT 0 1"


def test_fact_14_and_15_pauses_over_a_restart_and_pause_on_next_bootstrap(
    launch: Launch, tmp_path: Path
) -> None:
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        session.run("CREATE TABLE t (v int)", "ALTER SYSTEM PAUSE")
    assert server.stop() == 0
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        session.run("SET paused_dml = 'error'")
        session.fails("INSERT INTO t VALUES (1)", errors.ObjectNotInPrerequisiteState)
        session.run("ALTER SYSTEM RESUME", "INSERT INTO t VALUES (1)")
        session.run("ALTER SYSTEM SET pause_on_next_bootstrap TO true")
    assert server.stop() == 0
    server = launch(tmp_path / "data")
    with closing(Session(server.address)) as session:
        shown = {name: value for name, value, *_ in session.rows("SHOW PARAMETERS")}
        assert shown["pause_on_next_bootstrap"] == "false"
        session.run("SET paused_dml = 'error'")
        session.fails("INSERT INTO t VALUES (2)", errors.ObjectNotInPrerequisiteState)
        session.run("ALTER SYSTEM RESUME", "INSERT INTO t VALUES (2)")
        assert session.value("SELECT count(*) FROM t") == 2


def test_fact_16_a_database_has_barrier_parameters_of_its_own(one: Session) -> None:
    shown = (
        "SELECT barrier_interval_ms, checkpoint_frequency FROM rw_catalog.rw_databases "
        f"WHERE name = '{one.database}'"
    )
    alter = f"ALTER DATABASE {one.database} SET"
    one.run(f"{alter} BARRIER_INTERVAL_MS = 200", f"{alter} CHECKPOINT_FREQUENCY = 5")
    assert one.rows(shown) == [(200, 5)]
    one.run(f"{alter} BARRIER_INTERVAL_MS = DEFAULT", f"{alter} CHECKPOINT_FREQUENCY TO DEFAULT")
    assert one.rows(shown) == [(None, None)]
    one.fails("ALTER SYSTEM SET barrier_interval_ms TO 10", psycopg.errors.InvalidParameterValue)
    one.run("ALTER SYSTEM SET barrier_interval_ms TO 300000")
    assert one.value("SHOW barrier_interval_ms") == "300000"
    one.run("ALTER SYSTEM SET barrier_interval_ms TO '2s'")
    listed = "SELECT setting, unit, context FROM pg_settings WHERE name = 'barrier_interval_ms'"
    assert one.rows(listed) == [("2000", "ms", "sighup")]
    one.fails("SET barrier_interval_ms = 100", psycopg.errors.CantChangeRuntimeParam)
    one.run("ALTER SYSTEM SET barrier_interval_ms TO DEFAULT")
    assert "This can hurt freshness" in one.notices[-1]
    shown_all = {name: value for name, value, _ in one.rows("SHOW ALL")}
    assert shown_all["barrier_interval_ms"] == one.value("SHOW barrier_interval_ms") == "1000"
