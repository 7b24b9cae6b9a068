"""ALTER and TRUNCATE beside a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

COLUMNS = """
CREATE TABLE t (a int PRIMARY KEY, b text, c int DEFAULT 3);
INSERT INTO t VALUES (1,'x',10),(2,'y',20);
ALTER TABLE t ADD COLUMN d int DEFAULT 7, ADD e timestamp DEFAULT now(), ADD COLUMN f text;
SELECT a,b,c,d,e IS NOT NULL, f FROM t ORDER BY a;
INSERT INTO t (a,b) VALUES (3,'z');
SELECT a,b,c,d,f FROM t ORDER BY a;
ALTER TABLE t ADD COLUMN d int;
ALTER TABLE t ADD COLUMN IF NOT EXISTS d int;
ALTER TABLE t DROP COLUMN zz;
ALTER TABLE t DROP COLUMN IF EXISTS zz;
ALTER TABLE t ADD COLUMN n int NOT NULL;
ALTER TABLE t ADD COLUMN n int NOT NULL DEFAULT 5;
ALTER TABLE t ALTER n SET DEFAULT 6;
INSERT INTO t (a) VALUES (10);
SELECT a, n FROM t ORDER BY a;
ALTER TABLE t ALTER n DROP DEFAULT;
INSERT INTO t (a) VALUES (11);
ALTER TABLE t ALTER n DROP NOT NULL;
INSERT INTO t (a) VALUES (11);
ALTER TABLE t ALTER n SET NOT NULL;
ALTER TABLE t ALTER a DROP NOT NULL;
ALTER TABLE t RENAME COLUMN c TO b;
ALTER TABLE t RENAME COLUMN nope TO b;
ALTER TABLE t RENAME nope TO b;
ALTER TABLE t RENAME c TO cc;
SELECT c FROM t;
SELECT cc FROM t ORDER BY a;
ALTER TABLE t ALTER zz SET DEFAULT 1;
ALTER TABLE t ALTER zz SET NOT NULL;
ALTER TABLE nope ADD COLUMN a int;
ALTER TABLE IF EXISTS nope ADD COLUMN a int;
ALTER TABLE t ADD COLUMN q nonesuch;
ALTER TABLE t ADD q int, ADD q int;
ALTER TABLE t;
ALTER TABLE t ADD;
ALTER TABLE t SET SCHEMA s2, ADD c int;
ALTER TABLE t DROP COLUMN b, DROP COLUMN b;
ALTER TABLE t DROP COLUMN b, DROP COLUMN f, ALTER d SET DEFAULT 1, ADD g int;
INSERT INTO t (a) VALUES (20);
SELECT a, cc, d, n, g FROM t ORDER BY a;
SELECT attname, attnum, attnotnull, atthasdef FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
"""

TYPES = """
CREATE TABLE t (a int PRIMARY KEY, n int DEFAULT 4, s text);
INSERT INTO t VALUES (1, 5, '12'), (2, NULL, '7'), (3, 8, NULL);
ALTER TABLE t ALTER n TYPE text;
INSERT INTO t (a) VALUES (4);
SELECT a, n, pg_typeof(n) FROM t ORDER BY a;
ALTER TABLE t ALTER n TYPE int;
ALTER TABLE t ALTER n DROP DEFAULT, ALTER n TYPE int USING n::int + a;
SELECT a, n, pg_typeof(n) FROM t ORDER BY a;
ALTER TABLE t ALTER s SET DATA TYPE int USING s;
ALTER TABLE t ALTER s SET DATA TYPE int USING s::int;
ALTER TABLE t ALTER n TYPE numeric(10,2), ALTER s TYPE varchar(3);
SELECT a, n, s, pg_typeof(s) FROM t ORDER BY a;
ALTER TABLE t ALTER n TYPE int USING 'x'::text;
ALTER TABLE t ALTER s SET DEFAULT true;
ALTER TABLE t ALTER n SET DEFAULT 'abc';
ALTER TABLE t ALTER n SET DEFAULT true;
ALTER TABLE t ALTER a TYPE bigint;
INSERT INTO t (a) VALUES (5000000000);
SELECT max(a) FROM t;
ALTER TABLE t ALTER a TYPE int;
ALTER TABLE t ALTER s TYPE int USING nope;
ALTER TABLE t ALTER s TYPE varchar(1);
DELETE FROM t WHERE a = 2;
SELECT a, n, s FROM t ORDER BY a;
"""

DEPENDANTS = """
CREATE TABLE t (a int PRIMARY KEY, b text, c int);
INSERT INTO t VALUES (1,'x',10),(2,'y',20);
CREATE VIEW v AS SELECT a, c FROM t;
CREATE VIEW v2 AS SELECT a FROM v;
CREATE VIEW w AS SELECT count(b) AS n FROM t;
ALTER TABLE t DROP COLUMN c;
ALTER TABLE t DROP COLUMN b;
ALTER TABLE t ALTER COLUMN c TYPE bigint;
ALTER TABLE t RENAME COLUMN c TO cc;
SELECT a, c FROM v ORDER BY 1;
ALTER TABLE t RENAME TO u;
INSERT INTO u VALUES (3, 'z', 30);
SELECT a, c FROM v ORDER BY 1;
ALTER VIEW v RENAME COLUMN c TO d;
SELECT a, d FROM v ORDER BY 1;
SELECT n FROM w;
ALTER TABLE u DROP COLUMN cc CASCADE;
SELECT * FROM v;
SELECT * FROM w;
SELECT * FROM u ORDER BY a;
DROP TABLE u;
"""

PLACES = """
CREATE SCHEMA s2;
CREATE TABLE t (a int);
INSERT INTO t VALUES (1);
ALTER TABLE t SET SCHEMA nope;
ALTER TABLE t SET SCHEMA s2;
SELECT count(*) FROM s2.t;
SELECT count(*) FROM t;
CREATE TABLE t (a int);
ALTER TABLE t SET SCHEMA s2;
ALTER TABLE t OWNER TO nobody_there;
ALTER TABLE t OWNER TO current_user;
ALTER VIEW IF EXISTS nope RENAME TO x;
CREATE VIEW v AS SELECT a FROM t;
ALTER VIEW v SET SCHEMA s2;
SELECT * FROM s2.v;
ALTER TABLE s2.t RENAME TO u;
SELECT * FROM s2.u;
"""

TRUNCATED = """
CREATE TABLE t (a int, b int DEFAULT 1);
CREATE TABLE u (a int PRIMARY KEY);
CREATE VIEW v AS SELECT a FROM t;
INSERT INTO t VALUES (1), (1);
INSERT INTO u VALUES (1), (2);
TRUNCATE t;
SELECT * FROM t;
SELECT count(*) FROM u;
INSERT INTO t VALUES (2);
TRUNCATE TABLE ONLY t, u, t RESTART IDENTITY CASCADE;
SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM u);
TRUNCATE v;
TRUNCATE nope;
BEGIN;
INSERT INTO u VALUES (7);
TRUNCATE u;
SELECT count(*) FROM u;
INSERT INTO u VALUES (8);
SELECT * FROM u;
ROLLBACK;
SELECT count(*) FROM u;
BEGIN READ ONLY;
TRUNCATE u;
ROLLBACK;
INSERT INTO t VALUES (5);
SELECT * FROM t;
"""

SCRIPTS = {
    "columns": COLUMNS,
    "types": TYPES,
    "dependants": DEPENDANTS,
    "places": PLACES,
    "truncated": TRUNCATED,
}


@pytest.fixture
def judge(postgresql: Address) -> Iterator[Address]:
    """A database of PostgreSQL's for one test."""
    with postgresql.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS judged")
        connection.execute("CREATE DATABASE judged")
    yield postgresql.of_database("judged")
    with postgresql.connect() as connection:
        connection.execute("DROP DATABASE judged WITH (FORCE)")


@pytest.mark.parametrize("name", SCRIPTS)
def test_alterations_are_postgresqls(name: str, judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPTS[name])
