"""IS NULL and IS NOT NULL, which of a row are about each of its fields (chapter 9.2).

A row of which some fields are NULL and some are not is neither; one without fields is both.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog.types import BOOL
from server.sql.bind.walker import Walker, joined, operand
from server.sql.coercion import default_typed
from server.sql.fragment import fragment
from server.sql.typed import Typed


def null_test(walker: Walker, node: exp.Expr) -> Typed:
    """Return ``node IS NULL``."""
    parts, _ = _parts(walker, node)
    return Typed(_all_null(parts), BOOL)


def negated_null_test(walker: Walker, node: exp.Expr) -> Typed:
    """Return ``node IS NOT NULL``, or ``NOT node IS NULL``, which are one tree to the parser."""
    parts, is_row = _parts(walker, node)
    is_not_null = walker.statement.written().is_not_null(node)
    if not parts and is_not_null:
        return Typed(exp.Not(this=_is_null(walker.bind(node).tree)), BOOL)
    if not is_row or not is_not_null:
        return Typed(exp.Not(this=operand(_all_null(parts))), BOOL)
    return Typed(joined(exp.And, [exp.Not(this=_is_null(part)) for part in parts]), BOOL)


def _parts(walker: Walker, node: exp.Expr) -> tuple[list[exp.Expr], bool]:
    """Return what is looked at for NULL, and whether it is the fields of a row."""
    fields = row_fields(node)
    if fields:
        return [default_typed(walker.bind(field)).tree for field in fields], True
    value = default_typed(walker.bind(node))
    if not value.type.is_row:
        return [value.tree], False
    # What is read from a row that is NULL is NULL.
    numbers = range(1, len(value.type.members) + 1)
    return [fragment(f"STRUCT_EXTRACT(_0, 'f{n}')", value.tree) for n in numbers], True


def _all_null(parts: Sequence[exp.Expr]) -> exp.Expr:
    return joined(exp.And, [_is_null(part) for part in parts]) if parts else exp.true()


def _is_null(tree: exp.Expr) -> exp.Expr:
    return exp.Is(this=operand(tree), expression=exp.Null())


def row_fields(node: exp.Expr) -> list[exp.Expr] | None:
    """Return the fields of a row constructor, or None."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Tuple) or (
        isinstance(node, exp.Anonymous)
        and isinstance(node.this, str)
        and node.this.lower() == "row"
    ):
        return list(node.expressions)
    return None
