"""CREATE, ALTER and DROP SECRET."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from barrier.command import ChangeCatalog
from barrier.connector.generator import generator_of
from catalog.change import Change, DropRelations
from catalog.dependence import describe, still_used
from catalog.errors import (
    DuplicateObject,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidParameterValue,
    Notice,
    PgError,
)
from catalog.grant import GiveSecret
from catalog.relation import Source, Table
from catalog.secret import (
    DropSecrets,
    PutSecret,
    Secret,
    find_secret,
    secret_users,
    with_values,
)
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from server.execute.drop import tell_of_cascade, without_references_to
from server.execute.latest import on_latest
from server.execute.names import new_lasting_name, schema_of
from server.execute.permission import check_create_in, must_be_member
from server.execute.role_name import role_of
from server.execute.secret_name import found_secret, get_secret
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import secret_statement as c
from server.sql import statement as s
from server.sql.clause import Option, QualifiedName

_BACKEND: Final = "backend"


def change(state: SessionState, statement: s.Statement) -> Done | None:
    """Run a statement about secrets; None is another one.

    Raises:
        PgError: It cannot be done.
    """
    match statement:
        case c.CreateSecret():
            return create_secret(state, statement)
        case c.AlterSecret():
            return alter_secret(state, statement)
        case c.GiveSecret():
            return give_secret(state, statement)
        case _:
            return None


def create_secret(state: SessionState, statement: c.CreateSecret) -> Done:
    """Keep a text under a name.

    Raises:
        PgError: The name is taken, or there is no such backend.
    """
    tag = Done("CREATE SECRET")
    value = _value(statement.options, statement.value, needs_backend=True)
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        schema, name = new_lasting_name(state, catalog, statement.name)
        if find_secret(catalog.secrets, schema, name) is not None:
            told = f'secret "{name}" already exists'
            if not statement.if_not_exists:
                raise DuplicateObject(told)
            state.notice(Notice(f"{told}, skipping", sqlstate=SqlState.DUPLICATE_OBJECT))
            return tag
        oid = state.manager.allocate_oid()
        sealed = state.manager.cluster.seal.close(oid, value)
        made = Secret(
            oid=oid, schema=schema, name=name, owner=state.user.name, sealed=sealed, value=value
        )
        state.perform(ChangeCatalog((PutSecret(made),)))
        return tag

    return on_latest(state, perform)


def _value(options: Sequence[Option], value: str | None, *, needs_backend: bool) -> str:
    """Return the text of a secret.

    Raises:
        InvalidParameterValue: There is none, or an option is not known.
        FeatureNotSupported: It would be kept elsewhere.
    """
    given: dict[str, str | None] = {}
    for option in options:
        if option.name in given:
            raise InvalidParameterValue(
                f'Duplicated option: "{option.name}"', position=option.position
            )
        given[option.name] = option.value
    backend = given.pop(_BACKEND, None)
    if backend is None:
        if needs_backend or options:
            raise InvalidParameterValue("secret backend is not specified in with clause")
    elif backend.lower() != "meta":
        raise FeatureNotSupported(
            f'secret backend "{backend}" is not supported', hint='The only backend is "meta".'
        )
    if given:
        listed = ", ".join(f'"{name}"' for name in given)
        raise InvalidParameterValue(f"unexpected options in WITH clause: [{listed}]")
    if value is None:
        raise InvalidParameterValue("the value of a secret cannot be NULL")
    return value


def must_own_secret(state: SessionState, secret: Secret) -> None:
    """Refuse to change a secret of somebody else.

    Raises:
        InsufficientPrivilege: The user has not its owner's privileges.
    """
    if not state.access.owns(secret.owner):
        raise InsufficientPrivilege(f"must be owner of secret {secret.name}")


def alter_secret(state: SessionState, statement: c.AlterSecret) -> Done:
    """Give a secret another text, with which all that use it go on.

    Raises:
        PgError: There is no such secret, it is somebody else's, or what uses it could not go on.
    """
    value = _value(statement.options, statement.value, needs_backend=False)
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        before = get_secret(state, catalog, statement.name)
        must_own_secret(state, before)
        sealed = state.manager.cluster.seal.close(before.oid, value)
        after = replace(before, sealed=sealed, value=value)
        _check_users(catalog, after)
        state.perform(ChangeCatalog((PutSecret(after, before),)))
        return Done("ALTER SECRET")

    return on_latest(state, perform)


def _check_users(catalog: Catalog, after: Secret) -> None:
    """Refuse a value with which a connector could not go on.

    Raises:
        FeatureNotSupported: One could not; which value it was is not told.
    """
    secrets = {**catalog.secrets, after.oid: after}
    for user in secret_users(catalog.relations, after.oid):
        if not isinstance(user, Source | Table) or user.connector is None:
            continue
        try:
            generator_of(with_values(user.connector, secrets), user.columns, user.created_ms)
        except PgError:
            raise FeatureNotSupported(
                f'connector "{user.connector.name}" of {describe(user)} could not go on with that '
                f'value of secret "{after.name}"'
            ) from None


def give_secret(state: SessionState, statement: c.GiveSecret) -> Done:
    """Let a secret belong to another.

    Raises:
        PgError: It does not exist, or the user may not.
    """
    commit_on_the_way(state)
    with state.manager.naming_users():
        owner = role_of(state, statement.owner)

        def perform(catalog: Catalog) -> Done:
            secret = get_secret(state, catalog, statement.name)
            if secret.owner != owner.name:
                must_own_secret(state, secret)
                must_be_member(state, owner)
                check_create_in(state, catalog.schemas[secret.schema])
                state.perform(ChangeCatalog((GiveSecret(secret.oid, owner.name),)))
            return Done("ALTER SECRET")

        return on_latest(state, perform)


def drop_secrets(
    state: SessionState, names: Sequence[QualifiedName], *, if_exists: bool, is_cascade: bool
) -> Done:
    """Take secrets away, all that are named or none; with CASCADE also what uses them.

    Raises:
        PgError: One does not exist, is somebody else's, or is used.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        found: dict[int, Secret] = {}
        for name in names:
            secret = _found(state, catalog, name, if_exists=if_exists)
            if secret is not None:
                found[secret.oid] = secret
        if found:
            gone = list(found.values())
            changes, also = without_secrets(catalog, gone, is_cascade=is_cascade)
            tell_of_cascade(state, also)
            state.perform(ChangeCatalog(changes))
        return Done("DROP SECRET")

    return on_latest(state, perform)


