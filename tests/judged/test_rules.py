"""Generated columns and CHECK constraints beside a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

GENERATED = """
CREATE TABLE g (a int PRIMARY KEY, b int GENERATED ALWAYS AS (a * 2) STORED, c text, d text GENERATED ALWAYS AS (c || '-' || a) STORED NOT NULL);
INSERT INTO g VALUES (7, 1);
INSERT INTO g VALUES (7, 1, 'x');
INSERT INTO g SELECT 7, 1, 'x';
INSERT INTO g VALUES (7, DEFAULT, 'x');
INSERT INTO g VALUES (8), (9);
DELETE FROM g RETURNING *;
CREATE VIEW v AS SELECT b, d FROM g;
INSERT INTO g (a, c) VALUES (1, 'x'), (2, 'y');
INSERT INTO g VALUES (3, DEFAULT, 'z', DEFAULT);
INSERT INTO g VALUES (4, 5, 'z');
INSERT INTO g (a, b, c) VALUES (4, 5, 'z');
INSERT INTO g (a, b) SELECT 4, 5;
INSERT INTO g (a) VALUES (9);
INSERT INTO g (a, c) VALUES (4, 'w') RETURNING a, b, d;
SELECT * FROM g ORDER BY a;
UPDATE g SET a = a + 10 WHERE a = 1 RETURNING *;
UPDATE g SET b = 5;
UPDATE g SET b = DEFAULT WHERE a = 2;
UPDATE g SET (a, b) = (20, DEFAULT) WHERE a = 2;
UPDATE g SET c = NULL WHERE a = 3;
INSERT INTO g (a, c) VALUES (3, 'new') ON CONFLICT (a) DO UPDATE SET c = excluded.c || excluded.b RETURNING *;
SELECT * FROM g ORDER BY a;
BEGIN;
INSERT INTO g (a, c) VALUES (50, 'in block');
UPDATE g SET a = 51 WHERE a = 50;
SELECT * FROM g WHERE a > 40;
COMMIT;
SELECT * FROM g WHERE a > 40;
DELETE FROM g WHERE b = 102;
CREATE TABLE bad (a int, b int GENERATED ALWAYS AS (c * 2) STORED);
CREATE TABLE bad (a int, b int GENERATED ALWAYS AS (b * 2) STORED);
CREATE TABLE bad (a int, b int GENERATED ALWAYS AS (a * 2) STORED, c int GENERATED ALWAYS AS (b + 1) STORED);
CREATE TABLE bad (a int, b float GENERATED ALWAYS AS (random()) STORED);
CREATE TABLE bad (a int, b int GENERATED ALWAYS AS (count(a)) STORED);
CREATE TABLE bad (a int, b int GENERATED ALWAYS AS ((SELECT 1)) STORED);
CREATE TABLE bad (a int, b int GENERATED ALWAYS AS ('x'::text) STORED);
CREATE TABLE bad (a int, b int DEFAULT 1 GENERATED ALWAYS AS (a) STORED);
ALTER TABLE g ADD COLUMN e int GENERATED ALWAYS AS (a + 100) STORED;
SELECT a, e FROM g ORDER BY a;
ALTER TABLE g ALTER a TYPE bigint;
SELECT * FROM v ORDER BY 1;
ALTER TABLE g DROP COLUMN c;
ALTER TABLE g RENAME COLUMN c TO "C c";
INSERT INTO g (a, "C c") VALUES (60, 'renamed');
SELECT * FROM g WHERE a = 60;
ALTER TABLE g DROP COLUMN e;
SELECT attname, attgenerated FROM pg_attribute WHERE attrelid = 'g'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT column_name, is_generated FROM information_schema.columns WHERE table_name = 'g' ORDER BY ordinal_position;
"""

CHECKS = """
CREATE TABLE t (a int CHECK (a > 0), b int, c text CONSTRAINT short CHECK (length(c) < 4), CHECK (a < b), CHECK (b <> 7 OR c IS NULL));
INSERT INTO t VALUES (1, 2, 'x');
INSERT INTO t VALUES (NULL, NULL, NULL);
INSERT INTO t VALUES (0, 2, 'x');
INSERT INTO t VALUES (3, 2, 'x');
INSERT INTO t VALUES (3, 4, 'long text');
INSERT INTO t VALUES (3, 7, 'x');
INSERT INTO t VALUES (3, 7, NULL), (4, 5, 'y');
UPDATE t SET a = b WHERE a = 3;
UPDATE t SET c = c || 'zzzz';
UPDATE t SET b = b + 1 WHERE a = 1;
SELECT * FROM t ORDER BY a;
BEGIN;
INSERT INTO t VALUES (0, 1, NULL);
ROLLBACK;
ALTER TABLE t ADD CONSTRAINT big CHECK (b > 100);
ALTER TABLE t ADD CONSTRAINT small CHECK (b < 100);
INSERT INTO t VALUES (1, 100, 'x');
ALTER TABLE t ADD CONSTRAINT small CHECK (b < 100);
ALTER TABLE t DROP CONSTRAINT small;
ALTER TABLE t DROP CONSTRAINT small;
ALTER TABLE t DROP CONSTRAINT IF EXISTS small;
INSERT INTO t VALUES (1, 100, 'x');
ALTER TABLE t ADD COLUMN d int DEFAULT 5 CHECK (d < 5);
ALTER TABLE t ADD COLUMN d int DEFAULT 5 CHECK (d < 6);
INSERT INTO t (d) VALUES (6);
ALTER TABLE t ALTER d TYPE numeric(5, 1);
INSERT INTO t (d) VALUES (6.5);
ALTER TABLE t RENAME d TO e;
INSERT INTO t (e) VALUES (6.5);
SELECT conname, contype, conkey FROM pg_constraint WHERE conrelid = 't'::regclass ORDER BY conname;
ALTER TABLE t DROP COLUMN c;
INSERT INTO t VALUES (3, 7, 1);
SELECT conname FROM pg_constraint WHERE conrelid = 't'::regclass ORDER BY conname;
CREATE TABLE u (a int, CHECK (nope > 1));
CREATE TABLE u (a int, CHECK (a));
CREATE TABLE u (a int, CHECK (a > (SELECT 1)));
CREATE TABLE u (a int, CHECK (count(*) > 1));
CREATE TABLE u (a int CONSTRAINT c CHECK (a > 1), CONSTRAINT c CHECK (a > 2));
"""


@pytest.mark.parametrize("script", [GENERATED, CHECKS], ids=["generated", "checks"])
def test_rules_for_rows_are_postgresqls(script: str, judge: Address, database: Address) -> None:
    assert_equal(judge, database, script)
