"""What clients see of a pause: both errors to the letter, waits, and that nothing is lost or left."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
import pg8000.dbapi
import psycopg
import psycopg2
import pytest

from tests.support.activity import until_gone, until_runs
from tests.support.background import PATIENCE_SECONDS, Background
from tests.support.server import Address, Connection, hang_up

BACKFILL_ERROR: Final = "cannot create streaming job with snapshot backfill when paused"
REFRESH_ERROR: Final = "cannot create batch refresh job while database barrier is paused"
BACKFILL: Final = "CREATE MATERIALIZED VIEW fresh AS SELECT k FROM t"
REFRESH: Final = "CREATE MATERIALIZED VIEW fresh WITH (refresh.interval.sec = 5) AS SELECT k FROM t"
REFUSALS: Final = [(BACKFILL, BACKFILL_ERROR), (REFRESH, REFRESH_ERROR)]


@dataclass(frozen=True)
class Scope:
    """One of the two ways to pause."""

    name: str
    statement: str  #: with {database} where it stands

    def pause(self, address: Address) -> str:
        return f"{self.statement.format(database=address.database)} PAUSE"

    def resume(self, address: Address) -> str:
        return f"{self.statement.format(database=address.database)} RESUME"


SCOPES: Final = [Scope("system", "ALTER SYSTEM"), Scope("database", "ALTER DATABASE {database}")]


def run(connection: Connection, sql: str) -> None:
    connection.execute(sql.encode())


def value(connection: Connection, sql: str) -> Any:
    row = connection.execute(sql.encode()).fetchone()
    assert row is not None
    return row[0]


@pytest.fixture(params=SCOPES, ids=lambda scope: scope.name)
def scope(
    request: pytest.FixtureRequest, connection: Connection, database: Address
) -> Iterator[Scope]:
    """A table ``t`` with one row and a view over it, paused by each of the scopes in turn."""
    scope: Scope = request.param
    run(connection, "CREATE TABLE t (k int PRIMARY KEY, v int)")
    run(connection, "CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, sum(v) AS s FROM t")
    run(connection, "INSERT INTO t VALUES (1, 10)")
    run(connection, scope.pause(database))
    yield scope
    run(connection, scope.resume(database))


@pytest.mark.parametrize(("statement", "message"), REFUSALS, ids=["backfill", "refresh"])
def test_the_refusal_has_all_its_fields(
    statement: str, message: str, scope: Scope, connection: Connection, database: Address
) -> None:
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as refused:
        run(connection, statement)
    told = refused.value.diag
    assert (told.severity, told.severity_nonlocalized, told.sqlstate) == ("ERROR", "ERROR", "55000")
    assert told.message_primary == message
    assert told.message_detail is not None
    assert scope.name in told.message_detail.lower()
    assert "root" in told.message_detail
    assert str(time.gmtime().tm_year) in told.message_detail
    assert told.message_hint is not None
    assert scope.resume(database) in told.message_hint.replace('"', "")


@pytest.mark.parametrize(("statement", "message"), REFUSALS, ids=["backfill", "refresh"])
def test_the_refused_name_is_free_and_the_statement_succeeds_after_resume(
    statement: str, message: str, scope: Scope, connection: Connection, database: Address
) -> None:
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        run(connection, statement)
    with pytest.raises(psycopg.errors.UndefinedTable):
        run(connection, "SELECT * FROM fresh")
    assert connection.execute("SHOW JOBS").fetchall() == []
    run(connection, "CREATE TABLE fresh (a int)")
    run(connection, "DROP TABLE fresh")
    run(connection, scope.resume(database))
    run(connection, statement)
    assert value(connection, "SELECT count(*) FROM fresh") == 1


@pytest.mark.parametrize(("statement", "message"), REFUSALS, ids=["backfill", "refresh"])
def test_psql_shows_the_refusal_and_stops(
    statement: str, message: str, scope: Scope, database: Address
) -> None:
    script = f"\\set VERBOSITY verbose\n{statement};\n\\echo not reached\n"
    done = subprocess.run(
        ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-f", "-", database.url],
        input=script, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    lines = done.stderr.splitlines()
    assert done.returncode == 3
    assert lines[0].endswith(f"ERROR:  55000: {message}")
    assert lines[1].startswith("DETAIL:  ")
    assert lines[2].startswith("HINT:  ")
    assert scope.resume(database) in lines[2].replace('"', "")
    assert "not reached" not in done.stdout


def test_psycopg2_sees_the_refusal(scope: Scope, database: Address) -> None:
    session = psycopg2.connect(database.url)
    session.autocommit = True
    try:
        with pytest.raises(psycopg2.Error) as refused:
            session.cursor().execute(BACKFILL)
        assert refused.value.pgcode == "55000"
        assert refused.value.diag.message_primary == BACKFILL_ERROR
        assert "root" in refused.value.diag.message_detail
        assert "RESUME" in refused.value.diag.message_hint
    finally:
        session.close()


def test_asyncpg_sees_the_refusal(scope: Scope, database: Address) -> None:
    async def ask() -> asyncpg.PostgresError | None:
        session = await asyncpg.connect(database.url, timeout=10)
        try:
            await session.execute(REFRESH, timeout=10)
        except asyncpg.PostgresError as e:
            return e
        finally:
            await session.close(timeout=5)
        return None

    refused = asyncio.run(ask())
    assert refused is not None
    assert (refused.sqlstate, refused.args[0]) == ("55000", REFRESH_ERROR)
    assert "RESUME" in refused.hint


def test_pg8000_sees_the_refusal(scope: Scope, database: Address) -> None:
    session = pg8000.dbapi.connect(
        user=database.user, host=database.host, port=database.port, database=database.database
    )
    session.autocommit = True
    try:
        with pytest.raises(pg8000.dbapi.DatabaseError) as refused:
            session.cursor().execute(BACKFILL)
        told = refused.value.args[0]
        assert (told["C"], told["M"]) == ("55000", BACKFILL_ERROR)
        assert "root" in told["D"]
        assert "RESUME" in told["H"]
    finally:
        session.close()


def test_reading_and_dropping_go_on(scope: Scope, database: Address) -> None:
    with database.connect() as other:  # connecting goes on too
        assert value(other, "SELECT s FROM total") == 10
        run(other, "FLUSH")
        run(other, "CREATE VIEW plain AS SELECT n FROM total")
        assert value(other, "SELECT n FROM plain") == 1
        run(other, "DROP VIEW plain")
        run(other, "DROP MATERIALIZED VIEW total")


def test_a_waiting_insert_says_so_and_succeeds_at_resume(
    scope: Scope, connection: Connection, database: Address
) -> None:
    with database.connect() as writer:
        told: list[str | None] = []
        writer.add_notice_handler(lambda notice: told.append(notice.message_primary))
        waiting = Background(
            lambda: writer.execute("INSERT INTO t VALUES (2, 20), (3, 30)").statusmessage
        )
        waiting.assert_waits()
        assert told == [f'database "{database.database}" is paused; waiting for RESUME']
        assert value(connection, "SELECT n FROM total") == 1
        run(connection, scope.resume(database))
        assert waiting.result() == "INSERT 0 2"
        assert value(writer, "SELECT s FROM total") == 60


def test_a_waiting_insert_is_cancelled_alone(
    scope: Scope, connection: Connection, database: Address
) -> None:
    with database.connect() as one, database.connect() as two:
        cancelled = Background(lambda: one.execute("INSERT INTO t VALUES (2, 20)"))
        other = Background(lambda: two.execute("INSERT INTO t VALUES (3, 30)"))
        until_runs(connection, one.info.backend_pid, "INSERT")
        cancelled.assert_waits()
        one.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled):
            cancelled.result()
        other.assert_waits(0.3)
        run(connection, scope.resume(database))
        other.result()
        assert value(one, "SELECT s FROM total") == 40


def test_a_waiting_insert_times_out_and_leaves_nothing(
    scope: Scope, connection: Connection, database: Address
) -> None:
    with database.connect() as writer:
        run(writer, "SET statement_timeout = '400ms'")
        began = time.monotonic()
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            run(writer, "INSERT INTO t VALUES (2, 20)")
        assert 0.3 < time.monotonic() - began < PATIENCE_SECONDS
        run(writer, "SET statement_timeout = 0")
        assert value(writer, "SELECT s FROM total") == 10
        run(connection, scope.resume(database))
        run(connection, "FLUSH")
        assert value(connection, "SELECT n FROM total") == 1


def test_a_client_that_leaves_takes_its_insert_along(
    scope: Scope, connection: Connection, database: Address
) -> None:
    writer = database.connect()
    waiting = Background(lambda: writer.execute("INSERT INTO t VALUES (2, 20)"))
    waiting.assert_waits()
    backend = writer.info.backend_pid  # Not known of a broken connection.
    until_runs(connection, backend, "INSERT")
    hang_up(writer)
    until_gone(connection, backend)
    run(connection, scope.resume(database))
    run(connection, "FLUSH")
    assert value(connection, "SELECT n FROM total") == 1


def test_commit_waits_and_its_timeout_rolls_back(connection: Connection, database: Address) -> None:
    run(connection, "CREATE TABLE t (k int PRIMARY KEY)")
    with database.connect(autocommit=False) as writer:
        writer.execute("INSERT INTO t VALUES (1)")
        run(connection, f"ALTER DATABASE {database.database} PAUSE")
        committing = Background(writer.commit)
        committing.assert_waits()
        run(connection, f"ALTER DATABASE {database.database} RESUME")
        committing.result()
        writer.execute("INSERT INTO t VALUES (2)")
        writer.execute("SET statement_timeout = '300ms'")  # Last: nothing but COMMIT waits.
        run(connection, f"ALTER DATABASE {database.database} PAUSE")
        with pytest.raises(psycopg.errors.QueryCanceled):
            writer.commit()
        writer.rollback()
        run(connection, f"ALTER DATABASE {database.database} RESUME")
        assert value(connection, "SELECT count(*) FROM t") == 1


def test_a_database_stays_paused_until_both_scopes_are_lifted(
    connection: Connection, database: Address
) -> None:
    told: list[str] = []
    connection.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
    run(connection, "CREATE TABLE t (k int PRIMARY KEY)")
    run(connection, "SET paused_dml = 'error'")
    run(connection, f"ALTER DATABASE {database.database} PAUSE")
    run(connection, "ALTER SYSTEM PAUSE")
    run(connection, f"ALTER DATABASE {database.database} RESUME")
    assert any("system" in text for text in told)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        run(connection, "INSERT INTO t VALUES (1)")
    run(connection, "ALTER SYSTEM RESUME")
    run(connection, "INSERT INTO t VALUES (1)")


def test_a_pause_of_one_database_leaves_the_others_alone(
    connection: Connection, server: Address, database: Address
) -> None:
    run(connection, f"ALTER DATABASE {database.database} PAUSE")
    with server.connect() as elsewhere:
        run(elsewhere, "CREATE TABLE elsewhere (k int PRIMARY KEY)")
        run(elsewhere, "INSERT INTO elsewhere VALUES (1)")
        run(elsewhere, "DROP TABLE elsewhere")
    run(connection, f"ALTER DATABASE {database.database} RESUME")


def test_a_step_lets_through_what_waits_and_nothing_that_comes_later(
    connection: Connection, database: Address
) -> None:
    run(connection, "CREATE TABLE t (k int PRIMARY KEY, v int)")
    run(connection, "CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n, sum(v) AS s FROM t")
    run(connection, "INSERT INTO t VALUES (1, 1)")
    run(connection, f"ALTER DATABASE {database.database} PAUSE")
    with database.connect() as one, database.connect() as two, database.connect() as three:
        told: list[str | None] = []
        one.add_notice_handler(lambda diagnostic: told.append(diagnostic.message_primary))
        insert = Background(lambda: run(one, "INSERT INTO t VALUES (2, 2)"))
        update = Background(lambda: run(two, "UPDATE t SET v = v + 10 WHERE k = 1"))
        nothing = Background(lambda: run(three, "DELETE FROM t WHERE k = 77"))
        for waiting in (insert, update, nothing):
            waiting.assert_waits(0.3)
        run(connection, f"ALTER DATABASE {database.database} STEP")
        for waiting in (insert, update, nothing):
            waiting.result(5)
        assert connection.execute("SELECT n, s FROM m").fetchall() == [(2, 13)]
        assert told == [f'database "{database.database}" is paused; waiting for RESUME']
        late = Background(lambda: run(one, "INSERT INTO t VALUES (3, 3)"))
        late.assert_waits()
        run(connection, f"ALTER DATABASE {database.database} RESUME")
        late.result()


def test_a_rejected_step_is_an_error_of_its_kind(database: Address) -> None:
    with database.connect() as connection:
        for statement, sqlstate in (
            (f"ALTER DATABASE {database.database} STEP", "55000"),
            ("ALTER DATABASE nowhere STEP", "3D000"),
            ("ALTER SYSTEM STEP", "42601"),
        ):
            with pytest.raises(psycopg.Error) as caught:
                run(connection, statement)
            assert caught.value.sqlstate == sqlstate, statement
