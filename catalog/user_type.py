"""Types that users make: enums, domains and composite types (PostgreSQL 15, 8.7, 8.16, 8.18).

The engine knows an enum's values as numbers in the order of its labels, so that it compares and
sorts them as they are; texts are looked up by macros that are named after the type's OID
(``barrier.user_type_macros``) and made anew when the type is altered. A domain's values are those
of the type that it is made of; a macro checks what becomes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from catalog.acl import Acl
from catalog.oid import Oid
from catalog.types import Domain, PgType, record

#: What stands for the value in a domain's conditions, in the engine's SQL.
VALUE: Final = "domain_value"

_FAILING_MACRO: Final = re.compile(r"ut\d+_(?:in|check)")
_PLAIN_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*")

#: Returns the type of a name in a schema or, with None, along the search path.
FindType: TypeAlias = Callable[[str | None, str], PgType | None]


@dataclass(frozen=True, slots=True)
class EnumLabel:
    """One of an enum's values; ``order`` is how it is stored, and pg_enum.enumsortorder."""

    oid: Oid
    name: str
    order: float


@dataclass(frozen=True, slots=True)
class DomainCheck:
    """A condition of a domain: DuckDB SQL over ``VALUE``, and as the user wrote it."""

    oid: Oid
    name: str
    condition: str
    source: str
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumType:
    """A type of some words; ``labels`` are in their order."""

    oid: Oid
    array_oid: Oid
    schema: str
    name: str
    owner: str
    labels: tuple[EnumLabel, ...]
    comment: str | None = None
    acl: Acl | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainType:
    """A type of some values of another.

    Attributes:
        base: What it is made of, maybe a domain itself.
        default: What columns of it hold by default, as DuckDB SQL of the base type, or None.
    """

    oid: Oid
    array_oid: Oid
    schema: str
    name: str
    owner: str
    base: PgType
    is_nullable: bool = True
    default: str | None = None
    default_source: str | None = None
    checks: tuple[DomainCheck, ...] = ()
    comment: str | None = None
    acl: Acl | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeType:
    """A type of rows.

    Attributes:
        relation_oid: What pg_class lists its columns under.
        member_comments: What is said of members, by their places from 0.
    """

    oid: Oid
    array_oid: Oid
    schema: str
    name: str
    owner: str
    relation_oid: Oid
    members: tuple[tuple[str, PgType], ...]
    comment: str | None = None
    acl: Acl | None = None
    member_comments: tuple[tuple[int, str], ...] = ()


UserType: TypeAlias = EnumType | DomainType | CompositeType


def shown_name(schema: str, name: str) -> str:
    """Return a type's name as format_type gives it: with its schema where that is not public."""
    parts = (name,) if schema == "public" else (schema, name)
    return ".".join(_quoted(part) for part in parts)


def _quoted(name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    return '"' + name.replace('"', '""') + '"'


def pg_type(made: UserType) -> PgType:
    """Return the type of the values."""
    shown = shown_name(made.schema, made.name)
    match made:
        case EnumType():
            labels = tuple((label.name, label.order) for label in made.labels)
            return PgType(
                made.oid, made.name, shown, 4, "E", made.array_oid, "DOUBLE", labels=labels
            )  # As ``type_encoding.decode`` makes it.
        case DomainType():
            below = made.base.domain
            own = sorted((check.name, check.condition) for check in made.checks)
            domain = Domain(
                made.oid,
                made.name,
                shown,
                made.array_oid,
                made.base,
                made.default,
                not made.is_nullable or (below is not None and below.is_not_null),
                (*(() if below is None else below.checks), *own),
            )
            return made.base.within(domain)
        case CompositeType():
            return replace(
                record(made.members),
                oid=made.oid,
                name=made.name,
                sql_name=shown,
                category="C",
                array_oid=made.array_oid,
            )


def twin_of_made(macro: str) -> str | None:
    """Return the macro that gives NULL where a type's macro fails; None for other macros."""
    return f"{macro}_or_null" if _FAILING_MACRO.fullmatch(macro) else None


def uses(pg_type: PgType, oid: Oid) -> bool:
    """Whether a type is made of the one with that OID, or is it."""
    if pg_type.oid == oid or (pg_type.domain is not None and pg_type.domain.oid == oid):
        return True
    if pg_type.domain is not None and uses(pg_type.domain.base, oid):
        return True
    if pg_type.element is not None and uses(pg_type.element, oid):
        return True
    if pg_type.entry is not None and any(uses(part, oid) for part in pg_type.entry):
        return True
    return any(uses(member, oid) for _, member in pg_type.members)


def refreshed(pg_type: PgType, new: PgType) -> PgType:
    """Return a type in which one that was altered is as it is now."""
    oid = new.oid if new.domain is None else new.domain.oid
    if not uses(pg_type, oid):
        return pg_type
    if pg_type.domain is not None:
        if pg_type.domain.oid == oid:
            return new
        # What it has of its base is made anew with the domain itself.
        base = refreshed(pg_type.domain.base, new)
        return base.within(replace(pg_type.domain, base=base))
    if pg_type.oid == oid:
        return new
    if pg_type.element is not None:
        element = refreshed(pg_type.element, new)
        name = f"_{element.name}" if pg_type.element.oid == oid else pg_type.name
        sql_name = f"{element.sql_name}[]"
        return replace(pg_type, element=element, name=name, sql_name=sql_name)
    if pg_type.entry is not None:
        key, value = (refreshed(part, new) for part in pg_type.entry)
        return replace(pg_type, entry=(key, value))
    members = tuple((name, refreshed(member, new)) for name, member in pg_type.members)
    return replace(pg_type, members=members)
