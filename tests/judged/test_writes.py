"""UPDATE, DELETE, INSERT and MERGE with other tables, beside a real PostgreSQL."""

from __future__ import annotations

import pytest

from tests.support.judged import assert_equal
from tests.support.server import Address

TABLES = """
CREATE TABLE t (k int PRIMARY KEY, a int, b text DEFAULT 'none');
CREATE TABLE o (k int, plus int, c text);
INSERT INTO t VALUES (1,1,'x'),(2,2,'y'),(3,3,'z');
INSERT INTO o VALUES (1,10,'o1'),(2,20,'o2'),(2,20,'o2'),(7,70,'o7');
"""

RETURNING = """
UPDATE t SET a = a + o.plus FROM o WHERE t.k = o.k AND o.k = 1 RETURNING t.k, a, o.c;
DELETE FROM t USING o WHERE t.k = o.k AND o.plus > 15 RETURNING t.*, o.c;
UPDATE t SET (a, b) = (SELECT plus, c FROM o WHERE o.k = t.k LIMIT 1);
SELECT * FROM t ORDER BY k;
UPDATE t SET (a, b) = ROW (5, 'five') WHERE k = 1;
UPDATE t SET (a, b) = (5, DEFAULT) WHERE k = 1 RETURNING *;
INSERT INTO t VALUES (1, 7, 'seven') ON CONFLICT ON CONSTRAINT t_pkey DO UPDATE SET a = excluded.a RETURNING *;
INSERT INTO t VALUES (1, 7, 'seven') ON CONFLICT ON CONSTRAINT nope DO NOTHING;
INSERT INTO t AS tt VALUES (8, 7, 'seven') RETURNING tt.k + 1 AS n, (SELECT count(*) FROM o);
UPDATE t SET a = 1 FROM o x JOIN o y ON x.k = y.k WHERE t.k = x.k AND x.k = 1 RETURNING x.c || y.c, t.a, (SELECT max(plus) FROM o WHERE o.k > x.k);
WITH w AS (SELECT 1 AS k) DELETE FROM t USING w WHERE w.k = t.k RETURNING t.k, w.k;
UPDATE t SET a = 9 FROM (SELECT 8 AS k) q WHERE q.k = t.k RETURNING *;
UPDATE t SET a = 10 FROM o WHERE o.k = 7 AND t.k = 8 RETURNING k;
UPDATE t SET a = 10 FROM o WHERE o.k = 7 AND t.k = 8 RETURNING nope;
BEGIN;
UPDATE t SET a = o.k FROM o WHERE o.k = 7 AND t.k = 8 RETURNING t.k, o.k;
DELETE FROM t USING o WHERE o.k = 7 AND t.k = 8 RETURNING o.c;
COMMIT;
SELECT * FROM t ORDER BY k;
"""


@pytest.mark.parametrize("script", [RETURNING], ids=["returning"])
def test_writes_are_postgresqls(script: str, judge: Address, database: Address) -> None:
    assert_equal(judge, database, TABLES + script)
