"""The plan of one view: its operators, its stored tables, and a program for every epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from sqlglot import exp

from barrier.stream import explain, strategy, trees, zset
from barrier.stream.describe import Names
from barrier.stream.operator import Operator
from barrier.stream.program import Program, Statement, delta_name
from barrier.stream.relations import InputRelation
from barrier.stream.strategy import ChangeSize, Sizes, Strategy
from barrier.stream.zset import Delta
from catalog.oid import Oid
from catalog.relation import storage_name

__all__ = ["ChangeSize", "InputRelation", "Plan"]

#: From here on a program's temporary tables are dropped at its end; smaller ones wait to be
#: filled in the next epoch: dropping takes longer than they are worth, and plans are made anew.
_ROWS_WORTH_A_DROP: Final = 100_000

#: Up to so many changed rows the number of statements decides how long a program takes.
_ROWS_SMALL_MAX: Final = 1_000

#: All that a program depends on: who changed and only grew, the strategy, whether the view's own
#: delta is read, whether little changed, and whether the view's own tables are small as well.
_Shape: TypeAlias = tuple[frozenset[tuple[Oid, bool]], Strategy, bool, bool, bool]


@dataclass(frozen=True, eq=False)
class Plan:
    """How one view is maintained.

    Attributes:
        oid: The view.
        root: The topmost node; its rows are the view's.
    """

    oid: Oid
    root: Operator
    _programs: dict[_Shape, tuple[Statement, ...]] = field(default_factory=dict, repr=False)

    @property
    def reads(self) -> frozenset[Oid]:
        """The relations that the view reads."""
        return self.root.reads

    @property
    def runs_every_epoch(self) -> bool:
        """Whether the view may change although none of its inputs did."""
        return any(node.reads_clock for node in self.nodes())

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables that the view owns, its rows last."""
        inner = [node.table for node in self.nodes() if node.table is not None]
        return (*(name for name in inner if name != self._rows), self._rows)

    @property
    def _rows(self) -> str:
        return storage_name(self.oid)

    @property
    def empty_delta(self) -> str:
        """A query with the columns of the view's delta."""
        columns = ", ".join(self.root.storage_columns)
        return f"SELECT {columns}, 0::BIGINT AS {zset.WEIGHT} FROM {self._rows}"

    def as_input(self) -> InputRelation:
        """Return the view as the plans of other views see it."""
        return InputRelation(self.oid, self.root.storage_columns, self.root.key, self.root.exact)

    def is_own_change(self, statement: Statement) -> bool:
        """Whether a statement deletes or inserts rows of the view itself."""
        return statement.target == self._rows

    def nodes(self) -> tuple[Operator, ...]:
        """Return all nodes, each once, inputs before who reads them."""
        return tuple(dict.fromkeys(_bottom_up(self.root)))

    def create(self) -> list[str]:
        """Return the statements that make the view's tables from its inputs' present rows."""
        return [statement.sql(dialect="duckdb") for statement in self._fills()]

    def _fills(self) -> list[exp.Expr]:
        statements: list[exp.Expr] = [
            trees.create_table(node.table, node.fill())
            for node in self.nodes()
            if node.table is not None
        ]
        if self.root.table != self._rows:
            rows = trees.select(
                trees.columns(self.root.storage_columns, "v"),
                items=[trees.from_item(self.root.rows(), "v")],
            )
            statements.append(trees.create_table(self._rows, rows))
        return statements

    def refill(self, before: Plan, *, needs_delta: bool) -> list[Statement]:
        """Return the statements that replace another plan's tables by those of this, filled anew.

        Args:
            before: The plan that the view had, with the same key and columns.
            needs_delta: Whether the view's own consolidated delta is left in ``d<oid>``.
        """
        old = trees.relation(f"x{self.oid}_old")
        statements: list[Statement] = []
        if needs_delta:
            rows = trees.select([exp.Star()], items=[trees.relation(self._rows)])
            kept = trees.create_table(old.name, rows, is_temporary=True)
            statements.append(Statement(kept, f"refill: keep {self._rows}"))
        statements += [Statement(trees.drop_table(n), f"refill: drop {n}") for n in before.tables]
        statements += [Statement(tree, "refill: fill") for tree in self._fills()]
        if needs_delta:
            columns, key = self.root.storage_columns, self.root.key
            now = trees.relation(self._rows)
            change = zset.difference(now, old, columns, key, self.root.exact)
            made = trees.create_table(delta_name(self.oid), change, is_temporary=True)
            statements.append(Statement(made, "refill: compare with the old rows"))
            statements.append(Statement(trees.drop_table(old.name), f"drop: {old.name}"))
        return statements

    def drop(self) -> list[str]:
        """Return the statements that drop the view's tables."""
        return [trees.drop_table(name).sql(dialect="duckdb") for name in self.tables]

    def step(
        self,
        changes: Mapping[Oid, ChangeSize],
        sizes: Mapping[Oid, int] | None = None,
        *,
        needs_delta: bool = True,
        is_light: bool = False,
    ) -> list[Statement]:
        """Return the program of one epoch, to be run in one transaction.

        It expects the inputs' new rows in ``r<oid>`` and their consolidated deltas in the temporary
        tables ``d<oid>``. It brings the view's tables up to date and leaves the view's own
        consolidated delta in ``d<oid>``, a temporary table that the caller drops.

        Args:
            changes: The sizes of the deltas; relations that are not the view's inputs are ignored.
            sizes: The rows of the inputs, and of the view before the epoch; without them changes
                are followed however large they are.
            needs_delta: Whether anybody reads the view's delta. Without, it need not be there.
            is_light: Whether the view's own tables are so small that the time to plan a statement
                matters more than how it is run. Then there may be questions among the statements.

        Returns:
            The statements in order; none when nothing can have changed, and then there is no delta.
        """
        changed = {oid: c for oid, c in changes.items() if c.total and oid in self.reads}
        if not changed and not self.runs_every_epoch:
            return []
        way = self.strategy(changed, sizes)
        only_grew = frozenset((oid, change.deleted == 0) for oid, change in changed.items())
        rows = sum(change.total for change in changed.values())
        is_small = rows <= _ROWS_SMALL_MAX
        is_light = is_light and is_small and way is Strategy.DELTA
        shape = (only_grew, way, needs_delta, is_small, is_light)
        if shape not in self._programs:
            self._programs[shape] = self._program(shape)
        statements = list(self._programs[shape])
        if rows >= _ROWS_WORTH_A_DROP:
            statements += _drops(statements, self.oid)
        return statements

    def explain(
        self,
        *,
        is_verbose: bool = False,
        names: Mapping[Oid, str] | None = None,
        columns: Mapping[Oid, Mapping[str, str]] | None = None,
    ) -> list[str]:
        """Return the plan as lines of text.

        Args:
            is_verbose: Whether to add keys, state tables and what runs when an input changes.
            names: What users call the relations.
            columns: What they call the columns of each, by their storage names.
        """
        known = Names(names or {}, columns or {})
        lines = explain.tree(self.root, self.oid, known, is_verbose=is_verbose)
        if is_verbose:
            for oid in sorted(self.reads):
                one = {oid: ChangeSize(1, 1)}
                lines += explain.program(oid, self.step(one), known)
        return lines

    def strategy(
        self, changed: Mapping[Oid, ChangeSize], sizes: Mapping[Oid, int] | None
    ) -> Strategy:
        """Return how ``step`` brings the view through an epoch.

        Args:
            changed: The sizes of the deltas of its inputs.
            sizes: As for ``step``.
        """
        if sizes is None or not changed or not self.reads <= sizes.keys():
            return Strategy.DELTA
        if any(node.is_kept_only for node in self.nodes()):
            return Strategy.DELTA
        return strategy.choose(self.nodes(), Sizes(sizes, changed), sizes.get(self.oid, 0))

    def costs(self, changed: Mapping[Oid, ChangeSize], sizes: Mapping[Oid, int]) -> tuple[int, int]:
        """Return about how many rows are read to follow a change, and to compute all anew.

        Args:
            changed: The sizes of the deltas of its inputs.
            sizes: The rows of its inputs.
        """
        return strategy.costs(self.nodes(), Sizes(sizes, changed))

    def _program(self, shape: _Shape) -> tuple[Statement, ...]:
        only_grew, way, needs_delta, is_small, is_light = shape
        program = Program(
            self.oid,
            dict(only_grew),
            self.root,
            # The view's rows may be kept beside the root's, and follow from its delta then.
            needs_delta=needs_delta or (way is Strategy.DELTA and self.root.table != self._rows),
            number=len(self._programs) + 1,
            is_small=is_small,
            is_light=is_light,
        )
        if way is Strategy.ANEW:
            self._compute_anew(program)
        else:
            self._follow(program, is_read=needs_delta)
        return tuple(program.statements)

    def _follow(self, program: Program, *, is_read: bool) -> None:
        """Let every node follow the changes; store the view's rows if its root does not.

        Args:
            program: Where the statements go.
            is_read: Whether anybody but the view's own rows follows from its delta.
        """
        if self.root.table == self._rows:
            program.delta(self.root)
            return
        delta = program.delta(self.root)
        if delta is not None and not is_read and _is_cheap_twice(delta):
            program.apply(self._rows, self.root.key, self.root.storage_columns, delta)
            return
        delta = program.consolidated(self.root)
        if delta is None:
            return
        if delta.rows == trees.relation(delta_name(self.oid)):  # The root has stored it already.
            program.apply(self._rows, self.root.key, self.root.storage_columns, delta)
            return
        label = f"delta: rows of {self._rows}"
        query = trees.select(
            [*trees.columns(self.root.storage_columns, "v"), zset.weight("v")],
            items=[trees.from_item(delta.rows, "v")],
        )
        table = program.store_own_delta(query, label)
        stored = Delta(table, delta.is_insert_only, is_consolidated=True)
        program.apply(self._rows, self.root.key, self.root.storage_columns, stored)

    def _compute_anew(self, program: Program) -> None:
        """Fill every table from its inputs; the delta is the difference to the view's old rows."""
        for node in self.nodes():
            if node.table is not None and node.table != self._rows:
                program.replace_rows(node)
        is_stored = self.root.table == self._rows
        contents = self.root.fill() if is_stored else self.root.rows()
        new = program.temporary(contents, f"anew: {self._rows}")
        columns, key = self.root.storage_columns, self.root.key
        if program.is_delta_read(self.root):
            query = zset.difference(new, trees.relation(self._rows), columns, key, self.root.exact)
            program.store_delta(self.root, query, "anew: compare with the old rows")
        program.run(trees.delete(self._rows), f"anew: empty {self._rows}")
        everything = trees.select([exp.Star()], items=[new])
        program.run(trees.insert_by_name(self._rows, everything), f"anew: fill {self._rows}")


def _is_cheap_twice(delta: Delta) -> bool:
    """Whether a delta may be read as it is once for what goes and once for what comes."""
    if delta.is_insert_only:
        return delta.is_consolidated
    return delta.at_most is not None and (delta.is_consolidated or delta.has_pairs)


def _bottom_up(node: Operator) -> Iterator[Operator]:
    for below in node.inputs:
        yield from _bottom_up(below)
    yield node


def _drops(statements: Iterable[Statement], oid: Oid) -> list[Statement]:
    names = [
        s.tree.this.name
        for s in statements
        if isinstance(s.tree, exp.Create) and s.tree.this.name != f"d{oid}"
    ]
    return [Statement(trees.drop_table(name), f"drop: {name}") for name in names]
