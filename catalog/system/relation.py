"""What a system relation is: a name, columns, and a function from a snapshot to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from catalog.oid import Oid
from catalog.relation import Column
from catalog.system.snapshot import Snapshot
from catalog.types import by_name

#: What stands in a row. JSON and intervals are texts, arrays are sequences.
Value: TypeAlias = bool | int | float | str | datetime | Sequence[int] | Sequence[str] | None

#: A row by column name; a column that is not named is NULL.
Row: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class SystemRelation:
    """A relation of the system catalogs.

    Attributes:
        oid: PostgreSQL's where it has a fixed one.
        make: The rows.
        is_table: Whether pg_class calls it a table rather than a view.
    """

    oid: Oid
    schema: str
    name: str
    columns: tuple[Column, ...]
    make: Callable[[Snapshot], Iterable[Row]]
    is_table: bool = True


@dataclass(frozen=True, slots=True)
class SystemRows:
    """A system relation as of a snapshot."""

    relation: SystemRelation
    snapshot: Snapshot

    @property
    def oid(self) -> Oid:
        """The relation's identifier."""
        return self.relation.oid

    @property
    def name(self) -> str:
        """The relation's name."""
        return self.relation.name

    @property
    def columns(self) -> tuple[Column, ...]:
        """The relation's columns."""
        return self.relation.columns

    def rows(self) -> list[tuple[Value, ...]]:
        """Return the rows, each with a value for every column."""
        names = [column.name for column in self.columns]
        made = list(self.relation.make(self.snapshot))
        assert all(row.keys() <= set(names) for row in made), self.relation.name
        return [tuple(row.get(name) for name in names) for row in made]


def pg_relation(
    oid: int, name: str, columns: str, make: Callable[[Snapshot], Iterable[Row]], kind: str = "r"
) -> SystemRelation:
    """Return a relation of pg_catalog.

    Args:
        oid: PostgreSQL's, or one of our own below 16384.
        name: Its name.
        columns: Names and types as in CREATE TABLE.
        make: Its rows.
        kind: ``r`` or ``v``, as pg_class.relkind says.
    """
    return SystemRelation(Oid(oid), "pg_catalog", name, _parsed(columns), make, kind == "r")


def rw_relation(
    oid: int, name: str, columns: str, make: Callable[[Snapshot], Iterable[Row]]
) -> SystemRelation:
    """Return a relation of rw_catalog; arguments as ``pg_relation`` has them."""
    return SystemRelation(Oid(oid), "rw_catalog", name, _parsed(columns), make)


def standard_relation(
    oid: int, name: str, columns: str, make: Callable[[Snapshot], Iterable[Row]]
) -> SystemRelation:
    """Return a view of information_schema; arguments as ``pg_relation`` has them."""
    parsed = _parsed(columns)
    return SystemRelation(Oid(oid), "information_schema", name, parsed, make, is_table=False)


def no_rows(snapshot: Snapshot) -> tuple[Row, ...]:  # noqa: ARG001
    """Return nothing: for relations of things that do not exist here."""
    return ()


def _parsed(columns: str) -> tuple[Column, ...]:
    described = (column.strip().split(" ", 1) for column in columns.split(","))
    return tuple(
        Column(name, by_name(type_name.strip()), number)
        for number, (name, type_name) in enumerate(described, 1)
    )
