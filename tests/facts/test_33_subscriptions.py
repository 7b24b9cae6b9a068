"""Fact 33 of forty: what a cursor over a subscription gives, which is all that happened, in order.

The judge is replay: who applies everything that a cursor has given since FULL has the table.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.facts.session import Session
from tests.support.activity import until_runs
from tests.support.background import Background
from tests.support.seeds import seeds
from tests.support.server import Address

SIGNS = {"Insert": 1, "UpdateInsert": 1, "Delete": -1, "UpdateDelete": -1}

#: A wait that would be noticed.
LONG = "10s"


@pytest.fixture
def subscribed(one: Session) -> Session:
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 10)")
    one.run("CREATE SUBSCRIPTION s FROM t WITH (retention = '1D')")
    return one


def ops(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows without their time."""
    return [row[:-1] for row in rows]


def replay(state: Counter[tuple[Any, ...]], rows: Iterable[tuple[Any, ...]]) -> None:
    for *values, op, _ in rows:
        state[tuple(values)] += SIGNS[op]
        assert state[tuple(values)] >= 0, "a row went that was not there"
    for gone in [row for row, count in state.items() if not count]:
        del state[gone]


def test_fact_33_a_full_cursor_gives_what_is_there_and_then_what_happens(
    subscribed: Session, two: Session
) -> None:
    subscribed.run("DECLARE c SUBSCRIPTION CURSOR FOR s FULL")
    assert subscribed.rows("FETCH NEXT FROM c") == [(1, 10, "Insert", None)]
    assert subscribed.rows("FETCH NEXT FROM c") == []
    before_ms = int(time.time() * 1000) - 1
    two.run("UPDATE t SET v = 11 WHERE k = 1", "DELETE FROM t WHERE k = 1")
    rows = subscribed.rows("FETCH 10 FROM c")
    assert ops(rows) == [
        (1, 10, "UpdateDelete"),
        (1, 11, "UpdateInsert"),
        (1, 11, "Delete"),
    ]
    times = [row[-1] for row in rows]
    assert times == sorted(times)
    assert before_ms <= times[0] == times[1] < times[2] <= time.time() * 1000
    subscribed.fails(
        "DECLARE c SUBSCRIPTION CURSOR FOR s", errors.DuplicateCursor, "already exists"
    )
    subscribed.fails("FETCH PRIOR FROM c", errors.ObjectNotInPrerequisiteState, "only scan forward")
    subscribed.run("CLOSE c")
    subscribed.fails("FETCH NEXT FROM c", errors.InvalidCursorName, 'cursor "c" does not exist')


def test_fact_33_a_cursor_begins_where_it_is_told_to(subscribed: Session) -> None:
    subscribed.run("INSERT INTO t VALUES (2, 2)", "INSERT INTO t VALUES (3, 3)")
    for number, since in enumerate(("", "SINCE now()", "SINCE proctime()")):
        subscribed.run(f"DECLARE n{number} SUBSCRIPTION CURSOR FOR s {since}")
    subscribed.run("DECLARE b SUBSCRIPTION CURSOR FOR s SINCE begin()")
    subscribed.run("INSERT INTO t VALUES (4, 4)")
    for number in range(3):
        assert ops(subscribed.rows(f"FETCH 9 FROM n{number}")) == [(4, 4, "Insert")]
    rows = subscribed.rows("FETCH ALL FROM b")
    assert [row[0] for row in rows] == [2, 3, 4]
    for since, keys in ((rows[1][-1], [3, 4]), (rows[1][-1] - 1, [3, 4]), (rows[2][-1] + 1, [])):
        subscribed.run(f"DECLARE u SUBSCRIPTION CURSOR FOR s SINCE {since}")
        assert [row[0] for row in subscribed.rows("FETCH 9 FROM u")] == keys
        subscribed.run("CLOSE u")
    for at, what in ((1, "too small"), (18446744073709551615, "too large")):
        statement = f"DECLARE x SUBSCRIPTION CURSOR FOR s SINCE {at}"
        subscribed.fails(statement, errors.InvalidParameterValue, f"rw_timestamp is {what}")
    subscribed.fails("DECLARE x SUBSCRIPTION CURSOR FOR s SINCE x", errors.SyntaxError)
    subscribed.fails("DECLARE x SUBSCRIPTION CURSOR FOR t", errors.WrongObjectType)


