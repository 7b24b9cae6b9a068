"""The rarer parts of queries, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

ROWS = """
CREATE TABLE a (x int PRIMARY KEY, y int);
INSERT INTO a VALUES (1, 10), (2, NULL), (3, 30);
CREATE TABLE b (x int, y int);
INSERT INTO b VALUES (1, NULL), (NULL, NULL), (3, 4);
CREATE VIEW w AS SELECT x, y FROM b;
"""

SCRIPT = """
SELECT count(b.*), count(b), count(DISTINCT b), count(*) FROM a LEFT JOIN b ON a.x = b.x;
SELECT count(a.*), count(b.*) FROM a FULL JOIN b ON a.x = b.x;
SELECT count(a), count(b) FROM b RIGHT JOIN a ON a.x = b.x;
SELECT count(m), count(m.*) FROM b LEFT JOIN m ON m.x = b.x;
SELECT count(w), count(w.*) FROM a LEFT JOIN w ON a.x = w.x;
SELECT a.x, count(s.*) FROM a LEFT JOIN (SELECT * FROM b) s ON a.x = s.x GROUP BY a.x ORDER BY 1;
SELECT a.x, to_json(s) FROM a LEFT JOIN LATERAL (SELECT a.y WHERE a.y > 10) s ON true ORDER BY 1;
SELECT a.x, to_json(s) FROM a LEFT JOIN (VALUES (1, 'v')) s (x, z) ON s.x = a.x ORDER BY 1;
WITH c AS (SELECT 1 AS x) SELECT a.x, to_json(c) FROM a LEFT JOIN c ON c.x = a.x ORDER BY 1;
SELECT a.x, b IS NULL AS n, b IS NOT NULL AS v, b::text FROM a LEFT JOIN b ON a.x = b.x ORDER BY 1;
SELECT row(1, NULL) IS NULL, row(1, NULL) IS NOT NULL, NOT row(1, NULL) IS NULL, (1, 2) IS NOT NULL;
SELECT r IS NULL, r IS NOT NULL, NOT r IS NULL FROM (VALUES (1, NULL), (1, 2), (NULL, NULL)) r (p, q);
SELECT NOT x IS NULL, x IS NOT NULL, NOT x IS NOT NULL FROM a ORDER BY x;
SELECT row() = row();
SELECT x FROM a WHERE (x, y) IN (VALUES (1, 10), (3, 31)) ORDER BY x;
SELECT x FROM a WHERE x NOT IN (VALUES (1), (2)) ORDER BY x;
SELECT x FROM a WHERE row(x, y) IN (SELECT 3, 30);
SELECT x FROM a ORDER BY x USING >, y USING <;
SELECT array_agg(DISTINCT y), string_agg(DISTINCT y::text, '+') FROM (SELECT * FROM a UNION ALL SELECT * FROM a) s;
SELECT mode() WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY x DESC) FROM a;
SELECT sum(NULL::numeric), avg(NULL::numeric), max(NULL::numeric);
SELECT ntile(0) OVER ();
SELECT x, y, count(*) FROM a GROUP BY DISTINCT rollup(x, y), rollup(x) ORDER BY 1, 2;
SELECT x, y, count(*) FROM a GROUP BY ALL rollup(x, y), rollup(x) ORDER BY 1, 2;
SELECT x, y, count(*) FROM a GROUP BY DISTINCT cube(x, y), grouping sets ((x), (y, x)) ORDER BY 1, 2;
SELECT count(*) FROM a GROUP BY DISTINCT x ORDER BY 1;
SELECT a.x, (SELECT n FROM generate_series(1, 9) n ORDER BY n DESC LIMIT 1 OFFSET a.x) FROM a ORDER BY 1;
SELECT a.x, n FROM a, LATERAL (SELECT n FROM generate_series(1, 9) n ORDER BY n LIMIT a.x) s ORDER BY 1, 2;
SELECT (SELECT count(*) FROM (SELECT 1 FROM b LIMIT a.x - 1) s) FROM a ORDER BY x;
SELECT x FROM a ORDER BY x LIMIT (SELECT max(x) - 1 FROM a);
SELECT generate_series(1, generate_series(1, 3));
SELECT generate_series(1, generate_series(1, 3)), generate_series(2, 4);
SELECT generate_series(generate_series(1, 3), generate_series(2, 4)) ORDER BY 1 DESC;
SELECT x, unnest(ARRAY[generate_series(1, x)]) FROM a ORDER BY 1, 2;
SELECT generate_series(1, generate_series(1, count(*)::int)) FROM a ORDER BY 1;
SELECT generate_series(1, generate_series(1, 2)), unnest(ARRAY['p', 'q']) FROM a WHERE x = 1;
SELECT x, ARRAY(SELECT generate_series(1, a.x)) FROM a ORDER BY 1;
SELECT * FROM rows FROM (generate_series(1, 3), generate_series(1, 2)) WITH ORDINALITY AS g (i, j, o);
SELECT * FROM rows FROM (unnest(ARRAY[10, 20], ARRAY['p', 'q'], ARRAY[1])) WITH ORDINALITY z (a, b, c, n);
SELECT x, z.* FROM a, rows FROM (generate_series(1, a.x), unnest(ARRAY['p', 'q'])) z (i, t) ORDER BY 1, 2, 3;
SELECT (SELECT max(a.x) FROM b) FROM a;
SELECT (SELECT max(a.x) + max(b.x) FROM b) FROM a;
SELECT a.x FROM a GROUP BY a.x HAVING (SELECT max(a.y)) > 10;
SELECT (SELECT count(a.x) FROM b WHERE b.x > a.x) FROM a;
SELECT max(a.x), (SELECT a.x FROM b) FROM a;
SELECT (SELECT array_agg(a.x + b.x ORDER BY b.x) FROM b) FROM a ORDER BY a.x;
SELECT 1 FROM a, LATERAL (SELECT max(a.x) FROM b) s;
SELECT x FROM a WHERE EXISTS (SELECT 1 FROM b HAVING max(a.x) > 1);
SELECT sum(max(x)) FROM a;
SELECT * FROM a RIGHT JOIN LATERAL generate_series(0, a.x) g ON true;
SELECT * FROM a FULL JOIN LATERAL (SELECT y + 1 AS z) g ON true;
SELECT 1 AS x UNION ALL SELECT 2 ORDER BY x + 1;
SELECT 1 AS x UNION ALL SELECT 2 ORDER BY (x) DESC;
SELECT x FROM a UNION SELECT y FROM b ORDER BY abs(x);
SELECT x FROM a UNION SELECT y FROM b ORDER BY z;
SELECT 1 IS UNKNOWN;
SELECT 'x' IS NOT UNKNOWN;
SELECT true IS UNKNOWN, null IS NOT UNKNOWN, (1 = 1) IS NOT UNKNOWN, NOT null IS UNKNOWN;
SELECT unknown FROM a;
SELECT 1 AS unknown;
SELECT a.y FROM a JOIN b USING (a.x);
SELECT 1 FROM a WHERE (row(x, y)).*;
SELECT * FROM information_schema._pg_expandarray(ARRAY['p', 'q']);
SELECT * FROM information_schema._pg_expandarray(ARRAY[7, 8]) AS t (v, place) ORDER BY place DESC;
SELECT * FROM _pg_expandarray(ARRAY['p', 'q']);
SET search_path = information_schema, public;
SELECT * FROM _pg_expandarray(ARRAY['p', 'q']);
RESET search_path;
SELECT * FROM pg_catalog.generate_series(1, 2);
SELECT * FROM nowhere.generate_series(1, 2);
SELECT sum(x) OVER (RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM a;
SELECT sum(x) OVER (ORDER BY x, y RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM a;
SELECT sum(x) OVER (ORDER BY x::text RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM a;
SELECT sum(x) OVER (ORDER BY x RANGE BETWEEN interval '1 day' PRECEDING AND 1 FOLLOWING) FROM a;
SELECT sum(x) OVER (ORDER BY date '2024-01-01' + x RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM a;
SELECT sum(x) OVER (ORDER BY date '2024-01-01' + x RANGE '1 day' PRECEDING) FROM a ORDER BY 1;
SELECT sum(x) OVER (ORDER BY x RANGE -1 PRECEDING) FROM a;
SELECT sum(x) OVER (ORDER BY x ROWS -1 PRECEDING) FROM a;
SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN CURRENT ROW AND NULL FOLLOWING) FROM a;
SELECT sum(x) OVER (ORDER BY x ROWS x PRECEDING) FROM a;
SELECT rank() OVER (ORDER BY 1), count(*) FROM a GROUP BY 1;
SELECT (SELECT grouping(x, y) FROM b) FROM a GROUP BY x, y;
SELECT grouping(y) FROM a GROUP BY x;
SELECT value, q.value, q, q.* FROM jsonb_array_elements('[1, 2]') q;
SELECT e ->> 'a', e.value ->> 'a' FROM jsonb_array_elements('[{"a": 1}]') e;
SELECT o.ordinality, o.value, o FROM json_array_elements_text('[5, 6]') WITH ORDINALITY o;
SELECT v.x, v FROM jsonb_array_elements('[1]') v (x);
SELECT k FROM jsonb_object_keys('{"a": 1}') k;
SELECT k.jsonb_object_keys FROM jsonb_object_keys('{"a": 1}') k;
SELECT q.unnest FROM unnest(ARRAY[1]) q;
SELECT q.a, q FROM jsonb_to_recordset('[{"a": 1}]') q (a int);
CREATE FUNCTION of_one(int) RETURNS TABLE (x int) LANGUAGE sql AS 'SELECT $1';
SELECT q.x, q FROM of_one(3) q;
SELECT current_time(4) = now()::timetz(4), localtime(3) = now()::time(3), current_timestamp(2) = now()::timestamptz(2), localtimestamp(0) = now()::timestamp(0);
SELECT no_such(*) FROM a;
SELECT no_such(DISTINCT x, 'a') FROM a;
SELECT no_such(x) FILTER (WHERE x > 1) FROM a;
"""

RECURSIVE = """
WITH RECURSIVE x(id) AS (SELECT * FROM y UNION ALL SELECT id+1 FROM x WHERE id < 5), y(id) AS (values (1)) SELECT * FROM x;
WITH RECURSIVE x(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM y WHERE id < 5), y(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM x WHERE id < 5) SELECT * FROM x;
WITH RECURSIVE a AS (select * from b), b AS (select * from c), c as (select 1 q) select * from a;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT count(*) FROM x) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT sum(n) FROM x) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x where n < (select count(*) from generate_series(1,3))) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x ORDER BY 1) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x LIMIT 10 OFFSET 1) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x FOR UPDATE) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x WHERE n IN (SELECT * FROM x)) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT (select n+1 FROM x)) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT 2 where exists (select 1 from x where n<3)) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM (select n from x) q where n<3) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (select n+1 from x where n<3)) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT y.n+1 FROM x a, x y where y.n<3) SELECT * FROM x;
WITH RECURSIVE foo(i) AS (values (1) UNION ALL (SELECT i+1 FROM foo WHERE i < 10 UNION ALL SELECT i+1 FROM foo WHERE i < 5)) SELECT * FROM foo;
WITH RECURSIVE x(n) AS (SELECT n FROM x UNION ALL SELECT 1) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT n FROM x) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 INTERSECT SELECT n+1 FROM x) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 EXCEPT SELECT n+1 FROM x) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM y LEFT JOIN x ON x.n = y.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM x RIGHT JOIN y ON x.n = y.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM x FULL JOIN y ON x.n = y.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM x LEFT JOIN y ON x.n = y.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM y RIGHT JOIN x ON x.n = y.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM x, y a RIGHT JOIN y b ON a.a = b.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE y(a) as (values (1)), x(n) AS (SELECT a FROM y WHERE a = 1 UNION ALL SELECT x.n+1 FROM y a JOIN x ON true RIGHT JOIN y b ON a.a = b.a WHERE n < 10) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (SELECT n+1 FROM x WHERE n<5 EXCEPT SELECT 3)) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (SELECT 3 EXCEPT SELECT n+1 FROM x WHERE n<5)) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (SELECT n+1 FROM x INTERSECT ALL SELECT 2)) SELECT * FROM x;
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n+1 FROM t WHERE n < 5), t2 as (select count(*) from t) SELECT * FROM t2;
WITH RECURSIVE x(n) AS (SELECT 1 UNION SELECT n%3+1 FROM x) SELECT * FROM x order by 1;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL select * from (with z as (select n+1 as m from x where n<4) select m from z) q) SELECT * FROM x;
WITH RECURSIVE t1 AS (SELECT 1 a), t1 as (select 2) select * from t1;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL select n+1 from x join lateral (select 1) l on true where n < 3) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL select max(n) over () + 1 from x where n < 3) SELECT * FROM x;
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL select n+1 from x group by n having n<3) SELECT * FROM x;
"""


def test_the_rarer_parts_of_queries_are_those_of_postgresql(
    judge: Address, database: Address
) -> None:
    assert_equal(judge, database, ROWS)
    for address in (judge, database):
        with address.connect() as connection:
            connection.execute("CREATE MATERIALIZED VIEW m AS SELECT x, y FROM a")
    assert_equal(judge, database, SCRIPT)


def test_recursive_queries_are_refused_as_by_postgresql(judge: Address, database: Address) -> None:
    assert_equal(judge, database, RECURSIVE)
