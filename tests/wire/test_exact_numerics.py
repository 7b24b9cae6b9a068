"""Deviations, variances and roots of numerics are exact, in queries and in views that follow."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from tests.support.server import Connection

#: Digits after the point of a numeric without a declared scale.
STEP = Decimal(1).scaleb(-16)


def variance(values: list[Decimal], *, is_sample: bool) -> Fraction | None:
    count = len(values)
    if count < (2 if is_sample else 1):
        return None
    numbers = [Fraction(value) for value in values]
    mean = sum(numbers, Fraction(0)) / count
    squares = [(number - mean) ** 2 for number in numbers]
    return sum(squares, Fraction(0)) / (count - is_sample)


def tolerance(exact: Fraction) -> Fraction:
    """How far PostgreSQL rounds a variance: sixteen digits count, or are after the point.

    Its deviation has as many digits after the point.
    """
    whole = exact.numerator // exact.denominator
    return Fraction(max(STEP, Decimal(whole).scaleb(-15)))


def is_near(found: Decimal | None, exact: Fraction | None) -> bool:
    if exact is None or found is None:
        return exact is None and found is None
    return abs(Fraction(found) - exact) <= tolerance(exact)


def drawn(chance: random.Random, kind: str) -> Decimal:
    if kind == "bigint":
        return Decimal(chance.randint(-(10**10), 10**10))
    if kind == "integer":
        return Decimal(chance.randint(-(2**31), 2**31 - 1))
    scale = chance.choice([2, 4, 6]) if kind == "numeric" else 2
    return Decimal(chance.randint(-(10**12), 10**12)).scaleb(-scale)


@pytest.mark.parametrize("kind", ["integer", "bigint", "numeric(14,2)", "numeric"])
def test_spreads_are_those_of_the_values_as_rows_come_and_go(
    kind: str, connection: Connection
) -> None:
    chance = random.Random(kind)
    connection.execute(f"CREATE TABLE t (id int PRIMARY KEY, g int, v {kind})".encode())
    asked = "g, var_pop(v), var_samp(v), stddev_pop(v), variance(DISTINCT v)"
    connection.execute(f"CREATE MATERIALIZED VIEW m AS SELECT {asked} FROM t GROUP BY g".encode())
    held: dict[int, tuple[int, Decimal]] = {}
    for _ in range(4):
        for _ in range(12):
            key = chance.randrange(30)
            if key in held and chance.random() < 0.5:
                del held[key]
                connection.execute("DELETE FROM t WHERE id = %s", (key,))
            else:
                held[key] = chance.randrange(3), drawn(chance, kind)
                connection.execute("INSERT INTO t VALUES (%s, %s, %s)", (key, *held[key]))
        groups: dict[int, list[Decimal]] = {}
        for group, value in held.values():
            groups.setdefault(group, []).append(value)
        for source in (f"SELECT {asked} FROM t GROUP BY g", "SELECT * FROM m"):
            rows = connection.execute(source.encode()).fetchall()
            assert {row[0] for row in rows} == set(groups)
            for group, pop, samp, deviation, distinct in rows:
                values = groups[group]
                exact = variance(values, is_sample=False)
                assert is_near(pop, exact), (values, pop)
                assert is_near(samp, variance(values, is_sample=True)), (values, samp)
                assert exact is not None
                with localcontext(prec=60):
                    root = (Decimal(exact.numerator) / exact.denominator).sqrt()
                    assert Fraction(abs(deviation - root)) <= tolerance(exact)
                assert is_near(distinct, variance(list(set(values)), is_sample=True))


def test_roots_and_powers_have_all_their_digits(connection: Connection) -> None:
    chance = random.Random(11)
    with localcontext(prec=60):
        for _ in range(20):
            value = Decimal(chance.randint(1, 10**20)).scaleb(-chance.randrange(20))
            asked = "SELECT sqrt(%(v)s::numeric), ln(%(v)s::numeric), log(%(v)s::numeric), %(v)s::numeric ^ 0.75"
            found = connection.execute(asked, {"v": value}).fetchone()
            expected = (value.sqrt(), value.ln(), value.log10(), value ** Decimal("0.75"))
            assert found == tuple(item.quantize(STEP) for item in expected)


def test_a_whole_quotient_is_not_rounded_up(connection: Connection) -> None:
    chance = random.Random(12)
    for _ in range(20):
        left = Decimal(chance.randint(-(10**22), 10**22))
        right = Decimal(chance.randint(1, 10**22))
        asked = "SELECT div(%s::numeric, %s::numeric)"
        assert connection.execute(asked, (left, right)).fetchone() == (int(left / right),)
