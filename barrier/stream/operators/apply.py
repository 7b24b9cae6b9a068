r"""Rows with what subqueries say of them: EXISTS, IN, ANY, ALL and values, under NOT too.

With P the rows and O what a subquery reads, a row p is shown with values that are computed from p
and from those rows of O that meet it. They can only have changed when p did, or when a row of O
came or went that it meets:

    K             =  key(dP)  +  key(P' |><| dO)
    d(P apply O)  =  (P' |x K) apply O'  -  shown |x K

where |x keeps the rows whose key is in K; when only P changed, that is linear in it. A subquery
that is not correlated meets every row. Several subqueries of one expression are several O.
Source: Galindo-Legaria, Joshi, Orthogonal Optimization of Subqueries, SIGMOD 2001, section 1.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from barrier.stream import exact, functions, trees, zset
from barrier.stream.describe import Described, Names, Scope
from barrier.stream.operator import Builder, Operator
from barrier.stream.program import Program
from barrier.stream.strategy import Sizes
from barrier.stream.zset import WEIGHT, Delta

#: What the rows are called in expressions.
ROWS: Final = "p"


def other_alias(number: int) -> str:
    """Return what the rows of a subquery's input are called in expressions."""
    return f"o{number}"


def other_rows(number: int) -> exp.Expr:
    """Return the item of FROM that stands for the rows of a subquery's input."""
    return trees.from_item(trees.relation(f"input{number}"), other_alias(number))


@dataclass(frozen=True, eq=False, kw_only=True)
class Apply(Operator):
    """Rows of ``inputs[0]`` with values from subqueries over the others, stored in a state table.

    Attributes:
        origins: The columns that come from the rows, each with the input's name of it.
        values: The visible columns after them: expressions over ``p`` with subqueries over
            ``other_rows``.
        kept: Which rows are shown, in the same terms; None: all.
        meets: For each other input the conditions under which a row of it, as ``o<number>``, can
            matter to a row ``p``; none: always.
    """

    origins: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, exp.Expr], ...]
    kept: exp.Expr | None
    meets: tuple[tuple[exp.Expr, ...], ...]

    @property
    def _rows(self) -> Operator:
        return self.inputs[0]

    @property
    def _keys(self) -> list[tuple[str, str]]:
        """The key's columns, each with the input's name of it."""
        names = dict(self.origins)
        return [(name, names[name]) for name in self.key]

    def rows(self) -> exp.Expr:
        """Return the stored rows."""
        assert self.table is not None
        return trees.relation(self.table)

    def fill(self) -> exp.Expr:
        """Compute the values of all rows."""
        return self._computed(self._rows.rows(), [])

    def delta(self, program: Program) -> Delta | None:
        """Compute the values of rows that changed, or for which they can have changed."""
        assert self.table is not None
        rows = program.consolidated(self._rows)
        others = [program.delta(node) for node in self.inputs[1:]]
        if any(other is not None for other in others):
            change, is_insert_only = self._of_affected(program, rows, others), False
        elif rows is not None:
            change, is_insert_only = self._of_rows(rows), rows.is_insert_only
        else:
            return None
        stored = program.store_delta(self, change, f"delta: rows of {self.table}")
        delta = Delta(stored, is_insert_only, is_consolidated=True)
        program.apply(self.table, self.key, self.storage_columns, delta)
        return delta

    def _of_rows(self, rows: Delta) -> exp.Select:
        change = self._computed(rows.rows, [trees.named(zset.weight(ROWS), WEIGHT)])
        if rows.is_insert_only:
            return change
        return zset.consolidate(change, self.storage_columns, self.key, self.exact)

    def _of_affected(
        self, program: Program, rows: Delta | None, others: Sequence[Delta | None]
    ) -> exp.Select:
        keys = [part for _, part in self._keys]
        affected = program.temporary(
            affected_keys(self._rows, keys, rows, others, self.meets),
            f"delta: affected rows of {self.table}",
        )
        present = trees.select(
            trees.columns(self._rows.storage_columns, "i"),
            items=[trees.from_item(self._rows.rows(), "i"), trees.from_item(affected, "k")],
            where=trees.same_columns([(part, part) for _, part in self._keys], "i", "k"),
        )
        new = self._computed(present, [trees.named(trees.number(1), WEIGHT)])
        old = trees.select(
            [*trees.columns(self.storage_columns, "s"), trees.named(trees.number(-1), WEIGHT)],
            items=[trees.from_item(self.rows(), "s"), trees.from_item(affected, "k")],
            where=trees.same_columns(self._keys, "s", "k"),
        )
        both = trees.union_all([new, old])
        return zset.consolidate(both, self.storage_columns, self.key, self.exact)

    def _computed(self, rows: exp.Expr, more: Sequence[exp.Expr]) -> exp.Select:
        columns = [trees.named(trees.column(part, ROWS), name) for name, part in self.origins]
        values = [trees.named(over_others(value, self.inputs), name) for name, value in self.values]
        by_name = {item.alias: item for item in (*columns, *values)}
        return trees.select(
            [*(by_name[name] for name in self.storage_columns), *more],
            items=[trees.from_item(rows, ROWS)],
            where=None if self.kept is None else over_others(self.kept, self.inputs),
        )

    def describe(self, names: Names) -> Described:
        """Return what EXPLAIN shows."""
        own, *others = names.inputs
        aliases = {other_alias(n): labels for n, labels in enumerate(others, start=1)}
        scope = Scope({ROWS: own, **aliases})
        labels = {name: scope.label(trees.column(part, ROWS)) for name, part in self.origins}
        labels |= {name: scope.label(value) for name, value in self.values}
        facts = [scope.texts([value for _, value in self.values])] if self.values else []
        if self.kept is not None:
            facts.append(f"where {scope.text(self.kept)}")
        if not all(self.meets):
            facts.append("recompute of all rows when an uncorrelated subquery changes")
        return Described(title="Subquery", facts=tuple(facts), labels=labels)

    def rows_estimate(self, sizes: Sizes) -> int:
        """Guess as many as the rows."""
        return sizes.rows(self._rows)

    def delta_cost(self, sizes: Sizes) -> int:
        """Count everything when a subquery's input changed, else what its change meets."""
        if any(sizes.changes(node) for node in self.inputs[1:]):
            return self.anew_cost(sizes) + sizes.rows(self)
        return sum(sizes.rows(node) for node in self.inputs[1:])