def _found(
    state: SessionState, catalog: Catalog, name: QualifiedName, *, if_exists: bool
) -> Secret | None:
    schema = schema_of(state, name)
    if if_exists and schema is not None and schema not in catalog.schemas:
        state.notice(Notice(f'schema "{schema}" does not exist, skipping'))
        return None
    if if_exists and found_secret(state, catalog, name) is None:
        state.notice(Notice(f'secret "{name.name}" does not exist, skipping'))
        return None
    secret = get_secret(state, catalog, name)
    if not state.access.owns(catalog.schemas[secret.schema].owner):
        must_own_secret(state, secret)
    return secret


def without_secrets(
    catalog: Catalog, gone: Sequence[Secret], *, is_cascade: bool
) -> tuple[tuple[Change, ...], list[str]]:
    """Return what drops secrets and, with CASCADE, what uses them, and what messages call that.

    Raises:
        DependentObjectsStillExist: Something uses one, and does not go with it.
    """
    using = [user for secret in gone for user in secret_users(catalog.relations, secret.oid)]
    for secret in gone:
        users = [describe(user) for user in secret_users(catalog.relations, secret.oid)]
        if users and not is_cascade:
            raise still_used(secret.described, users)
    everything = catalog.closure(user.oid for user in using)
    also = frozenset(relation.oid for relation in everything)
    changes: list[Change] = []
    if also:
        changes += [*without_references_to(catalog, also), DropRelations(also)]
    dropped = DropSecrets(frozenset(secret.oid for secret in gone))
    return (*changes, dropped), [describe(relation) for relation in everything]
