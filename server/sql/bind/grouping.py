"""GROUP BY, and the rule that everything shown is grouped or aggregated."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from catalog.errors import AmbiguousColumn, FeatureNotSupported, GroupingError, WindowingError
from server.sql.bind import walker as places
from server.sql.bind.grouping_sets import DIRECT, HAS_DIRECT, Keys, is_grouping
from server.sql.bind.ordering import bare_name, constant_safe, is_constant, ordinal, settle
from server.sql.bind.query import Output
from server.sql.bind.scope import FromItem, Scope
from server.sql.bind.sortable import check_equal
from server.sql.bind.walker import AGGREGATE_LEVEL, Walker, settled
from server.sql.jsonb_equality import equal_form, has_equal_form
from server.sql.typed import Typed


@dataclass(slots=True)
class Grouping:
    """What a level's rows are grouped by.

    Attributes:
        keys: All expressions that are grouped by, in some grouping set at least.
        has_sets: Whether there are GROUPING SETS, ROLLUP or CUBE.
        told: What the engine is told of a key where that is another expression.
        forms: By key what the engine groups by, where it takes values that are equal for others.
    """

    group: exp.Group
    keys: list[exp.Expr] = field(default_factory=list)
    has_sets: bool = False
    told: dict[exp.Expr, exp.Expr] = field(default_factory=dict)
    forms: dict[exp.Expr, exp.Expr] = field(default_factory=dict)


#: What stands for several grouping sets.
_SETS: Final = (exp.GroupingSets, exp.Rollup, exp.Cube)


def bind_group(walker: Walker, node: exp.Expr, outputs: list[Output]) -> Grouping:
    """Return GROUP BY; a name means a column first and an output second.

    Raises:
        InvalidColumnReference: An ordinal is out of range.
        GroupingError: It groups by an aggregate.
    """
    if node.args.get("all") and not node.expressions:
        raise FeatureNotSupported("GROUP BY ALL is not supported", position=walker.position(node))
    grouping = Grouping(exp.Group())
    trees: list[exp.Expr] = []
    if any(isinstance(item, _SETS) for item in node.expressions):
        grouping.has_sets = True
    keys = Keys(outputs)
    with walker.within(places.GROUP_BY):
        trees += [_bind_element(walker, item, keys, grouping) for item in node.expressions]
    grouping.told = keys.trees
    if grouping.has_sets and node.args.get("all") is False:
        trees = [exp.GroupingSets(expressions=[exp.Tuple(expressions=s) for s in _distinct(trees)])]
    if not grouping.has_sets:
        trees = [part for tree in trees for part in _fields(tree)]
        if not trees:
            trees = [exp.GroupingSets(expressions=[exp.Tuple()])]
    grouping.group.set("expressions", trees)
    return grouping


def _bind_element(walker: Walker, item: exp.Expr, keys: Keys, grouping: Grouping) -> exp.Expr:
    for kind in _SETS:
        if isinstance(item, kind):
            inner = [_bind_element(walker, e, keys, grouping) for e in item.expressions]
            if kind is exp.GroupingSets:
                inner = [e if isinstance(e, (exp.Tuple, *_SETS)) else _tuple(e) for e in inner]
            return kind(expressions=inner)
    if isinstance(item, exp.Tuple):
        return exp.Tuple(
            expressions=[_bind_element(walker, e, keys, grouping) for e in item.expressions]
        )
    tree, key = _key(walker, item, keys, has_sets=grouping.has_sets)
    grouping.keys.append(tree)
    if has_equal_form(key):
        grouping.forms[tree] = equal_form(Typed(tree.copy(), key.type)).tree
    return tree.copy()


def _distinct(trees: Sequence[exp.Expr]) -> list[list[exp.Expr]]:
    """Return the different grouping sets that the elements of GROUP BY DISTINCT stand for."""
    found: dict[frozenset[exp.Expr], list[exp.Expr]] = {}
    for parts in itertools.product(*map(_sets, trees)):
        keys = list(dict.fromkeys(key for part in parts for key in part))
        found.setdefault(frozenset(keys), keys)
    return [[key.copy() for key in keys] for keys in found.values()]


def _sets(tree: exp.Expr) -> list[list[exp.Expr]]:
    """Return the grouping sets of one element (PostgreSQL 15, chapter 7.2.4)."""
    match tree:
        case exp.GroupingSets():
            return [keys for item in tree.expressions for keys in _sets(item)]
        case exp.Rollup():
            items = [_fields(item) for item in tree.expressions]
            return [list(itertools.chain(*items[:n])) for n in range(len(items), -1, -1)]
        case exp.Cube():
            items = [_fields(item) for item in tree.expressions]
            counts = range(len(items), -1, -1)
            chosen = (c for n in counts for c in itertools.combinations(items, n))
            return [list(itertools.chain(*parts)) for parts in chosen]
        case _:
            return [_fields(tree)]


def _tuple(tree: exp.Expr) -> exp.Expr:
    return exp.Tuple(expressions=[tree])


def _fields(tree: exp.Expr) -> list[exp.Expr]:
    return list(tree.expressions) if isinstance(tree, exp.Tuple) else [tree]


def _key(walker: Walker, item: exp.Expr, keys: Keys, *, has_sets: bool) -> tuple[exp.Expr, Typed]:
    """Return a key as the engine is told of it, and what it is."""
    while isinstance(item, exp.Paren):
        item = item.this
    place = _output_meant(walker, item, keys.outputs)
    if place is None:
        value = settled(walker.bind(item))
        check_equal(value.type, walker.position(item))
        return constant_safe(keys.of_expression(value) if has_sets else value.tree), value
    value = _output_key(walker, keys.outputs, place, walker.position(item))
    tree = keys.of_output(place, value) if has_sets else constant_safe(value.tree.copy())
    return tree, value


def _output_meant(walker: Walker, item: exp.Expr, outputs: Sequence[Output]) -> int | None:
    """Return the place of the output that is named or counted out; None if it is neither."""
    name = bare_name(item)
    if name is not None:
        named = [place for place, output in enumerate(outputs) if output.name == name]
        if named and not _is_own_column(walker, name, walker.position(item)):
            return named[0]
    if is_constant(item):
        meant = ordinal(walker, item, outputs, "GROUP BY")
        return next(place for place, output in enumerate(outputs) if output is meant)
    return None


def _is_own_column(walker: Walker, name: str, position: int | None) -> bool:
    """Whether a name is that of a column; one of several columns is none to the peer."""
    own = Scope(walker.scope.items, walker.scope.visible)
    try:
        return own.find(name, position=position) is not None
    except AmbiguousColumn:
        if walker.statement.context.settings.get("compatibility") != "risingwave":
            raise
        return False


def _output_key(walker: Walker, outputs: list[Output], place: int, position: int | None) -> Typed:
    tree = outputs[place].value.tree
    for node in tree.walk():
        if node.meta.get(AGGREGATE_LEVEL) == walker.level:
            raise GroupingError(
                "aggregate functions are not allowed in GROUP BY", position=position
            )
    within = tree.walk(prune=lambda node: isinstance(node, exp.Query))
    if any(isinstance(node, exp.Window) for node in within):
        raise WindowingError("window functions are not allowed in GROUP BY", position=position)
    value = settle(outputs, outputs[place])
    check_equal(value.type, position)
    return value


def with_forms(tree: exp.Expr, grouping: Grouping, level: int) -> exp.Expr:
    """Return an expression of a level that reads forms instead of keys."""
    if not grouping.forms:
        return tree
    made = tree.copy()
    pending, found = [made], list[exp.Expr]()
    while pending:
        node = pending.pop()
        if node in grouping.forms:
            found.append(node)
        elif node.meta.get(AGGREGATE_LEVEL) != level or is_grouping(node):
            pending.extend(node.iter_expressions())
    if not found:
        return tree
    for node in found:
        form = grouping.forms[node].copy()
        if node is made:
            return form
        node.replace(form)
    return made


_DIRECT_ONLY: Final = "Direct arguments of an ordered-set aggregate must use only grouped columns."


def check_grouped(
    walker: Walker, trees: Sequence[exp.Expr], grouping: Grouping | None
) -> list[exp.Expr]:
    """Check that the level's expressions are made from keys and aggregates.

    Returns:
        Columns that depend on keys and that DuckDB must be told to group by as well.

    Raises:
        GroupingError: A column is neither grouped nor aggregated.
    """
    keys = set(grouping.keys) if grouping is not None else set()
    kinds = {type(key) for key in keys}
    items = {item.alias: item for item in walker.scope.items}
    determined = _determined(items.values(), keys) if grouping and not grouping.has_sets else set()
    added: dict[exp.Expr, None] = {}
    pending = list(reversed(trees))
    while pending:
        node = pending.pop()
        if type(node) in kinds and node in keys:
            continue
        if node._meta and node.meta.get(AGGREGATE_LEVEL) == walker.level:  # noqa: SLF001
            _check_grouping(node, keys, grouping)
            if node.meta.get(HAS_DIRECT):
                inside = node.walk(prune=lambda n: bool(n.meta.get(DIRECT)))
                pending += [part for part in inside if part.meta.get(DIRECT)]
            continue
        if isinstance(node, exp.Column) and node.table in items:
            if node.table not in determined:
                raise _ungrouped(items[node.table], node, is_nested=_is_nested(node, trees))
            added[node.copy()] = None
            continue
        pending.extend(reversed(list(node.iter_expressions())))  # The first column is told of.
    return list(added)


def _check_grouping(node: exp.Expr, keys: set[exp.Expr], grouping: Grouping | None) -> None:
    """Refuse GROUPING(...) of what is not grouped by; keys become what the engine is told of."""
    if not is_grouping(node):
        return
    told = {} if grouping is None else grouping.told
    arguments = [told.get(a) or constant_safe(a) for a in node.this.expressions]
    if any(argument not in keys for argument in arguments):
        raise GroupingError(
            "arguments to GROUPING must be grouping expressions of the associated query level",
            position=node.meta.get("position"),
        )
    node.this.set("expressions", [argument.copy() for argument in arguments])


def _determined(items: Iterable[FromItem], keys: set[exp.Expr]) -> set[str]:
    """Return the aliases of the tables whose primary key is among the keys."""
    found: set[str] = set()
    for item in items:
        if item.key and all(exp.column(f"c{n}", table=item.alias) in keys for n in item.key):
            found.add(item.alias)
    return found


def _is_nested(node: exp.Expr, trees: Sequence[exp.Expr]) -> bool:
    tops = {id(tree) for tree in trees}
    at: exp.Expr | None = node
    while at is not None:
        if isinstance(at, exp.Subquery | exp.Exists):
            return True
        if id(at) in tops:
            return False
        at = at.parent
    return False


def _ungrouped(item: FromItem, node: exp.Column, *, is_nested: bool) -> GroupingError:
    column = next((c for c in item.columns if c.value.tree == node), None)
    name = node.name if column is None else column.name
    shown = f"{item.name}.{name}" if item.name else name
    position = node.meta.get("position")
    if is_nested:
        return GroupingError(
            f'subquery uses ungrouped column "{shown}" from outer query', position=position
        )
    is_direct = bool(node.meta.get(DIRECT))
    return GroupingError(
        f'column "{shown}" must appear in the GROUP BY clause or be used in an aggregate function',
        detail=_DIRECT_ONLY if is_direct else None,
        position=position,
    )
