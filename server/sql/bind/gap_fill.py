"""GAP_FILL: a relation's rows, and rows for the moments that are missing between them.

    GAP_FILL(relation, time, INTERVAL '1' MINUTE, LOCF(a), INTERPOLATE(b), PARTITION_BY(k))

Between each row and the next one, in the order of their times and within a partition, there is a
row for each whole number of intervals after the first. It has the keys of the partition; of other
columns it has the last value (LOCF), one on the straight line to the next (INTERPOLATE; whole
numbers in whole steps), or none (KEEPNULL, as without any of them). Rows without a time pass.
Source: RisingWave, "Gap filling".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from catalog.errors import DatatypeMismatch, SqlSyntaxError
from catalog.types import INT8, INTERVAL, TIMESTAMP, TIMESTAMPTZ, PgType
from server.sql.bind.query import aliased, subquery
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.time_window import positive, relation_of
from server.sql.bind.walker import Walker, again
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import fragment
from server.sql.operators import binary
from server.sql.typed import Typed
from server.sql.written_numeric import value_of

#: The name of the function.
GAP_FILL: Final = "gap_fill"

_LOCF: Final = "locf"
_INTERPOLATE: Final = "interpolate"
_KEEPNULL: Final = "keepnull"
_PARTITION: Final = "partition_by"
_NUMBERS: Final = frozenset({"int2", "int4", "int8", "float4", "float8", "numeric"})
_INTEGERS: Final = frozenset({"int2", "int4", "int8"})

#: The whole steps of a difference, towards less, so many times.
_STEPS: Final = (
    "(CAST(_1 AS HUGEINT) - _0 - (((CAST(_1 AS HUGEINT) - _0) % _2 + _2) % _2)) // _2 * _3 + _0"
)


@dataclass(slots=True)
class _Fill:
    """What is said of the columns, by their places.

    Attributes:
        time: The place of the time.
        how: By place, one of the names above.
        partition: The places of what the partitions are of.
    """

    time: int
    how: dict[int, str] = field(default_factory=dict)
    partition: list[int] = field(default_factory=list)


def bind_gap_fill(
    walker: Walker, nodes: list[exp.Expr], alias: str, position: int | None
) -> tuple[exp.Expr, FromItem]:
    """Return such a call as a FROM item.

    Raises:
        SqlSyntaxError: It has other arguments.
        DatatypeMismatch: A column is of a type that cannot be filled so.
        InvalidParameterValue: The interval is not positive.
    """
    if len(nodes) < 3 or not isinstance(nodes[0], exp.Column):
        raise SqlSyntaxError(
            "gap_fill takes a relation, a column of times and an interval", position=position
        )
    tree, item = relation_of(walker, nodes[0])
    inner = Walker(
        *(walker.statement, Scope([item], list(item.columns)), walker.bind_subquery),
        *(walker.ctes, walker.level, walker.place),
    )
    fill = _Fill(_column(inner, item, nodes[1], "the second argument of gap_fill"))
    for node in nodes[3:]:
        _add(inner, item, fill, node)
    time = item.columns[fill.time].value
    if time.type.bare not in (TIMESTAMP, TIMESTAMPTZ):
        raise DatatypeMismatch(
            f"gap_fill needs a column of type timestamp or timestamptz, not of type "
            f"{time.type.sql_name}",
            position=walker.position(nodes[1]),
        )
    step = positive(GAP_FILL, inner.coerced(nodes[2], INTERVAL), walker.position(nodes[2]))
    others, read_again = relation_of(walker, nodes[0])
    filled = _filled(walker, others, read_again, fill, step)
    rows = exp.Select(expressions=_shown([column.value.tree.copy() for column in item.columns]))
    rows.set("from_", exp.From(this=tree))
    whole = exp.Union(this=rows, expression=filled, distinct=False)
    columns = tuple(
        ScopeColumn(column.name, column_of(alias, f"c{i}", column.value.type))
        for i, column in enumerate(item.columns, 1)
    )
    return subquery(whole, alias), FromItem(alias, "", columns)


def _column(inner: Walker, item: FromItem, node: exp.Expr, what: str) -> int:
    """Return the place of a column that is named.

    Raises:
        SqlSyntaxError: It is none.
    """
    value = inner.bind_shown(node) if isinstance(node, exp.Column) else None
    for place, column in enumerate(item.columns):
        if value is not None and column.value.tree == value.tree:
            return place
    raise SqlSyntaxError(f"{what} must be a column", position=inner.position(node))


def _add(inner: Walker, item: FromItem, fill: _Fill, node: exp.Expr) -> None:
    """Take what LOCF, INTERPOLATE, KEEPNULL or PARTITION_BY says.

    Raises:
        SqlSyntaxError: It is none of these, or does not name columns that it can be of.
        DatatypeMismatch: There is nothing between values of the column's type.
    """
    position = inner.position(node)
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name not in {_LOCF, _INTERPOLATE, _KEEPNULL, _PARTITION}:
        raise SqlSyntaxError(
            "gap_fill takes LOCF(column), INTERPOLATE(column), KEEPNULL(column) and "
            "PARTITION_BY(columns) behind the interval",
            position=position,
        )
    places = [
        _column(inner, item, argument, f"the argument of {name}") for argument in node.expressions
    ]
    if not places or (len(places) > 1 and name != _PARTITION):
        count = "one column" if name != _PARTITION else "at least one column"
        raise SqlSyntaxError(f"{name} takes {count}", position=position)
    if fill.time in places:
        raise SqlSyntaxError(f"{name} cannot be of the column of times", position=position)
    if name == _PARTITION:
        fill.partition += [place for place in places if place not in fill.partition]
    else:
        (place,) = places
        pg_type = item.columns[place].value.type
        if name == _INTERPOLATE and (pg_type.name not in _NUMBERS or pg_type.domain is not None):
            raise DatatypeMismatch(
                f"interpolate needs a column of numbers, not of type {pg_type.sql_name}",
                position=position,
            )
        fill.how[place] = name
    if any(place in fill.how for place in fill.partition):
        raise SqlSyntaxError("a column of partition_by cannot be filled", position=position)


def _shown(trees: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [aliased(tree, f"c{i}") for i, tree in enumerate(trees, 1)]


def _filled(
    walker: Walker, tree: exp.Expr, item: FromItem, fill: _Fill, step: exp.Expr
) -> exp.Select:
    """Return the query for the rows between those that there are."""
    pairs, series = walker.statement.new_alias(), walker.statement.new_alias()
    count = len(item.columns)
    width = count + 2 + sum(how == _INTERPOLATE for how in fill.how.values())
    interpolated = [place for place, how in fill.how.items() if how == _INTERPOLATE]
    below = _pairs(tree, item, fill, step, interpolated)
    times = exp.column(f"c{count + 1}", table=series)
    number = exp.column(f"c{width}", table=series)
    steps = Typed(fragment("LEN(_0)", times), INT8)
    done = Typed(fragment("_0 - 1", number), INT8)
    shown: list[exp.Expr] = []
    for place, column in enumerate(item.columns):
        pg_type = column.value.type
        held = Typed(exp.column(f"c{place + 1}", table=series), pg_type)
        how = fill.how.get(place)
        if place == fill.time:
            shown.append(fragment("_0[_1]", times, number))
        elif place in fill.partition or how == _LOCF:
            shown.append(held.tree)
        elif how == _INTERPOLATE:
            after = exp.column(f"c{count + 2 + interpolated.index(place)}", table=series)
            shown.append(_between(held, Typed(after, pg_type), steps, done))
        else:
            shown.append(fragment(f"CAST(NULL AS {pg_type.duckdb})"))
    rows: list[exp.Expr] = [exp.column(f"c{i}", table=pairs) for i in range(1, width)]
    rows.append(fragment("UNNEST(RANGE(2, LEN(_0) + 1))", rows[count]))
    numbered = exp.Select(expressions=_shown(rows))
    numbered.set("from_", exp.From(this=subquery(below, pairs)))
    select = exp.Select(expressions=_shown(shown))
    select.set("from_", exp.From(this=subquery(numbered, series)))
    return select


def _pairs(
    tree: exp.Expr, item: FromItem, fill: _Fill, step: exp.Expr, interpolated: Sequence[int]
) -> exp.Select:
    """Return the query for rows with the moments up to the next, and what that has of some columns.

    The first of the moments is the row's own.
    """
    time = item.columns[fill.time].value.tree
    own = [number - 1 for number in sorted(item.key)] or range(len(item.columns))
    keys = [time, *(item.columns[place].value.tree for place in own if place != fill.time)]
    partition = [item.columns[place].value.tree for place in fill.partition]
    holes = [f"_{hole}" for hole in range(1, len(keys) + len(partition) + 1)]
    by = f"PARTITION BY {', '.join(holes[: len(partition)])} " if partition else ""
    over = f"({by}ORDER BY {', '.join(holes[len(partition) :])})"

    def following(value: exp.Expr) -> exp.Expr:
        return fragment(f"LEAD(_0) OVER {over}", value, *partition, *keys)

    moments = fragment(
        "GENERATE_SERIES(_0, _1 - INTERVAL 1 MICROSECOND, _2)", time, following(time), step
    )
    shown = [column.value.tree.copy() for column in item.columns]
    shown += [moments, *(following(item.columns[place].value.tree) for place in interpolated)]
    select = exp.Select(expressions=_shown(shown))
    select.set("from_", exp.From(this=tree))
    select.set("where", exp.Where(this=fragment("_0 IS NOT NULL", time)))
    return select


def _between(before: Typed, after: Typed, steps: Typed, done: Typed) -> exp.Expr:
    """Return the value so many steps after one, of all that there are to the next."""
    pg_type: PgType = before.type
    if pg_type.name in _INTEGERS:
        whole = fragment(_STEPS, before.tree, after.tree, steps.tree, done.tree)
        return fragment(f"CAST(_0 AS {pg_type.duckdb})", whole)
    first, last = value_of(before), value_of(after)
    part = binary("/", binary("-", last, again(first)), again(steps))
    value = binary("+", again(first), binary("*", part, again(done)))
    return coerce(value, pg_type, Coercion.ASSIGNMENT).tree
