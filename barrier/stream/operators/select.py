"""The rule for SELECT: FROM and WHERE become joins, whose projections a caller may choose.

FROM is read from left to right. What is inner gathers as the inputs and conditions of one join; an
outer join closes what has been gathered into its one side and stands as a single input from then
on, so that references to what is inside of it must follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from barrier.stream import functions, trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.join import Join, joined
from barrier.stream.operators.outer_join import outer_join
from barrier.stream.operators.recompute import Recompute
from barrier.stream.operators.semi_join import distinct_values

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
    for expression in projections:
        _refuse_what_is_not_the_rows(expression)
    clause = _From(query, builder)
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
        first = query.args.get("from_")
        if first is not None:
            self._add(first.this, *builder.source(first.this))
        for join in query.args.get("joins") or ():
            self._join(join)
        where = query.args.get("where")
        if where is not None:
            self._restrict(where.this)
        self._push_down()

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
            _refuse_what_is_not_the_rows(part)
            self.conditions.append(self.renamed(part))

    def _join(self, join: exp.Join) -> None:
        clauses = {name for name, value in join.args.items() if value} - _JOIN_CLAUSES
        kinds = ("", "INNER", "CROSS") if not join.side else ("", "OUTER")
        if clauses or join.kind not in kinds or join.side not in ("", "LEFT", "RIGHT"):
            words = (join.method, join.side, join.kind)
            raise NotIncrementalError(" ".join(word.lower() for word in words if word) + " join")
        alias, node = self._builder.source(join.this)
        if join.side:
            self._outer_join(alias, node, join)
            return
        self._add(join.this, alias, node)
        self._restrict(join.args.get("on"))

    def _outer_join(self, alias: str, node: Operator, join: exp.Join) -> None:
        """Make one input of all there is and one more."""
        if isinstance(node, Recompute) or any(isinstance(n, Recompute) for _, n in self.sources):
            raise NotIncrementalError(f"{join.side.lower()} join over what is computed anew")
        left = [reference for reference in self._references if reference[0] in self._aliases]
        right = [reference for reference in self._references if reference[0] == alias]
        left_node = self._projected(self.sources, self.conditions, left)
        right_node = self._projected([(alias, node)], [], right)
        flips = join.side == "RIGHT"
        sides = ("o", "p") if flips else ("p", "o")
        before = self._renames
        self._renames = _places(left, sides[0], 1) | _places(right, sides[1], 1)
        on = [self.renamed(part) for part in trees.conjuncts(join.args.get("on"))]
        self._renames = before
        for part in on:
            _refuse_what_is_not_the_rows(part)
        outer = outer_join(
            right_node if flips else left_node,
            left_node if flips else right_node,
            trees.all_of(on),
            self._builder,
        )
        name = f"{alias}_outer"
        first, second = (right, left) if flips else (left, right)
        self._renames = _places(first, name, 1) | _places(second, name, len(first) + 1)
        self._aliases.add(alias)
        self.sources, self.conditions = [(name, outer)], []

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


def _tables(expression: exp.Expr) -> set[str]:
    return {column.table for column in expression.find_all(exp.Column)}


def _refuse_what_is_not_the_rows(expression: exp.Expr) -> None:
    reason = functions.refusal(expression)
    if reason is not None:
        raise NotIncrementalError(reason)
