"""The jobs of views that are filled beside the barriers, as clients and operators see them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.background import Background
from tests.support.server import Address, Connection, hang_up

#: A job that reads this many rows a second has much to do with the rows of ``t``.
SLOW = b"SET backfill_rate_limit = 500"
CREATE = b"CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v"
#: And then it has nobody to wait for.
HURRY = b"ALTER MATERIALIZED VIEW m SET BACKFILL_RATE_LIMIT TO DEFAULT"


@pytest.fixture
def one(database: Address) -> Iterator[Connection]:
    with closing(database.connect()) as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
        connection.execute("INSERT INTO t SELECT i, i % 10 FROM generate_series(1, 5000) AS i")
        yield connection


@pytest.fixture
def two(database: Address, one: Connection) -> Iterator[Connection]:
    with closing(database.connect()) as connection:
        yield connection


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def jobs(connection: Connection) -> list[tuple[object, ...]]:
    return connection.execute("SHOW JOBS").fetchall()


def in_background(connection: Connection) -> None:
    connection.execute("SET background_ddl = on")
    connection.execute(SLOW)
    connection.execute(CREATE)


def assert_gone(connection: Connection) -> None:
    assert jobs(connection) == []
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute("SELECT * FROM m")
    connection.execute("SET backfill_rate_limit = DEFAULT")
    connection.execute(CREATE)
    assert connection.execute("SELECT sum(n) FROM m").fetchone() == (5000,)


def test_a_background_job_shows_its_progress_and_others_write_meanwhile(
    one: Connection, two: Connection
) -> None:
    in_background(one)
    ((number, statement, kind, _),) = jobs(two)
    assert (statement, kind) == (CREATE.decode(), "BACKGROUND")
    until(lambda: "500/5000" in str(jobs(two)))
    row = two.execute("SELECT ddl_id, progress, backfill_type FROM rw_catalog.rw_ddl_progress")
    ((ddl_id, progress, backfill),) = row.fetchall()
    assert (str(ddl_id), backfill) == (number, "SNAPSHOT_BACKFILL")
    assert "/5000)" in progress
    two.execute("INSERT INTO t VALUES (9001, 77)")
    two.execute("DELETE FROM t WHERE v = 3")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        two.execute("SELECT * FROM m")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        two.execute("CREATE MATERIALIZED VIEW above AS SELECT * FROM m")
    with pytest.raises(psycopg.errors.DuplicateTable):
        two.execute(CREATE)
    two.execute(HURRY)
    two.execute("WAIT")
    assert jobs(two) == []
    assert two.execute("SELECT n FROM m WHERE v = 77").fetchone() == (1,)
    assert two.execute("SELECT n FROM m WHERE v = 3").fetchone() is None
    assert two.execute("CHECK MATERIALIZED VIEW m").fetchall() == []


def test_a_job_stands_back_when_others_want_the_processor(launch: Launch) -> None:
    process = launch(None)
    tasks = Path(f"/proc/{process.process.pid}/task")
    with process.address.connect() as connection:
        connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
        connection.execute("INSERT INTO t SELECT i, i % 10 FROM generate_series(1, 5000) AS i")
        usual = {niceness(task) for task in tasks.iterdir()}
        assert len(usual) == 1
        in_background(connection)
        until(lambda: len([task for task in tasks.iterdir() if niceness(task) > min(usual)]) == 1)
        connection.execute(HURRY)
        connection.execute("WAIT")
        until(lambda: {niceness(task) for task in tasks.iterdir()} == usual)


def niceness(task: Path) -> int:
    return int((task / "stat").read_text().rpartition(")")[2].split()[16])


def test_cancel_jobs_takes_a_background_job_away(one: Connection, two: Connection) -> None:
    in_background(one)
    ((number, *_),) = jobs(two)
    assert two.execute(f"CANCEL JOBS {number}".encode()).fetchall() == [(number,)]
    assert_gone(two)


def test_cancel_jobs_ends_the_statement_that_waits(one: Connection, two: Connection) -> None:
    one.execute(SLOW)
    creation = Background(lambda: one.execute(CREATE))
    until(lambda: bool(jobs(two)))
    two.execute(f"CANCEL JOBS {jobs(two)[0][0]}".encode())
    with pytest.raises(psycopg.errors.QueryCanceled):
        creation.result(10)
    assert_gone(two)


def test_a_dropped_view_is_not_filled_any_more(one: Connection, two: Connection) -> None:
    in_background(one)
    two.execute("DROP MATERIALIZED VIEW m")
    assert_gone(two)


def test_cancel_of_the_statement_cancels_its_job(one: Connection, two: Connection) -> None:
    one.execute(SLOW)
    creation = Background(lambda: one.execute(CREATE))
    until(lambda: bool(jobs(two)))
    one.cancel()
    with pytest.raises(psycopg.errors.QueryCanceled):
        creation.result(10)
    # Its name is free when the statement has ended.
    assert_gone(one)


def test_a_client_that_goes_takes_its_job_with_it(database: Address, two: Connection) -> None:
    leaving = database.connect()
    leaving.execute(SLOW)
    creation = Background(lambda: leaving.execute(CREATE))
    until(lambda: bool(jobs(two)))
    hang_up(leaving)
    until(lambda: not jobs(two))
    assert_gone(two)
    with pytest.raises(psycopg.Error):
        creation.result(10)


def test_a_pause_holds_a_job_and_resume_lets_it_go_on(
    database: Address, one: Connection, two: Connection
) -> None:
    in_background(one)
    until(lambda: "500/5000" in str(jobs(two)))
    two.execute(f"ALTER DATABASE {database.database} PAUSE".encode())
    time.sleep(0.2)
    before = jobs(two)
    assert "waiting for RESUME" in str(before)
    time.sleep(1.5)
    assert jobs(two) == before
    two.execute(f"ALTER DATABASE {database.database} RESUME".encode())
    two.execute(HURRY)
    two.execute("WAIT")
    assert two.execute("CHECK MATERIALIZED VIEW m").fetchall() == []


def test_a_long_creation_says_how_far_it_is(one: Connection, two: Connection) -> None:
    notices: list[str] = []
    one.add_notice_handler(lambda n: notices.append(n.message_primary or ""))
    one.execute(SLOW)
    creation = Background(lambda: one.execute(CREATE))
    until(lambda: bool(notices))
    two.execute(HURRY)
    creation.result()
    assert all(n.startswith('creating materialized view "m": ') for n in notices)
    assert "/5000)" in notices[0]


def test_a_job_over_nothing_waits_for_no_limit(one: Connection) -> None:
    one.execute("CREATE TABLE e (a int)")
    one.execute(SLOW)
    one.execute("CREATE MATERIALIZED VIEW me AS SELECT count(*) AS n FROM e")
    assert one.execute("SELECT n FROM me").fetchone() == (0,)


def test_an_expression_that_fails_for_a_row_is_null_there(one: Connection) -> None:
    one.execute("SET backfill_rate_limit = 100000")
    one.execute("CREATE MATERIALIZED VIEW m AS SELECT k, 10 / v AS d FROM t")
    assert one.execute("SELECT count(*) FROM m WHERE d IS NULL").fetchone() == (500,)
    one.execute("INSERT INTO t VALUES (9001, 0)")
    assert one.execute("SELECT count(*) FROM m WHERE d IS NULL").fetchone() == (501,)


def test_a_strict_view_that_cannot_be_filled_tells_its_creator(one: Connection) -> None:
    one.execute("SET backfill_rate_limit = 100000")
    one.execute("SET streaming_expr_strict_mode = on")
    with pytest.raises(psycopg.errors.DivisionByZero):
        one.execute("CREATE MATERIALIZED VIEW m AS SELECT k, 10 / v AS d FROM t")
    assert jobs(one) == []


def test_a_batch_refresh_view_is_filled_beside_the_barriers_too(
    one: Connection, two: Connection
) -> None:
    one.execute("SET backfill_rate_limit = 3000")
    creation = Background(
        lambda: one.execute(
            "CREATE MATERIALIZED VIEW m WITH (refresh.interval.sec = 1) AS SELECT count(*) AS n "
            "FROM t"
        )
    )
    until(lambda: bool(jobs(two)))
    two.execute("INSERT INTO t VALUES (9001, 1)")
    creation.result(20)
    assert two.execute("SELECT n FROM m").fetchone() == (5001,)
    two.execute("INSERT INTO t VALUES (9002, 1)")
    until(lambda: two.execute("SELECT n FROM m").fetchone() == (5002,))


def test_recover_fills_a_failed_view_anew(one: Connection, two: Connection) -> None:
    one.execute("SET streaming_expr_strict_mode = on")
    one.execute("DELETE FROM t WHERE v = 0")
    one.execute("CREATE MATERIALIZED VIEW m AS SELECT k, 10 / v AS d FROM t")
    one.execute("CREATE MATERIALIZED VIEW above AS SELECT count(*) AS n FROM m")
    one.execute("INSERT INTO t VALUES (9001, 0)")
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        two.execute("SELECT * FROM above")
    notices: list[str] = []
    two.add_notice_handler(lambda n: notices.append(n.message_primary or ""))
    assert two.execute("RECOVER").statusmessage == "RECOVER"
    assert [n.split(" of ")[0] for n in notices] == [
        'materialized view "m"',
        'materialized view "above"',
    ]
    one.execute("DELETE FROM t WHERE v = 0")
    two.execute("RECOVER")
    assert len(notices) == 2
    assert two.execute("SELECT n FROM above").fetchone() == (4500,)
    one.execute("INSERT INTO t VALUES (9002, 1)")
    assert two.execute("SELECT n FROM above").fetchone() == (4501,)
    assert two.execute("CHECK MATERIALIZED VIEW m").fetchall() == []


def test_recover_is_for_superusers(database: Address, one: Connection) -> None:
    one.execute("CREATE USER plain_of_recover")
    try:
        with (
            closing(database.connect(user="plain_of_recover")) as plain,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            plain.execute("RECOVER")
    finally:
        one.execute("DROP USER plain_of_recover")


def test_a_job_takes_a_new_limit_on_its_way(one: Connection, two: Connection) -> None:
    one.execute("SET background_ddl = on")
    one.execute("SET backfill_rate_limit = 0")
    one.execute(CREATE)
    until(lambda: "0/" in str(jobs(two)))
    two.execute("ALTER MATERIALIZED VIEW m SET BACKFILL_RATE_LIMIT = 500")
    until(lambda: "500/5000" in str(jobs(two)))
    two.execute(HURRY)
    two.execute("WAIT MATERIALIZED VIEW m")
    assert two.execute("SELECT sum(n) FROM m").fetchone() == (5000,)
    for bad in ("-2", "99999999999", "1.5"):
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            two.execute(f"ALTER MATERIALIZED VIEW m SET BACKFILL_RATE_LIMIT = {bad}".encode())


def test_wait_ends_when_the_job_is_cancelled_and_fails_when_its_view_was_awaited(
    one: Connection, two: Connection, database: Address
) -> None:
    with closing(database.connect()) as three:
        in_background(one)
        for_all = Background(lambda: two.execute("WAIT").statusmessage)
        for_one = Background(lambda: three.execute("WAIT MATERIALIZED VIEW m"))
        for_all.assert_waits(0.2)
        one.execute("DROP MATERIALIZED VIEW m")
        assert for_all.result() == "WAIT"
        with pytest.raises(psycopg.errors.QueryCanceled):
            for_one.result()
    with pytest.raises(psycopg.errors.UndefinedTable):
        two.execute("WAIT MATERIALIZED VIEW m")
    with pytest.raises(psycopg.errors.WrongObjectType):
        two.execute("WAIT MATERIALIZED VIEW t")


def test_tables_and_indexes_are_there_at_once(one: Connection) -> None:
    one.execute("CREATE INDEX i ON t (v)")
    one.execute("CREATE VIEW plain AS SELECT 1 AS a")
    assert one.execute("WAIT TABLE t").statusmessage == "WAIT"
    assert one.execute("WAIT INDEX i").statusmessage == "WAIT"
    for statement, error in (
        (b"WAIT TABLE nope", psycopg.errors.UndefinedTable),
        (b"WAIT TABLE plain", psycopg.errors.WrongObjectType),
        (b"WAIT INDEX t", psycopg.errors.UndefinedObject),
        (b"WAIT SINK t", psycopg.errors.FeatureNotSupported),
        (b"WAIT VIEW plain", psycopg.errors.SyntaxError),
    ):
        with pytest.raises(error):
            one.execute(statement)


def test_a_prepared_check_is_refused_when_the_view_has_other_columns_now(one: Connection) -> None:
    for columns in ("k", "k, v"):
        one.execute("DROP MATERIALIZED VIEW IF EXISTS m")
        one.execute(f"CREATE MATERIALIZED VIEW m AS SELECT {columns} FROM t".encode())
        if columns == "k":
            for _ in range(2):
                assert one.execute("CHECK MATERIALIZED VIEW m", prepare=True).fetchall() == []
            one.execute("DECLARE c CURSOR WITH HOLD FOR SELECT k FROM m")
            assert len(one.execute("FETCH 1 FROM c", prepare=True).fetchall()) == 1
    one.execute("CLOSE c")
    one.execute("DECLARE c CURSOR WITH HOLD FOR SELECT k, v FROM m")
    for statement in ("CHECK MATERIALIZED VIEW m", "FETCH 1 FROM c"):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="cached plan"):
            one.execute(statement.encode(), prepare=True)