def test_fact_33_fetch_with_a_timeout_wakes_up_with_the_epoch(
    subscribed: Session, two: Session
) -> None:
    subscribed.run("DECLARE c SUBSCRIPTION CURSOR FOR s")
    began = time.monotonic()
    assert subscribed.rows("FETCH NEXT FROM c WITH (timeout = '200ms')") == []
    assert 0.2 <= time.monotonic() - began < 2
    fetch = Background(lambda: subscribed.rows(f"FETCH 5 FROM c WITH (timeout = '{LONG}')"))
    fetch.assert_waits(0.2)
    written = time.monotonic()
    two.run("INSERT INTO t VALUES (5, 5)")
    assert ops(fetch.result()) == [(5, 5, "Insert")]
    assert time.monotonic() - written < 2
    subscribed.run("SET statement_timeout = '200ms'")
    subscribed.fails(f"FETCH NEXT FROM c WITH (timeout = '{LONG}')", errors.QueryCanceled)
    subscribed.run("SET statement_timeout = 0")
    fetch = Background(lambda: subscribed.rows(f"FETCH NEXT FROM c WITH (timeout = '{LONG}')"))
    until_runs(two.connection, subscribed.connection.info.backend_pid, "FETCH")
    subscribed.connection.cancel()
    with pytest.raises(errors.QueryCanceled):
        fetch.result()
    two.run("INSERT INTO t VALUES (6, 6)")
    assert ops(subscribed.rows("FETCH NEXT FROM c")) == [(6, 6, "Insert")]
    dropped = Background(lambda: subscribed.rows(f"FETCH NEXT FROM c WITH (timeout = '{LONG}')"))
    dropped.assert_waits(0.2)
    two.run("DROP SUBSCRIPTION s")
    with pytest.raises(errors.UndefinedObject):
        dropped.result()


def test_fact_33_a_cursor_is_the_sessions_and_no_transaction_holds_it_back(
    subscribed: Session, two: Session
) -> None:
    subscribed.run("BEGIN", "DECLARE c SUBSCRIPTION CURSOR FOR s FULL", "SELECT * FROM t")
    two.run("INSERT INTO t VALUES (7, 7)")
    assert [row[0] for row in subscribed.rows("FETCH 5 FROM c")] == [1, 7]
    subscribed.run("ROLLBACK")
    assert subscribed.rows("FETCH 5 FROM c") == []
    shown = subscribed.rows("SHOW SUBSCRIPTION CURSORS")
    assert [(row[4], row[5]) for row in shown] == [("c", "s")]
    assert two.rows("SHOW SUBSCRIPTION CURSORS") == []
    subscribed.run("DISCARD ALL")
    assert subscribed.rows("SHOW SUBSCRIPTION CURSORS") == []


@pytest.mark.parametrize("binary", [False, True])
def test_fact_33_changes_are_encoded_as_the_client_asks(subscribed: Session, binary: bool) -> None:
    subscribed.run("CREATE TABLE w (a numeric, b timestamptz, c text[], d jsonb, e float8)")
    subscribed.run(
        "INSERT INTO w VALUES (1.5, '2020-01-02 03:04:05+00', '{x,y}', '{\"a\": 1}', 0.1), "
        "(NULL, NULL, NULL, NULL, NULL)",
        "CREATE SUBSCRIPTION sw FROM w WITH (retention = '1D')",
        "DECLARE c SUBSCRIPTION CURSOR FOR sw FULL",
    )
    with subscribed.connection.cursor(binary=binary) as cursor:
        given = cursor.execute("FETCH ALL FROM c").fetchall()
        read = cursor.execute("SELECT *, 'Insert', NULL::bigint FROM w").fetchall()
    assert given == read


