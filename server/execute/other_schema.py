"""Relations that are to be in another schema."""

from __future__ import annotations

from catalog.definition import placed
from catalog.errors import (
    DuplicateTable,
    FeatureNotSupported,
    InsufficientPrivilege,
    UndefinedSchema,
)
from catalog.relation import Relation, is_temporary
from catalog.state import SYSTEM_SCHEMAS, Catalog
from server.execute.permission import check_create_in
from server.session_state import SessionState


def refuse_temporary(*schemas: str) -> None:
    """Refuse to move what is temporary.

    Raises:
        FeatureNotSupported: A schema is a session's own.
    """
    if any(is_temporary(schema) for schema in schemas):
        raise FeatureNotSupported("cannot move objects into or out of temporary schemas")


def moved(state: SessionState, catalog: Catalog, relation: Relation, schema: str) -> Relation:
    """Return a relation in another schema.

    Raises:
        PgError: The schema does not exist, or the user may not put it there, or its name is taken.
    """
    refuse_temporary(relation.schema, schema)
    if schema not in catalog.schemas:
        raise UndefinedSchema.named(schema)
    if schema in SYSTEM_SCHEMAS:
        raise InsufficientPrivilege(
            f'permission denied to create "{schema}.{relation.name}"',
            detail="System catalog modifications are currently disallowed.",
        )
    check_create_in(state, catalog.schemas[schema])
    if schema == relation.schema:
        return relation
    if catalog.find(schema, relation.name) is not None:
        raise DuplicateTable(f'relation "{relation.name}" already exists in schema "{schema}"')
    return placed(relation, schema, relation.name)
