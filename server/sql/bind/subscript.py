"""Subscripts and slices of arrays, maps, json and names (PostgreSQL 15, chapter 8.15.3)."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import DatatypeMismatch
from catalog.types import CHAR, INT4, JSONB, NAME, TEXT, VECTORS, array_of
from server.sql.bind.walker import Walker, as_array, handles
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import cast, fragment
from server.sql.functions.array import inner_type
from server.sql.functions.map import value_at
from server.sql.operators import binary
from server.sql.typed import Typed


@handles(exp.Bracket)
def _bind_subscript(walker: Walker, node: exp.Expr) -> Typed:
    held = walker.bind(node.this)
    value = as_array(held)
    position = walker.position(node)
    (index,) = node.expressions
    if value.type.oid == NAME.oid and not isinstance(index, exp.Slice):
        letter = fragment("SUBSTRING(_0, _1 + 1, 1)", value.tree, _index(walker, index))
        return Typed(letter, CHAR)
    if value.type.entry is not None and not isinstance(index, exp.Slice):
        return value_at(value, walker.bind(index), position=position)
    if value.type.element is None:
        if value.type.oid != JSONB.oid:
            raise DatatypeMismatch(
                f"cannot subscript type {value.type.sql_name} because it does not support "
                "subscripting",
                position=position,
            )
        step = cast(jsonb_step(walker, index, walker.position(index)).tree, TEXT.duckdb)
        path = fragment("CAST(_0 AS TEXT[])", exp.Array(expressions=[step]))
        return binary("#>", value, Typed(path, array_of(TEXT)), position=position)
    if isinstance(index, exp.Slice):
        return _bind_slice(walker, value, index)
    at = _index(walker, index)
    if held.type.oid in VECTORS:
        at = fragment("_0 + 1", at)  # They begin with 0.
    element = inner_type(value.type)
    if isinstance(at, exp.Literal):
        return Typed(fragment("LIST_EXTRACT(_0, _1)", value.tree, at), element)
    tree = fragment("CASE WHEN _1 > 0 THEN LIST_EXTRACT(_0, _1) END", value.tree, at)
    return Typed(tree, element)


def jsonb_step(walker: Walker, index: exp.Expr, position: int | None) -> Typed:
    """Return a subscript of a jsonb, which is an integer or a text.

    Raises:
        DatatypeMismatch: It is a slice, or of another type.
    """
    if isinstance(index, exp.Slice):
        raise no_slices(position)
    step = walker.bind(index)
    for wanted in (TEXT, INT4):
        if step.is_unknown or can_coerce(step.type, wanted, Coercion.IMPLICIT):
            return coerce(step, wanted, Coercion.IMPLICIT)
    raise DatatypeMismatch(
        f"subscript type {step.type.sql_name} is not supported",
        hint="jsonb subscript must be coercible to either integer or text.",
        position=position,
    )


def no_slices(position: int | None) -> DatatypeMismatch:
    """Return the error of a slice of a jsonb."""
    return DatatypeMismatch("jsonb subscript does not support slices", position=position)


def _index(walker: Walker, node: exp.Expr) -> exp.Expr:
    position = walker.position(node)
    value = walker.bind(node)
    if not can_coerce(value.type, INT4, Coercion.ASSIGNMENT):
        raise DatatypeMismatch("array subscript must have type integer", position=position)
    return coerce(value, INT4, Coercion.ASSIGNMENT, position=position).tree


def _bind_slice(walker: Walker, value: Typed, index: exp.Slice) -> Typed:
    low, high = index.this, index.expression
    low_tree = exp.Literal.number("1") if low is None else _index(walker, low)
    if high is None:
        tree = fragment("LIST_SLICE(_0, GREATEST(_1, 1), LENGTH(_0))", value.tree, low_tree)
    else:
        high_tree = _index(walker, high)
        tree = fragment(
            "LIST_SLICE(_0, GREATEST(_1, 1), GREATEST(_2, 0))", value.tree, low_tree, high_tree
        )
    return Typed(tree, value.type)
