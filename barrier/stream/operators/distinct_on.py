"""DISTINCT ON: the first row of each group in the order given, a window function with a filter.

    SELECT DISTINCT ON (k) e ... ORDER BY k, o
      =  SELECT e FROM (SELECT e, row_number() OVER (PARTITION BY k ORDER BY k, o) AS n ...)
         WHERE n = 1

Which of several first rows is shown is nobody's promise.
Source: PostgreSQL 15, SELECT, The DISTINCT Clause.
"""

from __future__ import annotations

from sqlglot import exp

from barrier.stream import trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.recompute import Recompute


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take SELECT DISTINCT ON without LIMIT."""
    distinct = query.args.get("distinct") if isinstance(query, exp.Select) else None
    if not isinstance(distinct, exp.Distinct) or not distinct.args.get("on"):
        return None
    assert isinstance(query, exp.Select)
    unknown = [name for name in ("limit", "offset", "group", "having") if query.args.get(name)]
    if unknown or query.find(exp.Window) is not None:
        raise NotIncrementalError(f"DISTINCT ON with {(unknown or ['window'])[0].upper()}")
    order = query.args.get("order")
    columns = query.named_selects
    place = f"c{len(columns) + 1}"
    number = exp.Window(
        this=exp.RowNumber(),
        partition_by=[e.copy() for e in distinct.args["on"].expressions],
        order=None if order is None else order.copy(),
    )
    inner = query.copy()
    inner.set("distinct", None)
    inner.set("order", None)
    inner.append("expressions", trees.named(number, place))
    first = trees.select(
        [trees.named(trees.column(name, "first"), name) for name in columns],
        items=[trees.from_item(inner, "first")],
        where=exp.EQ(this=trees.column(place, "first"), expression=exp.Literal.number(1)),
    )
    node = builder.build(first, is_root=is_root)
    if isinstance(node, Recompute):
        raise NotIncrementalError(node.reason)
    return node
