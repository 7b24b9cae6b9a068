"""FOR SYSTEM_TIME AS OF a time: a relation as it was then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from catalog.errors import FeatureNotSupported
from catalog.relation import MaterializedView, Table, View
from server.sql.bind.relation import find_with_schema
from server.sql.bind.scope import FromItem
from server.sql.bind.statement import Statement


def read_earlier(
    statement: Statement,
    node: exp.Table,
    position: int | None,
    read: Callable[[exp.Table], tuple[exp.Expr, FromItem]],
) -> tuple[exp.Expr, FromItem]:
    """Read a relation, through a view what that reads, as it was at a time.

    Args:
        statement: What is bound.
        node: The item of FROM.
        position: Where it stands.
        read: Reads an item of FROM that says no time.

    Raises:
        FeatureNotSupported: It is not in a query, or of what has no past.
        PgError: The time makes no sense, or what changed since then is not known any more.
    """
    context = statement.context
    if context.is_streaming or context.names_views:
        raise FeatureNotSupported(
            "FOR SYSTEM_TIME AS OF is not supported in the query of a view", position=position
        )
    plain = node.copy()
    time = plain.args["version"].args["expression"]
    plain.set("version", None)
    database = plain.text("catalog") or None
    _, relation = find_with_schema(
        context, plain.name, plain.text("db") or None, database, position=position
    )
    is_stored = isinstance(relation, Table | MaterializedView | View)
    if database not in (None, context.catalog.database) or not is_stored:
        raise FeatureNotSupported(
            f'FOR SYSTEM_TIME AS OF is not supported of "{plain.name}"', position=position
        )
    overlay = dict(context.overlay)
    bases = context.catalog.base_tables(relation.oid) if isinstance(relation, View) else None
    for oid in sorted(bases or {relation.oid}):
        if (earlier := context.earlier(oid, time, position)) is not None:
            overlay[oid] = earlier
    statement.context = replace(context, overlay=overlay)
    try:
        return read(plain)
    finally:
        statement.context = context
