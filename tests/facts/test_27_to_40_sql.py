"""Facts 27 to 40 of forty that a user of RisingWave relies on, as they hold here: SQL, clients.

Where this server differs on purpose (docs/known-differences.md), the fact is this server's; what
it does not have is refused by name, and nothing is passed over in silence.
"""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import closing

import asyncpg
import psycopg
import pytest
from psycopg import errors

from tests.facts.session import Session
from tests.support.activity import until_runs
from tests.support.background import Background
from tests.support.server import Address


def test_fact_27_what_an_insert_of_a_known_key_does_is_the_tables_to_say(one: Session) -> None:
    one.run("CREATE TABLE a (k int PRIMARY KEY, v text)", "INSERT INTO a VALUES (1,'a'), (1,'b')")
    one.run("CREATE TABLE b (k int PRIMARY KEY, v text) ON CONFLICT DO NOTHING")
    one.run("INSERT INTO b VALUES (1, 'a'), (1, 'b')")
    one.run("CREATE TABLE c (k int PRIMARY KEY, x int, y int) ON CONFLICT DO UPDATE IF NOT NULL")
    one.run("INSERT INTO c VALUES (1, NULL, 2)", "INSERT INTO c VALUES (1, 5, NULL)")
    assert one.rows("SELECT a.v, b.v, x, y FROM a, b, c") == [("b", "a", 5, 2)]
    one.run("CREATE TABLE d (k int PRIMARY KEY, v text, n int) WITH VERSION COLUMN (n)")
    for row in ("'first', 2", "'older', 1", "'equal', 2"):
        one.run(f"INSERT INTO d VALUES (1, {row})")
    assert one.rows("SELECT v, n FROM d") == [("equal", 2)]
    one.fails(
        "CREATE TABLE e (k int PRIMARY KEY) APPEND ONLY ON CONFLICT OVERWRITE",
        errors.InvalidTableDefinition,
        "must be DO NOTHING",
    )


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        pytest.param(statement, what, id=f"fact-{number}-{what.replace(' ', '-').lower()}")
        for number, statement, what in (
            (31, "SELECT * FROM t ASOF RIGHT JOIN t d ON t.v = d.v AND t.v > d.v", "ASOF JOIN"),
        )
    ],
)
def test_what_there_is_not_is_refused_by_name(one: Session, statement: str, what: str) -> None:
    one.run("CREATE TABLE t (v int)")
    one.fails(statement, errors.FeatureNotSupported, what, has_hint="ASOF" not in what)


