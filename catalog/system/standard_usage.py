"""What the standard's views tell of uses: of columns and types; and who may call what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from catalog.acl import Kind
from catalog.relation import ROW, Readable
from catalog.system.privileges import shown_to
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import udt_place

_COLUMN_OF_ROW: Final = re.compile(rf"\b{ROW}\.c(\d+)\b")


def _generated(snapshot: Snapshot) -> Iterator[Row]:
    """Yield which columns generated columns are computed from."""
    for relation in snapshot.relations():
        names = {column.number: column.name for column in relation.columns}
        for column in relation.columns:
            read = {int(number) for number in _COLUMN_OF_ROW.findall(column.generated or "")}
            for number in sorted(read):
                yield {
                    **_of(snapshot, relation),
                    "column_name": names[number],
                    "dependent_column": column.name,
                }


def _typed(snapshot: Snapshot) -> Iterator[Row]:
    """Yield of which type each column is."""
    for relation in snapshot.relations():
        for column in relation.columns:
            schema, name = udt_place(snapshot, column.type)
            owner = next(
                (t.owner for t in snapshot.catalog.types.values() if t.name == name), "root"
            )
            if snapshot.access.owns(owner):
                yield {
                    **_of(snapshot, relation),
                    "udt_catalog": snapshot.catalog.database,
                    "udt_schema": schema,
                    "udt_name": name,
                    "column_name": column.name,
                }


def _of(snapshot: Snapshot, relation: Readable) -> Row:
    return {
        "table_catalog": snapshot.catalog.database,
        "table_schema": relation.schema,
        "table_name": relation.name,
    }


def _callable(snapshot: Snapshot, *, has_public: bool = True) -> Iterator[Row]:
    """Yield who may call the functions that users have made."""
    database = snapshot.catalog.database
    for oid, function in sorted(snapshot.catalog.functions.items()):
        granted = shown_to(
            *(snapshot, Kind.FUNCTION, function.owner, function.acl), has_public=has_public
        )
        for row in granted:
            yield {
                **row,
                "specific_catalog": database,
                "specific_schema": function.schema,
                "specific_name": f"{function.name}_{oid}",
                "routine_catalog": database,
                "routine_schema": function.schema,
                "routine_name": function.name,
            }


def _granted_calls(snapshot: Snapshot) -> Iterator[Row]:
    yield from _callable(snapshot, has_public=False)


#: What makes the rows, by the relation's name.
STANDARD_ROWS: Final[dict[str, Make]] = {
    "column_column_usage": _generated,
    "column_udt_usage": _typed,
    "routine_privileges": _callable,
    "role_routine_grants": _granted_calls,
}
