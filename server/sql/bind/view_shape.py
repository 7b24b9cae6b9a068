"""Whether a view can be written: its rows must stand for those of one table or view.

The conditions are PostgreSQL's (CREATE VIEW, Updatable Views), looked at in its order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlglot import exp

from catalog.oid import INVALID_OID, Oid
from catalog.relation import Table, View
from catalog.state import Catalog
from server.sql.bind.result import BoundQuery
from server.sql.functions.registry import is_aggregate, is_table_function
from server.sql.query_tree import AGGREGATE_PREFIX, function_name

_CONTAINS: Final = "Views containing {} are not automatically updatable."
_RETURNS: Final = "Views that return {} are not automatically updatable."
_NOT_OF_ONE: Final = (
    "Views that do not select from a single table or view are not automatically updatable."
)
_NO_COLUMNS: Final = "Views that have no updatable columns are not automatically updatable."


class ViewShape(NamedTuple):
    """What a view's rows stand for; as ``View`` has it."""

    base: Oid
    origins: tuple[int, ...]
    obstacle: str


def shape_of(catalog: Catalog, query: exp.Expr, bound: BoundQuery) -> ViewShape:
    """Return what the rows of a view stand for.

    Args:
        catalog: The database.
        query: Its query as it was parsed.
        bound: The same, with the views in it named.
    """
    while isinstance(query, exp.Paren | exp.Subquery) and query.args.get("alias") is None:
        query = query.this
    obstacle = _obstacle(query)
    base = INVALID_OID
    if not obstacle:
        base = _base(catalog, bound)
        obstacle = "" if base else _NOT_OF_ONE
    origins = tuple(
        column.number if base and column.relation_oid == base else 0 for column in bound.columns
    )
    if base and not any(origins):
        base, obstacle = INVALID_OID, _NO_COLUMNS
    return ViewShape(base, origins if base else (), obstacle)


def _obstacle(query: exp.Expr) -> str:
    if isinstance(query, exp.SetOperation):
        return _CONTAINS.format("UNION, INTERSECT, or EXCEPT")
    if not isinstance(query, exp.Select):
        return _NOT_OF_ONE
    clauses = (
        ("distinct", "DISTINCT"),
        ("group", "GROUP BY"),
        ("having", "HAVING"),
        ("with_", "WITH"),
        ("limit", "LIMIT or OFFSET"),
        ("offset", "LIMIT or OFFSET"),
    )
    for clause, words in clauses:
        if query.args.get(clause):
            return _CONTAINS.format(words)
    nodes = list(_of_this_level(query.expressions))
    if any(_is_aggregate(node) for node in nodes):
        return _RETURNS.format("aggregate functions")
    if any(isinstance(node, exp.Window) for node in nodes):
        return _RETURNS.format("window functions")
    if any(_gives_rows(node) for node in nodes):
        return _RETURNS.format("set-returning functions")
    if query.args.get("from_") is None or query.args.get("joins") or query.args.get("laterals"):
        return _NOT_OF_ONE
    return ""


def _of_this_level(nodes: list[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the nodes of expressions, without those of queries in them."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, exp.Query):
            continue
        yield node
        pending.extend(node.iter_expressions())


def _is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node.parent, exp.Window) or not isinstance(node, exp.Func):
        return False
    if not isinstance(node, exp.Anonymous):
        return isinstance(node, exp.AggFunc)
    name = function_name(node)
    return is_aggregate(name) or name.startswith(AGGREGATE_PREFIX)


def _gives_rows(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return is_table_function(function_name(node))
    return isinstance(node, exp.Explode | exp.Unnest)


def _base(catalog: Catalog, bound: BoundQuery) -> Oid:
    from_ = bound.tree.args.get("from_")
    item = None if from_ is None else from_.this
    if not isinstance(item, exp.Table) or bound.tree.args.get("joins"):
        return INVALID_OID
    oid = bound.needs.aliases.get(item.alias, INVALID_OID)
    is_written = isinstance(catalog.relations.get(oid), Table | View)
    return oid if is_written else INVALID_OID
