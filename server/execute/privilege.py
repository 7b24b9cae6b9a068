"""GRANT and REVOKE of privileges, and ALTER DEFAULT PRIVILEGES.

The name that stands behind a grant is the owner's for all who have his privileges; otherwise it is
that of the role from which whoever says GRANT has the most of the options that he needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from barrier.cluster import Database
from barrier.command import ChangeCatalog
from catalog.acl import (
    ALL,
    NONE,
    ON_COLUMN,
    AclUpdate,
    Kind,
    Privilege,
    merged,
    options_of,
    privileges_of,
    updated,
)
from catalog.change import Change
from catalog.errors import (
    FeatureNotSupported,
    InsufficientPrivilege,
    Notice,
    SqlSyntaxError,
    UndefinedColumn,
    UndefinedDatabase,
    UndefinedSchema,
)
from catalog.grant import (
    AlterDefaultPrivileges,
    GrantOnColumn,
)
from catalog.relation import Relation, User
from catalog.role_errors import InvalidGrant
from catalog.roles import Access
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from server.execute.grant_target import KINDS, Held, objects_of, of_relation
from server.execute.latest import on_latest
from server.execute.permission import may_create_in, must_be_member
from server.execute.role_name import grantee_of, role_of
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import privilege_statement as p
from server.sql.role_name import RoleName

_PRIVILEGES: Final = {str(privilege.name).lower(): privilege for privilege in Privilege} | {
    "temp": Privilege.TEMPORARY
}
#: What messages call a kind.
_CALLED: Final = {
    Kind.RELATION: "relation",
    Kind.SEQUENCE: "sequence",
    Kind.DATABASE: "database",
    Kind.FUNCTION: "function",
    Kind.SCHEMA: "schema",
    Kind.TYPE: "type",
    Kind.SECRET: "secret",
}
_DEFAULT_KINDS: Final = {
    "TABLES": Kind.RELATION,
    "SEQUENCES": Kind.SEQUENCE,
    "FUNCTIONS": Kind.FUNCTION,
    "TYPES": Kind.TYPE,
    "SCHEMAS": Kind.SCHEMA,
    "SECRETS": Kind.SECRET,
}
#: Kinds of relations with default privileges of their own, as RisingWave has them, and what has all
#: that there is to have of them.
_DEFAULT_RELATIONS: Final = {
    "VIEWS": p.TargetKind.VIEW,
    "MATERIALIZED VIEWS": p.TargetKind.MATERIALIZED_VIEW,
    "SOURCES": p.TargetKind.SOURCE,
    "SINKS": p.TargetKind.SINK,
    "SUBSCRIPTIONS": p.TargetKind.SUBSCRIPTION,
}
#: Of what there is nothing to have but SELECT.
_READABLE: Final = (p.TargetKind.SOURCE, p.TargetKind.SINK)


def grant(state: SessionState, statement: p.Grant) -> Done:
    """Do GRANT or REVOKE, of all that is named or of nothing.

    Raises:
        PgError: Something that is named does not exist or cannot be granted, or the user may not.
    """
    tag = Done("GRANT" if statement.is_grant else "REVOKE")
    commit_on_the_way(state)
    with state.manager.naming_users():
        if statement.target.kind is p.TargetKind.DATABASE:
            _grant_on_databases(state, statement)
        else:
            on_latest(state, lambda catalog: _grant(state, catalog, statement))
    return tag


def _grant(state: SessionState, catalog: Catalog, statement: p.Grant) -> None:
    _grantor(state, statement.grantor)  # Refused before anything is looked for.
    objects = objects_of(state, catalog, statement.target)
    asked = _asked(state, statement, KINDS.get(statement.target.kind, Kind.RELATION))
    changes = [
        held.change(update)
        for held in objects
        if held.change is not None
        and (asked.update.privileges or asked.is_all)
        and (update := _update(state, held, asked)) is not None
    ]
    for held in objects:
        if held.relation is not None:
            changes += _on_columns(state, held.relation, statement)
    if changes:
        state.perform(ChangeCatalog(tuple(changes)))


def _on_columns(state: SessionState, relation: Relation, statement: p.Grant) -> list[Change]:
    """Return what becomes of the columns of a relation that are named.

    Raises:
        PgError: There is no such column, or nothing of the kind to be had on one.
    """
    changes: list[Change] = []
    for one in statement.privileges or ():
        privilege = ON_COLUMN if one.name == "all" else _PRIVILEGES.get(one.name)
        if not one.columns:
            continue
        if privilege is None:
            raise SqlSyntaxError(f'unrecognized privilege type "{one.name}"')
        if privilege not in ON_COLUMN:
            raise InvalidGrant(f"invalid privilege type {privilege.name} for column")
        for named in one.columns:
            column = next((c for c in relation.columns if c.name == named.name), None)
            if column is None:
                raise UndefinedColumn(
                    f'column "{named.name}" of relation "{relation.name}" does not exist'
                )
            whole = of_relation(relation)
            called = f'column "{column.name}" of relation "{relation.name}"'
            held = replace(whole, told=called, acl=merged(whole.held, column.acl))
            asked = _asked(state, statement, Kind.RELATION)
            asked = replace(asked, update=replace(asked.update, privileges=privilege))
            update = _update(state, held, asked)
            if update is not None:
                changes.append(GrantOnColumn(relation.oid, column.number, update))
    return changes


def _grant_on_databases(state: SessionState, statement: p.Grant) -> None:
    _grantor(state, statement.grantor)
    names = dict.fromkeys(name.name for name in statement.target.names)
    for name in names:
        if state.manager.database(name) is None:
            raise UndefinedDatabase.named(name)
    asked = _asked(state, statement, Kind.DATABASE)

    def change(database: Database) -> Database:
        held = Held(Kind.DATABASE, "database", database.name, database.owner, database.acl)
        update = _update(state, held, asked)
        if update is None:
            return database
        return replace(database, acl=updated(held.held, database.owner, update))

    for name in names:
        state.manager.change_database(name, change)


def alter_default_privileges(state: SessionState, statement: p.AlterDefaultPrivileges) -> Done:
    """Do ALTER DEFAULT PRIVILEGES.

    Raises:
        PgError: Something that is named does not exist or cannot be granted, or the user may not.
    """
    commit_on_the_way(state)
    with state.manager.naming_users():
        on_latest(state, lambda catalog: _alter_defaults(state, catalog, statement))
    return Done("ALTER DEFAULT PRIVILEGES")


def _alter_defaults(
    state: SessionState, catalog: Catalog, statement: p.AlterDefaultPrivileges
) -> None:
    kind = _DEFAULT_KINDS.get(statement.kind, Kind.RELATION)
    of = _DEFAULT_RELATIONS.get(statement.kind)
    if statement.kind == "TABLES" and state.settings.is_peer:
        of = p.TargetKind.TABLE  # PostgreSQL's hold for views as well.
    grantees = tuple(grantee_of(state, named) for named in statement.grantees)
    privileges = _written(statement.privileges, kind, is_grant=False)
    if of in _READABLE and statement.privileges:
        _check_readable(privileges, of)
    roles = [role_of(state, named) for named in statement.roles] or [state.user]
    for role in roles:
        must_be_member(state, role)
    if statement.schemas and kind is Kind.SCHEMA:
        raise InvalidGrant("cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
    for name in statement.schemas:
        if name not in catalog.schemas:
            raise UndefinedSchema.named(name)
        for role in roles:
            access = state.manager.roles.access(role.oid, state.database)
            if not may_create_in(access, catalog.schemas[name]):
                raise InsufficientPrivilege(f"permission denied for schema {name}")
    changes = [
        AlterDefaultPrivileges(
            role.name,
            schema,
            kind,
            AclUpdate(
                statement.is_grant,
                role.name,
                grantees,
                privileges,
                statement.has_option,
                statement.is_cascade,
            ),
            "" if of is None else of.lower(),
        )
        for role in roles
        for schema in (statement.schemas or (None,))
    ]
    state.perform(ChangeCatalog(tuple(changes)))


# --- what is asked for ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a statement wants; the name that stands behind it is found for each object.

    Attributes:
        grantor: Who grants: the user, or whom a superuser names.
        access: What that role may do.
    """

    update: AclUpdate
    is_all: bool
    grantor: User
    access: Access


