"""Window functions over rows that come in the order of a watermark column.

Either all windows are partitioned by a column with a watermark: then a partition is shown when that
is passed. Or all are ordered by one: then the rows below the watermark are all that there will be,
in their order, and of them those are shown whose frames have ended. A frame that ends with the row
has; one of ``k FOLLOWING`` rows, or LEAD by k, once so many rows are there; a session, once another
has begun after it; one that is as long as some time, once the watermark has passed that. Rows at
the same time are ordered by the table's key, or by all their columns, so that they have one order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from server.sql.bind.session_window import SESSION
from server.sql.closing.derived import TIMELY, common_partition, items_of, windows_of
from server.sql.closing.monotone import Marks, Reference, through

if TYPE_CHECKING:
    from server.sql.closing.emitted import Emission

#: Functions of a row's place among the others.
_NUMBERED: Final = (exp.RowNumber, exp.Lag, exp.Lead)

#: Those of which a row is known only when all of the partition is.
_OF_ALL: Final = frozenset({"ntile", "percent_rank", "cume_dist"})


@dataclass
class Frames:
    """One SELECT with window functions, over a FROM that is restricted already.

    Attributes:
        emission: Restricts queries.
        query: The SELECT.
        windows: Its windows.
        marks: Those of what FROM gives.
        largest: As of ``through``.
    """

    emission: Emission
    query: exp.Select
    windows: Sequence[exp.Window]
    marks: Mapping[Reference, Marks]
    largest: Mapping[Reference, exp.Expr]
    _places: dict[Reference, str] = field(default_factory=dict)
    _alias: str = ""

    def emitted(self) -> exp.Select:
        """Return the query with the rows that are final.

        Raises:
            FeatureNotSupported: Nothing tells which are.
        """
        key, marks = self._partition() or self._order()
        is_ordered = self._partition() is None
        is_prompt = is_ordered and all(_end(window) == 0 for window in self.windows)
        self._alias = self.emission.name(TIMELY if is_prompt else "delayed")
        rows = self._rows(key, marks)
        outer = exp.Select(expressions=[self._moved(e) for e in self.query.expressions])
        item = exp.TableAlias(this=exp.to_identifier(self._alias))
        outer.set("from_", exp.From(this=exp.Subquery(this=rows, alias=item)))
        outer.set("with_", self.query.args.get("with_"))
        if not is_ordered:
            return outer
        for window in windows_of(outer):
            self._break_ties(window)
        return self._ended(outer, marks)

    def _partition(self) -> tuple[exp.Expr, Marks] | None:
        for expression in common_partition(self.windows):
            found = through(expression, self.marks, self.largest)
            if found:
                return expression, found
        return None

    def _order(self) -> tuple[exp.Expr, Marks]:
        firsts = []
        for window in self.windows:
            order = window.args.get("order")
            first = None if order is None else order.expressions[0]
            if first is None or first.args.get("desc"):
                raise _unordered()
            firsts.append(first.this)
        found = through(firsts[0], self.marks, self.largest)
        if not found or any(first != firsts[0] for first in firsts):
            raise _unordered()
        return firsts[0], found

    def _rows(self, key: exp.Expr, marks: Marks) -> exp.Select:
        """Return the rows of FROM and WHERE that the watermark has passed."""
        found = dict.fromkeys((c.table, c.name) for c in self.query.find_all(exp.Column))
        aliases = {item.alias_or_name for item, _ in items_of(self.query)}
        references = [reference for reference in found if reference[0] in aliases]
        references += [r for r in self._key_of_rows() if r not in found]
        self._places = {r: f"c{i}" for i, r in enumerate(references, 1)}
        shown = [exp.alias_(exp.column(c, table=t), n) for (t, c), n in self._places.items()]
        name = f"c{len(shown) + 1}"
        inner = exp.Select(expressions=[*shown, exp.alias_(key.copy(), name)])
        for clause in ("from_", "joins", "where"):
            inner.set(clause, self.query.args.get(clause))
        return self.emission.closed(inner, name, marks, [*self._places.values()])

    def _key_of_rows(self) -> list[Reference]:
        """Return the columns of the primary key of the relation, if only one is read."""
        items = items_of(self.query)
        if len(items) != 1 or not isinstance(items[0][0], exp.Table):
            return []
        table = items[0][0]
        return [(table.alias_or_name, c) for c in self.emission.primary_key(table.name)]

    def _moved(self, expression: exp.Expr) -> exp.Expr:
        def place(node: exp.Expr) -> exp.Expr:
            name = (
                self._places.get((node.table, node.name)) if isinstance(node, exp.Column) else None
            )
            return node if name is None else exp.column(name, table=self._alias)

        return expression.copy().transform(place)

    def _break_ties(self, window: exp.Window) -> None:
        """Order rows at the same time, where it matters which comes first."""
        call = window.this.this if isinstance(window.this, exp.IgnoreNulls) else window.this
        spec = window.args.get("spec")
        is_of_rows = spec is not None and str(spec.args.get("kind")).upper() == "ROWS"
        if not isinstance(call, _NUMBERED) and not is_of_rows:
            return
        own = [self._places[r] for r in self._key_of_rows()]
        for name in own or self._places.values():
            column = exp.column(name, table=self._alias)
            key = exp.Ordered(this=column, desc=False, nulls_first=False)
            window.args["order"].append("expressions", key)

    def _ended(self, query: exp.Select, marks: Marks) -> exp.Select:
        """Return the rows of a query whose frames have ended."""
        shown = query.named_selects
        conditions: list[exp.Expr] = []
        length: exp.Expr | None = None
        for window in windows_of(query):
            ends = _end(window)
            if ends == SESSION:
                conditions.append(self._has_later_session(query, window))
            elif isinstance(ends, int) and ends > 0:
                after = exp.Window(
                    this=exp.Anonymous(
                        this="LEAD", expressions=[exp.Literal.number(1), exp.Literal.number(ends)]
                    ),
                    partition_by=[p.copy() for p in window.args.get("partition_by") or ()],
                    order=window.args["order"].copy(),
                    over="OVER",
                )
                self._order_fully(after)
                name = f"c{len(query.expressions) + 1}"
                query.append("expressions", exp.alias_(after, name))
                there = exp.Not(this=exp.Is(this=exp.column(name), expression=exp.Null()))
                conditions.append(there)
            elif isinstance(ends, exp.Expr):
                if length not in (None, ends):
                    raise _unordered()
                length = ends
        if not conditions and length is None:
            return query
        also = conditions[0] if conditions else None
        for condition in conditions[1:]:
            assert also is not None
            also = exp.And(this=also, expression=condition)
        clause = query.args.get("with_")
        query.set("with_", None)
        if length is None:
            assert also is not None
            select = self.emission.filtered(query, shown, also)
        else:
            first = windows_of(query)[0].args["order"].expressions[0].this
            name = f"c{len(query.expressions) + 1}"
            key = exp.Add(this=first.copy(), expression=length)
            query.append("expressions", exp.alias_(key, name))
            select = self.emission.closed(query, name, marks, shown, also)
        select.set("with_", clause)
        return select

    def _has_later_session(self, query: exp.Select, window: exp.Window) -> exp.Expr:
        """Return the condition that a session of the partition has begun after a row's."""
        number = window.args[SESSION]
        others = [p for p in window.args["partition_by"] if p != number]
        last = exp.Window(
            this=exp.Max(this=number.copy()),
            partition_by=[p.copy() for p in others],
            over="OVER",
        )
        name = f"c{len(query.expressions) + 1}"
        is_last = exp.EQ(this=last, expression=number.copy())
        query.append("expressions", exp.alias_(exp.Not(this=is_last), name))
        return exp.column(name)

    def _order_fully(self, window: exp.Window) -> None:
        ordered = {o.this for o in window.args["order"].expressions}
        own = [self._places[r] for r in self._key_of_rows()]
        for name in own or self._places.values():
            column = exp.column(name, table=self._alias)
            if column not in ordered:
                key = exp.Ordered(this=column, desc=False, nulls_first=False)
                window.args["order"].append("expressions", key)


