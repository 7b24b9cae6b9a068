"""RisingWave's functions that take another one: array_transform and map_filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.errors import DatatypeMismatch, FeatureNotSupported, SqlSyntaxError, UndefinedFunction
from catalog.types import BOOL, array_of
from server.sql.bind.scope import Scope, ScopeColumn
from server.sql.bind.walker import Place, Walker, settled
from server.sql.fragment import cast, fragment
from server.sql.functions.array import inner_type
from server.sql.functions.lambda_call import LAMBDA_CALL
from server.sql.query_tree import function_name
from server.sql.typed import Typed

_BODY: Final = Place(
    "lambda expressions",
    "aggregate functions are not allowed in lambda expressions",
    "window functions are not allowed in lambda expressions",
)


def bind_lambda_function(walker: Walker, name: str, node: exp.Expr) -> Typed:
    """Return ``array_transform(array, |x| ...)`` or ``map_filter(map, |key, value| ...)``.

    Raises:
        UndefinedFunction: It has other arguments.
        DatatypeMismatch: What is given to the lambda has another type.
    """
    position = walker.position(node)
    arguments = node.expressions
    if len(arguments) != 2 or not is_lambda(arguments[1]):
        raise UndefinedFunction(
            f"{name} takes {'an array' if name == 'array_transform' else 'a map'} and a lambda",
            position=position,
        )
    holder = walker.bind(arguments[0])
    variable = walker.statement.new_alias()
    if name == "array_transform":
        if holder.type.element is None:
            raise DatatypeMismatch("array_transform needs an array", position=position)
        item = Typed(exp.column(variable), inner_type(holder.type))
        body = settled(_body(walker, arguments[1], [item], position))
        result = array_of(body.type)
        tree = fragment(f"LIST_TRANSFORM(_0, LAMBDA {variable} : _1)", holder.tree, body.tree)
        return Typed(cast(tree, result.duckdb), result)
    if holder.type.entry is None:
        raise DatatypeMismatch(
            f"Input must be Map type, got {settled(holder).type.display()}", position=position
        )
    parts = [
        Typed(fragment(f"STRUCT_EXTRACT({variable}, '{part}')"), pg_type)
        for part, pg_type in zip(("key", "value"), holder.type.entry, strict=True)
    ]
    condition = _body(walker, arguments[1], parts, position)
    if condition.type.oid != BOOL.oid:
        raise DatatypeMismatch(
            f"Lambda must return Boolean type, got {condition.type.display()}",
            position=walker.position(arguments[1]),
        )
    # Where nothing is left, RisingWave has NULL.
    tree = fragment(
        f"MAP_FROM_ENTRIES(NULLIF(LIST_FILTER(MAP_ENTRIES(_0), LAMBDA {variable} : _1), []))",
        holder.tree,
        condition.tree,
    )
    return Typed(cast(tree, holder.type.duckdb), holder.type)


def is_lambda(node: exp.Expr) -> bool:
    """Whether an argument is a lambda."""
    return isinstance(node, exp.Anonymous) and function_name(node) == LAMBDA_CALL


def _body(walker: Walker, node: exp.Expr, values: Sequence[Typed], position: int | None) -> Typed:
    """Return a lambda's body with its names bound to values."""
    *names, body = node.expressions
    if len(names) != len(values):
        wanted = "one parameter" if len(values) == 1 else "two parameters (key, value)"
        raise SqlSyntaxError(
            f"Lambda must have exactly {wanted}, got {len(names)}", position=position
        )
    columns = [ScopeColumn(name.name, value) for name, value in zip(names, values, strict=True)]
    around = walker.scope
    walker.scope = Scope([], columns, outer=around, owner=walker)
    try:
        with walker.within(_BODY):
            bound = walker.bind(body)
    finally:
        walker.scope = around
    if bound.tree.find(exp.Query) is not None:
        raise FeatureNotSupported("subqueries in lambda expressions are not supported")
    return bound
