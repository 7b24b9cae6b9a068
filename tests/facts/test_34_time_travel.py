"""Fact 34 of forty: a relation as it was, judged by what was read when it was so."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from psycopg import errors

from tests.facts.session import Session, soon
from tests.support.seeds import seeds

KEPT = "WITH (retention = '1D')"
RELATIONS = {
    "t": "",
    "u": "",
    "w": "CREATE VIEW w AS SELECT t.v, u.x FROM t LEFT JOIN u ON t.v = u.v",
    "m": "CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v",
}


def change(chance: random.Random) -> str:
    k, v = chance.randrange(8), chance.randrange(3)
    return chance.choice(
        [
            f"INSERT INTO t VALUES ({k}, {v})",
            f"UPDATE t SET v = {v} WHERE k < {k}",
            f"DELETE FROM t WHERE v = {v}",
            f"INSERT INTO u VALUES ({v}, NULL), ({v}, {k})",
            f"DELETE FROM u WHERE v = {v}",
        ]
    )


@pytest.mark.parametrize("seed", seeds(1, 20))
def test_fact_34_earlier_states_are_what_was_read_then(one: Session, seed: int) -> None:
    chance = random.Random(seed)
    one.run("CREATE TABLE t (k int PRIMARY KEY, v int)", "CREATE TABLE u (v int, x int)")
    for name, definition in RELATIONS.items():
        if definition:
            one.run(definition)
        if name != "w":
            one.run(f"CREATE SUBSCRIPTION of_{name} FROM {name} {KEPT}")
    seen = []
    for _ in range(12):
        one.run(change(chance))
        time.sleep(0.005)
        then = one.value("SELECT clock_timestamp()")
        seen.append((then, {name: Counter(one.rows(f"TABLE {name}")) for name in RELATIONS}))
        time.sleep(0.005)
    for then, states in seen:
        for name, rows in states.items():
            query = f"SELECT * FROM {name} FOR SYSTEM_TIME AS OF '{then.isoformat()}'"
            assert Counter(one.rows(query)) == rows, (name, then)


def test_fact_34_a_time_is_said_in_several_ways(one: Session) -> None:
    one.run("CREATE TABLE t (k int)", f"CREATE SUBSCRIPTION s FROM t {KEPT}")
    time.sleep(5.1)  # Whole seconds are told below.
    one.run("INSERT INTO t VALUES (1)")
    count = "SELECT count(*) FROM t FOR SYSTEM_TIME AS OF"
    for past in (
        "NOW() - '4' second",
        "now() - interval '4 seconds'",
        "(now() - interval '4 seconds')",
        str(int(time.time()) - 4),
    ):
        assert one.value(f"{count} {past}") == 0, past
    for present in ("NOW()", "5066075780", "'2130-02-10T12:13:14-08:30'"):
        assert one.value(f"{count} {present}") == 1, present
    joined = (
        "SELECT count(*) FROM t FOR SYSTEM_TIME AS OF now() - '4' second AS a JOIN t b USING (k)"
    )
    assert one.value(joined) == 0
    with one.connection.cursor() as cursor:
        query = f"{count} now() - interval '4 seconds'".encode()
        assert cursor.execute(query, prepare=True).fetchall() == [(0,)]
        soon(lambda: cursor.execute(query, prepare=True).fetchall() == [(1,)])


def test_fact_34_what_is_not_kept_has_expired(one: Session) -> None:
    one.run("CREATE TABLE t (k int)", "INSERT INTO t VALUES (1)", "CREATE TABLE u (k int)")
    one.run("CREATE SUBSCRIPTION s FROM u WITH (retention = '1s')")
    for relation in "tu":
        for then in ("963716300", "'2000-02-20T12:13:14-08:30'", "NOW() - '100' YEAR"):
            query = f"SELECT * FROM {relation} FOR SYSTEM_TIME AS OF {then}"
            expired = "Time-travel version expired: table "
            one.fails(query, errors.ObjectNotInPrerequisiteState, expired, has_hint=True)
    one.run(f"CREATE SUBSCRIPTION st FROM t {KEPT}")
    then = one.value("SELECT clock_timestamp()")
    query = f"SELECT * FROM {{}} FOR SYSTEM_TIME AS OF '{then.isoformat()}'"
    assert one.rows(query.format("t")) == [(1,)]
    one.run("ALTER TABLE t ADD COLUMN v int")
    one.fails(query.format("t"), errors.ObjectNotInPrerequisiteState, "expired")
    time.sleep(1.5)
    one.fails(query.format("u"), errors.ObjectNotInPrerequisiteState, "expired")
    view = "CREATE MATERIALIZED VIEW m AS SELECT * FROM t FOR SYSTEM_TIME AS OF NOW()"
    one.fails(view, errors.FeatureNotSupported, "FOR SYSTEM_TIME AS OF")
    one.fails("SELECT * FROM t FOR SYSTEM_TIME AS OF 'soon'", errors.InvalidDatetimeFormat)
    one.fails("SELECT * FROM t FOR SYSTEM_TIME AS OF NULL", errors.InvalidParameterValue)
