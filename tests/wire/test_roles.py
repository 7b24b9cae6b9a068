"""CREATE, ALTER and DROP ROLE, here and in PostgreSQL: the same answers to the same statements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from server.wire.scram import Verifier
from tests.support.people import People
from tests.support.server import Address, Connection, running_server

READY = str(Verifier.of("ready", b"a salt of 16 byt"))
SHORT_SALT = str(Verifier.of("ready", b"short", iterations=1))

#: Who says what, in order. ``su`` is a superuser, ``maker`` may create roles, ``plain`` nothing.
HISTORY: list[tuple[str, str]] = [
    ("su", "CREATE ROLE maker LOGIN CREATEROLE"),
    ("su", "CREATE USER plain"),
    ("su", "CREATE USER plain"),
    ("su", "CREATE ROLE plain NOLOGIN"),
    ("su", "CREATE GROUP grouped"),
    (
        "su",
        "CREATE USER u1 WITH SUPERUSER CREATEDB CREATEROLE INHERIT LOGIN NOREPLICATION NOBYPASSRLS",
    ),
    (
        "su",
        "CREATE USER u2 NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOLOGIN CONNECTION LIMIT 7",
    ),
    ("su", "CREATE USER u3 PASSWORD 'secret' VALID UNTIL '2030-01-02 03:04:05+06'"),
    ("su", "CREATE USER u4 ENCRYPTED PASSWORD 'secret' VALID UNTIL 'infinity' SYSID 99"),
    ("su", "CREATE ROLE u9 VALID UNTIL '-infinity'"),
    ("su", "CREATE USER u5 PASSWORD ''"),
    ("su", "CREATE USER u6 PASSWORD NULL"),
    ("su", f"CREATE USER u7 PASSWORD '{READY}'"),
    ("su", f"CREATE USER u8 PASSWORD '{SHORT_SALT}'"),
    ("su", 'CREATE USER "Mixed Case" PASSWORD $$dollars$$'),
    ("su", "CREATE USER e1 SUPERUSER NOSUPERUSER"),
    ("su", "CREATE USER e1 LOGIN CREATEDB LOGIN"),
    ("su", "CREATE USER e1 PASSWORD 'a' PASSWORD 'b'"),
    ("su", "CREATE USER e1 UNENCRYPTED PASSWORD 'a'"),
    ("su", "CREATE USER e1 ENCRYPTED PASSWORD NULL"),
    ("su", "CREATE USER e1 PASSWORD secret"),
    ("su", "CREATE USER e1 NONSENSE"),
    ("su", "CREATE USER e1 CONNECTION LIMIT -2"),
    ("su", "CREATE USER e1 CONNECTION LIMIT 'x'"),
    ("su", "CREATE USER e1 VALID UNTIL 'never'"),
    ("su", "CREATE USER e1 VALID UNTIL '2030-13-01'"),
    ("su", "CREATE USER e1 VALID UNTIL"),
    ("su", "CREATE USER"),
    ("su", "CREATE USER e1, e2"),
    ("su", "CREATE USER pg_mine"),
    ("su", "CREATE USER public"),
    ("su", 'CREATE USER "none"'),
    ("su", "CREATE USER current_user"),
    ("su", "CREATE USER session_user"),
    ("su", "CREATE USER select"),
    ("su", "ALTER USER nobody LOGIN"),
    ("su", "ALTER USER u2 LOGIN SUPERUSER"),
    ("su", "ALTER USER u2 WITH NOSUPERUSER CONNECTION LIMIT -1"),
    ("su", "ALTER ROLE u3 PASSWORD NULL"),
    ("su", "ALTER ROLE u3 VALID UNTIL 'infinity'"),
    ("su", "ALTER ROLE u4 RENAME TO u44"),
    ("su", "ALTER ROLE u4 LOGIN"),
    ("su", "ALTER ROLE u5 RENAME TO u6"),
    ("su", "ALTER ROLE u5 RENAME TO pg_u5"),
    ("su", "ALTER ROLE nobody RENAME TO somebody"),
    ("su", "ALTER ROLE su RENAME TO us"),
    ("su", "ALTER ROLE public LOGIN"),
    ("su", "ALTER ROLE CURRENT_USER NOCREATEDB"),
    ("su", "ALTER USER SESSION_USER CREATEDB"),
    ("su", "ALTER USER u1"),
    ("plain", "CREATE USER e1"),
    ("plain", "CREATE USER e1 SUPERUSER"),
    ("plain", "ALTER USER plain PASSWORD 'mine'"),
    ("plain", "ALTER USER plain CREATEDB"),
    ("plain", "ALTER USER plain PASSWORD 'mine' CREATEDB"),
    ("plain", "ALTER USER u3 PASSWORD 'yours'"),
    ("plain", "ALTER USER u1 PASSWORD 'yours'"),
    ("plain", "ALTER USER plain SUPERUSER"),
    ("plain", "ALTER USER u3 RENAME TO u33"),
    ("plain", "ALTER USER u1 RENAME TO u11"),
    ("plain", "DROP USER u3"),
    ("plain", "DROP USER IF EXISTS nobody"),
    ("maker", "CREATE USER made CREATEDB"),
    ("maker", "CREATE USER e1 SUPERUSER"),
    ("maker", "ALTER USER made PASSWORD 'x' NOCREATEDB"),
    ("maker", "ALTER USER u1 PASSWORD 'x'"),
    ("maker", "ALTER USER made SUPERUSER"),
    ("maker", "ALTER USER made RENAME TO remade"),
    ("maker", "ALTER USER u1 RENAME TO u11"),
    ("maker", "ALTER USER maker RENAME TO taker"),
    ("maker", "DROP USER u1"),
    ("maker", "DROP USER maker"),
    ("maker", "DROP USER remade, nobody"),
    ("maker", "DROP USER IF EXISTS nobody, remade"),
    ("maker", "DROP USER remade"),
    ("su", "DROP ROLE su"),
    ("su", "DROP ROLE CURRENT_USER"),
    ("su", "DROP ROLE public"),
    ("su", "DROP ROLE none"),
    ("su", "ALTER ROLE none LOGIN"),
    ("su", "ALTER ROLE public RENAME TO x"),
    ("su", "DROP GROUP grouped"),
    ("su", "DROP USER u1 u2"),
    ("su", "BEGIN READ ONLY"),
    ("su", "CREATE USER e1"),
    ("su", "ROLLBACK"),
]

ROLES = """
SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
  rolbypassrls, rolconnlimit, rolpassword, rolvaliduntil::text
