"""What the possibility of NaN costs: nothing where it is none, and little where it is one."""

from __future__ import annotations

from functools import reduce
from typing import Final

import pytest
from sqlglot import exp

from catalog.special_numeric import Special, special_of_stored
from catalog.types import INT4, NUMERIC, PgType, numeric
from server.sql.functions.registry import resolve_aggregate, resolve_function
from server.sql.literals import number_literal
from server.sql.operators import binary, unary
from server.sql.typed import Typed

_DECLARED: Final = numeric(10, 2)


def column(name: str, pg_type: PgType) -> Typed:
    return Typed(exp.column(name), pg_type)


def test_what_is_declared_to_be_numbers_is_calculated_as_numbers() -> None:
    price, count = column("p", _DECLARED), column("n", INT4)
    total = binary("*", price, binary("-", number_literal("1.05"), binary("/", price, count)))
    for value in (
        total,
        unary("-", total),
        resolve_function("round", [total, number_literal("2")]),
        resolve_aggregate("sum", [total]),
        resolve_aggregate("avg", [count]),
        resolve_aggregate("stddev", [price]),
        resolve_function("coalesce", [price, number_literal("0")]),
    ):
        sql = value.tree.sql(dialect="duckdb").lower()
        assert "special" not in sql
        assert "abs" not in sql
        assert not value.type.has_specials


def test_an_expression_grows_with_the_number_of_its_operations() -> None:
    x = column("x", NUMERIC)
    sizes = []
    for count in (50, 100, 200):
        value = reduce(lambda sum_, _: binary("+", sum_, x), range(count), x)
        assert value.type.has_specials
        sizes.append(sum(1 for _ in value.tree.walk()))
    assert sizes[1] / sizes[0] < 2.1
    assert sizes[2] / sizes[1] < 2.1


def test_each_leaf_is_looked_at_once() -> None:
    x, y = column("x", NUMERIC), column("y", NUMERIC)
    value = binary("*", binary("+", x, y), binary("-", x, binary("*", y, x)))
    sql = value.tree.sql(dialect="duckdb")
    assert sql.count("ABS(x)") == sql.count("ABS(y)") == 1


@pytest.mark.parametrize("scale", [0, 1, 16, 20, 37])
@pytest.mark.parametrize("special", list(Special))
def test_what_stands_for_a_special_is_known_at_every_scale(special: Special, scale: int) -> None:
    assert special_of_stored(special.stored(scale)) is special
    assert special_of_stored(special.stored(scale)[:-1] + "1") is None