def test_fact_37_a_cursor_ends_early_where_the_columns_change_and_goes_on_with_the_new(
    subscribed: Session,
) -> None:
    def titles(fetch: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        cursor = subscribed.connection.execute(fetch.encode())
        assert cursor.description is not None
        return [column.name for column in cursor.description], ops(cursor.fetchall())

    first, second, third = ["k", "v"], ["k", "v", "b"], ["k", "b"]
    rest = ["op", "rw_timestamp"]
    subscribed.run("DECLARE c SUBSCRIPTION CURSOR FOR s FULL", "INSERT INTO t VALUES (2, 2)")
    subscribed.run("ALTER TABLE t ADD COLUMN b int DEFAULT 5", "INSERT INTO t VALUES (3, 3)")
    subscribed.run("ALTER TABLE t DROP COLUMN v", "UPDATE t SET b = 6 WHERE k = 3")
    subscribed.run("DECLARE e SUBSCRIPTION CURSOR FOR s SINCE begin()")
    assert titles("FETCH 1 FROM c") == (first + rest, [(1, 10, "Insert")])
    assert titles("FETCH 9 FROM c") == (first + rest, [(2, 2, "Insert")])
    assert titles("FETCH 1 FROM c") == (second + rest, [(3, 3, 5, "Insert")])
    assert titles("FETCH 1 FROM c") == (second + rest, [])
    update = [(3, 5, "UpdateDelete"), (3, 6, "UpdateInsert")]
    assert titles("FETCH 9 FROM c") == (third + rest, update)
    assert titles("FETCH 9 FROM c") == (third + rest, [])
    # Another one that begins there goes the same way.
    for columns, rows in (
        (first, [(2, 2, "Insert")]),
        (second, [(3, 3, 5, "Insert")]),
        (third, update),
    ):
        assert titles("FETCH 9 FROM e") == (columns + rest, rows)
    waiting = Background(lambda: titles(f"FETCH 1 FROM e WITH (timeout = '{LONG}')"))
    waiting.assert_waits(0.2)
    with psycopg.connect(subscribed.connection.info.dsn, autocommit=True) as other:
        other.execute("ALTER TABLE t ADD COLUMN z int")
    assert waiting.result() == (third + rest, [])
    assert titles("FETCH 1 FROM e") == (["k", "b", "z", *rest], [])


def test_fact_33_a_subscription_is_an_object_like_others(subscribed: Session, two: Session) -> None:
    subscribed.fails(
        "CREATE SUBSCRIPTION s FROM t WITH (retention = '1D')", errors.DuplicateTable, "exists"
    )
    subscribed.run("CREATE SUBSCRIPTION IF NOT EXISTS s FROM t WITH (retention = '1D')")
    subscribed.fails("CREATE SUBSCRIPTION x FROM t", errors.InvalidParameterValue, "not set")
    for retention in ("-1D", "0", "99999 years", "soon"):
        statement = f"CREATE SUBSCRIPTION x FROM t WITH (retention = '{retention}')"
        subscribed.fails(statement, psycopg.Error)
    subscribed.run("CREATE VIEW w AS SELECT 1")
    subscribed.fails("CREATE SUBSCRIPTION x FROM w WITH (retention = '1D')", errors.WrongObjectType)
    subscribed.fails("DROP TABLE t", errors.DependentObjectsStillExist, "depend on it")
    subscribed.run("CREATE SCHEMA a", "ALTER SUBSCRIPTION s RENAME TO r")
    subscribed.run("ALTER SUBSCRIPTION r SET SCHEMA a", "ALTER TABLE t RENAME TO u")
    subscribed.run("ALTER SUBSCRIPTION a.r SET RETENTION = '3H'")
    subscribed.run("COMMENT ON SUBSCRIPTION a.r IS 'kept'")
    definition = "CREATE SUBSCRIPTION a.r FROM u WITH (retention = '3H')"
    assert subscribed.rows("SHOW CREATE SUBSCRIPTION a.r") == [("a.r", definition)]
    told = "SELECT name, schema_name, definition, retention_seconds FROM rw_subscriptions"
    assert subscribed.rows(told) == [("r", "a", definition, 10800)]
    assert subscribed.rows("SHOW SUBSCRIPTIONS FROM a") == [("r", 10800)]
    subscribed.run("DROP SUBSCRIPTION a.r")
    subscribed.fails("DROP SUBSCRIPTION a.r", errors.UndefinedTable, "does not exist")
    subscribed.run("DROP SUBSCRIPTION IF EXISTS a.r", "DROP TABLE u")


def test_fact_33_who_reads_changes_must_be_allowed_to(
    subscribed: Session, database: Address
) -> None:
    subscribed.run("CREATE ROLE reader_33 LOGIN", "GRANT USAGE ON SCHEMA public TO reader_33")
    subscribed.run("GRANT CREATE ON SCHEMA public TO reader_33")
    address = replace(database, user="reader_33")
    try:
        with closing(Session(address)) as reader:
            create = "CREATE SUBSCRIPTION mine FROM t WITH (retention = '1D')"
            declare = "DECLARE c SUBSCRIPTION CURSOR FOR s FULL"
            reader.fails(create, errors.InsufficientPrivilege, "denied for table t")
            reader.fails(declare, errors.InsufficientPrivilege, "denied for subscription s")
            reader.fails("DROP SUBSCRIPTION s", errors.InsufficientPrivilege, "must be owner")
            subscribed.run("GRANT SELECT ON SUBSCRIPTION s TO reader_33")
            reader.run(declare)
            assert reader.rows("FETCH ALL FROM c") == [(1, 10, "Insert", None)]
            subscribed.run("GRANT SELECT ON t TO reader_33")
            reader.run(create, "DROP SUBSCRIPTION mine")
    finally:
        subscribed.run("DROP OWNED BY reader_33", "DROP ROLE reader_33")


def test_fact_12_subscriptions_are_made_and_read_while_paused(
    subscribed: Session, two: Session
) -> None:
    subscribed.pause()
    subscribed.run("CREATE SUBSCRIPTION p FROM t WITH (retention = '1D')")
    subscribed.run("DECLARE c SUBSCRIPTION CURSOR FOR p FULL")
    assert len(subscribed.rows("FETCH 5 FROM c")) == 1
    insert = two.waits("INSERT INTO t VALUES (8, 8)")
    assert subscribed.rows("FETCH 5 FROM c WITH (timeout = '200ms')") == []
    subscribed.resume()
    insert.result()
    assert ops(subscribed.rows(f"FETCH 5 FROM c WITH (timeout = '{LONG}')")) == [(8, 8, "Insert")]


@pytest.mark.parametrize("is_strict", [True, False])
def test_fact_33_a_view_that_has_failed_gives_the_difference_when_it_is_filled_anew(
    one: Session, is_strict: bool
) -> None:
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 1), (2, 2)")
    one.run(f"SET streaming_expr_strict_mode = {'on' if is_strict else 'off'}")
    one.run("CREATE MATERIALIZED VIEW m AS SELECT k, 10 / v AS q FROM t")
    one.run(
        "CREATE SUBSCRIPTION s FROM m WITH (retention = '1D')",
        "DECLARE c SUBSCRIPTION CURSOR FOR s FULL",
    )
    state: Counter[tuple[Any, ...]] = Counter()
    replay(state, one.rows("FETCH ALL FROM c"))
    one.run("INSERT INTO t VALUES (3, 0)")
    if is_strict:
        one.fails("FETCH ALL FROM c", errors.ObjectNotInPrerequisiteState, "has failed")
    else:
        assert ops(one.rows("FETCH ALL FROM c")) == [(3, None, "Insert")]
        state[(3, None)] += 1
    one.run("DELETE FROM t WHERE k > 1", "UPDATE t SET v = 5", "INSERT INTO t VALUES (9, 1)")
    one.run("RECOVER")
    while rows := one.rows("FETCH ALL FROM c"):
        replay(state, rows)
    assert state == Counter(one.rows("SELECT * FROM m")) == Counter([(1, 2), (9, 10)])


