"""What somebody must be allowed to do before a statement runs.

A view's own list is asked of whoever names the view, what it reads of the view's owner
(PostgreSQL 15, chapter 41.5). A materialized view is its rows: its owner needed what it reads when
it was made.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from catalog.acl import ON_COLUMN, Kind, Privilege, privileges_of
from catalog.errors import InsufficientPrivilege
from catalog.function import Function
from catalog.relation import Relation, Schema, User, View, kind_name
from catalog.roles import Access
from catalog.state import Catalog
from catalog.types import PgType
from catalog.user_type import shown_name
from server.read_rights import check_beneath, denied, reader_of
from server.session_state import SessionState
from server.sql.bind.needs import Needs

_SELECT: Final = Privilege.SELECT


def check(state: SessionState, needs: Needs, tree: exp.Expr | None = None) -> None:
    """Refuse what somebody may not do with relations.

    Names were looked up in a transaction's snapshot perhaps; what is allowed is asked of what holds
    now.

    Args:
        state: His session.
        needs: What he must be allowed to do.
        tree: The bound statement, which columns it reads.

    Raises:
        InsufficientPrivilege: For the first relation of which he lacks a privilege.
    """
    catalog = state.worker.catalog
    access = state.access
    views: list[View] = []
    for oid, needed in needs.objects.items():
        relation = catalog.relations.get(oid)
        if (function := catalog.functions.get(oid)) is not None:
            _check_function(access, function)
        if (sequence := catalog.sequences.get(oid)) is not None and not access.has(
            sequence.acl, Kind.SEQUENCE, sequence.owner, Privilege.SELECT
        ):
            raise InsufficientPrivilege(f"permission denied for sequence {sequence.name}")
        if relation is None:
            continue  # Dropped meanwhile: its rows in a snapshot were his to read.
        for privilege in needed:
            if access.has(relation.acl, Kind.RELATION, relation.owner, privilege):
                continue
            if not _has_on_columns(
                access, relation, privilege, needs.columns_of(relation, privilege, tree)
            ):
                raise denied(relation)
        if isinstance(relation, View) and _SELECT in needed:
            views.append(relation)
    for view in views:
        check_beneath(state.manager, catalog, view, access)
    for need in needs.beneath:
        above, relation = catalog.relations.get(need.view), catalog.relations.get(need.oid)
        if not isinstance(above, View) or relation is None:
            continue  # Dropped meanwhile.
        asked = reader_of(state.manager, catalog.database, above, access)
        for privilege in need.privilege:
            if asked.has(relation.acl, Kind.RELATION, relation.owner, privilege):
                continue
            if not _has_on_columns(asked, relation, privilege, need.columns):
                raise denied(relation)


def _has_on_columns(
    access: Access, relation: Relation, privilege: Privilege, needed: frozenset[int]
) -> bool:
    """Whether a privilege is had on every column that it is needed of, on any if it is of none."""
    if privilege not in ON_COLUMN:
        return False
    held = {
        column.number
        for column in relation.columns
        if column.acl and privilege in privileges_of(column.acl, access.roles)
    }
    return bool(held) and needed <= held


def _check(access: Access, relation: Relation, privilege: Privilege) -> None:
    if not access.has(relation.acl, Kind.RELATION, relation.owner, privilege):
        raise denied(relation)


def _check_function(access: Access, function: Function) -> None:
    if not access.has(function.acl, Kind.FUNCTION, function.owner, Privilege.EXECUTE):
        raise InsufficientPrivilege(f"permission denied for function {function.name}")


def check_create_in(state: SessionState, schema: Schema, *, position: int | None = None) -> None:
    """Refuse to make something in a schema.

    Raises:
        InsufficientPrivilege: The user may not.
    """
    if not may_create_in(state.access, schema):
        raise InsufficientPrivilege(
            f"permission denied for schema {schema.name}", position=position
        )


def may_create_in(access: Access, schema: Schema) -> bool:
    """Whether somebody may make things in a schema."""
    return access.has(schema.acl, Kind.SCHEMA, schema.owner, Privilege.CREATE)


def check_type(state: SessionState, catalog: Catalog, pg_type: PgType) -> None:
    """Refuse to make something of a type.

    Raises:
        InsufficientPrivilege: The user may not use it.
    """
    element = pg_type.element or pg_type
    oid = element.oid if element.domain is None else element.domain.oid
    made = catalog.types.get(oid)
    if made is not None and not state.access.has(made.acl, Kind.TYPE, made.owner, Privilege.USAGE):
        raise InsufficientPrivilege(
            f"permission denied for type {shown_name(made.schema, made.name)}"
        )


def check_create_in_database(state: SessionState) -> None:
    """Refuse to make schemas in the session's database.

    Raises:
        InsufficientPrivilege: The user may not.
    """
    database = state.manager.database(state.database)
    if database is not None and not state.access.has(
        database.acl, Kind.DATABASE, database.owner, Privilege.CREATE
    ):
        raise InsufficientPrivilege(f"permission denied for database {database.name}")


def must_own(state: SessionState, relation: Relation) -> None:
    """Refuse to change what belongs to somebody else.

    Raises:
        InsufficientPrivilege: The user has not its owner's privileges.
    """
    if not state.access.owns(relation.owner):
        raise InsufficientPrivilege(f"must be owner of {kind_name(relation)} {relation.name}")


def must_own_to_drop(state: SessionState, catalog: Catalog, relation: Relation) -> None:
    """As ``must_own``; the owner of its schema may drop it too."""
    if not state.access.owns(catalog.schemas[relation.schema].owner):
        must_own(state, relation)


def must_own_schema(state: SessionState, schema: Schema) -> None:
    """Refuse to change a schema of somebody else.

    Raises:
        InsufficientPrivilege: The user has not its owner's privileges.
    """
    if not state.access.owns(schema.owner):
        raise InsufficientPrivilege(f"must be owner of schema {schema.name}")


def must_be_member(state: SessionState, role: User) -> None:
    """Refuse to make somebody an owner that the user cannot become.

    Raises:
        InsufficientPrivilege: He is no member of that role.
    """
    if not state.manager.roles.is_member(state.user, role, state.database):
        raise InsufficientPrivilege(f'must be member of role "{role.name}"')
