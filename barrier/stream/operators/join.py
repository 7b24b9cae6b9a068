r"""Filter, projection and inner join of any number of inputs, in one step.

With A', B' the inputs after the epoch and dA, dB their changes, an inner join changes by

    d(A |><| B)  =  dA |><| B'  +  A' |><| dB  -  dA |><| dB

and generally by the inclusion-exclusion over the non-empty sets of changed inputs. From three
changed inputs on, the telescoping sum with as many terms as changed inputs is shorter, where the
old state is A = A' - dA:

    d(A |><| B |><| C)  =  dA |><| B' |><| C'  +  A |><| dB |><| C'  +  A |><| B |><| dC

Filter and projection are linear: they apply to each term. But a term may hold pairs of rows that
never were there together, such as an old row of A with a new one of B, which cancel out in the sum.
What could fail for such a pair is computed of the sum, not of the terms. Weights multiply across a
join and add across a union. A row is identified by the keys of all inputs together.
Source: Budiu et al., DBSP, VLDB 2023, section 4 (bilinear operators).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import reduce
from itertools import combinations
from typing import Final

from sqlglot import exp

from barrier.stream import exact, functions, trees, zset
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

#: Up to here the inclusion-exclusion has few terms and none that needs an old state.
_EXCLUSION_MAX: Final = 2


class _Side(Enum):
    """Which rows of an input a term reads."""

    NEW = auto()
    OLD = auto()
    DELTA = auto()


@dataclass(frozen=True)
class _Term:
    sides: tuple[_Side, ...]
    is_subtracted: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Join(Operator):
    """``SELECT projections, key FROM inputs WHERE conditions``.

    Attributes:
        aliases: The names by which projections and conditions know the inputs.
        projections: The visible columns.
        conditions: All of them hold for a row.
        key_projections: The hidden key columns.
    """

    aliases: tuple[str, ...]
    projections: tuple[exp.Expr, ...]
    conditions: tuple[exp.Expr, ...]
    key_projections: tuple[exp.Expr, ...]

    def rows(self) -> exp.Expr:
        """Return the join of the inputs' rows."""
        items = [
            trees.from_item(node.rows(), alias)
            for alias, node in zip(self.aliases, self.inputs, strict=True)
        ]
        return self._query(items, [])

    def delta(self, program: Program) -> Delta | None:
        """Return the sum of the terms; no statement of its own."""
        can_fail = any(map(functions.can_fail, (*self.projections, *self.conditions)))
        of = program.consolidated if can_fail else program.delta
        deltas = [of(node) for node in self.inputs]
        changed = [i for i, delta in enumerate(deltas) if delta is not None]
        if not changed:
            return None
        if len(changed) > 1:  # Each delta stands in several terms.
            deltas = [program.stored_delta(node, is_consolidated=can_fail) for node in self.inputs]
        present = [delta for delta in deltas if delta is not None]
        is_insert_only = all(delta.is_insert_only for delta in present)
        terms = [self._term(term, deltas) for term in _terms(len(self.inputs), changed)]
        if can_fail and len(present) > 1 and not is_insert_only:
            rows: exp.Expr = self._of_pairs(terms)
        else:
            rows = trees.union_all([self._query(items, [weight]) for items, weight in terms])
        one = present[0] if len(present) == 1 else None
        delta = Delta(
            rows,
            is_insert_only=is_insert_only,
            is_consolidated=is_insert_only and one is not None and one.is_consolidated,
            has_pairs=one is not None and (one.is_consolidated or one.has_pairs),
        )
        return delta if one is None or len(self.inputs) > 1 else self._traced(delta, one)

    def _traced(self, delta: Delta, one: Delta) -> Delta:
        """Say what decides on the rows of a delta, which are made of one input's alone."""
        origins = {a.alias: one.origin(a.this) for a in self._own_columns}
        judged_by = one.judged_by
        if judged_by is not None and self.conditions:
            found = one.origin(trees.all_of(self.conditions))
            judged_by = None if found is None else judged_by | found
        return replace(
            delta,
            at_most=one.at_most,
            origins={name: names for name, names in origins.items() if names is not None},
            copies=frozenset(
                a.alias
                for a in self._own_columns
                if isinstance(a.this, exp.Column) and a.this.name in one.copies
            ),
            judged_by=judged_by,
        )

    def _term(self, term: _Term, deltas: Sequence[Delta | None]) -> tuple[list[exp.Expr], exp.Expr]:
        """Return a term's items of FROM and its weight."""
        items: list[exp.Expr] = []
        weights: list[exp.Expr] = []
        for alias, node, side, delta in zip(
            self.aliases, self.inputs, term.sides, deltas, strict=True
        ):
            if side is _Side.NEW or delta is None:
                items.append(trees.from_item(node.rows(), alias))
                continue
            rows = delta.rows
            if side is _Side.OLD:
                names = node.storage_columns
                new = zset.weighted(node.rows(), names, 1)
                rows = trees.union_all([new, zset.negated(rows, names)])
            items.append(trees.from_item(rows, alias))
            weights.append(zset.weight(alias))
        product = reduce(lambda a, b: exp.Mul(this=a, expression=b), weights)
        if term.is_subtracted:
            product = exp.Neg(this=exp.Paren(this=product))
        return items, trees.named(product, WEIGHT)

    def _of_pairs(self, terms: Sequence[tuple[list[exp.Expr], exp.Expr]]) -> exp.Select:
        """Sum the terms as pairs of input rows, and compute the join's own columns of the sum."""
        expressions = (*self.projections, *self.conditions, *self.key_projections)
        keys = [(a, k) for a, node in zip(self.aliases, self.inputs, strict=True) for k in node.key]
        found = [(c.table, c.name) for e in expressions for c in e.find_all(exp.Column)]
        names = {origin: f"j{i}" for i, origin in enumerate(dict.fromkeys([*keys, *found]), 1)}
        columns = [trees.named(trees.column(c, a), name) for (a, c), name in names.items()]
        safe = [c for c in self.conditions if not functions.can_fail_for_pairs(c)]
        where = trees.all_of(safe) if safe else None
        pairs = trees.union_all(
            [trees.select([*columns, weight], items=items, where=where) for items, weight in terms]
        )
        known = {
            (a, c) for a, node in zip(self.aliases, self.inputs, strict=True) for c in node.exact
        }
        rows = zset.consolidate(
            pairs,
            tuple(names.values()),
            [names[origin] for origin in keys],
            frozenset(names[origin] for origin in names.keys() & known),
        )

        def of_pair(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column):
                return node
            return trees.column(names[node.table, node.name], "j")

        own = [e.transform(of_pair) for e in self._own_columns]
        rest = [c.transform(of_pair) for c in self.conditions if functions.can_fail_for_pairs(c)]
        return trees.select(
            [*own, zset.weight("j")],
            items=[trees.from_item(rows, "j")],
            where=trees.all_of(rest) if rest else None,
        )

    @property
    def _own_columns(self) -> list[exp.Alias]:
        hidden = [name for name in self.key if name not in self.columns]
        visible = zip(self.projections, self.columns, strict=True)
        key = zip(self.key_projections, hidden, strict=True)
        return [trees.named(e, name) for e, name in (*visible, *key)]

    def _query(self, items: Sequence[exp.Expr], more: Sequence[exp.Expr]) -> exp.Select:
        where = trees.all_of(self.conditions) if self.conditions else None
        return trees.select([*self._own_columns, *more], items=items, where=where)

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        scope = Scope(dict(zip(self.aliases, names.inputs, strict=True)))
        is_join = len(self.inputs) > 1
        facts: tuple[str, ...] = ()
        if self.conditions:
            facts = (f"{'on' if is_join else 'where'} {scope.text(trees.all_of(self.conditions))}",)
        elif not is_join:
            facts = (scope.texts(self.projections),)
        visible = zip(self.columns, self.projections, strict=True)
        return Described(
            title="Join" if is_join else "Filter" if self.conditions else "Project",
            facts=facts,
            labels={name: scope.label(projection) for name, projection in visible},
            is_plain=not is_join and not self.conditions,
        )

    def delta_cost(self, sizes: Sizes) -> int:
        """Count what the terms read of the other inputs."""
        changed = [i for i, node in enumerate(self.inputs) if sizes.changes(node)]
        if len(self.inputs) < 2:
            return sum(sizes.changes(node) for node in self.inputs)
        return sum(
            sizes.changes(node) if side is _Side.DELTA else sizes.rows(node)
            for term in _terms(len(self.inputs), changed)
            for node, side in zip(self.inputs, term.sides, strict=True)
        )


