"""Changes of who may do what and of whose things are: what becomes of lists and owners."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple, TypeAlias, TypeVar

from catalog.acl import (
    ON_COLUMN,
    Acl,
    AclUpdate,
    Kind,
    default_acl,
    merged,
    names_in,
    renamed,
    updated,
    with_new_owner,
    without_role,
)
from catalog.errors import UndefinedFunction, UndefinedObject, UndefinedSchema, UndefinedTable
from catalog.function import Function
from catalog.oid import Oid
from catalog.relation import (
    DefaultPrivileges,
    MaterializedView,
    Relation,
    Schema,
    Sink,
    Source,
    Subscription,
    Table,
    View,
    kind_name,
)
from catalog.secret import Secret
from catalog.sequence import SequenceGenerator
from catalog.user_type import CompositeType, DomainType, EnumType, UserType

OwnedT = TypeVar(
    "OwnedT",
    bound=Schema
    | Table
    | View
    | MaterializedView
    | Source
    | Sink
    | Subscription
    | Function
    | SequenceGenerator
    | Secret
    | EnumType
    | DomainType
    | CompositeType,
)


@dataclass(frozen=True, slots=True)
class RenameOwner:
    """Let what belongs or is granted to somebody follow his new name."""

    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class GrantOnRelation:
    """Change who may do what with a relation."""

    oid: Oid
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GrantOnColumn:
    """Change who may do what with a column of a relation, by its number."""

    oid: Oid
    column: int
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GrantOnSchema:
    """Change who may do what with a schema."""

    name: str
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GrantOnFunction:
    """Change who may call a function."""

    oid: Oid
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GrantOnSequence:
    """Change what others may do with a sequence."""

    oid: Oid
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GrantOnType:
    """Change who may use a type in what he makes."""

    oid: Oid
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GrantOnSecret:
    """Change who may use a secret."""

    oid: Oid
    update: AclUpdate


@dataclass(frozen=True, slots=True)
class GiveSecret:
    """Let a secret belong to another."""

    oid: Oid
    owner: str


@dataclass(frozen=True, slots=True)
class GiveSequence:
    """Let a sequence belong to another."""

    oid: Oid
    owner: str


@dataclass(frozen=True, slots=True)
class GiveFunction:
    """Let a function belong to another."""

    oid: Oid
    owner: str


@dataclass(frozen=True, slots=True)
class GiveRelation:
    """Let a relation belong to another."""

    oid: Oid
    owner: str


@dataclass(frozen=True, slots=True)
class GiveSchema:
    """Let a schema belong to another; what is in it stays whose it is."""

    name: str
    owner: str


@dataclass(frozen=True, slots=True)
class AlterDefaultPrivileges:
    """Change what is granted on objects that a role will make; see ``DefaultPrivileges``."""

    role: str
    schema: str | None
    kind: Kind
    update: AclUpdate
    relation: str = ""


@dataclass(frozen=True, slots=True)
class ForgetRole:
    """Take away what a role may do, and what is granted on what it will make."""

    name: str


PrivilegeChange: TypeAlias = (
    RenameOwner
    | GrantOnRelation
    | GrantOnColumn
    | GrantOnSchema
    | GrantOnFunction
    | GiveFunction
    | GrantOnSequence
    | GrantOnType
    | GiveSequence
    | GrantOnSecret
    | GiveSecret
    | GiveRelation
    | GiveSchema
    | AlterDefaultPrivileges
    | ForgetRole
)


class Held(NamedTuple):
    """What has owners and lists."""

    schemas: Mapping[str, Schema]
    relations: Mapping[Oid, Relation]
    defaults: tuple[DefaultPrivileges, ...]
    functions: Mapping[Oid, Function]
    sequences: Mapping[Oid, SequenceGenerator]
    types: Mapping[Oid, UserType]
    secrets: Mapping[Oid, Secret]


def changed(held: Held, change: PrivilegeChange) -> Held:
    """Return what there is after a change; what it does not touch stays the same object.

    Raises:
        UndefinedSchema: The schema is not known.
        UndefinedTable: The relation is not known.
        UndefinedFunction: The function is not known.
        UndefinedObject: The type or secret is not known.
        DependentObjectsStillExist: What was passed on would have to be revoked too.
        InvalidGrant: Somebody cannot get a privilege.
    """
    match change:
        case RenameOwner(name, new_name):
            return _renamed(held, name, new_name)
        case GrantOnRelation(oid, update):
            relation = _relation(held, oid)
            acl = _updated(relation.acl, Kind.RELATION, relation.owner, update)
            relation = replace(relation, acl=acl)
            if not update.is_grant:  # What is revoked of the whole is revoked of its columns.
                of_columns = replace(update, privileges=update.privileges & ON_COLUMN)
                owner = relation.owner
                relation = _on_columns(relation, lambda a: updated(a, owner, of_columns))
            return _with_relation(held, relation)
        case GrantOnColumn(oid, number, update):
            relation = _relation(held, oid)
            columns = tuple(
                replace(c, acl=updated(c.acl, relation.owner, update)) if c.number == number else c
                for c in relation.columns
            )
            return _with_relation(held, replace(relation, columns=columns))
        case GrantOnSchema(name, update):
            schema = _schema(held, name)
            acl = _updated(schema.acl, Kind.SCHEMA, schema.owner, update)
            return _with_schema(held, replace(schema, acl=acl))
        case GrantOnFunction(oid, update):
            function = _function(held, oid)
            acl = _updated(function.acl, Kind.FUNCTION, function.owner, update)
            return _with_function(held, replace(function, acl=acl))
        case GiveFunction(oid, owner):
            return _with_function(held, given(_function(held, oid), owner))
        case GrantOnSequence(oid, update):
            sequence = _sequence(held, oid)
            acl = _updated(sequence.acl, Kind.SEQUENCE, sequence.owner, update)
            return _with_sequence(held, replace(sequence, acl=acl))
        case GrantOnType(oid, update):
            if oid not in held.types:
                raise UndefinedObject("the type was dropped meanwhile")
            made = held.types[oid]
            made = replace(made, acl=_updated(made.acl, Kind.TYPE, made.owner, update))
            return held._replace(types={**held.types, oid: made})
        case GrantOnSecret(oid, update):
            secret = _secret(held, oid)
            acl = _updated(secret.acl, Kind.SECRET, secret.owner, update)
            return _with_secret(held, replace(secret, acl=acl))
        case GiveSecret(oid, owner):
            return _with_secret(held, given(_secret(held, oid), owner))
        case GiveSequence(oid, owner):
            return _with_sequence(held, given(_sequence(held, oid), owner))
        case GiveRelation(oid, owner):
            held = _with_relation(held, given(_relation(held, oid), owner))
            # The sequences of its columns go with it.
            owned = [s for s in held.sequences.values() if s.owned_by and s.owned_by[0] == oid]
            for sequence in owned:
                held = _with_sequence(held, given(sequence, owner))
            return held
        case GiveSchema(name, owner):
            return _with_schema(held, given(_schema(held, name), owner))
        case AlterDefaultPrivileges():
            return held._replace(defaults=_altered(held.defaults, change))
        case ForgetRole(name):
            return _forgotten(held, name)


def given(owned: OwnedT, owner: str) -> OwnedT:
    """Return what has become another's."""
    acl = None if owned.acl is None else with_new_owner(owned.acl, owned.owner, owner)
    before = owned.owner
    owned = _on_columns(owned, lambda held: with_new_owner(held, before, owner))
    return replace(owned, owner=owner, acl=acl)


