"""What the engine refuses in one query: keys of windows that can fail, sets of sets.

The engine takes a window's partition or order by nothing that it calls volatile, and what reports
an error (a division, a cast of a text) is that to it. So

    SELECT rank() OVER (ORDER BY a / b) FROM t

becomes ``SELECT rank() OVER (ORDER BY k.c1) FROM (SELECT a / b AS c1 FROM t) AS k``: all that the
windows and what stands beside them read is a column of the inner query, grouping included. So do
DISTINCT ON and its ORDER BY, which views keep as a window. A set that is made of another one takes
it from such a query too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from sqlglot import exp

from server.sql.volatility import may_fail_or_vary

#: What the inner query takes over from the outer one.
_BELOW: Final = ("from_", "joins", "laterals", "where", "group", "having")

#: What takes rows out of a list.
_SETS: Final = (exp.Unnest, exp.Explode)

#: Around or inside the call of a window: not values themselves.
_PARTS: Final = (
    *(exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup, exp.Distinct),
    *(exp.Order, exp.Ordered, exp.Where, exp.Star, exp.Tuple),
)


def compute_keys_below(select: exp.Select, alias: str) -> None:
    """Let a query below compute what windows and DISTINCT ON read, if the engine asks for that.

    Args:
        select: A bound query; it is changed.
        alias: A name that is free in it.
    """
    keys = [key for window in own_nodes(select, exp.Window) for key in _keys(window)]
    if any(may_fail_or_vary(key) for key in [*keys, *_distinct_keys(select)]):
        put_below(select, Feed(alias, exp.Window))


def expand_sets_below(select: exp.Select, alias: str) -> None:
    """Let a query below expand the sets that others are made of: ``unnest(regexp_matches(...))``.

    Those that have none in them give their rows side by side, and the others theirs for each of
    these rows (PostgreSQL 15, chapter 38.5.9).

    Args:
        select: A bound query; it is changed.
        alias: A name that is free in it.
    """
    if any(_has_sets_inside(outer) for outer in own_nodes(select, *_SETS)):
        inner = put_below(select, Feed(alias, *_SETS))
        expand_sets_below(inner, f"{alias}k")


def choose_rows_below(select: exp.Select, alias: str) -> exp.Select:
    """Let a query below choose the rows of DISTINCT ON before sets are expanded.

    PostgreSQL expands sets after it has sorted, unless it sorts by one of them, and DISTINCT ON
    with ORDER BY chooses among what is sorted.

    Args:
        select: A bound query; it is changed.
        alias: A name that is free in it.

    Returns:
        The query below, or the same one.
    """
    keys = _distinct_keys(select)
    if not select.args.get("order") or not keys or any(map(is_set, keys)):
        return select
    if not any(map(is_set, select.expressions)):
        return select
    feed = _Arguments(alias, *_SETS)
    outer = exp.Select(expressions=[feed.read(shown) for shown in select.expressions])
    order = exp.Order(
        expressions=[
            exp.Ordered(**{**item.args, "this": feed.read(item.this.copy())})
            for item in select.args["order"].expressions
        ]
    )
    inner = exp.Select(expressions=feed.columns)
    for name in (*_BELOW, "distinct", "order"):
        inner.set(name, select.args.get(name))
        select.set(name, None)
    item = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    select.set("expressions", outer.expressions)
    select.set("from_", exp.From(this=item))
    select.set("order", order)
    return inner


def is_set(tree: exp.Expr) -> bool:
    """Whether a value is made of the rows of a set, outside of queries in it."""
    return any(isinstance(node, _SETS) for node in tree.walk(prune=_is_query))


def _has_sets_inside(node: exp.Expr) -> bool:
    inside = node.walk(prune=_is_query)
    return any(isinstance(part, _SETS) and part is not node for part in inside)


def put_below(select: exp.Select, feed: Feed) -> exp.Select:
    """Put a query below another for what that reads, and return it."""
    for name in ("expressions", "distinct", "qualify", "order"):
        value = select.args.get(name)
        if isinstance(value, list):
            select.set(name, [feed.read(part) for part in value])
        elif value:
            select.set(name, feed.read(value))
    inner = exp.Select(expressions=feed.columns or [_named(exp.Literal.number("1"), "c1")])
    for name in _BELOW:
        inner.set(name, select.args.get(name))
        select.set(name, None)
    item = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(feed.alias)))
    select.set("from_", exp.From(this=item))
    return inner


def _is_query(node: exp.Expr) -> bool:
    return isinstance(node, exp.Query)


def own_nodes(select: exp.Select, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the nodes of some kinds that belong to a query itself, the outermost of each."""
    for name in ("expressions", "qualify", "order"):
        value = select.args.get(name)
        for part in value if isinstance(value, list) else [value] if value is not None else []:
            for node in part.walk(prune=lambda n: isinstance(n, (exp.Query, *kinds))):
                if isinstance(node, kinds):
                    yield node


