"""Maps are what Python's dicts are: made, looked up, joined, and kept in tables and views."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import psycopg
import pytest

from tests.support.server import Address, Connection

Held = dict[str, int | None]


@pytest.fixture
def connection(database: Address) -> Iterator[Connection]:
    with database.connect() as opened:
        opened.execute(
            "CREATE TABLE t (k int PRIMARY KEY, m map(varchar, int), n map(int, varchar[]))"
        )
        yield opened


def dicts(seed: int, count: int) -> list[Held]:
    chance = random.Random(seed)
    letters = "abcdef"
    return [
        {c: chance.choice([None, chance.randrange(-9, 99)]) for c in chance.sample(letters, size)}
        for size in (chance.randrange(len(letters)) for _ in range(count))
    ]


def constructor(held: Held) -> str:
    entries = (f"'{key}': {'NULL' if v is None else v}" for key, v in held.items())
    return f"MAP {{{', '.join(entries)}}}::map(varchar, int)"


def text(held: Held) -> str:
    shown = (f"{key}:{'NULL' if v is None else v}" for key, v in held.items())
    return f"{{{','.join(shown)}}}"


def test_functions_do_what_dicts_do(connection: Connection) -> None:
    for held, other in zip(dicts(1, 12), dicts(2, 12), strict=True):
        m, o = constructor(held), constructor(other)
        without = {key: v for key, v in held.items() if key != "a"}
        expected = (
            text(held),
            list(held),
            list(held.values()),
            [f"({key},{'' if v is None else v})" for key, v in held.items()],
            len(held),
            held.get("a"),
            "a" in held,
            text(held | other),
            text(held | {"a": 7}),
            text(without),
            held,
        )
        found = connection.execute(
            f"SELECT {m}::text, map_keys({m}), map_values({m}), map_entries({m})::varchar[],"
            f" cardinality({m}), ({m})['a'], map_contains({m}, 'a'), map_cat({m}, {o})::text,"
            f" map_insert({m}, 'a', 7)::text, map_delete({m}, 'a')::text, to_jsonb({m})"
        ).fetchall()
        assert found == [expected]


def test_tables_and_views_keep_them(connection: Connection) -> None:
    connection.execute(
        "CREATE MATERIALIZED VIEW mv AS SELECT m['a'] AS a, count(*) AS n,"
        " sum(map_length(m)) AS s FROM t GROUP BY m['a']"
    )
    kept = dict(enumerate(dicts(3, 20)))
    for key, held in kept.items():
        connection.execute(
            f"INSERT INTO t VALUES ({key}, {constructor(held)}, MAP {{{key}: ['x']}})"
        )
    for key in (3, 7):
        del kept[key]
        connection.execute("DELETE FROM t WHERE k = %s", (key,))
    connection.execute("UPDATE t SET m = map_insert(m, 'a', 5) WHERE k < 5")
    kept = {key: held | {"a": 5} if key < 5 else held for key, held in kept.items()}
    found = connection.execute("SELECT k, to_jsonb(m), m, n FROM t ORDER BY k").fetchall()
    assert found == [(k, held, text(held), f"{{{k}:{{x}}}}") for k, held in kept.items()]
    groups: dict[int | None, list[Held]] = {}
    for held in kept.values():
        groups.setdefault(held.get("a"), []).append(held)
    expected = {(a, len(all_), sum(map(len, all_))) for a, all_ in groups.items()}
    assert set(connection.execute("SELECT a, n, s::int FROM mv").fetchall()) == expected
    assert connection.execute("CHECK MATERIALIZED VIEW mv").fetchall() == []


def test_what_is_no_map_is_refused(connection: Connection) -> None:
    for expression, state in (
        ("MAP {'a': 1, 'a': 2}", "22023"),
        ("MAP {NULL: 1}", "22023"),
        ("MAP {}", "22023"),
        ("map_from_key_values(ARRAY[1, 2], ARRAY[1])", "22023"),
        ("NULL::map(float8, int)", "22023"),
        ("map_from_entries(ARRAY[1])", "22023"),
        ("MAP {1: 2} = MAP {1: 2}", "42883"),
        ("MAP {1: 2", "42601"),
        ("{1: 2}", "42601"),
    ):
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(f"SELECT {expression}")
        assert caught.value.sqlstate == state, expression


def test_entries_make_the_map_again(connection: Connection) -> None:
    for held in dicts(4, 6):
        m = constructor(held)
        found = connection.execute(
            f"SELECT map_from_entries(map_entries({m}))::text,"
            f" map_from_key_values(map_keys({m}), map_values({m}))::text, to_jsonb({m})::text"
        ).fetchall()
        assert found[0][:2] == (text(held), text(held))
        assert json.loads(found[0][2]) == held
