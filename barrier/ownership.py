"""What belongs to a user, who therefore cannot be dropped."""

from __future__ import annotations

from collections.abc import Iterable

from barrier.cluster import Cluster
from catalog.errors import DependentObjectsStillExist
from catalog.relation import kind_name
from catalog.state import Catalog


def refuse_owner(name: str, cluster: Cluster, catalogs: Iterable[Catalog]) -> None:
    """Refuse to drop somebody to whom something belongs.

    Raises:
        DependentObjectsStillExist: With what it is.
    """
    lines = [
        f"owner of database {database.name}"
        for database in cluster.databases.values()
        if database.owner == name
    ]
    for catalog in catalogs:
        lines += _owned(name, catalog)
    if lines:
        raise DependentObjectsStillExist(
            f'role "{name}" cannot be dropped because some objects depend on it',
            detail="\n".join(lines),
        )


def _owned(name: str, catalog: Catalog) -> list[str]:
    place = f" in database {catalog.database}"
    schemas = [
        f"owner of schema {schema.name}{place}"
        for schema in catalog.schemas.values()
        if schema.owner == name
    ]
    relations = [
        f"owner of {kind_name(relation)} {relation.name}{place}"
        for relation in catalog.in_order()
        if relation.owner == name
    ]
    return schemas + relations
