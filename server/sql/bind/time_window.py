"""TUMBLE and HOP: a relation's rows with the windows of time that each falls into."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.errors import DatatypeMismatch, InvalidParameterValue, SqlSyntaxError
from catalog.types import DATE, INTERVAL, TIMESTAMP, TIMESTAMPTZ
from server.sql.bind.query import aliased
from server.sql.bind.relation import find_relation, read_relation
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.walker import Walker
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import fragment
from server.value.interval import Interval, parse_interval

#: Name -> how many intervals follow the relation and its column.
_INTERVALS: Final = {"tumble": 1, "hop": 2}

#: Windows are counted from here.
_ORIGIN: Final = "1970-01-01 00:00:00"


def is_time_window(name: str) -> bool:
    """Whether the function is one of these."""
    return name in _INTERVALS


def bind_time_window(
    walker: Walker, name: str, nodes: list[exp.Expr], alias: str, position: int | None
) -> tuple[exp.Expr, FromItem]:
    """Return ``TUMBLE(relation, column, size)`` or ``HOP(relation, column, slide, size)``.

    Another interval may follow, by which the windows are shifted.

    Raises:
        InvalidParameterValue: A constant length is not positive.
        SqlSyntaxError: It has other arguments.
        DatatypeMismatch: The column is not a time.
    """
    length_count = _INTERVALS[name]
    has_offset = len(nodes) == 3 + length_count
    if len(nodes) != 2 + length_count + has_offset or not isinstance(nodes[0], exp.Column):
        raise SqlSyntaxError(f"{name} takes a relation, a column and intervals", position=position)
    tree, item = relation_of(walker, nodes[0])
    inner = Walker(
        walker.statement,
        Scope([item], list(item.columns)),
        walker.bind_subquery,
        walker.ctes,
        walker.level,
        walker.place,
    )
    moment = inner.bind(nodes[1])
    if moment.type not in (TIMESTAMP, TIMESTAMPTZ, DATE):
        raise DatatypeMismatch(
            f"{name} needs a column of a time type, not of type {moment.type.sql_name}",
            position=position,
        )
    shown_type = TIMESTAMP if moment.type == DATE else moment.type
    time = coerce(moment, shown_type, Coercion.IMPLICIT).tree
    intervals = [inner.coerced(node, INTERVAL) for node in nodes[2 : 2 + length_count]]
    intervals = [
        positive(name, interval, walker.position(node))
        for node, interval in zip(nodes[2:], intervals, strict=False)
    ]
    origin = f"CAST('{_ORIGIN}' AS {shown_type.duckdb})"
    if has_offset:
        offset = inner.coerced(nodes[-1], INTERVAL)
        start = fragment(f"TIME_BUCKET(_0, _1, {origin} + _2)", intervals[0], time, offset)
    else:
        start = fragment(f"TIME_BUCKET(_0, _1, {origin})", intervals[0], time)
    select = exp.Select()
    select.set("from_", exp.From(this=tree))
    if name == "hop":
        steps = walker.statement.new_alias()
        series = fragment(
            "UNNEST(GENERATE_SERIES(0, CAST(EPOCH(_1) / EPOCH(_0) AS BIGINT) - 1))", *intervals
        )
        named = exp.TableAlias(this=exp.to_identifier(steps), columns=[exp.to_identifier("c1")])
        select.set("joins", [exp.Join(this=exp.Table(this=series, alias=named), kind="CROSS")])
        start = fragment("_0 - _1 * _2", start, intervals[0], exp.column("c1", table=steps))
    end = fragment("_0 + _1", start.copy(), intervals[-1])
    shown = [*(column.value.tree.copy() for column in item.columns), start, end]
    select.set("expressions", [aliased(t, f"c{i}") for i, t in enumerate(shown, 1)])
    types = [*(column.value.type for column in item.columns), shown_type, shown_type]
    names = [*(column.name for column in item.columns), "window_start", "window_end"]
    columns = tuple(
        ScopeColumn(column, column_of(alias, f"c{i}", pg_type))
        for i, (column, pg_type) in enumerate(zip(names, types, strict=True), 1)
    )
    subquery = exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    return subquery, FromItem(alias, "", columns)


def positive(name: str, interval: exp.Expr, position: int | None) -> exp.Expr:
    """Return a length that is checked: a constant now, anything else when it is known.

    Raises:
        InvalidParameterValue: It is not positive.
    """
    message = f"the lengths of {name} must be positive"
    if isinstance(interval, exp.Cast) and isinstance(interval.this, exp.Literal):
        length = parse_interval(interval.this.name)
        if min(length.months, length.days, length.microseconds) < 0 or length == Interval():
            raise InvalidParameterValue(message, position=position)
        return interval
    return fragment(
        f"CASE WHEN _0 > INTERVAL 0 SECONDS THEN _0 ELSE ERROR('22023:{message}') END", interval
    )


def relation_of(walker: Walker, node: exp.Column) -> tuple[exp.Expr, FromItem]:
    """Return the relation or WITH query that an argument names, as a FROM item."""
    alias = walker.statement.new_alias()
    cte = None if node.args.get("table") else walker.ctes.get(node.name)
    if cte is not None:
        table = exp.Table(
            this=exp.to_identifier(cte.alias), alias=exp.TableAlias(this=exp.to_identifier(alias))
        )
        columns = tuple(
            ScopeColumn(name, column_of(alias, f"c{i}", pg_type))
            for i, (name, pg_type) in enumerate(cte.columns, 1)
        )
        return table, FromItem(alias, node.name, columns)
    relation = find_relation(
        walker.statement.context,
        node.name,
        node.text("table") or None,
        position=walker.position(node),
    )
    return read_relation(walker.statement, relation, alias)
