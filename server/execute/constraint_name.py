"""What constraints are called when nobody says so, and whether a name is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from catalog.errors import DuplicateObject, DuplicateTable
from catalog.relation import Table
from catalog.relation_name import made_name
from catalog.state import Catalog


def constraint_names(table: Table) -> Iterator[str]:
    """Yield the names of a table's constraints."""
    if table.primary_key:
        yield table.primary_key_name
    yield from (check.name for check in table.checks)
    yield from (index.name for index in table.indexes if index.constraint)
    yield from (key.name for key in table.foreign_keys)


def free_index_name(
    catalog: Catalog, table: Table, given: str | None, columns: Sequence[str], end: str
) -> str:
    """Return what the index of a constraint is called.

    Raises:
        DuplicateTable: There is a relation of the given name.
        DuplicateObject: There is a constraint of the given name.
    """
    own = {table.name, *(index.name for index in table.indexes)}
    if table.primary_key:
        own.add(table.primary_key_name)

    def is_relation(name: str) -> bool:
        return name in own or catalog.is_taken(table.schema, name)

    if given is not None:
        if is_relation(given):
            raise DuplicateTable.named(given)
        refuse_taken(table, given)
        return given
    taken = _names_in(catalog, table)
    return made_name(table.name, columns, end, lambda name: name in taken or is_relation(name))


def free_name(
    catalog: Catalog, table: Table, given: str | None, columns: Sequence[str], end: str
) -> str:
    """Return what a constraint without an index is called.

    Raises:
        DuplicateObject: There is a constraint of the given name.
    """
    if given is not None:
        refuse_taken(table, given)
        return given
    taken = _names_in(catalog, table)
    return made_name(table.name, columns, end, taken.__contains__)


def refuse_taken(table: Table, name: str) -> None:
    """Refuse a name that a constraint of the table has.

    Raises:
        DuplicateObject: There is one.
    """
    if name in constraint_names(table):
        raise DuplicateObject(f'constraint "{name}" for relation "{table.name}" already exists')


def _names_in(catalog: Catalog, table: Table) -> set[str]:
    """Return the names of all constraints in a table's schema, and of its own."""
    found = set(constraint_names(table))
    for relation in catalog.in_schema(table.schema):
        if isinstance(relation, Table) and relation.oid != table.oid:
            found.update(constraint_names(relation))
    return found
