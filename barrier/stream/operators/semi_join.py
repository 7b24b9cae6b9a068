r"""IN and EXISTS as conditions that a row must satisfy.

Such a condition keeps each row once however many rows of the subquery it meets. With the distinct
values that it can meet, that is an inner join:

    A |>< B on a = b   =   A |><| distinct(pi_b B)

which is maintained as what it is. Only equalities between the two sides can be taken apart like
that, and only where NULL and false are the same, which under NOT they are not.
Source: Galindo-Legaria, Joshi, Orthogonal Optimization of Subqueries, SIGMOD 2001, section 2.4.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from barrier.stream import trees
from barrier.stream.operator import Builder, Operator

_ITEMS: Final = (exp.Table, exp.Subquery, exp.Values, exp.Unnest, exp.Lateral)
_EXISTS_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "order"})


def distinct_values(
    condition: exp.Expr, builder: Builder, alias: str
) -> tuple[Operator, list[exp.Expr]] | None:
    """Return a node to join with and the conditions of that join; None for other conditions.

    Args:
        condition: One of those that all must hold.
        builder: Builds the subquery.
        alias: What the node will be called in the conditions.
    """
    if isinstance(condition, exp.In) and condition.args.get("query"):
        return _of_in(condition, builder, alias)
    if isinstance(condition, exp.Exists) and isinstance(condition.this, exp.Select):
        return _of_exists(condition.this, builder, alias)
    return None


def _of_in(
    condition: exp.In, builder: Builder, alias: str
) -> tuple[Operator, list[exp.Expr]] | None:
    query = condition.args["query"].unnest()
    if refers_outside(query):
        return None
    inner = f"{alias}_in"
    this = condition.this
    compared = this.expressions if isinstance(this, exp.Tuple) else [this]
    names = [f"c{number}" for number in range(1, len(compared) + 1)]
    values = trees.select(
        [trees.named(trees.column(name, inner), name) for name in names],
        items=[trees.from_item(query, inner)],
    )
    equalities: list[exp.Expr] = [
        exp.EQ(this=value.copy(), expression=trees.column(name, alias))
        for value, name in zip(compared, names, strict=True)
    ]
    return builder.build(trees.distinct(values)), equalities


def _of_exists(
    query: exp.Select, builder: Builder, alias: str
) -> tuple[Operator, list[exp.Expr]] | None:
    if {name for name, value in query.args.items() if value} - _EXISTS_CLAUSES:
        return None
    where = query.args.get("where")
    inside = aliases(query)
    own: list[exp.Expr] = []
    values: list[exp.Expr] = []
    equalities: list[exp.Expr] = []
    for part in trees.conjuncts(None if where is None else where.this):
        sides = _sides(part, inside)
        if sides is None:
            own.append(part)
            continue
        value, outer = sides
        name = f"c{len(values) + 1}"
        values.append(trees.named(value, name))
        equalities.append(exp.EQ(this=outer.copy(), expression=trees.column(name, alias)))
    rest = query.copy()
    rest.set("expressions", values)
    rest.set("order", None)
    rest.set("where", exp.Where(this=trees.all_of(own)) if own else None)
    if not values or refers_outside(rest):
        return None
    return builder.build(trees.distinct(rest)), equalities


def _sides(condition: exp.Expr, inside: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    """Return the inner and the outer side of an equality between the two; None of others."""
    if not isinstance(condition, exp.EQ):
        return None
    for inner, outer in (
        (condition.left, condition.right),
        (condition.right, condition.left),
    ):
        inner_tables = {column.table for column in inner.find_all(exp.Column)}
        outer_tables = {column.table for column in outer.find_all(exp.Column)}
        is_split = inner_tables <= inside and outer_tables.isdisjoint(inside)
        if inner_tables and outer_tables and is_split:
            return inner, outer
    return None


def aliases(query: exp.Expr) -> set[str]:
    """Return the names that the items of FROM have in a query, nested queries included."""
    return {item.alias_or_name for item in query.find_all(*_ITEMS)}


def refers_outside(query: exp.Expr) -> bool:
    """Whether a query refers to columns of a query around it."""
    inside = aliases(query)
    return any(column.table not in inside for column in query.find_all(exp.Column))
