"""Which columns of a bound query have a watermark: what is below it has come.

A column of a table has the table's. It passes through projections and what keeps order in them,
through filters, groups and windows of rows by it, and UNION, which waits for all of its branches.
A join keeps it where both sides have one of what they are joined by: by equality, or by how far
apart two times may be (an interval join); then it is as far as both have come. A temporal join
keeps those of its left side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp

from barrier.stream.aliases import PROCTIME, WATERMARK
from catalog.oid import Oid
from catalog.relation import MaterializedView, Source, Table
from catalog.state import Catalog
from catalog.watermark import Watermark
from server.sql.closing.monotone import NOW, Mark, Marks, Reference, through

_STORED: Final = "r"

#: What begins the alias of rows in the order of a watermark, all of which are shown at once.
TIMELY: Final = "timely"


@dataclass(frozen=True)
class Item:
    """An item of FROM.

    Attributes:
        marks: Those of its columns, by name.
        side: How it is joined to those before it.
        is_followed: Whether its rows come and go by themselves, so that they are joined with later
            ones of others; not those of a function, of a watermark or of a temporal join.
    """

    alias: str
    marks: Mapping[str, Marks]
    side: str
    is_followed: bool


@dataclass
class Derivation:
    """Finds watermarks in the queries of one statement.

    Attributes:
        catalog: What the stored relations are.
        common: The marks of common table expressions.
    """

    catalog: Catalog
    common: dict[str, Mapping[str, Marks]] = field(default_factory=dict)

    def of(self, query: exp.Expr) -> Mapping[str, Marks]:
        """Return the marks of a query's columns, by their names."""
        query = query.unnest() if isinstance(query, exp.Subquery) else query
        self.note_common(query)
        if isinstance(query, exp.SetOperation):
            return self._of_both(query)
        if not isinstance(query, exp.Select) or query.args.get("limit"):
            return {}
        marks, largest = self.of_from(query)
        if functions_of_time(query) or reads_beside_from(query):
            return {}
        if any(query.args.get(c) for c in ("group", "having")) or has_aggregates(query):
            group = query.args.get("group")
            keys = [] if group is None else group.expressions
            return _named(query, lambda e: through(e, marks, largest) if e in keys else ())
        windows = windows_of(query)
        if windows and not items_of(query)[0][0].alias_or_name.startswith(TIMELY):
            keys = common_partition(windows)
            return _named(query, lambda e: through(e, marks, largest) if e in keys else ())
        return _named(query, lambda e: through(e, marks, largest))

    def note_common(self, query: exp.Expr) -> None:
        """Take in the common table expressions of a query."""
        clause = query.args.get("with_")
        for cte in () if clause is None else clause.expressions:
            is_recursive = any(t.name == cte.alias for t in cte.this.find_all(exp.Table))
            self.common[cte.alias] = {} if is_recursive else self.of(cte.this)

    def of_from(
        self, query: exp.Select
    ) -> tuple[dict[Reference, Marks], dict[Reference, exp.Expr]]:
        """Return the marks of the columns that FROM gives, and the largest values of counters."""
        items, largest = [], {}
        for item, side in items_of(query):
            items.append(self._item(item, side))
            series = item.find(exp.GenerateSeries)
            if series is not None and not isinstance(item, exp.Subquery):
                largest[item.alias, "c1"] = series.args["end"]
        return _joined(query, items), largest

    def _item(self, item: exp.Expr, side: str) -> Item:
        alias = item.alias_or_name
        if alias.startswith(WATERMARK) or alias.endswith(PROCTIME):
            return Item(alias, {}, side, is_followed=False)
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
            return Item(alias, self.of(item.this), side, is_followed=True)
        if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
            name = item.name
            marks = self.common[name] if name in self.common else self._of_stored(name)
            return Item(alias, marks, side, is_followed=True)
        is_followed = any(_oid(table.name) is not None for table in item.find_all(exp.Table))
        return Item(alias, {}, side, is_followed)

    def _of_stored(self, name: str) -> Mapping[str, Marks]:
        oid = _oid(name)
        relation = None if oid is None else self.catalog.relations.get(oid)
        match relation:
            # Of rows that go, by themselves or for others, nothing stays as it was emitted.
            case Table(watermark=Watermark() as watermark, retention_s=None, is_append_only=True):
                return {f"c{watermark.column}": (Mark(relation.oid, NOW.copy()),)}
            case Source(watermark=Watermark() as watermark):
                return {f"c{watermark.column}": (Mark(relation.oid, NOW.copy()),)}
            case MaterializedView(refresh_interval_s=None):
                return Derivation(self.catalog).of(sqlglot.parse_one(relation.query, read="duckdb"))
            case _:
                return {}

    def _of_both(self, query: exp.SetOperation) -> Mapping[str, Marks]:
        """Return the marks of the columns that have them on both sides."""
        first, second = self.of(query.this), self.of(query.expression)
        names = zip(query.this.named_selects, query.expression.named_selects, strict=True)
        return {a: united(first[a], second[b]) for a, b in names if first.get(a) and second.get(b)}


def items_of(query: exp.Select) -> list[tuple[exp.Expr, str]]:
    """Return the items of FROM, each with how it is joined to those before it."""
    first = query.args.get("from_")
    joins = query.args.get("joins") or ()
    items = [] if first is None else [(first.this, "")]
    return [*items, *((join.this, str(join.args.get("side") or "")) for join in joins)]


def windows_of(query: exp.Select) -> list[exp.Window]:
    """Return the calls of window functions of a query itself."""
    found = [w for e in query.expressions for w in e.find_all(exp.Window)]
    return [w for w in found if w.parent_select is query]


