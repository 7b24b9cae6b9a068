"""Types that users make are there after a crash and in a backup, and what uses them goes on."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.crash.test_backup import tidegate
from tests.support.server import Address, ServerProcess, running_server

SCRIPT = (
    "CREATE TYPE mood AS ENUM ('sad', 'ok')",
    "CREATE DOMAIN pos AS int DEFAULT 3 CHECK (VALUE > 0)",
    "CREATE DOMAIN even AS pos CHECK (VALUE % 2 = 0)",
    "CREATE TYPE pair AS (m mood, p pos)",
    "CREATE TABLE t (k int PRIMARY KEY, m mood DEFAULT 'sad', p pos, r pair, l map(varchar, int))",
    "INSERT INTO t VALUES (1, 'ok', 5, ROW('sad', 1), map {'a': 1})",
    "ALTER TYPE mood ADD VALUE 'happy' AFTER 'sad'",
    "CREATE VIEW v AS SELECT k, m::text || p AS s FROM t",
    "CREATE MATERIALIZED VIEW mv AS SELECT m, count(*) AS n, max(m::text) AS s FROM t GROUP BY m",
)


def assert_alive(address: Address, key: int) -> None:
    """The types are what they were, take new values, and refuse what they refused."""
    with address.connect() as connection:
        connection.execute("INSERT INTO t VALUES (%s, 'happy', DEFAULT, '(ok,4)')", (key,))
        connection.execute("INSERT INTO t (k) VALUES (%s)", (key + 1,))
        for statement, state in (
            ("INSERT INTO t (k, p) VALUES (99, -1)", "23514"),
            ("SELECT 3::even", "23514"),
            ("SELECT 'x' || 'y'::text::mood", "22P02"),
        ):
            with pytest.raises(psycopg.Error) as caught:
                connection.execute(statement)
            assert caught.value.sqlstate == state
        query = "SELECT k, m, p, r, l::text FROM t WHERE k IN (1, %s, %s) ORDER BY k"
        assert connection.execute(query, (key, key + 1)).fetchall() == [
            (1, "ok", 5, "(sad,1)", "{a:1}"),
            (key, "happy", 3, "(ok,4)", None),
            (key + 1, "sad", 3, None, None),
        ]
        assert connection.execute("SELECT s FROM v WHERE k = 1").fetchall() == [("ok5",)]
        assert connection.execute("CHECK MATERIALIZED VIEW mv").fetchall() == []
        rows = connection.execute("SELECT m, n, s FROM mv ORDER BY m").fetchall()
        assert [row[0] for row in rows] == ["sad", "happy", "ok"] == [row[2] for row in rows]


def test_types_outlive_a_crash_and_are_in_a_backup(tmp_path: Path) -> None:
    data = tmp_path / "data"
    server = ServerProcess(data)
    address = server.start()
    with address.connect() as connection:
        for statement in SCRIPT:
            connection.execute(statement)
    assert_alive(address, 10)
    server.kill()
    with running_server(data) as again:
        assert_alive(again.address, 20)
        with again.address.connect() as connection:
            connection.execute("ALTER TYPE mood RENAME TO feeling")
    copied = tidegate("backup", "--data-dir", str(data), "--to", str(tmp_path / "copy"))
    assert copied.returncode == 0, copied.stderr
    restored = tidegate(
        "restore", "--from", str(tmp_path / "copy"), "--data-dir", str(tmp_path / "new")
    )
    assert restored.returncode == 0, restored.stderr
    with running_server(tmp_path / "new") as copy:
        with copy.address.connect() as connection:
            connection.execute("ALTER TYPE feeling RENAME TO mood")
        assert_alive(copy.address, 30)