def _on_columns(owned: OwnedT, change: Callable[[Acl], Acl]) -> OwnedT:
    """Return a relation whose columns' lists have been changed; what has none as it is."""
    if not isinstance(owned, Table | View | MaterializedView | Source | Sink):
        return owned
    if not any(column.acl for column in owned.columns):
        return owned
    columns = tuple(replace(c, acl=change(c.acl)) if c.acl else c for c in owned.columns)
    return replace(owned, columns=columns)


def named_in(owned: OwnedT) -> Iterator[str]:
    """Yield the roles that the lists of an object speak of."""
    yield from names_in(owned.acl)
    if isinstance(owned, Table | View | MaterializedView | Source | Sink):
        for column in owned.columns:
            yield from names_in(column.acl)


def relation_acl(defaults: tuple[DefaultPrivileges, ...], relation: Relation) -> Acl | None:
    """Return the list that a new relation gets; as ``initial_acl``."""
    of_all_or_its = tuple(d for d in defaults if d.relation in ("", kind_name(relation)))
    return initial_acl(of_all_or_its, Kind.RELATION, relation.owner, relation.schema)


def initial_acl(
    defaults: tuple[DefaultPrivileges, ...], kind: Kind, owner: str, schema: str | None
) -> Acl | None:
    """Return the list that a new object gets by default privileges; None is its kind's default."""
    held = [d for d in defaults if d.role == owner and d.kind is kind]
    anywhere = [default.acl for default in held if default.schema is None]
    there = [default.acl for default in held if default.schema == schema is not None]
    if not anywhere and not there:
        return None
    plain = default_acl(kind, owner)
    acl = reduce(merged, [*(anywhere or [plain]), *there])
    return None if set(acl) == set(plain) else acl