FROM pg_roles WHERE oid >= 16384 ORDER BY rolname
"""
USERS = """
SELECT usename, usecreatedb, usesuper, userepl, usebypassrls, passwd, valuntil::text
FROM pg_user WHERE usesysid >= 16384 ORDER BY usename
"""
SECRETS = """
SELECT rolname, rolpassword IS NULL FROM pg_authid WHERE oid >= 16384 ORDER BY rolname
"""


@pytest.fixture(scope="module")
def ours() -> Iterator[Address]:
    with running_server() as process:
        yield process.address


@pytest.fixture(scope="module")
def both(ours: Address, postgresql: Address) -> Iterator[tuple[People, People]]:
    here, there = People(ours, "dev"), People(postgresql, "postgres")
    for people, first in ((here, "root"), (there, "postgres")):
        people.say(first, "CREATE USER su SUPERUSER")
        people.say(first, "SET TimeZone = 'UTC'")
        people.say("su", "SET TimeZone = 'UTC'")
    yield here, there
    for people in (here, there):
        people.close()
    with postgresql.connect() as connection:
        names = connection.execute("SELECT rolname FROM pg_roles WHERE oid >= 16384").fetchall()
        for (name,) in names:
            connection.execute(f'DROP ROLE "{name}"'.encode())


def test_every_statement_is_answered_as_postgresql_answers_it(both: tuple[People, People]) -> None:
    here, there = both
    differences = []
    for who, statement in HISTORY:
        ours, theirs = here.say(who, statement), there.say(who, statement)
        if ours != theirs:
            differences.append((who, statement, ours, theirs))
    assert differences == []
    for question in (ROLES, USERS, SECRETS):
        assert here.say("su", question) == there.say("su", question)


def test_a_password_is_shown_to_nobody(ours: Address) -> None:
    with ours.connect() as connection, ours.connect() as other:
        connection.execute("CREATE USER hidden PASSWORD 'a secret'")
        connection.execute("ALTER USER hidden PASSWORD 'a secret' CREATEDB")
        for question in (
            "SELECT * FROM pg_authid",
            "SELECT * FROM pg_shadow",
            "SELECT * FROM pg_roles",
            "SELECT * FROM pg_stat_activity",
            "SELECT * FROM rw_catalog.rw_event_logs",
        ):
            told = other.pgconn.exec_(question.encode())
            values = [
                told.get_value(row, column)
                for row in range(told.ntuples)
                for column in range(told.nfields)
            ]
            assert values
            assert not any(b"a secret" in (value or b"") for value in values)
        connection.execute("DROP USER hidden")


def test_only_superusers_see_who_has_a_password(ours: Address, postgresql: Address) -> None:
    def ask(address: Address) -> list[Any]:
        people = People(address, address.database)
        people.say(address.user, "CREATE USER curious")
        told = [
            people.say("curious", f"SELECT count(*) FROM {name}")
            for name in ("pg_authid", "pg_shadow")
        ]
        people.close()
        with address.connect() as connection:
            connection.execute("DROP USER curious")
        return told

    assert ask(ours) == ask(postgresql)


def test_who_owns_something_stays(ours: Address) -> None:
    with ours.connect() as root:
        root.execute("CREATE USER owner CREATEDB")
        root.execute("GRANT CREATE ON SCHEMA public TO owner")
        address = Address(ours.host, ours.port, "owner", "dev")
        with address.connect() as owner:
            owner.execute("CREATE TABLE owned (a int)")
            owner.execute("CREATE DATABASE owned_too")
        with pytest.raises(psycopg.errors.DependentObjectsStillExist) as caught:
            root.execute("DROP USER owner")
        assert caught.value.diag.message_primary == (
            'role "owner" cannot be dropped because some objects depend on it'
        )
        detail = str(caught.value.diag.message_detail)
        assert "owner of database owned_too" in detail
        assert "owner of table owned" in detail
        root.execute("DROP DATABASE owned_too")
        root.execute("DROP OWNED BY owner")
        root.execute("DROP USER owner")


def test_what_somebody_owns_follows_his_new_name(tmp_path: Path) -> None:
    def owners(connection: Connection) -> list[Any]:
        return connection.execute(
            "SELECT relname, pg_get_userbyid(relowner) FROM pg_class WHERE relname IN ('t', 'v') "
            "ORDER BY 1"
        ).fetchall()

    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        root.execute("CREATE USER before")
        root.execute("GRANT CREATE ON SCHEMA public TO before")
        with Address(process.address.host, process.address.port, "before", "dev").connect() as me:
            me.execute("CREATE TABLE t (a int)")
            me.execute("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM t")
            root.execute("ALTER USER before RENAME TO after")
            assert owners(root) == [("t", "after"), ("v", "after")]
            me.execute("ALTER TABLE t RENAME TO t2")
            me.execute("ALTER TABLE t2 RENAME TO t")
        with pytest.raises(psycopg.OperationalError, match='role "before" does not exist'):
            Address(process.address.host, process.address.port, "before", "dev").connect()
    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        assert owners(root) == [("t", "after"), ("v", "after")]
        root.execute("CREATE USER before")
        address = Address(process.address.host, process.address.port, "before", "dev")
        with address.connect() as me, pytest.raises(psycopg.errors.InsufficientPrivilege):
            me.execute("DROP TABLE t")


def test_a_change_holds_in_sessions_that_are_open(ours: Address) -> None:
    with ours.connect() as root:
        root.execute("CREATE USER demoted SUPERUSER")
        with Address(ours.host, ours.port, "demoted", "dev").connect() as session:
            session.execute("ALTER SYSTEM RESUME")
            root.execute("ALTER USER demoted NOSUPERUSER")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute("ALTER SYSTEM RESUME")
        root.execute("DROP USER demoted")


def test_roles_outlive_a_crash(tmp_path: Path) -> None:
    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        root.execute("CREATE USER kept PASSWORD 'x' CONNECTION LIMIT 1 VALID UNTIL '2031-01-01Z'")
        root.execute("SET TimeZone = 'UTC'")
        before = root.execute(ROLES).fetchall()
    with running_server(tmp_path / "data") as process, process.address.connect() as root:
        root.execute("SET TimeZone = 'UTC'")
        assert root.execute(ROLES).fetchall() == before
        address = Address(process.address.host, process.address.port, "kept", "dev")
        with (
            address.connect(),
            pytest.raises(psycopg.OperationalError, match='too many connections for role "kept"'),
        ):
            address.connect()
