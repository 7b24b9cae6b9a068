r"""Filters on the time: rows that come and go because time passes.

With P(r, t) the condition, t the time of this epoch and s that of the last one in which it ran:

    d(sigma)  =  sigma_P(., s) (dI)  +  { r in I' : P(r, t) and not P(r, s) }
                                     -  { r in I' : P(r, s) and not P(r, t) }

The state is the time s. Without a change of the input only rows between the two times move, for
which the input is looked through but nothing is compared or written.
Source: RisingWave's temporal filters, and Budiu et al., DBSP, VLDB 2023, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import functions, trees, zset
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Builder, Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

#: What rows are called in the condition.
ROWS: Final = "i"

_TIME: Final = "n"


@dataclass(frozen=True, eq=False, kw_only=True)
class Temporal(Operator):
    """The rows of one input for which a condition holds now.

    Attributes:
        condition: Over the input's columns as ``i``, and over ``getvariable('epoch_now')``.
    """

    condition: exp.Expr

    @property
    def reads_clock(self) -> bool:
        """It does."""
        return True

    def rows(self) -> exp.Expr:
        """Return the rows for which the condition holds now."""
        return trees.select(
            trees.columns(self.storage_columns, ROWS),
            items=[trees.from_item(self.inputs[0].rows(), ROWS)],
            where=self.condition,
        )

    def fill(self) -> exp.Expr:
        """Remember the time."""
        now = trees.call("getvariable", exp.Literal.string("epoch_now"))
        return trees.select([trees.named(now, _TIME)])

    def delta(self, program: Program) -> Delta | None:
        """Filter the change by the last time, and add what time has moved."""
        assert self.table is not None
        delta = program.delta(self.inputs[0])
        last = trees.select(
            [trees.column(_TIME, "t")], items=[trees.from_item(trees.relation(self.table), "t")]
        )
        then = _at(self.condition, exp.Subquery(this=last))
        holds, held = _is_true(self.condition), _is_true(then)
        columns = trees.columns(self.storage_columns, ROWS)
        moved = trees.select(
            [*columns, trees.named(trees.when(holds, trees.number(1), trees.number(-1)), WEIGHT)],
            items=[trees.from_item(self.inputs[0].rows(), ROWS)],
            where=exp.NEQ(this=holds.copy(), expression=held),
        )
        change: exp.Expr = moved
        if delta is not None:
            came = trees.select(
                [*columns, zset.weight(ROWS)],
                items=[trees.from_item(delta.rows, ROWS)],
                where=then,
            )
            change = trees.union_all([moved, came])
        rows = program.temporary(
            zset.consolidate(change, self.storage_columns, self.key, self.exact),
            "delta: rows that time or a change moved",
        )
        program.replace_rows(self)
        return Delta(rows, is_insert_only=False, is_consolidated=True)

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        labels = names.inputs[0]
        scope = Scope({ROWS: labels})
        return Described(
            title="Temporal filter",
            facts=(f"where {scope.text(self.condition)}", "looked through in every epoch"),
            labels=labels,
        )

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the input."""
        return sizes.rows(self.inputs[0])


def temporal(rows: Operator, condition: exp.Expr, builder: Builder) -> Temporal:
    """Return the rows for which a condition on the time holds.

    Args:
        rows: As ``i`` in the condition.
        condition: As in ``Temporal``.
        builder: Names the state table.
    """
    return Temporal(
        columns=rows.columns,
        key=rows.key,
        inputs=(rows,),
        table=builder.state_table(is_root=False),
        exact=rows.exact,
        condition=condition,
    )


def _is_true(condition: exp.Expr) -> exp.Expr:
    """Return a condition that is false where it would be NULL."""
    return exp.Coalesce(this=exp.Paren(this=condition.copy()), expressions=[exp.false()])


def _at(condition: exp.Expr, time: exp.Expr) -> exp.Expr:
    """Return a condition as of another time."""

    def changed(node: exp.Expr) -> exp.Expr:
        return time.copy() if functions.is_clock(node) else node

    return exp.Paren(this=condition.copy()).transform(changed)
