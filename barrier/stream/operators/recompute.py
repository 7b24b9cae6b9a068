"""Whatever no other operator takes: computed anew, and compared with what was there.

    dQ = Q' - Q   as multisets

A distinct row that occurs m times is stored with the numbers 1 to m; when it occurs n times after
the epoch, the numbers between come or go. So equal rows keep their identity and the comparison is
one grouping, whatever the types; ``exact`` says what equal leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import exact, functions, trees, zset
from barrier.stream.aliases import PROCTIME
from barrier.stream.describe import Described, Label, Names
from barrier.stream.operator import Builder, Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta
from catalog.errors import FeatureNotSupported
from catalog.oid import Oid

_OLD = "old_count"
_NEW = "new_count"


@dataclass(frozen=True, eq=False, kw_only=True)
class Recompute(Operator):
    """The rows of any query; ``k1`` numbers equal rows, ``k2`` tells equal from identical.

    Attributes:
        query: The query, which reads stored relations only.
        relations: Those relations.
        reason: Why it is not maintained from changes.
    """

    query: exp.Expr
    relations: frozenset[Oid]
    reason: str

    @property
    def reads(self) -> frozenset[Oid]:
        """The stored relations that the query names."""
        return self.relations

    @property
    def reads_clock(self) -> bool:
        """Whether it must be computed although no relation changed."""
        return functions.reads_clock(self.query)

    def rows(self) -> exp.Expr:
        """Return the stored rows."""
        assert self.table is not None
        return trees.relation(self.table)

    def fill(self) -> exp.Expr:
        """Return the query's rows, equal ones numbered."""
        values = trees.columns(self.columns, "q")
        identity = exact.fingerprint(values)
        number = exp.Window(this=exp.RowNumber(), partition_by=[*values, identity])
        return trees.select(
            [*values, trees.named(number, "k1"), trees.named(identity, "k2")],
            items=[trees.from_item(self.query, "q")],
        )

    def delta(self, program: Program) -> Delta | None:
        """Compare the query with its stored rows, and store the new ones."""
        assert self.table is not None
        if not self.reads_clock and not self.relations & program.changed.keys():
            return None
        table = program.store_delta(self, self._difference(), f"recompute: {self.reason}")
        delta = Delta(table, is_insert_only=False, is_consolidated=True)
        program.apply(self.table, self.key, self.storage_columns, delta)
        return delta

    def _difference(self) -> exp.Select:
        """Return per distinct row the numbers between its old and its new count."""
        values = trees.columns(self.columns, "z")
        both = trees.union_all(
            [
                self._counted(self.query, old=0, new=1),
                self._counted(trees.relation(self.table or ""), old=1, new=0),
            ]
        )
        counts = trees.select(
            [
                *values,
                trees.named(exact.fingerprint(values), "k2"),
                trees.named(_total(_OLD), _OLD),
                trees.named(_total(_NEW), _NEW),
            ],
            items=[trees.from_item(both, "z")],
            group=[*values, exact.fingerprint(values)],
            having=exp.NEQ(this=_total(_OLD), expression=_total(_NEW)),
        )
        old, new = trees.column(_OLD, "g"), trees.column(_NEW, "g")
        numbers = trees.call(
            "range", _after(trees.call("least", old, new)), _after(trees.call("greatest", old, new))
        )
        return trees.select(
            [
                *trees.columns(self.columns, "g"),
                trees.named(trees.call("unnest", numbers), "k1"),
                trees.column("k2", "g"),
                trees.named(
                    trees.when(exp.GT(this=new, expression=old), trees.number(1), trees.number(-1)),
                    WEIGHT,
                ),
            ],
            items=[trees.from_item(counts, "g")],
        )

    def _counted(self, rows: exp.Expr, *, old: int, new: int) -> exp.Select:
        return trees.select(
            [
                *trees.columns(self.columns, "q"),
                trees.named(trees.number(old), _OLD),
                trees.named(trees.number(new), _NEW),
            ],
            items=[trees.from_item(rows, "q")],
        )

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        read = ", ".join(names.relation(oid) for oid in sorted(self.relations))
        facts = (f"over {read or 'nothing'}", f"recompute in full: {self.reason}")
        labels = {c: Label(f"column_{n}") for n, c in enumerate(self.columns, start=1)}
        return Described(title="Query", facts=facts, labels=labels)

    def rows_estimate(self, sizes: Sizes) -> int:
        """Guess as much as the largest relation."""
        return max((sizes.relations.get(oid, 0) for oid in self.relations), default=1)

    def changes_estimate(self, sizes: Sizes) -> int:
        """Guess the size of what changed under it."""
        return sum(size.total for oid, size in sizes.deltas.items() if oid in self.relations)

    def anew_cost(self, sizes: Sizes) -> int:
        """Count the relations."""
        return sum(sizes.relations.get(oid, 0) for oid in self.relations)

    def delta_cost(self, sizes: Sizes) -> int:
        """Count the same: there is no cheaper way."""
        return self.anew_cost(sizes)


def recompute(query: exp.Expr, builder: Builder, reason: str, *, is_root: bool) -> Recompute:
    """Return the operator of last resort.

    Raises:
        FeatureNotSupported: The query can only be kept, not computed anew.
    """
    if any(item.alias_or_name.endswith(PROCTIME) for item in query.find_all(exp.Table)):
        raise FeatureNotSupported(
            "a temporal join is not supported in such a query",
            detail=f"The query cannot be maintained from changes: {reason}.",
        )
    whole = _with_common_tables(query, builder)
    found = (builder.relation(table.name) for table in whole.find_all(exp.Table))
    names = _output_names(query)
    return Recompute(
        columns=names,
        key=(*names, "k1", "k2"),
        table=builder.state_table(is_root=is_root),
        query=whole,
        relations=frozenset(entry.oid for entry in found if entry is not None),
        reason=reason,
    )


def _with_common_tables(query: exp.Expr, builder: Builder) -> exp.Expr:
    """Put before a query the common tables of outer queries that it names."""
    whole = query.copy()
    own = {cte.alias for cte in whole.find_all(exp.CTE)}
    known = builder.common_tables()
    needed: set[str] = set()
    pending: list[exp.Expr] = [whole]
    while pending:
        for table in pending.pop().find_all(exp.Table):
            name = table.name
            if name in known and name not in own and name not in needed:
                needed.add(name)
                pending.append(known[name])
    if not needed:
        return whole
    outer = [known[name].copy() for name in known if name in needed]
    # Around the query rather than in it: its own WITH stays as it is.
    names = trees.columns(_output_names(query), "w")
    wrapped = trees.select(names, items=[trees.from_item(whole, "w")])
    is_recursive = any(_is_recursive(cte) for cte in outer)
    wrapped.set("with_", exp.With(expressions=outer, recursive=is_recursive))
    return wrapped


def _is_recursive(cte: exp.CTE) -> bool:
    return any(table.name == cte.alias for table in cte.this.find_all(exp.Table))


def _output_names(query: exp.Expr) -> tuple[str, ...]:
    assert isinstance(query, exp.Query), query
    return tuple(query.named_selects)


def _total(name: str) -> exp.Expr:
    return trees.cast(zset.added(trees.column(name, "z")), "BIGINT")


def _after(value: exp.Expr) -> exp.Expr:
    return exp.Add(this=value, expression=exp.Literal.number(1))
