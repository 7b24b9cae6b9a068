"""COMMENT: texts about what there is, for people and their tools."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, assert_never

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation, ChangeSchema
from catalog.constraint import ForeignKey
from catalog.errors import (
    InsufficientPrivilege,
    Notice,
    UndefinedColumn,
    UndefinedObject,
    UndefinedSchema,
    WrongObjectType,
)
from catalog.relation import Check, Relation, Table
from catalog.secret import PutSecret
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.type_change import AlterType
from catalog.user_type import CompositeType, DomainType
from server.execute.ddl import kind_of
from server.execute.index import change_index, find_index, keyed
from server.execute.latest import on_latest
from server.execute.names import find_relation, get_relation, wrong_kind
from server.execute.permission import must_own, must_own_schema
from server.execute.role_name import role_of
from server.execute.secret import must_own_secret
from server.execute.secret_name import get_secret
from server.execute.transaction import commit_on_the_way
from server.execute.type_name import find_type, must_own_type, own_type
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import ColumnName, ObjectKind, QualifiedName
from server.sql.comment_statement import (
    Comment,
    CommentOnConstraint,
    CommentOnRole,
    CommentStatement,
)

_ConstraintT = TypeVar("_ConstraintT", Check, ForeignKey)


def comment(state: SessionState, statement: CommentStatement) -> Done:
    """Say something about an object, or nothing more.

    Raises:
        PgError: It does not exist, is of another kind, or belongs to somebody else.
    """
    commit_on_the_way(state)
    on_latest(state, lambda catalog: _comment(state, catalog, statement))
    return Done("COMMENT")


def _comment(state: SessionState, catalog: Catalog, statement: CommentStatement) -> None:
    match statement:
        case Comment(kind, name, text, column):
            # PostgreSQL does not say where the name stands.
            named = replace(name, position=None)
            if column is not None:
                _on_column(state, catalog, named, column, text)
            else:
                _on_object(state, catalog, kind, named, text)
        case CommentOnConstraint(name, owner, text, is_of_domain):
            of = replace(owner, position=None)
            if is_of_domain:
                _on_domain_constraint(state, catalog, of, name, text)
            else:
                _on_constraint(state, catalog, of, name, text)
        case CommentOnRole(role, text):
            user = role_of(state, role)
            _must_administer(state, is_superuser=user.is_superuser)
            state.manager.alter_user(user.name, lambda known: replace(known, comment=text))
        case _:
            assert_never(statement)


def _on_object(
    state: SessionState, catalog: Catalog, kind: ObjectKind, named: QualifiedName, text: str | None
) -> None:
    match kind:
        case ObjectKind.SCHEMA:
            schema = catalog.schemas.get(named.name)
            if schema is None:
                raise UndefinedSchema.named(named.name)
            must_own_schema(state, schema)
            state.perform(ChangeCatalog((ChangeSchema(replace(schema, comment=text)),)))
        case ObjectKind.DATABASE:
            _on_database(state, named.name, text)
        case ObjectKind.INDEX:
            _on_index(state, catalog, named, text)
        case ObjectKind.SECRET:
            secret = get_secret(state, catalog, named)
            must_own_secret(state, secret)
            state.perform(ChangeCatalog((PutSecret(replace(secret, comment=text), secret),)))
        case ObjectKind.TYPE | ObjectKind.DOMAIN:
            made = own_type(state, catalog, named)
            if kind is ObjectKind.DOMAIN and not isinstance(made, DomainType):
                raise WrongObjectType(f'"{made.name}" is not a domain')
            state.perform(ChangeCatalog((AlterType(made, replace(made, comment=text)),)))
        case _:
            relation = get_relation(state, catalog, named)
            must_own(state, relation)
            if not isinstance(relation, kind_of(kind)):
                raise wrong_kind(relation, kind_of(kind), "COMMENT ON")
            _put(state, relation, replace(relation, comment=text))


def _put(state: SessionState, before: Relation, after: Relation) -> None:
    state.perform(ChangeCatalog((AlterRelation(before, after),)))


def _on_column(
    state: SessionState,
    catalog: Catalog,
    named: QualifiedName,
    column: ColumnName,
    text: str | None,
) -> None:
    relation = find_relation(state, catalog, named)
    if relation is None:
        made = find_type(state, catalog, named)
        if isinstance(made, CompositeType):
            must_own_type(state, catalog, made)
            _on_member(state, made, column.name, text)
            return
        relation = get_relation(state, catalog, named)
    must_own(state, relation)
    if all(c.name != column.name for c in relation.columns):
        raise _no_column(column.name, str(named))
    columns = tuple(
        replace(c, comment=text) if c.name == column.name else c for c in relation.columns
    )
    _put(state, relation, replace(relation, columns=columns))


def _no_column(name: str, relation: str) -> UndefinedColumn:
    return UndefinedColumn(f'column "{name}" of relation "{relation}" does not exist')


def _on_member(state: SessionState, made: CompositeType, name: str, text: str | None) -> None:
    place = next((i for i, (member, _) in enumerate(made.members) if member == name), None)
    if place is None:
        raise _no_column(name, made.name)
    said = {**dict(made.member_comments), place: text}
    comments = tuple((i, words) for i, words in sorted(said.items()) if words is not None)
    state.perform(ChangeCatalog((AlterType(made, replace(made, member_comments=comments)),)))


def _on_index(
    state: SessionState, catalog: Catalog, named: QualifiedName, text: str | None
) -> None:
    found = find_index(state, catalog, named)
    if found is not None:
        relation, index = found
        _must_own_index(state, relation, index.name)
        change_index(state, relation, index, replace(index, comment=text))
        return
    table = keyed(state, catalog, named)
    if table is None:
        other = get_relation(state, catalog, named)
        raise WrongObjectType(f'"{other.name}" is not an index')
    _must_own_index(state, table, named.name)
    _put(state, table, replace(table, key_index_comment=text))


def _must_own_index(state: SessionState, relation: Relation, name: str) -> None:
    if not state.access.owns(relation.owner):
        raise InsufficientPrivilege(f"must be owner of index {name}")


def _on_constraint(
    state: SessionState, catalog: Catalog, named: QualifiedName, name: str, text: str | None
) -> None:
    relation = get_relation(state, catalog, named)
    if not state.access.owns(relation.owner):
        raise InsufficientPrivilege(f"must be owner of relation {relation.name}")
    after = _with_constraint_comment(relation, name, text)
    if after is None:
        raise UndefinedObject(f'constraint "{name}" for table "{relation.name}" does not exist')
    _put(state, relation, after)


def _with_constraint_comment(relation: Relation, name: str, text: str | None) -> Table | None:
    """Return a table with what is said of a constraint; None if it has none of that name."""
    if not isinstance(relation, Table):
        return None
    if relation.primary_key and name == relation.primary_key_name:
        return replace(relation, key_comment=text)
    indexes = tuple(
        replace(index, constraint_comment=text)
        if index.constraint and index.name == name
        else index
        for index in relation.indexes
    )
    after = replace(
        relation,
        indexes=indexes,
        checks=_said(relation.checks, name, text),
        foreign_keys=_said(relation.foreign_keys, name, text),
    )
    names = [index.name for index in relation.indexes if index.constraint]
    names += [check.name for check in relation.checks]
    names += [key.name for key in relation.foreign_keys]
    return after if name in names else None


def _said(
    constraints: tuple[_ConstraintT, ...], name: str, text: str | None
) -> tuple[_ConstraintT, ...]:
    return tuple(replace(c, comment=text) if c.name == name else c for c in constraints)


def _on_domain_constraint(
    state: SessionState, catalog: Catalog, named: QualifiedName, name: str, text: str | None
) -> None:
    made = own_type(state, catalog, named)
    if not isinstance(made, DomainType):
        raise WrongObjectType(f'"{made.name}" is not a domain')
    if all(check.name != name for check in made.checks):
        raise UndefinedObject(f'constraint "{name}" for domain {made.name} does not exist')
    checks = tuple(
        replace(check, comment=text) if check.name == name else check for check in made.checks
    )
    state.perform(ChangeCatalog((AlterType(made, replace(made, checks=checks)),)))


def _on_database(state: SessionState, name: str, text: str | None) -> None:
    database = state.manager.database(name)
    if database is None:
        # Only a warning, so that what was dumped can be restored under another name.
        state.notice(
            Notice(
                f'database "{name}" does not exist',
                sqlstate=SqlState.INVALID_CATALOG_NAME,
                severity="WARNING",
            )
        )
        return
    if not state.access.owns(database.owner):
        raise InsufficientPrivilege(f"must be owner of database {name}")
    state.manager.change_database(name, lambda known: replace(known, comment=text))


def _must_administer(state: SessionState, *, is_superuser: bool) -> None:
    if state.user.is_superuser:
        return
    if is_superuser:
        raise InsufficientPrivilege("must be superuser")
    if not state.user.can_create_user:
        raise InsufficientPrivilege("must have CREATEROLE privilege")
