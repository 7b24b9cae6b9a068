r"""Window functions.

With I the input and p the columns by which all windows of a query are partitioned, only the
partitions in which a row came or went can show anything else:

    P     =  p(dI)
    d(W)  =  W(I' |x P)  -  shown |x P

where |x keeps the rows whose partition is in P. The old side is read from the state table, which
keeps the partition columns as ``p1``, ``p2``, ... A top-N by row_number, rank or dense_rank is such
a query under a filter, and then only the rows that pass it are stored. A row is identified as in
the input.
Source: Koch, Olteanu, F-IVM, SIGMOD 2018, section 3 (restriction to affected keys).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from barrier.stream import exact, functions, trees, zset
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators import select
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "order", "with_"})


@dataclass(frozen=True, eq=False, kw_only=True)
class Window(Operator):
    """Projections with window functions over one input, named ``i`` in them.

    Attributes:
        projections: The visible columns.
        partition: The input's columns that all windows are partitioned by, and more may be by more.
        hidden: The hidden key columns with those of the input that they show.
        kept: Which rows are stored, over the node's own columns as ``w``; None: all.
    """

    projections: tuple[exp.Expr, ...]
    partition: tuple[str, ...]
    hidden: tuple[tuple[str, str], ...]
    kept: exp.Expr | None = None

    @property
    def _input(self) -> Operator:
        return self.inputs[0]

    @property
    def _partition_pairs(self) -> list[tuple[str, str]]:
        return [(f"p{n}", name) for n, name in enumerate(self.partition, start=1)]

    @property
    def _state(self) -> str:
        assert self.table is not None
        return self.table

    def rows(self) -> exp.Expr:
        """Return the stored rows."""
        return trees.select(
            trees.columns(self.storage_columns, "s"),
            items=[trees.from_item(trees.relation(self._state), "s")],
        )

    def fill(self) -> exp.Expr:
        """Compute all partitions."""
        return self._computed(self._input.rows(), [])

    def delta(self, program: Program) -> Delta | None:
        """Compute the affected partitions."""
        delta = program.delta(self._input)
        if delta is None:
            return None
        affected = program.temporary(
            trees.distinct(
                trees.select(
                    trees.columns(self.partition, "i"), items=[trees.from_item(delta.rows, "i")]
                )
            ),
            f"delta: affected partitions of {self._state}",
        )
        pairs = [(name, name) for name in self.partition]
        new = trees.select(
            trees.columns(self._input.storage_columns, "a"),
            items=[trees.from_item(self._input.rows(), "a"), trees.from_item(affected, "k")],
            where=trees.same_columns(pairs, "a", "k"),
        )
        old = trees.select(
            [
                *trees.columns(self.storage_columns, "s"),
                *trees.columns([name for name, _ in self._partition_pairs], "s"),
                trees.named(trees.number(-1), WEIGHT),
            ],
            items=[
                trees.from_item(trees.relation(self._state), "s"),
                trees.from_item(affected, "k"),
            ],
            where=trees.same_columns(self._partition_pairs, "s", "k"),
        )
        stored = (*self.storage_columns, *(name for name, _ in self._partition_pairs))
        both = trees.union_all([self._computed(new, [trees.named(trees.number(1), WEIGHT)]), old])
        known = self.exact | {p for p, name in self._partition_pairs if name in self._input.exact}
        change = zset.consolidate(both, stored, self.key, known)
        rows = program.temporary(change, f"delta: rows of {self._state}")
        # A row that only moves to another partition changes the state, and nothing that is shown.
        shown = {e.name for e in self.projections if isinstance(e, exp.Column)}
        result = Delta(rows, is_insert_only=False, is_consolidated=shown.issuperset(self.partition))
        program.apply(self._state, self.key, stored, result)
        return result

    def restricted(self, conditions: Sequence[exp.Expr], alias: str) -> Window:  # noqa: ARG002
        """Store only what passes."""

        def own(node: exp.Expr) -> exp.Expr:
            return trees.column(node.name, "w") if isinstance(node, exp.Column) else node

        return replace(self, kept=trees.all_of([c.transform(own) for c in conditions]))

    def _computed(self, rows: exp.Expr, more: Sequence[exp.Expr]) -> exp.Select:
        visible = zip(self.projections, self.columns, strict=True)
        query = trees.select(
            [
                *(trees.named(expression, name) for expression, name in visible),
                *(trees.named(trees.column(part, "i"), name) for name, part in self.hidden),
                *(trees.named(trees.column(p, "i"), name) for name, p in self._partition_pairs),
                *more,
            ],
            items=[trees.from_item(rows, "i")],
        )
        if self.kept is None:
            return query
        return trees.select([exp.Star()], items=[trees.from_item(query, "w")], where=self.kept)

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        scope = Scope({"i": names.inputs[0]})
        visible = zip(self.columns, self.projections, strict=True)
        labels = {name: scope.label(projection) for name, projection in visible}
        calls = [w for e in self.projections for w in e.find_all(exp.Window)]
        partition = scope.texts(trees.columns(self.partition, "i"))
        which = f"changed partitions by {partition}" if partition else "all rows"
        facts = [scope.texts(calls), f"recompute of {which}"]
        if self.kept is not None:
            facts.append(f"keeps {Scope({'w': labels}).text(self.kept)}")
        return Described(title="Window", facts=tuple(facts), labels=labels)

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the input and the state table, which are looked through for the partitions."""
        return 2 * sizes.rows(self._input)


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:  # noqa: ARG001
    """Take a SELECT with window functions; all rows are one partition where they share none."""
    if not isinstance(query, exp.Select) or query.args.get("group") or query.args.get("having"):
        return None
    windows = [w for e in query.expressions for w in e.find_all(exp.Window)]
    clauses = {name for name, value in query.args.items() if value}
    if not windows or clauses - _CLAUSES:
        return None
    partitions = [list(window.args.get("partition_by") or ()) for window in windows]
    shared = [e for e in partitions[0] if all(e in others for others in partitions[1:])]
    if any(map(_aggregates_inside, windows)):
        raise NotIncrementalError("window over aggregates")
    for projection in query.expressions:
        reason = functions.refusal(projection, allows_windows=True)
        if reason is not None:
            raise NotIncrementalError(reason)
    found = [c for e in query.expressions for c in e.find_all(exp.Column)]
    needed = list(dict.fromkeys([*shared, *found]))
    names = tuple(f"c{n}" for n in range(1, len(needed) + 1))
    source = select.over_from(query, builder, names, needed)

    def placed(node: exp.Expr) -> exp.Expr:
        return trees.column(names[needed.index(node)], "i") if node in needed else node

    projections = [e.unalias().transform(placed) for e in query.expressions]
    columns = tuple(projection.alias for projection in query.expressions)
    key, hidden = _key(columns, projections, source.key)
    return Window(
        columns=columns,
        key=key,
        inputs=(source,),
        table=builder.state_table(is_root=False),
        exact=frozenset(
            name
            for name, projection in zip(columns, projections, strict=True)
            if exact.is_exact(projection, lambda column: column.name in source.exact)
        ),
        projections=tuple(projections),
        partition=names[: len(shared)],
        hidden=hidden,
    )


def _aggregates_inside(window: exp.Expr) -> bool:
    """Whether a window looks at aggregates: groups of rows rather than rows."""
    call = window.this
    while isinstance(call, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        call = call.this
    return any(functions.is_aggregate(n) for n in call.walk() if n is not call) or any(
        functions.has_aggregate(part)
        for part in window.iter_expressions()
        if part is not window.this
    )


def _key(
    columns: Sequence[str], projections: Sequence[exp.Expr], key: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Find the input's key among the projections, or hide it behind them."""
    shown: dict[str, str] = {}
    for name, projection in zip(columns, projections, strict=True):
        if isinstance(projection, exp.Column):
            shown.setdefault(projection.name, name)
    hidden = [part for part in key if part not in shown]
    names = shown | {part: f"k{n}" for n, part in enumerate(hidden, start=1)}
    return tuple(names[part] for part in key), tuple((names[part], part) for part in hidden)
