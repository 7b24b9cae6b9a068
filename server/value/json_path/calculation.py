"""Arithmetic of numerics, with as many digits as PostgreSQL's has."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Final

from catalog.errors import DivisionByZero

_PRECISION: Final = 2000
_DIGITS_MIN: Final = 16
_SCALE_MAX: Final = 1000
#: PostgreSQL computes in groups of so many decimal digits.
_GROUP: Final = 4


def calculated(operator: str, a: Decimal, b: Decimal) -> Decimal:
    """Return ``a operator b``.

    Raises:
        DivisionByZero: It is by zero.
    """
    with localcontext() as context:
        context.prec = _PRECISION
        match operator:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "%":
                return a % _divisor(b)
            case _:
                quotient = a / _divisor(b)
        return quotient.quantize(Decimal(1).scaleb(-_scale(a, b)), ROUND_HALF_UP)


def _divisor(number: Decimal) -> Decimal:
    if not number:
        raise DivisionByZero("division by zero")
    return number


def _scale(a: Decimal, b: Decimal) -> int:
    """Return how many digits after the point a quotient has (select_div_scale of PostgreSQL)."""
    (weight_a, first_a), (weight_b, first_b) = _group(a), _group(b)
    weight = weight_a - weight_b - (first_a <= first_b)
    scale = max(_DIGITS_MIN - weight * _GROUP, _places(a), _places(b), 0)
    return min(scale, _SCALE_MAX)


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def _group(number: Decimal) -> tuple[int, int]:
    """Return the place of the first group of digits that is not zero, and the group."""
    if not number:
        return 0, 0
    weight = number.adjusted() // _GROUP
    return weight, int(abs(number).scaleb(-weight * _GROUP))
