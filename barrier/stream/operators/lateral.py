r"""LATERAL and set-returning functions: rows with each row that a query gives for them.

With P the rows and Q(p) a query over one of them, and over what O it reads besides:

    d(P x Q)  =  dP x Q                             where only P changed, or Q reads nothing else
    d(P x Q)  =  (P' |x K) x Q'  -  shown |x K      with K = key(dP) + key(P' |><| dO)

A row is identified by the key of p, by what Q gave, and by a number that tells equal ones apart.
Source: Galindo-Legaria, Joshi, Orthogonal Optimization of Subqueries, SIGMOD 2001, section 1.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.describe import Described, Label, Names, Scope
from barrier.stream.operator import Builder, Operator
from barrier.stream.operators.apply import ROWS, affected_keys, over_others
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

_GIVEN: Final = "l"


@dataclass(frozen=True, eq=False, kw_only=True)
class Lateral(Operator):
    """``inputs[0] AS p CROSS JOIN LATERAL (query) AS l``, stored if the query reads other inputs.

    Attributes:
        origins: The columns that come from the rows, each with the input's name of it.
        given: The columns that the query gives, each with the query's name of it.
        number: The hidden column that tells equal rows apart.
        query: Over ``p`` and ``other_rows``.
        keeps_rows: Whether a row for which the query gives nothing is shown with NULLs.
        meets: As in ``Apply``.
    """

    origins: tuple[tuple[str, str], ...]
    given: tuple[tuple[str, str], ...]
    number: str
    query: exp.Expr
    keeps_rows: bool
    meets: tuple[tuple[exp.Expr, ...], ...]

    @property
    def _keys(self) -> list[tuple[str, str]]:
        names = dict(self.origins)
        return [(name, names[name]) for name in self.key if name in names]

    def rows(self) -> exp.Expr:
        """Return the stored rows, or compute them."""
        return self.fill() if self.table is None else trees.relation(self.table)

    def fill(self) -> exp.Expr:
        """Compute all rows."""
        return self._computed(self.inputs[0].rows(), None)

    def delta(self, program: Program) -> Delta | None:
        """Compute what changed rows give, or all rows that the change can meet."""
        rows = program.consolidated(self.inputs[0])
        others = [program.delta(node) for node in self.inputs[1:]]
        has_others = any(other is not None for other in others)
        if rows is None and not has_others:
            return None
        if not has_others:
            assert rows is not None
            change: exp.Expr = self._computed(rows.rows, zset.weight(ROWS))
            is_insert_only = rows.is_insert_only
            if self.table is None:
                return Delta(change, is_insert_only, is_consolidated=is_insert_only)
        else:
            change, is_insert_only = self._of_affected(program, rows, others), False
        if not is_insert_only:
            change = zset.consolidate(change, self.storage_columns, self.key, self.exact)
        assert self.table is not None
        stored = program.store_delta(self, change, f"delta: rows of {self.table}")
        delta = Delta(stored, is_insert_only, is_consolidated=True)
        program.apply(self.table, self.key, self.storage_columns, delta)
        return delta

    def _of_affected(
        self, program: Program, rows: Delta | None, others: Sequence[Delta | None]
    ) -> exp.Expr:
        keys = [part for _, part in self._keys]
        affected = program.temporary(
            affected_keys(self.inputs[0], keys, rows, others, self.meets),
            f"delta: affected rows of {self.table}",
        )
        present = trees.select(
            trees.columns(self.inputs[0].storage_columns, "i"),
            items=[trees.from_item(self.inputs[0].rows(), "i"), trees.from_item(affected, "k")],
            where=trees.same_columns([(part, part) for part in keys], "i", "k"),
        )
        old = trees.select(
            [*trees.columns(self.storage_columns, "s"), trees.named(trees.number(-1), WEIGHT)],
            items=[trees.from_item(self.rows(), "s"), trees.from_item(affected, "k")],
            where=trees.same_columns(self._keys, "s", "k"),
        )
        return trees.union_all([self._computed(present, trees.number(1)), old])

    def _computed(self, rows: exp.Expr, weight: exp.Expr | None) -> exp.Select:
        given = [trees.column(part, _GIVEN) for _, part in self.given]
        keys = [trees.column(part, ROWS) for _, part in self._keys]
        sides = [] if weight is None else [weight]
        number = exp.Window(
            this=exp.RowNumber(), partition_by=[e.copy() for e in (*keys, *given, *sides)]
        )
        columns = {name: trees.column(part, ROWS) for name, part in self.origins}
        columns |= {name: e for (name, _), e in zip(self.given, given, strict=True)}
        by_name: dict[str, exp.Expr] = {**columns, self.number: number}
        query = trees.select(
            [
                *(trees.named(by_name[name], name) for name in self.storage_columns),
                *(trees.named(side, WEIGHT) for side in sides),
            ],
            items=[trees.from_item(rows, ROWS)],
        )
        item = exp.Lateral(
            this=exp.Subquery(this=over_others(self.query, self.inputs)),
            alias=exp.TableAlias(this=exp.to_identifier(_GIVEN)),
        )
        if self.keeps_rows:
            return trees.left_join(query, item, exp.true())
        query.append("joins", exp.Join(this=item, kind="CROSS"))
        return query

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        scope = Scope({ROWS: names.inputs[0]})
        labels = {name: scope.label(trees.column(part, ROWS)) for name, part in self.origins}
        labels |= {name: Label(part) for name, part in self.given}
        facts = [scope.text(self.query)]
        if not all(self.meets):
            facts.append("recompute of all rows when what it reads besides changes")
        return Described(title="Lateral", facts=tuple(facts), labels=labels)

    def delta_cost(self, sizes: Sizes) -> int:
        """Count everything when what the query reads besides changed."""
        if any(sizes.changes(node) for node in self.inputs[1:]):
            return self.anew_cost(sizes) + sizes.rows(self)
        return sum(sizes.rows(node) for node in self.inputs[1:])


def lateral(
    rows: Operator,
    query: exp.Query,
    others: Sequence[tuple[Operator, Sequence[exp.Expr]]],
    builder: Builder,
    *,
    keeps_rows: bool,
) -> Lateral:
    """Return rows with what a query gives for each.

    Args:
        rows: As ``p`` in the query.
        query: As in ``Lateral``.
        others: What it reads besides, each with its ``meets``.
        builder: Names the state table.
        keeps_rows: As in ``Lateral``.

    Returns:
        The node; its columns are those of the rows and then those of the query.
    """
    given = query.named_selects
    names = tuple(f"c{i}" for i in range(1, len(rows.columns) + len(given) + 1))
    width = len(rows.columns)
    origins = dict(zip(rows.columns, names[:width], strict=True))
    hidden = [part for part in rows.key if part not in origins]
    origins |= {part: f"k{i}" for i, part in enumerate(hidden, start=1)}
    number = f"k{len(hidden) + 1}"
    return Lateral(
        columns=names,
        key=(*(origins[part] for part in rows.key), *names[width:], number),
        inputs=(rows, *(node for node, _ in others)),
        table=builder.state_table(is_root=False) if others else None,
        exact=frozenset(origins[part] for part in rows.columns if part in rows.exact),
        origins=tuple((name, part) for part, name in origins.items()),
        given=tuple(zip(names[width:], given, strict=True)),
        number=number,
        query=query,
        keeps_rows=keeps_rows,
        meets=tuple(tuple(conditions) for _, conditions in others),
    )
