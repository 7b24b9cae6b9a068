"""Which views can be written, and which of their columns (PostgreSQL 15, CREATE VIEW)."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.oid import Oid
from catalog.relation import MaterializedView, Relation, Table, View


def table_beneath(relations: Mapping[Oid, Relation], relation: Relation) -> Table | None:
    """Return the table whose rows are written where a relation is; None if it cannot be."""
    while isinstance(relation, View):
        if not relation.base:
            return None
        relation = relations[relation.base]
    return relation if isinstance(relation, Table) else None


def is_updatable(relations: Mapping[Oid, Relation], relation: Relation, number: int) -> bool:
    """Whether UPDATE can set a column of a relation, by its number."""
    if table_beneath(relations, relation) is None:
        return False
    while isinstance(relation, View):
        places = {column.number: place for place, column in enumerate(relation.columns)}
        number = relation.origins[places[number]] if number in places else 0
        relation = relations[relation.base]
    return not isinstance(relation, MaterializedView) and number > 0


def view_options(view: View) -> list[str]:
    """Return a view's options as ``pg_class.reloptions`` has them."""
    shown = ["security_invoker=true"] if view.is_invoker else []
    return [*shown, f"check_option={view.check_option}"] if view.check_option else shown