def test_fact_33_what_is_older_than_the_retention_is_forgotten(one: Session) -> None:
    one.run("CREATE TABLE t (k int)", "CREATE SUBSCRIPTION s FROM t WITH (retention = '1s')")
    one.run("DECLARE c SUBSCRIPTION CURSOR FOR s FULL", "INSERT INTO t VALUES (1)")
    one.run("ALTER TABLE t ADD COLUMN v int", "INSERT INTO t VALUES (2, 2)")
    time.sleep(3.5)
    one.fails("FETCH NEXT FROM c", errors.ObjectNotInPrerequisiteState, "maximum lifetime")
    one.run("DECLARE d SUBSCRIPTION CURSOR FOR s SINCE begin()")
    assert one.rows("FETCH NEXT FROM d") == []
    one.run("INSERT INTO t VALUES (3, 3)")
    assert ops(one.rows("FETCH NEXT FROM d")) == [(3, 3, "Insert")]


#: Relations of many shapes over two tables, with rows that are equal, hidden keys and none.
RELATIONS = {
    "t": "",
    "u": "",
    "plain": "SELECT v, w FROM t",
    "grouped": "SELECT v, count(*) AS n, max(w) AS w FROM t GROUP BY v",
    "joined": "SELECT t.v, u.x FROM t JOIN u ON t.v = u.v",
    "outer_joined": "SELECT t.w, u.x FROM t LEFT JOIN u ON t.v = u.v",
    "all_of_both": "SELECT v FROM t UNION ALL SELECT v FROM u",
    "total": "SELECT sum(w) AS s FROM t",
    "top": "SELECT v, w FROM t ORDER BY w LIMIT 3",
    "beyond": "SELECT n, count(*) AS m FROM grouped GROUP BY n",
}


