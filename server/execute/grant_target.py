"""What GRANT and REVOKE are about, found by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from catalog.acl import (
    Acl,
    AclUpdate,
    Kind,
    default_acl,
)
from catalog.change import Change
from catalog.errors import (
    FeatureNotSupported,
    InsufficientPrivilege,
    UndefinedFunction,
    UndefinedObject,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from catalog.function import Function
from catalog.grant import (
    GrantOnFunction,
    GrantOnRelation,
    GrantOnSchema,
    GrantOnSecret,
    GrantOnSequence,
    GrantOnType,
)
from catalog.relation import MaterializedView, Relation, Sink, Source, Subscription, Table, View
from catalog.secret import Secret
from catalog.sequence import SequenceGenerator
from catalog.state import SYSTEM_SCHEMAS, Catalog
from catalog.types import by_name
from catalog.user_type import DomainType, UserType
from server.execute.function import find_function
from server.execute.names import get_relation, is_system_relation
from server.execute.secret_name import get_secret
from server.execute.sequence import find_sequence
from server.execute.type_name import find_type, undefined_type
from server.session_state import SessionState
from server.sql import privilege_statement as p
from server.sql.clause import QualifiedName
from server.sql.function_statement import FunctionName
from server.sql.functions.registry import function_names

KINDS: Final = {
    p.TargetKind.DATABASE: Kind.DATABASE,
    p.TargetKind.SCHEMA: Kind.SCHEMA,
    p.TargetKind.SEQUENCE: Kind.SEQUENCE,
    p.TargetKind.FUNCTION: Kind.FUNCTION,
    p.TargetKind.PROCEDURE: Kind.FUNCTION,
    p.TargetKind.ROUTINE: Kind.FUNCTION,
    p.TargetKind.TYPE: Kind.TYPE,
    p.TargetKind.DOMAIN: Kind.TYPE,
    p.TargetKind.SECRET: Kind.SECRET,
}
#: Relations that a kind of target names, where it is not any.
_CLASSES: Final[dict[p.TargetKind, type | tuple[type, ...]]] = {
    p.TargetKind.VIEW: View,
    p.TargetKind.MATERIALIZED_VIEW: MaterializedView,
    p.TargetKind.SOURCE: Source,
    p.TargetKind.SINK: Sink,
    p.TargetKind.SUBSCRIPTION: Subscription,
}
#: In which relations of a schema are looked through.
_ORDER: Final = (Table, View, MaterializedView, Source, Sink, Subscription)


@dataclass(frozen=True, slots=True)
class Held:
    """What has a list of privileges."""

    kind: Kind
    called: str  #: Its kind in messages.
    name: str
    owner: str
    acl: Acl | None
    change: Callable[[AclUpdate], Change] | None = None  #: None is a database.
    relation: Relation | None = None
    told: str = ""  #: What warnings call it, where that is not its name alone.

    @property
    def held(self) -> Acl:
        """The list, the default one where none is kept."""
        return default_acl(self.kind, self.owner) if self.acl is None else self.acl


def objects_of(state: SessionState, catalog: Catalog, target: p.GrantTarget) -> list[Held]:
    """Return what a statement is about, but for databases.

    Raises:
        PgError: Something that is named does not exist, or its list cannot be changed.
    """
    kind = KINDS.get(target.kind, Kind.RELATION)
    if target.is_whole_schema:
        return _in_schemas(catalog, target, kind)
    match kind:
        case Kind.SCHEMA:
            return [_schema(catalog, name.name) for name in target.names]
        case Kind.FUNCTION:
            named_functions = zip(target.names, target.arguments, strict=True)
            return [_function(state, catalog, target.kind, *named) for named in named_functions]
        case Kind.SEQUENCE:
            found = [_sequence_named(state, catalog, name) for name in target.names]
            return [_of_sequence(held) for held in {h.oid: h for h in found}.values()]
        case Kind.SECRET:
            secrets = [get_secret(state, catalog, name) for name in target.names]
            return [_of_secret(each) for each in {each.oid: each for each in secrets}.values()]
        case Kind.TYPE:
            made = [_type_named(state, catalog, target.kind, name) for name in target.names]
            return [_of_type(each) for each in {each.oid: each for each in made}.values()]
        case _:
            named = [_named(state, catalog, target, name) for name in target.names]
            return [of_relation(r) for r in {r.oid: r for r in named}.values()]


def _in_schemas(catalog: Catalog, target: p.GrantTarget, kind: Kind) -> list[Held]:
    found: list[Held] = []
    wanted = _CLASSES.get(target.kind)
    for name in dict.fromkeys(name.name for name in target.names):
        if name not in catalog.schemas:
            raise UndefinedSchema.named(name)
        if kind is Kind.FUNCTION:
            found += [_of_function(function) for function in catalog.functions_in(name)]
        if kind is Kind.SEQUENCE:
            found += [_of_sequence(s) for s in catalog.sequences.values() if s.schema == name]
        if kind is Kind.SECRET:
            found += [_of_secret(s) for s in catalog.secrets.values() if s.schema == name]
        if kind is Kind.RELATION:
            held = sorted(catalog.in_schema(name), key=lambda r: (_ORDER.index(type(r)), r.oid))
            found += [of_relation(r) for r in held if wanted is None or isinstance(r, wanted)]
    return found


def _schema(catalog: Catalog, name: str) -> Held:
    schema = catalog.schemas.get(name)
    if schema is None:
        raise UndefinedSchema.named(name)
    return Held(
        Kind.SCHEMA,
        "schema",
        name,
        schema.owner,
        schema.acl,
        lambda update: GrantOnSchema(name, update),
    )


def _named(
    state: SessionState, catalog: Catalog, target: p.GrantTarget, name: QualifiedName
) -> Relation:
    name = replace(name, position=None)  # PostgreSQL does not say where it stands.
    if is_system_relation(state, name) and name.schema in (None, *SYSTEM_SCHEMAS):
        if not state.user.is_superuser:
            raise InsufficientPrivilege(f"permission denied for table {name.name}")
        raise FeatureNotSupported("privileges on system catalogs cannot be changed")
    relation = get_relation(state, catalog, name)
    wanted = _CLASSES.get(target.kind)
    if wanted is not None and not isinstance(relation, wanted):
        raise WrongObjectType(f'"{relation.name}" is not a {target.kind.lower()}')
    return relation


def of_relation(relation: Relation) -> Held:
    """Return a relation as what has a list."""
    oid = relation.oid
    return Held(
        Kind.RELATION,
        "table",  # GRANT calls every relation so.
        relation.name,
        relation.owner,
        relation.acl,
        lambda update: GrantOnRelation(oid, update),
        relation,
    )


def _function(
    state: SessionState,
    catalog: Catalog,
    kind: p.TargetKind,
    name: QualifiedName,
    arguments: tuple[str, ...] | None,
) -> Held:
    """Return a function; what is built in has no list that could be changed.

    Raises:
        PgError: There is none, or it is built in.
    """
    try:
        function = find_function(state, catalog, FunctionName(name, arguments))
    except UndefinedFunction as e:
        if name.schema in (None, "pg_catalog") and name.name in function_names():
            if state.user.is_superuser:
                raise FeatureNotSupported(
                    "privileges on built-in functions cannot be changed"
                ) from None
            raise InsufficientPrivilege(f"permission denied for function {name.name}") from None
        e.message = e.message.replace("function", kind.lower(), 1)
        raise
    return _of_function(function)


def _sequence_named(
    state: SessionState, catalog: Catalog, name: QualifiedName
) -> SequenceGenerator:
    found = find_sequence(state, catalog, name)
    if found is None:
        raise UndefinedTable.named(str(name))
    return found


def _type_named(
    state: SessionState, catalog: Catalog, kind: p.TargetKind, name: QualifiedName
) -> UserType:
    """Return a type; what is built in has no list that could be changed.

    Raises:
        PgError: There is none, or it is built in.
    """
    made = find_type(state, catalog, name)
    if made is None:
        if name.schema in (None, "pg_catalog") and _is_built_in(name.name):
            if not state.user.is_superuser:
                raise InsufficientPrivilege(f"permission denied for type {name.name}")
            raise FeatureNotSupported("privileges on built-in types cannot be changed")
        raise undefined_type(name)
    if kind is p.TargetKind.DOMAIN and not isinstance(made, DomainType):
        raise WrongObjectType(f'"{made.name}" is not a domain')
    return made


def _is_built_in(name: str) -> bool:
    try:
        by_name(name)
    except UndefinedObject:
        return False
    return True


def _of_type(made: UserType) -> Held:
    named = made.name, made.owner, made.acl
    return Held(Kind.TYPE, "type", *named, partial(GrantOnType, made.oid))


def _of_secret(secret: Secret) -> Held:
    named = secret.name, secret.owner, secret.acl
    return Held(Kind.SECRET, "secret", *named, partial(GrantOnSecret, secret.oid))


def _of_sequence(sequence: SequenceGenerator) -> Held:
    named = sequence.name, sequence.owner, sequence.acl
    return Held(Kind.SEQUENCE, "sequence", *named, partial(GrantOnSequence, sequence.oid))


def _of_function(function: Function) -> Held:
    named = function.name, function.owner, function.acl
    return Held(Kind.FUNCTION, "function", *named, partial(GrantOnFunction, function.oid))
