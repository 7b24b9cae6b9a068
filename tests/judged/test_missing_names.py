"""What errors call relations and columns that are not there, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

SCRIPT = """
CREATE SCHEMA s2;
CREATE TABLE tt(a INT PRIMARY KEY, b INT NOT NULL);
CREATE TABLE s2.tt(a INT PRIMARY KEY);
SELECT * FROM s2.nope;
SELECT * FROM nope;
SELECT nope.* FROM tt;
SELECT nope.a FROM tt;
SELECT s2.nope.a FROM tt;
SELECT s2.tt.a FROM tt;
SELECT tt.nope FROM tt;
SELECT s2.tt.nope FROM s2.tt;
SELECT x.nope FROM s2.tt x;
SELECT s2.tt.a FROM s2.tt x;
SELECT tt.a FROM s2.tt x;
SELECT tt.nope FROM s2.tt x;
INSERT INTO s2.nope VALUES(1);
INSERT INTO s2.tt(z) VALUES(1);
INSERT INTO tt VALUES(1,2,3);
UPDATE s2.nope SET a=1;
UPDATE s2.tt SET z=1;
UPDATE tt SET tt.a=1;
UPDATE s2.tt SET a=1 WHERE nope.a=1;
DELETE FROM s2.nope;
DELETE FROM s2.tt WHERE nope.b=1;
DELETE FROM s2.tt x WHERE tt.a=1;
INSERT INTO tt VALUES(1,NULL);
INSERT INTO s2.tt VALUES(NULL);
ALTER TABLE s2.nope ADD COLUMN x INT;
ALTER TABLE s2.tt DROP COLUMN x;
ALTER TABLE s2.tt RENAME COLUMN x TO y;
ALTER TABLE s2.tt ALTER COLUMN x SET NOT NULL;
ALTER TABLE s2.tt ADD COLUMN a INT;
ALTER TABLE s2.tt DROP CONSTRAINT x;
DROP TABLE s2.nope;
DROP TABLE nope.nope;
DROP VIEW s2.nope;
DROP INDEX s2.nope;
DROP SEQUENCE s2.nope;
DROP VIEW s2.tt;
CREATE INDEX ON s2.nope(a);
CREATE INDEX ON s2.tt(x);
TRUNCATE s2.nope;
TRUNCATE nope;
LOCK TABLE s2.nope;
comment on table s2.nope is 'x';
comment on column s2.tt.x is 'x';
comment on column s2.nope.x is 'x';
GRANT SELECT ON s2.nope TO postgres;
GRANT SELECT (x) ON s2.tt TO postgres;
CREATE VIEW s2.v AS SELECT * FROM s2.nope;
CREATE TABLE s2.tt(a INT);
CREATE VIEW s2.tt AS SELECT 1;
CREATE TABLE nos.tt(a INT);
SELECT * FROM nos.tt;
select 's2.nope'::regclass;
SELECT nos.f(1);
SELECT s2.f(1);
ALTER TABLE s2.nope RENAME TO x;
ALTER TABLE s2.tt RENAME TO tt;
ALTER VIEW s2.nope RENAME TO x;
ALTER SEQUENCE s2.nope RESTART;
select nextval('s2.nope');
INSERT INTO tt SELECT 1,2 ON CONFLICT (z) DO NOTHING;
INSERT INTO tt AS x SELECT 1,2 ON CONFLICT (a) DO UPDATE SET b=tt.b;
INSERT INTO tt AS x SELECT 1,2 RETURNING tt.a;
MERGE INTO s2.nope USING tt ON true WHEN MATCHED THEN DO NOTHING;
TABLE s2.nope;
VACUUM s2.nope;
ANALYZE s2.nope;
CREATE TABLE c(a INT REFERENCES s2.nope);
CREATE TABLE c(a INT REFERENCES s2.tt(z));
ALTER TABLE tt ADD FOREIGN KEY (zz) REFERENCES s2.tt;
CREATE TABLE i(LIKE s2.nope);
SELECT a FROM tt NATURAL JOIN s2.nope;
SELECT * FROM tt x, LATERAL (SELECT y.a) z;
SELECT tt.* FROM tt x;
SELECT count(tt.*) FROM tt x;
SELECT tt FROM tt x;
UPDATE tt x SET b=tt.b;
SELECT * FROM tt x JOIN s2.tt y ON tt.a=y.a;
SELECT (SELECT nope.a) FROM tt;
WITH w AS (SELECT * FROM w2), w2 AS (SELECT 1) SELECT * FROM w;
WITH w AS (SELECT * FROM w2), w2 AS (SELECT 1) SELECT * FROM w2;
WITH w AS (SELECT * FROM w) SELECT 1;
WITH w AS (SELECT * FROM s2.w2), w2 AS (SELECT 1) SELECT * FROM w;
SELECT * FROM w2 WHERE EXISTS (WITH w AS (SELECT * FROM w2), w2 AS (SELECT 1) SELECT * FROM w);
"""


def test_what_is_missing_is_called_as_postgresql_does(judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPT)
