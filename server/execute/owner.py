"""To whom things belong: OWNER TO of schemas and databases, REASSIGN OWNED and DROP OWNED."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from barrier.cluster import ROOT_OID, Database
from barrier.command import ChangeCatalog
from catalog.acl import names_in, with_new_owner, without_role
from catalog.change import Change, DropRelations, DropSchema
from catalog.dependence import describe, describe_constraint, references_from_others
from catalog.errors import (
    DependentObjectsStillExist,
    InsufficientPrivilege,
    Notice,
    UndefinedSchema,
)
from catalog.function import DropFunctions, Function
from catalog.grant import (
    ForgetRole,
    GiveFunction,
    GiveRelation,
    GiveSchema,
    GiveSecret,
    GiveSequence,
)
from catalog.oid import Oid
from catalog.relation import Relation, Table, User
from catalog.secret import DropSecrets, secret_users, used_secrets
from catalog.state import Catalog
from catalog.type_change import AlterType, DropTypes
from server.execute.drop import without_references_to
from server.execute.latest import on_latest
from server.execute.pause import database_of_user
from server.execute.permission import (
    check_create_in_database,
    must_be_member,
    must_own_schema,
)
from server.execute.role_name import role_of
from server.execute.sequence_uses import without_uses
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import ObjectKind
from server.sql.privilege_statement import AlterOwner, DropOwned, ReassignOwned
from server.sql.role_name import RoleName


def alter_owner(state: SessionState, statement: AlterOwner) -> Done:
    """Let a schema or a database belong to somebody else.

    Raises:
        PgError: It does not exist, or the user may not.
    """
    commit_on_the_way(state)
    with state.manager.naming_users():
        owner = role_of(state, statement.owner)
        if statement.kind is ObjectKind.DATABASE:
            _give_database(state, statement.name.name, owner)
        else:
            name = statement.name.name
            on_latest(state, lambda catalog: _give_schema(state, catalog, name, owner))
    return Done(f"ALTER {statement.kind}")


def _give_schema(state: SessionState, catalog: Catalog, name: str, owner: User) -> None:
    schema = catalog.schemas.get(name)
    if schema is None:
        raise UndefinedSchema.named(name)
    if schema.owner == owner.name:
        return
    must_own_schema(state, schema)
    must_be_member(state, owner)
    check_create_in_database(state)
    state.perform(ChangeCatalog((GiveSchema(name, owner.name),)))


def _give_database(state: SessionState, name: str, owner: User) -> None:
    database = database_of_user(state, name)
    if database.owner == owner.name:
        return
    must_be_member(state, owner)
    if not (state.user.is_superuser or state.user.can_create_database):
        raise InsufficientPrivilege("permission denied to change owner of database")
    state.manager.change_database(name, lambda held: _given(held, owner.name))


def _given(database: Database, owner: str) -> Database:
    acl = database.acl
    changed = None if acl is None else with_new_owner(acl, database.owner, owner)
    return replace(database, owner=owner, acl=changed)


def reassign_owned(state: SessionState, statement: ReassignOwned) -> Done:
    """Let all that belongs to some roles, in this database and of databases, belong to another.

    Raises:
        PgError: A role does not exist, or the user has not the privileges of all of them.
    """
    commit_on_the_way(state)
    with state.manager.naming_users():
        roles = _owning(state, statement.roles, "permission denied to reassign objects")
        owner = role_of(state, statement.owner)
        if not state.access.owns(owner.name):
            raise InsufficientPrivilege("permission denied to reassign objects")
        names = frozenset(role.name for role in roles)
        on_latest(state, lambda catalog: _give_all(state, catalog, names, owner.name))
        for database in state.manager.databases():
            if database.owner in names:
                state.manager.change_database(database.name, lambda held: _given(held, owner.name))
    return Done("REASSIGN OWNED")


def _give_all(state: SessionState, catalog: Catalog, names: Collection[str], owner: str) -> None:
    changes: list[Change] = [
        GiveSchema(schema.name, owner)
        for schema in catalog.schemas.values()
        if schema.owner in names
    ]
    changes += [GiveRelation(r.oid, owner) for r in catalog.in_order() if r.owner in names]
    free = [s for s in catalog.sequences.values() if s.owner in names and s.owned_by is None]
    changes += [GiveSequence(s.oid, owner) for s in free]
    changes += [GiveSecret(s.oid, owner) for s in catalog.secrets.values() if s.owner in names]
    changes += [GiveFunction(f.oid, owner) for f in catalog.functions.values() if f.owner in names]
    changes += [
        AlterType(made, replace(made, owner=owner))
        for made in catalog.types.values()
        if made.owner in names
    ]
    if changes:
        state.perform(ChangeCatalog(tuple(changes)))


def drop_owned(state: SessionState, statement: DropOwned) -> Done:
    """Drop what belongs to some roles in this database, and take what they may do here.

    Raises:
        PgError: A role does not exist, the user has not the privileges of all of them, or something
            that stays stands on what would go.
    """
    commit_on_the_way(state)
    with state.manager.naming_users():
        roles = _owning(state, statement.roles, "permission denied to drop objects")
        names = [role.name for role in roles]
        on_latest(
            state,
            lambda catalog: _drop_all(state, catalog, names, is_cascade=statement.is_cascade),
        )
        for database in state.manager.databases():
            for name in names:
                if database.owner != name and name in names_in(database.acl):
                    state.manager.change_database(database.name, _without(name))
    return Done("DROP OWNED")


def _without(name: str) -> Callable[[Database], Database]:
    """Return what takes from somebody what he may do with a database."""

    def change(database: Database) -> Database:
        if database.acl is None:
            return database
        return replace(database, acl=without_role(database.acl, database.owner, name))

    return change


def _drop_all(
    state: SessionState, catalog: Catalog, names: Collection[str], *, is_cascade: bool
) -> None:
    schemas = [s.name for s in catalog.schemas.values() if s.owner in names]
    named = {r.oid for r in catalog.in_order() if r.owner in names}
    functions = {f.oid for f in catalog.functions.values() if f.owner in names}
    if is_cascade:
        named |= {r.oid for r in catalog.in_order() if r.schema in schemas}
        functions |= {f.oid for f in catalog.functions.values() if f.schema in schemas}
    secrets = {
        s.oid
        for s in catalog.secrets.values()
        if s.owner in names or (is_cascade and s.schema in schemas)
    }
    standing = {view.oid for oid in functions for view in catalog.callers(oid)}
    standing |= {r.oid for oid in secrets for r in secret_users(catalog.relations, oid)}
    everything = catalog.closure(named | standing)
    gone = {relation.oid for relation in everything}
    left: list[Relation | Function] = [
        r for r in catalog.in_order() if r.schema in schemas and r.oid not in gone
    ]
    left += [
        f for f in catalog.functions.values() if f.schema in schemas and f.oid not in functions
    ]
    also = [relation for relation in everything if relation.oid not in named]
    if (also or left) and not is_cascade:
        _refuse(catalog, _Going(named, functions, schemas, secrets), also, left)
    for relation in also:
        state.notice(Notice(f"drop cascades to {describe(relation)}"))
    changes: list[Change] = []
    if is_cascade:
        for owner, key in references_from_others(catalog.relations, frozenset(gone)):
            also_gone = describe_constraint(key.name, owner)
            state.notice(Notice(f"drop cascades to {also_gone}"))
        changes += without_references_to(catalog, frozenset(gone))
    changes += [DropRelations(frozenset(gone))] if gone else []
    for sequence in catalog.sequences.values():
        if (sequence.owner in names or sequence.schema in schemas) and sequence.owned_by is None:
            changes += without_uses(state, catalog, sequence, gone, is_cascade=is_cascade)
    changes += [DropFunctions(frozenset(functions))] if functions else []
    changes += [DropSecrets(frozenset(secrets))] if secrets else []
    types = [
        made.oid
        for made in catalog.types.values()
        if made.owner in names or (is_cascade and made.schema in schemas)
    ]
    changes += [DropTypes(frozenset(types))] if types else []
    changes += [DropSchema(name) for name in schemas]
    changes += [ForgetRole(name) for name in names]
    state.perform(ChangeCatalog(tuple(changes)))


@dataclass(frozen=True, slots=True)
class _Going:
    """What DROP OWNED is to drop."""

    relations: Collection[Oid]
    functions: Collection[Oid]
    schemas: Collection[str]
    secrets: Collection[Oid]


def _refuse(
    catalog: Catalog,
    going: _Going,
    also: Collection[Relation],
    left: Collection[Relation | Function],
) -> None:
    """Refuse to drop what others stand on.

    Raises:
        DependentObjectsStillExist: Always.
    """
    lines = [
        f"{f'function {held.signature}' if isinstance(held, Function) else describe(held)}"
        f" depends on schema {held.schema}"
        for held in left
    ]
    for relation in also:
        lines += [
            f"{describe(relation)} depends on {catalog.secrets[used.secret].described}"
            for used in used_secrets(relation)
            if used.secret in going.secrets
        ]
        if not isinstance(relation, Table):
            lines += [
                f"{describe(relation)} depends on {describe(catalog.relations[oid])}"
                for oid in sorted(relation.depends_on)
            ]
            lines += [
                f"{describe(relation)} depends on function {catalog.functions[oid].signature}"
                for oid in sorted(relation.functions & set(going.functions))
            ]
    what, them = "desired object(s)", "them"
    if sum(map(len, (going.relations, going.functions, going.schemas, going.secrets))) == 1:
        them = "it"
        what = "".join([f"schema {s}" for s in going.schemas])
        what += "".join([describe(catalog.relations[oid]) for oid in going.relations])
        what += "".join([f"function {catalog.functions[o].signature}" for o in going.functions])
        what += "".join([catalog.secrets[oid].described for oid in going.secrets])
    raise DependentObjectsStillExist(
        f"cannot drop {what} because other objects depend on {them}",
        detail="\n".join(lines),
        hint="Use DROP ... CASCADE to drop the dependent objects too.",
    )


def _owning(state: SessionState, named: Collection[RoleName], refusal: str) -> list[User]:
    """Return the roles whose things the user may do with as he likes.

    Raises:
        InsufficientPrivilege: He has not the privileges of one.
        DependentObjectsStillExist: One owns what every database has.
    """
    roles = [role_of(state, name) for name in named]
    for role in roles:
        if not state.access.owns(role.name):
            raise InsufficientPrivilege(refusal)
    for role in roles:
        if role.oid == ROOT_OID:
            what = "reassign ownership of" if "reassign" in refusal else "drop"
            raise DependentObjectsStillExist(
                f"cannot {what} objects owned by role {role.name} because they are required by"
                " the database system"
            )
    return roles
