"""CREATE TABLE, CREATE VIEW, CREATE SCHEMA and ALTER ... RENAME.

Names come first: what is there already, IF NOT EXISTS, duplicates. What is created takes effect at
once, also inside a transaction block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from barrier.command import ChangeCatalog
from catalog import types
from catalog.change import CreateSchema, RenameRelation
from catalog.collation import find_collation, refuse_collation
from catalog.definition import definition_of
from catalog.errors import (
    DuplicateColumn,
    DuplicateSchema,
    DuplicateTable,
    FeatureNotSupported,
    InvalidTableDefinition,
    Notice,
    SqlSyntaxError,
)
from catalog.relation import (
    Column,
    MaterializedView,
    Schema,
    Sink,
    Source,
    Subscription,
    Table,
    View,
)
from catalog.sqlstate import SqlState
from catalog.state import Catalog
from catalog.types import UNKNOWN, PgType
from catalog.written_numeric import stored_type
from server.execute.compared_column import compared, compared_names
from server.execute.connector import (
    check_connector,
    connector_of,
    has_connector,
    refuse_format,
    refuse_secrets,
)
from server.execute.latest import on_latest
from server.execute.names import (
    check_column_name,
    check_schema_name,
    find_relation,
    get_relation,
    new_name,
    wrong_kind,
)
from server.execute.numbered_columns import SERIALS, numbered, shown_default
from server.execute.permission import (
    check_create_in,
    check_create_in_database,
    check_type,
    must_be_member,
    must_own,
)
from server.execute.retention import retention_of, without_retention
from server.execute.role_name import role_of
from server.execute.storage_parameter import is_storage_parameter, table_parameters
from server.execute.table_keys import with_keys, with_references
from server.execute.table_like import finished, written_out
from server.execute.table_rules import with_expressions, with_rules
from server.execute.temporary import creation, note_on_commit
from server.execute.transaction import commit_on_the_way
from server.execute.watermark import with_watermark
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.bind_query import bind_query
from server.sql.bind.default import bind_default
from server.sql.bind.result import BoundQuery
from server.sql.bind.type_text import type_of_text
from server.sql.clause import WrittenCollation
from server.sql.streaming_statement import CreateSource
from server.version import VERSION_TEXT

_KINDS: dict[s.ObjectKind, type] = {
    s.ObjectKind.TABLE: Table,
    s.ObjectKind.VIEW: View,
    s.ObjectKind.MATERIALIZED_VIEW: MaterializedView,
    s.ObjectKind.SINK: Sink,
    s.ObjectKind.SUBSCRIPTION: Subscription,
    s.ObjectKind.SOURCE: Source,
}


def kind_of(kind: s.ObjectKind) -> type:
    """Return the class of relations that DROP and its like name by a kind.

    Raises:
        FeatureNotSupported: There are none of that kind here.
    """
    if kind not in _KINDS:
        raise FeatureNotSupported(f"{kind.lower()}s are not supported")
    return _KINDS[kind]


def create_table(state: SessionState, statement: s.CreateTable) -> Done:
    """Make an empty table.

    Raises:
        PgError: The name is taken, or its definition does not make sense.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _create_table(state, catalog, statement))


def has_nothing_to_make(state: SessionState, statement: s.CreateTable) -> bool:
    """Whether the table is there and that is fine, where RisingWave asks this before all else."""
    if not state.settings.is_peer or not statement.if_not_exists:
        return False
    catalog = state.catalog()
    schema, name = new_table_name(state, catalog, statement)
    return is_there_already(state, catalog, schema, name, if_not_exists=True)


def _create_table(state: SessionState, catalog: Catalog, statement: s.CreateTable) -> Done:
    schema, name = new_table_name(state, catalog, statement)
    if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return Done("CREATE TABLE")
    table = described_table(state, catalog, statement)
    columns = written_out(state, catalog, statement).statement.columns
    table, sequences = numbered(state, catalog, table, columns)
    if statement.likes:
        table = replace(table, definition=definition_of(table))
    state.perform(creation(state, catalog, table, sequences=sequences))
    note_on_commit(state, statement, table)
    return Done("CREATE TABLE")


def described_table(state: SessionState, catalog: Catalog, statement: s.CreateTable) -> Table:
    """Return the table that a statement without a query would make.

    Raises:
        PgError: Its definition does not make sense.
    """
    schema, name = new_table_name(state, catalog, statement)
    likeness = written_out(state, catalog, statement)
    statement = likeness.statement
    names = compared_names(statement)
    is_fed = has_connector(statement.options)
    columns = tuple(
        compared(column) if is_fed or column.name in names else column
        for column in columns_of(state, catalog, statement)
    )
    connector = None
    if is_fed:
        connector = connector_of(
            state, catalog, statement.options, statement.format, statement.encode
        )
    else:
        refuse_options(without_retention(statement.options))
        refuse_format(statement.format)
    others = () if connector else without_retention(statement.options)
    parameters = table_parameters(state, others)
    is_append_only = statement.rules.is_append_only
    retention_s = None
    if connector is None:
        retention_s = retention_of(state, statement.options, is_append_only=is_append_only)
    plain = Table(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=columns,
        definition=statement.text,
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        storage_parameters=parameters,
        retention_s=retention_s,
        connector=connector,
        config=state.settings.job_config,
    )
    context = state.bind_context(catalog, offset=statement.start).context
    keyed = with_keys(state, catalog, plain, statement.keys)
    checked = with_rules(with_expressions(keyed, statement, context), statement.rules)
    checked = with_watermark(checked, statement.watermark, context)
    referring = with_references(state, catalog, checked, statement.references)
    if connector is not None:
        check_connector(state, catalog, referring)
    if not likeness.has_more:
        return referring
    return finished(state, catalog, referring, likeness, context)


