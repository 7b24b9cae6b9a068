"""GROUPING SETS, ROLLUP and CUBE over keys that are alike, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

ROWS = """
CREATE TABLE g (a int, b int, c int);
INSERT INTO g VALUES (1, 1, 10), (1, 2, 20), (2, 1, 30), (2, 2, 40), (NULL, 1, 5);
"""

#: Rows are put in order from outside: PostgreSQL 15 takes keys that are alike for equal in ORDER BY.
SCRIPT = """
SELECT * FROM (SELECT a AS p, a AS q, sum(c) FROM g GROUP BY CUBE(1, 2)) s ORDER BY 1, 2, 3;
SELECT * FROM (SELECT a + 0 AS p, a + 0 AS q, sum(c) FROM g GROUP BY ROLLUP(p, q)) s ORDER BY 1, 2, 3;
SELECT * FROM (SELECT a AS p, a AS q, b, sum(c) FROM g GROUP BY GROUPING SETS ((1, 3), (2), ())) s ORDER BY 1, 2, 3, 4;
SELECT a, a AS x, sum(c) FROM g GROUP BY a, ROLLUP(a) ORDER BY 1, 2, 3;
SELECT a + 1, sum(c), grouping(a + 1) FROM g GROUP BY a + 1, ROLLUP(a + 1) ORDER BY 1, 2, 3;
SELECT * FROM (SELECT a, 5 AS five, sum(c) FROM g GROUP BY GROUPING SETS ((a), (five), ())) s ORDER BY 1, 2, 3;
SELECT * FROM (SELECT a, 1, count(*) FROM g GROUP BY ROLLUP(a, 1::int)) s ORDER BY 1, 2, 3;
SELECT * FROM (SELECT a, 'x' AS p, 'x' AS q, sum(c) FROM g GROUP BY ROLLUP(a, 2)) s ORDER BY 1, 2, 3, 4;
SELECT * FROM (SELECT a, 5::int8 AS p, 5::int8 AS q, sum(c) FROM g GROUP BY ROLLUP(a, 2)) s ORDER BY 1, 2, 3, 4;
SELECT 5 AS p, 5 AS q, grouping(5) FROM g GROUP BY ROLLUP(1) ORDER BY 1;
SELECT 5 AS p, grouping(5) FROM g GROUP BY p;
SELECT a, grouping(c) FROM g GROUP BY a;
SELECT a, rank(a) WITHIN GROUP (ORDER BY c) FROM g GROUP BY ROLLUP(a) ORDER BY 1, 2;
SELECT a, b, rank(a, b) WITHIN GROUP (ORDER BY c, c), grouping(a, b) FROM g GROUP BY CUBE(a, b) ORDER BY 1, 2, 3, 4;
SELECT a, percentile_cont(0.5 / a) WITHIN GROUP (ORDER BY c) FROM g GROUP BY ROLLUP(a) ORDER BY 1, 2;
SELECT a, (SELECT grouping(a) FROM (VALUES (1)) v (x)) FROM g GROUP BY ROLLUP(a) ORDER BY 1, 2;
SELECT a, b, (SELECT grouping(a, b) + x FROM (VALUES (1)) v (x)) FROM g GROUP BY ROLLUP(a, b) ORDER BY 1, 2, 3;
SELECT a, (SELECT grouping(b) FROM (VALUES (1)) v (x)) FROM g GROUP BY ROLLUP(a);
SELECT a, (SELECT grouping(a) FROM (VALUES (1)) v (x)) FROM g GROUP BY a ORDER BY 1;
SELECT a FROM g GROUP BY ROLLUP(a) HAVING (SELECT grouping(a)) = 1;
SELECT a FROM g GROUP BY NULL, a;
SELECT a FROM g GROUP BY true;
SELECT a FROM g GROUP BY -1;
SELECT a FROM g ORDER BY NULL;
SELECT a FROM g ORDER BY false;
SELECT a FROM g ORDER BY -1;
SELECT a FROM g ORDER BY (1) DESC;
SELECT DISTINCT ON (true) a FROM g;
SELECT DISTINCT ON (7) a FROM g;
"""


def test_keys_that_are_alike_are_told_apart_as_in_postgresql(
    judge: Address, database: Address
) -> None:
    assert_equal(judge, database, ROWS + SCRIPT)
