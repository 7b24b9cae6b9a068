"""From the names of types in statements to the types that users have made."""

from __future__ import annotations

from catalog.errors import InsufficientPrivilege, UndefinedObject
from catalog.state import Catalog
from catalog.type_change import described
from catalog.user_type import UserType
from server.execute.names import schema_of
from server.session_state import SessionState
from server.sql.clause import QualifiedName


def find_type(state: SessionState, catalog: Catalog, name: QualifiedName) -> UserType | None:
    """Return the type of that name which a user has made, or None."""
    schema = schema_of(state, name)
    schemas = state.search_path(catalog) if schema is None else (schema,)
    return next((m for s in schemas if (m := catalog.find_type(s, name.name)) is not None), None)


def own_type(state: SessionState, catalog: Catalog, name: QualifiedName) -> UserType:
    """Return a type that the user may alter.

    Raises:
        UndefinedObject: There is none of that name.
        InsufficientPrivilege: It is somebody else's.
    """
    made = find_type(state, catalog, name)
    if made is None:
        raise undefined_type(name)
    must_own_type(state, catalog, made)
    return made


def must_own_type(state: SessionState, catalog: Catalog, made: UserType) -> None:
    """Refuse to change a type of somebody else; the owner of its schema may.

    Raises:
        InsufficientPrivilege: The user has not its owner's privileges.
    """
    owns = state.access.owns
    if not owns(made.owner) and not owns(catalog.schemas[made.schema].owner):
        raise InsufficientPrivilege(f"must be owner of {described(made)}")


def undefined_type(name: QualifiedName) -> UndefinedObject:
    """Build the error for a name that no type has."""
    return UndefinedObject(f'type "{name}" does not exist')
