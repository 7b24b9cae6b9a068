"""Rows as values: ``ROW(1, 'a')``, a FROM item's whole row, and their columns (chapter 8.16)."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.errors import UndefinedColumn, WrongObjectType
from catalog.types import UNKNOWN, record
from server.sql.coercion import default_typed
from server.sql.fragment import cast, fragment, row_fragment
from server.sql.typed import Typed
from server.sql.written_numeric import value_of


def row_of(columns: Sequence[tuple[str, Typed]]) -> Typed:
    """Return the row of named values."""
    values = [_settled(value_of(value)) for _, value in columns]
    tree = row_fragment([value.tree for value in values])
    names = (name for name, _ in columns)
    return Typed(tree, record([(n, v.type) for n, v in zip(names, values, strict=True)]))


def _settled(value: Typed) -> Typed:
    """Return a value with a type that the engine knows; constants stay of no type for clients."""
    if not value.is_unknown or value.parameter is not None:
        return default_typed(value)
    return Typed(cast(value.tree, UNKNOWN.duckdb), UNKNOWN)


def column_of_row(value: Typed, name: str, *, position: int | None = None) -> Typed:
    """Return a column of a row.

    Raises:
        WrongObjectType: It is no row.
        UndefinedColumn: It has no column of that name.
    """
    if not value.type.is_row:
        raise WrongObjectType(
            f"column notation .{name} applied to type {value.type.sql_name},"
            " which is not a composite type",
            position=position,
        )
    for number, (member, pg_type) in enumerate(value.type.members, 1):
        if member == name:
            return Typed(fragment(f"STRUCT_EXTRACT(_0, 'f{number}')", value.tree), pg_type)
    if value.type.is_made:
        missing = f'column "{name}" not found in data type {value.type.sql_name}'
    else:
        missing = f'could not identify column "{name}" in record data type'
    raise UndefinedColumn(missing, position=position)
