"""Who may do what, here and in PostgreSQL: the same answers to the same statements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.people import People
from tests.support.privilege_corners import CORNERS
from tests.support.privilege_history import QUESTIONS, SMALL_TOWN
from tests.support.server import Address, Connection, running_server


@pytest.fixture(scope="module")
def ours() -> Iterator[Address]:
    with running_server() as process:
        yield process.address


def told(address: Address, database: str, history: list[tuple[str, str]]) -> list[object]:
    """What everybody is answered in a database of its own that ``boss`` owns; all is gone then."""
    with address.connect() as first:
        first.execute("CREATE USER su SUPERUSER")
        first.execute("CREATE USER boss")
        first.execute(f"CREATE DATABASE {database} OWNER boss".encode())
    people = People(address, database)
    answers: list[object] = []
    for who, statement in history:
        answer = people.say(who, statement)
        if statement.startswith("CREATE MATERIALIZED VIEW") and answer == ["SELECT 1"]:
            answer = ["CREATE MATERIALIZED VIEW"]
        answers.append((who, statement, answer))
    people.close()
    with address.connect() as first:
        first.execute(f"DROP DATABASE {database} WITH (FORCE)".encode())
        for (name,) in first.execute("SELECT rolname FROM pg_roles WHERE oid >= 16384").fetchall():
            first.execute(f'DROP ROLE "{name}"'.encode())
    return answers


@pytest.mark.parametrize(
    ("database", "history"), [("shop", SMALL_TOWN), ("corner", CORNERS)], ids=["town", "corners"]
)
def test_every_statement_is_answered_as_postgresql_answers_it(
    ours: Address, postgresql: Address, database: str, history: list[tuple[str, str]]
) -> None:
    here, there = told(ours, database, history), told(postgresql, database, history)
    assert [pair for pair in zip(here, there, strict=True) if pair[0] != pair[1]] == []


def test_functions_and_catalogs_tell_what_postgresqls_tell(
    ours: Address, postgresql: Address
) -> None:
    def asked(address: Address) -> list[object]:
        with address.connect() as first:
            first.execute("CREATE DATABASE asked")
            first.execute("CREATE USER asker SUPERUSER")
        people = People(address, "asked")
        for statement in (
            "CREATE ROLE grp",
            "CREATE USER x IN ROLE grp",
            "CREATE USER n NOINHERIT IN ROLE grp",
            "CREATE TABLE t (a int, b text)",
            "CREATE TABLE u (a int)",
            "GRANT SELECT ON t TO grp",
            "GRANT UPDATE ON t TO x WITH GRANT OPTION",
            "GRANT CREATE ON DATABASE asked TO grp",
        ):
            people.say("asker", statement)
        answers: list[object] = [
            (who, question, people.say(who, question))
            for question in QUESTIONS
            for who in ("asker", "x", "n")
        ]
        people.close()
        with address.connect() as first:
            first.execute("DROP DATABASE asked WITH (FORCE)")
            first.execute("DROP ROLE grp, x, n, asker")
        return answers

    assert asked(ours) == asked(postgresql)


def test_a_kept_answer_is_for_those_who_may_read(tmp_path: Path) -> None:
    def refused(session: Connection, statement: str, *values: int) -> bool:
        try:
            session.execute(statement.encode(), values or None, prepare=bool(values))
        except psycopg.errors.InsufficientPrivilege:
            return True
        return False

    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        root.execute("CREATE TABLE t (a int PRIMARY KEY, b text)")
        root.execute("INSERT INTO t SELECT g, g::text FROM generate_series(1, 100) AS g")
        root.execute("CREATE USER reader IN ROLE pg_read_all_stats")
        root.execute("CREATE USER stranger")
        root.execute("GRANT SELECT ON t TO reader")
        point, whole, known = (
            "SELECT b FROM t WHERE a = 7",
            "SELECT count(*) FROM t",
            "SELECT b FROM t WHERE a = %s",
        )
        here = process.address
        with (
            Address(here.host, here.port, "reader", "dev").connect() as reader,
            Address(here.host, here.port, "stranger", "dev").connect() as stranger,
        ):
            for session in (root, reader, root, reader):
                assert not refused(session, point)
                assert not refused(session, whole)
                assert not refused(session, known, 3)
            for statement in (point, "SELECT b FROM t WHERE a = 8", whole):
                assert refused(stranger, statement)
            assert refused(stranger, known, 3)
            reader.execute("BEGIN")
            assert not refused(reader, whole)
            root.execute("REVOKE SELECT ON t FROM reader")
            assert refused(reader, whole)
            reader.execute("ROLLBACK")
            for statement in (point, "SELECT b FROM t WHERE a = 9", whole):
                assert refused(reader, statement)
            assert refused(reader, known, 4)
            root.execute("GRANT pg_read_all_data TO reader")
            assert not refused(reader, known, 4)
            root.execute("REVOKE pg_read_all_data FROM reader")
            assert refused(reader, known, 4)


def test_privileges_outlive_a_restart_in_a_pause_and_a_new_name(tmp_path: Path) -> None:
    def held(root: Connection) -> list[object]:
        return [
            root.execute(question.encode()).fetchall()
            for question in (
                "SELECT relacl::text FROM pg_class WHERE relname IN ('t', 'later')",
                "SELECT nspacl::text FROM pg_namespace WHERE nspname IN ('public', 's')",
                "SELECT datacl::text FROM pg_database",
                "SELECT defaclobjtype, defaclacl::text FROM pg_default_acl",
                "SELECT roleid, member, admin_option FROM pg_auth_members",
            )
        ]

    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        root.execute("ALTER SYSTEM PAUSE")
        root.execute("CREATE USER before")
        root.execute("CREATE ROLE grp")
        root.execute("CREATE TABLE t (a int)")
        root.execute("CREATE SCHEMA s AUTHORIZATION before")
        root.execute("GRANT INSERT, SELECT ON t TO before WITH GRANT OPTION")
        root.execute("GRANT grp TO before WITH ADMIN OPTION")
        root.execute("GRANT CREATE ON SCHEMA public TO before")
        root.execute("GRANT CREATE ON DATABASE dev TO before")
        root.execute("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO before")
        root.execute("ALTER DEFAULT PRIVILEGES GRANT SELECT ON MATERIALIZED VIEWS TO before")
        root.execute("CREATE TABLE later (a int)")
        root.execute("ALTER USER before RENAME TO after")
        kept = held(root)
        assert "after" in str(kept)
        assert "before" not in str(kept)
    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        assert held(root) == kept
        address = Address(process.address.host, process.address.port, "after", "dev")
        with address.connect() as after:
            after.execute("SET ROLE grp")
            after.execute("RESET ROLE")
            assert after.execute("SELECT count(*) FROM later").fetchall() == [(0,)]
