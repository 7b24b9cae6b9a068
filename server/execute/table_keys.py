"""PRIMARY KEY, UNIQUE and FOREIGN KEY as a table is described with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from catalog.acl import Kind, Privilege
from catalog.constraint import Action, ForeignKey, UniqueKey
from catalog.constraint_errors import InvalidForeignKey
from catalog.errors import (
    DatatypeMismatch,
    DuplicateColumn,
    FeatureNotSupported,
    InvalidColumnReference,
    InvalidTableDefinition,
    Notice,
    ObjectNotInPrerequisiteState,
    UndefinedColumn,
    UndefinedObject,
    WrongObjectType,
)
from catalog.index import Index, IndexKey
from catalog.relation import Column, Table, is_temporary
from catalog.state import Catalog
from catalog.types import INT2, INT4, INT8, PgType
from server.execute.constraint_name import free_index_name, free_name, refuse_taken
from server.execute.fed_table import refuse_reference
from server.execute.names import get_relation
from server.execute.storage_parameter import check_index_parameters
from server.read_rights import denied
from server.session_state import SessionState
from server.sql.clause import ColumnName, KeyDefinition, ReferenceDefinition
from server.sql.coercion import Coercion, can_coerce

_INTEGERS = (INT2, INT4, INT8)


def with_keys(
    state: SessionState, catalog: Catalog, table: Table, definitions: Sequence[KeyDefinition]
) -> Table:
    """Return the table with more keys, the primary key before the others.

    Raises:
        PgError: A column is not there or can be in no key, or a name is taken.
    """
    for definition in _without_doubles(definitions):
        table = with_key(state, catalog, table, definition)
    return table


def _without_doubles(definitions: Sequence[KeyDefinition]) -> list[KeyDefinition]:
    """Return the keys, the primary key first, each once although it may be said twice."""
    found: list[KeyDefinition] = []
    for definition in sorted(definitions, key=lambda d: not d.is_primary):
        said = [c.name for c in definition.columns]
        same = next(
            (
                place
                for place, d in enumerate(found)
                if said
                and [c.name for c in d.columns] == said
                and d.are_nulls_equal == definition.are_nulls_equal
                and d.deferral == definition.deferral
                and None in (d.name, definition.name)
            ),
            None,
        )
        if same is None:
            found.append(definition)
        elif found[same].name is None:
            found[same] = replace(found[same], name=definition.name)
    return found


def with_key(
    state: SessionState, catalog: Catalog, table: Table, definition: KeyDefinition
) -> Table:
    """Return the table with one key more.

    Raises:
        PgError: A column is not there or can be in no key, or a name is taken.
    """
    if definition.is_primary and table.primary_key:
        raise InvalidTableDefinition(
            f'multiple primary keys for table "{table.name}" are not allowed',
            position=definition.position,
        )
    check_index_parameters(state, definition.options)
    if definition.index is not None:
        return _with_index(state, table, definition, definition.index)
    word = "primary key" if definition.is_primary else "unique"
    columns = _columns(table, definition.columns, word)
    include = tuple(c.number for c in _columns(table, definition.include, word))
    for column in columns:
        _refuse_unordered(column.type)
    if definition.is_primary:
        if definition.deferral.is_deferrable or include:
            what = "INCLUDE of a primary key" if include else "a deferrable primary key"
            raise FeatureNotSupported(f"{what} is not supported", position=definition.position)
        name = free_index_name(catalog, table, definition.name, (), "pkey")
        return _with_primary_key(table, tuple(c.number for c in columns), name)
    # What is included is a part of the name that PostgreSQL makes.
    named = [c.name for c in (*definition.columns, *definition.include)]
    index = Index(
        state.manager.allocate_oid(),
        free_index_name(catalog, table, definition.name, named, "key"),
        tuple(IndexKey(column.number) for column in columns),
        include,
        is_unique=True,
        are_nulls_equal=definition.are_nulls_equal,
        constraint=state.manager.allocate_oid(),
        is_deferrable=definition.deferral.is_deferrable,
        is_deferred=definition.deferral.is_deferred,
    )
    return replace(table, indexes=(*table.indexes, index))


def _with_primary_key(table: Table, key: tuple[int, ...], name: str) -> Table:
    columns = tuple(replace(c, is_nullable=False) if c.number in key else c for c in table.columns)
    return replace(table, columns=columns, primary_key=key, key_name=name)


def _with_index(state: SessionState, table: Table, definition: KeyDefinition, name: str) -> Table:
    """Return the table with a constraint made of an index that is there."""
    index = next((index for index in table.indexes if index.name == name), None)
    if index is None:
        raise UndefinedObject(f'index "{name}" does not exist', position=definition.position)
    if index.constraint:
        raise ObjectNotInPrerequisiteState(
            f'index "{name}" is already associated with a constraint', position=definition.position
        )
    for is_wrong, what in (
        (not index.is_unique, "is not a unique index"),
        (any(not key.column for key in index.keys), "contains expressions"),
        (index.condition is not None, "is a partial index"),
    ):
        if is_wrong:
            raise WrongObjectType(
                f'"{name}" {what}',
                detail="Cannot create a primary key or unique constraint using such an index.",
                position=definition.position,
            )
    called = definition.name or name
    if called != name:
        state.notice(
            Notice(
                f'ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index "{name}" to "{called}"'
            )
        )
    refuse_taken(table, called)
    others = tuple(other for other in table.indexes if other != index)
    if definition.is_primary:
        key = tuple(part.column for part in index.keys)
        return _with_primary_key(replace(table, indexes=others), key, called)
    made = replace(
        index,
        name=called,
        constraint=state.manager.allocate_oid(),
        is_deferrable=definition.deferral.is_deferrable,
        is_deferred=definition.deferral.is_deferred,
    )
    return replace(table, indexes=(*others, made))


def _columns(table: Table, names: Sequence[ColumnName], word: str) -> list[Column]:
    found: list[Column] = []
    by_name = {column.name: column for column in table.columns}
    for named in names:
        if named.name not in by_name:
            raise UndefinedColumn(
                f'column "{named.name}" named in key does not exist', position=named.position
            )
        if by_name[named.name] in found:
            raise DuplicateColumn(
                f'column "{named.name}" appears twice in {word} constraint',
                position=named.position,
            )
        found.append(by_name[named.name])
    return found


def _refuse_unordered(pg_type: PgType) -> None:
    """Refuse values in a key that have no order.

    Raises:
        UndefinedObject: They have none.
    """
    base = pg_type.bare
    if base.name in {"json", "xml", "point"}:
        raise UndefinedObject(
            f'data type {base.sql_name} has no default operator class for access method "btree"',
            hint="You must specify an operator class for the index or define a default operator "
            "class for the data type.",
        )


def with_references(
    state: SessionState, catalog: Catalog, table: Table, definitions: Sequence[ReferenceDefinition]
) -> Table:
    """Return the table with more foreign keys; others than it are as the catalog has them.

    Raises:
        PgError: What is referred to is no key, or has other types, or a name is taken.
    """
    for definition in definitions:
        key = _foreign_key(state, catalog, table, definition)
        table = replace(table, foreign_keys=(*table.foreign_keys, key))
    return table


def _foreign_key(
    state: SessionState, catalog: Catalog, table: Table, definition: ReferenceDefinition
) -> ForeignKey:
    target = _target(state, catalog, table, definition)
    refuse_reference(catalog, target, position=None)
    columns = _referencing(table, definition.columns)
    key = _referenced_key(target, definition)
    others = {column.number: column for column in target.columns}
    numbers = key.numbers
    if definition.target_columns:
        named = {column.name: column.number for column in target.columns}
        numbers = tuple(named[c.name] for c in definition.target_columns)
    if len(columns) != len(numbers):
        raise InvalidForeignKey(
            "number of referencing and referenced columns for foreign key disagree"
        )
    name = free_name(catalog, table, definition.name, [c.name for c in columns], "fkey")
    for column, number in zip(columns, numbers, strict=True):
        _refuse_incomparable(name, column, others[number])
    if target.retention_s is not None:
        raise FeatureNotSupported(
            f'a foreign key to table "{target.name}" is not supported: its rows go by themselves'
        )
    if table.is_append_only and {definition.on_update, definition.on_delete} - {
        "NO ACTION",
        "RESTRICT",
    }:
        raise FeatureNotSupported("append-only table does not support update or delete")
    return ForeignKey(
        state.manager.allocate_oid(),
        name,
        tuple(column.number for column in columns),
        target.oid,
        numbers,
        key.oid,
        definition.is_full,
        _action(definition.on_update),
        _action(definition.on_delete),
        _set_columns(columns, definition),
        definition.deferral.is_deferrable,
        definition.deferral.is_deferred,
        definition.is_valid,
    )


def refuse_incomparable(catalog: Catalog, table: Table) -> None:
    """Refuse types of columns that foreign keys, of the table or to it, cannot compare.

    Raises:
        DatatypeMismatch: There are such columns.
    """
    pairs = [(table, key) for key in table.foreign_keys]
    pairs += [(o, k) for o, k in catalog.referring(table.oid) if o.oid != table.oid]
    for owner, key in pairs:
        target = table if key.target == table.oid else catalog.table(key.target)
        own = {column.number: column for column in owner.columns}
        others = {column.number: column for column in target.columns}
        for number, other in zip(key.columns, key.target_columns, strict=True):
            _refuse_incomparable(key.name, own[number], others[other])


def _refuse_incomparable(name: str, own: Column, other: Column) -> None:
    if not _are_comparable(own.type, other.type):
        raise DatatypeMismatch(
            f'foreign key constraint "{name}" cannot be implemented',
            detail=f'Key columns "{own.name}" and "{other.name}" are of incompatible types: '
            f"{own.type.sql_name} and {other.type.sql_name}.",
        )


def _action(words: str) -> Action:
    return Action[words.replace(" ", "_")]


def _set_columns(columns: Sequence[Column], definition: ReferenceDefinition) -> tuple[int, ...]:
    numbers = {column.name: column.number for column in columns}
    for named in definition.set_columns:
        if named.name not in numbers:
            raise InvalidColumnReference(
                f'column "{named.name}" referenced in ON DELETE SET action must be part of '
                "foreign key"
            )
    return tuple(numbers[named.name] for named in definition.set_columns)


def _target(
    state: SessionState, catalog: Catalog, table: Table, definition: ReferenceDefinition
) -> Table:
    """Return the referenced table, which may be the one that refers to it."""
    name = definition.table
    if name.name == table.name and name.schema in {None, table.schema}:
        return table
    target = get_relation(state, catalog, replace(name, position=None))
    if target.oid == table.oid:
        return table
    if not isinstance(target, Table):
        raise WrongObjectType(f'referenced relation "{target.name}" is not a table')
    if is_temporary(table.schema) != is_temporary(target.schema):
        kind = "temporary" if is_temporary(table.schema) else "permanent"
        raise InvalidTableDefinition(
            f"constraints on {kind} tables may reference only {kind} tables"
        )
    held = target.acl, Kind.RELATION, target.owner, Privilege.REFERENCES
    if not state.access.has(*held):
        raise denied(target)
    return target


def _referencing(table: Table, names: Sequence[ColumnName]) -> list[Column]:
    by_name = {column.name: column for column in table.columns}
    for named in names:
        if named.name not in by_name:
            raise UndefinedColumn(
                f'column "{named.name}" referenced in foreign key constraint does not exist'
            )
    return [by_name[named.name] for named in names]


def _referenced_key(target: Table, definition: ReferenceDefinition) -> UniqueKey:
    """Return the key of the referenced table that is meant."""
    if not definition.target_columns:
        if not target.primary_key:
            raise UndefinedObject(f'there is no primary key for referenced table "{target.name}"')
        return target.unique_keys[0]
    named = _referencing(target, definition.target_columns)
    numbers = {column.number for column in named}
    if len(numbers) != len(named):
        raise InvalidForeignKey("foreign key referenced-columns list must not contain duplicates")
    found = [k for k in target.unique_keys if set(k.numbers) == numbers and k.condition is None]
    usable = next((key for key in found if not key.is_deferrable), None)
    if usable is not None:
        return usable
    if found:
        raise ObjectNotInPrerequisiteState(
            f'cannot use a deferrable unique constraint for referenced table "{target.name}"'
        )
    raise InvalidForeignKey(
        f'there is no unique constraint matching given keys for referenced table "{target.name}"'
    )


def _are_comparable(own: PgType, other: PgType) -> bool:
    """Whether a column can refer to one of another type."""
    if own.bare in _INTEGERS and other.bare in _INTEGERS:
        return True
    return can_coerce(own, other, Coercion.IMPLICIT)
