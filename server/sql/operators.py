"""Operators: PostgreSQL's choice among them and what each is in DuckDB.

PostgreSQL 15, chapters 9.1 to 9.19 and 10.2. The pairs of types that an operator takes stand in
``operator_tables``; this module chooses among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.errors import (
    AmbiguousFunction,
    CannotCoerce,
    DatatypeMismatch,
    FeatureNotSupported,
    UndefinedFunction,
    WrongObjectType,
)
from catalog.types import (
    BIT,
    BOOL,
    BYTEA,
    CHAR,
    INT4,
    INT8,
    JSONB,
    TEXT,
    UNKNOWN,
    VARBIT,
    PgType,
    array_of,
)
from server.sql.casts import text_of
from server.sql.choice import NONE, Overloads, by_name
from server.sql.coercion import Coercion, can_coerce, coerce, parameters_reported_to
from server.sql.common_type import common_type
from server.sql.fragment import call, cast, fragment, string
from server.sql.json_operators import JSON_OPERATORS
from server.sql.jsonb_equality import equal_form
from server.sql.modifier import without_modifier
from server.sql.operator_tables import BINARY, COMPARISONS, UNARY
from server.sql.overload import Overload, apply
from server.sql.pattern import pattern_operator
from server.sql.record_comparison import comparable_records
from server.sql.typed import Typed

#: What is raised where no operator fits its operands; the binder knows where that was written.
OPERATOR_ERRORS: Final = (UndefinedFunction, AmbiguousFunction, WrongObjectType)

_HINT: Final = (
    "No operator matches the given name and argument types. "
    "You might need to add explicit type casts."
)
_PATTERN_SYMBOLS: Final = frozenset(
    {"~~", "!~~", "~~*", "!~~*", "~", "~*", "!~", "!~*", "similar to"}
)
_SPELLINGS: Final = {
    "!=": "<>",
    "==": "=",
    "LIKE": "~~",
    "NOT LIKE": "!~~",
    "ILIKE": "~~*",
    "NOT ILIKE": "!~~*",
}


_BINARY: Final = by_name((*BINARY, *JSON_OPERATORS))
_UNARY: Final = by_name(UNARY)


def binary(symbol: str, left: Typed, right: Typed, *, position: int | None = None) -> Typed:
    """Return ``left symbol right``.

    Args:
        symbol: As PostgreSQL spells it; ``~~`` is LIKE; also AND, OR, IS [NOT] DISTINCT FROM.
        left: The left operand.
        right: The right operand.
        position: Of the operator.

    Raises:
        UndefinedFunction: No operator of that name takes such operands.
        AmbiguousFunction: Several do.
        DatatypeMismatch: An operand of AND or OR is not a boolean.
    """
    symbol = _SPELLINGS.get(symbol, symbol)
    if symbol in {"AND", "OR"}:
        sides = [boolean(side, symbol, position=position) for side in (left, right)]
        return Typed(fragment(f"_0 {symbol} _1", *(s.tree for s in sides)), BOOL)
    if symbol in _PATTERN_SYMBOLS and _are_texts(left, right):
        return pattern_operator(symbol, left, right, position=position)
    if symbol == "||" and (joined := _concatenated(left, right, position)) is not None:
        return joined
    if symbol in COMPARISONS and (left.type.is_row or right.type.is_row):
        pair = comparable_records(left, right, position=position)
        if pair is not None:
            return Typed(fragment(f"_0 {symbol} _1", *(side.tree for side in pair)), BOOL)
    if symbol in COMPARISONS and (left.type.is_array or right.type.is_array):
        left, right = _equal_forms(left, right)
    chosen = _choose(_BINARY.get(symbol, NONE), [left, right])
    if not chosen:
        sign = "=" if symbol.endswith("DISTINCT FROM") else symbol
        raise _undefined(f"{_name(left)} {sign} {_name(right)}", position)
    if len(chosen) > 1:
        raise _ambiguous(f"{_name(left)} {symbol} {_name(right)}", position)
    return apply(chosen[0], [left, right], position=position)


def unary(symbol: str, operand: Typed, *, position: int | None = None) -> Typed:
    """Return ``symbol operand``; also NOT.

    Raises:
        UndefinedFunction: No operator of that name takes such an operand.
        DatatypeMismatch: The operand of NOT is not a boolean.
    """
    if symbol == "NOT":
        return Typed(fragment("NOT _0", boolean(operand, "NOT", position=position).tree), BOOL)
    if symbol == "-" and (smallest := _smallest_integer(operand)) is not None:
        return smallest
    chosen = _UNARY.get(symbol, NONE).select([operand])
    if not chosen:
        raise _undefined(f"{symbol} {_name(operand)}", position)
    if len(chosen) > 1:
        raise _ambiguous(f"{symbol} {_name(operand)}", position)
    return apply(chosen[0], [operand], position=position)


def _smallest_integer(operand: Typed) -> Typed | None:
    """Return the constant whose positive counterpart is too large for its type, or None."""
    tree = operand.tree.this if isinstance(operand.tree, exp.Cast) else operand.tree
    if not isinstance(tree, exp.Literal):
        return None
    for limit, pg_type in ((1 << 31, INT4), (1 << 63, INT8)):
        if str(tree.this) == str(limit) and operand.type.name in {"int8", "numeric"}:
            return Typed(cast(string(str(-limit)), pg_type.duckdb), pg_type)
    return None


def like(
    symbol: str, left: Typed, right: Typed, escape: Typed, *, position: int | None = None
) -> Typed:
    """Return a LIKE with its own escape character; the symbol is as in ``binary``."""
    symbol = _SPELLINGS.get(symbol, symbol)
    if not _are_texts(left, right):
        raise _undefined(f"{_name(left)} {symbol} {_name(right)}", position)
    return pattern_operator(symbol, left, right, escape=escape, position=position)


def quantified(
    symbol: str, left: Typed, array: Typed, *, is_all: bool, position: int | None = None
) -> Typed:
    """Return ``left symbol ANY (array)``, or ALL.

    Raises:
        WrongObjectType: The right side is no array.
    """
    if array.is_unknown and not isinstance(array.tree, exp.Null):
        array = coerce(array, array_of(_wanted_on_the_right(symbol, left)), Coercion.IMPLICIT)
    if isinstance(array.tree, exp.Null):
        return Typed(fragment("CAST(NULL AS BOOLEAN)"), BOOL)
    if array.type.element is None:
        raise WrongObjectType("op ANY/ALL (array) requires array on right side", position=position)
    item = Typed(exp.column("item"), array.type.element)
    holder = None
    if any(side.tree.find(exp.Query) for side in (left, array)):
        # There are no subqueries inside of lambdas: they are computed before.
        holder = fragment("[{'l': _0, 'a': _1}]", left.tree, array.tree)
        left = Typed(fragment("STRUCT_EXTRACT(held, 'l')"), left.type)
        array = Typed(fragment("STRUCT_EXTRACT(held, 'a')"), array.type)
    compared = binary(symbol, left, item, position=position)
    if compared.type.oid != BOOL.oid:
        raise WrongObjectType(
            "op ANY/ALL (array) requires operator to yield boolean", position=position
        )
    name = "tg_all" if is_all else "tg_any"
    tree = fragment(f"{name}(LIST_TRANSFORM(_0, LAMBDA item : _1))", array.tree, compared.tree)
    if holder is not None:
        tree = fragment("LIST_TRANSFORM(_0, LAMBDA held : _1)[1]", holder, tree)
    return Typed(tree, BOOL)


def _wanted_on_the_right(symbol: str, left: Typed) -> PgType:
    """Return the type that an operator makes of what has none and stands right of a value."""
    found = [TEXT]
    operand = Typed(left.tree.copy(), left.type)
    with (
        parameters_reported_to(lambda _, pg_type: found.append(pg_type)),
        suppress(*OPERATOR_ERRORS),
    ):
        binary(symbol, operand, Typed(exp.Parameter(this=exp.Literal.number("0")), UNKNOWN))
    return found[-1]


def boolean(value: Typed, what: str, *, position: int | None = None) -> Typed:
    """Return a condition.

    Args:
        value: The condition.
        what: Whose argument it is, for the message: AND, WHERE, CASE/WHEN.
        position: Of the condition.

    Raises:
        DatatypeMismatch: It is not a boolean.
    """
    if not value.is_unknown and value.type.oid != BOOL.oid:
        raise DatatypeMismatch(
            f"argument of {what} must be type boolean, not type {value.type.sql_name}",
            position=position,
        )
    return coerce(value, BOOL, Coercion.IMPLICIT, position=position)


def _name(value: Typed) -> str:
    return value.type.display() if value.type.entry is not None else value.type.sql_name


def _undefined(what: str, position: int | None) -> UndefinedFunction:
    return UndefinedFunction(f"operator does not exist: {what}", hint=_HINT, position=position)


def _ambiguous(what: str, position: int | None) -> AmbiguousFunction:
    return AmbiguousFunction(
        f"operator is not unique: {what}",
        hint="Could not choose a best candidate operator. "
        "You might need to add explicit type casts.",
        position=position,
    )


def _choose(candidates: Overloads, operands: list[Typed]) -> Sequence[Overload]:
    """Return the fitting overloads; an operand without a type is first taken to be as the other."""
    unknown = [o.is_unknown for o in operands]
    if sum(unknown) == 1:
        known = operands[unknown.index(False)]
        alike = candidates.select([known, known])
        exact = [c for c in alike if _is_homogeneous(c)]
        if len(exact) == 1:
            return exact
    return candidates.select(operands)


def _equal_forms(left: Typed, right: Typed) -> tuple[Typed, Typed]:
    """Return arrays of jsonb so that equal ones are the same to the engine, others as they are."""
    known = right.type if left.is_unknown else left.type
    sides = (coerce(s, known, Coercion.IMPLICIT) if s.is_unknown else s for s in (left, right))
    first, second = (equal_form(side) if side.type.is_array else side for side in sides)
    return first, second


def _is_homogeneous(candidate: Overload) -> bool:
    return candidate.parameters[0] == candidate.parameters[1]


def _are_texts(left: Typed, right: Typed) -> bool:
    return all(
        side.is_unknown or can_coerce(side.type, TEXT, Coercion.IMPLICIT) for side in (left, right)
    )


def _concatenated(left: Typed, right: Typed, position: int | None) -> Typed | None:
    """Return ``left || right`` for texts, arrays, bytes and jsonb; None if it is none of these."""
    if left.type.is_array or right.type.is_array:
        return _arrays_concatenated(left, right)
    oids = {left.type.oid, right.type.oid}
    if JSONB.oid in oids and all(s.is_unknown or s.type.oid == JSONB.oid for s in (left, right)):
        sides = [coerce(side, JSONB, Coercion.IMPLICIT) for side in (left, right)]
        tree = fragment(
            "tg_jsonb_concat(CAST(_0 AS TEXT), CAST(_1 AS TEXT))", *(s.tree for s in sides)
        )
        return Typed(tree, JSONB)
    known = oids - {UNKNOWN.oid}
    for whole, taken in ((BYTEA, {BYTEA.oid}), (VARBIT, {BIT.oid, VARBIT.oid})):
        if known and known <= taken:
            sides = [coerce(side, whole, Coercion.IMPLICIT) for side in (left, right)]
            return Typed(fragment("_0 || _1", *(s.tree for s in sides)), whole)
    strings = [s for s in (left, right) if s.type.category == "S" or s.type.oid == CHAR.oid]
    if len(strings) == 2 and any(side.type.oid == CHAR.oid for side in strings):
        raise _ambiguous(f"{_name(left)} || {_name(right)}", position)
    if not strings and not left.is_unknown and not right.is_unknown:
        return None
    texts = [
        coerce(side, TEXT, Coercion.ASSIGNMENT).tree
        if side.is_unknown or side.scale_code is not None
        else text_of(side.tree, side.type)
        for side in (left, right)
    ]
    return Typed(fragment("_0 || _1", *texts), TEXT)


def _arrays_concatenated(left: Typed, right: Typed) -> Typed | None:
    """Return ``left || right`` where one is an array, of elements that both have in common."""
    depths = [side.type.dimensions for side in (left, right) if not side.is_unknown]
    if max(depths) > 1 and (max(depths) - min(depths) > 1 or 0 in depths):
        raise FeatureNotSupported("arrays of different dimensions together are not supported")
    sides = [left, right]
    array = max(sides, key=lambda side: side.type.dimensions)
    assert array.type.element is not None
    element = array.type.element
    if not (left.is_unknown or right.is_unknown):
        parts = [Typed(exp.Null(), side.type.element or side.type) for side in sides]
        try:
            element = without_modifier(common_type(parts, "ARRAY"))
        except (DatatypeMismatch, CannotCoerce):
            return None
    both = replace(array_of(element), duckdb=element.duckdb + "[]" * array.type.dimensions)
    trees: list[exp.Expr] = []
    for side in sides:
        if (
            side.type.is_array and side.type.dimensions == array.type.dimensions
        ) or side.is_unknown:
            trees.append(coerce(side, both, Coercion.IMPLICIT).tree)
        elif side.type.is_array:
            inner = replace(both, duckdb=both.duckdb.removesuffix("[]"))
            trees.append(fragment("[_0]", coerce(side, inner, Coercion.IMPLICIT).tree))
        else:
            trees.append(fragment("[_0]", coerce(side, element, Coercion.IMPLICIT).tree))
    joined = call("LIST_CONCAT", *trees)
    # Arrays of arrays stay rectangular.
    return Typed(call("tg_matched", joined) if both.dimensions > 1 else joined, both)
