"""Secrets by their names."""

from __future__ import annotations

from catalog.errors import InsufficientPrivilege, UndefinedObject, UndefinedSchema
from catalog.secret import Secret, find_secret, may_use
from catalog.state import Catalog
from server.execute.names import schema_of
from server.session_state import SessionState
from server.sql.clause import Option, QualifiedName


def get_secret(
    state: SessionState, catalog: Catalog, name: QualifiedName, *, position: int | None = None
) -> Secret:
    """Return the secret that a name means.

    Raises:
        UndefinedObject: There is none.
    """
    found = found_secret(state, catalog, name)
    if found is None:
        raise UndefinedObject(f'secret "{name}" does not exist', position=position)
    return found


def found_secret(state: SessionState, catalog: Catalog, name: QualifiedName) -> Secret | None:
    """Return the secret that a name means, or None.

    Raises:
        UndefinedSchema: There is no such schema.
    """
    schema = schema_of(state, name)
    if schema is not None and schema not in catalog.schemas:
        raise UndefinedSchema.named(schema)
    searched = state.search_path(catalog) if schema is None else (schema,)
    found = (find_secret(catalog.secrets, s, name.name) for s in searched)
    return next((secret for secret in found if secret is not None), None)


def usable_secret(state: SessionState, catalog: Catalog, option: Option) -> Secret:
    """Return the secret that is the value of an option.

    Raises:
        UndefinedObject: There is no such secret.
        InsufficientPrivilege: The user may not use it.
    """
    assert option.secret is not None, option
    secret = get_secret(state, catalog, option.secret, position=option.secret.position)
    if not may_use(state.access, secret):
        raise InsufficientPrivilege(f"permission denied for secret {secret.name}")
    return secret
