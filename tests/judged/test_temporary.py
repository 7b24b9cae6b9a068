"""Temporary tables and views beside a real PostgreSQL, and what is left of them: nothing."""

from __future__ import annotations

import time
from pathlib import Path

import psycopg
import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address, Connection, ServerProcess

SCRIPT = """
CREATE TEMP TABLE tt (a int PRIMARY KEY, b text);
INSERT INTO tt VALUES (1, 'x'), (2, 'y');
SELECT * FROM pg_temp.tt ORDER BY a;
SELECT current_schema, pg_my_temp_schema() > 0, current_schemas(false);
SELECT relname, relpersistence, c.oid::regclass::text, pg_is_other_temp_schema(relnamespace) FROM pg_class c
    WHERE relname LIKE 'tt%' ORDER BY 1;
SELECT table_type, table_schema LIKE 'pg_temp_%' FROM information_schema.tables WHERE table_name = 'tt';
CREATE VIEW v AS SELECT a FROM tt;
SELECT * FROM v ORDER BY a;
CREATE MATERIALIZED VIEW mv AS SELECT a FROM tt;
CREATE TABLE tt (c int);
SELECT * FROM tt ORDER BY a;
SELECT * FROM public.tt;
CREATE TEMP TABLE gone (a int) ON COMMIT DROP;
SELECT * FROM gone;
CREATE TEMP TABLE emptied (a int) ON COMMIT DELETE ROWS;
INSERT INTO emptied VALUES (1);
SELECT count(*) FROM emptied;
BEGIN;
INSERT INTO emptied VALUES (1);
SELECT count(*) FROM emptied;
COMMIT;
SELECT count(*) FROM emptied;
BEGIN;
INSERT INTO emptied VALUES (1);
ROLLBACK;
SELECT count(*) FROM emptied;
CREATE TEMPORARY TABLE made AS SELECT 5 AS q;
CREATE TEMPORARY TABLE IF NOT EXISTS made AS SELECT 6 AS q;
SELECT * FROM made;
CREATE TEMP TABLE public.wrong (a int);
CREATE TABLE wrong (a int) ON COMMIT DROP;
CREATE TEMP MATERIALIZED VIEW wrong AS SELECT 1;
CREATE TABLE pg_temp.named (a int);
ALTER TABLE named SET SCHEMA public;
CREATE INDEX named_a ON named (a);
ALTER TABLE named ADD COLUMN c int;
ALTER TABLE named RENAME TO called;
INSERT INTO called VALUES (1, 2);
UPDATE called SET c = 3;
DELETE FROM called WHERE a = 1 RETURNING c;
CREATE LOCAL TEMPORARY TABLE "#Tableau" ("COL" int) ON COMMIT PRESERVE ROWS;
DROP TABLE "#Tableau";
DROP TABLE tt;
DROP TABLE tt CASCADE;
SELECT * FROM tt;
DISCARD TEMP;
SELECT * FROM made;
DROP TABLE tt;
"""


def test_temporary_relations_are_postgresqls(judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPT)


def _schemas(address: Address) -> list[str]:
    with address.connect() as connection:
        rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pg_temp%'")
        return [name for (name,) in rows]


def test_a_session_takes_its_relations_with_it(database: Address) -> None:
    with database.connect() as own, database.connect() as other:
        own.execute("CREATE TEMP TABLE t AS SELECT 1 AS a")
        own.execute("CREATE TEMP VIEW v AS SELECT a FROM t")
        (schema,) = _schemas(database)
        other.execute("CREATE TEMP TABLE t AS SELECT 2 AS a")
        for connection, a in ((own, 1), (other, 2)):
            assert connection.execute("SELECT a FROM t").fetchone() == (a,)
        for statement in (f"SELECT * FROM {schema}.t", f"INSERT INTO {schema}.t VALUES (3)"):
            error = _error(other, statement)
            assert error == ("0A000", "cannot access temporary tables of other sessions")
        for made in ("TYPE pg_temp.e AS ENUM ('a')", "FUNCTION pg_temp.f() RETURNS int RETURN 1"):
            assert _error(own, f"CREATE {made}")[0] == "0A000"
        error = _error(other, f"CREATE TABLE {schema}.u (a int)")
        assert error == ("42P16", "cannot create relations in temporary schemas of other sessions")
    deadline = time.monotonic() + 10
    while _schemas(database) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert _schemas(database) == []


def _error(connection: Connection, statement: str) -> tuple[str | None, str | None]:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(statement.encode())
    return caught.value.sqlstate, caught.value.diag.message_primary


def test_who_may_make_none_is_told_so(database: Address) -> None:
    with database.connect() as root:
        root.execute("CREATE USER temporal")
        root.execute(f"REVOKE TEMPORARY ON DATABASE {database.database} FROM PUBLIC".encode())
        try:
            with Address(
                database.host, database.port, "temporal", database.database
            ).connect() as him:
                error = _error(him, "CREATE TEMP TABLE t (a int)")
            assert error == (
                "42501",
                f'permission denied to create temporary tables in database "{database.database}"',
            )
        finally:
            root.execute(f"GRANT TEMPORARY ON DATABASE {database.database} TO PUBLIC".encode())
            root.execute("DROP USER temporal")


def test_a_killed_server_leaves_none(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path / "data")
    address = process.start()
    with address.connect() as connection:
        connection.execute("CREATE TABLE stays AS SELECT 1 AS a")
        connection.execute("CREATE TEMP TABLE goes AS SELECT 1 AS a")
        process.kill()
    address = process.start()
    try:
        assert _schemas(address) == []
        with address.connect() as connection:
            rows = connection.execute(
                "SELECT relname FROM pg_class WHERE relname IN ('stays', 'goes')"
            )
            assert rows.fetchall() == [("stays",)]
    finally:
        process.stop()


def test_a_view_of_a_peers_session_is_beside_the_others(database: Address) -> None:
    with database.connect() as peer:
        peer.execute("SET rw_implicit_flush = true")
        peer.execute("CREATE TEMPORARY VIEW v AS SELECT 1 AS a")
        found = peer.execute("SELECT schemaname FROM pg_views WHERE viewname = 'v'").fetchall()
        assert found == [("public",)]
    with database.connect() as other:
        deadline = time.monotonic() + 10
        listed: list[tuple[object, ...]] = found
        while listed and time.monotonic() < deadline:
            time.sleep(0.02)
            listed = other.execute("SELECT 1 FROM pg_views WHERE viewname = 'v'").fetchall()
        assert listed == []
