r"""Temporal join: each row of the left side with what the right side has when that row comes.

With A the left side, B the right one and S what is shown,

    dS  =  dA+ |><| B'  -  { s in S : its row of A is in dA- }

where dA+ are the rows that come and dA- those that go. The right side changes nothing that is
shown; so S does not follow from A and B as they are, and can only be kept, never computed anew.
What is filled first is the join of all there is then.
Source: RisingWave's process-time temporal join, ``FOR SYSTEM_TIME AS OF PROCTIME()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.describe import Described, Names
from barrier.stream.operator import Builder, Operator
from barrier.stream.operators.outer_join import OuterJoin, outer_join
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

_LEFT = "p"


@dataclass(frozen=True, eq=False, kw_only=True)
class TemporalJoin(OuterJoin):
    """``inputs[0] [LEFT] JOIN inputs[1] FOR SYSTEM_TIME AS OF PROCTIME() ON condition``.

    Attributes:
        keeps_rows: Whether rows that meet none are shown, as of LEFT JOIN.
    """

    keeps_rows: bool

    @property
    def is_kept_only(self) -> bool:
        """It is."""
        return True

    def delta(self, program: Program) -> Delta | None:
        """Look up the rows that come, and take away what is shown of those that go."""
        left = program.consolidated(self.inputs[0])
        if left is None:
            return None
        rows = left.rows
        if not isinstance(rows, exp.Table) and not left.is_insert_only:
            rows = program.temporary(rows, "delta: rows of the left side")
        came = trees.select(
            trees.columns((*self.inputs[0].storage_columns, WEIGHT), "d"),
            items=[trees.from_item(rows, "d")],
            where=None if left.is_insert_only else zset.comes("d"),
        )
        change: exp.Expr = self._joined(
            [trees.from_item(came, _LEFT)], [trees.named(trees.number(1), WEIGHT)]
        )
        if not left.is_insert_only:
            both = trees.union_all([change, self._gone(rows)])
            change = zset.consolidate(both, self.storage_columns, self.key, self.exact)
        assert self.table is not None
        stored = program.store_delta(self, change, f"delta: rows of {self.table}")
        delta = Delta(stored, left.is_insert_only, is_consolidated=True)
        program.apply(self.table, self.key, self.storage_columns, delta)
        return delta

    def _gone(self, rows: exp.Expr) -> exp.Select:
        conditions = [trees.same_columns(self.preserved_key, "s", "z"), zset.goes("z")]
        return trees.select(
            [*trees.columns(self.storage_columns, "s"), trees.named(trees.number(-1), WEIGHT)],
            items=[trees.from_item(self.rows(), "s"), trees.from_item(rows, "z")],
            where=trees.all_of(conditions),
        )

    def _joined(self, items: Sequence[exp.Expr], more: Sequence[exp.Expr]) -> exp.Select:
        query = super()._joined(items, more)
        if not self.keeps_rows:
            query.args["joins"][-1].set("side", None)
        return query

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        described = super().describe(names)
        title = f"Temporal {'left ' if self.keeps_rows else ''}join"
        facts = (*described.facts, "the right side as it is when a row of the left one comes")
        return Described(title=title, facts=facts, labels=described.labels)

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the right side."""
        return sizes.rows(self.inputs[1])


def temporal_join(
    left: Operator, right: Operator, condition: exp.Expr, builder: Builder, *, keeps_rows: bool
) -> TemporalJoin:
    """Return the temporal join of two nodes, as ``outer_join``."""
    like = outer_join(left, right, condition, builder)
    values = {each.name: getattr(like, each.name) for each in fields(like)}
    return TemporalJoin(**values, keeps_rows=keeps_rows)
