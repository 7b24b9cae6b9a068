"""Taking the subqueries out of an expression, for ``Apply``.

What a subquery reads and keeps by itself becomes an input of its own; what it says of the outer
row (correlated conditions, its projection, grouping and order) stays in the expression, over that
input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from barrier.stream import trees
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.apply import other_alias, other_rows
from barrier.stream.operators.semi_join import aliases, refers_outside

#: What a correlated subquery may have beside FROM and WHERE.
_CLAUSES: Final = ("expressions", "group", "having", "order", "limit", "offset", "distinct")
_KNOWN: Final = frozenset({*_CLAUSES, "from_", "joins", "where"})

#: Gives the outer query's columns their place among the rows.
Place = Callable[[exp.Column], exp.Expr]


class Subqueries:
    """The subqueries of the expressions of one ``Apply``.

    Attributes:
        others: What they read, in the order of their numbers, each with the conditions under which
            a row of it can matter.
    """

    def __init__(self, builder: Builder, place: Place) -> None:
        self.others: list[tuple[Operator, list[exp.Expr]]] = []
        self._builder = builder
        self._place = place

    def rewritten(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression of the outer query over the rows and the subqueries' inputs.

        Raises:
            NotIncrementalError: A subquery has a shape that cannot be taken apart.
        """
        whole = exp.Paren(this=self._placed(expression))
        for query in _outermost(whole):
            query.replace(self._query(query))
        return whole

    def table(self, query: exp.Query) -> exp.Query:
        """Return a query in FROM that refers to the rows beside it, over rows and inputs.

        Raises:
            NotIncrementalError: It has a shape that cannot be taken apart.
        """
        placed = self._placed(query)
        if placed.find(exp.Table) is not None:
            node, placed, meets = self._correlated(placed, len(self.others) + 1)
            self.others.append((node, meets))
        assert isinstance(placed, exp.Query), placed
        return placed

    def _query(self, query: exp.Expr) -> exp.Expr:
        inner = query.unnest() if isinstance(query, exp.Subquery) else query
        is_wrapped = inner is not query
        if not is_wrapped and not isinstance(query.parent, exp.Exists | exp.In):
            raise NotIncrementalError("subquery that is neither a value nor a condition")
        number = len(self.others) + 1
        if not refers_outside(inner):
            node = self._builder.build(_with_names(inner))
            made: exp.Expr = trees.select(
                trees.columns(node.columns, other_alias(number)), items=[other_rows(number)]
            )
            meets: list[exp.Expr] = []
        else:
            node, made, meets = self._correlated(inner, number)
        if isinstance(query.parent, exp.In):
            assert isinstance(made, exp.Select)
            this = query.parent.this
            fields = this.expressions if isinstance(this, exp.Tuple) else [this]
            meets += [
                _can_decide(field, shown.unalias())
                for field, shown in zip(fields, made.expressions, strict=True)
            ]
        self.others.append((node, meets))
        return exp.Subquery(this=made) if is_wrapped else made

    def _correlated(
        self, query: exp.Expr, number: int
    ) -> tuple[Operator, exp.Expr, list[exp.Expr]]:
        """Take a subquery apart whose conditions refer to the outer row."""
        if not isinstance(query, exp.Select):
            raise NotIncrementalError(f"correlated {query.key}")
        unknown = sorted({n for n, value in query.args.items() if value} - _KNOWN)
        if unknown:
            raise NotIncrementalError(f"correlated subquery with {unknown[0].upper()}")
        inside = _direct(query)
        where = query.args.get("where")
        own: list[exp.Expr] = []
        outer: list[exp.Expr] = []
        for part in trees.conjuncts(None if where is None else where.this):
            is_own = {c.table for c in part.find_all(exp.Column)} <= inside | aliases(part)
            (own if is_own else outer).append(part)
        kept = [query.args.get(name) for name in _CLAUSES]
        parts = [
            e for group in (*kept, outer) for e in (group if isinstance(group, list) else [group])
        ]
        shown = [part for part in parts if isinstance(part, exp.Expr)]
        if any(part.find(exp.Query) is not None for part in shown):
            raise NotIncrementalError("subquery in a correlated subquery")
        found = [c for part in shown for c in part.find_all(exp.Column) if c.table in inside]
        needed = list(dict.fromkeys((c.table, c.name) for c in found))
        places = {origin: f"c{i}" for i, origin in enumerate(needed, start=1)}
        source = exp.Select(
            expressions=[trees.named(trees.column(n, t), places[t, n]) for t, n in needed]
            or [trees.named(trees.number(1), "c1")]
        )
        for name in ("from_", "joins"):
            source.set(name, _copied(query.args.get(name)))
        if own:
            source.set("where", exp.Where(this=trees.all_of(own)))
        if refers_outside(source):
            raise NotIncrementalError("subquery whose FROM refers to the outer query")

        def inner_place(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and (node.table, node.name) in places:
                return trees.column(places[node.table, node.name], other_alias(number))
            return node

        made = query.copy()
        made.set("joins", None)
        made.set("from_", exp.From(this=other_rows(number)))
        made.set("where", exp.Where(this=trees.all_of(outer)) if outer else None)
        meets = [part.transform(inner_place) for part in outer]
        return self._builder.build(source), made.transform(inner_place), meets

    def _placed(self, expression: exp.Expr) -> exp.Expr:
        """Give columns of the outer query their place, in subqueries too."""
        inside = aliases(expression)

        def placed(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and node.table not in inside:
                return self._place(node)
            return node

        return expression.transform(placed)


def _with_names(query: exp.Expr) -> exp.Expr:
    """Return a query whose columns all have names."""
    named = query.copy()
    if isinstance(named, exp.Select):
        expressions = enumerate(named.expressions, start=1)
        named.set(
            "expressions", [e if e.alias else trees.named(e, f"c{i}") for i, e in expressions]
        )
    return named


def _outermost(expression: exp.Expr) -> list[exp.Expr]:
    found = expression.walk(prune=lambda node: isinstance(node, exp.Query))
    return [node for node in found if isinstance(node, exp.Query)]


def _direct(query: exp.Select) -> set[str]:
    """Return what the items of FROM of this very query are called."""
    clause = query.args.get("from_")
    items = [] if clause is None else [clause.this]
    items += [join.this for join in query.args.get("joins") or ()]
    return {item.alias_or_name for item in items}


def _copied(clause: exp.Expr | Sequence[exp.Expr] | None) -> object:
    if isinstance(clause, exp.Expr):
        return clause.copy()
    return None if clause is None else [part.copy() for part in clause]


def _can_decide(value: exp.Expr, member: exp.Expr) -> exp.Expr:
    """Whether a member can change what ``value IN (...)`` gives: it is equal, or either is NULL."""
    equal = exp.EQ(this=value.copy(), expression=member.copy())
    return exp.Paren(this=trees.any_of([trees.is_null(value), trees.is_null(member), equal]))
