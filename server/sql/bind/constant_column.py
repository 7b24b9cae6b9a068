"""A column of constants or parameters as values for the engine, read all at once.

What is not in the plainest form of its type (and what is wrong) is left to the binder of
expressions, which knows every form and every error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Final

from catalog.types import NUMERIC_PRECISION, NUMERIC_SCALE, PgType
from catalog.written_numeric import scale_code, stored_text
from server.sql.bind.result import CONSTANTS_FIRST, ParameterList

#: Integers, texts, floats, booleans and None; numerics, dates and timestamps are texts.
EngineValues = list[object]

_INTEGER_BITS: Final = {"int2": 16, "int4": 32, "int8": 64}
_NUMBER: Final = re.compile(r"-?[0-9]{1,300}(?:\.[0-9]+)?")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,6})?)?")


def engine_values(literals: Sequence[str], pg_type: PgType) -> EngineValues | None:
    """Return what the engine casts to a type; None if a literal needs to be looked at closer.

    Args:
        literals: As written: ``'it''s'``, ``-1.5``, ``NULL``, ``true``.
        pg_type: The column's type.
    """
    read = _READERS.get(pg_type.name)
    if read is None:
        return None
    try:
        return [None if x in _NULLS else read(x, pg_type) for x in literals]
    except (ValueError, OverflowError):
        return None


def parameter_list(
    written: Sequence[str],
    pg_type: PgType,
    known: Mapping[int, PgType | None],
    types: dict[int, PgType],
) -> ParameterList | None:
    """Return the list that parameters make; None if one of them needs to be looked at closer.

    Args:
        written: ``$1`` and its like.
        pg_type: The column's type.
        known: The types that parameters have already.
        types: Is given the types that the column gives to parameters.
    """
    if pg_type.name not in _LISTED or any(x[0] != "$" for x in written):
        return None
    if pg_type.name == "numeric" and pg_type.is_declared:
        return None  # What does not fit is told of one value, not of a list.
    numbers = tuple([int(x[1:]) for x in written])
    bare = pg_type if pg_type.length is None else replace(pg_type, length=None, is_declared=False)
    for number in numbers:
        given = known.get(number)
        if given is not None and not _is_alike(given, pg_type):
            return None
        if number in types or not 0 < number < CONSTANTS_FIRST:
            return None
        types[number] = bare if given is None or bare.carries_scale else given
    return ParameterList(numbers)


def is_plain(values: EngineValues | ParameterList, pg_type: PgType) -> bool:
    """Whether values are a column's as they are, in any session: nothing can be wrong with them."""
    return not isinstance(values, ParameterList) or (
        pg_type.name in _PLAIN and pg_type.length is None
    )


def _is_alike(given: PgType, pg_type: PgType) -> bool:
    """Whether values of a type are in a list what they are in a list of the other."""
    bits = _INTEGER_BITS.get(given.name, 0)
    return given.name == pg_type.name or 0 < bits < _INTEGER_BITS.get(pg_type.name, 0)


#: Types whose values are the same to the engine in a list as alone.
_LISTED: Final = frozenset(
    {"bool", "int2", "int4", "int8", "float8", "numeric", "text", "varchar", "uuid", "bytea"}
    | {"date", "timestamp", "timestamptz"}
)

#: Types whose values, as clients send them, the engine takes without a cast that can fail.
_PLAIN: Final = frozenset({"bool", "int2", "int4", "int8", "float8", "text", "varchar"})

_NULLS: Final = frozenset({"NULL", "null", "Null"})


def _integer(literal: str, pg_type: PgType) -> int:
    value = int(literal)
    if value.bit_length() >= _INTEGER_BITS[pg_type.name]:
        raise OverflowError
    return value


def _text(literal: str, pg_type: PgType) -> str:
    value = _unquoted(literal)
    if pg_type.length is not None and len(value) > pg_type.length:
        raise ValueError
    return value


def _unquoted(literal: str) -> str:
    if literal[0] != "'":
        raise ValueError
    value = literal[1:-1]
    return value.replace("''", "'") if "''" in value else value


def _numeric(literal: str, pg_type: PgType) -> str:
    """Return a number that fits without being rounded."""
    if _NUMBER.fullmatch(literal) is None:
        raise ValueError
    assert pg_type.precision is not None
    assert pg_type.scale is not None
    whole, _, fraction = literal.lstrip("-").partition(".")
    if pg_type.carries_scale:
        if len(fraction) > NUMERIC_SCALE or len(whole) + NUMERIC_SCALE >= NUMERIC_PRECISION:
            raise ValueError
        return stored_text(literal, scale_code(len(fraction)))
    if (
        len(whole) > pg_type.precision - pg_type.scale
        or len(fraction) > pg_type.scale
        or (pg_type.has_specials and len(whole) + len(fraction) == pg_type.precision)
    ):
        raise ValueError
    return literal


def _float(literal: str, _pg_type: PgType) -> float:
    if _NUMBER.fullmatch(literal) is None:
        raise ValueError
    value = float(literal)
    if math.isinf(value):
        raise OverflowError
    return value


def _boolean(literal: str, _pg_type: PgType) -> bool:
    match literal.lower():
        case "true":
            return True
        case "false":
            return False
        case _:
            raise ValueError


def _date(literal: str, _pg_type: PgType) -> str:
    value = _unquoted(_without_word(literal, "DATE"))
    if _DATE.fullmatch(value) is None:
        raise ValueError
    date.fromisoformat(value)
    return value


def _timestamp(literal: str, _pg_type: PgType) -> str:
    value = _unquoted(_without_word(literal, "TIMESTAMP"))
    if _TIMESTAMP.fullmatch(value) is None:
        raise ValueError
    datetime.fromisoformat(value)
    return value


def _without_word(literal: str, word: str) -> str:
    """Return a literal without the name of its type; that of another type is left."""
    return literal[len(word) :].lstrip() if literal[: len(word)].upper() == word else literal


_READERS: Final[dict[str, Callable[[str, PgType], object]]] = {
    **dict.fromkeys(_INTEGER_BITS, _integer),
    "text": _text,
    "varchar": _text,
    "numeric": _numeric,
    "float8": _float,
    "bool": _boolean,
    "date": _date,
    "timestamp": _timestamp,
}
