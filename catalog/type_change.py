"""Changes of the types that users make, and what becomes of the relations that use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from catalog.errors import (
    DependentObjectsStillExist,
    DuplicateObject,
    FeatureNotSupported,
    UndefinedObject,
)
from catalog.function import Function
from catalog.oid import Oid
from catalog.relation import MaterializedView, Relation, Table, kind_name, query_of
from catalog.types import PgType, array_of
from catalog.user_type import (
    CompositeType,
    DomainType,
    EnumType,
    UserType,
    pg_type,
    refreshed,
    shown_name,
    uses,
)

Types: TypeAlias = Mapping[Oid, UserType]
Relations: TypeAlias = Mapping[Oid, Relation]
Functions: TypeAlias = Mapping[Oid, Function]


@dataclass(frozen=True, slots=True)
class CreateType:
    """Add a type."""

    made: UserType


@dataclass(frozen=True, slots=True)
class AlterType:
    """Make something else of a type, if it is still as it was looked at.

    Attributes:
        before: The type as it was looked at.
        after: What becomes of it.
    """

    before: UserType
    after: UserType


@dataclass(frozen=True, slots=True)
class DropTypes:
    """Take types away, all or none."""

    oids: frozenset[Oid]


TypeChange: TypeAlias = CreateType | AlterType | DropTypes


def described(made: UserType) -> str:
    """Return kind and name as messages give them."""
    return f"type {shown_name(made.schema, made.name)}"


class Users(NamedTuple):
    """The types, and all that may use them."""

    types: Types
    relations: Relations
    functions: Functions


def changed(users: Users, change: TypeChange) -> Users:
    """Return types, relations and functions after a change.

    Raises:
        DuplicateObject: The name is taken.
        UndefinedObject: A type is not what it was looked at as.
        DependentObjectsStillExist: Something that stays uses what is dropped.
        FeatureNotSupported: A materialized view would not follow.
    """
    match change:
        case CreateType(made):
            _check_name(users, made)
            return users._replace(types={**users.types, made.oid: made})
        case AlterType(before, after):
            return _altered(users, before, after)
        case DropTypes(oids):
            return users._replace(types=_dropped(users, oids))


def duplicate(name: str) -> DuplicateObject:
    """Build the error for a name that a type has already."""
    return DuplicateObject(f'type "{name}" already exists')


def find_type(types: Types, schema: str, name: str) -> UserType | None:
    """Return the type of that name, or None."""
    for made in types.values():
        if made.name == name and made.schema == schema:
            return made
    return None


def type_by_oid(types: Types, oid: Oid) -> PgType | None:
    """Return a type by its OID or its array's, or None."""
    for made in types.values():
        if made.oid == oid:
            return pg_type(made)
        if made.array_oid == oid:
            return array_of(pg_type(made))
    return None


def _check_name(users: Users, made: UserType) -> None:
    taken = find_type(users.types, made.schema, made.name)
    if taken is not None and taken.oid != made.oid:
        raise duplicate(made.name)
    if any((r.schema, r.name) == (made.schema, made.name) for r in users.relations.values()):
        raise duplicate(made.name)


def _altered(users: Users, before: UserType, after: UserType) -> Users:
    types = users.types
    if types.get(before.oid) != before:
        raise UndefinedObject(f'type "{before.name}" was changed meanwhile')
    _check_name(users, after)
    _check_views(users.relations, before, after)
    altered: dict[Oid, UserType] = {**types, after.oid: after}
    # Types are made after what they are made of.
    for oid in sorted(altered):
        for below in sorted(altered):
            if below < oid:
                altered[oid] = _type_with(altered[oid], pg_type(altered[below]))
    relations, functions = dict(users.relations), dict(users.functions)
    for new in [pg_type(altered[oid]) for oid in sorted(altered) if altered[oid] != types[oid]]:
        relations = {oid: _relation_with(relation, new) for oid, relation in relations.items()}
        functions = {oid: _function_with(function, new) for oid, function in functions.items()}
    return Users(altered, relations, functions)


def _function_with(function: Function, new: PgType) -> Function:
    parameters = tuple(replace(p, type=refreshed(p.type, new)) for p in function.parameters)
    columns = tuple((name, refreshed(column, new)) for name, column in function.columns)
    result = refreshed(function.result, new)
    after = replace(function, parameters=parameters, columns=columns, result=result)
    return function if after == function else after


