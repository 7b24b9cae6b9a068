r"""How far time has come in a table: the greatest value of an expression that its rows have had.

    w'  =  max(w, max(e(dI+)))

with dI+ the rows that come. Rows that go take nothing back. The state is one row, with the value
and the one that it had before the last epoch that moved it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.describe import Described, Label, Names, Scope
from barrier.stream.operator import Builder, Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import Delta

#: The columns of the state: what it is now, and what it was.
NOW = "c1"
BEFORE = "was"


@dataclass(frozen=True, eq=False, kw_only=True)
class Watermark(Operator):
    """The watermark of the input.

    Attributes:
        value: The expression, over the input's columns as ``i``.
        query: The query for the watermark as it is, run from scratch.
    """

    value: exp.Expr
    query: exp.Expr

    @property
    def _state(self) -> str:
        assert self.table is not None
        return self.table

    def rows(self) -> exp.Expr:
        """Return the stored value."""
        return trees.select(
            [trees.column(NOW, "s")], items=[trees.from_item(trees.relation(self._state), "s")]
        )

    def fill(self) -> exp.Expr:
        """Look at all rows."""
        value = trees.column(NOW, "q")
        return trees.select(
            [value, trees.named(value, BEFORE)], items=[trees.from_item(self.query, "q")]
        )

    def delta(self, program: Program) -> Delta | None:
        """Look at the rows that come."""
        delta = program.delta(self.inputs[0])
        if delta is None:
            return None
        greatest = trees.select(
            [trees.named(exp.Max(this=self.value), "latest")],
            items=[trees.from_item(delta.rows, "i")],
            where=None if delta.is_insert_only else zset.comes("i"),
        )
        moved = trees.call("greatest", trees.column(NOW, "s"), trees.column("latest", "z"))
        program.run(
            trees.update(
                trees.from_item(trees.relation(self._state), "s"),
                [(BEFORE, trees.column(NOW, "s")), (NOW, moved)],
                trees.from_item(greatest, "z"),
                exp.true(),
            ),
            f"delta: watermark of {self._state}",
        )
        rows = zset.weighted(self.rows(), self.columns, 1)
        return Delta(rows, is_insert_only=False, is_consolidated=False)

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        value = Scope({"i": names.inputs[0]}).text(self.value)
        return Described(title="Watermark", facts=(value,), labels={NOW: Label("watermark")})

    def rows_estimate(self, sizes: Sizes) -> int:  # noqa: ARG002
        """It is one."""
        return 1

    def changes_estimate(self, sizes: Sizes) -> int:  # noqa: ARG002
        """It is one."""
        return 1


def watermark(item: exp.Subquery, builder: Builder) -> Watermark:
    """Return the watermark that a query of FROM asks for: the greatest of a table's rows."""
    select = item.this
    greatest = select.find(exp.Max)
    source = select.args["from_"].this
    alias, node = builder.source(source)
    value = greatest.this.transform(
        lambda part: (
            trees.column(part.name, "i")
            if isinstance(part, exp.Column) and part.table == alias
            else part
        )
    )
    return Watermark(
        columns=(NOW,),
        key=(),
        inputs=(node,),
        table=builder.state_table(is_root=False),
        value=value,
        query=select.copy(),
    )
