r"""Grouping and aggregates; DISTINCT is grouping by all columns.

With I the input, g its group expressions and dI its change, only the groups in dI change:

    d(gamma I)  =  gamma' restricted to g(dI)  -  gamma restricted to g(dI)

The old side is read from the state table; the new one is merged from it and dI per accumulator
(``accumulator``), or computed from I' for the groups that went stale. A group without rows goes,
save the only one of an aggregate without GROUP BY. HAVING hides groups, their state stays.
Source: Gupta, Mumick, Subrahmanian, Maintaining Views Incrementally, SIGMOD 1993, section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from barrier.stream import accumulator, exact, functions, trees, zset
from barrier.stream.accumulator import Accumulator, Anew, Count, Extreme
from barrier.stream.operator import Builder, Described, NotIncrementalError, Operator, describe_key
from barrier.stream.operators import select, union_all
from barrier.stream.operators.recompute import Recompute
from barrier.stream.program import Program, delete_keys
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

#: How many rows a group has, in the state table and per epoch.
_ROWS: Final = "__rows"
#: Whether a group passes HAVING.
_SHOWN: Final = "__shown"
_WAS_SHOWN: Final = "__was_shown"
_STALE: Final = "__stale"

_CLAUSES: Final = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "with_"}
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate(Operator):
    """One row per group of the input.

    The state table has the storage columns, ``__rows``, ``__shown`` and the accumulators.

    Attributes:
        groups: The input's columns to group by; none: there is always exactly one group.
        accumulators: What is stored per group.
        projections: The visible columns, over ``g1..`` (the groups) and the accumulators.
        having: Which groups are shown, over the same.
    """

    groups: tuple[str, ...]
    accumulators: tuple[Accumulator, ...]
    projections: tuple[exp.Expr, ...]
    having: exp.Expr | None

    @property
    def _input(self) -> Operator:
        return self.inputs[0]

    @property
    def _group_names(self) -> tuple[str, ...]:
        return tuple(f"g{i}" for i in range(1, len(self.groups) + 1))

    @property
    def _state_columns(self) -> tuple[str, ...]:
        return (*self.storage_columns, _ROWS, _SHOWN, *(a.name for a in self.accumulators))

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
                trees.named(exp.Count(this=exp.Star(), big_int=True), _ROWS),
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
        changed = program.temporary(
            self._changed_groups(delta), f"delta: groups of {self._state} {self._ways(delta)}"
        )
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
        groups = zip(trees.columns(self.groups), self._group_names, strict=True)
        steps: list[tuple[str, exp.Expr]] = [
            (
                "change",
                trees.select(
                    [
                        *(trees.named(group, name) for group, name in groups),
                        trees.named(self._rows_change(is_insert_only=can_add), _ROWS),
                        *(
                            alias
                            for a in self.accumulators
                            for alias in a.change(is_insert_only=can_add)
                        ),
                    ],
                    items=[trees.from_item(delta.rows, "i")],
                    group=trees.columns(self.groups),
                ),
            )
        ]
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

    def _rows_change(self, *, is_insert_only: bool) -> exp.Expr:
        if is_insert_only:
            return exp.Count(this=exp.Star(), big_int=True)
        return zset.total(zset.weight())

    def _merged(self, is_stale: exp.Expr | None) -> exp.Select:
        rows = exp.Coalesce(this=trees.column(_ROWS, "old"), expressions=[trees.number(0)])
        was_shown = exp.Coalesce(this=trees.column(_SHOWN, "old"), expressions=[exp.false()])
        projections = [
            *trees.columns(self._group_names, "change"),
            trees.named(exp.Add(this=rows, expression=trees.column(_ROWS, "change")), _ROWS),
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
        names = (*self._group_names, _ROWS, *(a.name for a in self.accumulators))
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
            shown = exp.GT(this=trees.column(_ROWS), expression=exp.Literal.number(0))
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
                trees.column(_ROWS),
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

    def _store(self, program: Program, changed: exp.Table) -> None:
        pairs = [(name, name) for name in self.key]
        program.run(
            delete_keys(self._state, changed, pairs), f"apply: delete from {self._state} by group"
        )
        kept = exp.GT(this=trees.column(_ROWS, "x"), expression=exp.Literal.number(0))
        rows = trees.select(
            trees.columns(self._state_columns, "x"),
            items=[trees.from_item(changed, "x")],
            where=kept if self.groups else None,
        )
        program.run(
            trees.insert(self._state, self._state_columns, rows),
            f"apply: insert into {self._state}",
        )

    def describe(self) -> Described:
        """Return what EXPLAIN shows."""
        facts = [describe_key(self.key)]
        anew = [a.argument.sql(dialect="duckdb") for a in self.accumulators if a.is_always_anew]
        if anew:
            facts.append(f"recompute of changed groups: {', '.join(anew)}")
        title = "Aggregate" if self.accumulators or self.having or not self.groups else "Distinct"
        return Described(title=title, facts=tuple(facts))

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the state table, and the input where groups are read again."""
        is_anew = any(a.is_always_anew for a in self.accumulators)
        return sizes.changes(self._input) + (sizes.rows(self._input) if is_anew else 0)


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take a SELECT with aggregates, GROUP BY or HAVING."""
    if not isinstance(query, exp.Select) or query.args.get("distinct"):
        return None
    group, having = query.args.get("group"), query.args.get("having")
    if not group and not having and not any(map(functions.has_aggregate, query.expressions)):
        return None
    clauses = {name for name, value in query.args.items() if value}
    unknown = sorted(name.rstrip("_").upper() for name in clauses - _CLAUSES)
    if group:
        unknown += sorted(
            name.upper().replace("_", " ")
            for name, value in group.args.items()
            if value and name != "expressions"
        )
    if unknown:
        raise NotIncrementalError(", ".join(unknown))
    parts = _Parts([] if group is None else group.expressions)
    columns = tuple(projection.alias for projection in query.expressions)
    projections = [parts.rewritten(e.unalias()) for e in query.expressions]
    condition = None if having is None else parts.rewritten(having.this)
    names = tuple(f"c{i}" for i in range(1, len(parts.input_expressions) + 1))
    source = select.over_from(query, builder, names, parts.input_expressions)
    groups = names[: len(parts.groups)]
    known = {_ROWS} | {a.name for a in parts.accumulators if a.is_exact(source.exact)}
    known |= {f"g{i}" for i, name in enumerate(groups, start=1) if name in source.exact}
    return Aggregate(
        columns=columns,
        key=_key(columns, projections, len(groups)),
        inputs=(source,),
        exact=frozenset(
            name
            for name, projection in zip(columns, projections, strict=True)
            if exact.is_exact(projection, lambda column: column.name in known)
        ),
        # Groups that HAVING hides are no rows of the view, so they need a table of their own.
        table=builder.state_table(is_root=is_root and condition is None),
        groups=groups,
        accumulators=tuple(parts.accumulators),
        projections=tuple(projections),
        having=condition,
    )


def distinct_rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:
    """Take SELECT DISTINCT and UNION."""
    source: Operator
    if isinstance(query, exp.Union) and query.args.get("distinct"):
        clauses = {name for name, value in query.args.items() if value}
        unknown = clauses - {"this", "expression", "order", "with_", "distinct"}
        if unknown:
            raise NotIncrementalError(", ".join(sorted(name.upper() for name in unknown)))
        source = union_all.over_branches(query, builder)
    elif isinstance(query, exp.Select) and query.args.get("distinct"):
        if query.args["distinct"].args.get("on"):
            raise NotIncrementalError("DISTINCT ON")
        if query.args.get("limit") or query.args.get("offset"):
            raise NotIncrementalError("LIMIT")
        plain = query.copy()
        plain.set("distinct", None)
        source = builder.build(plain)
    else:
        return None
    if isinstance(source, Recompute):
        raise NotIncrementalError(source.reason)
    return Aggregate(
        columns=source.columns,
        key=source.columns,
        inputs=(source,),
        exact=source.exact,
        table=builder.state_table(is_root=is_root),
        groups=source.columns,
        accumulators=(),
        projections=tuple(trees.column(f"g{i + 1}") for i in range(len(source.columns))),
        having=None,
    )


def _key(columns: Sequence[str], projections: Sequence[exp.Expr], groups: int) -> tuple[str, ...]:
    """Name per group the visible column that shows it, or a hidden one."""
    shown: dict[str, str] = {}
    for name, projection in zip(columns, projections, strict=True):
        if isinstance(projection, exp.Column):
            shown.setdefault(projection.name, name)
    key: list[str] = []
    hidden = 0
    for i in range(1, groups + 1):
        visible = shown.get(f"g{i}")
        hidden += visible is None
        key.append(visible or f"k{hidden}")
    return tuple(key)


def _guarded(expression: exp.Expr, shown: exp.Expr) -> exp.Expr:
    """Do not compute what is not shown: HAVING may be what keeps a division from zero."""
    can_fail = expression.find(exp.Func, exp.Binary) is not None
    return trees.when(shown, expression) if can_fail and shown != exp.true() else expression


class _Parts:
    """Takes a grouped query apart: what to ask of the input, what to store, what to show."""

    def __init__(self, groups: Sequence[exp.Expr]) -> None:
        self.groups = [group.copy() for group in groups]
        self.input_expressions: list[exp.Expr] = [group.copy() for group in groups]
        self.accumulators: list[Accumulator] = []

    def rewritten(self, expression: exp.Expr) -> exp.Expr:
        """Return an expression over groups and accumulators.

        Raises:
            NotIncrementalError: It needs anything else.
        """
        reason = functions.refusal(expression)
        if reason is not None:
            raise NotIncrementalError(reason)
        result = expression.copy().transform(self._replaced, copy=False)
        for column in result.find_all(exp.Column):
            if column.table:
                raise NotIncrementalError("a column that is not grouped by")
        return result

    def _replaced(self, node: exp.Expr) -> exp.Expr:
        for i, group in enumerate(self.groups, start=1):
            if node == group:
                return trees.column(f"g{i}")
        return self._aggregate(node) if functions.is_aggregate(node) else node

    def _aggregate(self, node: exp.Expr) -> exp.Expr:
        """Return an aggregate's value from accumulators, adding those that are missing."""
        call, condition = node, None
        if isinstance(node, exp.Filter):
            call, condition = node.this, node.expression.this
        argument = call.this
        is_plain = isinstance(argument, exp.Expr) and not call.expressions
        if isinstance(call, exp.Count) and is_plain and not isinstance(argument, exp.Distinct):
            counted = exp.true() if isinstance(argument, exp.Star) else argument
            return self._count(_where(counted, condition))
        if not is_plain or isinstance(argument, exp.Distinct | exp.Order):
            return self._anew(node)
        if isinstance(call, exp.Min | exp.Max):
            value = self._input(_where(argument, condition))
            return self._add(Extreme(self._next(), value, isinstance(call, exp.Max)))
        if isinstance(call, exp.Sum | exp.Avg):
            value = _where(argument, condition)
            total = accumulator.sum_of(self._next(), self._input(value), argument)
            if total is not None:
                return self._mean_or_sum(call, self._add(total), self._count(value))
        return self._anew(node)

    def _mean_or_sum(self, call: exp.Expr, total: exp.Expr, count: exp.Expr) -> exp.Expr:
        some = exp.GT(this=count.copy(), expression=exp.Literal.number(0))
        if isinstance(call, exp.Sum):
            return trees.when(some, total)
        mean = exp.Div(this=trees.cast(total, "DOUBLE"), expression=count.copy())
        return trees.when(some, mean)

    def _count(self, value: exp.Expr) -> exp.Expr:
        if value == exp.true():
            return trees.column(_ROWS)
        return self._add(Count(self._next(), self._input(value)))

    def _anew(self, node: exp.Expr) -> exp.Expr:
        call = node.copy().transform(
            lambda part: self._input(part) if isinstance(part, exp.Column) else part, copy=False
        )
        return self._add(Anew(self._next(), call))

    def _next(self) -> str:
        return f"a{len(self.accumulators) + 1}"

    def _add(self, new: Accumulator) -> exp.Expr:
        for known in self.accumulators:
            if replace(new, name=known.name) == known:
                return trees.column(known.name)
        self.accumulators.append(new)
        return trees.column(new.name)

    def _input(self, expression: exp.Expr) -> exp.Expr:
        """Return the input's column of an expression, adding it if it is missing."""
        if expression not in self.input_expressions:
            self.input_expressions.append(expression.copy())
        return trees.column(f"c{self.input_expressions.index(expression) + 1}")


def _where(value: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    """Make NULL, which aggregates skip, of values that FILTER leaves out."""
    return value if condition is None else trees.when(condition, value)
