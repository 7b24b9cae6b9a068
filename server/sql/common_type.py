"""The type that several values have in common (PostgreSQL 15, chapter 10.5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from catalog.errors import CannotCoerce, DatatypeMismatch
from catalog.special_numeric import special_of_word
from catalog.types import (
    NUMERIC,
    NUMERIC_PRECISION,
    TEXT,
    PgType,
    array_of,
    computed_numeric,
    special_numeric,
)
from catalog.written_numeric import plain_type
from server.sql.casts import numeric_width
from server.sql.coercion import Coercion, can_coerce, is_preferred, without_bounds
from server.sql.literals import numeric_constant
from server.sql.typed import Typed

_NUMBER: Final = re.compile(r"\s*[+-]?[0-9]*\.[0-9]{1,30}\s*")

#: What a numeric and another number are both numerics of.
_EXACT: Final = frozenset({"int2", "int4", "int8", "numeric"})


def common_type(
    values: Sequence[Typed],
    what: str,
    *,
    at: Callable[[int], int | None] = lambda _: None,
    first: int = 0,
) -> PgType:
    """Return the type that all values are coerced to (chapter 10.5).

    Args:
        values: At least one.
        what: Who asks, as it begins the message: CASE, UNION, COALESCE, VALUES, ARRAY.
        at: Returns the position of a value by its index, for the message.
        first: The index of the value that the others are compared with; CASE begins with ELSE.

    Raises:
        DatatypeMismatch: There is none.
    """
    known = [(i, plain_type(value.type)) for i, value in enumerate(values) if not value.is_unknown]
    if not known:
        return TEXT
    known.sort(key=lambda indexed: indexed[0] != first)
    chosen = known[0][1]
    for i, other in known[1:]:
        wider = _wider(chosen, other)
        if wider is None:
            raise _cannot_match(what, chosen.bare, other.bare, at(i))
        chosen = wider
    if chosen.domain is not None and len(known) < len(values):
        chosen = chosen.bare
    if len(known) < len(values):
        # What takes the type from others has no modifier to agree with.
        chosen = without_bounds(chosen)
        if chosen.oid == NUMERIC.oid:
            chosen = _with_constants(chosen, values)
    for i, other in known:
        if not can_coerce(other, chosen, Coercion.IMPLICIT):
            place = what
            if what == "CASE":
                place = "CASE/ELSE" if i == first else "CASE/WHEN"
            raise CannotCoerce(
                f"{place} could not convert type {other.sql_name} to {chosen.sql_name}",
                position=at(i),
            )
    return chosen


def _with_constants(chosen: PgType, values: Sequence[Typed]) -> PgType:
    """Return the numeric that has room for the constants without a type too."""
    assert chosen.scale is not None
    for value in values:
        if not value.is_unknown or not (text := value.constant_text):
            continue
        if special_of_word(text) is not None:
            chosen = _merged_numeric(chosen, NUMERIC)
        elif _NUMBER.fullmatch(text):
            own = numeric_constant(Decimal(text)).type
            if own.scale is not None and own.scale > numeric_width(chosen)[1]:
                chosen = _merged_numeric(chosen, own)
    return chosen


def _wider(chosen: PgType, other: PgType) -> PgType | None:
    """Return the type of both, None if their categories differ."""
    if chosen == other:
        return chosen
    chosen, other = plain_type(chosen.bare), plain_type(other.bare)
    if chosen.oid == other.oid:
        return _merged(chosen, other)
    if chosen.element is not None and other.element is not None:
        element = _wider(chosen.element, other.element)
        # Arrays are of one category, whatever they are of.
        return chosen if element is None else array_of(element)
    if chosen.category != other.category:
        return None
    if NUMERIC.oid in (chosen.oid, other.oid) and {chosen.name, other.name} <= _EXACT:
        return _merged_numeric(chosen, other)
    if (
        not is_preferred(chosen)
        and can_coerce(chosen, other, Coercion.IMPLICIT)
        and not can_coerce(other, chosen, Coercion.IMPLICIT)
    ):
        return without_bounds(other)
    return without_bounds(chosen)


def _merged(chosen: PgType, other: PgType) -> PgType:
    """Return the type of two values of one base type that differ in modifiers."""
    if chosen.oid == NUMERIC.oid:
        return _merged_numeric(chosen, other)
    if chosen.element is not None and other.element is not None:
        if chosen.dimensions == other.dimensions:
            merged = array_of(_merged(chosen.element, other.element))
            depth = chosen.dimensions - 1
            return replace(merged, duckdb=merged.duckdb + "[]" * depth)
        return chosen
    return without_bounds(chosen)


def _merged_numeric(chosen: PgType, other: PgType) -> PgType:
    p1, s1 = numeric_width(chosen)
    p2, s2 = numeric_width(other)
    whole = max(p1 - s1, p2 - s2)
    scale = min(max(s1, s2), NUMERIC_PRECISION - min(whole, 22))
    keeps_scale = s1 == s2 and chosen.keeps_scale and other.keeps_scale
    if chosen.has_specials or other.has_specials:
        return special_numeric(scale, keeps_scale=keeps_scale)
    precision = min(whole + scale, NUMERIC_PRECISION)
    return computed_numeric(precision, scale, keeps_scale=keeps_scale)


def _cannot_match(
    what: str, first: PgType, second: PgType, position: int | None
) -> DatatypeMismatch:
    return DatatypeMismatch(
        f"{what} types {first.sql_name} and {second.sql_name} cannot be matched", position=position
    )
