"""How many rows a bound query can give at most, as far as that can be told without running it.

Small results take another way to the client than large ones, and the way must be chosen before the
first row. The bound is for that choice alone: one that is wrong costs time, never rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlglot import exp

from catalog.oid import Oid

#: Tells about how many rows a stored relation has, by its OID.
RowsOf: TypeAlias = Callable[[Oid], int]

#: Tells the storage columns that identify a row of a stored relation; none if that is not known.
KeyOf: TypeAlias = Callable[[Oid], tuple[str, ...]]

#: Stands for "many, or unknown".
UNBOUNDED: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class RowBound:
    """Bounds the rows of queries over relations of which sizes and keys are known."""

    rows_of: RowsOf
    key_of: KeyOf

    def rows_at_most(self, tree: exp.Expr) -> int:
        """Return an upper bound of the rows of a bound query, as ``bind_query`` gives it."""
        match tree:
            case exp.Subquery():
                return self.rows_at_most(tree.this)
            case exp.Union():
                return _capped(self.rows_at_most(tree.left) + self.rows_at_most(tree.right))
            case exp.SetOperation():
                return self.rows_at_most(tree.left)
            case exp.Values():
                return len(tree.expressions)
            case exp.Table():
                oid = stored_oid(tree)
                return UNBOUNDED if oid is None else self.rows_of(oid)
            case exp.Select():
                return min(_limit(tree), self._select_rows(tree))
            case _:
                return UNBOUNDED

    def _select_rows(self, select: exp.Select) -> int:
        if select.args.get("with_") is not None or any(select.find_all(exp.Unnest, exp.Explode)):
            return UNBOUNDED
        is_grouped = select.args.get("group") is not None
        if not is_grouped and any(_is_aggregate(item) for item in select.expressions):
            return 1
        source = select.args.get("from_")
        if source is None:
            return 1
        fixed = _fixed_columns(select.args.get("where"))
        rows = self._item_rows(source.this, fixed)
        for join in select.args.get("joins") or ():
            right = self._item_rows(join.this, fixed)
            # An outer join keeps rows that find no partner.
            rows = _capped(rows * right if not join.side else (rows + 1) * (right + 1))
        return rows

    def _item_rows(self, item: exp.Expr, fixed: frozenset[tuple[str, str]]) -> int:
        oid = stored_oid(item) if isinstance(item, exp.Table) else None
        if oid is not None:
            key = self.key_of(oid)
            if key and all((item.alias, column) in fixed for column in key):
                return 1
        return self.rows_at_most(item)


def stored_oid(table: exp.Table) -> Oid | None:
    """Return the OID of a stored relation, None for anything else."""
    name = table.name
    if isinstance(table.this, exp.Identifier) and name[:1] == "r" and name[1:].isdigit():
        return Oid(int(name[1:]))
    return None


def _fixed_columns(where: exp.Expr | None) -> frozenset[tuple[str, str]]:
    """Return the columns, as FROM item and name, that a WHERE makes equal to one value."""
    if where is None:
        return frozenset()
    conditions = where.this.flatten() if isinstance(where.this, exp.And) else (where.this,)
    return frozenset(
        (side.table, side.name)
        for condition in conditions
        if isinstance(condition, exp.EQ)
        for side, other in ((condition.left, condition.right), (condition.right, condition.left))
        if isinstance(side, exp.Column) and not any(other.find_all(exp.Column, exp.Query))
    )


def _is_aggregate(item: exp.Expr) -> bool:
    """Whether a projection aggregates its query's rows, windows and subqueries left aside."""
    return any(
        not isinstance(found.parent, exp.Window) and found.find_ancestor(exp.Query) is item.parent
        for found in item.find_all(exp.AggFunc)
    )


def _limit(select: exp.Select) -> int:
    limit = select.args.get("limit")
    count = None if limit is None else limit.args.get("expression")
    if isinstance(count, exp.Cast):
        count = count.this
    if isinstance(count, exp.Literal) and count.is_int:
        return int(count.this)
    return UNBOUNDED


def _capped(rows: int) -> int:
    return min(rows, UNBOUNDED)
