"""rw_int256 calculates as Python's integers do, within its 256 bits, wherever it goes."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable

import psycopg
import pytest

from tests.support.server import Address

LIMIT = 1 << 255
#: Where carries, signs and widths change.
EDGES = [0, 1, -1, 2, 10**16, -(10**32), 1 << 127, -(1 << 128), LIMIT - 1, -LIMIT]


def towards_zero(left: int, right: int) -> int:
    found = abs(left) // abs(right)
    return found if (left < 0) == (right < 0) else -found


def remainder(left: int, right: int) -> int:
    return left - towards_zero(left, right) * right


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": towards_zero,
    "%": remainder,
}


def state(symbol: str, left: int, right: int) -> str:
    """Return the SQLSTATE of an operation: what must be told of what is no number of 256 bits."""
    if right == 0 and symbol in "/%":
        return "22012"
    return "00000" if -LIMIT <= OPERATIONS[symbol](left, right) < LIMIT else "22003"


def numbers(seed: int) -> list[int]:
    chance = random.Random(seed)
    return [*EDGES, *(chance.randrange(-(1 << b), 1 << b) for b in range(8, 256, 31))]


def test_arithmetic_and_order_are_those_of_integers(database: Address) -> None:
    values = numbers(1)
    pairs = [(a, b) for a in values for b in values]
    with database.connect() as connection:
        connection.execute("CREATE TABLE pairs (n int PRIMARY KEY, a rw_int256, b rw_int256)")
        with connection.cursor() as cursor, cursor.copy("COPY pairs FROM STDIN") as copy:
            for n, (a, b) in enumerate(pairs):
                copy.write_row((n, a, b))
        for symbol, calculate in OPERATIONS.items():
            states = {n: state(symbol, a, b) for n, (a, b) in enumerate(pairs)}
            for refused in ("22012", "22003"):
                failing = [n for n in states if states[n] == refused][::9]
                for n in failing:
                    query = f"SELECT a {symbol} b FROM pairs WHERE n = {n}"
                    result = connection.pgconn.exec_(query.encode())
                    assert (
                        result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == refused.encode()
                    )
            fitting = [n for n in states if states[n] == "00000"]
            listed = ", ".join(map(str, fitting))
            query = f"SELECT n, a {symbol} b FROM pairs WHERE n IN ({listed}) ORDER BY n"
            result = connection.pgconn.exec_(query.encode())
            assert result.ntuples == len(fitting), result.error_message
            for row, n in enumerate(fitting):
                assert int(result.get_value(row, 1) or b"") == calculate(*pairs[n])
        order = connection.execute("SELECT a::text FROM pairs ORDER BY pairs.a, n").fetchall()
        assert [int(a) for (a,) in order] == sorted(a for a, _ in pairs)
        compared = connection.execute("SELECT a < b, a = b FROM pairs ORDER BY n").fetchall()
        assert compared == [(a < b, a == b) for a, b in pairs]


@pytest.mark.parametrize("is_binary", [False, True])
def test_values_come_back_as_they_went(database: Address, *, is_binary: bool) -> None:
    values = numbers(2)
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (n int, a rw_int256, l rw_int256[])")
        for n, value in enumerate(values):
            connection.execute("INSERT INTO t VALUES (%s, %s, %s)", [n, str(value), f"{{{value}}}"])
        cursor = connection.cursor(binary=is_binary)
        found = cursor.execute("SELECT a, l FROM t ORDER BY n").pgresult
        assert found is not None
        assert found.ftype(0) == 1301
        for n, value in enumerate(values):
            image = found.get_value(n, 0)
            assert image is not None
            shown = int.from_bytes(image, "big", signed=True) if is_binary else int(image)
            assert shown == value
        assert connection.execute("SELECT sum(l[1]) = sum(a) FROM t").fetchall() == [(True,)]


def test_views_follow_sums_and_extremes(database: Address) -> None:
    chance = random.Random(3)
    rows: dict[int, tuple[int, int]] = {}
    with database.connect() as connection:
        connection.execute("CREATE TABLE t (n int PRIMARY KEY, g int, a rw_int256)")
        connection.execute(
            "CREATE MATERIALIZED VIEW m AS SELECT g, sum(a) AS s, min(a) AS low, max(a) AS high,"
            " count(DISTINCT a) AS d FROM t GROUP BY g"
        )
        for _ in range(12):
            n, g, a = (
                chance.randrange(9),
                chance.randrange(2),
                chance.randrange(-(1 << 200), 1 << 200),
            )
            if n in rows and chance.random() < 0.5:
                del rows[n]
                connection.execute("DELETE FROM t WHERE n = %s", [n])
            else:
                rows[n] = (g, a)
                connection.execute("INSERT INTO t VALUES (%s, %s, %s)", [n, g, str(a)])
            groups = {g: [a for h, a in rows.values() if h == g] for g, _ in rows.values()}
            expected = [
                (g, str(sum(held)), str(min(held)), str(max(held)), len(set(held)))
                for g, held in sorted(groups.items())
            ]
            query = "SELECT g, s::text, low::text, high::text, d FROM m ORDER BY g"
            assert connection.execute(query).fetchall() == expected


def test_texts_and_casts(database: Address) -> None:
    with database.connect() as connection:
        queries = (
            ("hex_to_int256('0x11')", "17"),
            (f"hex_to_int256('0x{'f' * 62}01')", "-255"),
            (f"hex_to_int256('0x8{'0' * 63}')", str(-LIMIT)),
            ("abs('-5'::rw_int256) + 1", "6"),
            ("1::rw_int256 / 2", "0"),
            ("pg_typeof(1::rw_int256 / 2)", "rw_int256"),
            ("1::rw_int256 / 2::float8", "0.5"),
            ("avg(a) FROM (VALUES (1::rw_int256), (2)) AS v(a)", "1.5"),
            ("' +0012 '::rw_int256", "12"),
            ("to_jsonb(12::rw_int256)", '"12"'),
        )
        for query, text in queries:
            result = connection.pgconn.exec_(f"SELECT {query}".encode())
            assert result.get_value(0, 0) == text.encode(), (query, result.error_message)
        refused = (
            ("'1.5'::rw_int256", "22P02"),
            (f"'{LIMIT}'::rw_int256", "22003"),
            (f"(-({-LIMIT}::text::rw_int256))".replace(str(-LIMIT), f"'{-LIMIT}'"), "22003"),
            ("hex_to_int256('11')", "22P02"),
            ("1::rw_int256::numeric", "42846"),
            ("1::rw_int256 + 1.5", "42883"),
        )
        for query, sqlstate in refused:
            with pytest.raises(psycopg.Error) as caught:
                connection.execute(f"SELECT {query}")
            assert caught.value.sqlstate == sqlstate, query
