"""Indexes and comments beside a real PostgreSQL: what the catalogs tell, and the errors."""

from __future__ import annotations

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

INDEXES = """
CREATE TABLE t (k int PRIMARY KEY, a int, b text, "C" date);
CREATE INDEX i ON t (a);
CREATE INDEX i ON t (b);
CREATE INDEX IF NOT EXISTS i ON t (b);
CREATE INDEX t ON t (b);
CREATE INDEX ON t (b, a DESC NULLS LAST);
CREATE INDEX ON t (b, a);
CREATE INDEX e ON t (lower(b), upper(b) DESC, "C" ASC NULLS FIRST) INCLUDE (k);
CREATE INDEX x ON t (nope);
CREATE INDEX x ON nope (a);
CREATE INDEX x ON t USING gronk (a);
CREATE INDEX x ON t (random());
CREATE INDEX x ON t ((count(a)));
CREATE TABLE i (a int);
INSERT INTO t SELECT n, n % 10, 'b' || n, date '2020-01-01' + n FROM generate_series(1, 100) n;
SELECT count(*) FROM t WHERE a = 3;
UPDATE t SET a = a + 1 WHERE b = 'b7';
DELETE FROM t WHERE a = 4;
SELECT count(*), sum(a) FROM t WHERE a > 5;
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
SELECT c.relname, i.indnatts, i.indnkeyatts, i.indkey, i.indoption FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 't'::regclass ORDER BY 1;
SELECT pg_get_indexdef(indexrelid), pg_get_indexdef(indexrelid, 1, true) FROM pg_index WHERE indrelid = 't'::regclass AND NOT indisprimary ORDER BY 1;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 't'::regclass;
SELECT relhasindex FROM pg_class WHERE relname = 't';
ALTER INDEX i RENAME TO j;
ALTER INDEX j RENAME TO t;
ALTER INDEX nope RENAME TO t;
ALTER INDEX IF EXISTS nope RENAME TO t;
ALTER TABLE t RENAME a TO aa;
ALTER TABLE t DROP COLUMN "C";
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 't' AND indexname = 'j';
ALTER TABLE t ADD COLUMN d int DEFAULT 4, ALTER aa TYPE bigint;
SELECT count(*) FROM t WHERE aa = 3;
ALTER TABLE t DROP COLUMN d;
SELECT count(*) FROM t WHERE aa = 3;
SELECT indexname FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
DROP INDEX nope;
DROP INDEX IF EXISTS nope;
DROP INDEX t;
DROP TABLE j;
DROP INDEX j, t_b_a_idx;
SELECT indexname FROM pg_indexes WHERE tablename = 't' ORDER BY 1;
CREATE VIEW v AS SELECT aa FROM t;
CREATE INDEX x ON v (aa);
CREATE SCHEMA s;
CREATE INDEX kept ON t (b);
ALTER TABLE t SET SCHEMA s;
DROP INDEX s.kept;
CREATE INDEX kept ON s.t (b);
DROP TABLE s.t CASCADE;
SELECT count(*) FROM pg_indexes WHERE schemaname = 's';
"""

COMMENTS = """
CREATE TABLE t (k int PRIMARY KEY, a int);
CREATE VIEW v AS SELECT k FROM t;
CREATE INDEX i ON t (a);
CREATE SCHEMA s;
COMMENT ON TABLE t IS 'a table''s comment';
COMMENT ON COLUMN t.a IS 'a column''s';
COMMENT ON COLUMN public.t.k IS E'key\\nof two lines';
COMMENT ON VIEW v IS 'a view''s';
COMMENT ON COLUMN v.k IS 'a view column''s';
COMMENT ON INDEX i IS 'an index''s';
COMMENT ON SCHEMA s IS 'a schema''s';
COMMENT ON TABLE nope IS 'x';
COMMENT ON COLUMN t.nope IS 'x';
COMMENT ON COLUMN nope IS 'x';
COMMENT ON SCHEMA nope IS 'x';
COMMENT ON TABLE t IS 1;
SELECT obj_description('t'::regclass), obj_description('t'::regclass, 'pg_class'), obj_description('t'::regclass, 'pg_namespace'), col_description('t'::regclass, 2), col_description('t'::regclass, 1), col_description('t'::regclass, 7);
SELECT obj_description('v'::regclass), col_description('v'::regclass, 1), obj_description('i'::regclass, 'pg_class');
SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 's';
SELECT c.relname, d.objsubid, d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE c.relname IN ('t', 'v', 'i') ORDER BY 1, 2;
COMMENT ON TABLE t IS NULL;
COMMENT ON COLUMN t.a IS '';
ALTER TABLE t RENAME COLUMN k TO kk;
SELECT obj_description('t'::regclass), col_description('t'::regclass, 1), col_description('t'::regclass, 2);
"""


@pytest.mark.parametrize("script", [INDEXES, COMMENTS], ids=["indexes", "comments"])
def test_indexes_and_comments_are_postgresqls(
    script: str, judge: Address, database: Address
) -> None:
    assert_equal(judge, database, script)