def over_others(expression: exp.Expr, inputs: Sequence[Operator]) -> exp.Expr:
    """Put the rows of the other inputs in the places that stand for them."""
    whole = exp.Paren(this=expression.copy())
    for table in list(whole.find_all(exp.Table)):
        if table.name.startswith("input"):
            node = inputs[int(table.name.removeprefix("input"))]
            table.replace(trees.from_item(node.rows(), table.alias))
    return whole.this if isinstance(whole.this, exp.Query) else whole


def affected_keys(
    node: Operator,
    keys: Sequence[str],
    rows: Delta | None,
    others: Sequence[Delta | None],
    meets: Sequence[Sequence[exp.Expr]],
) -> exp.Expr:
    """Return the keys K, each once.

    Args:
        node: The rows.
        keys: The columns of their key.
        rows: How they changed.
        others: How the other inputs changed.
        meets: As in ``Apply``.
    """
    queries: list[exp.Expr] = []
    shown = trees.columns(keys, ROWS)
    for number, (other, conditions) in enumerate(zip(others, meets, strict=True), start=1):
        if other is None:
            continue
        items = [trees.from_item(node.rows(), ROWS)]
        # Rows that never were there together may meet here; too many rows do no harm.
        holds = [functions.may_hold(part) for part in conditions]
        if conditions:
            items.append(trees.from_item(other.rows, other_alias(number)))
        else:
            some = trees.select([exp.Star()], items=[trees.from_item(other.rows, "d")])
            holds.append(exp.Exists(this=some))
        queries.append(trees.select(shown, items=items, where=trees.all_of(holds)))
    if rows is not None:
        queries.append(trees.select(shown, items=[trees.from_item(rows.rows, ROWS)]))
    every = trees.from_item(trees.union_all(queries), "k")
    return trees.distinct(trees.select([exp.Star()], items=[every]))


def applied(
    rows: Operator,
    others: Sequence[tuple[Operator, Sequence[exp.Expr]]],
    values: Sequence[exp.Expr],
    kept: exp.Expr | None,
    builder: Builder,
) -> Apply:
    """Return rows with values from subqueries.

    Args:
        rows: As ``p`` in the expressions.
        others: What the subqueries read, each with its ``meets`` as in ``Apply``.
        values: As in ``Apply``.
        kept: As in ``Apply``.
        builder: Names the state table.

    Returns:
        The node; its columns are those of the rows and then the values.
    """
    names = tuple(f"c{i}" for i in range(1, len(rows.columns) + len(values) + 1))
    origins = dict(zip(rows.columns, names[: len(rows.columns)], strict=True))
    hidden = [part for part in rows.key if part not in origins]
    origins |= {part: f"k{i}" for i, part in enumerate(hidden, start=1)}
    shown = names[len(rows.columns) :]
    return Apply(
        columns=names,
        key=tuple(origins[part] for part in rows.key),
        inputs=(rows, *(node for node, _ in others)),
        table=builder.state_table(is_root=False),
        exact=frozenset(origins[part] for part in rows.columns if part in rows.exact)
        | frozenset(
            name
            for name, value in zip(shown, values, strict=True)
            if exact.is_exact(value, lambda column: column.name in rows.exact)
        ),
        origins=tuple((name, part) for part, name in origins.items()),
        values=tuple(zip(shown, values, strict=True)),
        kept=kept,
        meets=tuple(tuple(conditions) for _, conditions in others),
    )
