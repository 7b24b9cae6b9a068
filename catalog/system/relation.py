"""What a system relation is: a name, columns, and a function from a snapshot to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from catalog.oid import Oid
from catalog.relation import Column
from catalog.system.snapshot import Snapshot
from catalog.types import by_name

#: What stands in a row. JSON and intervals are texts, arrays are sequences.
Value: TypeAlias = bool | int | float | str | datetime | Sequence[int] | Sequence[str] | None

#: A row by column name; a column that is not named is NULL.
Row: TypeAlias = Mapping[str, Value]

#: Makes the rows of a relation.
Make: TypeAlias = Callable[[Snapshot], Iterable[Row]]

#: The standard's own types, which clients see as what they are made of.
_STANDARD_TYPES: Final = frozenset(
    ("cardinal_number", "character_data", "sql_identifier", "time_stamp", "yes_or_no")
)


@dataclass(frozen=True, slots=True)
class SystemRelation:
    """A relation of the system catalogs.

    Attributes:
        oid: PostgreSQL's where it has one.
        make: The rows.
        is_table: Whether pg_class calls it a table rather than a view.
    """

    oid: Oid
    schema: str
    name: str
    columns: tuple[Column, ...]
    make: Make
    is_table: bool = True

    def rows(self, snapshot: Snapshot) -> list[Row]:
        """Return the rows as of a snapshot."""
        made = list(self.make(snapshot))
        names = {column.name for column in self.columns}
        assert all(row.keys() <= names for row in made), self.name
        return made


def rw_relation(oid: int, name: str, columns: str, make: Make) -> SystemRelation:
    """Return a relation of rw_catalog.

    Args:
        oid: One below 16384 that PostgreSQL gives to nothing.
        name: Its name.
        columns: Names and types as in CREATE TABLE.
        make: Its rows.
    """
    return SystemRelation(Oid(oid), "rw_catalog", name, parsed_columns(columns), make)


def shaped(
    shapes: str, schema: str, rows: Mapping[str, Make], *, are_tables: bool
) -> Iterator[SystemRelation]:
    """Yield the relations that lines of text describe.

    Args:
        shapes: As in ``catalog.system.shape_tables``.
        schema: Theirs.
        rows: What makes the rows of some; the others are of things that do not exist here.
        are_tables: Whether they are tables rather than views.
    """
    for line in shapes.replace("\n  ", " ").splitlines():
        if line:
            oid, name, columns = line.split(" ", 2)
            make = rows.get(name, no_rows)
            yield SystemRelation(
                Oid(int(oid)), schema, name, parsed_columns(columns), make, is_table=are_tables
            )


def no_rows(snapshot: Snapshot) -> tuple[Row, ...]:  # noqa: ARG001
    """Return nothing: for relations of things that do not exist here."""
    return ()


def parsed_columns(columns: str) -> tuple[Column, ...]:
    """Return columns that are described as in CREATE TABLE."""
    described = (column.strip().split(" ", 1) for column in columns.split(","))
    return tuple(
        Column(name, by_name(_spelled(type_name.strip())), number)
        for number, (name, type_name) in enumerate(described, 1)
    )


def _spelled(type_name: str) -> str:
    return f"information_schema.{type_name}" if type_name in _STANDARD_TYPES else type_name
