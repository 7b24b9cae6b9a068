"""Types and what is made for them: pg_type and the shapes of what does not exist here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from catalog.oid import PG_CATALOG_OID, Oid
from catalog.system.fact_types import PEER_TYPES, TYPES
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import FUNCTION_COLUMNS, type_rows
from catalog.types import RECORD, PgType, all_types


@lru_cache(maxsize=1)
def _facts() -> dict[int, list[str]]:
    items = (item.split() for item in f"{TYPES};{PEER_TYPES}".split(";"))
    return {int(oid): facts for oid, *facts in items}


def storage_of(pg_type: PgType) -> str:
    """Return pg_type.typstorage of a type."""
    base = pg_type.domain.base if pg_type.domain is not None else pg_type
    facts = _facts().get(base.oid)
    if facts is None:  # Enums are numbers; rows and arrays are not.
        return "p" if base.size > 0 else "x"
    return facts[-3]


def _types(snapshot: Snapshot) -> Iterator[Row]:
    built_in = {Oid(int(str(row["oid"]))): row for row in _built_in(snapshot)}
    yield from built_in.values()
    yield from type_rows(snapshot, built_in)


def _built_in(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for pg_type in all_types():
        facts = _facts()[pg_type.oid]
        is_by_value, kind, is_preferred, *functions, align, storage, collation, element = facts
        yield {
            "oid": pg_type.oid,
            "typname": pg_type.name,
            "typnamespace": PG_CATALOG_OID,
            "typowner": owner,
            "typlen": pg_type.size,
            "typbyval": is_by_value == "1",
            "typtype": kind,
            # An array of rows is as little a type of its own as the rows are.
            "typcategory": "P" if pg_type.element == RECORD else pg_type.category,
            "typispreferred": is_preferred == "1",
            "typisdefined": True,
            "typdelim": ",",
            "typrelid": 0,
            "typelem": int(element),
            "typarray": pg_type.array_oid,
            **{name: int(oid) for name, oid in zip(FUNCTION_COLUMNS, functions, strict=True)},
            "typalign": align,
            "typstorage": storage,
            "typnotnull": False,
            "typbasetype": 0,
            "typtypmod": -1,
            "typndims": 0,
            "typcollation": int(collation),
        }


def _languages(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, name in ((12, "internal"), (14, "sql")):
        yield {
            "oid": oid,
            "lanname": name,
            "lanowner": owner,
            "lanispl": False,
            "lanpltrusted": name == "sql",
            "lanplcallfoid": 0,
            "laninline": 0,
            "lanvalidator": 0,
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_type": _types,
    "pg_language": _languages,
}