def _check_views(relations: Relations, before: UserType, after: UserType) -> None:
    """Refuse what would change the results of materialized views behind their backs.

    Raises:
        FeatureNotSupported: A view makes texts of an enum's values, or checks a domain's.
    """
    macros = _macros_that_change(before, after)
    for relation in relations.values():
        if isinstance(relation, MaterializedView) and any(
            macro in relation.query.lower() for macro in macros
        ):
            raise FeatureNotSupported(
                f"cannot alter {described(before)} because materialized view"
                f" {relation.name} converts to it or from it",
                hint="Drop the materialized view and create it again afterwards.",
            )


def _macros_that_change(before: UserType, after: UserType) -> tuple[str, ...]:
    """Return the macros that give something else for what they gave something for before."""
    names: tuple[str, ...] = ()
    match before, after:
        case EnumType(), EnumType() if before.labels != after.labels:
            is_renamed = not set(before.labels) <= set(after.labels)
            names = ("in", "text") if is_renamed else ("in",)
        case DomainType(), DomainType():
            was, is_now = ((d.checks, d.is_nullable) for d in (before, after))
            names = () if was == is_now else ("check",)
        case _:
            pass
    return tuple(f"ut{before.oid}_{name}(" for name in names)


def named_in(sql: str, oid: Oid) -> bool:
    """Whether the engine's SQL calls a macro of a type."""
    return f"ut{oid}_" in sql.lower()


def _type_with(made: UserType, new: PgType) -> UserType:
    match made:
        case DomainType():
            base = refreshed(made.base, new)
            return made if base == made.base else replace(made, base=base)
        case CompositeType():
            members = tuple((name, refreshed(member, new)) for name, member in made.members)
            return made if members == made.members else replace(made, members=members)
        case EnumType():
            return made


def _relation_with(relation: Relation, new: PgType) -> Relation:
    columns = tuple(
        c if (now := refreshed(c.type, new)) == c.type else replace(c, type=now)
        for c in relation.columns
    )
    return relation if columns == relation.columns else replace(relation, columns=columns)


def _dropped(users: Users, oids: frozenset[Oid]) -> Types:
    types = users.types
    for oid in sorted(oids):
        if oid not in types:
            raise UndefinedObject(f"type with OID {oid} does not exist")
        lines = list(_dependents(users, types[oid], oids))
        if lines:
            raise DependentObjectsStillExist(
                f"cannot drop {described(types[oid])} because other objects depend on it",
                detail="\n".join(lines),
                hint="Use DROP ... CASCADE to drop the dependent objects too.",
            )
    return {oid: made for oid, made in types.items() if oid not in oids}


def _dependents(users: Users, made: UserType, going: frozenset[Oid]) -> Iterator[str]:
    """Yield what uses a type, in the order in which it was made."""
    everything = {**users.types, **users.relations, **users.functions}
    for oid, user in sorted(everything.items()):
        if oid in going:
            continue
        match user:
            case DomainType():
                if uses(user.base, made.oid):
                    yield f"{described(user)} depends on {described(made)}"
            case CompositeType():
                own = described(user).replace("type", "composite type", 1)
                yield from _columns_of(own, user.members, made)
            case EnumType():
                pass
            case Function():
                mentioned = (*user.types, user.result, *(column for _, column in user.columns))
                if any(uses(each, made.oid) for each in mentioned):
                    yield f"function {user.signature} depends on {described(made)}"
            case _:
                yield from _relation_on(user, made)


def _relation_on(relation: Relation, made: UserType) -> Iterator[str]:
    shown = relation.name if relation.schema == "public" else f"{relation.schema}.{relation.name}"
    name = f"{kind_name(relation)} {shown}"
    columns = [(column.name, column.type) for column in relation.columns]
    is_used = any(uses(column, made.oid) for _, column in columns)
    if isinstance(relation, Table):
        yield from _columns_of(name, columns, made)
        is_named = any(named_in(sql, made.oid) for sql in _expressions(relation))
        if is_named and not is_used:
            yield f"{name} depends on {described(made)}"
    elif is_used or named_in(query_of(relation), made.oid):
        yield f"{name} depends on {described(made)}"


def _columns_of(owner: str, columns: Sequence[tuple[str, PgType]], made: UserType) -> Iterator[str]:
    for name, column in reversed(columns):
        if uses(column, made.oid):
            brackets = "[]" if column.is_array and column.element is not None else ""
            yield f"column {name} of {owner} depends on {described(made)}{brackets}"


def _expressions(table: Table) -> Iterator[str]:
    for column in table.columns:
        yield from (sql for sql in (column.default, column.generated) if sql is not None)
    yield from (check.condition for check in table.checks)