def new_table_name(
    state: SessionState, catalog: Catalog, statement: s.CreateTable
) -> tuple[str, str]:
    """Return the schema and name of the table that a statement would make.

    Raises:
        InvalidTableDefinition: ON COMMIT is said of a table that stays.
        PgError: There can be none of that name there.
    """
    is_temporary = statement.is_temporary
    # PostgreSQL says where the name stands, unless the table is of a query.
    is_table = statement.query is None
    schema, name = new_name(
        state, catalog, statement.name, is_table=is_table, is_temporary=is_temporary
    )
    if statement.on_commit and schema != state.temporary_schema:
        raise InvalidTableDefinition("ON COMMIT can only be used on temporary tables")
    return schema, name


def create_schema(state: SessionState, statement: s.CreateSchema) -> Done:
    """Make a schema.

    Raises:
        PgError: The name is taken or kept for the system.
    """
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _create_schema(state, catalog, statement))


def _create_schema(state: SessionState, catalog: Catalog, statement: s.CreateSchema) -> Done:
    owner = state.user if statement.owner is None else role_of(state, statement.owner)
    name = owner.name if statement.name is None else statement.name
    check_create_in_database(state)
    must_be_member(state, owner)
    check_schema_name(name)
    if name in catalog.schemas:
        if not statement.if_not_exists:
            raise DuplicateSchema(f'schema "{name}" already exists')
        state.notice(
            Notice(f'schema "{name}" already exists, skipping', sqlstate=SqlState.DUPLICATE_SCHEMA)
        )
        return Done("CREATE SCHEMA")
    schema = Schema(state.manager.allocate_oid(), name, owner.name)
    state.perform(ChangeCatalog((CreateSchema(schema),)))
    return Done("CREATE SCHEMA")


def rename(state: SessionState, statement: s.AlterRename) -> Done:
    """Give a relation another name in its schema.

    Raises:
        PgError: It does not exist, is of another kind, or the name is taken.
    """
    kind = kind_of(statement.kind)
    commit_on_the_way(state)
    return on_latest(state, lambda catalog: _rename(state, catalog, statement, kind))


def _rename(state: SessionState, catalog: Catalog, statement: s.AlterRename, kind: type) -> Done:
    tag = Done(f"ALTER {statement.kind}")
    if statement.if_exists and find_relation(state, catalog, statement.name) is None:
        state.notice(Notice(f'relation "{statement.name}" does not exist, skipping'))
        return tag
    relation = get_relation(state, catalog, replace(statement.name, position=None))
    # ALTER TABLE renames views too.
    if kind is not Table and not isinstance(relation, kind):
        raise wrong_kind(relation, kind, "ALTER")
    must_own(state, relation)
    check_create_in(state, catalog.schemas[relation.schema])
    if statement.new_name == relation.name:
        raise DuplicateTable(f'relation "{relation.name}" already exists')
    state.perform(ChangeCatalog((RenameRelation(relation.oid, statement.new_name),)))
    return tag


def is_there_already(
    state: SessionState, catalog: Catalog, schema: str, name: str, *, if_not_exists: bool
) -> bool:
    """Whether a relation is there and that is fine; the user is told.

    Raises:
        DuplicateTable: It is there and that is not fine.
    """
    if not catalog.is_taken(schema, name):
        return False
    if not if_not_exists:
        raise DuplicateTable.named(name)
    state.notice(
        Notice(f'relation "{name}" already exists, skipping', sqlstate=SqlState.DUPLICATE_TABLE)
    )
    return True


#: What gives another result each time, and what it is called; now() is the epoch's time in views.
_VOLATILE: Final[dict[type[exp.Expr], str]] = {
    exp.Rand: "random()",
    exp.Uuid: "gen_random_uuid()",
    exp.CurrentTimestamp: "the time of day",
    exp.CurrentDate: "the current date",
}


def bound_for_view(
    state: SessionState,
    catalog: Catalog,
    query: exp.Expr,
    offset: int,
    *,
    is_streaming: bool = False,
    names_views: bool = False,
) -> BoundQuery:
    """Bind the query of a view; other views in it are put in, or named.

    Raises:
        PgError: It does not make sense, or reads what changes without the database's doing.
    """
    context = state.bind_context(catalog, offset=offset, is_streaming=is_streaming)
    bound = bind_query(query, replace(context.context, names_views=names_views, reads_sources=True))
    if context.has_read_elsewhere:
        raise FeatureNotSupported(
            "views over relations of other databases are not supported",
            hint="A materialized view follows them where they are subscribed to.",
        )
    if context.has_read_system:
        raise FeatureNotSupported("views over system catalogs are not supported")
    if bound.parameters:
        raise FeatureNotSupported("parameters are not supported in the query of a view")
    for column in bound.columns:
        check_type(state, catalog, column.type)
    if is_streaming:
        _refuse_volatile(bound.tree)
    return bound