def _grantor(state: SessionState, named: RoleName | None) -> User:
    """Return who grants.

    Raises:
        FeatureNotSupported: It would be somebody else than the user, who is no superuser.
    """
    found = state.user if named is None else role_of(state, named)
    if found.oid != state.user.oid and not state.user.is_superuser:
        raise FeatureNotSupported("grantor must be current user")
    return found


def _asked(state: SessionState, statement: p.Grant, kind: Kind) -> _Asked:
    grantor = _grantor(state, statement.grantor)
    grantees = tuple(grantee_of(state, named) for named in statement.grantees)
    privileges = _written(statement.privileges, kind)
    if statement.target.kind in _READABLE and statement.privileges:
        _check_readable(privileges, statement.target.kind)
    is_user = grantor.oid == state.user.oid
    return _Asked(
        AclUpdate(
            statement.is_grant,
            "",
            grantees,
            privileges,
            statement.has_option,
            statement.is_cascade,
        ),
        is_all=statement.privileges is None,
        grantor=grantor,
        access=state.access if is_user else state.manager.roles.access(grantor.oid, state.database),
    )


def _check_readable(privileges: Privilege, kind: p.TargetKind) -> None:
    """Raise InvalidGrant for anything but SELECT, all that there is to have of such things."""
    for privilege in privileges & ~Privilege.SELECT:
        raise InvalidGrant(f"invalid privilege type {privilege.name} for {kind.lower()}")


