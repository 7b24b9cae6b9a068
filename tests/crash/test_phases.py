"""kill -9 at every step of every phase over real files: whole or not there at all, and it goes on.

The server kills itself at a step (``tests/support/dying_server.py``); another takes its files over.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.support.background import Background
from tests.support.dying_server import PHASES
from tests.support.server import REPOSITORY, Connection, ServerProcess, running_server

#: What each phase begins with, in one session one after the other.
ACTS: Final = {
    "barrier": (
        "INSERT INTO t SELECT i, i % 7 FROM generate_series(2001, 2200) AS i",
        "UPDATE t SET v = v + 1 WHERE k % 5 = 0",
        "DELETE FROM t WHERE k % 3 = 0",
        "INSERT INTO plain SELECT generate_series(1, 50)",
    ),
    "queue": (
        "SET implicit_flush = off",
        *(f"INSERT INTO plain VALUES ({1000 + n})" for n in range(12)),
    ),
    "definition": (
        "CREATE TABLE fresh (a int)",
        "ALTER TABLE fresh RENAME TO other",
        "DROP TABLE other",
        "DROP MATERIALIZED VIEW passing",
    ),
    "creation": (
        "CREATE MATERIALIZED VIEW made AS SELECT v, count(*) AS n FROM t GROUP BY v",
        "CREATE MATERIALIZED VIEW made_too AS SELECT max(n) AS n FROM made",
    ),
    "backfill": (
        "SET background_ddl = on",
        "SET backfill_rate_limit = 100000",
        "CREATE MATERIALIZED VIEW made AS SELECT v, count(*) AS n FROM t GROUP BY v",
        "INSERT INTO t VALUES (5001, 5)",
        "WAIT",
    ),
    "merge": (
        "SET background_ddl = on",
        "SET backfill_rate_limit = 100000",
        "CREATE MATERIALIZED VIEW made AS SELECT v, count(*) AS n FROM t GROUP BY v",
        "INSERT INTO t VALUES (5001, 5)",
        "WAIT",
    ),
    "refresh": ("INSERT INTO t VALUES (6001, 1)", "SELECT pg_sleep(3)"),
    "catch-up": (
        "ALTER MATERIALIZED VIEW by_value PAUSE",
        "INSERT INTO t SELECT i, i % 7 FROM generate_series(7001, 7100) AS i",
        "ALTER MATERIALIZED VIEW by_value RESUME",
        "SELECT pg_sleep(1)",
    ),
    "pause": (
        "ALTER DATABASE dev PAUSE",
        "ALTER DATABASE dev STEP 2",
        "ALTER DATABASE dev RESUME",
        "ALTER MATERIALIZED VIEW by_value PAUSE",
        "ALTER MATERIALIZED VIEW by_value RESUME",
    ),
    "backup": ("BACKUP TO 'saved'",),
    "cluster": (
        "CREATE DATABASE more",
        "ALTER SYSTEM PAUSE",
        "ALTER SYSTEM RESUME",
        "CREATE USER somebody",
        "DROP USER somebody",
        "DROP DATABASE more",
    ),
}

#: How far into a phase the deaths are; those of every run, and the others.
STEPS: Final = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40)
QUICK: Final = {("barrier", 3), ("merge", 2), ("backup", 6), ("queue", 5)}


def matrix() -> list[Any]:
    return [
        pytest.param(
            phase,
            step,
            id=f"{phase}-{step}",
            marks=() if (phase, step) in QUICK else pytest.mark.slow,
        )
        for phase in PHASES
        for step in STEPS
    ]


def prepare(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (k int PRIMARY KEY, v int)")
    connection.execute("CREATE TABLE plain (a int)")
    connection.execute("INSERT INTO t SELECT i, i % 7 FROM generate_series(1, 2000) AS i")
    connection.execute(
        "CREATE MATERIALIZED VIEW by_value AS SELECT v, sum(k) AS s FROM t GROUP BY v"
    )
    connection.execute("CREATE MATERIALIZED VIEW top AS SELECT max(s) AS s FROM by_value")
    connection.execute("CREATE MATERIALIZED VIEW all_plain AS SELECT count(*) AS n FROM plain")
    connection.execute("CREATE MATERIALIZED VIEW passing AS SELECT a FROM plain")
    connection.execute(
        "CREATE MATERIALIZED VIEW clocked WITH (refresh.interval.sec = 1) AS "
        "SELECT v, count(*) AS n FROM t GROUP BY v"
    )


def act(connection: Connection, phase: str) -> list[str]:
    """Do what begins a phase until the server is gone; returns what was acknowledged."""
    done = []
    for statement in ACTS[phase]:
        try:
            connection.execute(statement.encode())
        except psycopg.OperationalError:
            break
        done.append(statement)
    return done


@pytest.mark.parametrize(("phase", "step"), matrix())
def test_a_server_that_dies_in_a_phase_comes_back_whole(
    phase: str, step: int, tmp_path: Path
) -> None:
    flag, granted = tmp_path / "flag", tmp_path / "granted"
    granted.mkdir()
    dying = ServerProcess(
        tmp_path / "data",
        ("--backup-root", str(granted)),
        ("-m", "tests.support.dying_server", phase, str(step), str(flag)),
    )
    with dying.start().connect() as connection:
        connection.execute("SET statement_timeout = '60s'")
        prepare(connection)
        flag.touch()
        done = Background(lambda: act(connection, phase)).result(60)
        if step == 0:  # No phase is passed by.
            dying.process.wait(20)
    dying.kill()
    with (
        running_server(tmp_path / "data", "--backup-root", str(granted)) as server,
        server.address.connect() as connection,
    ):
        connection.execute("SET statement_timeout = '60s'")
        check(connection, phase, done)
    if phase == "backup":
        check_backup(granted, is_told=bool(done), data_dir=tmp_path / "restored")


def check(connection: Connection, phase: str, done: list[str]) -> None:
    """All that was acknowledged is there, all views equal their queries, and it goes on."""
    connection.execute("ALTER SYSTEM RESUME")
    connection.execute("ALTER DATABASE dev RESUME")
    connection.execute("ALTER MATERIALIZED VIEW by_value RESUME")
    connection.execute("WAIT")
    connection.execute("FLUSH")
    check_views(connection)
    check_rows(connection, phase, done)
    chance = random.Random(len(done))
    connection.execute("INSERT INTO t VALUES (%s, 3)", (chance.randrange(9000, 9999),))
    connection.execute("INSERT INTO plain VALUES (-1)")
    connection.execute("DROP MATERIALIZED VIEW IF EXISTS made CASCADE")
    connection.execute("CREATE MATERIALIZED VIEW made AS SELECT count(*) AS n FROM t")
    connection.execute("CREATE TABLE IF NOT EXISTS fresh (a int)")
    check_views(connection)
    assert connection.execute("SHOW JOBS").fetchall() == []


def check_views(connection: Connection) -> None:
    views = connection.execute("SELECT name FROM rw_catalog.rw_materialized_views").fetchall()
    assert {"by_value", "top", "all_plain", "clocked"} <= {name for (name,) in views}
    for (name,) in views:
        differences = connection.execute(f"CHECK MATERIALIZED VIEW {name}".encode()).fetchall()
        assert differences == [], name


def check_rows(connection: Connection, phase: str, done: list[str]) -> None:
    plain = [a for (a,) in connection.execute("SELECT a FROM plain ORDER BY a").fetchall()]
    assert len(plain) == len(set(plain)), "a row was applied twice"
    match phase:
        case "queue":
            told = len([statement for statement in done if statement.startswith("INSERT")])
            assert len(plain) in (told, told + 1)
            assert plain == list(range(1000, 1000 + len(plain)))
        case "barrier":
            assert len(plain) in (0, 50)
            held = connection.execute("SELECT count(*) FROM t WHERE k > 2000").fetchone()
            assert held in ((0,), (200,), (133,), (134,))
            if done:
                assert held != (0,)
        case "backfill" | "merge" if "WAIT" in done:
            made = connection.execute("SELECT sum(n) FROM made").fetchone()
            assert made == connection.execute("SELECT count(*) FROM t").fetchone()
        case "pause":
            assert len(done) <= len(ACTS["pause"])
        case _:
            pass


def check_backup(granted: Path, *, is_told: bool, data_dir: Path) -> None:
    """There is a whole backup of that name, or none; what was cut short is gone."""
    saved = granted / "saved"
    assert set(granted.iterdir()) <= {saved}
    if not saved.exists():
        assert not is_told
        return
    restored = subprocess.run(
        [sys.executable, "-m", "server", "restore", "--from", saved, "--data-dir", data_dir],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert restored.returncode == 0, restored.stderr
    with running_server(data_dir) as server, server.address.connect() as connection:
        check_views(connection)
