"""How values of each type are ordered in indexes: the default class of operators."""

from __future__ import annotations

from functools import lru_cache

from catalog.oid import INVALID_OID, Oid
from catalog.system.fact_indexes import CLASSES
from catalog.types import TEXT, VARCHAR, PgType


def default_class(pg_type: PgType) -> Oid:
    """Return pg_opclass.oid of the class that an index on the type has; 0 when there is none."""
    # PostgreSQL orders varchar as text.
    base = TEXT if pg_type.oid == VARCHAR.oid else pg_type
    oid = _ANY_ARRAY if base.is_array else int(base.oid)
    return _classes().get(oid, INVALID_OID)


_ANY_ARRAY = 2277


@lru_cache(maxsize=1)
def _classes() -> dict[int, Oid]:
    items = (item.split() for item in CLASSES.split(";"))
    return {int(item[4]): Oid(int(item[0])) for item in items if item[5] == "1"}
