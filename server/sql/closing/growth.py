"""Whether rows of a bound query only ever come, whatever is done to what it reads."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from barrier.stream.aliases import PROCTIME, WATERMARK
from catalog.oid import Oid
from catalog.relation import MaterializedView, Source, Table
from catalog.state import Catalog
from server.sql.closing.derived import (
    functions_of_time,
    has_aggregates,
    items_of,
    reads_beside_from,
    windows_of,
)


def grows(query: exp.Expr, catalog: Catalog, *, may_expire: bool = False) -> bool:
    """Whether rows of a bound query only come, as far as its form tells.

    Args:
        query: It.
        catalog: What there is.
        may_expire: Whether rows that a table's ``retention_seconds`` takes away do not count.
    """

    def all_grow(*parts: exp.Expr) -> bool:
        return all(grows(part, catalog, may_expire=may_expire) for part in parts)

    if isinstance(query, exp.Subquery):
        return all_grow(query.this)
    clause = query.args.get("with_")
    if clause is not None and not all_grow(*(cte.this for cte in clause.expressions)):
        return False
    if isinstance(query, exp.SetOperation):
        return isinstance(query, exp.Union) and all_grow(query.this, query.expression)
    if not isinstance(query, exp.Select):
        return False
    items = items_of(query)
    if any(item.alias_or_name.startswith(WATERMARK) for item, _ in items):
        return True  # It shows what is closed.
    distinct = query.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        return False
    if any(query.args.get(clause) for clause in ("having", "limit", "offset", "qualify")):
        return False
    if has_aggregates(query) or windows_of(query) or functions_of_time(query):
        return False
    if reads_beside_from(query):
        return False
    return all(_item_grows(item, side, catalog, may_expire=may_expire) for item, side in items)


def _item_grows(item: exp.Expr, side: str, catalog: Catalog, *, may_expire: bool) -> bool:
    if item.alias_or_name.endswith(PROCTIME):
        return side in ("", "LEFT")
    if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
        return not side and grows(item.this, catalog, may_expire=may_expire)
    if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
        return side in ("", "LEFT") and item.find(exp.Select) is None
    name = item.name
    relation = catalog.relations.get(Oid(int(name[1:]))) if name[1:].isdigit() else None
    match relation:
        case Table():
            is_kept = relation.is_append_only and (may_expire or relation.retention_s is None)
            return not side and is_kept
        case MaterializedView(query=text):
            tree = sqlglot.parse_one(text, read="duckdb")
            return not side and grows(tree, catalog, may_expire=may_expire)
        case None | Source():
            return not side  # A reader of a source, or a common table expression, looked at above.
        case _:
            return False
