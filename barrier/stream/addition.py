"""Adding a change to the state of groups where it is: in one statement, or in several simple ones.

One MERGE reads the state once; several statements are each so simple that the engine may run them
as they are written, with plans that it keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from barrier.stream import trees

_OLD = "old"
_CHANGE = "change"


@dataclass(frozen=True)
class Addition:
    """A change of groups, with the values that it gives them.

    Attributes:
        state: The state table, which expressions know as ``old``.
        change: The query for the change of each group, which they know as ``change``.
        on: Whether a group is the one that a change is of.
        updated: What a group's columns become.
        added: All columns of a group that was not there.
        added_if: Whether it is one; None: always.
        rows: The number of rows of a changed group.
        may_go: Whether a group without rows goes.
    """

    state: str
    change: exp.Select
    on: exp.Expr
    updated: tuple[tuple[str, exp.Expr], ...]
    added: tuple[tuple[str, exp.Expr], ...]
    added_if: exp.Expr | None
    rows: exp.Expr
    may_go: bool

    def merge(self) -> exp.Expr:
        """Return the one statement."""
        some = exp.GT(this=self.rows.copy(), expression=exp.Literal.number(0))
        return trees.merge(
            self._old,
            self._change,
            self.on,
            removed=trees.negated(some) if self.may_go else None,
            updated=self.updated,
            added=self.added,
            added_if=self.added_if,
        )

    def count(self, condition: exp.Expr) -> exp.Expr:
        """Return the query for how many of the changed groups satisfy a condition."""
        query = trees.select(
            [exp.Count(this=exp.Star(), big_int=True)], items=[self._old], where=condition
        )
        return trees.join(query, self._change, self.on)

    def update(self) -> exp.Expr:
        """Return the statement that changes the groups that are there."""
        return trees.update(self._old, self.updated, self._change, self.on)

    def insert(self) -> exp.Expr:
        """Return the statement that adds the groups that are not."""
        conditions = [trees.is_null(trees.column("rowid", _OLD))]
        if self.added_if is not None:
            conditions.append(self.added_if)
        query = trees.select(
            [value for _, value in self.added],
            items=[self._old],
            where=trees.all_of(conditions),
        )
        # As it is written the right side is hashed, and changes are few.
        joined = trees.join(query, self._change, self.on, side="RIGHT")
        return trees.insert(self.state, [name for name, _ in self.added], joined)

    def delete(self, rows: str) -> exp.Expr:
        """Return the statement that takes away the groups without rows.

        Args:
            rows: The state's column that counts them.
        """
        some = exp.GT(this=trees.column(rows), expression=exp.Literal.number(0))
        return trees.delete(self.state, where=trees.negated(some))

    @property
    def _old(self) -> exp.Expr:
        return trees.from_item(trees.relation(self.state), _OLD)

    @property
    def _change(self) -> exp.Expr:
        return trees.from_item(self.change, _CHANGE)
