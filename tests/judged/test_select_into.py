"""SELECT ... INTO and EXPLAIN EXECUTE, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

SCRIPT = """
CREATE TABLE src(a int, b text);
insert into src values (1,'x'),(2,'y');
SELECT * INTO t1 FROM src;
SELECT a, b AS c INTO TABLE t2 FROM src WHERE a > 1;
SELECT * FROM t2;
SELECT 1 AS one INTO t3;
SELECT a INTO TEMP t4 FROM src;
SELECT a INTO TEMPORARY TABLE t5 FROM src ORDER BY a DESC LIMIT 1;
SELECT * FROM t5;
SELECT a INTO UNLOGGED t6 FROM src;
SELECT a INTO s3.t FROM src;
SELECT a INTO t1 FROM src;
SELECT * FROM (SELECT 1 INTO t7) x;
SELECT (SELECT a INTO t8 FROM src LIMIT 1);
SELECT a INTO t9 FROM src UNION SELECT 5;
SELECT * FROM t9 ORDER BY 1;
SELECT 5 UNION SELECT a INTO t10 FROM src;
WITH w AS (SELECT 1 AS k) SELECT k INTO t11 FROM w;
WITH w AS (SELECT 1 AS k INTO zz) SELECT k FROM w;
SELECT * FROM t11;
CREATE TABLE t12 AS SELECT a INTO t13 FROM src;
INSERT INTO src SELECT a, b INTO t14 FROM src;
SELECT a INTO "Odd name" FROM src;
SELECT count(*) FROM "Odd name";
SELECT a, a INTO t16 FROM src;
SELECT count(*) INTO t18 FROM src GROUP BY b HAVING count(*) > 0;
DECLARE c CURSOR FOR SELECT a INTO t20 FROM src;
PREPARE p AS SELECT a INTO t21 FROM src WHERE a = $1;
EXECUTE p(1);
SELECT * FROM t21;
SELECT a INTO public.t23 FROM src;
SELECT a INTO t24, b FROM src;
SELECT a INTO FROM src;
VALUES (1) INTO t25;
select 1 into temp temp;
SELECT a FROM src INTO t26;
PREPARE q(int) AS SELECT * FROM src WHERE a = $1;
prepare q2 as insert into src values (9,'z');
EXPLAIN EXECUTE nope;
EXPLAIN EXECUTE q;
EXPLAIN EXECUTE q(1,2);
"""


def test_queries_make_tables_as_postgresql_has_them(judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPT)


def test_the_plan_of_a_prepared_statement_is_that_of_what_it_says(database: Address) -> None:
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("PREPARE q (int) AS SELECT count(*) FROM t WHERE a > $1")
        connection.execute("PREPARE w AS INSERT INTO t SELECT 1")
        (plain,) = zip(*connection.execute("EXPLAIN EXECUTE q(5)").fetchall(), strict=True)
        assert any("Aggregate" in line for line in plain), plain
        (run,) = zip(*connection.execute("EXPLAIN ANALYZE EXECUTE q(5)").fetchall(), strict=True)
        assert any("Total Time" in line for line in run), run
        connection.execute("EXPLAIN EXECUTE w")
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(0,)]
