"""Where functions that give rows may stand, and what they give there, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

ROWS = """
CREATE TABLE t (a int, b int);
INSERT INTO t VALUES (1, 10), (1, 20), (2, 30), (2, 40);
CREATE FUNCTION sets(int) RETURNS SETOF int LANGUAGE sql AS 'SELECT generate_series(1, $1)';
"""

REFUSED = """
SELECT 1 WHERE unnest(ARRAY[1, 2]) = 1;
SELECT sum(unnest(ARRAY[1, 2]));
SELECT sum(generate_series(1, 2)) OVER ();
SELECT string_agg(generate_series(1, 2)::text, ',' ORDER BY 1);
SELECT lag(generate_series(1, 2)) OVER () FROM t;
SELECT coalesce(sum(generate_series(1, 2)), 1) FROM t;
SELECT a FROM t GROUP BY a HAVING unnest(ARRAY[1, 2]) = 1;
SELECT 1 LIMIT unnest(ARRAY[1, 2]);
SELECT * FROM t JOIN t u ON unnest(ARRAY[1, 2]) = 1;
SELECT * FROM unnest(ARRAY[unnest(ARRAY[1, 2])]);
SELECT * FROM generate_series(1, generate_series(1, 2));
SELECT * FROM ROWS FROM (generate_series(1, 2), abs(generate_series(1, 2)));
SELECT CASE WHEN true THEN generate_series(1, 2) END;
SELECT CASE generate_series(1, 2) WHEN 1 THEN 2 END;
SELECT CASE a WHEN generate_series(1, 2) THEN 1 END FROM t;
SELECT CASE WHEN unnest(ARRAY[true, false]) THEN 1 END;
SELECT CASE WHEN EXISTS (SELECT generate_series(1, 2)) THEN 1 END;
SELECT CASE WHEN a > 0 AND generate_series(1, 2) > 1 THEN 1 END FROM t;
SELECT CASE WHEN true THEN sets(2) END;
SELECT a FROM t ORDER BY CASE WHEN a > 0 THEN generate_series(1, 2) END;
SELECT coalesce(generate_series(1, 2), 1);
SELECT coalesce(1, CASE WHEN true THEN jsonb_object_keys('{"a": 1}')::int END);
SELECT coalesce(NULL, (SELECT unnest(ARRAY[1])));
SELECT coalesce(nullif(unnest(ARRAY[1, 2]), 1), 5);
SELECT greatest(generate_series(1, 2), 2), nullif(generate_series(1, 2), 2);
SELECT generate_series(1, 2) = 1 OR true;
SELECT NOT generate_series(1, 2) = 1;
SELECT 1 IN (generate_series(1, 2));
SELECT 1 IN (generate_series(1, 2), 3);
SELECT generate_series(1, 2) IN (1);
SELECT generate_series(1, 2) IN (1, 2);
SELECT generate_series(1, 2) NOT IN (1);
SELECT generate_series(1, 2) BETWEEN 1 AND 2;
SELECT (generate_series(1, 2) = 1) IS TRUE;
SELECT row(generate_series(1, 2), 1) = row(1, 1);
SELECT (generate_series(1, 2), 1) IN ((1, 1));
SELECT (generate_series(1, 2), 1) IN (SELECT 1, 1);
SELECT generate_series(1, 2) IN (SELECT 1);
SELECT generate_series(1, 2) IS DISTINCT FROM 1;
SELECT sets(2);
SELECT sum(sets(2));
SELECT 1 WHERE sets(2) = 1;
SELECT * FROM abs(sets(2));
CREATE INDEX ON t (a) WHERE generate_series(1, 2) > 0;
CREATE INDEX ON t (generate_series(1, 2));
CREATE VIEW v AS SELECT CASE WHEN true THEN unnest(ARRAY[1]) END;
UPDATE t SET a = unnest(ARRAY[1]);
DELETE FROM t WHERE unnest(ARRAY[1]) = 1;
"""

#: Sets are expanded after rows are chosen in an order that is not theirs.
CHOSEN = """
SELECT DISTINCT ON (a) a, generate_series(1,3) FROM t ORDER BY a;
SELECT DISTINCT ON (a) a, generate_series(1,3) g FROM t ORDER BY a, g DESC;
SELECT DISTINCT ON (a) a, b, generate_series(1,3) g FROM t ORDER BY a, b DESC;
SELECT DISTINCT ON (a) a, b, generate_series(1,3) g FROM t ORDER BY a DESC, b;
SELECT DISTINCT ON (a) a, b, generate_series(1,3) g FROM t ORDER BY a, b DESC, g DESC;
SELECT DISTINCT ON (generate_series(1,2)) a, generate_series(1,2) FROM t ORDER BY generate_series(1,2), a;
SELECT DISTINCT ON (a) a, unnest(ARRAY[b, b+1]) u FROM t ORDER BY a, b DESC LIMIT 3;
SELECT DISTINCT ON (a) a, unnest(ARRAY[b, b+1]) u FROM t ORDER BY a, b DESC LIMIT 1 OFFSET 1;
SELECT DISTINCT ON (a) a, sum(b), generate_series(1,3) FROM t GROUP BY a ORDER BY a;
SELECT DISTINCT ON (a) a, sum(b), generate_series(1,(sum(b)/30)::int) FROM t GROUP BY a ORDER BY a;
SELECT DISTINCT ON (a) a, row_number() OVER (ORDER BY b) n, generate_series(1,b/10) FROM t ORDER BY a, b;
SELECT DISTINCT ON (a) generate_series(1,b/10) + a AS s FROM t ORDER BY a, b DESC;
SELECT DISTINCT ON (a) generate_series(1,b/10) + a AS s, generate_series(1, a), b FROM t ORDER BY a, b DESC;
SELECT DISTINCT ON (a) generate_series(1, generate_series(1,b/10)) AS s FROM t ORDER BY a, b;
SELECT DISTINCT ON (a / 2) a, generate_series(1,b/10) FROM t ORDER BY a / 2, b;
SELECT * FROM (SELECT DISTINCT ON (a) a, unnest(ARRAY['x', 'y']) FROM t ORDER BY a, b) s ORDER BY 1 DESC, 2;
SELECT DISTINCT ON (1) generate_series(1,2), generate_series(1,4) FROM t ORDER BY 1, 2 DESC;
SELECT DISTINCT ON (b) b, (unnest(ARRAY[ROW(1,'a'), ROW(2, 'b')])) FROM t ORDER BY b;
WITH c AS (SELECT DISTINCT ON (a) a, generate_series(1,2) g FROM t ORDER BY a) SELECT sum(g) FROM c;
SELECT a FROM t WHERE a IN (SELECT DISTINCT ON (b) generate_series(1, b/20) FROM t ORDER BY b) ORDER BY a, b;
SELECT DISTINCT ON (a) a, generate_series(1,3) FROM t ORDER BY a FETCH FIRST 2 ROWS WITH TIES;
"""

#: Of an array of rows FROM gives the fields.
FIELDS = """
CREATE TYPE c AS (p int, q text);
CREATE TABLE cs (id int, v c[]);
INSERT INTO cs VALUES (1, ARRAY[(1, 'x'), (2, 'y')]::c[]), (2, '{}'), (3, NULL), (4, ARRAY[NULL, (NULL, 'z')]::c[]);
SELECT * FROM unnest(ARRAY[(1, 'a'), (2, 'b')]::c[]);
SELECT * FROM unnest(ARRAY[(1, 'a'), (2, 'b')]::c[]) u (m, n);
SELECT * FROM unnest(ARRAY[(1, 'a'), (2, 'b')]::c[]) WITH ORDINALITY u (m, n, o);
SELECT u.p, u.q, row_to_json(u) FROM unnest(ARRAY[(1, 'a'), NULL]::c[]) u;
SELECT unnest(ARRAY[(1, 'a'), (2, 'b')]::c[]), (unnest(ARRAY[(1, 'a')]::c[])).*;
SELECT * FROM unnest(ARRAY[(1, 'a'), (2, 'b')]::c[], ARRAY[1, 2, 3]);
SELECT * FROM ROWS FROM (unnest(ARRAY[(1, 'a'), (2, 'b')]::c[]), generate_series(1, 3)) z;
SELECT * FROM unnest(ARRAY(SELECT row(1, 'r')::c));
SELECT * FROM unnest(ARRAY[]::c[]) u;
SELECT id, u.* FROM cs, unnest(v) u ORDER BY id, p;
SELECT id, (u).p, q FROM cs CROSS JOIN unnest(v) AS u ORDER BY 1, 2;
SELECT id, u.p FROM cs LEFT JOIN unnest(v) u ON true ORDER BY 1, 2;
SELECT p, count(*) FROM cs, unnest(v) GROUP BY p ORDER BY p;
"""

#: No columns are columns, too.
NO_COLUMNS = """
SELECT UNION SELECT;
SELECT FROM generate_series(1, 5) UNION ALL SELECT FROM generate_series(1, 3);
SELECT FROM generate_series(1, 5) INTERSECT ALL SELECT FROM generate_series(1, 3);
SELECT FROM generate_series(1, 5) EXCEPT ALL SELECT FROM generate_series(1, 3);
SELECT EXCEPT SELECT;
SELECT;
SET DateStyle = 'Postgres, MDY';
SELECT UNION SELECT;
SELECT FROM generate_series(1, 5) EXCEPT ALL SELECT FROM generate_series(1, 3);
SELECT;
"""


def test_sets_are_refused_where_they_may_not_stand(judge: Address, database: Address) -> None:
    assert_equal(judge, database, ROWS + REFUSED)


def test_rows_are_chosen_before_sets_are_expanded(judge: Address, database: Address) -> None:
    assert_equal(judge, database, ROWS + CHOSEN)
    assert_maintained(
        database,
        "SELECT DISTINCT ON (a) a, b, unnest(ARRAY[b, b + 1]) AS u FROM t ORDER BY a, b DESC",
        "INSERT INTO t VALUES (2, 50), (3, 1); DELETE FROM t WHERE b = 20",
    )


def test_fields_of_elements_are_columns(judge: Address, database: Address) -> None:
    assert_equal(judge, database, FIELDS)
    assert_maintained(
        database,
        "SELECT id, u.p, u.q FROM cs, unnest(v) u",
        "INSERT INTO cs VALUES (5, ARRAY[(9, 'new')]::c[]); DELETE FROM cs WHERE id = 1",
    )


def assert_maintained(database: Address, query: str, changes: str) -> None:
    """A view stays equal to its query."""
    with database.connect() as connection:
        connection.execute(f"CREATE MATERIALIZED VIEW maintained AS {query}".encode())
        for change in changes.split(";"):
            connection.execute(change.encode())
            shown = connection.execute("SELECT * FROM maintained").fetchall()
            assert shown, change
            assert sorted(map(str, shown)) == sorted(map(str, connection.execute(query.encode())))


def test_a_select_list_may_be_empty_everywhere(judge: Address, database: Address) -> None:
    assert_equal(judge, database, NO_COLUMNS)
