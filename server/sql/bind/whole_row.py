"""A FROM item's row as one value, which is NULL where an outer join has found none.

The row itself does not tell: all its columns may be NULL. A table has a column that never is; of
other items one is made, when it is asked for.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.relation import ROW_ID
from catalog.types import BOOL
from server.sql.bind.query import aliased, subquery
from server.sql.bind.record import row_of
from server.sql.bind.scope import FromItem, column_of
from server.sql.bind.walker import Walker, again
from server.sql.fragment import fragment
from server.sql.typed import Typed

#: The column of items that have none which is never NULL.
_PRESENT: Final = "is_there"


def whole_row(walker: Walker, item: FromItem) -> Typed:
    """Return an item's row; of a function that gives values, the value."""
    if item.is_value:
        return again(item.columns[0].value)
    row = row_of([(column.name, again(column.value)) for column in item.columns])
    present = presence(walker, item)
    if present is None:
        return row
    return Typed(fragment("CASE WHEN _0 IS NOT NULL THEN _1 END", present, row.tree), row.type)


def presence(walker: Walker, item: FromItem) -> exp.Expr | None:
    """Return what is NULL where an outer join has found no row of an item; None: it always has."""
    if not item.is_nullable:
        return None
    if item.key:
        return column_of(item.alias, f"c{min(item.key)}", BOOL).tree
    if any(column.name == ROW_ID for column in item.system):
        return column_of(item.alias, ROW_ID, BOOL).tree
    if item.tree is None or not _marked(walker, item, item.tree):
        return None
    return column_of(item.alias, _PRESENT, BOOL).tree


def _marked(walker: Walker, item: FromItem, tree: exp.Expr) -> bool:
    """Give an item another column, in place; False if it cannot have one."""
    if _PRESENT in tree.meta:
        return True
    names = [column.value.tree.name for column in item.columns]
    if isinstance(tree, exp.Table) and item.system:
        names.append("rowid")
    alias = walker.statement.new_alias()
    select = exp.Select(
        expressions=[aliased(exp.column(name, table=alias), name) for name in names]
    )
    select.append("expressions", aliased(exp.true(), _PRESENT))
    held = tree.this if isinstance(tree, exp.Lateral) else tree
    if isinstance(held, exp.Subquery):
        if not held.this.expressions and isinstance(held.this, exp.Select):
            return False  # A system relation's place.
        select.set("from_", exp.From(this=subquery(held.this, alias)))
        held.set("this", select)
        tree.meta[_PRESENT] = True
        return True
    if tree.parent is None:
        return False
    joins = tree.args.get("joins")
    inner = tree.copy()
    inner.set("joins", None)
    inner.args["alias"].set("this", exp.to_identifier(alias))
    select.set("from_", exp.From(this=inner))
    outer = subquery(select, item.alias)
    outer.set("joins", joins)
    tree.replace(outer)
    tree.meta[_PRESENT] = True
    return True
