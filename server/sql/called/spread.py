"""Deviations and variances of numerics from exact sums, with the digits that PostgreSQL gives."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Final, NamedTuple

from server.sql.called.python_function import called

#: As ``server.sql.functions.spread`` cuts numbers.
LIMB_BASE: Final = 10**14
#: Digits that count in a quotient at least, and in a group of them.
_DIGITS_MIN: Final = 16
_GROUP_DIGITS: Final = 4


class _Sums(NamedTuple):
    """How many numbers there are, their sum and that of their squares."""

    rows: int
    total: int
    squares: int


def spread(name: str, scale: int, shown: int, sums: Sequence[str | None]) -> str | None:
    """Return a deviation or variance as text; None where there are too few values.

    Args:
        name: As the engine has it: VAR_POP and its like.
        scale: By which power of ten the sums' numbers are larger than the values.
        shown: The digits after the point that the values have, or -1: those that matter.
        sums: How many values there are; the sums of their limbs, from the lowest; and those of the
            products of two.
    """
    count = int(sums[0] or 0)
    if not count:
        return None
    numbers = [int(item or 0) for item in sums[1:]]
    limbs = next(n for n in (1, 2, 3) if n + n * (n + 1) // 2 == len(numbers))
    total = sum(number * LIMB_BASE**place for place, number in enumerate(numbers[:limbs]))
    products = iter(numbers[limbs:])
    squares = 0
    for one in range(limbs):
        for other in range(one, limbs):
            weight = 1 if one == other else 2
            squares += weight * next(products) * LIMB_BASE ** (one + other)
    return _of_sums(name, scale, shown, _Sums(count, total, squares))


def spread_of(name: str, scale: int, shown: int, values: Sequence[str | None]) -> str | None:
    """Return the same of the values themselves, as many times as large."""
    numbers = [int(value) for value in values if value is not None]
    squares = sum(number * number for number in numbers)
    return _of_sums(name, scale, shown, _Sums(len(numbers), sum(numbers), squares))


def _of_sums(name: str, scale: int, shown: int, sums: _Sums) -> str | None:
    count, total, squares = sums
    is_sample = name.endswith("SAMP")
    if count < (2 if is_sample else 1):
        return None
    numerator = count * squares - total * total
    if numerator <= 0:
        return "0"
    denominator = count * (count - 1 if is_sample else count)
    if shown < 0:
        shown = max(scale - _zeros(total, scale), scale - _zeros(squares, 2 * scale) // 2)
    digits = _result_scale(numerator, 2 * scale, denominator, 2 * shown)
    variance = _rounded(numerator * 10**digits, denominator * 10 ** (2 * scale))
    if name.startswith("VAR"):
        return _text(variance, digits)
    square = variance * 10**digits
    root = isqrt(square)
    return _text(root + (square - root * root > root), digits)


def _zeros(number: int, most: int) -> int:
    """Return how many zeros a number ends with, counted up to as many."""
    found = 0
    while found < most and number % 10 ** (found + 1) == 0:
        found += 1
    return found


def _result_scale(numerator: int, scale: int, denominator: int, shown: int) -> int:
    """Return the scale of a quotient as PostgreSQL chooses it (numeric.c, select_div_scale)."""
    padding = -scale % _GROUP_DIGITS
    groups, first = _leading(numerator * 10**padding)
    weight = groups - (scale + padding) // _GROUP_DIGITS
    other_groups, other_first = _leading(denominator)
    weight -= other_groups + (first <= other_first)
    return max(_DIGITS_MIN - weight * _GROUP_DIGITS, shown, 0)


def _leading(number: int) -> tuple[int, int]:
    """Return how many groups of four digits a number has, and the first of them."""
    text = str(number)
    groups = -(-len(text) // _GROUP_DIGITS)
    return groups, int(text[: len(text) - (groups - 1) * _GROUP_DIGITS])


def _rounded(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def _text(number: int, scale: int) -> str:
    text = str(number).rjust(scale + 1, "0")
    return f"{text[:-scale]}.{text[-scale:]}" if scale else text


CALLED: Final = (
    called(
        "tg_spread",
        spread,
        ("VARCHAR", "INTEGER", "INTEGER", "VARCHAR[]"),
        "VARCHAR",
        gives_null=True,
    ),
    called(
        "tg_spread_of",
        spread_of,
        ("VARCHAR", "INTEGER", "INTEGER", "VARCHAR[]"),
        "VARCHAR",
        gives_null=True,
    ),
)
