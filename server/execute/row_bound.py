"""How many rows a bound query can give at most, as far as that can be told without running it.

Small results take another way to the client than large ones, and the way must be chosen before the
first row. The bound is for that choice alone: one that is wrong costs time, never rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from sqlglot import exp

#: Tells about how many rows a stored relation has, by its OID.
RowsOf: TypeAlias = Callable[[int], int]

#: Stands for "many, or unknown".
UNBOUNDED: Final = 1 << 62


def rows_at_most(tree: exp.Expr, rows_of: RowsOf) -> int:
    """Return an upper bound of the rows of a bound query.

    Args:
        tree: The query, as ``bind_query`` gives it.
        rows_of: The sizes of stored relations.
    """
    match tree:
        case exp.Subquery():
            return rows_at_most(tree.this, rows_of)
        case exp.Union():
            return _capped(rows_at_most(tree.left, rows_of) + rows_at_most(tree.right, rows_of))
        case exp.SetOperation():
            return rows_at_most(tree.left, rows_of)
        case exp.Values():
            return len(tree.expressions)
        case exp.Table():
            return _stored_rows(tree, rows_of)
        case exp.Select():
            return min(_limit(tree), _select_rows(tree, rows_of))
        case _:
            return UNBOUNDED


def _select_rows(select: exp.Select, rows_of: RowsOf) -> int:
    if select.args.get("with_") is not None or any(select.find_all(exp.Unnest, exp.Explode)):
        return UNBOUNDED
    is_grouped = select.args.get("group") is not None
    if not is_grouped and any(_is_aggregate(item) for item in select.expressions):
        return 1
    source = select.args.get("from_")
    if source is None:
        return 1
    rows = rows_at_most(source.this, rows_of)
    for join in select.args.get("joins") or ():
        right = rows_at_most(join.this, rows_of)
        # An outer join keeps rows that find no partner.
        rows = _capped(rows * right if not join.side else (rows + 1) * (right + 1))
    return rows


def _stored_rows(table: exp.Table, rows_of: RowsOf) -> int:
    name = table.name
    if isinstance(table.this, exp.Identifier) and name[:1] == "r" and name[1:].isdigit():
        return rows_of(int(name[1:]))
    return UNBOUNDED


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
