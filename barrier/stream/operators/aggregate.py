r"""Grouping and aggregates; DISTINCT is grouping by all columns.

With I the input, g its group expressions and dI its change, only the groups in dI change:

    d(gamma I)  =  gamma' restricted to g(dI)  -  gamma restricted to g(dI)

The old side is read from the state table; the new one is merged from it and dI per accumulator
(``accumulator``), or computed from I' for the groups that went stale. A group without rows goes,
save the only one of an aggregate without GROUP BY. HAVING hides groups, their state stays.
Source: Gupta, Mumick, Subrahmanian, Maintaining Views Incrementally, SIGMOD 1993, section 5.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from barrier.stream import exact, functions, trees, zset
from barrier.stream.accumulator import Accumulator, Extreme, FloatSum
from barrier.stream.addition import Addition
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.light import reads
from barrier.stream.operator import Operator
from barrier.stream.program import Program, delete_keys
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta, Some

#: How many rows a group has, in the state table and per epoch; aggregates may refer to it.
ROWS: Final = "__rows"
#: Whether a group passes HAVING.
_SHOWN: Final = "__shown"
_WAS_SHOWN: Final = "__was_shown"
_STALE: Final = "__stale"


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate(Operator):
    """One row per group of the input.

    The state table has the storage columns, ``__rows``, ``__shown`` and the accumulators.

    Attributes:
        groups: The input's columns to group by; none: there is always exactly one group.
        accumulators: What is stored per group.
        projections: The visible columns, over ``g1..`` (the groups) and the accumulators.
        having: Which groups are shown, over the same.
        origins: The visible columns as the query has them, over the input's columns, for EXPLAIN.
        can_update: Whether all of the state table's values that are equal are identical. The
            engine's UPDATE, in MERGE too, leaves a value alone that is equal to the new one.
    """

    groups: tuple[str, ...]
    accumulators: tuple[Accumulator, ...]
    projections: tuple[exp.Expr, ...]
    having: exp.Expr | None
    origins: tuple[exp.Expr, ...]
    can_update: bool = False

    @property
    def _input(self) -> Operator:
        return self.inputs[0]

    @property
    def _group_names(self) -> tuple[str, ...]:
        return tuple(f"g{i}" for i in range(1, len(self.groups) + 1))

    @property
    def _state_columns(self) -> tuple[str, ...]:
        return (*self.storage_columns, ROWS, _SHOWN, *(a.name for a in self.accumulators))

    @property
    def _computed(self) -> tuple[str, ...]:
        """The visible columns that are not simply a group's."""
        return tuple(name for name in self.columns if name not in self.key)

    @property
    def _state(self) -> str:
        assert self.table is not None
        return self.table

    def rows(self) -> exp.Expr:
        """Return the shown groups of the state table."""
        where = None if self.having is None else trees.column(_SHOWN, "s")
        return trees.select(
            trees.columns(self.storage_columns, "s"),
            items=[trees.from_item(trees.relation(self._state), "s")],
            where=where,
        )

    def fill(self) -> exp.Expr:
        """Group all of the input."""
        groups = zip(trees.columns(self.groups, "i"), self._group_names, strict=True)
        grouped = trees.select(
            [
                *(trees.named(group, name) for group, name in groups),
                trees.named(exp.Count(this=exp.Star(), big_int=True), ROWS),
                *(trees.named(a.whole(), a.name) for a in self.accumulators),
            ],
            items=[trees.from_item(self._input.rows(), "i")],
            group=trees.columns(self.groups, "i"),
        )
        return self._finished([("grouped", grouped)], "grouped", (), frozenset())

    def delta(self, program: Program) -> Delta | None:
        """Work out the changed groups once, then store them and say how they changed."""
        needs_consolidated = any(a.needs_consolidated for a in self.accumulators)
        delta = program.delta(self._input)
        if needs_consolidated:
            delta = program.consolidated(self._input)
        if delta is None:
            return None
        label = f"groups of {self._state} {self._ways(delta)}"
        if not program.is_delta_read(self) and program.is_small and self.can_update:
            self._store_in_place(program, delta, label)
            return None
        changed = program.temporary(self._changed_groups(delta), f"delta: {label}")
        result: Delta | None = None
        if program.is_delta_read(self):
            rows = program.store_delta(
                self, self._difference(changed), f"delta: rows of {self._state}"
            )
            result = Delta(
                rows,
                is_insert_only=delta.is_insert_only and not self._computed and not self.having,
                is_consolidated=True,
            )
        self._store(program, changed)
        return result

    def _ways(self, delta: Delta) -> str:
        if any(a.is_always_anew for a in self.accumulators):
            return "(recomputed from the input)"
        if not delta.is_insert_only and self._stale_conditions():
            return "(merged, stale ones recomputed)"
        return "(merged)"

    def _stale_conditions(self) -> list[exp.Expr]:
        conditions = [a.stale("old", "change") for a in self.accumulators]
        return [condition for condition in conditions if condition is not None]

    def _changed_groups(self, delta: Delta) -> exp.Select:
        """Return the new state of the groups in a delta, and the old of what is shown of them."""
        can_add = delta.is_insert_only and delta.is_consolidated
        steps: list[tuple[str, exp.Expr]] = [("change", self._change(delta, can_add=can_add))]
        stale = [] if can_add else self._stale_conditions()
        is_anew = any(a.is_always_anew for a in self.accumulators)
        can_be_stale = is_anew or bool(stale)
        is_stale = exp.true() if is_anew else trees.any_of(stale)
        steps.append(("merged", self._merged(is_stale if can_be_stale else None)))
        last = "merged"
        if can_be_stale:
            steps += [("again", self._again()), ("whole", self._whole())]
            last = "whole"
        before = [*(f"o_{name}" for name in self._computed), _WAS_SHOWN]
        return self._finished(steps, last, before, frozenset({"merged"} if can_be_stale else ()))

    def _change(self, delta: Delta, *, can_add: bool) -> exp.Select:
        """Return what a delta adds to the groups in it."""
        groups = zip(trees.columns(self.groups), self._group_names, strict=True)
        return trees.select(
            [
                *(trees.named(group, name) for group, name in groups),
                trees.named(self._rows_change(is_insert_only=can_add), ROWS),
                *(alias for a in self.accumulators for alias in a.change(is_insert_only=can_add)),
            ],
            items=[trees.from_item(delta.rows, "i")],
            group=trees.columns(self.groups),
        )

    def _rows_change(self, *, is_insert_only: bool) -> exp.Expr:
        if is_insert_only:
            return exp.Count(this=exp.Star(), big_int=True)
        return zset.total(zset.weight())

    def _merged(self, is_stale: exp.Expr | None) -> exp.Select:
        rows = exp.Coalesce(this=trees.column(ROWS, "old"), expressions=[trees.number(0)])
        was_shown = exp.Coalesce(this=trees.column(_SHOWN, "old"), expressions=[exp.false()])
        projections = [
            *trees.columns(self._group_names, "change"),
            trees.named(exp.Add(this=rows, expression=trees.column(ROWS, "change")), ROWS),
            *(trees.named(a.merged("old", "change"), a.name) for a in self.accumulators),
            *(trees.named(trees.column(name, "old"), f"o_{name}") for name in self._computed),
            trees.named(was_shown, _WAS_SHOWN),
        ]
        if is_stale is not None:
            is_stale = exp.Coalesce(this=is_stale, expressions=[exp.false()])
            projections.append(trees.named(is_stale, _STALE))
        query = trees.select(projections, items=[trees.relation("change")])
        old = trees.from_item(trees.relation(self._state), "old")
        pairs = zip(self.key, self._group_names, strict=True)
        return trees.left_join(query, old, trees.same_columns(pairs, "old", "change"))

    def _again(self) -> exp.Select:
        """Aggregate the rows of the stale groups."""
        groups = trees.columns(self.groups, "i")
        pairs = zip(self.groups, self._group_names, strict=True)
        names = zip(groups, self._group_names, strict=True)
        condition = trees.all_of(
            [trees.column(_STALE, "m"), trees.same_columns(pairs, "i", "m")]
            if self.groups
            else [trees.column(_STALE, "m")]
        )
        return trees.select(
            [
                *(trees.named(group, name) for group, name in names),
                *(trees.named(a.whole(), a.name) for a in self._renewable),
            ],
            items=[
                trees.from_item(self._input.rows(), "i"),
                trees.from_item(trees.relation("merged"), "m"),
            ],
            where=condition,
            group=groups,
        )

    @property
    def _renewable(self) -> list[Accumulator]:
        return [a for a in self.accumulators if a.needs_consolidated]

    def _whole(self) -> exp.Select:
        """Put the stale groups' values over the merged ones."""
        renewable = {a.name for a in self._renewable}
        names = (*self._group_names, ROWS, *(a.name for a in self.accumulators))
        projections: list[exp.Expr] = []
        for name in names:
            value: exp.Expr = trees.column(name, "merged")
            if name in renewable:
                stale = trees.column(_STALE, "merged")
                value = trees.when(stale, trees.column(name, "again"), value)
            projections.append(trees.named(value, name))
        before = [*(f"o_{name}" for name in self._computed), _WAS_SHOWN]
        query = trees.select(
            [*projections, *trees.columns(before, "merged")], items=[trees.relation("merged")]
        )
        pairs = zip(self._group_names, self._group_names, strict=True)
        return trees.left_join(
            query, trees.relation("again"), trees.same_columns(pairs, "again", "merged")
        )

    def _finished(
        self,
        steps: list[tuple[str, exp.Expr]],
        last: str,
        more: Sequence[str],
        kept: frozenset[str],
    ) -> exp.Select:
        """Compute what is shown from groups and accumulators, as the state's columns."""
        shown: exp.Expr = exp.true()
        if self.groups:
            shown = exp.GT(this=trees.column(ROWS), expression=exp.Literal.number(0))
        if self.having is not None:
            # A group without rows has no value that could be judged.
            having = exp.Coalesce(this=self.having.copy(), expressions=[exp.false()])
            judged = trees.select(
                [exp.Star(), trees.named(trees.when(shown, having, exp.false()), _SHOWN)],
                items=[trees.relation(last)],
            )
            steps, last, shown = [*steps, ("judged", judged)], "judged", trees.column(_SHOWN)
        by_key = dict(zip(self.key, self._group_names, strict=True))
        projections = [
            trees.named(
                trees.column(by_key[name]) if name in by_key else _guarded(expression, shown), name
            )
            for name, expression in zip(self.columns, self.projections, strict=True)
        ]
        hidden = [name for name in self.key if name not in self.columns]
        query = trees.select(
            [
                *projections,
                *(trees.named(trees.column(by_key[name]), name) for name in hidden),
                trees.column(ROWS),
                trees.named(shown, _SHOWN),
                *trees.columns([*(a.name for a in self.accumulators), *more]),
            ],
            items=[trees.relation(last)],
        )
        return trees.with_steps(steps, query, kept=kept)

    def _difference(self, changed: exp.Table) -> exp.Select | exp.Expr:
        """Return the old rows out and the new rows in, where a reader sees a difference."""
        shown, was_shown = trees.column(_SHOWN, "x"), trees.column(_WAS_SHOWN, "x")
        same = exact.identical(self._computed, "o_", "x", self.exact)
        is_kept = trees.all_of([shown, was_shown, same])
        item = trees.from_item(changed, "x")
        out = [
            trees.named(trees.column(f"o_{name}", "x"), name)
            if name in self._computed
            else trees.column(name, "x")
            for name in self.storage_columns
        ]
        return trees.union_all(
            [
                trees.select(
                    [*out, trees.named(trees.number(-1), WEIGHT)],
                    items=[item],
                    where=trees.all_of([was_shown, trees.negated(is_kept)]),
                ),
                trees.select(
                    [
                        *trees.columns(self.storage_columns, "x"),
                        trees.named(trees.number(1), WEIGHT),
                    ],
                    items=[item],
                    where=trees.all_of([shown, trees.negated(is_kept)]),
                ),
            ]
        )

    def _replaced(self, changed: exp.Expr) -> exp.Expr:
        """Return the statement that puts the new state of groups in the place of the old one."""
        kept = exp.GT(this=trees.column(ROWS, "x"), expression=exp.Literal.number(0))
        pairs = [(name, name) for name in self.key]
        values = [(name, trees.column(name, "x")) for name in self._state_columns]
        return trees.merge(
            trees.relation(self._state),
            trees.from_item(changed, "x"),
            trees.same_columns(pairs, self._state, "x"),
            removed=trees.negated(kept) if self.groups else None,
            updated=[(name, value) for name, value in values if name not in self.key],
            added=values,
            added_if=kept if self.groups else None,
        )

    def _store_in_place(self, program: Program, delta: Delta, label: str) -> None:
        """Change the state where it is, for a delta that nobody reads.

        The engine plans it several times faster when it need not join the old state first.
        """
        can_add = delta.is_insert_only and delta.is_consolidated
        is_anew = any(a.is_always_anew for a in self.accumulators)
        stale = [] if can_add else self._stale_conditions()
        if is_anew or self.having is not None or (stale and not program.is_light):
            replaced = self._replaced(self._changed_groups(delta))
            program.run(replaced, f"apply: {label}")
            return
        change = self._change(delta, can_add=can_add)
        if not program.is_light:
            program.run(self._addition(change, can_add=can_add).merge(), f"apply: {label}")
            return
        changed = losers = delta.groups(self.groups)
        if stale and not _is_light(delta.rows):
            table = program.temporary(delta.rows, f"delta: input of {self._state}")
            delta = replace(delta, rows=table)
            change = self._change(delta, can_add=can_add)
        if stale or changed is None or not _is_light(delta.rows):
            kept = program.temporary(change, f"delta: change of {label}")
            change, changed = trees.select([exp.Star()], items=[kept]), Some(kept.name)
        addition = self._addition(change, can_add=can_add)
        when = None
        if stale:
            program.ask(addition.count(trees.any_of(stale)), f"ask: stale groups of {self._state}")
            replaced = self._replaced(self._changed_groups(delta))
            program.run(replaced, f"apply: {label}", when=True)
            when = False
        program.run(addition.update(), f"apply: {label}", when=when)
        if self.groups:  # Without, there is one group, and it is there.
            program.run(addition.insert(), f"apply: new {label}", when=when, rest=changed)
        if addition.may_go:
            program.run(addition.delete(ROWS), f"apply: empty {label}", when=when, losers=losers)

    def _addition(self, change: exp.Select, *, can_add: bool) -> Addition:
        """Return how a change is added to the groups' state, if no group is stale."""
        rows = exp.Add(this=trees.column(ROWS, "old"), expression=trees.column(ROWS, "change"))
        merged = {ROWS: exp.Paren(this=rows)}
        merged |= {a.name: exp.Paren(this=a.merged("old", "change")) for a in self.accumulators}
        updated = self._values(merged, only_grows=can_add)
        # Merging into nothing gives the change itself.
        fresh: dict[str, exp.Expr] = {name: trees.column(name, "change") for name in merged}
        comes = exp.GT(this=fresh[ROWS].copy(), expression=exp.Literal.number(0))
        pairs = zip(self.key, self._group_names, strict=True)
        may_go = bool(self.groups) and not can_add
        return Addition(
            state=self._state,
            change=change,
            on=trees.same_columns(pairs, "old", "change"),
            updated=tuple((name, value) for name, value in updated if name not in self.key),
            added=tuple(self._values(fresh, only_grows=can_add)),
            added_if=comes if may_go else None,
            rows=merged[ROWS],
            may_go=may_go,
        )

    def _values(
        self, state: Mapping[str, exp.Expr], *, only_grows: bool
    ) -> list[tuple[str, exp.Expr]]:
        """Return the state table's columns, given the row count and the accumulators."""
        shown: exp.Expr = exp.true()
        if self.groups and not only_grows:
            shown = exp.GT(this=state[ROWS].copy(), expression=exp.Literal.number(0))
        groups = dict(zip(self._group_names, self._group_names, strict=True))

        def placed(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column):
                return node
            if node.name in groups:
                return trees.column(node.name, "change")
            return state[node.name].copy()

        by_key = dict(zip(self.key, self._group_names, strict=True))
        visible = {
            name: trees.column(by_key[name], "change")
            if name in by_key
            else _guarded(exp.Paren(this=expression.copy()).transform(placed), shown)
            for name, expression in zip(self.columns, self.projections, strict=True)
        }
        hidden = {
            name: trees.column(by_key[name], "change")
            for name in self.key
            if name not in self.columns
        }
        values: dict[str, exp.Expr] = {**visible, **hidden, **state, _SHOWN: shown}
        return [(name, values[name]) for name in self._state_columns]

    def _store(self, program: Program, changed: exp.Table) -> None:
        pairs = [(name, name) for name in self.key]
        program.run(
            delete_keys(self._state, changed, pairs), f"apply: delete from {self._state} by group"
        )
        kept = exp.GT(this=trees.column(ROWS, "x"), expression=exp.Literal.number(0))
        rows = trees.select(
            trees.columns(self._state_columns, "x"),
            items=[trees.from_item(changed, "x")],
            where=kept if self.groups else None,
        )
        program.run(
            trees.insert(self._state, self._state_columns, rows),
            f"apply: insert into {self._state}",
        )

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        scope = Scope({"": names.inputs[0]})
        groups = scope.texts(trees.columns(self.groups))
        calls = scope.texts(call for e in self.origins for call in functions.aggregates(e))
        is_distinct = bool(groups) and not self.accumulators and not calls and not self.having
        by = [f"by {groups}"] if groups and not is_distinct else []
        facts = [": ".join([*by, *([calls] if calls else [])])]
        for accumulators, what in (
            ([a for a in self.accumulators if a.is_always_anew], "changed groups"),
            (self._stale_ones(Extreme), "groups that lose their"),
            (self._stale_ones(FloatSum), "groups that lose a row of"),
        ):
            if accumulators:
                facts.append(f"recompute of {what} {scope.texts(a.whole() for a in accumulators)}")
        visible = zip(self.columns, self.origins, strict=True)
        return Described(
            title="Distinct" if is_distinct else "Aggregate",
            facts=tuple(facts),
            labels={name: scope.label(origin) for name, origin in visible},
        )

    def _stale_ones(self, kind: type[Accumulator]) -> list[Accumulator]:
        return [a for a in self.accumulators if isinstance(a, kind)]

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the state table, and the input where groups are read again."""
        is_anew = any(a.is_always_anew for a in self.accumulators)
        return sizes.changes(self._input) + (sizes.rows(self._input) if is_anew else 0)


def _is_light(rows: exp.Expr) -> bool:
    """Whether the engine may compute rows as they are written, of changes alone."""
    read = reads(rows)
    return read is not None and not read.stored


def _guarded(expression: exp.Expr, shown: exp.Expr) -> exp.Expr:
    """Do not compute what is not shown: HAVING may be what keeps a division from zero."""
    can_fail = expression.find(exp.Func, exp.Binary) is not None
    return trees.when(shown, expression) if can_fail and shown != exp.true() else expression
