"""A stored relation: a table or another materialized view.

    R' is in r<oid>, dR in d<oid>

Both are put in place by the worker before the program runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import trees
from barrier.stream.describe import Described, Label, Names
from barrier.stream.operator import Builder, NotIncrementalError, Operator
from barrier.stream.program import Program, delta_name
from barrier.stream.strategy import Sizes
from barrier.stream.zset import Delta
from catalog.oid import Oid
from catalog.relation import storage_name


@dataclass(frozen=True, eq=False, kw_only=True)
class Scan(Operator):
    """The rows of one stored relation."""

    oid: Oid

    @property
    def reads(self) -> frozenset[Oid]:
        """The relation."""
        return frozenset({self.oid})

    def rows(self) -> exp.Expr:
        """Return the table itself, so that its indexes can be used."""
        return trees.relation(storage_name(self.oid))

    def delta(self, program: Program) -> Delta | None:
        """Return the table of the relation's delta."""
        if self.oid not in program.changed:
            return None
        table = trees.relation(delta_name(self.oid))
        only_grew = program.changed[self.oid]
        return Delta(
            table,
            only_grew,
            is_consolidated=True,
            at_most=table.name,
            origins={name: frozenset({name}) for name in self.storage_columns},
            copies=frozenset(self.storage_columns),
            judged_by=frozenset(),
        )

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        owner = names.relation(self.oid)
        labels = {c: Label(names.column(self.oid, c), owner) for c in self.storage_columns}
        return Described(title=f"Scan {owner}", labels=labels)

    def rows_estimate(self, sizes: Sizes) -> int:
        """Return the relation's size."""
        return sizes.relations.get(self.oid, 0)

    def changes_estimate(self, sizes: Sizes) -> int:
        """Return the size of the relation's delta."""
        change = sizes.deltas.get(self.oid)
        return 0 if change is None else change.total


def source(item: exp.Expr, builder: Builder) -> Operator | None:
    """Take ``r<oid> AS t<n>``."""
    if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
        return None
    found = builder.relation(item.name)
    if found is None:
        return None
    extras = {name for name, value in item.args.items() if value} - {"this", "alias"}
    if extras:
        raise NotIncrementalError(f"{', '.join(sorted(extras))} of a table")
    visible = tuple(name for name in found.columns if name.startswith("c"))
    return Scan(columns=visible, key=found.key, exact=found.exact, oid=found.oid)
