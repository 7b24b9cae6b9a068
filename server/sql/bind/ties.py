"""FETCH FIRST n ROWS WITH TIES: also the rows that sort as the last of them does.

SELECT c FROM (SELECT c, rank() OVER (ORDER BY k) AS r, row_number() OVER (ORDER BY k) AS n ...)
WHERE r - offset <= count AND n > offset
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog.errors import SqlSyntaxError
from catalog.types import INT8
from server.sql.bind.ordering import bind_limit
from server.sql.bind.query import Output, SelectQuery, aliased, outputs_of, subquery
from server.sql.bind.walker import Walker
from server.sql.fragment import fragment
from server.sql.typed import Typed


def limited(
    walker: Walker, node: exp.Expr, select: exp.Select, outputs: Sequence[Output]
) -> SelectQuery:
    """Return a bound SELECT with LIMIT, OFFSET or FETCH of a parsed one.

    Raises:
        InvalidLimit: The limit is a negative constant.
        InvalidOffset: The offset is.
        SqlSyntaxError: WITH TIES without ORDER BY.
    """
    bind_limit(walker, node, select)
    statement = walker.statement
    if not _has_ties(node):
        return SelectQuery(select, list(outputs), statement.new_alias())
    order = select.args.get("order")
    if order is None:
        raise SqlSyntaxError(
            "WITH TIES cannot be specified without ORDER BY clause",
            position=walker.position(node.args["limit"]),
        )
    limit, offset = select.args["limit"].expression, select.args.get("offset")
    skipped = exp.Literal.number("0") if offset is None else offset.expression
    for clause in ("limit", "offset"):
        select.set(clause, None)
    keys = [Output("", Typed(item.this.copy(), INT8)) for item in order.expressions]
    sorted_rows, ranked = statement.new_alias(), statement.new_alias()
    rows = SelectQuery(select, [*outputs, *keys], statement.new_alias()).finish()
    count = len(outputs)
    names = [f"c{i}" for i in range(1, count + 1)]
    by = [
        exp.Ordered(
            this=exp.column(f"c{count + i}", table=sorted_rows),
            desc=item.args.get("desc"),
            nulls_first=item.args.get("nulls_first"),
        )
        for i, item in enumerate(order.expressions, 1)
    ]
    windows = [
        aliased(
            exp.Window(
                this=exp.Anonymous(this=function),
                order=exp.Order(expressions=[key.copy() for key in by]),
                over="OVER",
            ),
            name,
        )
        for function, name in (("RANK", "r"), ("ROW_NUMBER", "n"))
    ]
    shown = [aliased(exp.column(name, table=sorted_rows), name) for name in names]
    placed = exp.Select(expressions=[*shown, *windows])
    placed.set("from_", exp.From(this=subquery(rows, sorted_rows)))
    outer = exp.Select()
    outer.set("from_", exp.From(this=subquery(placed, ranked)))
    rank, number = exp.column("r", table=ranked), exp.column("n", table=ranked)
    condition = fragment("COALESCE(_0 - _2 <= _1, TRUE) AND _3 > _2", rank, limit, skipped, number)
    outer.set("where", exp.Where(this=condition))
    outer.set("order", exp.Order(expressions=[exp.Ordered(this=number.copy(), nulls_first=False)]))
    return SelectQuery(outer, outputs_of(ranked, list(outputs)), statement.new_alias())


def _has_ties(node: exp.Expr) -> bool:
    limit = node.args.get("limit")
    options = None if limit is None else limit.args.get("limit_options")
    return options is not None and bool(options.args.get("with_ties"))
