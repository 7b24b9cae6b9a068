"""ORDER BY, DISTINCT ON, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.errors import (
    AmbiguousColumn,
    DatatypeMismatch,
    FeatureNotSupported,
    InvalidColumnReference,
    InvalidLimit,
    InvalidOffset,
    NumericOutOfRange,
    SqlSyntaxError,
)
from catalog.types import INT8, JSONB
from server.sql.bind import walker as places
from server.sql.bind.query import Output
from server.sql.bind.sortable import check_ordered
from server.sql.bind.walker import Place, Walker, settled
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.fragment import cast, fragment
from server.sql.jsonb_equality import equal_form
from server.sql.typed import Typed
from server.sql.written_numeric import value_of

#: The greatest bigint.
_ROWS_MAX: Final = (1 << 63) - 1


def bind_order(
    walker: Walker, order: exp.Expr, outputs: list[Output], *, has_own_keys: bool = True
) -> list[exp.Ordered]:
    """Return ORDER BY's expressions; names of outputs come before those of columns.

    An output that is sorted by and has no type yet is given text's. Where the engine can sort by
    nothing but what is shown, there are no ``own keys``: jsonb is sorted by its text then.

    Raises:
        InvalidColumnReference: An ordinal is out of range.
        AmbiguousColumn: A name fits outputs that differ.
    """
    bound: list[exp.Ordered] = []
    with walker.within(places.ORDER_BY):
        for item in order.expressions:
            value = _sorted_value(walker, item.this, outputs)
            check_ordered(value.type, walker.position(item.this))
            bound.append(ordered(sort_key(value) if has_own_keys else value.tree, item))
    return bound


def sort_key(value: Typed) -> exp.Expr:
    """Return what the engine sorts by so that a value is in PostgreSQL's order."""
    if value.type.oid != JSONB.oid:
        return value.tree
    return fragment("tg_jsonb_key(CAST(_0 AS TEXT))", value.tree)


def ordered(tree: exp.Expr, item: exp.Expr) -> exp.Ordered:
    """Return a sort key with its direction, and where NULLs go said."""
    desc = bool(item.args.get("desc"))
    nulls_first = item.args.get("nulls_first")
    return exp.Ordered(
        this=constant_safe(tree),
        desc=desc or None,
        nulls_first=desc if nulls_first is None else bool(nulls_first),
    )


def constant_safe(tree: exp.Expr) -> exp.Expr:
    """Return a tree that DuckDB does not take for an ordinal."""
    shown = tree if tree.parent is None else tree.copy()
    if isinstance(shown, exp.Literal) and not shown.is_string:
        return cast(shown, "BIGINT" if int(shown.name) >= 1 << 31 else "INTEGER")
    return shown


def _sorted_value(walker: Walker, node: exp.Expr, outputs: list[Output]) -> Typed:
    while isinstance(node, exp.Paren):
        node = node.this
    name = bare_name(node)
    if name is not None:
        named = [output for output in outputs if output.name == name]
        if named and any(o.value.tree != named[0].value.tree for o in named[1:]):
            raise AmbiguousColumn(f'ORDER BY "{name}" is ambiguous', position=walker.position(node))
        if named:
            return settle(outputs, named[0])
    if is_constant(node):
        return settle(outputs, ordinal(walker, node, outputs, "ORDER BY"))
    return settled(walker.bind(node))


def settle(outputs: list[Output], output: Output) -> Typed:
    """Return an output's value, which is text's from now on if it had no type."""
    if not output.value.is_unknown:
        return value_of(output.value)
    value = settled(output.value)
    outputs[outputs.index(output)] = replace(output, value=value)
    return value


def bare_name(node: exp.Expr) -> str | None:
    """Return the name if the node is a column without qualifier."""
    if isinstance(node, exp.Column) and node.args.get("table") is None:
        return node.name
    return None


def is_constant(node: exp.Expr) -> bool:
    """Whether a node is a constant as it is written, which stands for an output where one sorts."""
    if isinstance(node, exp.Neg):
        return isinstance(node.this, exp.Literal) and not node.this.is_string
    return isinstance(node, (exp.Literal, exp.Boolean, exp.Null))


def ordinal(walker: Walker, node: exp.Expr, outputs: Sequence[Output], clause: str) -> Output:
    """Return the output that an integer constant means.

    Raises:
        SqlSyntaxError: The constant is no integer.
        InvalidColumnReference: There is no such output.
    """
    position = walker.position(node)
    if not node.is_int:
        raise SqlSyntaxError(f"non-integer constant in {clause}", position=position)
    at = -int(node.this.name) if isinstance(node, exp.Neg) else int(node.name)
    if not 1 <= at <= len(outputs):
        raise InvalidColumnReference(
            f"{clause} position {at} is not in select list", position=position
        )
    return outputs[at - 1]


