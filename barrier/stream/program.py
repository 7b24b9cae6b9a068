"""A program: the statements that bring a view's state through one epoch.

Nodes add to it bottom-up. What changed is known only as far as a program depends on it, so that
one program serves all epochs of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from barrier.stream import trees, zset
from barrier.stream.light import Reads, reads
from barrier.stream.zset import Delta, Some
from catalog.oid import Oid

if TYPE_CHECKING:
    from barrier.stream.operator import Operator


def delta_name(oid: Oid) -> str:
    """Return the name of the temporary table that holds a relation's delta during an epoch."""
    return f"d{oid}"


@dataclass(frozen=True)
class Statement:
    """One statement of a program and what it is for, as the ledger and EXPLAIN show it.

    Attributes:
        is_question: Whether it is a query for a number, on which the statements after it depend.
        when: Whether that number must be zero (False) or not (True) for it to run; None: it runs.
        rest: It deals with those of these groups that the statement before it has left: none, when
            that one touched as many rows as there are groups.
        losers: It deals with those of these groups that have lost rows.
    """

    tree: exp.Expr
    label: str
    is_question: bool = False
    when: bool | None = None
    rest: Some | None = None
    losers: Some | None = None

    @cached_property
    def sql(self) -> str:
        """The statement as DuckDB reads it."""
        return self.tree.sql(dialect="duckdb")

    @cached_property
    def temporary(self) -> tuple[str, str] | None:
        """The temporary table that the statement makes, and the query for its rows."""
        if not isinstance(self.tree, exp.Create) or self.tree.args.get("properties") is None:
            return None
        return self.tree.this.name, self.tree.expression.sql(dialect="duckdb")

    @cached_property
    def target(self) -> str:
        """The table that it writes; empty if it writes none."""
        if not isinstance(self.tree, exp.Insert | exp.Delete | exp.Update | exp.Merge):
            return ""
        target = self.tree.this.this if isinstance(self.tree.this, exp.Schema) else self.tree.this
        return target.name if isinstance(target, exp.Table) else ""

    @cached_property
    def reads(self) -> Reads | None:
        """What it reads, if the engine may run it as it is written."""
        return reads(self.tree)


