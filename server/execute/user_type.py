"""CREATE TYPE, CREATE DOMAIN, their ALTERs and DROPs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from barrier.command import ChangeCatalog
from catalog.errors import (
    DuplicateColumn,
    DuplicateObject,
    FeatureNotSupported,
    InvalidName,
    InvalidParameterValue,
    InvalidTableDefinition,
    Notice,
    ObjectInUse,
    UndefinedObject,
    UndefinedSchema,
    UniqueViolation,
    WrongObjectType,
)
from catalog.grant import given
from catalog.oid import Oid
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.type_change import AlterType, CreateType
from catalog.types import PgType, by_name
from catalog.user_type import (
    CompositeType,
    DomainCheck,
    DomainType,
    EnumLabel,
    EnumType,
    UserType,
)
from server.execute.latest import on_latest
from server.execute.names import check_column_name, new_lasting_name
from server.execute.permission import check_create_in, check_type, must_be_member
from server.execute.role_name import role_of
from server.execute.transaction import commit_on_the_way
from server.execute.type_name import own_type
from server.result import Done
from server.session_state import SessionState
from server.sql import type_statement as t
from server.sql.alter_statement import AlterSchemaOf
from server.sql.bind.context import BindContext
from server.sql.bind.default import bind_default
from server.sql.bind.domain import bind_domain_check
from server.sql.bind.type_text import type_of_text
from server.sql.clause import CheckDefinition, ObjectKind
from server.sql.privilege_statement import AlterOwner
from server.sql.statement import AlterRename

_LABEL_BYTES_MAX: Final = 63


def change_type(state: SessionState, statement: object) -> Done | None:
    """Create or alter a type; None for statements that do something else.

    Raises:
        PgError: The name is taken or means nothing, or the definition makes no sense.
    """
    return _change(state, statement) if isinstance(statement, t.TypeStatement) else None


def _change(state: SessionState, statement: t.TypeStatement) -> Done:
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        match statement:
            case t.CreateEnum() | t.CreateComposite() | t.CreateDomain():
                made = _made(state, catalog, statement)
                for used in _parts(made):
                    check_type(state, catalog, used)
                state.perform(ChangeCatalog((CreateType(made),)))
                kind = "DOMAIN" if isinstance(made, DomainType) else "TYPE"
                return Done(f"CREATE {kind}")
            case t.AddEnumValue() | t.RenameEnumValue():
                enum = own_type(state, catalog, statement.name)
                if not isinstance(enum, EnumType):
                    raise WrongObjectType(f"{enum.name} is not an enum")
                after = (
                    _with_value(state, enum, statement)
                    if isinstance(statement, t.AddEnumValue)
                    else _with_label(enum, statement)
                )
                _alter(state, enum, after)
                return Done("ALTER TYPE")
            case _:
                domain = own_type(state, catalog, statement.name)
                if not isinstance(domain, DomainType):
                    raise WrongObjectType(f"{domain.name} is not a domain")
                _alter(state, domain, _altered(state, catalog, domain, statement))
                return Done("ALTER DOMAIN")

    return on_latest(state, perform)


def _alter(state: SessionState, before: UserType, after: UserType) -> None:
    if after != before:
        state.perform(ChangeCatalog((AlterType(before, after),)))


def move_type(state: SessionState, statement: AlterRename | AlterSchemaOf | AlterOwner) -> Done:
    """Give a type another name, schema or owner.

    Raises:
        PgError: There is none, the name is taken, or the user may not.
    """
    commit_on_the_way(state)

    def perform(catalog: Catalog) -> Done:
        before = own_type(state, catalog, statement.name)
        if statement.kind is ObjectKind.DOMAIN and not isinstance(before, DomainType):
            raise WrongObjectType(f"{before.name} is not a domain")
        after: UserType = before
        match statement:
            case AlterRename(new_name=name):
                _check_free(catalog, before.schema, name)
                after = replace(before, name=name)
            case AlterSchemaOf(schema=schema):
                if schema not in catalog.schemas:
                    raise UndefinedSchema.named(schema)
                check_create_in(state, catalog.schemas[schema])
                if schema != before.schema:
                    _check_free(catalog, schema, before.name)
                after = replace(before, schema=schema)
            case AlterOwner(owner=named):
                owner = role_of(state, named)
                must_be_member(state, owner)
                after = given(before, owner.name)
        _alter(state, before, after)
        return Done(f"ALTER {statement.kind}")

    with state.manager.naming_users():
        return on_latest(state, perform)


# Names


def _check_free(catalog: Catalog, schema: str, name: str) -> None:
    """Refuse a name that something has in the schema, or that is the system's.

    Raises:
        DuplicateObject: It is taken.
    """
    is_taken = catalog.find_type(schema, name) is not None
    if not is_taken:
        try:
            by_name(name)
        except UndefinedObject:
            is_taken = catalog.find(schema, name) is not None
        else:
            is_taken = True
    if is_taken:
        raise DuplicateObject(f'type "{name}" already exists')


# Definitions


def _made(
    state: SessionState,
    catalog: Catalog,
    statement: t.CreateEnum | t.CreateComposite | t.CreateDomain,
) -> UserType:
    schema, name = new_lasting_name(state, catalog, statement.name)
    _check_free(catalog, schema, name)
    new_oid = state.manager.allocate_oid
    context = state.bind_context(catalog, offset=statement.start).context
    match statement:
        case t.CreateEnum(labels=words):
            for place, word in enumerate(words):
                _check_label(word)
                if word in words[:place]:
                    raise UniqueViolation(
                        'duplicate key value violates unique constraint "pg_enum_typid_label_index"'
                    )
            labels = tuple(
                EnumLabel(new_oid(), word, float(order)) for order, word in enumerate(words, 1)
            )
            return EnumType(
                oid=new_oid(),
                array_oid=new_oid(),
                schema=schema,
                name=name,
                owner=state.user.name,
                labels=labels,
            )
        case t.CreateComposite():
            return CompositeType(
                oid=new_oid(),
                array_oid=new_oid(),
                schema=schema,
                name=name,
                owner=state.user.name,
                relation_oid=new_oid(),
                members=_members(statement, context),
            )
        case t.CreateDomain():
            plain = DomainType(
                oid=new_oid(),
                array_oid=new_oid(),
                schema=schema,
                name=name,
                owner=state.user.name,
                base=_base(statement.base, context),
                is_nullable=not statement.is_not_null,
            )
            below = plain.base.domain
            inherited = None if below is None else catalog.types[below.oid]
            if isinstance(inherited, DomainType):
                default, source = inherited.default, inherited.default_source
                plain = replace(plain, default=default, default_source=source)
            if statement.default is not None:
                default = bind_default(statement.default, plain.base, context, column=name)
                source = statement.default_text
                plain = replace(plain, default=default, default_source=source)
            for check in statement.checks:
                plain = _with_check(plain, check, context, new_oid)
            return plain


def _parts(made: UserType) -> list[PgType]:
    """Return the types that a type is made of."""
    match made:
        case EnumType():
            return []
        case DomainType():
            return [made.base]
        case CompositeType():
            return [member for _, member in made.members]


def _check_label(label: str) -> None:
    if not label or len(label.encode()) > _LABEL_BYTES_MAX:
        raise InvalidName(
            f'invalid enum label "{label}"',
            detail=f"Labels must be {_LABEL_BYTES_MAX} bytes or less.",
        )


def _members(statement: t.CreateComposite, context: BindContext) -> tuple[tuple[str, PgType], ...]:
    found: list[tuple[str, PgType]] = []
    for column, written in statement.members:
        check_column_name(column.name, position=column.position)
        if any(name == column.name for name, _ in found):
            raise DuplicateColumn(f'column "{column.name}" specified more than once')
        member = type_of_text(written.text, context.find_type, position=written.position)
        if member.category in ("P", "X") and not member.is_row:
            raise InvalidTableDefinition(
                f'column "{column.name}" has pseudo-type {member.sql_name}',
                position=column.position,
            )
        found.append((column.name, member))
    if not found:
        raise FeatureNotSupported("composite types without columns are not supported")
    return tuple(found)


def _base(written: t.WrittenType, context: BindContext) -> PgType:
    base = type_of_text(written.text, context.find_type, position=written.position)
    if base.category in ("P", "X") and not base.is_row:
        raise InvalidTableDefinition(
            f'"{base.sql_name}" is not a valid base type for a domain', position=written.position
        )
    return base


def _with_check(
    domain: DomainType,
    definition: CheckDefinition,
    context: BindContext,
    new_oid: Callable[[], Oid],
) -> DomainType:
    taken = {check.name for check in domain.checks}
    name = definition.name
    if name is None:
        stem, number = f"{domain.name}_check", 0
        name = stem
        while name in taken:
            number += 1
            name = f"{stem}{number}"
    elif name in taken:
        raise DuplicateObject(f'constraint "{name}" for domain "{domain.name}" already exists')
    condition = bind_domain_check(definition.condition, domain.base, context)
    made = DomainCheck(new_oid(), name, condition, definition.text)
    return replace(domain, checks=(*domain.checks, made))


# Alterations


def _with_value(state: SessionState, enum: EnumType, statement: t.AddEnumValue) -> EnumType:
    """Return an enum with one more label, which is ordered as PostgreSQL orders it."""
    label = statement.label
    _check_label(label)
    if any(known.name == label for known in enum.labels):
        if not statement.if_not_exists:
            raise DuplicateObject(f'enum label "{label}" already exists')
        state.notice(
            Notice(
                f'enum label "{label}" already exists, skipping',
                sqlstate=SqlState.DUPLICATE_OBJECT,
            )
        )
        return enum
    orders = [known.order for known in enum.labels]
    if statement.beside is None:
        place, order = len(orders), (orders[-1] if orders else 0.0) + 1.0
    else:
        place = _place_of(enum, statement.beside) + (not statement.is_before)
        below = orders[place - 1] if place > 0 else None
        above = orders[place] if place < len(orders) else None
        if below is None:
            order = orders[0] - 1.0
        else:
            order = below + 1.0 if above is None else (below + above) / 2
        if order in orders:
            raise ObjectInUse(f'there is no room for enum label "{label}" there')
    made = EnumLabel(state.manager.allocate_oid(), label, order)
    return replace(enum, labels=(*enum.labels[:place], made, *enum.labels[place:]))


def _place_of(enum: EnumType, label: str) -> int:
    for place, known in enumerate(enum.labels):
        if known.name == label:
            return place
    raise InvalidParameterValue(f'"{label}" is not an existing enum label')


def _with_label(enum: EnumType, statement: t.RenameEnumValue) -> EnumType:
    place = _place_of(enum, statement.label)
    _check_label(statement.new_label)
    if any(known.name == statement.new_label for known in enum.labels):
        raise DuplicateObject(f'enum label "{statement.new_label}" already exists')
    labels = list(enum.labels)
    labels[place] = replace(labels[place], name=statement.new_label)
    return replace(enum, labels=tuple(labels))


def _altered(
    state: SessionState, catalog: Catalog, domain: DomainType, statement: t.AlterDomain
) -> DomainType:
    context = state.bind_context(catalog, offset=statement.start).context
    match statement:
        case t.SetDomainDefault(default=None):
            return replace(domain, default=None, default_source=None)
        case t.SetDomainDefault(_, default, text):
            assert default is not None
            bound = bind_default(default, domain.base, context, column=domain.name)
            return replace(domain, default=bound, default_source=text)
        case t.SetDomainNotNull(_, is_not_null):
            return replace(domain, is_nullable=not is_not_null)
        case t.AddDomainCheck(_, check):
            return _with_check(domain, check, context, state.manager.allocate_oid)
        case t.DropDomainCheck(_, name, if_exists):
            if all(check.name != name for check in domain.checks):
                missing = f'constraint "{name}" of domain "{domain.name}" does not exist'
                if not if_exists:
                    raise UndefinedObject(missing)
                state.notice(Notice(f"{missing}, skipping"))
            return replace(domain, checks=tuple(c for c in domain.checks if c.name != name))
        case t.RenameDomainCheck(_, name, new_name):
            if all(check.name != name for check in domain.checks):
                raise UndefinedObject(
                    f'constraint "{name}" for domain {domain.name} does not exist'
                )
            if any(check.name == new_name for check in domain.checks):
                raise DuplicateObject(
                    f'constraint "{new_name}" for domain "{domain.name}" already exists'
                )
            return replace(
                domain,
                checks=tuple(
                    replace(c, name=new_name) if c.name == name else c for c in domain.checks
                ),
            )
