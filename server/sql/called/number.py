"""Functions of numbers that the engine lacks (PostgreSQL 15, chapter 9.3).

Trigonometry in degrees is exact where angles are whole multiples of 30 or 45: the arguments are
brought into the first quadrant and the functions are scaled there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from barrier.prelude import PythonFunction
from catalog.errors import NumericOutOfRange
from server.sql.called.python_function import called

_RADIAN: Final = math.pi / 180
_SIN_30: Final = math.sin(30 * _RADIAN)
_ONE_MINUS_COS_60: Final = 1 - math.cos(60 * _RADIAN)
_ASIN_HALF: Final = math.asin(0.5)
_ACOS_HALF: Final = math.acos(0.5)
_ATAN_ONE: Final = math.atan(1)


def _checked(x: float) -> float:
    if math.isinf(x):
        raise NumericOutOfRange("input is out of range")
    return x


def _sin_to_30(x: float) -> float:
    return (math.sin(x * _RADIAN) / _SIN_30) / 2


def _cos_to_60(x: float) -> float:
    return 1 - ((1 - math.cos(x * _RADIAN)) / _ONE_MINUS_COS_60) / 2


def _sin_to_90(x: float) -> float:
    return _sin_to_30(x) if x <= 30 else _cos_to_60(90 - x)


def _cos_to_90(x: float) -> float:
    return _cos_to_60(x) if x <= 60 else _sin_to_30(90 - x)


def sind(x: float) -> float:
    """Return the sine of an angle in degrees."""
    if math.isnan(x):
        return x
    x, sign = math.fmod(_checked(x), 360), 1
    if x < 0:
        x, sign = -x, -1
    if x > 180:
        x, sign = 360 - x, -sign
    return sign * _sin_to_90(180 - x if x > 90 else x)


def cosd(x: float) -> float:
    """Return the cosine of an angle in degrees."""
    if math.isnan(x):
        return x
    x, sign = abs(math.fmod(_checked(x), 360)), 1
    x = 360 - x if x > 180 else x
    if x > 90:
        x, sign = 180 - x, -1
    return sign * _cos_to_90(x)


def tand(x: float) -> float:
    """Return the tangent of an angle in degrees."""
    if math.isnan(x):
        return x
    x, sign = _folded(x)
    return _signed(_quotient(_sin_to_90(x), _cos_to_90(x)) / _TAN_45, sign)


def cotd(x: float) -> float:
    """Return the cotangent of an angle in degrees."""
    if math.isnan(x):
        return x
    if x == 0:
        return math.copysign(math.inf, x)
    x, sign = _folded(x)
    return _signed(_quotient(_cos_to_90(x), _sin_to_90(x)) / _COT_45, sign)


def _signed(value: float, sign: int) -> float:
    found = sign * value
    return 0.0 if found == 0 else found


def _folded(x: float) -> tuple[float, int]:
    """Return an angle of the first quadrant with the same tangent, but for the sign."""
    x, sign = math.fmod(_checked(x), 360), 1
    if x < 0:
        x, sign = -x, -1
    if x > 180:
        x, sign = 360 - x, -sign
    if x > 90:
        x, sign = 180 - x, -sign
    return x, sign


def _quotient(a: float, b: float) -> float:
    return a / b if b != 0 else math.inf


_TAN_45: Final = _sin_to_90(45) / _cos_to_90(45)
_COT_45: Final = _cos_to_90(45) / _sin_to_90(45)


def _asin_first(x: float) -> float:
    if x <= 0.5:
        return (math.asin(x) / _ASIN_HALF) * 30
    return 90 - (math.acos(x) / _ACOS_HALF) * 60


def _acos_first(x: float) -> float:
    if x <= 0.5:
        return 90 - (math.asin(x) / _ASIN_HALF) * 30
    return (math.acos(x) / _ACOS_HALF) * 60


def _is_outside(x: float) -> bool:
    if math.isnan(x):
        return True
    if not -1 <= x <= 1:
        raise NumericOutOfRange("input is out of range")
    return False


def asind(x: float) -> float:
    """Return the inverse sine in degrees."""
    if _is_outside(x):
        return x
    return _asin_first(x) if x >= 0 else -_asin_first(-x)


def acosd(x: float) -> float:
    """Return the inverse cosine in degrees."""
    if _is_outside(x):
        return x
    return _acos_first(x) if x >= 0 else 90 + _asin_first(-x)


def atand(x: float) -> float:
    """Return the inverse tangent in degrees."""
    return (math.atan(x) / _ATAN_ONE) * 45


def atan2d(y: float, x: float) -> float:
    """Return the inverse tangent of ``y / x`` in degrees."""
    return (math.atan2(y, x) / _ATAN_ONE) * 45


def gamma(x: float) -> float:
    """Return the gamma function, as PostgreSQL 18 has it."""
    if math.isnan(x) or x == math.inf:
        return x
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        raise NumericOutOfRange("value out of range: overflow")
    try:
        found = math.gamma(x)
    except OverflowError:
        raise NumericOutOfRange("value out of range: overflow") from None
    if found == 0:
        raise NumericOutOfRange("value out of range: underflow")
    return found


def lgamma(x: float) -> float:
    """Return the logarithm of the gamma function's absolute value, as PostgreSQL 18 has it."""
    if math.isnan(x):
        return x
    if math.isinf(x):
        return math.inf
    if x <= 0 and x == math.floor(x):
        raise NumericOutOfRange("value out of range: overflow")
    try:
        return math.lgamma(x)
    except OverflowError:
        raise NumericOutOfRange("value out of range: overflow") from None


def approximate(x: float, allowed: float) -> float:
    """Return what stands for a number and all whose relative error from it is no more than that.

    Numbers are in buckets, each wider than the one before by the same factor.
    """
    if x == 0:
        return 0.0
    base = (1 + allowed) / (1 - allowed)
    if not math.isfinite(x):
        return x
    bucket = math.ceil(math.log(abs(x)) / math.log(base))
    return math.copysign(2 * _power(base, bucket) / (base + 1), x)


def _power(base: float, exponent: int) -> float:
    """Return a power by squaring, whose last digits are not those of ``pow``."""
    result, left = 1.0, abs(exponent)
    while True:
        if left & 1:
            result *= base
        left >>= 1
        if not left:
            return 1 / result if exponent < 0 else result
        base *= base


def _of_one(name: str, function: Callable[[float], float]) -> PythonFunction:
    return called(f"tg_{name}", function, ("DOUBLE",), "DOUBLE")


CALLED: Final = (
    _of_one("sind", sind),
    _of_one("cosd", cosd),
    _of_one("tand", tand),
    _of_one("cotd", cotd),
    _of_one("asind", asind),
    _of_one("acosd", acosd),
    _of_one("atand", atand),
    called("tg_atan2d", atan2d, ("DOUBLE", "DOUBLE"), "DOUBLE"),
    called("tg_approximate", approximate, ("DOUBLE", "DOUBLE"), "DOUBLE"),
    _of_one("gamma", gamma),
    _of_one("lgamma", lgamma),
)