def _keys(window: exp.Expr) -> list[exp.Expr]:
    order = window.args.get("order")
    return [*(window.args.get("partition_by") or ()), *(order.expressions if order else ())]


def _distinct_keys(select: exp.Select) -> list[exp.Expr]:
    distinct, order = select.args.get("distinct"), select.args.get("order")
    if distinct is None or not distinct.args.get("on"):
        return []
    return [*distinct.args["on"].expressions, *(order.expressions if order else ())]


class Feed:
    """The columns of the query below, while what reads them is rewritten."""

    def __init__(self, alias: str, *kept: type[exp.Expr]) -> None:
        """Begin with none; ``kept`` are the nodes that stay above, whose arguments are read."""
        self.alias = alias
        self._kept = kept
        self._names: dict[str, str] = {}
        self.columns: list[exp.Expr] = []

    def read(self, node: exp.Expr) -> exp.Expr:
        """Return a tree in which all that is no window is read from the query below."""
        if isinstance(node, exp.Window) and isinstance(node, self._kept):
            self._read_window(node)
            return node
        if isinstance(node, self._kept):
            if not _has_sets_inside(node):
                return self._column(node)  # Its rows stand beside those of the sets inside others.
            self._map_children(node, self._column)
            return node
        if isinstance(node, (exp.Alias, *_PARTS)) or self._holds_kept(node):
            self._read_children(node)
            return node
        return self._column(node)

    def _read_window(self, window: exp.Window) -> None:
        self._read_function(window.this)
        for name in ("partition_by", "order"):
            value = window.args.get(name)
            if isinstance(value, list):
                window.set(name, [self.read(part) for part in value])
            elif value is not None:
                self._read_children(value)

    def _read_function(self, function: exp.Expr) -> None:
        """Read the arguments of a window's call, which stays where it is."""
        if isinstance(function, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
            self._read_function(function.this)
            if isinstance(function.args.get("expression"), exp.Expr):
                self._read_children(function.expression)
            return
        self._read_children(function)

    def _read_children(self, node: exp.Expr) -> None:
        self._map_children(node, self.read)

    @staticmethod
    def _map_children(node: exp.Expr, read: Callable[[exp.Expr], exp.Expr]) -> None:
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                node.set(name, [read(v) if _is_value(v) else v for v in value])
            elif _is_value(value):
                node.set(name, read(value))

    def _holds_kept(self, node: exp.Expr) -> bool:
        return any(isinstance(part, self._kept) for part in node.walk(prune=_is_query))

    def _column(self, node: exp.Expr) -> exp.Expr:
        if _is_constant(node):
            return node
        text = node.sql(dialect="duckdb")
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = f"c{len(self._names) + 1}"
            held = node.copy() if node.parent is not None else node
            self.columns.append(exp.Alias(this=held, alias=exp.Identifier(this=name, quoted=False)))
        return exp.column(name, table=self.alias)


class _Arguments(Feed):
    """The columns of a query below of which sets are made, all of which stay above."""

    def read(self, node: exp.Expr) -> exp.Expr:
        """Return a tree in which what sets are made of is read from the query below."""
        if isinstance(node, self._kept):
            self._read_children(node)
            return node
        return super().read(node)


def _named(tree: exp.Expr, name: str) -> exp.Alias:
    return exp.Alias(this=tree, alias=exp.Identifier(this=name, quoted=False))


def _is_value(value: object) -> bool:
    return isinstance(value, exp.Expr) and not isinstance(
        value, (exp.Identifier, exp.DataType, exp.WindowSpec, exp.Var)
    )


def _is_constant(node: exp.Expr) -> bool:
    """Whether a value reads nothing; a column without a table is one of the query's own results."""
    return not any(
        isinstance(part, (exp.AggFunc, exp.Query, exp.Anonymous, *_SETS))
        or (isinstance(part, exp.Column) and part.table)
        for part in node.walk()
    )