def _terms(width: int, changed: Sequence[int]) -> list[_Term]:
    if len(changed) <= _EXCLUSION_MAX:
        return [
            _Term(
                tuple(_Side.DELTA if i in members else _Side.NEW for i in range(width)),
                is_subtracted=size % 2 == 0,
            )
            for size in range(1, len(changed) + 1)
            for members in combinations(changed, size)
        ]
    return [
        _Term(
            tuple(
                _Side.DELTA if i == turn else _Side.OLD if i in changed and i < turn else _Side.NEW
                for i in range(width)
            )
        )
        for turn in changed
    ]


def joined(
    sources: Sequence[tuple[str, Operator]],
    conditions: Sequence[exp.Expr],
    columns: tuple[str, ...],
    projections: Sequence[exp.Expr],
) -> Join:
    """Return the join of inputs under their aliases."""
    key, hidden = _key(sources, columns, projections)
    known = {(alias, name) for alias, node in sources for name in node.exact}
    return Join(
        columns=columns,
        key=key,
        inputs=tuple(node for _, node in sources),
        exact=frozenset(
            name
            for name, projection in zip(columns, projections, strict=True)
            if exact.is_exact(projection, lambda column: (column.table, column.name) in known)
        ),
        aliases=tuple(alias for alias, _ in sources),
        projections=tuple(projections),
        conditions=tuple(conditions),
        key_projections=tuple(hidden),
    )


def _key(
    sources: Sequence[tuple[str, Operator]],
    columns: Sequence[str],
    projections: Sequence[exp.Expr],
) -> tuple[tuple[str, ...], list[exp.Expr]]:
    """Find each input's key among the projections, or hide it behind them."""
    shown: dict[tuple[str, str], str] = {}
    for name, projection in zip(columns, projections, strict=True):
        if isinstance(projection, exp.Column):
            shown.setdefault((projection.table, projection.name), name)
    key: list[str] = []
    hidden: list[exp.Expr] = []
    for alias, node in sources:
        for part in node.key:
            visible = shown.get((alias, part))
            if visible is None:
                hidden.append(trees.column(part, alias))
            key.append(visible or f"k{len(hidden)}")
    return tuple(dict.fromkeys(key)), hidden
