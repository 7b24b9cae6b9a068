"""The rule for SELECT: FROM and WHERE become joins, whose projections a caller may choose.

FROM is read from left to right. What is inner gathers as the inputs and conditions of one join; an
outer join closes what has been gathered into its one side and stands as a single input from then
on, so that references to what is inside of it must follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from barrier.stream import functions, trees
from barrier.stream.aliases import PROCTIME
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators import temporal, union_all
from barrier.stream.operators.apply import ROWS, applied, other_alias, other_rows
from barrier.stream.operators.join import Join, joined
from barrier.stream.operators.lateral import lateral
from barrier.stream.operators.outer_join import outer_join
from barrier.stream.operators.recompute import Recompute
from barrier.stream.operators.semi_join import distinct_values, refers_outside
from barrier.stream.operators.subquery import Subqueries
from barrier.stream.operators.temporal_join import temporal_join

_SELECT_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "order", "with_"})
_JOIN_CLAUSES: Final = frozenset({"this", "on", "kind", "side"})

#: A column as the query refers to it: the input's alias, and the name.
_Reference = tuple[str, str]


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:  # noqa: ARG001
    """Take a SELECT that neither groups nor limits; its ORDER BY means nothing in a view."""
    if not isinstance(query, exp.Select):
        return None
    clauses = {name for name, value in query.args.items() if value}
    unknown = sorted(name.rstrip("_").upper() for name in clauses - _SELECT_CLAUSES)
    if unknown:
        raise NotIncrementalError(", ".join(unknown))
    columns = tuple(projection.alias for projection in query.expressions)
    return over_from(query, builder, columns, [e.unalias() for e in query.expressions])


def over_from(
    query: exp.Select,
    builder: Builder,
    columns: tuple[str, ...],
    projections: Sequence[exp.Expr],
) -> Join:
    """Return the join of a query's FROM and WHERE with projections of its own.

    Raises:
        NotIncrementalError: FROM holds what no rule takes, or an expression is not the row's alone.
    """
    sets = [e for e in projections if functions.returns_set(e)]
    for expression in projections:
        if expression not in sets:
            _refuse_what_is_not_the_rows(expression, allows_subqueries=True)
    clause = _From(query, builder)
    if sets:
        projections = clause.with_sets(projections, sets)
    projections = clause.with_subqueries(projections)
    if clause.sources and all(isinstance(node, Recompute) for _, node in clause.sources):
        # What is under it is computed anew in any case: then better only once.
        raise NotIncrementalError("all of FROM is computed anew")
    renamed = [clause.renamed(projection) for projection in projections]
    return joined(clause.sources, clause.conditions, columns, renamed)


class _From:
    """FROM and WHERE, read into inputs and conditions."""

    def __init__(self, query: exp.Select, builder: Builder) -> None:
        self.sources: list[tuple[str, Operator]] = []
        self.conditions: list[exp.Expr] = []
        self._builder = builder
        found = ((column.table, column.name) for column in query.find_all(exp.Column))
        self._references = list(dict.fromkeys(found))
        self._aliases: set[str] = set()
        self._own: set[str] = set()  # those that nobody else reads
        self._renames: dict[_Reference, exp.Column] = {}
        #: Conditions that wait for all of FROM: those with subqueries, and those on the time.
        self._subqueries: list[exp.Expr] = []
        self._on_time: list[exp.Expr] = []
        first = query.args.get("from_")
        if first is not None:
            self._add(first.this, *builder.source(first.this))
        for join in query.args.get("joins") or ():
            self._join(join)
        where = query.args.get("where")
        if where is not None:
            self._restrict(where.this)
        self._push_down()
        self._apply([])
        self._pass_time()

    def with_sets(
        self, projections: Sequence[exp.Expr], sets: Sequence[exp.Expr]
    ) -> list[exp.Expr]:
        """Return projections in which a column stands for each set-returning one.

        Those of one row go in step, and shorter ones are filled with NULLs.
        """
        names = [f"c{i}" for i in range(1, len(sets) + 1)]
        given = [trees.named(e, name) for e, name in zip(sets, names, strict=True)]
        alias = f"sets{len(self._aliases)}"
        self.give(trees.select(given), alias)
        return [trees.column(names[sets.index(e)], alias) if e in sets else e for e in projections]

    def with_subqueries(self, projections: Sequence[exp.Expr]) -> list[exp.Expr]:
        """Return projections in which a column stands for each that has subqueries."""
        values = [e for e in projections if e.find(exp.Query) is not None]
        columns = dict(zip(map(id, values), self._apply(values), strict=True))
        return [columns.get(id(e), e) for e in projections]

    def renamed(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression of the query over the inputs that there are."""

        def replaced(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column):
                return node
            return self._renames.get((node.table, node.name), node).copy()

        return expression.copy().transform(replaced, copy=False) if self._renames else expression

    def _add(self, item: exp.Expr | None, alias: str, node: Operator) -> None:
        self.sources.append((alias, node))
        self._aliases.add(alias)
        if isinstance(item, exp.Subquery):
            self._own.add(alias)

    def _push_down(self) -> None:
        """Let subqueries keep only the rows that are asked for, where they can."""
        for i, (alias, node) in enumerate(self.sources):
            of_node = [c for c in self.conditions if _tables(c) == {alias}]
            restricted = node.restricted(of_node, alias) if alias in self._own and of_node else None
            if restricted is not None:
                self.sources[i] = (alias, restricted)
                self.conditions = [c for c in self.conditions if c not in of_node]

    def _restrict(self, condition: exp.Expr | None) -> None:
        for part in trees.conjuncts(condition):
            alias = f"q{len(self.sources) + 1}"
            semi_join = distinct_values(part, self._builder, alias)
            if semi_join is not None:
                node, equalities = semi_join
                self._add(None, alias, node)
                for equality in equalities:
                    self._restrict(equality)
                continue
            if functions.reads_clock(part) and part.find(exp.Query) is None:
                self._on_time.append(part)
                continue
            _refuse_what_is_not_the_rows(part, allows_subqueries=True)
            if part.find(exp.Query) is not None:
                self._subqueries.append(part)
            else:
                self.conditions.append(self.renamed(part))

    def _pass_time(self) -> None:
        """Make one input of all there is, with the conditions on the time."""
        conditions, self._on_time = self._on_time, []
        if not conditions:
            return
        if not self.sources or any(isinstance(node, Recompute) for _, node in self.sources):
            raise NotIncrementalError("depends on the current time")
        references = [ref for ref in self._references if ref[0] in self._aliases]
        rows = self._projected(self.sources, self.conditions, references)
        self._renames = _places(references, temporal.ROWS, 1)
        condition = trees.all_of([self.renamed(part) for part in conditions])
        reason = functions.refusal(condition)
        if reason not in (None, "depends on the current time"):
            raise NotIncrementalError(reason)
        node = temporal.temporal(rows, condition, self._builder)
        name = f"{self.sources[-1][0]}_now"
        self._renames = _places(references, name, 1)
        self.sources, self.conditions = [(name, node)], []

    def _apply(self, values: Sequence[exp.Expr]) -> list[exp.Column]:
        """Make one input of all there is, with the conditions and values that have subqueries.

        Returns:
            The columns in which the values are.
        """
        conditions, self._subqueries = self._subqueries, []
        if not conditions and not values:
            return []
        if not self.sources or any(isinstance(node, Recompute) for _, node in self.sources):
            raise NotIncrementalError("subquery over what is computed anew")
        references = [ref for ref in self._references if ref[0] in self._aliases]
        rows = self._projected(self.sources, self.conditions, references)
        taken = Subqueries(self._builder, _placing(references))
        kept = [taken.rewritten(condition) for condition in conditions]
        shown = [taken.rewritten(value) for value in values]
        condition = trees.all_of(kept) if kept else None
        node = applied(rows, taken.others, shown, condition, self._builder)
        name = f"{self.sources[-1][0]}_applied"
        self._renames = _places(references, name, 1)
        self.sources, self.conditions = [(name, node)], []
        return [trees.column(f"c{len(references) + i}", name) for i in range(1, len(values) + 1)]

    def _join(self, join: exp.Join) -> None:
        clauses = {name for name, value in join.args.items() if value} - _JOIN_CLAUSES
        kinds = ("", "INNER", "CROSS") if not join.side else ("", "OUTER")
        if clauses or join.kind not in kinds or join.side not in ("", "LEFT", "RIGHT", "FULL"):
            words = (join.method, join.side, join.kind)
            raise NotIncrementalError(" ".join(word.lower() for word in words if word) + " join")
        if _is_lateral(join.this):
            self._lateral(join)
            return
        alias, node = self._builder.source(join.this)
        if alias.endswith(PROCTIME):
            self._temporal_join(alias, node, join)
            return
        if join.side:
            self._outer_join(alias, node, join)
            return
        self._add(join.this, alias, node)
        self._restrict(join.args.get("on"))

    def _lateral(self, join: exp.Join) -> None:
        """Make one input of all there is and of what a query gives for each row of it."""
        on = trees.conjuncts(join.args.get("on"))
        keeps_rows = join.side == "LEFT"
        if join.side not in ("", "LEFT") or (keeps_rows and on not in ([], [exp.true()])):
            raise NotIncrementalError("outer join with a lateral query on a condition")
        query = join.this.this.unnest()
        assert isinstance(query, exp.Query), query
        self.give(query, join.this.alias, keeps_rows=keeps_rows)
        for part in on if not keeps_rows else []:
            self._restrict(part)

    def give(self, query: exp.Query, alias: str, *, keeps_rows: bool = False) -> None:
        """Make one input of all there is and of what a query, known as ``alias``, gives for it."""
        self._apply([])
        self._pass_time()
        if not self.sources or any(isinstance(node, Recompute) for _, node in self.sources):
            raise NotIncrementalError("lateral query over what is computed anew")
        references = [ref for ref in self._references if ref[0] in self._aliases]
        rows = self._projected(self.sources, self.conditions, references)
        taken = Subqueries(self._builder, _placing(references))
        made = taken.table(query)
        node = lateral(rows, made, taken.others, self._builder, keeps_rows=keeps_rows)
        name = f"{alias}_lateral"
        given = [(alias, column) for column in query.named_selects]
        width = len(references)
        self._renames = _places(references, name, 1) | _places(given, name, width + 1)
        self._aliases.add(alias)
        self._references += [ref for ref in given if ref not in self._references]
        self.sources, self.conditions = [(name, node)], []

    def _outer_join(self, alias: str, node: Operator, join: exp.Join) -> None:
        """Make one input of all there is and one more."""
        self._apply([])
        self._pass_time()
        if isinstance(node, Recompute) or any(isinstance(n, Recompute) for _, n in self.sources):
            raise NotIncrementalError(f"{join.side.lower()} join over what is computed anew")
        left = [reference for reference in self._references if reference[0] in self._aliases]
        right = [reference for reference in self._references if reference[0] == alias]
        left_node = self._projected(self.sources, self.conditions, left)
        right_node = self._projected([(alias, node)], [], right)
        flips = join.side == "RIGHT"
        sides = ("o", "p") if flips else ("p", "o")
        on = trees.conjuncts(join.args.get("on"))
        for part in on:
            _refuse_what_is_not_the_rows(part)
        outer: Operator = outer_join(
            right_node if flips else left_node,
            left_node if flips else right_node,
            trees.all_of(self._over(on, left, right, *sides)),
            self._builder,
        )
        if join.side == "FULL":
            meets = self._over(on, left, right, other_alias(1), ROWS)
            outer = union_all.of_nodes([outer, self._without_partner(right_node, left_node, meets)])
        name = f"{alias}_outer"
        first, second = (right, left) if flips else (left, right)
        self._renames = _places(first, name, 1) | _places(second, name, len(first) + 1)
        self._aliases.add(alias)
        self.sources, self.conditions = [(name, outer)], []

    def _temporal_join(self, alias: str, node: Operator, join: exp.Join) -> None:
        """Make one input of all there is and of what is looked up for it."""
        self._apply([])
        self._pass_time()
        if any(isinstance(each, Recompute) for _, each in self.sources):
            raise NotIncrementalError("temporal join over what is computed anew")
        left = [reference for reference in self._references if reference[0] in self._aliases]
        right = [reference for reference in self._references if reference[0] == alias]
        on = trees.conjuncts(join.args.get("on"))
        for part in on:
            _refuse_what_is_not_the_rows(part)
        joined_then = temporal_join(
            self._projected(self.sources, self.conditions, left),
            self._projected([(alias, node)], [], right),
            trees.all_of(self._over(on, left, right, "p", "o")),
            self._builder,
            keeps_rows=bool(join.side),
        )
        name = f"{alias}_then"
        self._renames = _places(left, name, 1) | _places(right, name, len(left) + 1)
        self._aliases.add(alias)
        self.sources, self.conditions = [(name, joined_then)], []

    def _over(
        self,
        conditions: Sequence[exp.Expr],
        left: Sequence[_Reference],
        right: Sequence[_Reference],
        left_alias: str,
        right_alias: str,
    ) -> list[exp.Expr]:
        """Return the conditions of a join over its two sides under these aliases."""
        before = self._renames
        self._renames = _places(left, left_alias, 1) | _places(right, right_alias, 1)
        renamed = [self.renamed(part) for part in conditions]
        self._renames = before
        return renamed

    def _without_partner(
        self, rows: Operator, others: Operator, meets: Sequence[exp.Expr]
    ) -> Operator:
        """Return the rows that meet none of the others, behind NULLs for the others' columns."""
        some = trees.select([trees.number(1)], items=[other_rows(1)], where=trees.all_of(meets))
        nulls = [
            # No row: NULL, of the column's type.
            exp.Subquery(
                this=trees.select(
                    [trees.column(name, other_alias(1))], items=[other_rows(1)], where=exp.false()
                )
            )
            for name in others.columns
        ]
        kept = trees.negated(exp.Exists(this=some))
        node = applied(rows, [(others, meets)], nulls, kept, self._builder)
        width = len(rows.columns)
        ordered = (*node.columns[width:], *node.columns[:width])
        names = tuple(f"c{i}" for i in range(1, len(ordered) + 1))
        return joined([("u", node)], [], names, trees.columns(ordered, "u"))

    def _projected(
        self,
        sources: Sequence[tuple[str, Operator]],
        conditions: Sequence[exp.Expr],
        references: Sequence[_Reference],
    ) -> Join:
        columns = tuple(f"c{i}" for i in range(1, len(references) + 1))
        projections = [self.renamed(trees.column(name, alias)) for alias, name in references]
        return joined(sources, conditions, columns, projections)