def common_partition(windows: Sequence[exp.Window]) -> list[exp.Expr]:
    """Return what all of some windows are partitioned by."""
    first, *others = [list(w.args.get("partition_by") or ()) for w in windows]
    return [e for e in first if all(e in other for other in others)]


def has_aggregates(query: exp.Select) -> bool:
    """Whether a query's own rows are put together into others."""
    return any(
        call.parent_select is query and call.find_ancestor(exp.Window, exp.Select) is query
        for e in (*query.expressions, query.args.get("having"))
        if e is not None
        for call in e.find_all(exp.AggFunc)
    )


def functions_of_time(query: exp.Select) -> bool:
    """Whether rows of a query come and go because time passes."""
    return any(
        call.name.lower() == "getvariable"
        for call in query.find_all(exp.Anonymous)
        if call.parent_select is query
    )


def reads_beside_from(query: exp.Select) -> bool:
    """Whether expressions of a query, not its FROM, read relations."""
    clauses = (query.args.get(name) for name in ("where", "having", "group"))
    parts = [*query.expressions, *(clause for clause in clauses if clause is not None)]
    inner = [q for part in parts for q in part.find_all(exp.Query)]
    return any(q.find(exp.Table) is not None for q in inner)


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the conditions that all must hold for one to hold, BETWEEN as two of them."""
    match condition:
        case None:
            return []
        case exp.Paren():
            return conjuncts(condition.this)
        case exp.And():
            return [*conjuncts(condition.left), *conjuncts(condition.right)]
        case exp.Between():
            low, high = condition.args["low"], condition.args["high"]
            return [
                exp.GTE(this=condition.this.copy(), expression=low.copy()),
                exp.LTE(this=condition.this.copy(), expression=high.copy()),
            ]
        case _:
            return [condition]


def united(*parts: Marks) -> Marks:
    """Return marks that all hold, each once."""
    return tuple(dict.fromkeys(mark for part in parts for mark in part))


def _named(query: exp.Select, marks_of: Callable[[exp.Expr], Marks]) -> dict[str, Marks]:
    found = {e.alias_or_name: marks_of(e.unalias()) for e in query.expressions}
    return {name: marks for name, marks in found.items() if marks}


def _oid(name: str) -> Oid | None:
    is_stored = name[:1] == _STORED and name[1:].isdigit()
    return Oid(int(name[1:])) if is_stored else None


def _joined(query: exp.Select, items: Sequence[Item]) -> dict[Reference, Marks]:
    """Return the marks of columns after the joins of a query."""
    found = {(i.alias, name): marks for i in items for name, marks in i.marks.items()}
    followed = [i for i in items if i.is_followed]
    if len(followed) <= 1:
        return {} if any(i.side in ("RIGHT", "FULL") for i in items) else found
    where = query.args.get("where")
    conditions = conjuncts(None if where is None else where.this)
    for join in query.args.get("joins") or ():
        conditions += conjuncts(join.args.get("on"))
    kept = _equal_in_all(conditions, found, followed)
    if len(followed) == 2 and not any(i.side in ("RIGHT", "FULL") for i in items):
        for reference, marks in _near_each_other(conditions, found).items():
            kept.setdefault(reference, marks)
    return kept


def _equal_in_all(
    conditions: Sequence[exp.Expr], found: Mapping[Reference, Marks], followed: Sequence[Item]
) -> dict[Reference, Marks]:
    """Return the columns by which all items are joined with each other, and all have marks."""
    classes: list[set[Reference]] = [{reference} for reference in found]
    for condition in conditions:
        sides = [condition.this, condition.expression] if isinstance(condition, exp.EQ) else []
        if not sides or not all(isinstance(side, exp.Column) for side in sides):
            continue
        pair = {(side.table, side.name) for side in sides}
        if not pair <= found.keys():
            continue
        touched = [c for c in classes if c & pair]
        classes = [c for c in classes if not c & pair] + [set().union(*touched)]
    aliases = {item.alias for item in followed}
    kept = [c for c in classes if aliases <= {alias for alias, _ in c}]
    return {r: united(*(found[each] for each in sorted(c))) for c in kept for r in c}


def _near_each_other(
    conditions: Sequence[exp.Expr], found: Mapping[Reference, Marks]
) -> dict[Reference, Marks]:
    """Return the columns that are no earlier than something that has a mark of the other side.

    With ``a.t >= g(b.t)``, a row that is still to come has a new row of a, which is not below a's
    mark, or one of b, so that its time is not below g of b's.
    """
    kept: dict[Reference, Marks] = {}
    for condition in conditions:
        for low, high in _bounds(condition):
            reference = (high.table, high.name)
            others = {r: m for r, m in found.items() if r[0] != high.table}
            marks = through(low, others, {})
            if reference in found and marks and reference not in kept:
                kept[reference] = united(found[reference], marks)
    return kept


def _bounds(condition: exp.Expr) -> list[tuple[exp.Expr, exp.Column]]:
    """Return what a condition says of columns: a lower bound of each, and the column."""
    match condition:
        case exp.GTE() | exp.GT():
            high, low = condition.this, condition.expression
        case exp.LTE() | exp.LT():
            low, high = condition.this, condition.expression
        case _:
            return []
    bounds = [(low, high)] if isinstance(high, exp.Column) else []
    # a <= b + y is b >= a - y.
    inner = high.unnest() if isinstance(high, exp.Paren) else high
    is_moved = isinstance(inner, exp.Add | exp.Sub) and isinstance(inner.this, exp.Column)
    if is_moved and inner.expression.find(exp.Column) is None:
        turned = exp.Sub if isinstance(inner, exp.Add) else exp.Add
        moved = turned(this=low.copy(), expression=inner.expression.copy())
        bounds.append((moved, inner.this))
    return bounds
