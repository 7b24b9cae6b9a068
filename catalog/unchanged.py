"""Whether relations are still as somebody looked at them who changes something now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.errors import UndefinedTable
from catalog.oid import Oid
from catalog.relation import Relation, Table, View


def check_references(relations: Mapping[Oid, Relation], relation: Relation) -> None:
    """Refuse foreign keys of a table that stand on nothing.

    Raises:
        UndefinedTable: What is referred to has gone meanwhile.
    """
    if not isinstance(relation, Table):
        return
    for key in relation.foreign_keys:
        target = relation if key.target == relation.oid else relations.get(key.target)
        if not isinstance(target, Table):
            raise UndefinedTable("the referenced table was dropped meanwhile")
        if all(unique.oid != key.key for unique in target.unique_keys):
            raise changed_meanwhile(target)


def check_read(relations: Mapping[Oid, Relation], based_on: tuple[Relation, ...]) -> None:
    """Refuse a query that was bound when what it reads was another.

    Raises:
        UndefinedTable: Something of it was changed or has gone.
    """
    for read_then in based_on:
        now = relations.get(read_then.oid)
        if now is None or now.columns != read_then.columns:
            raise changed_meanwhile(read_then)
        if isinstance(now, View) and isinstance(read_then, View) and now.query != read_then.query:
            raise changed_meanwhile(read_then)


def check_stored(before: View, above: Iterable[Relation]) -> None:
    """Refuse another query for a view that what is stored was computed from.

    Args:
        before: The view.
        above: It and all that stands on it.

    Raises:
        UndefinedTable: Something came to be stored since it was looked at.
    """
    if not all(isinstance(relation, View) for relation in above):
        raise changed_meanwhile(before)


def check_unchanged(relations: Mapping[Oid, Relation], looked_at: Relation) -> None:
    """Refuse to change what is not as it was looked at.

    Raises:
        UndefinedTable: It was changed or has gone.
    """
    if relations.get(looked_at.oid) != looked_at:
        raise changed_meanwhile(looked_at)


def changed_meanwhile(relation: Relation) -> UndefinedTable:
    """Build the error for who must look at the catalog again."""
    return UndefinedTable(f'relation "{relation.name}" was changed meanwhile')
