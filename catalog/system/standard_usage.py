"""What the standard's views tell of uses: of columns and types; and who may call what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from catalog.acl import Kind
from catalog.relation import ROW, MaterializedView, Readable, Table, View
from catalog.system.privileges import shown_to
from catalog.system.relation import Make, Row
from catalog.system.snapshot import Snapshot
from catalog.system.user_types import udt_place

#: What a view's stored query is made of: texts, relations under their aliases, columns of these.
_TEXT: Final = re.compile(r"'(?:[^']|'')*'")
_ALIASED: Final = re.compile(r"\b[rv](\d+) AS (t\d+)\b")
_COLUMN: Final = re.compile(r"\b(t\d+)\.c(\d+)\b")
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


def _view_tables(snapshot: Snapshot) -> Iterator[Row]:
    """Yield which relations views read."""
    for view, read in _read_by_views(snapshot):
        yield {**_view(snapshot, view), **_of(snapshot, read)}


def _view_columns(snapshot: Snapshot) -> Iterator[Row]:
    """Yield which columns views read."""
    for view, read in _read_by_views(snapshot):
        query = _TEXT.sub("", view.query)
        aliases = {m[2] for m in _ALIASED.finditer(query) if int(m[1]) == read.oid}
        numbers = {int(m[2]) for m in _COLUMN.finditer(query) if m[1] in aliases}
        for column in read.columns:
            if column.number in numbers:
                yield {
                    **_view(snapshot, view),
                    **_of(snapshot, read),
                    "column_name": column.name,
                }


def _read_by_views(snapshot: Snapshot) -> Iterator[tuple[View, Readable]]:
    for view in snapshot.relations():
        if isinstance(view, View):
            for oid in sorted(view.depends_on):
                read = snapshot.catalog.relations[oid]
                if isinstance(read, Table | View | MaterializedView) and snapshot.access.owns(
                    read.owner
                ):
                    yield view, read


def _view(snapshot: Snapshot, view: View) -> Row:
    return {
        "view_catalog": snapshot.catalog.database,
        "view_schema": view.schema,
        "view_name": view.name,
    }


#: What makes the rows, by the relation's name.
STANDARD_ROWS: Final[dict[str, Make]] = {
    "column_column_usage": _generated,
    "column_udt_usage": _typed,
    "routine_privileges": _callable,
    "role_routine_grants": _granted_calls,
    "view_column_usage": _view_columns,
    "view_table_usage": _view_tables,
}
