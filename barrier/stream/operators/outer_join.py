r"""Left and right outer join.

With P the preserved side and O the other one, a row p of P is shown with each row of O that it
meets, or once with NULLs. What is shown of p can only have changed when p did, or when a row came
or went that it meets:

    K              =  key(dP)  +  key(P' |><| dO)
    d(P _|><| O)   =  (P' |x K) _|><| O'  -  shown |x K

where |x keeps the rows whose key is in K; when only P changed, the join is linear in it:

    d(P _|><| O)   =  dP _|><| O

The old side is read from the state table. A row is identified by the keys of both sides, the other
one's being NULL where p meets nothing.
Source: Larson, Zhou, Efficient Maintenance of Materialized Outer-Join Views, ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import functions, trees, zset
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Builder, Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

#: What an input's column is called in the join, and in the input.
_Pairs = tuple[tuple[str, str], ...]

_PRESERVED = "p"
_OTHER = "o"


@dataclass(frozen=True, eq=False, kw_only=True)
class OuterJoin(Operator):
    """``inputs[0] LEFT JOIN inputs[1] ON condition``, stored in a state table.

    Attributes:
        condition: Over the inputs as ``p`` and ``o``.
        preserved: The columns that come from the preserved side.
        other: Those that come from the other side.
        preserved_key: The columns of the preserved side's key among them.
    """

    condition: exp.Expr
    preserved: _Pairs
    other: _Pairs
    preserved_key: _Pairs

    def rows(self) -> exp.Expr:
        """Return the stored rows."""
        assert self.table is not None
        return trees.relation(self.table)

    def fill(self) -> exp.Expr:
        """Join all rows."""
        return self._joined([trees.from_item(self.inputs[0].rows(), _PRESERVED)], [])

    def delta(self, program: Program) -> Delta | None:
        """Join the change, or show the affected rows of the preserved side anew."""
        assert self.table is not None
        can_fail = functions.can_fail(self.condition)
        of = program.consolidated if can_fail else program.delta
        preserved, other = of(self.inputs[0]), of(self.inputs[1])
        if other is not None:
            change, is_insert_only = self._of_affected(program, preserved, other), False
        elif preserved is not None:
            change, is_insert_only = self._of_preserved(preserved), preserved.is_insert_only
        else:
            return None
        rows = program.store_delta(self, change, f"delta: rows of {self.table}")
        delta = Delta(rows, is_insert_only, is_consolidated=True)
        program.apply(self.table, self.key, self.storage_columns, delta)
        return delta

    def _of_preserved(self, preserved: Delta) -> exp.Select:
        """Join the change alone: with the other side fixed, the outer join is linear."""
        item = trees.from_item(preserved.rows, _PRESERVED)
        change = self._joined([item], [trees.named(zset.weight(_PRESERVED), WEIGHT)])
        if preserved.is_insert_only and preserved.is_consolidated:
            return change
        return zset.consolidate(change, self.storage_columns, self.key, self.exact)

    def _of_affected(self, program: Program, preserved: Delta | None, other: Delta) -> exp.Select:
        affected = program.temporary(
            self._affected(preserved, other), f"delta: affected rows of {self.table}"
        )
        both = trees.union_all([self._new(affected), self._old(affected)])
        return zset.consolidate(both, self.storage_columns, self.key, self.exact)

    def _affected(self, preserved: Delta | None, other: Delta) -> exp.Expr:
        """Return the keys K, each once."""
        items = [
            trees.from_item(self.inputs[0].rows(), _PRESERVED),
            trees.from_item(other.rows, _OTHER),
        ]
        # Where both sides changed, an old row of the one may stand beside a new one of the other.
        parts = trees.conjuncts(self.condition)
        meets = parts if preserved is None else [functions.may_hold(part) for part in parts]
        queries: list[exp.Expr] = [
            trees.select(self._keys(), items=items, where=trees.all_of(meets))
        ]
        if preserved is not None:
            item = trees.from_item(preserved.rows, _PRESERVED)
            queries.append(trees.select(self._keys(), items=[item]))
        every = trees.from_item(trees.union_all(queries), "k")
        return trees.distinct(trees.select([exp.Star()], items=[every]))

    def _keys(self) -> list[exp.Expr]:
        return [trees.column(part, _PRESERVED) for _, part in self.preserved_key]

    def _new(self, affected: exp.Table) -> exp.Select:
        pairs = [(part, part) for _, part in self.preserved_key]
        kept = trees.select(
            [trees.column(name, "i") for name in self.inputs[0].storage_columns],
            items=[
                trees.from_item(self.inputs[0].rows(), "i"),
                trees.from_item(affected, "k"),
            ],
            where=trees.same_columns(pairs, "i", "k"),
        )
        return self._joined(
            [trees.from_item(kept, _PRESERVED)], [trees.named(trees.number(1), WEIGHT)]
        )

    def _old(self, affected: exp.Table) -> exp.Select:
        return trees.select(
            [
                *trees.columns(self.storage_columns, "s"),
                trees.named(trees.number(-1), WEIGHT),
            ],
            items=[trees.from_item(self.rows(), "s"), trees.from_item(affected, "k")],
            where=trees.same_columns(self.preserved_key, "s", "k"),
        )

    def _joined(self, items: Sequence[exp.Expr], more: Sequence[exp.Expr]) -> exp.Select:
        sources = {name: (part, _PRESERVED) for name, part in self.preserved}
        sources |= {name: (part, _OTHER) for name, part in self.other}
        projections = [
            trees.named(trees.column(*sources[name]), name) for name in self.storage_columns
        ]
        query = trees.select([*projections, *more], items=items)
        other = trees.from_item(self.inputs[1].rows(), _OTHER)
        return trees.left_join(query, other, self.condition)

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        scope = Scope(dict(zip((_PRESERVED, _OTHER), names.inputs, strict=True)))
        sides = ((_PRESERVED, self.preserved), (_OTHER, self.other))
        labels = {
            name: scope.label(trees.column(part, side))
            for side, pairs in sides
            for name, part in pairs
        }
        return Described(
            title="Left join", facts=(f"on {scope.text(self.condition)}",), labels=labels
        )

    def delta_cost(self, sizes: Sizes) -> int:
        """Count both sides and the state table."""
        return self.anew_cost(sizes) + sizes.rows(self)


def outer_join(
    preserved: Operator, other: Operator, condition: exp.Expr, builder: Builder
) -> OuterJoin:
    """Return the outer join of two nodes.

    Args:
        preserved: The side whose rows are all shown.
        other: The side that NULLs may stand for.
        condition: Over the two as ``p`` and ``o``.
        builder: Names the state table.

    Returns:
        The node; its columns are those of the preserved side and then those of the other.
    """
    ordered = [(preserved, _PRESERVED), (other, _OTHER)]
    origins = [(side, name) for node, side in ordered for name in node.columns]
    names = {origin: f"c{i}" for i, origin in enumerate(origins, start=1)}
    hidden = 0
    for node, side in ordered:
        for name in node.key:
            if (side, name) not in names:
                hidden += 1
                names[side, name] = f"k{hidden}"
    exact = {_PRESERVED: preserved.exact, _OTHER: other.exact}
    keys = [names[side, name] for node, side in ordered for name in node.key]
    return OuterJoin(
        columns=tuple(names[origin] for origin in origins),
        key=tuple(dict.fromkeys(keys)),
        inputs=(preserved, other),
        table=builder.state_table(is_root=False),
        exact=frozenset(names[origin] for origin in origins if origin[1] in exact[origin[0]]),
        condition=condition,
        preserved=tuple((new, name) for (side, name), new in names.items() if side == _PRESERVED),
        other=tuple((new, name) for (side, name), new in names.items() if side == _OTHER),
        preserved_key=tuple((names[_PRESERVED, name], name) for name in preserved.key),
    )
