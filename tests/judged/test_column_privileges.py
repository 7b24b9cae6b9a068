"""Privileges on single columns beside a real PostgreSQL: who may read and write what, and what is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from tests.support.judged import outcomes, statements_of
from tests.support.server import Address

#: Whose session it is, and what he says in it.
CONVERSATION = (
    ("owner", """
CREATE TABLE t (a int PRIMARY KEY, b int, c text);
INSERT INTO t VALUES (1, 2, 'x'), (2, 3, 'y');
CREATE VIEW v AS SELECT a, b AS bb, c FROM t;
CREATE TABLE u (a int, d int);
INSERT INTO u VALUES (1, 5);
GRANT SELECT ON u TO col_anna;
GRANT SELECT (a, b), UPDATE (b) ON t TO col_anna;
GRANT SELECT (bb) ON v TO col_anna;
GRANT INSERT (a, b) ON t TO col_anna;
GRANT DELETE (a) ON t TO col_anna;
GRANT SELECT (nope) ON t TO col_anna;
GRANT EXECUTE (a) ON t TO col_anna;
"""),
    ("col_anna", """
SELECT a, b FROM t ORDER BY a;
SELECT * FROM t;
SELECT c FROM t;
SELECT count(*) FROM t;
SELECT a FROM t WHERE c = 'x';
SELECT t FROM t;
SELECT bb FROM v ORDER BY 1;
SELECT a FROM v;
SELECT count(*) FROM v;
SELECT u.d, t.b FROM u JOIN t USING (a);
SELECT u.d FROM u JOIN t ON t.c = 'x';
SELECT (SELECT c FROM t WHERE a = 1);
WITH x AS (SELECT b FROM t) SELECT sum(b) FROM x;
SELECT max(a) OVER (ORDER BY c) FROM t;
SELECT d FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.c = 'x');
SELECT d FROM u WHERE a IN (SELECT a FROM t);
SELECT * FROM t NATURAL JOIN u;
SELECT x.a FROM t AS x (a, b, c) ORDER BY 1;
SELECT x.c FROM t AS x (a, c) ORDER BY 1;
SELECT count(*) FROM (SELECT c FROM t) AS q;
UPDATE t SET b = b + 1 WHERE a = 1;
UPDATE t SET b = 1 WHERE c = 'x';
UPDATE t SET c = 'z';
UPDATE t SET b = length(c);
UPDATE t SET b = 7 WHERE a = 2 RETURNING b;
UPDATE t SET b = 7 WHERE a = 2 RETURNING c;
UPDATE t SET b = u.d FROM u WHERE u.a = t.a;
INSERT INTO t (a, b) VALUES (10, 10);
INSERT INTO t VALUES (11, 1, 'x');
INSERT INTO t (a, c) VALUES (12, 'x');
INSERT INTO t (a) VALUES (13) RETURNING a;
INSERT INTO t (a) VALUES (14) RETURNING c;
INSERT INTO t (a) SELECT a + 100 FROM t WHERE a < 3;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT (a) DO UPDATE SET b = excluded.b;
INSERT INTO t (a, b) VALUES (1, 1) ON CONFLICT (a) DO UPDATE SET c = 'x';
DELETE FROM t WHERE a = 1;
TRUNCATE t;
SELECT has_column_privilege('t', 'a', 'select'), has_column_privilege('t', 'c', 'select'),
    has_any_column_privilege('t', 'update'), has_any_column_privilege('t', 'references'),
    has_table_privilege('t', 'select'), has_column_privilege('t', 2::int2, 'update');
SELECT table_name, column_name, privilege_type, is_grantable FROM information_schema.column_privileges
    WHERE grantee = 'col_anna' AND table_name IN ('t', 'v') ORDER BY 1, 2, 3;
"""),
    ("col_bert", """
SELECT a FROM t;
"""),
    ("owner", """
GRANT SELECT (c) ON t TO col_anna WITH GRANT OPTION;
"""),
    ("col_anna", """
GRANT SELECT (c) ON t TO col_bert;
GRANT SELECT (a) ON t TO col_bert;
"""),
    ("col_bert", """
SELECT c FROM t WHERE c = 'x';
SELECT a FROM t;
"""),
    ("owner", """
REVOKE SELECT (c) ON t FROM col_anna;
REVOKE SELECT (c) ON t FROM col_anna CASCADE;
ALTER TABLE t RENAME COLUMN a TO aa;
DROP ROLE col_anna;
"""),
    ("col_bert", """
SELECT c FROM t;
"""),
    ("col_anna", """
SELECT aa FROM t WHERE aa < 3 ORDER BY 1;
"""),
    ("owner", """
REVOKE SELECT ON t FROM col_anna;
"""),
    ("col_anna", """
SELECT aa FROM t;
"""),
    ("owner", """
DROP OWNED BY col_anna;
SELECT attname FROM pg_attribute WHERE attrelid = 't'::regclass AND attacl IS NOT NULL;
GRANT ALL (b) ON t TO col_bert;
ALTER TABLE t OWNER TO col_anna;
SELECT attname, attacl FROM pg_attribute WHERE attrelid = 't'::regclass AND attacl IS NOT NULL;
DROP TABLE t CASCADE;
"""),
)  # fmt: skip


@pytest.fixture
def people(judge: Address, database: Address) -> Iterator[None]:
    """Two roles on either server."""
    for address in (judge, database):
        with address.connect() as connection:
            connection.execute("CREATE ROLE col_anna LOGIN")
            connection.execute("CREATE ROLE col_bert LOGIN")
            connection.execute("GRANT CREATE ON SCHEMA public TO col_anna")
    yield
    for address in (judge, database):
        with address.connect() as connection:
            connection.execute("DROP OWNED BY col_anna, col_bert")
            connection.execute("DROP ROLE col_anna, col_bert")


@pytest.mark.usefixtures("people")
def test_each_may_do_what_he_may_with_single_columns(judge: Address, database: Address) -> None:
    for who, script in CONVERSATION:
        statements = statements_of(script)
        told = []
        for address in (judge, database):
            user = address.user if who == "owner" else who
            told.append(outcomes(replace(address, user=user), statements))
        for statement, wanted, got in zip(statements, *told, strict=True):
            assert got == wanted, (who, statement)


@pytest.mark.usefixtures("people")
def test_what_is_granted_outlives_the_session(database: Address) -> None:
    with database.connect() as owner:
        owner.execute("CREATE TABLE kept (a int, b int)")
        owner.execute("GRANT SELECT (a) ON kept TO col_anna")
        owner.execute("ALTER TABLE kept ADD COLUMN c int")
    with replace(database, user="col_anna").connect() as anna:
        assert anna.execute("SELECT a FROM kept").fetchall() == []
        for column in ("b", "c"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="table kept"):
                anna.execute(f"SELECT {column} FROM kept".encode())