def _refuse_volatile(tree: exp.Expr) -> None:
    """Refuse a query that no contents can be equal to.

    Raises:
        FeatureNotSupported: It gives another answer each time.
    """
    for node in tree.walk():
        name = _VOLATILE.get(type(node))
        if isinstance(node, exp.Anonymous) and node.name.upper() in {"NOW", "TG_CLOCK"}:
            name = _VOLATILE[exp.CurrentTimestamp]
        if name is not None:
            raise FeatureNotSupported(
                f"{name} cannot be used in a materialized view",
                detail="It is another each time it is asked for,"
                " so no stored rows could equal the query.",
                hint="In a materialized view now() is the time of the epoch.",
            )


def result_columns(
    bound: BoundQuery, names: Sequence[s.ColumnName], *, may_repeat: bool = False
) -> tuple[Column, ...]:
    """Return the columns of a view or of CREATE TABLE AS.

    Args:
        bound: Its query.
        names: For its first columns.
        may_repeat: Whether columns may have one name, so that none of them can be named.

    Raises:
        PgError: There are too many names, or one is used twice or may not be used.
    """
    if len(names) > len(bound.columns):
        raise SqlSyntaxError(
            "too many column names were specified", position=names[len(bound.columns)].position
        )
    given = [*((n.name, n.position) for n in names)]
    given += [(column.name, None) for column in bound.columns[len(names) :]]
    if not may_repeat:
        _check_names(given)
    return tuple(
        Column(name, types.TEXT if column.type == UNKNOWN else column.type, number)
        for number, ((name, _), column) in enumerate(zip(given, bound.columns, strict=True), 1)
    )


def refuse_options(options: Sequence[s.Option]) -> None:
    """Refuse what says more of a table than how PostgreSQL would store it.

    Raises:
        FeatureNotSupported: There is something of the kind.
    """
    refuse_secrets(options)
    other = next((o for o in without_retention(options) if not is_storage_parameter(o)), None)
    if other is not None:
        raise FeatureNotSupported(
            f'option "{other.name}" of CREATE TABLE is not supported', position=other.position
        )


def columns_of(
    state: SessionState, catalog: Catalog, statement: s.CreateTable | CreateSource
) -> tuple[Column, ...]:
    """Return the columns that a statement makes, those that are generated as if they were not.

    Raises:
        PgError: They make no sense.
    """
    _check_names([(column.name, column.position) for column in statement.columns])
    return tuple(
        made_column(state, catalog, definition, number, offset=statement.start)
        for number, definition in enumerate(statement.columns, 1)
    )


def made_column(
    state: SessionState,
    catalog: Catalog,
    definition: s.ColumnDefinition,
    number: int,
    *,
    offset: int,
) -> Column:
    """Return the column that a definition makes.

    Args:
        state: The session.
        catalog: What names are looked up in.
        definition: The column as it is written.
        number: Its attnum.
        offset: Where the statement begins in the client's string.

    Raises:
        PgError: There is no such type, or the default does not fit it.
    """
    context = state.bind_context(catalog, offset=offset).context
    copied = definition.copied
    pg_type = copied.type if copied is not None else SERIALS.get(definition.type)
    pg_type = pg_type or type_of_text(
        definition.type, context.find_type, position=definition.type_position
    )
    if pg_type.category in ("P", "X") and not pg_type.is_row:
        raise InvalidTableDefinition(
            f'column "{definition.name}" has pseudo-type {pg_type.sql_name}',
            position=definition.position,
        )
    check_type(state, catalog, pg_type)
    if copied is None:
        pg_type = stored_type(pg_type)
    collation = "" if copied is None else copied.collation
    if definition.collation is not None:
        collation = collation_of(definition.collation, pg_type)
    default = None
    if definition.default is not None:
        default = bind_default(definition.default, pg_type, context, column=definition.name)
    return Column(
        definition.name,
        pg_type,
        number,
        is_nullable=not definition.is_not_null,
        default=default,
        default_source=shown_default(definition.default_text),
        collation=collation,
    )


def collation_of(written: WrittenCollation, pg_type: PgType) -> str:
    """Return the collation of a column of a type.

    Raises:
        UndefinedObject: There is no such collation.
        DatatypeMismatch: The type has none.
    """
    found = find_collation(written.name, position=written.position)
    refuse_collation(pg_type, position=written.position)
    return found.name


def _check_names(names: Sequence[tuple[str, int | None]]) -> None:
    seen: set[str] = set()
    for name, position in names:
        check_column_name(name, position=position)
        if name in seen:
            raise DuplicateColumn(f'column "{name}" specified more than once')
        seen.add(name)
