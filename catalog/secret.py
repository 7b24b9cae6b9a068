"""Secrets: texts under a name that options of connectors speak of without telling them.

A secret's value is known to the server only. What is written down of it is sealed (with a key that
is not in the database's file), and no list, definition or error tells it; who may use it names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from catalog.acl import Acl, Kind, Privilege
from catalog.connector import Connector, SecretOption
from catalog.definition import quoted
from catalog.dependence import describe, still_used
from catalog.errors import (
    DuplicateObject,
    ObjectNotInPrerequisiteState,
    UndefinedObject,
    UndefinedSchema,
)
from catalog.oid import Oid
from catalog.relation import Relation, Schema, Source, Table
from catalog.roles import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A secret.

    Attributes:
        sealed: Its value as it is written down.
        value: Its value; None when it was sealed with another key than this server's.
    """

    oid: Oid
    schema: str
    name: str
    owner: str
    sealed: str = field(repr=False)
    value: str | None = field(default=None, repr=False)
    comment: str | None = None
    acl: Acl | None = None

    @property
    def described(self) -> str:
        """How messages call it."""
        is_plain = self.schema == "public"
        return f"secret {self.name if is_plain else f'{self.schema}.{self.name}'}"


@dataclass(frozen=True, slots=True)
class PutSecret:
    """Add a secret, or put it in the place of one that is still as it was looked at.

    Attributes:
        before: What is there with its OID; None for a new one.
    """

    secret: Secret
    before: Secret | None = None


@dataclass(frozen=True, slots=True)
class DropSecrets:
    """Take secrets away, all or none."""

    oids: frozenset[Oid]


SecretChange: TypeAlias = PutSecret | DropSecrets

Secrets: TypeAlias = Mapping[Oid, Secret]


def find_secret(secrets: Secrets, schema: str, name: str) -> Secret | None:
    """Return the secret of that name, or None."""
    found = (s for s in secrets.values() if (s.schema, s.name) == (schema, name))
    return next(found, None)


def changed_secrets(
    secrets: Secrets,
    schemas: Mapping[str, Schema],
    relations: Mapping[Oid, Relation],
    change: SecretChange,
) -> dict[Oid, Secret]:
    """Return the secrets after a change.

    Raises:
        UndefinedSchema: The schema is not known.
        DuplicateObject: The name is taken.
        UndefinedObject: One is not as it was looked at.
        DependentObjectsStillExist: Something uses what is dropped.
    """
    if isinstance(change, DropSecrets):
        if not change.oids <= secrets.keys():
            raise _changed_meanwhile()
        for oid in sorted(change.oids):
            users = list(secret_users(relations, oid))
            if users:
                raise still_used(secrets[oid].described, map(describe, users))
        return {oid: held for oid, held in secrets.items() if oid not in change.oids}
    secret = change.secret
    if secrets.get(secret.oid) != change.before:
        raise _changed_meanwhile()
    if secret.schema not in schemas:
        raise UndefinedSchema.named(secret.schema)
    namesake = find_secret(secrets, secret.schema, secret.name)
    if namesake is not None and namesake.oid != secret.oid:
        raise DuplicateObject(f'secret "{secret.name}" already exists')
    return {**secrets, secret.oid: secret}


def _changed_meanwhile() -> UndefinedObject:
    return UndefinedObject("the secret was changed meanwhile")


def used_secrets(relation: Relation) -> tuple[SecretOption, ...]:
    """Return the options of a relation whose values are secrets."""
    match relation:
        case Table(connector=Connector() as connector) | Source(connector=connector):
            return connector.secrets
        case _:
            return ()


def secret_users(relations: Mapping[Oid, Relation], oid: Oid) -> Iterator[Relation]:
    """Yield the relations that use a secret, oldest first."""
    for _, relation in sorted(relations.items()):
        if any(used.secret == oid for used in used_secrets(relation)):
            yield relation


def check_secrets(secrets: Secrets, relation: Relation) -> None:
    """Refuse a relation whose secrets have gone meanwhile.

    Raises:
        UndefinedObject: One has.
    """
    if any(used.secret not in secrets for used in used_secrets(relation)):
        raise _changed_meanwhile()


def with_values(connector: Connector, secrets: Secrets) -> Connector:
    """Return a connector that knows the values of its secrets; nothing that is kept or shown.

    Raises:
        ObjectNotInPrerequisiteState: The value of one is not known.
    """
    if not connector.secrets:
        return connector
    options = list(connector.options)
    for used in connector.secrets:
        secret = secrets[used.secret]
        if secret.value is None:
            raise ObjectNotInPrerequisiteState(
                f'the value of secret "{secret.name}" cannot be read',
                detail="It was sealed with another server's key.",
                hint="ALTER SECRET gives it a value anew.",
            )
        options.append((used.name, secret.value))
    return replace(connector, options=tuple(options), secrets=())


def as_shown(secret: Secret) -> str:
    """Return a secret's name, with its schema, as it is written in a statement."""
    return f"{quoted(secret.schema)}.{quoted(secret.name)}"


def may_use(access: Access, secret: Secret) -> bool:
    """Whether somebody may use a secret, and so see that there is one."""
    return access.has(secret.acl, Kind.SECRET, secret.owner, Privilege.USAGE)
