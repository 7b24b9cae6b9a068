"""Constraints between rows after kill -9, whatever order the tables were made in."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.conftest import Launch
from tests.support.server import Connection

#: What refers is older than what it refers to.
DEFINITIONS = (
    "CREATE TABLE c (id int PRIMARY KEY, p int, e text, u int)",
    "CREATE TABLE p (id int PRIMARY KEY, a int)",
    "ALTER TABLE p ADD CONSTRAINT once UNIQUE (a) DEFERRABLE INITIALLY DEFERRED",
    "ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES p ON DELETE CASCADE",
    "CREATE UNIQUE INDEX low ON c (lower(e)) WHERE u > 0",
    "ALTER TABLE p RENAME TO parents",
    "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM c JOIN parents ON c.p = parents.id",
    "INSERT INTO parents VALUES (1, 1), (2, 2)",
    "INSERT INTO c VALUES (1, 1, 'x', 1), (2, 2, 'X', 0)",
)


def refusal(connection: Connection, sql: str) -> str | None:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(sql.encode())
    return caught.value.diag.constraint_name


def test_constraints_hold_after_a_kill(launch: Launch, tmp_path: Path) -> None:
    server = launch(tmp_path / "data")
    with server.address.connect() as connection:
        for sql in DEFINITIONS:
            connection.execute(sql.encode())
    server.kill()
    server.start()
    with server.address.connect() as connection:
        assert refusal(connection, "INSERT INTO parents VALUES (3, 1)") == "once"
        assert refusal(connection, "INSERT INTO c VALUES (3, 7, 'y', 1)") == "c_p_fkey"
        assert refusal(connection, "UPDATE c SET u = 1") == "low"
        assert (
            refusal(connection, "ALTER TABLE parents ADD CONSTRAINT p_pkey CHECK (a > 0)") is None
        )
        connection.execute("DELETE FROM parents WHERE id = 1")
        assert connection.execute("SELECT id FROM c").fetchall() == [(2,)]
        assert connection.execute("SELECT n FROM v").fetchall() == [(1,)]