class Program:
    """The statements of one epoch of one view, while they are collected."""

    def __init__(
        self,
        oid: Oid,
        changed: Mapping[Oid, bool],
        root: Operator,
        *,
        needs_delta: bool,
        number: int = 1,
        is_small: bool = False,
        is_light: bool = False,
    ) -> None:
        """Begin a program.

        Args:
            oid: The view.
            changed: The inputs that changed, and whether each only got new rows.
            root: The view's topmost node.
            needs_delta: Whether somebody reads the view's delta after the program.
            number: Keeps its temporary tables, which are filled again and again, apart from those
                of the view's other programs, which have other columns.
            is_small: Whether the inputs changed in so few rows that the number of statements
                decides how long the epoch takes.
            is_light: Whether the view's own tables are small too, so that what is planned once is
                run again and again.
        """
        self.changed = changed
        self.is_small = is_small
        self.is_light = is_light
        self._prefix = f"x{oid}_{number}_"
        self.statements: list[Statement] = []
        self.temporaries: list[str] = []
        self._oid = oid
        self._root = root
        self._needs_delta = needs_delta
        self._deltas: dict[Operator, Delta | None] = {}

    def delta(self, node: Operator) -> Delta | None:
        """Return how a node changes, with the statements for that added once."""
        if node not in self._deltas:
            self._deltas[node] = node.delta(self)
        return self._deltas[node]

    def run(
        self,
        tree: exp.Expr,
        label: str,
        *,
        when: bool | None = None,
        rest: Some | None = None,
        losers: Some | None = None,
    ) -> None:
        """Add a statement."""
        self.statements.append(Statement(tree, label, when=when, rest=rest, losers=losers))

    def ask(self, query: exp.Expr, label: str) -> None:
        """Add a query for a number, on which those statements depend that say ``when``."""
        self.statements.append(Statement(query, label, is_question=True))

    def temporary(self, query: exp.Expr, label: str) -> exp.Table:
        """Put a query's rows into a temporary table that only this program reads."""
        name = f"{self._prefix}{len(self.temporaries) + 1}"
        self.temporaries.append(name)
        self.run(trees.create_table(name, query, is_temporary=True), label)
        return trees.relation(name)

    def is_delta_read(self, node: Operator) -> bool:
        """Whether anything after the node's own statements reads its delta."""
        return node is not self._root or self._needs_delta

    def store_delta(self, node: Operator, query: exp.Expr, label: str) -> exp.Table:
        """Put a node's delta into a table: the view's own for its topmost node."""
        if node is not self._root:
            return self.temporary(query, label)
        return self.store_own_delta(query, label)

    def store_own_delta(self, query: exp.Expr, label: str) -> exp.Table:
        """Put the view's delta into its table."""
        name = delta_name(self._oid)
        self.run(trees.create_table(name, query, is_temporary=True), label)
        return trees.relation(name)

    def stored_delta(self, node: Operator, *, is_consolidated: bool = False) -> Delta | None:
        """Return a node's delta as a table, for who reads it several times."""
        delta = self.consolidated(node) if is_consolidated else self.delta(node)
        if delta is None or isinstance(delta.rows, exp.Table):
            return delta
        table = self.temporary(delta.rows, "delta: kept for several readers")
        stored = Delta(
            table,
            delta.is_insert_only,
            is_consolidated=delta.is_consolidated,
            has_pairs=delta.has_pairs,
            at_most=table.name,
        )
        self._deltas[node] = stored
        return stored

    def consolidated(self, node: Operator) -> Delta | None:
        """Return a node's delta in which no row comes and goes."""
        delta = self.delta(node)
        if delta is None or delta.is_consolidated:
            return delta
        rows = zset.consolidate(delta.rows, node.storage_columns, node.key, node.exact)
        return replace(delta, rows=rows, is_consolidated=True)

    def apply(self, table: str, key: Sequence[str], names: Sequence[str], delta: Delta) -> None:
        """Bring stored rows up to date from their delta.

        Args:
            table: Where the rows are.
            key: The columns that identify one.
            names: All columns of the table, which the delta has too.
            delta: The change, of one row per key that goes and one that comes.
        """
        if not delta.is_insert_only:
            self.run(
                delete_keys(table, delta.rows, [(k, k) for k in key], zset.goes("z")),
                f"apply: delete from {table} by key",
            )
        added = trees.select(
            trees.columns(names, "z"),
            items=[trees.from_item(delta.rows, "z")],
            where=None if delta.is_insert_only else zset.comes("z"),
        )
        self.run(trees.insert(table, names, added), f"apply: insert into {table}")

    def replace_rows(self, node: Operator) -> None:
        """Fill a node's state table from its inputs' rows."""
        assert node.table is not None
        self.run(trees.delete(node.table), f"anew: empty {node.table}")
        self.run(trees.insert_by_name(node.table, node.fill()), f"anew: fill {node.table}")


def delete_keys(
    table: str, rows: exp.Expr, pairs: Sequence[tuple[str, str]], where: exp.Expr | None = None
) -> exp.Expr:
    """Return the statement that deletes the rows of a table whose key is among others.

    Args:
        table: Where to delete.
        rows: A table or query with the keys; its alias is ``z``.
        pairs: The table's key columns, each with the column it is compared with.
        where: Which of ``rows`` count.
    """
    conditions = [trees.same(trees.column(a, table), trees.column(b, "z")) for a, b in pairs]
    if where is not None:
        conditions.append(where)
    return trees.delete(table, trees.from_item(rows, "z"), trees.all_of(conditions))
