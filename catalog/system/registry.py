"""All system relations by name."""

from __future__ import annotations

from typing import Final

from catalog.system import (
    information_schema,
    pg_class,
    pg_lists,
    pg_server,
    pg_type,
    rw_relation,
    rw_server,
)
from catalog.system.relation import SystemRelation

_LISTED: Final = (
    *pg_class.RELATIONS,
    *pg_type.RELATIONS,
    *pg_server.RELATIONS,
    *pg_lists.RELATIONS,
    *information_schema.RELATIONS,
    *rw_relation.RELATIONS,
    *rw_server.RELATIONS,
)

#: Every system relation by schema and name.
SYSTEM_RELATIONS: Final[dict[tuple[str, str], SystemRelation]] = {
    (relation.schema, relation.name): relation
    for relation in (*_LISTED, pg_class.classes_with(list(_LISTED)))
}


#: What tells of passwords, for superusers alone.
SECRET_RELATIONS: Final = frozenset({("pg_catalog", "pg_authid"), ("pg_catalog", "pg_shadow")})


def find_system_relation(schema: str, name: str) -> SystemRelation | None:
    """Return the system relation of that name, or None."""
    return SYSTEM_RELATIONS.get((schema, name))
