"""SESSION WITH GAP: frames that end where nothing comes for so long.

A session is a run of rows of a partition, in their order, in which each comes before the one ahead
of it and the gap are over. So

    f(a) OVER (PARTITION BY p ORDER BY t SESSION WITH GAP g)

is over a whole partition once sessions are numbered, which two queries below do: the one marks the
rows that begin a session, the other counts the marks up to each row and those of its time: of
several rows of one time the two queries may each take another for the first.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import SqlSyntaxError
from server.sql.bind.query_below import Feed, own_nodes, put_below
from server.sql.parser.session_frame import SESSION_GAP
from server.sql.query_tree import function_name

#: In a bound window: how long a gap is, and then the column with the number of the session.
SESSION: Final = "session"


def session_gap(spec: exp.Expr | None) -> exp.Expr | None:
    """Return the gap of a parsed frame, if it is a session.

    Raises:
        SqlSyntaxError: There are several.
    """
    start = None if spec is None else spec.args.get("start")
    if not isinstance(start, exp.Anonymous) or function_name(start) != SESSION_GAP:
        return None
    if len(start.expressions) != 1:
        raise SqlSyntaxError.near(",")
    gap: exp.Expr = start.expressions[0]
    return gap


def whole_partition() -> exp.WindowSpec:
    """Return the frame of all rows."""
    return exp.WindowSpec(
        kind="ROWS",
        start="UNBOUNDED",
        start_side="PRECEDING",
        end="UNBOUNDED",
        end_side="FOLLOWING",
    )


def number_sessions_below(select: exp.Select, alias: str) -> None:
    """Let queries below number the sessions that windows are over.

    Args:
        select: A bound query; it is changed.
        alias: A name that is free in it.
    """
    if not any(window.args.get(SESSION) for window in own_nodes(select, exp.Window)):
        return
    inner = put_below(select, Feed(alias, exp.Window))
    names = inner.named_selects
    numbers: dict[exp.Expr, str] = {}
    marks: list[exp.Expr] = []
    counts: list[exp.Expr] = []
    for window in own_nodes(select, exp.Window):
        gap = window.args.get(SESSION)
        if gap is None:
            continue
        plain = exp.Window(
            partition_by=[p.copy() for p in window.args.get("partition_by") or ()],
            order=window.args["order"].copy(),
            over="OVER",
        )
        kind = exp.Tuple(expressions=[plain.copy(), gap.copy()])
        name = numbers.setdefault(kind, f"c{len(names) + len(numbers) + 1}")
        if len(numbers) > len(marks):
            marks.append(exp.alias_(_begins(plain, gap), name))
            counts.append(exp.alias_(_counted(plain, exp.column(name, table=alias)), name))
        number = exp.column(name, table=alias)
        window.set("partition_by", [*(window.args.get("partition_by") or ()), number])
        window.set(SESSION, number.copy())
    kept = [exp.alias_(exp.column(name, table=alias), name) for name in names]
    marked = _from(inner, alias, [*(k.copy() for k in kept), *marks])
    select.set("from_", exp.From(this=_item(_from(marked, alias, [*kept, *counts]), alias)))


def _begins(window: exp.Window, gap: exp.Expr) -> exp.Expr:
    """Return 1 for a row that begins a session, else 0."""
    time = window.args["order"].expressions[0].this
    last = window.copy()
    last.set("this", exp.Anonymous(this="LAG", expressions=[time.copy()]))
    is_over = exp.GTE(this=time.copy(), expression=exp.Add(this=last, expression=gap.copy()))
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    return exp.Case(ifs=[exp.If(this=is_over, true=one)], default=zero)


def _counted(window: exp.Window, mark: exp.Expr) -> exp.Expr:
    count = window.copy()
    count.set("this", exp.Sum(this=mark))
    spec = exp.WindowSpec(
        kind="RANGE", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"
    )
    count.set("spec", spec)
    return count


def _item(query: exp.Select, alias: str) -> exp.Subquery:
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(alias)))


def _from(query: exp.Select, alias: str, shown: list[exp.Expr]) -> exp.Select:
    return exp.Select(expressions=shown, from_=exp.From(this=_item(query, alias)))