def test_fact_28_a_closed_window_is_emitted_once_and_late_rows_are_ignored(one: Session) -> None:
    one.run(
        "CREATE TABLE t (tm timestamp, v int,"
        " WATERMARK FOR tm AS tm - INTERVAL '5 minutes') APPEND ONLY"
    )
    one.run(
        "CREATE MATERIALIZED VIEW m AS SELECT window_start, max(v) AS v"
        " FROM tumble(t, tm, INTERVAL '1 hour') GROUP BY window_start EMIT ON WINDOW CLOSE"
    )
    rows = (("16:51", 1), ("16:56", 8), ("17:30", 3), ("17:59", 4), ("18:01", 6))
    values = ", ".join(f"('2024-01-01 {time}', {v})" for time, v in rows)
    one.run(f"INSERT INTO t VALUES {values}")
    shown = "SELECT window_start::time::text, v FROM m ORDER BY 1"
    assert one.rows(shown) == [("16:00:00", 8)]
    one.run("INSERT INTO t VALUES ('2024-01-01 18:10', 7)")
    assert one.rows(shown) == [("16:00:00", 8), ("17:00:00", 4)]
    one.run("INSERT INTO t VALUES ('2024-01-01 16:00', 99)", "FLUSH")
    assert one.rows(shown) == [("16:00:00", 8), ("17:00:00", 4)]
    assert one.value("SELECT count(*) FROM t WHERE v = 99") == 0
    assert one.rows("CHECK MATERIALIZED VIEW m") == []
    assert any(
        "Emit on window close" in line for (line,) in one.rows("EXPLAIN MATERIALIZED VIEW m")
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE TABLE w (a timestamp, WATERMARK FOR a AS a)", "requires the table to be append"),
        (
            "CREATE TABLE w (a int, WATERMARK FOR a AS to_timestamp(a)) APPEND ONLY",
            "must be identical to the watermark column data type",
        ),
        (
            "CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM e EMIT ON WINDOW CLOSE",
            "requires a watermark column in GROUP BY",
        ),
        (
            "CREATE MATERIALIZED VIEW m AS SELECT v FROM e EMIT ON WINDOW CLOSE",
            "cannot be executed in Emit-On-Window-Close mode",
        ),
        (
            (
                "CREATE MATERIALIZED VIEW m AS SELECT e.tm FROM e JOIN t ON e.v = t.v"
                " EMIT ON WINDOW CLOSE"
            ),
            "cannot be executed in Emit-On-Window-Close mode",
        ),
        (
            (
                "CREATE MATERIALIZED VIEW m AS SELECT tm, ntile(2) OVER (ORDER BY tm) FROM e"
                " EMIT ON WINDOW CLOSE"
            ),
            "cannot be executed in Emit-On-Window-Close mode",
        ),
        (
            (
                "CREATE MATERIALIZED VIEW m AS SELECT tm, (SELECT max(v) FROM t) AS x FROM e"
                " GROUP BY tm EMIT ON WINDOW CLOSE"
            ),
            "cannot be executed in Emit-On-Window-Close mode",
        ),
        (
            "CREATE MATERIALIZED VIEW m AS SELECT tm FROM k GROUP BY tm EMIT ON WINDOW CLOSE",
            "requires a watermark column in GROUP BY",
        ),
        ("CREATE TABLE w (v int) WITH (retention_seconds = 5)", "requires the table to be append"),
        ("CREATE TABLE w (v int) APPEND ONLY WITH (retention_seconds = 0)", "positive integer"),
        ("ALTER TABLE e DROP COLUMN tm", "cannot drop a column used by a watermark"),
        ("ALTER TABLE e ALTER WATERMARK FOR v AS v", 'no watermark defined on column "v"'),
        ("ALTER TABLE e ALTER WATERMARK FOR tm AS tm WITH TTL", "toggling WITH TTL"),
    ],
)
def test_fact_28_what_tells_no_end_is_refused(one: Session, statement: str, message: str) -> None:
    one.run("CREATE TABLE t (v int)")
    one.run("CREATE TABLE e (tm timestamp, v int, WATERMARK FOR tm AS tm) APPEND ONLY")
    one.run("CREATE TABLE k (tm timestamp PRIMARY KEY, WATERMARK FOR tm AS tm WITH TTL)")
    one.fails(statement, psycopg.Error, message)


