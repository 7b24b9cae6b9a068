"""Writing down what is new or another in the catalog, and telling the engine of types."""

from __future__ import annotations

from collections.abc import Mapping

from barrier.store import Attempt
from barrier.user_type_macros import drops, statements
from catalog.state import Catalog


def record(attempt: Attempt, before: Catalog, after: Catalog, twins: Mapping[str, str]) -> None:
    """Write a catalog down in the place of the one before.

    Args:
        attempt: The epoch's transaction.
        before: What is written down.
        after: What becomes of it; schemas that are gone were dropped by who knows why.
        twins: Macros that give NULL where others fail, by the others' names.
    """
    for name, schema in after.schemas.items():
        if before.schemas.get(name) is not schema:
            attempt.put_schema(schema)
    for oid, relation in after.relations.items():
        if before.relations.get(oid) is not relation:
            attempt.put_relation(relation)
    _record_objects(attempt, before, after)
    for oid, made in before.types.items():
        if oid not in after.types:
            for statement in drops(made):
                attempt.run(statement)
    for oid, made in after.types.items():
        if before.types.get(oid) is not made:
            for statement in statements(made, twins):
                attempt.run(statement)
    if after.defaults != before.defaults:
        attempt.put_defaults(after.defaults)


def _record_objects(attempt: Attempt, before: Catalog, after: Catalog) -> None:
    were = {**before.functions, **before.types, **before.sequences, **before.secrets}
    are = {**after.functions, **after.types, **after.sequences, **after.secrets}
    for oid, held in are.items():
        if were.get(oid) is not held:
            attempt.put_object(held)
    for oid in were.keys() - are.keys():
        attempt.drop_object(oid)