def _places(
    references: Sequence[_Reference], alias: str, start: int
) -> dict[_Reference, exp.Column]:
    return {ref: trees.column(f"c{i}", alias) for i, ref in enumerate(references, start=start)}


def _placing(references: Sequence[_Reference]) -> Callable[[exp.Column], exp.Expr]:
    """Return what gives references their places among the rows of ``Apply`` and ``Lateral``."""
    places = _places(references, ROWS, 1)

    def place(column: exp.Column) -> exp.Expr:
        found = places.get((column.table, column.name))
        if found is None:
            raise NotIncrementalError("subquery that refers to a query further out")
        return found.copy()

    return place


def _is_lateral(item: exp.Expr) -> bool:
    """Whether an item of FROM is a query that refers to the items before it."""
    if isinstance(item, exp.Lateral):
        return isinstance(item.this, exp.Subquery)
    is_query = isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query)
    return is_query and refers_outside(item.this)


def _tables(expression: exp.Expr) -> set[str]:
    return {column.table for column in expression.find_all(exp.Column)}


def _refuse_what_is_not_the_rows(expression: exp.Expr, *, allows_subqueries: bool = False) -> None:
    reason = functions.refusal(expression, allows_subqueries=allows_subqueries)
    if reason is not None:
        raise NotIncrementalError(reason)