def _relation(held: Held, oid: Oid) -> Relation:
    if oid not in held.relations:
        raise UndefinedTable("the relation was dropped meanwhile")
    return held.relations[oid]


def _function(held: Held, oid: Oid) -> Function:
    if oid not in held.functions:
        raise UndefinedFunction("the function was dropped meanwhile")
    return held.functions[oid]


def _sequence(held: Held, oid: Oid) -> SequenceGenerator:
    if oid not in held.sequences:
        raise UndefinedTable("the sequence was dropped meanwhile")
    return held.sequences[oid]


def _with_sequence(held: Held, sequence: SequenceGenerator) -> Held:
    return held._replace(sequences={**held.sequences, sequence.oid: sequence})


def _secret(held: Held, oid: Oid) -> Secret:
    if oid not in held.secrets:
        raise UndefinedObject("the secret was dropped meanwhile")
    return held.secrets[oid]


def _with_secret(held: Held, secret: Secret) -> Held:
    return held._replace(secrets={**held.secrets, secret.oid: secret})


def _with_function(held: Held, function: Function) -> Held:
    return held._replace(functions={**held.functions, function.oid: function})


def _schema(held: Held, name: str) -> Schema:
    if name not in held.schemas:
        raise UndefinedSchema.named(name)
    return held.schemas[name]


def _with_relation(held: Held, relation: Relation) -> Held:
    return held._replace(relations={**held.relations, relation.oid: relation})


def _with_schema(held: Held, schema: Schema) -> Held:
    return held._replace(schemas={**held.schemas, schema.name: schema})


def _updated(acl: Acl | None, kind: Kind, owner: str, update: AclUpdate) -> Acl:
    return updated(default_acl(kind, owner) if acl is None else acl, owner, update)


def _renamed(held: Held, name: str, new_name: str) -> Held:
    def follow(owned: OwnedT) -> OwnedT:
        if owned.owner != name and name not in named_in(owned):
            return owned
        owner = new_name if owned.owner == name else owned.owner
        owned = _on_columns(owned, lambda acl: renamed(acl, name, new_name) or ())
        return replace(owned, owner=owner, acl=renamed(owned.acl, name, new_name))

    return Held(
        {key: follow(schema) for key, schema in held.schemas.items()},
        {oid: follow(relation) for oid, relation in held.relations.items()},
        tuple(
            replace(
                default,
                role=new_name if default.role == name else default.role,
                acl=renamed(default.acl, name, new_name) or (),
            )
            for default in held.defaults
        ),
        {oid: follow(function) for oid, function in held.functions.items()},
        {oid: follow(sequence) for oid, sequence in held.sequences.items()},
        {oid: follow(made) for oid, made in held.types.items()},
        {oid: follow(secret) for oid, secret in held.secrets.items()},
    )


def _altered(
    defaults: tuple[DefaultPrivileges, ...], change: AlterDefaultPrivileges
) -> tuple[DefaultPrivileges, ...]:
    role, schema, kind, relation = change.role, change.schema, change.kind, change.relation
    key = (role, schema, kind, relation)
    places = [i for i, d in enumerate(defaults) if (d.role, d.schema, d.kind, d.relation) == key]
    place = places[0] if places else len(defaults)
    before = defaults[place].acl if places else None
    plain: Acl = default_acl(kind, role) if schema is None else ()
    acl = updated(plain if before is None else before, role, change.update)
    found = DefaultPrivileges(role, schema, kind, merged(acl, ()), relation)
    kept = (found,) if _says_something(found) else ()
    return (*defaults[:place], *kept, *defaults[place + 1 :])


def _says_something(default: DefaultPrivileges) -> bool:
    """Whether new objects would get another list without it."""
    plain: Acl = () if default.schema else default_acl(default.kind, default.role)
    return set(default.acl) != set(plain)


def _forgotten(held: Held, name: str) -> Held:
    def forget(owned: OwnedT) -> OwnedT:
        if owned.owner == name or name not in named_in(owned):
            return owned
        owner = owned.owner
        owned = _on_columns(owned, lambda acl: without_role(acl, owner, name))
        if owned.acl is None:
            return owned
        return replace(owned, acl=without_role(owned.acl, owner, name))

    return Held(
        {key: forget(schema) for key, schema in held.schemas.items()},
        {oid: forget(relation) for oid, relation in held.relations.items()},
        tuple(
            kept
            for default in held.defaults
            if default.role != name
            and _says_something(
                kept := replace(default, acl=without_role(default.acl, default.role, name))
            )
        ),
        {oid: forget(function) for oid, function in held.functions.items()},
        {oid: forget(sequence) for oid, sequence in held.sequences.items()},
        {oid: forget(made) for oid, made in held.types.items()},
        {oid: forget(secret) for oid, secret in held.secrets.items()},
    )