def _written(
    written: Sequence[p.WrittenPrivilege] | None, kind: Kind, *, is_grant: bool = True
) -> Privilege:
    """Return the privileges that were written, without those on single columns.

    Args:
        written: None is all.
        kind: Of what they are.
        is_grant: Whether objects are named, rather than those that will be made.

    Raises:
        SqlSyntaxError: There is no such privilege.
        InvalidGrant: Not on that kind of object.
    """
    if written is None:
        return ALL[kind]
    found = NONE
    for one in written:
        privilege = ALL[kind] if one.name == "all" else _PRIVILEGES.get(one.name)
        if privilege is None:
            raise SqlSyntaxError(f'unrecognized privilege type "{one.name}"')
        if one.columns:
            if kind is not Kind.RELATION or not is_grant:
                raise InvalidGrant("column privileges are only valid for relations")
            continue
        if privilege not in ALL[kind]:
            called = _CALLED[kind]
            name = "TEMP" if privilege is Privilege.TEMPORARY else privilege.name
            if is_grant and kind is Kind.RELATION and privilege is Privilege.USAGE:
                called = "table"  # Of a sequence, which is a relation too, it would be one.
            raise InvalidGrant(f"invalid privilege type {name} for {called}")
        found |= privilege
    return found


def _update(state: SessionState, held: Held, asked: _Asked) -> AclUpdate | None:
    """Return what happens to an object's list; None is nothing, of which the user is told.

    Raises:
        InsufficientPrivilege: He has nothing to do with it at all.
    """
    wanted = asked.update.privileges
    grantor, options = _best_grantor(asked, held, wanted)
    roles = asked.access.roles
    if not options and not (
        privileges_of(held.held, roles) & ALL[held.kind] or options_of(held.held, roles)
    ):
        raise InsufficientPrivilege(f"permission denied for {held.called} {held.name}")
    usable = wanted & options
    if usable != wanted and (not asked.is_all or not usable):
        told = held.told or f'"{held.name}"'
        _tell(state, told, is_grant=asked.update.is_grant, is_nothing=not usable)
    return replace(asked.update, grantor=grantor, privileges=usable) if usable else None


def _tell(state: SessionState, what: str, *, is_grant: bool, is_nothing: bool) -> None:
    if is_grant:
        said = "no privileges were granted" if is_nothing else "not all privileges were granted"
        sqlstate = SqlState.WARNING_PRIVILEGE_NOT_GRANTED
    else:
        said = "no privileges could be" if is_nothing else "not all privileges could be"
        said += " revoked"
        sqlstate = SqlState.WARNING_PRIVILEGE_NOT_REVOKED
    state.notice(Notice(f"{said} for {what}", severity="WARNING", sqlstate=sqlstate))


def _best_grantor(asked: _Asked, held: Held, wanted: Privilege) -> tuple[str, Privilege]:
    """Return in whose name is granted, and what that role may pass on."""
    if asked.access.owns(held.owner):
        return held.owner, wanted
    mine = asked.grantor.name
    best = mine, options_of(held.held, (mine,)) & wanted
    for role in sorted(asked.access.roles - {mine}):
        options = options_of(held.held, (role,)) & wanted
        if len(options) > len(best[1]):
            best = role, options
    return best