def change(chance: random.Random) -> str:
    k, v, w = chance.randrange(12), chance.randrange(4), chance.choice(["NULL", "1", "2", "3"])
    return chance.choice(
        [
            f"INSERT INTO t VALUES ({k}, {v}, {w})",
            f"INSERT INTO t VALUES ({k}, {v}, {w}), ({k + 1}, {v}, {w})",
            f"UPDATE t SET w = {w} WHERE v = {v}",
            f"UPDATE t SET v = {v} WHERE k = {k}",
            f"DELETE FROM t WHERE v = {v}",
            f"INSERT INTO u VALUES ({v}, {w})",
            f"UPDATE u SET x = {w} WHERE v = {v}",
            f"DELETE FROM u WHERE v = {v}",
            "TRUNCATE u",
        ]
    )


@pytest.mark.parametrize("seed", seeds(2, 40))
def test_fact_33_replaying_a_cursor_from_full_on_gives_the_relation(
    one: Session, two: Session, seed: int
) -> None:
    chance = random.Random(seed)
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int, w int)", "CREATE TABLE u (v int, x int)")
    for name, query in RELATIONS.items():
        if query:
            one.run(f"CREATE MATERIALIZED VIEW {name} AS {query}")
        one.run(f"CREATE SUBSCRIPTION of_{name} FROM {name} WITH (retention = '1D')")
    states: dict[str, Counter[tuple[Any, ...]]] = {}
    held = False
    for _ in range(25):
        one.run(change(chance))
        name = chance.choice(list(RELATIONS))
        if name not in states:
            two.run(f"DECLARE c_{name} SUBSCRIPTION CURSOR FOR of_{name} FULL")
            states[name] = Counter()
        elif chance.random() < 0.7:
            replay(states[name], two.rows(f"FETCH {chance.randrange(1, 5)} FROM c_{name}"))
        if chance.random() < 0.15:
            one.run(f"ALTER MATERIALIZED VIEW grouped {'RESUME' if held else 'PAUSE'}")
            held = not held
    if held:
        one.run("ALTER MATERIALIZED VIEW grouped RESUME")
    behind = "SELECT count(*) FROM rw_catalog.rw_catch_up"
    end = time.monotonic() + 15
    while one.value(behind) and time.monotonic() < end:
        time.sleep(0.05)
    for name, state in states.items():
        while rows := two.rows(f"FETCH 7 FROM c_{name}"):
            replay(state, rows)
        assert state == Counter(one.rows(f"SELECT * FROM {name}")), name
