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
WITH c AS (SELECT 70 AS p, 'cte' AS q) INSERT INTO t VALUES (1, 2) ON CONFLICT (k) DO UPDATE SET (a, b) = (SELECT p, q FROM c) RETURNING *;
WITH c AS (SELECT 70 AS p) INSERT INTO t VALUES (1, 2) ON CONFLICT (k) DO UPDATE SET a = excluded.a + (SELECT p FROM c) RETURNING *;
UPDATE t SET (a, b) = a;
INSERT INTO o VALUES (generate_series(80, 82), 1, 'set') RETURNING *;
INSERT INTO o (k) VALUES (unnest(ARRAY[90, 91]));
INSERT INTO o (k) VALUES (generate_series(80, 82)), (1);
DELETE FROM o WHERE k > 79;
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

MERGE = """
MERGE INTO t USING (SELECT DISTINCT * FROM o) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET a = t.a + s.plus, b = s.c WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.plus, s.c);
SELECT * FROM t ORDER BY k;
MERGE INTO t USING o ON t.k = o.k WHEN MATCHED THEN DELETE;
SELECT * FROM t ORDER BY k;
MERGE INTO t AS tt USING (SELECT DISTINCT * FROM o) s ON tt.k = s.k WHEN MATCHED AND s.plus > 15 AND s.plus < 50 THEN DELETE WHEN MATCHED AND CASE WHEN s.k = 1 THEN true ELSE false END THEN UPDATE SET (a, b) = (100, DEFAULT) WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED AND s.k > 100 THEN DO NOTHING WHEN NOT MATCHED THEN INSERT (b, k) VALUES (DEFAULT, s.k);
SELECT * FROM t ORDER BY k;
MERGE INTO t USING (VALUES (50, 1), (51, 2)) v (k, a) ON v.k = t.k WHEN NOT MATCHED THEN INSERT (k, a) VALUES (v.k, v.a + 1);
MERGE INTO t USING (VALUES (50, 1), (50, 2)) v (k, a) ON v.k = t.k WHEN MATCHED THEN DO NOTHING;
MERGE INTO t USING (VALUES (60, 1), (60, 2)) v (k, a) ON v.k = t.k WHEN NOT MATCHED THEN INSERT (k, a) VALUES (v.k, v.a);
MERGE INTO t USING (VALUES (3, 1)) v (k, a) ON false WHEN NOT MATCHED THEN INSERT (k, a) VALUES (v.k, v.a);
MERGE INTO t USING o ON t.k = o.k WHEN NOT MATCHED THEN INSERT (k, nope) VALUES (1, 2);
MERGE INTO t USING o ON t.k = o.k WHEN NOT MATCHED THEN INSERT (k, a) VALUES (1);
MERGE INTO t USING o ON t.k = o.k WHEN NOT MATCHED THEN INSERT (k) VALUES (1, 2);
MERGE INTO t USING o ON t.k = o.k WHEN NOT MATCHED THEN INSERT (k) VALUES (t.a);
MERGE INTO t USING o ON t.k = o.k WHEN MATCHED THEN UPDATE SET k = 'x'::text;
MERGE INTO t USING o ON t.k = o.k WHEN MATCHED THEN DELETE WHEN MATCHED THEN DO NOTHING;
MERGE INTO t USING o ON t.k = o.k WHEN MATCHED THEN INSERT VALUES (1);
MERGE INTO t USING o ON t.k = o.k WHEN NOT MATCHED THEN DELETE;
MERGE INTO t USING o ON t.k = o.k;
MERGE INTO nope USING o ON true WHEN MATCHED THEN DELETE;
MERGE INTO t USING nope ON true WHEN MATCHED THEN DELETE;
CREATE VIEW v AS SELECT k FROM t;
MERGE INTO v USING o ON v.k = o.k WHEN MATCHED THEN DELETE;
WITH w AS (SELECT 3 AS k) MERGE INTO t USING w ON w.k = t.k WHEN MATCHED THEN UPDATE SET a = (SELECT count(*) FROM o);
BEGIN;
MERGE INTO t USING (VALUES (70, 1)) v (k, a) ON v.k = t.k WHEN NOT MATCHED THEN INSERT (k, a) VALUES (v.k, v.a);
MERGE INTO t USING (VALUES (70, 1), (71, 3)) v (k, a) ON v.k = t.k WHEN NOT MATCHED THEN INSERT (k, a) VALUES (v.k, v.a) WHEN MATCHED THEN UPDATE SET a = t.a + 10;
SELECT * FROM t WHERE k >= 70 ORDER BY k;
COMMIT;
SELECT * FROM t ORDER BY k;
SELECT * FROM v ORDER BY k;
CREATE TABLE u (a int NOT NULL, b int CHECK (b < 5));
INSERT INTO u VALUES (1, 1), (1, 2), (3, 3);
MERGE INTO u USING (VALUES (1, 4), (8, 4)) v (a, b) ON u.a = v.a WHEN MATCHED THEN UPDATE SET b = v.b WHEN NOT MATCHED THEN INSERT VALUES (v.a, v.b);
SELECT * FROM u ORDER BY a, b;
MERGE INTO u USING (VALUES (3, 6)) v (a, b) ON u.a = v.a WHEN MATCHED THEN UPDATE SET b = v.b;
MERGE INTO u USING (VALUES (9)) v (a) ON u.a = v.a WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;
BEGIN;
INSERT INTO u VALUES (20, 1);
MERGE INTO u USING (VALUES (20, 3), (21, 4)) v (a, b) ON u.a = v.a WHEN MATCHED THEN UPDATE SET b = v.b WHEN NOT MATCHED THEN INSERT VALUES (v.a, v.b);
MERGE INTO u USING (VALUES (21, 0)) v (a, b) ON u.a = v.a WHEN MATCHED THEN UPDATE SET b = v.b;
SELECT * FROM u ORDER BY a, b;
COMMIT;
SELECT * FROM u ORDER BY a, b;
"""


@pytest.mark.parametrize("script", [RETURNING, MERGE], ids=["returning", "merge"])
def test_writes_are_postgresqls(script: str, judge: Address, database: Address) -> None:
    assert_equal(judge, database, TABLES + script)
