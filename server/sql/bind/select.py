"""SELECT: its list, WHERE, GROUP BY, HAVING, windows, DISTINCT, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from catalog.errors import (
    AmbiguousColumn,
    DuplicateColumn,
    DuplicateObject,
    FeatureNotSupported,
    SqlSyntaxError,
    UndefinedColumn,
    WrongObjectType,
)
from catalog.types import INTERVAL
from server.sql.bind import walker as places
from server.sql.bind.from_item import FromBinder
from server.sql.bind.grouping import Grouping, bind_group, check_grouped, with_forms
from server.sql.bind.grouping_sets import by_case
from server.sql.bind.limit import limited
from server.sql.bind.locking import check_locking
from server.sql.bind.ordering import (
    bind_distinct_on,
    bind_order,
    check_distinct,
)
from server.sql.bind.output_name import output_name
from server.sql.bind.query import Cte, Output, SelectQuery
from server.sql.bind.record import column_of_row
from server.sql.bind.scope import Scope, ScopeColumn
from server.sql.bind.sortable import check_equal
from server.sql.bind.statement import Statement
from server.sql.bind.walker import AGGREGATE_LEVEL, BindSubquery, Walker, again, settled
from server.sql.fragment import fragment
from server.sql.jsonb_equality import equal_form, has_equal_form
from server.sql.special import with_scale_code
from server.sql.typed import Typed
from server.sql.written_numeric import value_of
from server.value.style import current_style

#: Clauses of other dialects that sqlglot would read.
_SETS = ("grouping_sets", "cube", "rollup")
_FOREIGN = ("qualify", "laterals", "match", "cluster", "distribute", "sort", "prewhere", "into")


def bind_select(
    statement: Statement,
    node: exp.Expr,
    outer: Scope | None,
    ctes: Mapping[str, Cte],
    bind_subquery: BindSubquery,
) -> SelectQuery:
    """Bind a SELECT without its WITH."""
    _check_clauses(statement, node)
    level = statement.new_level()
    select = exp.Select()
    scope = Scope(outer=outer)
    from_ = node.args.get("from_")
    if from_ is not None:
        binder = FromBinder(statement, outer, ctes, bind_subquery, level)
        tree, joins, scope = binder.bind(from_.this, list(node.args.get("joins") or ()))
        select.set("from_", tree)
        select.set("joins", joins or None)
    walker = Walker(statement, scope, bind_subquery, ctes, level)
    scope.owner = walker
    walker.windows = _named_windows(node)
    outputs = bind_outputs(walker, node.expressions)
    where = node.args.get("where")
    if where is not None:
        with walker.within(places.WHERE):
            condition = walker.condition(where.this, "WHERE")
        select.set("where", exp.Where(this=condition))
    _group_and_sort(walker, node, select, outputs)
    check_locking(statement, node, scope, has_aggregates=walker.has_aggregates)
    return limited(walker, node, select, outputs)


def _check_clauses(statement: Statement, node: exp.Expr) -> None:
    for clause in _FOREIGN:
        if node.args.get(clause):
            raise FeatureNotSupported(
                f"{clause.upper()} is not supported", position=statement.position(node)
            )


def _named_windows(node: exp.Expr) -> dict[str, exp.Expr]:
    windows: dict[str, exp.Expr] = {}
    for window in node.args.get("windows") or ():
        if window.name in windows:
            raise DuplicateObject(f'window "{window.name}" is already defined')
        windows[window.name] = window
    return windows


def _group_and_sort(
    walker: Walker, node: exp.Expr, select: exp.Select, outputs: list[Output]
) -> None:
    group, having = node.args.get("group"), node.args.get("having")
    if group is not None or having is not None or walker.has_aggregates:
        outputs[:] = [_grouped_value(output, walker.level, group) for output in outputs]
    grouping = None if group is None else bind_group(walker, group, outputs)
    condition: exp.Expr | None = None
    if having is not None:
        with walker.within(places.HAVING):
            condition = walker.condition(having.this, "HAVING")
    order_node = node.args.get("order")
    distinct = node.args.get("distinct")
    order: list[exp.Ordered] = []
    if order_node is not None:
        order = bind_order(walker, order_node, outputs, has_own_keys=distinct is None)
    if distinct is not None:
        nodes = [] if order_node is None else order_node.expressions
        select.set("distinct", _distinct(walker, distinct, outputs, order, nodes))
    if grouping is not None or having is not None or walker.has_aggregates:
        shown = [output.value.tree for output in outputs] + [item.this for item in order]
        if condition is not None:
            shown.append(condition)
        _finish_grouping(select, grouping, check_grouped(walker, shown, grouping))
    if grouping is not None:
        keys, level = grouping.keys, walker.level
        for place, output in enumerate(outputs):
            tree = by_case(output.value.tree, keys, level)
            if tree is not output.value.tree:
                outputs[place] = replace(output, value=Typed(tree, output.value.type))
        for item in order:
            item.set("this", by_case(item.this, keys, level))
        condition = None if condition is None else by_case(condition, keys, level)
        _group_by_forms(select, grouping, level, outputs, order)
        condition = None if condition is None else with_forms(condition, grouping, level)
    if condition is not None:
        select.set("having", exp.Having(this=condition))
    if order:
        select.set("order", exp.Order(expressions=order))


def _group_by_forms(
    select: exp.Select,
    grouping: Grouping,
    level: int,
    outputs: list[Output],
    order: Sequence[exp.Ordered],
) -> None:
    """Group by the forms of keys of which equal values are not the same, and show these."""
    if not grouping.forms:
        return
    for place, output in enumerate(outputs):
        tree = with_forms(output.value.tree, grouping, level)
        if tree is not output.value.tree:
            outputs[place] = replace(output, value=Typed(tree, output.value.type))
    for item in order:
        item.set("this", with_forms(item.this, grouping, level))
    on = select.args["distinct"].args.get("on") if select.args.get("distinct") else None
    for holder in (grouping.group, on):
        if holder is not None:
            told = [with_forms(tree, grouping, level) for tree in holder.expressions]
            holder.set("expressions", told)


def _distinct(
    walker: Walker,
    distinct: exp.Expr,
    outputs: list[Output],
    order: list[exp.Ordered],
    nodes: Sequence[exp.Expr],
) -> exp.Distinct:
    """Return DISTINCT; ``nodes`` are what ORDER BY sorts by, as parsed."""
    on = distinct.args.get("on")
    if on is None:
        told_apart = [_told_apart(output.value) for output in outputs]
        for output, value in zip(outputs, told_apart, strict=True):
            if has_equal_form(value):
                _follow(order, output.value.tree, value.tree)
        outputs[:] = [replace(o, value=v) for o, v in zip(outputs, told_apart, strict=True)]
        if current_style().is_peer and not order:
            outputs[:] = [_in_largest_units(output) for output in outputs]
        for output in outputs:
            check_equal(output.value.type, None)
        check_distinct(walker, order, outputs, nodes)
        return exp.Distinct()
    keys = on.expressions if isinstance(on, exp.Tuple) else [on]
    return bind_distinct_on(walker, keys, outputs, order)


def _told_apart(value: Typed) -> Typed:
    """Return a value of which equal ones are one."""
    return equal_form(with_scale_code(settled(value_of(value)), None))


def _follow(order: Sequence[exp.Ordered], shown: exp.Expr, becomes: exp.Expr) -> None:
    """Let ORDER BY sort by what an output has become."""
    for item in order:
        if item.this == shown:
            item.set("this", becomes.copy())


def _grouped_value(output: Output, level: int, group: exp.Expr | None) -> Output:
    """Return an output of groups: of values that are equal none shows its scale, sums do."""
    value = value_of(output.value)
    if value is output.value and value.scale_code is None:
        return output
    code = value.scale_code
    has_sets = group is not None and any(group.args.get(key) for key in _SETS)
    if code is not None and (has_sets or not _is_of_groups(code, level)):
        code = None
    return replace(output, value=with_scale_code(value, code))


def _is_of_groups(tree: exp.Expr, level: int) -> bool:
    """Whether an expression reads columns in aggregates of a level alone."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if node.meta.get(AGGREGATE_LEVEL) == level:
            continue
        if isinstance(node, (exp.Column, exp.Query)):
            return False
        pending += node.iter_expressions()
    return True


