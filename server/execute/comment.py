"""COMMENT: texts about what there is, for people and their tools."""

from __future__ import annotations

from dataclasses import replace

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation, ChangeSchema
from catalog.errors import UndefinedColumn, UndefinedSchema, WrongObjectType
from catalog.state import Catalog
from server.execute.ddl import kind_of
from server.execute.index import change_index, find_index
from server.execute.latest import on_latest
from server.execute.names import get_relation, wrong_kind
from server.execute.permission import must_own, must_own_schema
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql.clause import ObjectKind
from server.sql.index_statement import Comment


def comment(state: SessionState, statement: Comment) -> Done:
    """Say something about an object, or nothing more.

    Raises:
        PgError: It does not exist, is of another kind, or belongs to somebody else.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _comment(state, catalog, statement))


def _comment(state: SessionState, catalog: Catalog, statement: Comment) -> Done:
    text, named = statement.text_of, replace(statement.name, position=None)
    match statement.kind:
        case ObjectKind.SCHEMA:
            schema = catalog.schemas.get(named.name)
            if schema is None:
                raise UndefinedSchema.named(named.name)
            must_own_schema(state, schema)
            state.perform(ChangeCatalog((ChangeSchema(replace(schema, comment=text)),)))
        case ObjectKind.INDEX:
            found = find_index(state, catalog, named)
            if found is None:
                relation = get_relation(state, catalog, named)
                raise WrongObjectType(f'"{relation.name}" is not an index')
            relation, index = found
            must_own(state, relation)
            change_index(state, relation, index, replace(index, comment=text))
        case _:
            _comment_on_relation(state, catalog, statement)
    return Done("COMMENT")


def _comment_on_relation(state: SessionState, catalog: Catalog, statement: Comment) -> None:
    relation = get_relation(state, catalog, replace(statement.name, position=None))
    must_own(state, relation)
    column = statement.column
    if column is None:
        if not isinstance(relation, kind_of(statement.kind)):
            raise wrong_kind(relation, kind_of(statement.kind), "COMMENT ON")
        after = replace(relation, comment=statement.text_of)
    else:
        if all(c.name != column.name for c in relation.columns):
            raise UndefinedColumn(
                f'column "{column.name}" of relation "{relation.name}" does not exist'
            )
        columns = tuple(
            replace(c, comment=statement.text_of) if c.name == column.name else c
            for c in relation.columns
        )
        after = replace(relation, columns=columns)
    state.perform(ChangeCatalog((AlterRelation(relation, after),)))
