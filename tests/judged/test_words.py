"""Words where other dialects do not take them, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

SCRIPT = """
SELECT 1 AS select, 2 AS not, 3 AS from, 4 AS join, 5 AS unknown, 6 AS where;
SELECT 1 AS join, 2 AS unknown, 3 AS using, 4 AS on, 5 AS offset, 6 AS for, 7 AS all;
SELECT 1 AS with, 2 AS table, 3 AS as, 4 AS in, 5 AS is, 6 AS case, 7 AS end, 8 AS union FROM (SELECT 1 AS limit) AS t;
SELECT true IS UNKNOWN AS unknown;
CREATE VIEW of_words AS SELECT 1 AS select, 2 AS join;
SELECT * FROM of_words;
CREATE VIEW of_with AS WITH a AS (SELECT 1 AS with) SELECT a.with FROM a;
SELECT * FROM of_with;
SELECT t.not, t.select FROM (SELECT true AS not, 2 AS select) t;
SELECT NOT true AS not;
WITH a AS NOT MATERIALIZED (SELECT 1 AS not) SELECT a.not FROM a;
WITH a AS MATERIALIZED (SELECT 1 AS select) SELECT * FROM a;
SELECT 1 FOR READ ONLY;
SELECT 1 AS for, 2 AS read, 3 AS only;
FOR READ ONLY;
BEGIN;
DECLARE c NO SCROLL CURSOR FOR SELECT generate_series(1, 3) FOR READ ONLY;
FETCH 2 FROM c;
COMMIT;
"""


def test_words_mean_what_they_mean_to_postgresql(judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPT)