def _end(window: exp.Window) -> int | str | exp.Expr:
    """Return how many rows after a row its frame takes, or how long after it, or ``SESSION``.

    Raises:
        FeatureNotSupported: It is not known.
    """
    call = window.this.this if isinstance(window.this, exp.IgnoreNulls) else window.this
    name = call.sql(dialect="duckdb").split("(", 1)[0].lower()
    if name in _OF_ALL or isinstance(window.this, exp.IgnoreNulls):
        raise _unordered()
    if isinstance(call, exp.Lead):
        offset = call.args.get("offset")
        return 1 if offset is None else _constant(offset)
    if window.args.get(SESSION) is not None:
        return SESSION
    spec = window.args.get("spec")
    if spec is None or isinstance(call, exp.Lag | exp.RowNumber) or name.endswith("rank"):
        return 0
    end, side = spec.args.get("end"), str(spec.args.get("end_side") or "").upper()
    if end is None or str(end).upper() == "CURRENT ROW" or side == "PRECEDING":
        return 0
    kind = str(spec.args.get("kind")).upper()
    if not isinstance(end, exp.Expr) or kind == "GROUPS":
        raise _unordered()
    return _constant(end) if kind == "ROWS" else end.copy()


def _constant(offset: exp.Expr) -> int:
    while isinstance(offset, exp.Paren | exp.Cast):
        offset = offset.this
    if not isinstance(offset, exp.Literal) or not offset.name.isdigit():
        raise _unordered()
    return int(offset.name)


def _unordered() -> FeatureNotSupported:
    return FeatureNotSupported(
        "The query cannot be executed in Emit-On-Window-Close mode.",
        detail="It cannot be known when rows are final: its window functions need more than the"
        " rows up to one that will come.",
        hint="Order all windows by one column that has a watermark, ascending, or partition them"
        " by one; frames must have an end.",
    )
