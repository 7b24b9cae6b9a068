"""VACUUM, ANALYZE and CHECKPOINT beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

SCRIPT = """
CREATE TABLE t (a int PRIMARY KEY, b int);
CREATE TABLE t2 (a int PRIMARY KEY);
CREATE VIEW v AS SELECT * FROM t;
CREATE INDEX i ON t (b);
CREATE ROLE careful;
VACUUM;
ANALYZE;
VACUUM t;
VACUUM public.t, t2;
VACUUM FREEZE t;
VACUUM FULL;
VACUUM FULL FREEZE ANALYZE t;
ANALYZE t (a, b), t2;
VACUUM (ANALYZE) t (a);
VACUUM (ANALYZE off, VERBOSE 0, index_cleanup auto, truncate false, process_toast, skip_locked, disable_page_skipping) t;
VACUUM (PARALLEL 2) t;
ANALYZE (VERBOSE off, SKIP_LOCKED) t;
/* comments */ VACUUM (FULL) t;
VACUUM v;
VACUUM ANALYZE v;
ANALYZE v;
VACUUM i;
ANALYZE i;
VACUUM pg_class;
VACUUM pg_catalog.pg_authid;
VACUUM pg_tables;
ANALYZE information_schema.tables;
VACUUM nonesuch;
VACUUM t, nonesuch;
ANALYZE nonesuch;
ANALYZE s.nonesuch;
ANALYZE t (zz);
ANALYZE t (a, a);
VACUUM t (a);
VACUUM (foo) t;
ANALYZE (foo) t;
ANALYZE (full) t;
VACUUM (PARALLEL) t;
VACUUM (PARALLEL x) t;
VACUUM (PARALLEL 2000) t;
VACUUM (PARALLEL 2, FULL) t;
VACUUM (FULL, DISABLE_PAGE_SKIPPING) t;
VACUUM (index_cleanup maybe) t;
VACUUM (ANALYZE maybe) t;
VACUUM (ANALYZE on off) t;
VACUUM FREEZE FULL t;
VACUUM ();
VACUUM t,;
VACUUM t t2;
CHECKPOINT;
CHECKPOINT t;
BEGIN;
CHECKPOINT;
ANALYZE t;
VACUUM t;
ROLLBACK;
SET ROLE careful;
VACUUM t;
VACUUM ANALYZE t;
VACUUM FULL t;
ANALYZE t;
VACUUM v;
VACUUM pg_class;
ANALYZE pg_class;
VACUUM pg_authid;
VACUUM pg_tables;
CHECKPOINT;
RESET ROLE;
GRANT pg_checkpoint TO careful;
SET ROLE careful;
CHECKPOINT;
RESET ROLE;
DROP ROLE careful;
"""


def test_upkeep_is_accepted_refused_and_warned_of_as_by_postgresql(
    judge: Address, database: Address
) -> None:
    assert_equal(judge, database, SCRIPT)
