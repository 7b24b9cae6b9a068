r"""What watermarks have closed: the rows whose key none of them will let come any more.

With P(r, w) the condition, w the watermarks after this epoch and v those before it:

    d(sigma)  =  sigma_P(., v) (dI)  +  { r in I' : P(r, w) and not P(r, v) }

Watermarks only rise, so rows never go because of them; and rows below v do not come, since the
tables let none in. So a row is emitted once and stays. The state is the watermarks'.
Source: RisingWave's EMIT ON WINDOW CLOSE, and ``temporal``, of which it is the event-time form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.aliases import WATERMARK
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.operators.join import joined
from barrier.stream.operators.watermark import BEFORE, Watermark, watermark
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "with_"})
_ROWS: Final = "i"


@dataclass(frozen=True, eq=False, kw_only=True)
class Closing(Operator):
    """The rows of the first input that the watermarks, its other inputs, have closed.

    Attributes:
        condition: Over the first input's columns as ``i``, and over ``c1`` of ``w1``, ``w2``, ...
    """

    condition: exp.Expr

    @property
    def _watermarks(self) -> Mapping[str, Operator]:
        return {f"w{n}": node for n, node in enumerate(self.inputs[1:], start=1)}

    def rows(self) -> exp.Expr:
        """Return the rows that are closed now."""
        items = [trees.from_item(self.inputs[0].rows(), _ROWS)]
        items += [trees.from_item(node.rows(), name) for name, node in self._watermarks.items()]
        columns = trees.columns(self.storage_columns, _ROWS)
        return trees.select(columns, items=items, where=self.condition)

    def delta(self, program: Program) -> Delta | None:
        """Return what the watermarks have passed, and what has changed below where they were."""
        moved = {name for name, node in self._watermarks.items() if program.delta(node) is not None}
        delta = program.delta(self.inputs[0])
        if delta is None and not moved:
            return None
        before = self.condition.transform(
            lambda node: (
                trees.column(BEFORE, node.table)
                if isinstance(node, exp.Column) and node.table in moved
                else node
            )
        )
        columns = trees.columns(self.storage_columns, _ROWS)
        parts: list[exp.Expr] = []
        if moved:
            passed = exp.And(this=exp.Paren(this=self.condition.copy()), expression=_is_not(before))
            parts.append(
                trees.select(
                    [*columns, trees.named(trees.number(1), WEIGHT)],
                    items=[trees.from_item(self.inputs[0].rows(), _ROWS), *self._states()],
                    where=passed,
                )
            )
        if delta is not None:
            parts.append(
                trees.select(
                    [*columns, zset.weight(_ROWS)],
                    items=[trees.from_item(delta.rows, _ROWS), *self._states()],
                    where=before,
                )
            )
        change = trees.union_all(parts)
        only_grows = delta is None or delta.is_insert_only
        if delta is not None and not (only_grows and delta.is_consolidated):
            change = zset.consolidate(change, self.storage_columns, self.key, self.exact)
        rows = program.temporary(change, "delta: rows that the watermark has passed")
        return Delta(rows, only_grows, is_consolidated=True)

    def _states(self) -> list[exp.Expr]:
        return [
            trees.from_item(trees.relation(node.table or ""), name)
            for name, node in self._watermarks.items()
        ]

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        rows, *watermarks = names.inputs
        inputs = {_ROWS: rows} | dict(zip(self._watermarks, watermarks, strict=True))
        condition = Scope(inputs).text(self.condition)
        return Described(
            title="Emit on window close", facts=(f"where {condition}",), labels=dict(rows)
        )

    def rows_estimate(self, sizes: Sizes) -> int:
        """Guess all rows of the input."""
        return sizes.rows(self.inputs[0])

    def changes_estimate(self, sizes: Sizes) -> int:
        """Guess as many as come."""
        return sizes.changes(self.inputs[0])

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the input, which is looked through by its key."""
        return sizes.rows(self.inputs[0])


def rule(query: exp.Expr, builder: Builder, *, is_root: bool) -> Operator | None:  # noqa: ARG001
    """Take ``SELECT ... FROM (query) AS q CROSS JOIN (...) AS watermark1 ... WHERE ...``."""
    if not isinstance(query, exp.Select):
        return None
    joins = query.args.get("joins") or []
    where = query.args.get("where")
    is_closing = joins and all(join.alias_or_name.startswith(WATERMARK) for join in joins)
    if not is_closing or where is None:
        return None
    if {name for name, value in query.args.items() if value} - _CLAUSES:
        raise NotIncrementalError("other clauses beside a watermark")
    alias, rows = builder.source(query.args["from_"].this)
    watermarks: list[Watermark] = []
    places = {alias: _ROWS}
    for join in joins:
        watermarks.append(watermark(join.this, builder))
        places[join.alias_or_name] = f"w{len(watermarks)}"

    def placed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.table in places:
            return trees.column(node.name, places[node.table])
        return node

    closing = Closing(
        columns=rows.columns,
        key=rows.key,
        inputs=(rows, *watermarks),
        exact=rows.exact,
        condition=where.this.transform(placed),
    )
    columns = tuple(e.alias for e in query.expressions)
    projections = [e.unalias().transform(placed) for e in query.expressions]
    return joined([(_ROWS, closing)], [], columns, projections)


def _is_not(condition: exp.Expr) -> exp.Expr:
    """Return a condition that holds where another does not, also where it is NULL."""
    held = exp.Coalesce(this=exp.Paren(this=condition.copy()), expressions=[exp.false()])
    return exp.Not(this=held)
