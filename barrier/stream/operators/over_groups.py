"""Window functions and subqueries over groups: the groups first, then what looks at them.

    SELECT w(a(x)) ... GROUP BY g HAVING h
      =  SELECT w(c1) FROM (SELECT a(x) AS c1 ... GROUP BY g) WHERE h

where a are aggregates, w windows, and h a condition with a subquery.
Source: PostgreSQL 15, chapter 4.2.8 (windows see the rows after grouping and HAVING).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from barrier.stream import functions, trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.recompute import Recompute

_GROUPS: Final = "groups"
_WRAPPERS: Final = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take a grouped SELECT with windows, or with subqueries in what it shows or in HAVING."""
    if not isinstance(query, exp.Select):
        return None
    group, having = query.args.get("group"), query.args.get("having")
    shown = [*query.expressions, *([] if having is None else [having.this])]
    is_grouped = group or having or any(map(_aggregates_rows, query.expressions))
    grouped = [] if group is None else _grouped_by(group)
    if not is_grouped or not any(_looks_at_groups(e, grouped) for e in shown):
        return None
    if any(query.args.get(name) for name in ("limit", "offset", "distinct")):
        raise NotIncrementalError("windows over groups with LIMIT or DISTINCT")
    parts = _Parts(grouped)
    columns = [e.alias for e in query.expressions]
    projections = [parts.taken(e.unalias()) for e in query.expressions]
    is_outside = having is not None and having.find(exp.Query) is not None
    condition = parts.taken(having.this) if having is not None and is_outside else None
    inner = query.copy()
    inner.set("expressions", parts.columns() or [trees.named(trees.number(1), "c1")])
    inner.set("order", None)
    if is_outside:
        inner.set("having", None)
    outer = trees.select(
        [trees.named(e, name) for e, name in zip(projections, columns, strict=True)],
        items=[trees.from_item(inner, _GROUPS)],
        where=condition,
    )
    node = builder.build(outer, is_root=is_root)
    if isinstance(node, Recompute):
        raise NotIncrementalError(node.reason)
    return node


def _grouped_by(group: exp.Expr) -> list[exp.Expr]:
    """Return every expression that rows are grouped by, in grouping sets too."""
    found: list[exp.Expr] = []
    for element in group.expressions:
        if isinstance(element, exp.Rollup | exp.Cube | exp.GroupingSets | exp.Tuple | exp.Paren):
            found += _grouped_by(exp.Group(expressions=list(element.iter_expressions())))
        else:
            found.append(element)
    return found


def _looks_at_groups(expression: exp.Expr, grouped: list[exp.Expr]) -> bool:
    """Whether an expression has a window or a subquery that is not part of a group's own values."""

    def is_own(node: exp.Expr) -> bool:
        is_value = functions.is_aggregate(node) and not _is_of_window(node)
        return node in grouped or is_value

    found = expression.walk(prune=is_own)
    return any(isinstance(node, exp.Window | exp.Query) and not is_own(node) for node in found)


def _aggregates_rows(expression: exp.Expr) -> bool:
    """Whether an expression aggregates rows, rather than looks at them through a window."""
    return any(
        functions.is_aggregate(node) and not _is_of_window(node)
        for node in expression.walk(prune=lambda node: isinstance(node, exp.Query))
    )


def _is_of_window(call: exp.Expr) -> bool:
    """Whether a call is the function of a window itself, not something that the window is given."""
    parent = call.parent
    while isinstance(parent, _WRAPPERS) and parent.this is call:
        call, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is call


class _Parts:
    """What the groups must show for the expressions over them."""

    def __init__(self, groups: list[exp.Expr]) -> None:
        self._groups = groups
        self._taken: list[exp.Expr] = []

    def columns(self) -> list[exp.Expr]:
        """Return the projections of the grouped query."""
        return [trees.named(part, f"c{i}") for i, part in enumerate(self._taken, start=1)]

    def taken(self, node: exp.Expr) -> exp.Expr:
        """Return an expression over the grouped query's columns.

        Raises:
            NotIncrementalError: It needs a column that is neither grouped by nor aggregated.
        """
        if node in self._groups or functions.is_aggregate(node) or functions.is_grouping(node):
            return self._column(node)
        if isinstance(node, exp.Column):
            raise NotIncrementalError("a column that is not grouped by")
        copied = node.copy()
        if isinstance(node, exp.Query):
            # Its own columns are its own business; those of the groups are found by name.
            for column in list(copied.find_all(exp.Column)):
                if column in self._groups:
                    column.replace(self._column(column))
            return copied
        if isinstance(node, exp.Window):
            self._take_window(copied)
            return copied
        for child in list(copied.iter_expressions()):
            child.replace(self.taken(child))
        return copied

    def _take_window(self, window: exp.Expr) -> None:
        """Take what a window is given, but not its own function, which may be an aggregate's."""
        call = window.this
        while isinstance(call, _WRAPPERS):
            self._take_parts(call, besides=call.this)
            call = call.this
        self._take_parts(call)
        self._take_parts(window, besides=window.this)

    def _take_parts(self, node: exp.Expr, besides: exp.Expr | None = None) -> None:
        for part in list(node.iter_expressions()):
            if part is not besides and not isinstance(part, exp.WindowSpec):
                part.replace(self.taken(part))

    def _column(self, part: exp.Expr) -> exp.Column:
        if part not in self._taken:
            self._taken.append(part.copy())
        return trees.column(f"c{self._taken.index(part) + 1}", _GROUPS)
