"""Names that stand in a schema beside those of relations, and names that PostgreSQL makes up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from catalog.errors import DuplicateTable
from catalog.oid import Oid
from catalog.relation import Relation, Rowless, Source, Table, View

#: The longest name, in bytes.
NAME_BYTES: Final = 63


def index_names(
    relations: Mapping[Oid, Relation], names: Mapping[tuple[str, str], Oid]
) -> dict[tuple[str, str], Oid]:
    """Return the names of indexes, which stand among those of relations.

    Raises:
        DuplicateTable: A name stands twice.
    """
    found: dict[tuple[str, str], Oid] = {}
    for oid, relation in relations.items():
        if isinstance(relation, View | Rowless | Source):
            continue
        for index in relation.indexes:
            place = (relation.schema, index.name)
            if place in found or place in names:
                raise DuplicateTable.named(index.name)
            found[place] = oid
    return found


def key_names(relations: Mapping[Oid, Relation]) -> dict[tuple[str, str], Oid]:
    """Return the names of primary keys, which are indexes too."""
    return {
        (relation.schema, relation.primary_key_name): oid
        for oid, relation in relations.items()
        if isinstance(relation, Table) and relation.primary_key
    }


def made_name(table: str, columns: Sequence[str], end: str, is_taken: Callable[[str], bool]) -> str:
    """Return ``table_column_end``, shortened and numbered as PostgreSQL does.

    Args:
        table: The table's name.
        columns: The names of columns; those that are too many are left out.
        end: Such as ``key``.
        is_taken: Whether there is something of a name already.
    """
    number = 0
    while True:
        name = _shortened(table, _joined(columns), f"{end}{number or ''}")
        if not is_taken(name):
            return name
        number += 1


def _joined(columns: Sequence[str]) -> str:
    """Return names with low lines between them, up to the first that makes them too long."""
    joined = ""
    for column in columns:
        joined = f"{joined}_{column}" if joined else column
        if len(joined.encode()) > NAME_BYTES:
            break
    return _cut(joined, NAME_BYTES)


def _shortened(first: str, second: str, end: str) -> str:
    room = NAME_BYTES - len(end.encode()) - 1 - (1 if second else 0)
    lengths = [len(first.encode()), len(second.encode())]
    while sum(lengths) > room:
        lengths[0 if lengths[0] > lengths[1] else 1] -= 1
    parts = [_cut(first, lengths[0]), *([_cut(second, lengths[1])] if second else []), end]
    return "_".join(parts)


def _cut(name: str, size: int) -> str:
    """Return at most so many bytes of a name, whole characters."""
    return name.encode()[:size].decode(errors="ignore")
