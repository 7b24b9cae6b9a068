"""Storage parameters are what PostgreSQL's are, but for what they do, which is told."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address, Connection

WRONG = """
CREATE TABLE f (a int) WITH (fillfactor=5);
CREATE TABLE f (a int) WITH (fillfactor=many);
CREATE TABLE f (a int) WITH (fillfactor);
CREATE TABLE f (a int) WITH (fillfactor=50, fillfactor=60);
CREATE TABLE f (a int) WITH (autovacuum_enabled=maybe);
CREATE TABLE f (a int) WITH (autovacuum_vacuum_scale_factor=-0.5);
CREATE TABLE f (a int) WITH (toast.autovacuum_freeze_max_age=1);
CREATE TABLE f (a int) WITH (parallel_workers=1025);
CREATE TABLE f (a int);
ALTER TABLE f SET (nope=1);
ALTER TABLE f RESET (nope);
ALTER TABLE f SET (fillfactor=101);
CREATE INDEX fi ON f (a) WITH (fillfactor=5);
CREATE INDEX fi ON f (a) WITH (nope=5);
CREATE TABLE g (a int UNIQUE WITH (fillfactor=5));
CREATE TABLE g (a int, PRIMARY KEY (a) WITH (nope=5));
ALTER TABLE f ADD UNIQUE (a) WITH (fillfactor=101);
SELECT reloptions FROM pg_class WHERE relname = 'f';
"""
RIGHT = """
CREATE TABLE g (a int) WITH (fillfactor=70, autovacuum_enabled=off);
CREATE TABLE h WITH (toast_tuple_target=256) AS SELECT 1 AS a;
ALTER TABLE h SET (fillfactor=90);
ALTER TABLE g RESET (fillfactor);
ALTER TABLE g SET (parallel_workers=2, autovacuum_enabled=true);
CREATE INDEX gi ON g (a) WITH (fillfactor=70);
ALTER TABLE g ADD UNIQUE (a) WITH (fillfactor=80);
"""


PLANNER = """
SHOW effective_cache_size;
SET work_mem = '64MB';
SHOW work_mem;
SET work_mem = 100000;
SHOW work_mem;
SELECT setting, unit, min_val, max_val, vartype FROM pg_settings WHERE name = 'work_mem';
SET work_mem = '1kB';
SET work_mem = '1 XB';
SET work_mem TO '1.5GB';
SHOW work_mem;
SET temp_buffers = 200;
SHOW temp_buffers;
SET enable_seqscan = off;
SHOW enable_seqscan;
SET random_page_cost = 1.1;
SHOW random_page_cost;
SET random_page_cost = -1;
SET random_page_cost = x;
SET seq_page_cost = 1e10;
SHOW seq_page_cost;
SET geqo_selection_bias = 3;
SET synchronous_commit = off;
SHOW synchronous_commit;
SET synchronous_commit = maybe;
SET plan_cache_mode = force_custom_plan;
SHOW plan_cache_mode;
RESET work_mem;
SELECT name, setting, unit, vartype, boot_val FROM pg_settings
    WHERE name ~ '^(enable_|geqo|cpu_|jit_.*cost|.*collapse_limit|effective_|parallel_|min_parallel)'
    AND name !~ '^enable_(datafusion|index_|join_|locality|mv|serverless|share|two)' ORDER BY 1;
"""


def test_parameters_of_the_planner_are_postgresqls(judge: Address, database: Address) -> None:
    assert_equal(judge, database, PLANNER)


def test_what_is_wrong_with_them_is_postgresqls(judge: Address, database: Address) -> None:
    assert_equal(judge, database, WRONG)


def test_they_are_kept_and_said_to_have_no_effect(
    judge: Address, database: Address, connection: Connection
) -> None:
    told: list[str] = []
    connection.add_notice_handler(lambda said: told.append(said.message_primary or ""))
    with judge.connect() as other:
        for statement in filter(None, map(str.strip, RIGHT.split(";"))):
            other.execute(statement.encode())
            connection.execute(statement.encode())
        query = "SELECT relname, reloptions FROM pg_class WHERE relname IN ('g', 'h') ORDER BY 1"
        wanted = other.execute(query.encode()).fetchall()
    assert connection.execute(query.encode()).fetchall() == wanted
    assert told == [
        'storage parameters "fillfactor", "autovacuum_enabled" have no effect',
        'storage parameter "toast_tuple_target" has no effect',
        'storage parameter "fillfactor" has no effect',
        'storage parameters "parallel_workers", "autovacuum_enabled" have no effect',
        'storage parameter "fillfactor" has no effect',
        'storage parameter "fillfactor" has no effect',
    ]
