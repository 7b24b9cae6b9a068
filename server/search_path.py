"""The schemas in which a session looks for names and makes what it names."""

from __future__ import annotations

from collections.abc import Iterable

from catalog.errors import UndefinedSchema
from catalog.relation import is_temporary
from catalog.roles import Access, may_use
from catalog.state import SYSTEM_SCHEMAS, Catalog


def searched(
    catalog: Catalog, access: Access, path: Iterable[str], *, user: str, temporary: str
) -> tuple[str, ...]:
    """Return the schemas of a path that exist and may be used, in order.

    That of temporary relations comes first, unless the path says where.

    Args:
        catalog: The database.
        access: What the user may do.
        path: As it was set.
        user: What ``$user`` stands for.
        temporary: What ``pg_temp`` stands for.
    """
    own = {"$user": user, "pg_temp": temporary}
    names = [own.get(name, name) for name in path]
    if temporary not in names:
        names.insert(0, temporary)
    found = (schema for name in names if (schema := catalog.schemas.get(name)) is not None)
    return tuple(dict.fromkeys(schema.name for schema in found if may_use(access, schema)))


def made_in(path: Iterable[str]) -> str:
    """Return the schema in which unqualified names are created.

    Raises:
        UndefinedSchema: The path names none.
    """
    for name in path:
        if name not in SYSTEM_SCHEMAS and not is_temporary(name):
            return name
    raise UndefinedSchema("no schema has been selected to create in")
