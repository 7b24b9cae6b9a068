"""What a bound query reads, and how much it can give: how it is best answered."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from catalog import types as t
from catalog.oid import Oid
from catalog.relation import Table, View
from catalog.state import Catalog
from server.execute.point_query import PointQuery, point_query
from server.execute.row_bound import KeyOf, stored_oid

_INTEGERS = frozenset({t.INT2.oid, t.INT4.oid, t.INT8.oid})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a bound query reads.

    Attributes:
        stored: The stored relations; None when it reads other tables too.
        point: What it asks for when it is a point query.
        key_of: Tells the keys of relations.
    """

    stored: tuple[Oid, ...] | None
    point: PointQuery | None
    key_of: KeyOf


def reading_of(tree: exp.Expr, catalog: Catalog) -> Reading:
    """Return what a bound query reads.

    Args:
        tree: The query.
        catalog: What it was bound against.
    """

    def key_of(oid: Oid) -> tuple[str, ...]:
        relation = catalog.relations.get(oid)
        return relation.key if isinstance(relation, Table) else ()

    stored: set[Oid] | None = set()
    for table in tree.find_all(exp.Table):
        oid = stored_oid(table)
        if table.db:
            stored = None
            break
        if oid is not None:
            assert stored is not None
            stored.add(oid)
    point = point_query(tree)
    if point is not None and not _is_integer(catalog, point):
        point = None
    return Reading(None if stored is None else tuple(sorted(stored)), point, key_of)


def _is_integer(catalog: Catalog, point: PointQuery) -> bool:
    relation = catalog.relations.get(point.oid)
    if relation is None or isinstance(relation, View):
        return False
    return any(
        column.storage_name == point.column
        and column.type.oid in _INTEGERS
        and column.type.size <= point.width
        for column in relation.columns
    )