def bind_distinct_on(
    walker: Walker, nodes: Sequence[exp.Expr], outputs: list[Output], order: list[exp.Ordered]
) -> exp.Distinct:
    """Return DISTINCT ON.

    Raises:
        InvalidColumnReference: ORDER BY begins with something else.
    """
    values: list[Typed] = []
    for node in nodes:
        if is_constant(node):
            values.append(settle(outputs, ordinal(walker, node, outputs, "DISTINCT ON")))
        else:
            values.append(_sorted_value(walker, node, outputs))
    trees = [constant_safe(value.tree) for value in values]
    first = [item.this for item in order[: len(trees)]]
    if any(tree not in trees for tree in first):
        raise InvalidColumnReference(
            "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
            position=walker.position(nodes[0]),
        )
    keys = [constant_safe(equal_form(value).tree) for value in values]
    return exp.Distinct(on=exp.Tuple(expressions=keys))


def _sorts_by_hidden(
    order: list[exp.Ordered], outputs: Sequence[Output], nodes: Sequence[exp.Expr]
) -> exp.Expr | None:
    """Return the first item of ORDER BY that is no column of the result, or None."""
    shown = [constant_safe(value_of(output.value).tree) for output in outputs]
    pairs = zip(order, nodes, strict=True)
    return next((node for item, node in pairs if item.this not in shown), None)


def check_distinct(
    walker: Walker,
    order: list[exp.Ordered],
    outputs: Sequence[Output],
    nodes: Sequence[exp.Expr],
) -> None:
    """Raise InvalidColumnReference when SELECT DISTINCT sorts by what it does not show."""
    if (node := _sorts_by_hidden(order, outputs, nodes)) is not None:
        raise InvalidColumnReference(
            "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
            position=walker.position(node),
        )


def check_common_order(
    walker: Walker,
    order: list[exp.Ordered],
    outputs: Sequence[Output],
    nodes: Sequence[exp.Expr],
) -> None:
    """Raise FeatureNotSupported when a set operation sorts by what it does not show."""
    if (node := _sorts_by_hidden(order, outputs, nodes)) is not None:
        raise FeatureNotSupported(
            "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
            detail="Only result column names can be used, not expressions or functions.",
            hint="Add the expression/function to every SELECT, or move the UNION into a FROM"
            " clause.",
            position=walker.position(node),
        )


def bind_limit(walker: Walker, node: exp.Expr, select: exp.Expr) -> None:
    """Set LIMIT and OFFSET of a bound query from those of a parsed one.

    Raises:
        InvalidLimit: The limit is a negative constant.
        InvalidOffset: The offset is.
    """
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is not None:
        count = _limit_count(limit)
        if count is not None:
            tree = _row_count(walker, count, places.LIMIT)
            if is_negative(tree):
                raise InvalidLimit("LIMIT must not be negative")
            select.set("limit", exp.Limit(expression=tree))
    if offset is not None:
        tree = _row_count(walker, offset.expression, places.OFFSET)
        if is_negative(tree):
            raise InvalidOffset("OFFSET must not be negative")
        select.set("offset", exp.Offset(expression=tree))


def _limit_count(limit: exp.Expr) -> exp.Expr | None:
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
        return exp.Literal.number("1") if count is None else count
    count = limit.expression
    if isinstance(count, (exp.Var, exp.Null)) or (
        isinstance(count, exp.Column) and count.name == "all"
    ):
        return None  # LIMIT ALL and LIMIT NULL.
    return count  # type: ignore[no-any-return]


def _row_count(walker: Walker, node: exp.Expr, place: Place) -> exp.Expr:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        if int(node.name) > _ROWS_MAX:
            raise NumericOutOfRange("bigint out of range")
        return exp.Literal.number(node.name)
    with walker.within(place):
        value = walker.bind(node)
    position = walker.position(node)
    if not can_coerce(value.type, INT8, Coercion.ASSIGNMENT):
        raise DatatypeMismatch(
            f"argument of {place.name} must be type bigint, not type {value.type.sql_name}",
            position=position,
        )
    tree = coerce(value, INT8, Coercion.ASSIGNMENT, position=position).tree
    aliases = {item.alias for item in walker.scope.items}
    if any(column.table in aliases for column in tree.find_all(exp.Column)):
        raise InvalidColumnReference(
            f"argument of {place.name} must not contain variables", position=position
        )
    return tree


def is_negative(tree: exp.Expr) -> bool:
    """Whether a tree is a negative constant."""
    while isinstance(tree, (exp.Paren, exp.Cast)):
        tree = tree.this
    if isinstance(tree, exp.Literal):
        return tree.name.startswith("-")
    return isinstance(tree, exp.Neg) and isinstance(tree.this, exp.Literal)
