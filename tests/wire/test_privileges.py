"""Who may do what, here and in PostgreSQL: the same answers to the same statements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.people import People
from tests.support.server import Address, Connection, running_server

#: Who says what, in order. ``su`` is a superuser, ``boss`` owns the database ``shop``.
HISTORY: list[tuple[str, str]] = [
    ("su", "CREATE ROLE staff"),
    ("su", "CREATE ROLE readers NOLOGIN"),
    ("su", "CREATE USER ann"),
    ("su", "CREATE USER bob IN ROLE staff"),
    ("su", "CREATE USER eve"),
    ("su", "CREATE USER noi NOINHERIT"),
    ("su", 'CREATE USER "odd-name"'),
    # Schemas and what everybody may do from the start.
    ("ann", "CREATE TABLE t (a int)"),
    ("ann", "CREATE VIEW v AS SELECT 1 AS a"),
    ("ann", "CREATE SCHEMA mine"),
    ("ann", "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'public'"),
    ("boss", "CREATE TABLE t (a int PRIMARY KEY, b text)"),
    ("boss", "INSERT INTO t VALUES (1, 'x')"),
    ("boss", "CREATE SCHEMA IF NOT EXISTS s"),
    ("boss", "CREATE TABLE s.u (a int)"),
    ("boss", "CREATE VIEW v AS SELECT a, b FROM t"),
    ("boss", "CREATE MATERIALIZED VIEW m AS SELECT a FROM t"),
    # Nobody else may anything.
    ("ann", "SELECT * FROM t"),
    ("ann", "SELECT 1 FROM t"),
    ("ann", "SELECT * FROM v"),
    ("ann", "SELECT * FROM m"),
    ("ann", "SELECT * FROM s.u"),
    ("ann", "SELECT * FROM s.nothing"),
    ("ann", "SELECT * FROM nothing.u"),
    ("ann", "SELECT nocolumn FROM t"),
    ("ann", "INSERT INTO t VALUES (2, 'y')"),
    ("ann", "UPDATE t SET b = 'y'"),
    ("ann", "DELETE FROM t"),
    ("ann", "TRUNCATE t"),
    ("ann", "COPY t TO STDOUT"),
    ("ann", "COPY (SELECT a FROM t) TO STDOUT"),
    ("ann", "COPY t FROM STDIN"),
    ("ann", "EXPLAIN SELECT * FROM t"),
    ("ann", "PREPARE p AS SELECT * FROM t"),
    ("ann", "EXECUTE p"),
    ("ann", "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM t"),
    ("ann", "DROP TABLE t"),
    ("ann", "DROP VIEW v"),
    ("ann", "DROP MATERIALIZED VIEW m"),
    ("ann", "DROP SCHEMA s"),
    ("ann", "DROP SCHEMA public"),
    ("ann", "ALTER TABLE t RENAME TO x"),
    ("ann", "ALTER TABLE t ADD COLUMN c int"),
    ("ann", "ALTER TABLE t OWNER TO ann"),
    ("ann", "ALTER VIEW v OWNER TO ann"),
    ("ann", "ALTER MATERIALIZED VIEW m OWNER TO ann"),
    ("ann", "ALTER SCHEMA s OWNER TO ann"),
    ("ann", "ALTER DATABASE shop OWNER TO ann"),
    ("ann", "DROP DATABASE shop"),
    ("ann", "GRANT SELECT ON t TO ann"),
    ("ann", "GRANT USAGE ON SCHEMA s TO ann"),
    ("ann", "GRANT CREATE ON DATABASE shop TO ann"),
    ("ann", "REVOKE SELECT ON v FROM boss"),
    ("ann", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO ann"),
    # What GRANT refuses.
    ("boss", "GRANT NONSENSE ON t TO ann"),
    ("boss", "GRANT CONNECT ON t TO ann"),
    ("boss", "GRANT EXECUTE ON TABLE t TO ann"),
    ("boss", "GRANT SELECT ON SCHEMA s TO ann"),
    ("boss", "GRANT SELECT ON DATABASE shop TO ann"),
    ("boss", "GRANT SELECT ON nothing TO ann"),
    ("boss", "GRANT USAGE ON SCHEMA nothing TO ann"),
    ("boss", "GRANT CONNECT ON DATABASE nothing TO ann"),
    ("boss", "GRANT SELECT ON t TO nobody"),
    ("boss", "GRANT SELECT ON t TO PUBLIC WITH GRANT OPTION"),
    ("boss", "GRANT SELECT ON t TO none"),
    ("boss", "GRANT SELECT ON t TO ann GRANTED BY ann"),
    ("boss", "GRANT SELECT ON t TO ann GRANTED BY boss"),
    ("boss", "GRANT SELECT ON t"),
    ("boss", "GRANT SELECT t TO ann"),
    ("boss", "GRANT ON t TO ann"),
    ("boss", "GRANT USAGE (a) ON SCHEMA s TO ann"),
    ("boss", "GRANT EXECUTE ON FUNCTION nothing(int) TO ann"),
    ("boss", "GRANT EXECUTE ON FUNCTION nothing TO ann"),
    ("boss", "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA s TO ann"),
    ("boss", "GRANT USAGE ON ALL SEQUENCES IN SCHEMA s TO ann"),
    ("boss", "GRANT SELECT ON ALL TABLES IN SCHEMA nothing TO ann"),
    # What it gives.
    ("ann", "SELECT * FROM t"),
    ("ann", "SELECT * FROM v"),
    ("boss", "GRANT SELECT ON v, m TO staff"),
    ("bob", "SELECT a FROM v"),
    ("bob", "SELECT a FROM m"),
    ("bob", "SELECT a FROM t"),
    ("ann", "SELECT a FROM v"),
    ("boss", "REVOKE SELECT ON t FROM boss"),
    ("boss", "SELECT * FROM t"),
    ("bob", "SELECT * FROM v"),
    ("su", "SELECT * FROM v"),
    ("boss", "GRANT ALL ON t TO boss"),
    ("bob", "SELECT a FROM v"),
    ("boss", "GRANT INSERT ON t TO bob"),
    ("bob", "INSERT INTO t VALUES (3, 'z')"),
    ("bob", "INSERT INTO t VALUES (4, 'z') RETURNING a"),
    ("bob", "INSERT INTO t VALUES (3, 'z') ON CONFLICT DO NOTHING"),
    ("bob", "INSERT INTO t VALUES (3, 'z') ON CONFLICT (a) DO NOTHING"),
    ("bob", "INSERT INTO t VALUES (3, 'z') ON CONFLICT (a) DO UPDATE SET b = 'q'"),
    ("bob", "INSERT INTO t SELECT a, b FROM t"),
    ("boss", "GRANT UPDATE, DELETE ON t TO bob"),
    ("bob", "UPDATE t SET b = 'w'"),
    ("bob", "UPDATE t SET b = b || 'w'"),
    ("bob", "UPDATE t SET b = 'w' WHERE a = 3"),
    ("bob", "UPDATE t SET b = 'w' RETURNING 1"),
    ("bob", "UPDATE t SET b = 'w' RETURNING b"),
    ("bob", "DELETE FROM t WHERE a = 3"),
    ("bob", "DELETE FROM t RETURNING *"),
    ("bob", "DELETE FROM t"),
    ("bob", "TRUNCATE t"),
    ("boss", "GRANT TRUNCATE ON t TO bob"),
    ("bob", "TRUNCATE t"),
    ("boss", "INSERT INTO t VALUES (1, 'x')"),
    (
        "boss",
        "SELECT relname, relacl::text FROM pg_class WHERE relname IN ('t','v','m') ORDER BY 1",
    ),
    # Grant options.
    ("boss", "GRANT SELECT, UPDATE ON t TO ann WITH GRANT OPTION"),
    ("ann", "GRANT SELECT ON t TO eve WITH GRANT OPTION"),
    ("ann", "GRANT SELECT, INSERT ON t TO eve"),
    ("ann", "GRANT INSERT ON t TO eve"),
    ("ann", "GRANT ALL ON t TO eve"),
    ("eve", "GRANT SELECT ON t TO ann WITH GRANT OPTION"),
    ("eve", "GRANT SELECT ON t TO noi"),
    ("boss", "SELECT relacl::text FROM pg_class WHERE relname = 't'"),
    ("boss", "REVOKE SELECT ON t FROM ann"),
    ("boss", "REVOKE GRANT OPTION FOR SELECT ON t FROM ann"),
    ("boss", "REVOKE GRANT OPTION FOR SELECT ON t FROM ann CASCADE"),
    ("boss", "SELECT relacl::text FROM pg_class WHERE relname = 't'"),
    ("ann", "SELECT * FROM t"),
    ("eve", "SELECT * FROM t"),
    ("boss", "REVOKE ALL PRIVILEGES ON t FROM ann, bob CASCADE"),
    ("boss", "SELECT relacl::text FROM pg_class WHERE relname = 't'"),
    ("boss", 'GRANT SELECT ON t TO "odd-name", PUBLIC'),
    ("eve", "SELECT * FROM t"),
    ("boss", "SELECT relacl::text FROM pg_class WHERE relname = 't'"),
    ("boss", 'REVOKE ALL ON t FROM "odd-name", PUBLIC'),
    # Schemas.
    ("boss", "GRANT USAGE ON SCHEMA s TO ann"),
    ("ann", "SELECT * FROM s.u"),
    ("ann", "CREATE TABLE s.mine (a int)"),
    ("boss", "GRANT CREATE ON SCHEMA s TO ann"),
    ("ann", "CREATE TABLE s.mine (a int)"),
    ("ann", "CREATE TABLE s.copied AS SELECT * FROM s.u"),
    ("ann", "CREATE MATERIALIZED VIEW s.mm AS SELECT * FROM s.u"),
    ("ann", "CREATE VIEW s.vv AS SELECT * FROM s.u"),
    ("ann", "SELECT * FROM s.vv"),
    ("boss", "SELECT * FROM s.vv"),
    ("ann", "GRANT SELECT ON s.vv TO boss"),
    ("boss", "SELECT * FROM s.vv"),
    ("boss", "SELECT * FROM s.mine"),
    ("boss", "ALTER TABLE s.mine RENAME TO yours"),
    ("boss", "DROP VIEW s.vv"),
    ("boss", "REVOKE USAGE ON SCHEMA s FROM ann"),
    ("ann", "SELECT * FROM s.mine"),
    ("ann", "SET search_path = s, public"),
    ("ann", "SELECT * FROM mine"),
    ("ann", "CREATE TABLE nowhere (a int)"),
    ("ann", "SELECT current_schema()"),
    ("ann", "SET search_path = public"),
    ("boss", "GRANT USAGE ON SCHEMA s TO ann"),
    ("boss", "SELECT nspacl::text FROM pg_namespace WHERE nspname = 's'"),
    ("boss", "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA s TO staff"),
    ("su", "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA s TO staff"),
    ("su", "REVOKE ALL ON ALL TABLES IN SCHEMA s FROM staff"),
    # Owners.
    ("ann", "ALTER TABLE s.mine OWNER TO bob"),
    ("ann", "ALTER TABLE s.mine OWNER TO nobody"),
    ("ann", "ALTER TABLE s.mine OWNER TO CURRENT_USER"),
    ("su", "GRANT staff TO ann"),
    ("ann", "ALTER TABLE s.mine OWNER TO staff"),
    ("su", "GRANT ALL ON SCHEMA s TO staff"),
    ("ann", "ALTER TABLE s.mine OWNER TO staff"),
    ("bob", "INSERT INTO s.mine VALUES (1)"),
    ("bob", "ALTER TABLE s.mine ADD COLUMN b int"),
    ("eve", "ALTER TABLE s.mine ADD COLUMN c int"),
    ("su", "ALTER TABLE s.mine OWNER TO eve"),
    ("bob", "SELECT * FROM s.mine"),
    ("su", "GRANT SELECT ON s.mine TO ann"),
    ("su", "ALTER TABLE s.mine OWNER TO ann"),
    ("su", "SELECT relacl::text FROM pg_class WHERE relname = 'mine'"),
    ("boss", "ALTER SCHEMA s OWNER TO bob"),
    ("boss", "ALTER SCHEMA nothing OWNER TO bob"),
    ("su", "ALTER SCHEMA s OWNER TO staff"),
    ("bob", "CREATE TABLE s.by_bob (a int)"),
    ("su", "ALTER SCHEMA s OWNER TO boss"),
    ("boss", "ALTER DATABASE shop OWNER TO ann"),
    ("boss", "ALTER DATABASE shop OWNER TO nobody"),
    ("boss", "ALTER DATABASE shop OWNER TO boss"),
    ("su", "ALTER TABLE v OWNER TO boss"),
    # Membership.
    ("ann", "GRANT staff TO eve"),
    ("ann", "GRANT readers TO ann"),
    ("su", "GRANT readers TO staff"),
    ("su", "GRANT staff TO readers"),
    ("su", "GRANT staff TO staff"),
    ("su", "GRANT readers TO staff"),
    ("su", "GRANT nothing TO ann"),
    ("su", "GRANT staff TO nothing"),
    ("su", "GRANT staff TO PUBLIC"),
    ("su", "GRANT staff TO noi WITH ADMIN OPTION"),
    ("noi", "GRANT staff TO eve"),
    ("noi", "GRANT staff TO eve GRANTED BY ann"),
    ("noi", "GRANT su TO eve"),
    ("su", "REVOKE staff FROM boss"),
    ("boss", "GRANT SELECT ON t TO readers"),
    ("bob", "SELECT a FROM t"),
    ("eve", "SELECT a FROM t"),
    ("noi", "SELECT a FROM t"),
    ("noi", "SET ROLE staff"),
    ("noi", "SELECT a FROM t"),
    ("noi", "SELECT current_user, session_user, current_role"),
    ("noi", "SHOW role"),
    ("noi", "RESET ROLE"),
    ("noi", "SELECT a FROM t"),
    ("noi", "SET ROLE readers"),
    ("noi", "SELECT current_user, current_setting('role'), current_setting('is_superuser')"),
    ("noi", "SET ROLE NONE"),
    ("noi", "SET ROLE boss"),
    ("noi", "SET ROLE nobody"),
    ("noi", "SELECT set_config('role', 'staff', false), current_setting('role')"),
    ("noi", "SELECT current_user"),
    ("noi", "SET ROLE NONE"),
    ("noi", "BEGIN"),
    ("noi", "SET LOCAL ROLE staff"),
    ("noi", "SELECT current_user"),
    ("noi", "ROLLBACK"),
    ("noi", "SELECT current_user"),
    ("noi", "SET SESSION AUTHORIZATION ann"),
    ("noi", "SET SESSION AUTHORIZATION noi"),
    ("su", "SET SESSION AUTHORIZATION ann"),
    ("su", "SELECT current_user, session_user, current_setting('is_superuser')"),
    ("su", "SELECT * FROM s.u"),
    ("su", "SET ROLE staff"),
    ("su", "SELECT current_user, session_user"),
    ("su", "SET ROLE boss"),
    ("su", "SET SESSION AUTHORIZATION DEFAULT"),
    ("su", "SELECT current_user, session_user, current_setting('is_superuser')"),
    ("su", "SET ROLE boss"),
    ("su", "CREATE ROLE by_boss"),
    ("su", "SELECT a FROM t"),
    ("su", "DROP TABLE s.by_bob"),
    ("su", "RESET ROLE"),
    ("su", "REVOKE ADMIN OPTION FOR staff FROM noi"),
    ("noi", "GRANT staff TO eve"),
    ("su", "REVOKE staff FROM noi, eve"),
    ("noi", "SET ROLE staff"),
    ("eve", "SELECT a FROM t"),
    (
        "su",
        (
            "SELECT r.rolname, m.rolname, a.admin_option FROM pg_auth_members a "
            "JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member "
            "WHERE r.oid >= 16384 ORDER BY 1, 2"
        ),
    ),
    ("su", "CREATE ROLE parent ROLE bob ADMIN ann IN ROLE readers"),
    ("su", "CREATE ROLE child IN ROLE nothing"),
    ("su", "CREATE ROLE child IN ROLE parent IN ROLE readers"),
    ("su", "ALTER GROUP parent ADD USER eve"),
    ("su", "ALTER GROUP parent DROP USER eve, bob"),
    ("su", "DROP ROLE parent"),
    # Defaults.
    ("boss", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO readers"),
    ("boss", "ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT INSERT ON TABLES TO bob"),
    ("boss", "ALTER DEFAULT PRIVILEGES FOR ROLE ann GRANT SELECT ON TABLES TO bob"),
    ("boss", "ALTER DEFAULT PRIVILEGES FOR ROLE nobody GRANT SELECT ON TABLES TO bob"),
    ("boss", "ALTER DEFAULT PRIVILEGES IN SCHEMA nothing GRANT SELECT ON TABLES TO bob"),
    ("boss", "ALTER DEFAULT PRIVILEGES GRANT USAGE ON TABLES TO bob"),
    ("boss", "ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT USAGE ON SCHEMAS TO bob"),
    ("boss", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO nobody"),
    ("boss", "CREATE TABLE d (a int)"),
    ("boss", "CREATE VIEW s.dv AS SELECT 1 AS a"),
    ("bob", "SELECT * FROM d"),
    ("bob", "INSERT INTO d VALUES (1)"),
    (
        "boss",
        "SELECT relname, relacl::text FROM pg_class WHERE relname IN ('d', 'dv') ORDER BY 1",
    ),
    (
        "su",
        (
            "SELECT pg_get_userbyid(defaclrole), defaclnamespace <> 0, defaclobjtype, defaclacl::text "
            "FROM pg_default_acl ORDER BY 2"
        ),
    ),
    ("boss", "ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM readers"),
    ("boss", "CREATE TABLE d2 (a int)"),
    ("bob", "SELECT * FROM d2"),
    ("boss", "DROP TABLE d, d2"),
    # CONNECT, and what one sees of others.
    ("boss", "REVOKE CONNECT ON DATABASE shop FROM PUBLIC"),
    ("odd-name", "SELECT 1"),
    ("boss", 'GRANT CONNECT ON DATABASE shop TO "Odd Name"'),
    ("odd-name", "SELECT 1"),
    ("su", "SELECT datacl::text FROM pg_database WHERE datname = 'shop'"),
    ("boss", "GRANT CREATE ON DATABASE shop TO ann"),
    ("ann", "CREATE SCHEMA ann"),
    ("ann", "CREATE SCHEMA theirs AUTHORIZATION boss"),
    ("ann", "CREATE SCHEMA AUTHORIZATION nobody"),
    ("ann", "CREATE SCHEMA theirs AUTHORIZATION staff"),
    ("ann", "CREATE TABLE ann.x (a int)"),
    (
        "eve",
        (
            "SELECT usename, query, state, xact_start FROM pg_stat_activity "
            "WHERE usename = 'boss' AND datname = 'shop'"
        ),
    ),
    ("eve", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'boss'"),
    ("eve", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'boss'"),
    ("eve", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'su'"),
    ("eve", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'su'"),
    ("su", "GRANT pg_signal_backend TO eve"),
    ("eve", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'boss'"),
    ("eve", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'su'"),
    ("su", "GRANT pg_read_all_data TO eve"),
    ("eve", "SELECT a FROM t"),
    ("eve", "SELECT * FROM s.u"),
    ("eve", "INSERT INTO t VALUES (9, '')"),
    ("su", "REVOKE pg_read_all_data FROM eve"),
    ("eve", "LISTEN anything"),
    ("eve", "NOTIFY nobody"),
    ("eve", "SELECT rolname FROM pg_authid"),
    # Roles that go.
    ("su", "DROP ROLE readers"),
    ("su", "DROP ROLE ann"),
    ("su", "DROP ROLE staff, eve"),
    ("su", "DROP ROLE pg_monitor"),
    ("su", "ALTER ROLE pg_monitor LOGIN"),
    ("su", "ALTER ROLE pg_monitor RENAME TO monitor"),
    ("eve", "DROP OWNED BY ann"),
    ("eve", "REASSIGN OWNED BY ann TO eve"),
    ("su", "REASSIGN OWNED BY ann TO bob"),
    ("su", "SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) = 'bob' ORDER BY 1"),
    ("su", "DROP ROLE ann"),
    ("su", "DROP OWNED BY ann"),
    ("su", "DROP OWNED BY readers"),
    ("su", "DROP ROLE ann, readers"),
    ("su", "DROP OWNED BY bob CASCADE"),
    ("su", "SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) = 'bob' ORDER BY 1"),
]


@pytest.fixture(scope="module")
def ours() -> Iterator[Address]:
    with running_server() as process:
        yield process.address


@pytest.fixture(scope="module")
def both(ours: Address, postgresql: Address) -> Iterator[tuple[People, People]]:
    here, there = People(ours, "shop"), People(postgresql, "shop")
    for address in (ours, postgresql):
        with address.connect() as first:
            first.execute("CREATE USER su SUPERUSER")
            first.execute("CREATE USER boss")
            first.execute("CREATE DATABASE shop OWNER boss")
    yield here, there
    for people in (here, there):
        people.close()
    with postgresql.connect() as first:
        first.execute("DROP DATABASE shop WITH (FORCE)")
        for (name,) in first.execute("SELECT rolname FROM pg_roles WHERE oid >= 16384").fetchall():
            first.execute(f'DROP ROLE "{name}"'.encode())


def test_every_statement_is_answered_as_postgresql_answers_it(both: tuple[People, People]) -> None:
    here, there = both
    differences = []
    for who, statement in HISTORY:
        ours, theirs = here.say(who, statement), there.say(who, statement)
        if statement.startswith("CREATE MATERIALIZED VIEW") and theirs == ["SELECT 1"]:
            theirs = ["CREATE MATERIALIZED VIEW"]
        if ours != theirs:
            differences.append((who, statement, ours, theirs))
    assert differences == []


#: What functions and catalogs tell, once something is granted.
QUESTIONS = [
    "SELECT has_table_privilege('t', 'SELECT'), has_table_privilege('x', 't', 'SELECT')",
    "SELECT has_table_privilege('x', 't', 'insert, select'), has_table_privilege('x', 't', 'TRIGGER')",
    "SELECT has_table_privilege('x'::name, 't'::regclass, 'select with grant option')",
    "SELECT has_table_privilege('x', 't', 'UPDATE WITH GRANT OPTION')",
    (
        "SELECT relname, has_table_privilege('x', oid, 'SELECT') FROM pg_class "
        "WHERE relname IN ('t', 'u') ORDER BY 1"
    ),
    "SELECT has_table_privilege(99999, 'SELECT'), has_table_privilege(NULL::text, 'SELECT')",
    "SELECT has_schema_privilege('x', 'public', 'USAGE'), has_schema_privilege('x', 'public', 'CREATE')",
    (
        "SELECT has_database_privilege('x', current_database(), 'CONNECT'), "
        "has_database_privilege('x', current_database(), 'CREATE, TEMP')"
    ),
    "SELECT has_column_privilege('x', 't', 'a', 'SELECT'), has_column_privilege('t', 'b', 'SELECT')",
    "SELECT has_column_privilege('x', 't', 1::int2, 'UPDATE')",
    "SELECT has_any_column_privilege('x', 't', 'SELECT'), has_any_column_privilege('x', 'u', 'SELECT')",
    "SELECT has_function_privilege('x', 'now()', 'EXECUTE'), has_type_privilege('int4', 'USAGE')",
    "SELECT pg_has_role('x', 'grp', 'MEMBER'), pg_has_role('x', 'grp', 'USAGE')",
    "SELECT pg_has_role('n', 'grp', 'MEMBER'), pg_has_role('n', 'grp', 'USAGE')",
    "SELECT pg_has_role('grp', 'USAGE'), pg_has_role('x', 'grp', 'USAGE WITH ADMIN OPTION')",
    "SELECT has_table_privilege('nobody', 't', 'SELECT')",
    "SELECT has_table_privilege('nothing', 'SELECT')",
    "SELECT has_table_privilege('t', 'FLY')",
    "SELECT has_schema_privilege('nothing', 'USAGE')",
    "SELECT has_database_privilege('nothing', 'CONNECT')",
    "SELECT has_column_privilege('t', 'nothing', 'SELECT')",
    "SELECT has_sequence_privilege('t', 'USAGE')",
    "SELECT pg_has_role('grp', 'NONSENSE')",
    "SELECT has_table_privilege('pg_class', 'SELECT'), has_table_privilege('x', 'pg_authid', 'SELECT')",
    (
        "SELECT grantee, privilege_type, is_grantable, with_hierarchy "
        "FROM information_schema.table_privileges WHERE table_name = 't' AND grantee <> 'asker' ORDER BY 1, 2"
    ),
    (
        "SELECT grantee, column_name, privilege_type FROM information_schema.column_privileges "
        "WHERE table_name = 't' AND grantee = 'x' ORDER BY 2, 3"
    ),
    (
        "SELECT role_name, grantee, is_grantable FROM information_schema.applicable_roles "
        "WHERE role_name = 'grp' ORDER BY 2"
    ),
    (
        "SELECT acldefault('r', oid)::text, acldefault('n', oid)::text, acldefault('d', oid)::text, "
        "acldefault('c', oid)::text, acldefault('l', oid)::text FROM pg_roles WHERE rolname = 'x'"
    ),
]


def test_functions_and_catalogs_tell_what_postgresqls_tell(
    ours: Address, postgresql: Address
) -> None:
    def told(address: Address) -> list[object]:
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

    assert told(ours) == told(postgresql)


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
                "SELECT defaclacl::text FROM pg_default_acl",
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
