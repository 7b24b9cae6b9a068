r"""ORDER BY with LIMIT: the first rows, and the boundary with them.

With I the input, S the first n rows in order, and first() what takes them:

    S'  =  first(S - dI- + dI+)     while no row of S went
    S'  =  first(I')                otherwise, since the next row in order is not known

so an epoch reads the input only when it takes one of the first rows away. OFFSET is part of n, and
hides rows of S. Among rows of equal order the input's key decides.
Source: Yi, Yu, Yang, Xia, Chen, Efficient Maintenance of Materialized Top-k Views, ICDE 2003.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.recompute import Recompute
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import Delta

#: From here on the first rows are too many to be looked through in every epoch.
_ROWS_MAX: Final = 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class TopN(Operator):
    """The rows of one input from ``offset`` on, up to ``limit`` of them, in an order.

    Attributes:
        order: How the input's columns are ordered.
        kept: The columns of the state table: the input's.
    """

    order: tuple[exp.Ordered, ...]
    limit: int
    offset: int
    kept: tuple[str, ...]

    @property
    def _input(self) -> Operator:
        return self.inputs[0]

    @property
    def _state(self) -> exp.Table:
        assert self.table is not None
        return trees.relation(self.table)

    def rows(self) -> exp.Expr:
        """Return the stored rows that are shown."""
        return self._shown(self._state)

    def fill(self) -> exp.Expr:
        """Take the first rows of all."""
        return self._first(self._input.rows())

    def delta(self, program: Program) -> Delta | None:
        """Take the first rows of those that were first and came, or of all if one of them went."""
        delta = program.stored_delta(self._input, is_consolidated=True)
        if delta is None:
            return None
        new = program.temporary(
            self._first(self._candidates(delta)), f"delta: first rows of {self.table}"
        )
        shown = program.store_delta(
            self,
            zset.difference(
                self._shown(new), self.rows(), self.storage_columns, self.key, self.exact
            ),
            f"delta: shown rows of {self.table}",
        )
        known = self._input.exact
        difference = zset.difference(new, self._state, self.kept, self.key, known)
        change = program.temporary(difference, f"delta: rows of {self.table}")
        stored = Delta(change, is_insert_only=False, is_consolidated=True)
        program.apply(self._state.name, self.key, self.kept, stored)
        return Delta(shown, is_insert_only=False, is_consolidated=True)

    def _candidates(self, delta: Delta) -> exp.Expr:
        came = trees.select(
            trees.columns(self.kept, "z"),
            items=[trees.from_item(delta.rows, "z")],
            where=zset.comes("z"),
        )
        if delta.is_insert_only:
            return trees.union_all([self._all(self._state), came])
        same = trees.same_columns([(name, name) for name in self.key], "s", "z")
        gone = trees.select(
            [trees.number(1)],
            items=[trees.from_item(delta.rows, "z")],
            where=trees.all_of([same, zset.goes("z")]),
        )
        stays = trees.select(
            trees.columns(self.kept, "s"),
            items=[trees.from_item(self._state, "s")],
            where=trees.negated(exp.Exists(this=gone)),
        )
        hits = trees.select(
            [trees.named(exp.Count(this=exp.Star()), "hits")],
            items=[trees.from_item(self._state, "s"), trees.from_item(delta.rows, "z")],
            where=trees.all_of([same, zset.goes("z")]),
        )
        branches: list[exp.Expr] = [stays, came]
        everything = trees.select(
            trees.columns(self.kept, "i"),
            items=[trees.from_item(self._input.rows(), "i")],
            where=exp.GT(this=exp.Subquery(this=hits), expression=exp.Literal.number(0)),
        )
        # Without a hit the engine does not look at the input at all; with one, rows that are there
        # twice are the same.
        return trees.distinct(
            trees.select(
                trees.columns(self.kept, "c"),
                items=[trees.from_item(trees.union_all([*branches, everything]), "c")],
            )
        )

    def _all(self, rows: exp.Expr) -> exp.Select:
        return trees.select(trees.columns(self.kept, "s"), items=[trees.from_item(rows, "s")])

    def _first(self, rows: exp.Expr) -> exp.Select:
        query = trees.select(trees.columns(self.kept, "f"), items=[trees.from_item(rows, "f")])
        return self._ordered(query, "f", self.offset + self.limit, 0)

    def _shown(self, rows: exp.Expr) -> exp.Select:
        query = trees.select(
            trees.columns(self.storage_columns, "f"), items=[trees.from_item(rows, "f")]
        )
        return self._ordered(query, "f", self.limit, self.offset) if self.offset else query

    def _ordered(self, query: exp.Select, alias: str, limit: int, offset: int) -> exp.Select:
        def placed(node: exp.Expr) -> exp.Expr:
            return trees.column(node.name, alias) if isinstance(node, exp.Column) else node

        order = [part.transform(placed) for part in self.order]
        order += [exp.Ordered(this=trees.column(name, alias)) for name in self.key]
        query.set("order", exp.Order(expressions=order))
        query.set("limit", exp.Limit(expression=exp.Literal.number(limit)))
        if offset:
            query.set("offset", exp.Offset(expression=exp.Literal.number(offset)))
        return query

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        labels = names.inputs[0]
        scope = Scope({"": labels})
        offset = f" after {self.offset}" if self.offset else ""
        return Described(
            title="Top",
            facts=(
                f"{self.limit}{offset} by {scope.texts(self.order)}",
                "recompute when one of the first rows goes",
            ),
            labels=labels,
        )

    def rows_estimate(self, sizes: Sizes) -> int:
        """Guess as many as there may be."""
        return min(self.limit, sizes.rows(self._input))

    def delta_cost(self, sizes: Sizes) -> int:  # noqa: ARG002
        """Count the first rows; a hit is rare."""
        return self.limit + self.offset


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:  # noqa: ARG001
    """Take ORDER BY with a constant LIMIT."""
    order, limit = query.args.get("order"), query.args.get("limit")
    if order is None or limit is None or not isinstance(query, exp.Query):
        return None
    rows, hidden = _number(limit), _number(query.args.get("offset"))
    if rows is None or hidden is None or rows + hidden > _ROWS_MAX:
        return None
    columns = query.named_selects
    inner = query.copy()
    for name in ("order", "limit", "offset"):
        inner.set(name, None)
    places = _places(inner, [part.this for part in order.expressions], columns)
    source = builder.build(inner)
    if isinstance(source, Recompute):
        raise NotIncrementalError(source.reason)
    ordered = []
    for part, place in zip(order.expressions, places, strict=True):
        changed = part.copy()
        changed.set("this", trees.column(place))
        ordered.append(changed)
    return TopN(
        columns=tuple(columns),
        key=source.key,
        inputs=(source,),
        table=builder.state_table(is_root=False),
        exact=source.exact & frozenset(columns),
        order=tuple(ordered),
        limit=rows,
        offset=hidden,
        kept=source.storage_columns,
    )


def _places(query: exp.Query, order: Sequence[exp.Expr], columns: Sequence[str]) -> list[str]:
    """Return the columns that are ordered by; those that are not shown are added to the query."""
    places: list[str] = []
    for expression in order:
        found = _shown_as(query, expression, columns)
        if found is None:
            if not isinstance(query, exp.Select) or query.args.get("distinct"):
                raise NotIncrementalError("ORDER BY what is not shown")
            found = f"c{len(query.expressions) + 1}"
            query.append("expressions", trees.named(expression, found))
        places.append(found)
    return places


def _shown_as(query: exp.Query, expression: exp.Expr, columns: Sequence[str]) -> str | None:
    if isinstance(expression, exp.Literal) and expression.is_int:
        return columns[int(expression.this) - 1]
    if isinstance(expression, exp.Column) and not expression.table:
        return expression.name if expression.name in columns else None
    if isinstance(query, exp.Select):
        for projection in query.expressions:
            if projection.unalias() == expression:
                return str(projection.alias)
    return None


def _number(clause: exp.Expr | None) -> int | None:
    """Return the count of LIMIT or OFFSET; 0 where there is none, None where it is no constant."""
    if clause is None:
        return 0
    count = clause.args.get("expression")
    if isinstance(count, exp.Cast):
        count = count.this
    return int(count.this) if isinstance(count, exp.Literal) and count.is_int else None
