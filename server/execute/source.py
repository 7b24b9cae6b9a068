"""CREATE SOURCE, and how many rows connectors bring."""

from __future__ import annotations

from dataclasses import replace

from barrier.command import ChangeCatalog
from catalog.change import AlterRelation, CreateRelation
from catalog.definition import source_definition
from catalog.errors import (
    DuplicateColumn,
    FeatureNotSupported,
    InvalidParameterValue,
    Notice,
    WrongObjectType,
)
from catalog.relation import Source, Table
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.types import PgType
from server.execute.compared_column import compared
from server.execute.connector import check_connector, connector_of, rate_limit
from server.execute.ddl import columns_of, is_there_already, made_column
from server.execute.latest import on_latest
from server.execute.names import (
    check_column_name,
    find_relation,
    get_relation,
    new_lasting_name,
    wrong_kind,
)
from server.execute.permission import must_own
from server.execute.table_rules import with_generated
from server.execute.transaction import commit_on_the_way
from server.execute.watermark import with_watermark
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.alter_statement import AddColumn
from server.sql.clause import ColumnDefinition, ObjectKind
from server.sql.streaming_statement import AlterSourceRate, CreateSource
from server.version import VERSION_TEXT


def change(state: SessionState, statement: s.Statement) -> Done | None:
    """Make a source, or change how many rows one brings; None for other statements.

    Raises:
        PgError: It cannot be done.
    """
    match statement:
        case CreateSource():
            return create_source(state, statement)
        case AlterSourceRate():
            return limit_source(state, statement)
        case _:
            return None


def create_source(state: SessionState, statement: CreateSource) -> Done:
    """Make a source.

    Raises:
        PgError: The name is taken, or its definition does not make sense.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _create_source(state, catalog, statement))


def _create_source(state: SessionState, catalog: Catalog, statement: CreateSource) -> Done:
    tag = Done("CREATE SOURCE")
    schema, name = new_lasting_name(state, catalog, statement.name)
    if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return tag
    connector = connector_of(state, catalog, statement.options, statement.format, statement.encode)
    if connector is None:
        raise InvalidParameterValue("missing connector in the WITH clause of CREATE SOURCE")
    for definition in statement.columns:
        _refuse_default(definition)
    source = Source(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=tuple(map(compared, columns_of(state, catalog, statement))),
        connector=connector,
        definition=statement.text,
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        config=state.settings.job_config,
    )
    context = state.bind_context(catalog, offset=statement.start).context
    computed = with_generated(source.reader(source.oid), statement.columns, context)
    computed = with_watermark(computed, statement.watermark, context)
    source = replace(source, columns=computed.columns, watermark=computed.watermark)
    check_connector(state, catalog, source)
    state.perform(ChangeCatalog((CreateRelation(source),)))
    return tag


def with_column(
    state: SessionState, catalog: Catalog, source: Source, action: AddColumn, offset: int
) -> Source:
    """Return a source with another column, which what is created from now on reads.

    Args:
        state: The session.
        catalog: What names are looked up in.
        source: The source.
        action: The column.
        offset: Where the statement begins in the client's string.

    Raises:
        PgError: There can be no such column.
    """
    definition = action.definition
    if any(column.name == definition.name for column in source.columns):
        said = f'column "{definition.name}" of relation "{source.name}" already exists'
        if not action.if_not_exists:
            raise DuplicateColumn(said)
        state.notice(Notice(f"{said}, skipping", sqlstate=SqlState.DUPLICATE_COLUMN))
        return source
    check_column_name(definition.name, position=definition.position)
    if action.keys or action.checks or action.references:
        raise FeatureNotSupported("a constraint of a source is not supported")
    _refuse_default(definition)
    number = source.next_number
    column = compared(made_column(state, catalog, definition, number, offset=offset))
    added = replace(source, columns=(*source.columns, column))
    context = state.bind_context(catalog, offset=offset).context
    computed = with_generated(added.reader(source.oid), [definition], context)
    added = replace(added, columns=computed.columns)
    return replace(added, definition=source_definition(added, PgType.display))


def _refuse_default(definition: ColumnDefinition) -> None:
    if definition.default is not None or definition.identity:
        raise FeatureNotSupported(
            "DEFAULT of a source's column is not supported", position=definition.position
        )


def limit_source(state: SessionState, statement: AlterSourceRate) -> Done:
    """Have a connector bring so many rows a second from now on.

    Raises:
        PgError: There is no such source or table, it is somebody else's, has no connector, or that
            is no limit.
    """
    kind = Source if statement.kind is ObjectKind.SOURCE else Table
    try:
        limit = rate_limit(state, statement.limit)
    except InvalidParameterValue as e:
        e.position = statement.position
        raise
    commit_on_the_way(state)

    def hand_in(catalog: Catalog) -> None:
        name = statement.name
        if statement.if_exists and find_relation(state, catalog, name) is None:
            state.notice(Notice(f'relation "{name}" does not exist, skipping'))
            return
        held = get_relation(state, catalog, name)
        if not isinstance(held, kind):
            raise wrong_kind(held, kind, "ALTER")
        must_own(state, held)
        assert isinstance(held, Source | Table), held
        if held.connector is None:
            raise WrongObjectType(f'table "{held.name}" has no connector')
        after = replace(held, connector=held.connector.limited(limit))
        state.perform(ChangeCatalog((AlterRelation(held, after),)))

    on_latest(state, hand_in)
    return Done(f"ALTER {statement.kind}")
