"""LIMIT and OFFSET: what the engine has not is WITH TIES, and counts that the query around gives.

SELECT c FROM (SELECT c, rank() OVER (ORDER BY k) AS r, row_number() OVER (ORDER BY k) AS n ...)
WHERE r - offset <= count AND n > offset

Without ties ``n`` stands for ``r``.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog.errors import SqlSyntaxError
from catalog.types import INT8
from server.sql.bind.ordering import bind_limit
from server.sql.bind.query import Output, SelectQuery, aliased, outputs_of, subquery
from server.sql.bind.sortable import is_ordered
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
    order = select.args.get("order")
    has_ties = _has_ties(node)
    if has_ties and order is None:
        raise SqlSyntaxError(
            "WITH TIES cannot be specified without ORDER BY clause",
            position=walker.position(node.args["limit"]),
        )
    if statement.context.is_streaming and order is None and select.args.get("limit") is not None:
        select.set("order", _any_order(outputs))
    if not has_ties and not _is_correlated(select):
        return SelectQuery(select, list(outputs), statement.new_alias())
    limit, offset = (_count_of(select, clause) for clause in ("limit", "offset"))
    items = [] if order is None else order.expressions
    keys = [Output("", Typed(item.this.copy(), INT8)) for item in items]
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
        for i, item in enumerate(items, 1)
    ]
    windows = [
        aliased(_numbered(function, by), name)
        for function, name in (("RANK" if has_ties else "ROW_NUMBER", "r"), ("ROW_NUMBER", "n"))
    ]
    shown = [aliased(exp.column(name, table=sorted_rows), name) for name in names]
    placed = exp.Select(expressions=[*shown, *windows])
    placed.set("from_", exp.From(this=subquery(rows, sorted_rows)))
    outer = exp.Select()
    outer.set("from_", exp.From(this=subquery(placed, ranked)))
    rank, number = exp.column("r", table=ranked), exp.column("n", table=ranked)
    condition = fragment(
        "COALESCE(_0 - COALESCE(_2, 0) <= _1, TRUE) AND _3 > COALESCE(_2, 0)",
        rank,
        limit,
        offset,
        number,
    )
    outer.set("where", exp.Where(this=condition))
    outer.set("order", exp.Order(expressions=[exp.Ordered(this=number.copy(), nulls_first=False)]))
    return SelectQuery(outer, outputs_of(ranked, list(outputs)), statement.new_alias())


def _any_order(outputs: Sequence[Output]) -> exp.Order | None:
    """Return an order for a view that says none, so that it keeps the rows that it has."""
    places = [i for i, output in enumerate(outputs, 1) if is_ordered(output.value.type)]
    keys = [exp.Ordered(this=exp.Literal.number(i), nulls_first=False) for i in places]
    return exp.Order(expressions=keys) if keys else None


def _numbered(function: str, by: Sequence[exp.Ordered]) -> exp.Window:
    window = exp.Window(this=exp.Anonymous(this=function), over="OVER")
    if by:
        window.set("order", exp.Order(expressions=[key.copy() for key in by]))
    return window


def _count_of(select: exp.Select, clause: str) -> exp.Expr:
    """Take a clause away and return its count; NULL is none."""
    held = select.args.get(clause)
    select.set(clause, None)
    return exp.Null() if held is None else held.expression


def _is_correlated(select: exp.Select) -> bool:
    """Whether LIMIT or OFFSET reads the query around; it may not read its own rows."""
    for clause in (select.args.get("limit"), select.args.get("offset")):
        if clause is not None:
            own = {alias.name for alias in clause.find_all(exp.TableAlias)}
            if any(column.table not in own for column in clause.find_all(exp.Column)):
                return True
    return False


def _has_ties(node: exp.Expr) -> bool:
    limit = node.args.get("limit")
    options = None if limit is None else limit.args.get("limit_options")
    return options is not None and bool(options.args.get("with_ties"))