def _in_largest_units(output: Output) -> Output:
    """Return an interval as RisingWave shows one of several that are equal."""
    if output.value.type.oid != INTERVAL.oid:
        return output
    tree = fragment("tg_justify_interval(_0)", output.value.tree)
    return replace(output, value=Typed(tree, INTERVAL))


def _finish_grouping(
    select: exp.Select, grouping: Grouping | None, determined: list[exp.Expr]
) -> None:
    if grouping is None:
        return
    for tree in determined:
        grouping.group.append("expressions", tree)
    select.set("group", grouping.group)


def bind_outputs(walker: Walker, nodes: Sequence[exp.Expr]) -> list[Output]:
    """Return the columns of a SELECT or RETURNING list, stars replaced."""
    outputs: list[Output] = []
    for node in nodes:
        if isinstance(node, exp.Star):
            outputs += _starred(walker, node, walker.scope.visible, walker.scope.items)
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            item = walker.scope.item(
                node.table, schema=node.text("db"), position=walker.position(node)
            )
            outputs += _starred(walker, node.this, item.columns, [item])
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
            outputs += _members(walker, node)
        else:
            outputs.append(_bind_output(walker, node))
    return outputs


def _members(walker: Walker, node: exp.Dot) -> list[Output]:
    """Return the columns of ``(row).*``.

    Raises:
        WrongObjectType: It is no row whose columns are known.
    """
    value = walker.bind(node.this)
    if not value.type.is_row:
        raise WrongObjectType(
            f"type {value.type.sql_name} is not composite", position=walker.position(node.this)
        )
    return [Output(name, column_of_row(again(value), name)) for name, _ in value.type.members]


