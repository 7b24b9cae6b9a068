"""ANY, SOME and ALL over arrays and subqueries (PostgreSQL 15, chapters 9.23 and 9.24)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from sqlglot import exp

from catalog.errors import CannotCoerce, DatatypeMismatch, FeatureNotSupported, SqlSyntaxError
from catalog.types import BOOL, PgType
from catalog.written_numeric import plain_type
from server.sql.bind.query import Output, compared
from server.sql.bind.walker import Walker, again, as_array, operand
from server.sql.coercion import Coercion, coerce
from server.sql.common_type import common_type
from server.sql.jsonb_equality import equal_form
from server.sql.operators import binary, quantified
from server.sql.typed import Typed

_COMPARED: Final[dict[str, type[exp.Binary]]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    "<": exp.LT,
    "<=": exp.LTE,
    ">": exp.GT,
    ">=": exp.GTE,
}


def is_quantified(node: exp.Expr) -> bool:
    """Whether the right side of an operator is ANY (...), SOME (...) or ALL (...)."""
    return isinstance(node, (exp.Any, exp.All)) or _called(node) in {"all", "some"}


def bind_quantified(
    walker: Walker, symbol: str, left: Typed, node: exp.Expr, position: int | None
) -> Typed:
    """Return ``left <symbol> ANY|ALL (...)``."""
    is_all = isinstance(node, exp.All) or _called(node) == "all"
    inner = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    while isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.Query):
        return _over_subquery(walker, symbol, left, inner, position, is_all=is_all)
    if isinstance(inner, exp.Array) and not is_all and symbol == "=" and inner.expressions:
        items = [walker.bind(item) for item in inner.expressions]
        if not any(item.type.is_array for item in items):
            element = common_type(
                items, "ARRAY", at=lambda i: walker.position(inner.expressions[i])
            )
            return _in(left, _typed_alike(items, element), position)
    array = as_array(walker.bind(inner))
    return quantified(symbol, left, array, is_all=is_all, position=position)


def in_list(left: Typed, items: list[Typed], position: int | None) -> Typed:
    """Return ``left IN (items)``.

    Constants and parameters without a type take the common type of all that read no column, as
    PostgreSQL makes one array of them; where there is none, each is compared by itself.
    """
    alone = [item for item in items if item.tree.find(exp.Column, exp.Subquery) is None]
    if len(alone) > 1 and any(value.is_unknown for value in (left, *alone)):
        with suppress(DatatypeMismatch, CannotCoerce):
            shared = common_type([left, *alone], "IN")
            left, *items = _typed_alike([left, *items], shared)
    return _in(left, items, position)


def _typed_alike(values: Sequence[Typed], target: PgType) -> list[Typed]:
    """Return values, those without a type as the target's."""
    return [coerce(v, target, Coercion.IMPLICIT) if v.is_unknown else v for v in values]


def _in(left: Typed, items: list[Typed], position: int | None) -> Typed:
    """Return the disjunction of ``left = item``, as one IN where the types are the same."""
    compared = [binary("=", again(left), item, position=position).tree for item in items]
    first = compared[0]
    lefts = {tree.this for tree in compared if isinstance(tree, exp.EQ)}
    if all(type(tree) is exp.EQ for tree in compared) and len(lefts) == 1:
        tree: exp.Expr = exp.In(
            this=first.this, expressions=[_bare(tree.expression) for tree in compared]
        )
        return Typed(tree, BOOL)
    tree = operand(first)
    for other in compared[1:]:
        tree = exp.Or(this=tree, expression=operand(other))
    return Typed(tree, BOOL)


def in_subquery(
    walker: Walker,
    lefts: list[Typed],
    query: exp.Expr,
    position: int | None,
    symbol: str = "=",
) -> Typed:
    """Return ``left IN (query)``, or ``(left, ...) IN (query)``; ``symbol`` is for messages.

    Raises:
        SqlSyntaxError: The query has another number of columns.
    """
    result = walker.bind_subquery(query, walker.scope, walker.ctes)
    if len(result.outputs) != len(lefts):
        few = len(result.outputs) < len(lefts)
        raise SqlSyntaxError(
            f"subquery has too {'few' if few else 'many'} columns", position=position
        )
    targets = [
        _met(symbol, left, _settled(output), position)
        for left, output in zip(lefts, result.outputs, strict=True)
    ]
    shown = [
        coerce(left, target, Coercion.IMPLICIT, position=position).tree
        for left, target in zip(lefts, targets, strict=True)
    ]
    pairs = zip(shown, targets, strict=True)
    shown = [equal_form(Typed(tree, target)).tree for tree, target in pairs]
    this = operand(shown[0]) if len(shown) == 1 else exp.Tuple(expressions=shown)
    below = compared(result.finish(targets), targets, walker.statement.new_alias())
    return Typed(exp.In(this=this, query=exp.Subquery(this=below)), BOOL)


def _over_subquery(
    walker: Walker,
    symbol: str,
    left: Typed,
    query: exp.Expr,
    position: int | None,
    *,
    is_all: bool,
) -> Typed:
    if symbol in ("=", "<>") and is_all == (symbol == "<>"):
        inside = in_subquery(walker, [left], query, position, symbol)
        return Typed(exp.Not(this=operand(inside.tree)), BOOL) if is_all else inside
    kind = _COMPARED.get(symbol)
    if kind is None:
        raise FeatureNotSupported(
            f"operator {symbol} with a subquery is not supported", position=position
        )
    result = walker.bind_subquery(query, walker.scope, walker.ctes)
    if len(result.outputs) != 1:
        raise SqlSyntaxError("subquery has too many columns", position=position)
    target = _met(symbol, left, _settled(result.outputs[0]), position)
    this = operand(coerce(left, target, Coercion.IMPLICIT, position=position).tree)
    tree = exp.Subquery(this=result.finish([target]))
    right: exp.Expr = exp.All(this=tree) if is_all else exp.Any(this=tree)
    return Typed(kind(this=this, expression=right), BOOL)


def _settled(output: Output) -> Typed:
    """Return a column of a subquery, which has its type before it is compared."""
    return Typed(exp.column("c"), plain_type(output.settled_type))


def _met(symbol: str, left: Typed, right: Typed, position: int | None) -> PgType:
    """Return the type in which an operator compares both.

    Raises:
        UndefinedFunction: They cannot be compared.
    """
    binary(symbol, again(left), again(right), position=position)
    if left.type == right.type and not left.is_unknown:
        return left.type
    return common_type([left, right], "IN")


def _called(node: exp.Expr) -> str:
    """Return what is called with one argument; where something else stands, nothing."""
    is_call = isinstance(node, exp.Anonymous) and len(node.expressions) == 1
    return node.this.lower() if is_call and isinstance(node.this, str) else ""


def _bare(tree: exp.Expr) -> exp.Expr:
    return tree.this if isinstance(tree, exp.Paren) else tree
