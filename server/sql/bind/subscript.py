"""Subscripts and slices of arrays, maps, json and names (PostgreSQL 15, chapter 8.15.3)."""

from __future__ import annotations

from sqlglot import exp

from catalog.errors import DatatypeMismatch
from catalog.types import CHAR, INT4, NAME, VECTORS
from server.sql.bind.walker import Walker, as_array, handles
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import fragment
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
        if isinstance(index, exp.Slice) or not value.type.name.startswith("json"):
            raise DatatypeMismatch(
                f"cannot subscript type {value.type.sql_name} because it does not support "
                "subscripting",
                position=position,
            )
        return binary("->", value, walker.bind(index), position=position)
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
