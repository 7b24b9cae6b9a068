"""Functions of enums (PostgreSQL 15, chapter 9.10): what values there are, by an enum's type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from catalog.types import array_of
from server.sql.fragment import cast, fragment
from server.sql.overload import Overload, rule
from server.sql.typed import Typed


def _end(arguments: Sequence[Typed], place: int) -> Typed:
    pg_type = arguments[0].type
    tree: exp.Expr = exp.Null()
    if pg_type.labels:
        tree = exp.Literal.number(repr(pg_type.labels[place][1]))
    return Typed(cast(tree, pg_type.duckdb), pg_type)


def _range(arguments: Sequence[Typed]) -> Typed:
    pg_type = arguments[0].type
    orders = ", ".join(repr(order) for _, order in pg_type.labels)
    whole = cast(fragment(f"[{orders}]"), array_of(pg_type).duckdb)
    if len(arguments) == 1:
        return Typed(whole, array_of(pg_type))
    low, high = (argument.tree for argument in arguments)
    within = fragment(
        "LIST_FILTER(_0, LAMBDA x : x >= COALESCE(_1, x) AND x <= COALESCE(_2, x))",
        whole,
        low,
        high,
    )
    return Typed(within, array_of(pg_type))


ENUM_FUNCTIONS: Final[tuple[Overload, ...]] = (
    rule("enum_first(anyenum)", lambda arguments: _end(arguments, 0)),
    rule("enum_last(anyenum)", lambda arguments: _end(arguments, -1)),
    rule("enum_range(anyenum)", _range),
    rule("enum_range(anyenum, anyenum)", _range),
)
