"""What operations on numerics give where one is NaN or infinite (PostgreSQL 15, chapter 8.1.2).

DuckDB calls these functions for the few rows that have such an operand somewhere in an expression;
the others of the expression's operations may then still be ones on numbers alone. Roots, powers
and logarithms are here for all numbers: the engine has them for floats alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Final

from catalog.errors import DivisionByZero, FeatureNotSupported, NumericOutOfRange, PgError
from catalog.special_numeric import Special, is_number, special_of_stored, without_room
from catalog.sqlstate import SqlState

_EXACT: Final = Context(prec=160, rounding=ROUND_HALF_UP, Emax=9999, Emin=-9999, traps=[])
#: Of what has no end: far more digits than a numeric shows.
_IRRATIONAL: Final = Context(prec=80, rounding=ROUND_HALF_UP, Emax=9999, Emin=-9999, traps=[])
_NAN: Final = Decimal("NaN")
_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)

_CODES: Final = {
    Special.NAN: 1 << 62,
    Special.INFINITY: 1 << 31,
    Special.MINUS_INFINITY: 1,
}


def of_one(operation: str, scale: int, operand: str) -> str:
    """Return the result of an operation; see ``_result``."""
    return _result(operation, scale, operand)


def of_two(operation: str, scale: int, left: str, right: str) -> str:
    """Return the result of an operation on two numerics; see ``_result``."""
    return _result(operation, scale, left, right)


def of_four(operation: str, scale: int, a: str, b: str, c: str, d: str) -> str:  # noqa: PLR0917
    """Return the result of an operation on four numerics; see ``_result``."""
    return _result(operation, scale, a, b, c, d)


def _result(operation: str, scale: int, *operands: str) -> str:
    """Return the result of an operation as a text.

    Args:
        operation: A name of ``_TEXTS`` or ``_OPERATIONS``, ``total``, or ``declared`` with a
            precision and a scale.
        scale: Of the result, if it is a numeric.
        operands: Stored numerics; one that cannot be special has ``=`` before it.

    Raises:
        PgError: The operation has no result.
    """
    if operation == "total":
        return _total(int(operands[0]), scale)
    # In this context nothing is rounded, and a comparison with NaN is false.
    with localcontext(_EXACT):
        name, *modifiers = operation.split(" ")
        if name == "declared":
            return _declared(_decoded(operands[0]), *map(int, modifiers))
        if operation in _TEXTS:
            return _TEXTS[operation](_decoded(operands[0]))
        return _stored(_OPERATIONS[operation](list(map(_decoded, operands))), scale)


def _decoded(text: str) -> Decimal:
    if text.startswith("="):
        return Decimal(text[1:])
    return Decimal(special_of_stored(text) or text)


def _stored(value: Decimal, scale: int) -> str:
    if not value.is_finite():
        return Special(_word(value)).stored(scale)
    quantum = _ONE.scaleb(-scale)
    rounded = value.quantize(quantum)
    if rounded.is_nan() or not is_number(rounded, scale):
        raise NumericOutOfRange("numeric field overflow")
    return format(rounded, "f")


def _digits(value: Decimal) -> str:
    """Return the text with all digits of the scale."""
    if value.is_nan():
        return Special.NAN
    if value.is_infinite():
        return Special.INFINITY if value > 0 else Special.MINUS_INFINITY
    return format(value, "f")


def _word(value: Decimal) -> str:
    """Return the text without zeros at its end."""
    text = _digits(value)
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _json(value: Decimal) -> str:
    return _word(value) if value.is_finite() else f'"{_word(value)}"'


def _whole_number(type_name: str, value: Decimal) -> str:
    if value.is_nan():
        raise FeatureNotSupported(f"cannot convert NaN to {type_name}")
    if value.is_infinite():
        raise FeatureNotSupported(f"cannot convert infinity to {type_name}")
    return format(value.quantize(_ONE), "f")


def _declared(value: Decimal, precision: int, scale: int) -> str:
    """Return a value for a numeric with a precision, where only numbers have room."""
    if value.is_nan() or value.is_infinite():
        raise without_room(Special(_digits(value)), precision, scale)
    return format(value, "f")


def _code(value: Decimal) -> str:
    """Return what is summed to know which specials there were: see ``_total``."""
    return "0" if value.is_finite() else str(_CODES[Special(_word(value))])


def _finite(value: Decimal) -> str:
    return format(value, "f") if value.is_finite() else "0"


def _total(codes: int, scale: int) -> str:
    """Return the sum of specials from the sum of their codes; empty if there were none."""
    if not codes:
        return ""
    positive = codes >= _CODES[Special.INFINITY]
    negative = codes % _CODES[Special.INFINITY] > 0
    if codes >= _CODES[Special.NAN] or (positive and negative):
        return Special.NAN.stored(scale)
    return (Special.INFINITY if positive else Special.MINUS_INFINITY).stored(scale)


def _divide(a: Decimal, b: Decimal) -> Decimal:
    if a.is_nan() or b.is_nan():
        return _NAN
    if not b:
        raise DivisionByZero.plain()
    return a / b


def _quotient(a: Decimal, b: Decimal) -> Decimal:
    found = _divide(a, b)
    return _truncated(found) if found.is_finite() else found


def _remainder(a: Decimal, b: Decimal) -> Decimal:
    if a.is_nan() or b.is_nan():
        return _NAN
    if not b:
        raise DivisionByZero.plain()
    return a % b


def _truncated(value: Decimal, places: int = 0) -> Decimal:
    return _rounded(value, places, ROUND_CEILING if value < 0 else ROUND_FLOOR)


def _rounded(value: Decimal, places: int, rounding: str) -> Decimal:
    if not value.is_finite():
        return value
    # More places than a value has change nothing.
    quantum = _ONE.scaleb(-max(min(places, 40), -40))
    return value.quantize(quantum, rounding=rounding)


def _sign(value: Decimal) -> Decimal:
    if value.is_nan():
        return value
    return _ONE.copy_sign(value) if value else _ZERO


def _sqrt(value: Decimal) -> Decimal:
    if value < 0:
        raise _error(
            SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "cannot take square root of a negative number",
        )
    return value if not value.is_finite() else value.sqrt(_IRRATIONAL)


def _in_format(value: Decimal) -> Decimal:
    """Refuse what a finite number becomes infinite by."""
    if value.is_infinite():
        raise NumericOutOfRange("value overflows numeric format")
    return value


def _exp(value: Decimal) -> Decimal:
    if value.is_infinite():
        return value if value > 0 else _ZERO
    return _in_format(value.exp(_IRRATIONAL))


def _positive(value: Decimal) -> Decimal:
    if value < 0:
        what = "a negative number"
    elif not value:
        what = "zero"
    else:
        return value
    raise _error(SqlState.INVALID_ARGUMENT_FOR_LOGARITHM, f"cannot take logarithm of {what}")


def _ln(value: Decimal) -> Decimal:
    return value if value.is_nan() else _positive(value).ln(_IRRATIONAL)


def _log10(value: Decimal) -> Decimal:
    return value if value.is_nan() else _positive(value).log10(_IRRATIONAL)


def _log(base: Decimal, value: Decimal) -> Decimal:
    if base.is_nan() or value.is_nan():
        return _NAN
    if base.is_infinite() or value.is_infinite():
        _positive(min(base, value))
    _positive(base)
    _positive(value)
    if base.is_infinite():
        return _NAN if value.is_infinite() else _ZERO
    if value.is_infinite():
        return value
    divisor = base.ln(_IRRATIONAL)
    if not divisor:
        raise DivisionByZero.plain()
    return value.ln(_IRRATIONAL) / divisor


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if base == 1 or (not exponent and not exponent.is_nan()):
        return _ONE
    if base.is_nan() or exponent.is_nan():
        return _NAN
    if not base and exponent < 0:
        raise _power_error("zero raised to a negative power is undefined")
    is_whole = exponent.is_infinite() or exponent == exponent.to_integral_value()
    if base < 0 and not is_whole:
        raise _power_error(
            "a negative number raised to a non-integer power yields a complex result"
        )
    if exponent.is_infinite():
        return _power_of_infinity(abs(base), is_growing=exponent > 0)
    if base.is_infinite():
        if exponent < 0:
            return _ZERO
        is_odd = abs(exponent) % 2 == 1
        return base if is_odd or base > 0 else -base
    return _in_format(_IRRATIONAL.power(base, exponent))


def _power_of_infinity(size: Decimal, *, is_growing: bool) -> Decimal:
    if size == 1:
        return _ONE
    return Decimal("Infinity") if (size > 1) == is_growing else _ZERO


def _power_error(message: str) -> PgError:
    return _error(SqlState.INVALID_ARGUMENT_FOR_POWER_FUNCTION, message)


def _bucket(operand: Decimal, low: Decimal, high: Decimal, count: Decimal) -> Decimal:
    wrong = None
    if count <= 0:
        wrong = "count must be greater than zero"
    elif operand.is_nan() or low.is_nan() or high.is_nan():
        wrong = "operand, lower bound, and upper bound cannot be NaN"
    elif low.is_infinite() or high.is_infinite():
        wrong = "lower and upper bounds must be finite"
    elif low == high:
        wrong = "lower bound cannot equal upper bound"
    if wrong is not None:
        raise _error(SqlState.INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, wrong)
    if low > high:
        operand, low, high = -operand, -low, -high
    if operand < low:
        return _ZERO
    if operand >= high:
        return count + 1
    return _truncated((operand - low) * count / (high - low)) + 1


def _error(state: SqlState, message: str) -> PgError:
    error = PgError(message)
    error.sqlstate = state  # type: ignore[misc]  # The condition has no class of its own.
    return error


def _one(function: Callable[[Decimal], Decimal]) -> Callable[[Sequence[Decimal]], Decimal]:
    return lambda operands: function(operands[0])


def _two(
    function: Callable[[Decimal, Decimal], Decimal],
) -> Callable[[Sequence[Decimal]], Decimal]:
    return lambda operands: function(operands[0], operands[1])


_TEXTS: Final[dict[str, Callable[[Decimal], str]]] = {
    "text": _word,
    "digits": _digits,
    "json": _json,
    "code": _code,
    "finite": _finite,
    **{
        name: (lambda value, name=name: _whole_number(name, value))  # type: ignore[misc]
        for name in ("smallint", "integer", "bigint")
    },
}

_OPERATIONS: Final[dict[str, Callable[[Sequence[Decimal]], Decimal]]] = {
    "numeric": _one(lambda a: a),
    "+": _two(operator.add),
    "-": _two(operator.sub),
    "*": _two(operator.mul),
    "/": _two(_divide),
    "%": _two(_remainder),
    "div": _two(_quotient),
    # With NaN or infinity, which is when this is asked.
    "gcd": _two(lambda _a, _b: Decimal("NaN")),
    "lcm": _two(lambda _a, _b: Decimal("NaN")),
    "power": _two(_power),
    "negation": _one(operator.neg),
    "abs": _one(abs),
    "sign": _one(_sign),
    "ceil": _one(lambda a: _rounded(a, 0, ROUND_CEILING)),
    "floor": _one(lambda a: _rounded(a, 0, ROUND_FLOOR)),
    "round": lambda operands: _rounded(operands[0], _places(operands), ROUND_HALF_UP),
    "trunc": lambda operands: _truncated(operands[0], _places(operands)),
    "sqrt": _one(_sqrt),
    "exp": _one(_exp),
    "ln": _one(_ln),
    "log": _one(_log10),
    "log_of": _two(_log),
    "width_bucket": lambda operands: _bucket(*operands),
}


def _places(operands: Sequence[Decimal]) -> int:
    return int(operands[1]) if len(operands) > 1 else 0