def _starred(
    walker: Walker, star: exp.Expr, columns: Sequence[ScopeColumn], items: Sequence[object]
) -> list[Output]:
    position = walker.position(star)
    if not items:
        raise SqlSyntaxError("SELECT * with no tables specified is not valid", position=position)
    for extra in ("replace", "rename"):
        if star.args.get(extra):
            raise FeatureNotSupported(f"* {extra.upper()} is not supported", position=position)
    left_out = [_left_out(walker, node, columns) for node in star.args.get("except_") or ()]
    if any(column in left_out[:i] for i, column in enumerate(left_out)):
        raise DuplicateColumn("column specified more than once in EXCEPT", position=position)
    shown = [column for column in columns if column not in left_out]
    for column in shown:
        walker.statement.note_read(column)
    outputs = [_output_of(column) for column in shown]
    for output in outputs:
        if isinstance(output.value.tree, exp.Column):
            output.value.tree.meta["position"] = position
    return outputs


def _left_out(walker: Walker, node: exp.Expr, columns: Sequence[ScopeColumn]) -> ScopeColumn:
    """Return the column that EXCEPT of a star names.

    Raises:
        SqlSyntaxError: It names none.
        UndefinedColumn: There is none of that name.
        AmbiguousColumn: There are several.
    """
    position = walker.position(node)
    if not isinstance(node, exp.Column):
        raise SqlSyntaxError("EXCEPT of * takes names of columns", position=position)
    table = node.text("table")
    among: Sequence[ScopeColumn] = columns
    if table:
        # One of another item than the star's is not shown anyway.
        among = walker.scope.item(table, schema=node.text("db"), position=position).columns
    found = [column for column in among if column.name == node.name]
    shown = f"{table}.{node.name}" if table else f'"{node.name}"'
    if not found:
        raise UndefinedColumn(f"column {shown} does not exist", position=position)
    if len(found) > 1:
        raise AmbiguousColumn(f"column {shown} of EXCEPT is ambiguous", position=position)
    return found[0]


def _output_of(column: ScopeColumn) -> Output:
    return Output(column.name, again(column.value), column.relation_oid, column.number)


def _bind_output(walker: Walker, node: exp.Expr) -> Output:
    if isinstance(node, exp.Alias):
        output = _bind_output(walker, node.this)
        return replace(output, name=node.alias)
    if isinstance(node, (exp.Aliases, exp.Tuple)):
        value = walker.bind(node)
        return Output("row", value)
    inner = node
    while isinstance(inner, exp.Paren):
        inner = inner.this
    value = walker.bind_shown(inner)
    if isinstance(inner, exp.Column) and isinstance(value.tree, exp.Column):
        origin = _origin(walker.scope, value)
        if origin is not None:
            return Output(inner.name, value, origin.relation_oid, origin.number)
    return Output(output_name(inner), value)


def _origin(scope: Scope | None, value: Typed) -> ScopeColumn | None:
    """Return the column that a bound column reads."""
    alias = value.tree.args["table"].name
    while scope is not None:
        for item in scope.items:
            if item.alias == alias:
                for column in item.columns:
                    if column.value.tree == value.tree:
                        return column
        scope = scope.outer
    return None