def test_fact_28_a_watermark_with_ttl_is_of_rows_that_change(one: Session) -> None:
    one.run(
        "CREATE TABLE t (k int PRIMARY KEY, ts int, v text, WATERMARK FOR ts AS ts - 10 WITH TTL)"
    )
    one.run("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    rows = "SELECT k, ts, v FROM m ORDER BY k"
    one.run("INSERT INTO t VALUES (1, 5, 'a')", "INSERT INTO t VALUES (2, 20, 'b'), (3, 15, 'c')")
    one.run("INSERT INTO t VALUES (4, 5, 'd')")  # The watermark is 10.
    one.run("INSERT INTO t VALUES (1, 6, 'aa')", "INSERT INTO t VALUES (3, 15, 'cc')")
    assert one.rows(rows) == [(1, 5, "a"), (2, 20, "b"), (3, 15, "cc")]
    one.run("INSERT INTO t VALUES (3, 4, 'late')", "UPDATE t SET ts = 3 WHERE k = 2")
    assert one.rows(rows) == [(1, 5, "a")]  # What became too old is gone, what was so stays.
    one.run("DELETE FROM t WHERE k = 1", "INSERT INTO t VALUES (5, 30, 'e')")
    assert one.rows(rows) == [(1, 5, "a"), (5, 30, "e")]
    one.run("ALTER TABLE t ALTER WATERMARK FOR ts AS ts - 1000 WITH TTL")
    one.run("INSERT INTO t VALUES (6, 19, 'late')", "INSERT INTO t VALUES (7, 20, 'f')")
    assert one.rows(rows) == [(1, 5, "a"), (5, 30, "e"), (7, 20, "f")]
    assert one.rows("CHECK MATERIALIZED VIEW m") == []


def test_fact_28_no_row_is_late_for_the_time_at_which_it_is_written(one: Session) -> None:
    one.run(
        "CREATE TABLE t (v int, at timestamptz AS proctime(), WATERMARK FOR at AS at WITH TTL)"
        " APPEND ONLY"
    )
    one.run("CREATE MATERIALIZED VIEW m AS SELECT at, v FROM t EMIT ON WINDOW CLOSE")
    for v in range(5):
        one.run(f"INSERT INTO t VALUES ({v})")
    assert one.rows("SELECT v FROM t ORDER BY v") == [(v,) for v in range(5)]
    assert one.value("SELECT count(*) FROM m") <= 5
    assert one.rows("CHECK MATERIALIZED VIEW m") == []


def test_fact_30_a_temporal_join_keeps_what_it_has_shown(one: Session) -> None:
    one.run(
        "CREATE TABLE s (id int, v int) APPEND ONLY", "CREATE TABLE d (k int PRIMARY KEY, n int)"
    )
    query = "SELECT id, n FROM s LEFT JOIN d FOR SYSTEM_TIME AS OF PROCTIME() ON v = k"
    one.run(f"CREATE MATERIALIZED VIEW m AS {query}")
    one.run("INSERT INTO s VALUES (1, 1)", "INSERT INTO d VALUES (1, 10)")
    one.run("INSERT INTO s VALUES (2, 1)", "DELETE FROM d")
    one.run("INSERT INTO s VALUES (3, 1)")
    assert one.rows("SELECT * FROM m ORDER BY id") == [(1, None), (2, 10), (3, None)]
    one.run("INSERT INTO d VALUES (1, 11)", "DROP MATERIALIZED VIEW m")
    one.run(f"CREATE MATERIALIZED VIEW m AS {query}")
    assert one.rows("SELECT * FROM m ORDER BY id") == [(1, 11), (2, 11), (3, 11)]
    plan = one.rows("EXPLAIN MATERIALIZED VIEW m")
    assert any("Temporal left join" in line for (line,) in plan)


def test_fact_32_sinks_flow_into_tables_and_several_merge_into_wide_rows(one: Session) -> None:
    one.run(
        "CREATE TABLE a (k int PRIMARY KEY, x int)", "CREATE TABLE b (k int PRIMARY KEY, y int)"
    )
    one.run("CREATE TABLE t (k int PRIMARY KEY, x int)", "CREATE SINK s INTO t FROM a")
    one.run("INSERT INTO a VALUES (1, 10), (2, 20)", "UPDATE a SET x = 11 WHERE k = 1")
    one.run("DELETE FROM a WHERE k = 2")
    assert one.rows("SELECT * FROM t") == [(1, 11)]
    one.run("CREATE TABLE bare (k int, x int)")
    into_bare = "CREATE SINK u INTO bare FROM a"
    one.fails(into_bare, errors.InvalidTableDefinition, "Only append-only sinks")
    one.run("CREATE TABLE wide (k int PRIMARY KEY, x int, y int) ON CONFLICT DO UPDATE IF NOT NULL")
    one.run("CREATE SINK wa INTO wide (k, x) AS SELECT k, x FROM a")
    one.run("CREATE SINK wb INTO wide (k, y) AS SELECT k, y FROM b")
    one.run("INSERT INTO b VALUES (1, 5), (3, 6)")
    assert one.rows("SELECT * FROM wide ORDER BY k") == [(1, 11, 5), (3, None, 6)]
    circle = "CREATE SINK c INTO a FROM t"
    one.fails(circle, errors.InvalidTableDefinition, "circular dependency")
    one.run("DROP SINK s", "INSERT INTO a VALUES (4, 40)")
    assert one.rows("SELECT * FROM t") == [(1, 11)]


def test_fact_29_tumble_and_hop_give_each_row_its_windows(one: Session) -> None:
    one.run("CREATE TABLE t (v int, ts timestamp)", "INSERT INTO t VALUES (1, '2024-01-01 10:05')")
    windows = "SELECT window_start::time::text, window_end::time::text FROM"
    assert one.rows(f"{windows} tumble(t, ts, interval '1 hour')") == [("10:00:00", "11:00:00")]
    hops = f"{windows} hop(t, ts, interval '30 minutes', interval '1 hour') ORDER BY 1"
    assert one.rows(hops) == [("09:30:00", "10:30:00"), ("10:00:00", "11:00:00")]


#: What an ASOF join means, in PostgreSQL's SQL.
CLOSEST = """
    SELECT q, x, d, y FROM (
        SELECT a.q, a.x, b.d, b.y, row_number() OVER (PARTITION BY a.q ORDER BY b.y DESC, b.d) AS n
        FROM a {} JOIN b ON a.k = b.k AND a.x >= b.y
    ) AS ranked WHERE n = 1
"""


def test_fact_31_an_asof_join_takes_the_closest_row_and_another_when_that_goes(
    one: Session,
) -> None:
    one.run("CREATE TABLE a (q int PRIMARY KEY, k int, x int)")
    one.run("CREATE TABLE b (d int PRIMARY KEY, k int, y int)")
    for side in ("", "LEFT"):
        one.run(
            f"CREATE MATERIALIZED VIEW m{side} AS SELECT a.q, a.x, d, y FROM a "
            f"ASOF {side} JOIN b ON b.k = a.k AND y <= a.x"
        )
    one.run("INSERT INTO a VALUES (1, 1, 10), (2, 1, 1), (3, NULL, 9), (4, 2, 5)")
    one.run("INSERT INTO b VALUES (1, 1, 7), (2, 1, 9), (3, 1, 11), (4, 1, 9), (5, NULL, 1)")
    assert one.rows("SELECT * FROM m") == [(1, 10, 2, 9)]
    one.run("DELETE FROM b WHERE d IN (2, 4)")
    assert one.rows("SELECT * FROM m") == [(1, 10, 1, 7)]
    assert one.rows("SELECT q, d FROM mleft ORDER BY q") == [
        (1, 1),
        (2, None),
        (3, None),
        (4, None),
    ]
    one.run("DELETE FROM b WHERE d = 1")
    assert one.rows("SELECT * FROM m") == []
    one.run("INSERT INTO a SELECT i, i % 5, i * 37 % 50 FROM generate_series(10, 90) AS i")
    one.run("INSERT INTO b SELECT i, i % 4, i * 23 % 50 FROM generate_series(10, 70) AS i")
    one.run("UPDATE b SET y = y / 2 WHERE d % 3 = 0", "DELETE FROM a WHERE q % 7 = 0")
    for side in ("", "LEFT"):
        expected = one.rows(CLOSEST.format(side) + " ORDER BY q")
        assert len(expected) > 40
        assert one.rows(f"SELECT * FROM m{side} ORDER BY q") == expected
        assert one.rows(f"CHECK MATERIALIZED VIEW m{side}") == []
    upward = "SELECT x, y FROM a ASOF JOIN b ON a.k = b.k AND x < y WHERE q = 11"
    least = "SELECT a.x, min(b.y) FROM a JOIN b USING (k) WHERE q = 11 AND b.y > a.x GROUP BY 1"
    assert one.rows(upward) == one.rows(least) != []
    for condition, words in (
        ("a.x > b.y", "at least 1 equal"),
        ("a.k = b.k", "exactly 1 inequality"),
        ("a.k = b.k AND x < y AND x > d", "exactly 1 inequality"),
    ):
        one.fails(f"SELECT * FROM a ASOF JOIN b ON {condition}", errors.SyntaxError, words)
    one.fails("SELECT * FROM a ASOF JOIN b ON k = k AND x < y", errors.AmbiguousColumn)


def test_fact_35_what_others_read_is_dropped_with_cascade_only(one: Session) -> None:
    one.run("CREATE TABLE t (v int)", "CREATE MATERIALIZED VIEW m AS SELECT v FROM t")
    with pytest.raises(errors.DependentObjectsStillExist) as refused:
        one.run("DROP TABLE t")
    assert "CASCADE" in (refused.value.diag.message_hint or "")
    with pytest.raises(errors.WrongObjectType) as mistaken:
        one.run("DROP TABLE m")
    assert "DROP MATERIALIZED VIEW" in (mistaken.value.diag.message_hint or "")
    one.run("DROP TABLE t CASCADE")
    one.fails("SELECT * FROM m", errors.UndefinedTable)


def test_fact_36_generated_columns_are_not_written_and_not_null_is_kept(one: Session) -> None:
    one.run("CREATE TABLE t (a int NOT NULL, b int AS (a * 2))", "INSERT INTO t (a) VALUES (1)")
    assert one.rows("SELECT a, b FROM t") == [(1, 2)]
    one.fails("INSERT INTO t (a, b) VALUES (2, 3)", errors.GeneratedAlways)
    one.fails("UPDATE t SET b = 3", errors.GeneratedAlways)
    one.fails("INSERT INTO t (a) VALUES (NULL)", errors.NotNullViolation)
    one.fails("ALTER TABLE t ADD COLUMN c int NOT NULL", errors.NotNullViolation)
    one.run("ALTER TABLE t ADD COLUMN c int NOT NULL DEFAULT 7")
    assert one.value("SELECT c FROM t") == 7


def test_fact_37_views_go_on_when_their_table_changes(one: Session) -> None:
    one.run("CREATE TABLE t (a int)", "INSERT INTO t VALUES (1)")
    one.run("CREATE MATERIALIZED VIEW m AS SELECT sum(a) AS s FROM t")
    one.run("ALTER TABLE t ADD COLUMN b int DEFAULT 5")
    assert one.rows("SELECT a, b FROM t") == [(1, 5)]
    one.fails("ALTER TABLE t DROP COLUMN a", errors.DependentObjectsStillExist)
    one.run("ALTER TABLE t RENAME TO u", "INSERT INTO u VALUES (2, 2)")
    one.run("CREATE TABLE other (a int)", "ALTER TABLE u SWAP WITH other")
    one.run("INSERT INTO other VALUES (3, 3)")
    assert one.value("SELECT s FROM m") == 6


def test_fact_38_blocks_are_real_and_for_risingwaves_scripts_they_are_not(one: Session) -> None:
    one.run("CREATE TABLE t (a int)", "BEGIN", "INSERT INTO t VALUES (1)", "ROLLBACK")
    assert one.value("SELECT count(*) FROM t") == 0
    one.run("START TRANSACTION READ ONLY")
    one.fails("INSERT INTO t VALUES (1)", errors.ReadOnlySqlTransaction)
    one.run("ROLLBACK", "SET compatibility = 'risingwave'")
    one.notices.clear()
    one.run("BEGIN")
    assert "Read-write transaction is not supported" in one.notices[0]
    assert one.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_fact_39_the_protocol_is_postgresqls(database: Address, one: Session) -> None:
    assert one.value("SHOW server_version").startswith("15.")
    with closing(Session(database.of_database(database.database))) as other:
        binary = other.connection.execute("SELECT %b::int + 1", (41,), binary=True)
        assert binary.fetchone() == (42,)
    with pytest.raises(psycopg.OperationalError, match='database "fact_39" does not exist'):
        database.of_database("fact_39").connect()
    one.fails("SELECT * FROM none_such", errors.UndefinedTable)
    one.run("CREATE TABLE t (a int, b text)", "INSERT INTO t VALUES (1, 'x')")
    one.fails("CREATE TABLE t (a int)", errors.DuplicateTable)
    with one.connection.cursor().copy("COPY (SELECT * FROM t) TO STDOUT") as copy:
        assert b"".join(bytes(piece) for piece in copy) == b"1\tx\n"
    with one.connection.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write("2\ty\n")
    assert one.value("SELECT count(*) FROM t") == 2
    sleeping = Background(lambda: one.run("SELECT pg_sleep(30)"))
    with database.connect() as observer:
        until_runs(observer, one.connection.info.backend_pid, "pg_sleep")
    sleeping.assert_waits(0.2)
    one.connection.cancel()
    with pytest.raises(errors.QueryCanceled):
        sleeping.result()

    async def ask() -> object:
        connection = await asyncpg.connect(database.url)
        try:
            statement = await connection.prepare("SELECT a FROM t WHERE b = $1")
            return await statement.fetchval("y")
        finally:
            await connection.close()

    assert asyncio.run(ask()) == 2


def test_fact_40_catalogs_privileges_and_settings_answer_as_clients_expect(
    database: Address, one: Session
) -> None:
    one.run("CREATE TABLE t (a int)", "CREATE USER fact_40_user")
    for command in (r"\d", r"\dt", r"\l", r"\d t"):
        done = subprocess.run(
            ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", command, database.url],
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert one.rows("SHOW TABLES") == [("t",)]
    assert one.rows("DESCRIBE t")[0][:3] == ("a", "integer", "false")
    assert one.rows("SHOW CREATE TABLE t")[0][0] == "public.t"
    plain = Address(database.host, database.port, "fact_40_user", database.database)
    with closing(Session(plain)) as other:
        other.fails("SELECT * FROM t", errors.InsufficientPrivilege, "permission denied for table")
        one.run("GRANT SELECT ON t TO fact_40_user")
        assert other.rows("SELECT * FROM t") == []
        other.fails("SET x = 1", errors.UndefinedObject, "unrecognized configuration parameter")
    one.run("REVOKE ALL ON t FROM fact_40_user", "DROP USER fact_40_user")
    one.run("ALTER SYSTEM SET background_ddl TO true")
    try:
        with closing(Session(database)) as later:
            assert later.value("SHOW background_ddl") == "true"
    finally:
        one.run("ALTER SYSTEM SET background_ddl TO DEFAULT")
