"""CREATE TABLE AS: a table, then an INSERT of the query's rows, which waits while paused."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from sqlglot import exp

from barrier.command import ChangeCatalog
from barrier.ticket import Ticket
from barrier.writes import ORDINAL, TableWrites, WriteSet
from catalog.change import DropRelations
from catalog.errors import FeatureNotSupported, InternalError, NumericOutOfRange, PgError
from catalog.oid import Oid
from catalog.relation import Column, Table
from catalog.state import Catalog
from catalog.types import NUMERIC_PRECISION, NUMERIC_SCALE, PgType, array_of, special_numeric
from catalog.written_numeric import plain_type, stored_type
from server.execute.binding import Binding, Hints, bind
from server.execute.connector import refuse_format
from server.execute.ddl import is_there_already, new_table_name, refuse_options, result_columns
from server.execute.engine_sql import engine_sql
from server.execute.latest import OutdatedError, on_latest, while_outdated
from server.execute.permission import check_type
from server.execute.retention import retention_of, without_retention
from server.execute.storage_parameter import table_parameters
from server.execute.temporary import creation, note_on_commit
from server.execute.transaction import commit_on_the_way, write
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.bind_query import bind_query
from server.sql.bind.result import BoundQuery
from server.sql.casts import converted
from server.sql.fragment import cast
from server.version import VERSION_TEXT


def create_table_as(
    state: SessionState, statement: s.CreateTable, types: Hints, parameters: Sequence[object]
) -> Done:
    """Make a table of a query's rows.

    Args:
        state: The session.
        statement: The statement.
        types: Of the query's parameters.
        parameters: Their values.

    Raises:
        PgError: The name is taken, the query fails, or the wait was ended; no table is left.
    """
    commit_on_the_way(state)
    return while_outdated(state, lambda: _create(state, statement, types, parameters))


def _create(
    state: SessionState,
    statement: s.CreateTable,
    types: Hints,
    parameters: Sequence[object],
    *,
    is_wide: bool = False,
) -> Done:
    made = on_latest(state, lambda catalog: _make_empty(state, catalog, statement, types, is_wide))
    if made is None or not statement.with_data:
        return Done("CREATE TABLE AS")
    table, binding = made
    bound = binding.bound
    try:
        count = _fill(state, table, binding.ready(state), parameters, is_wide=is_wide)
    except (InternalError, OutdatedError):
        _take_back(state, table.oid).wait(state.interrupt)  # It may be made again.
        raise
    except NumericOutOfRange:
        _take_back(state, table.oid).wait(state.interrupt)
        if is_wide or all(_stored(c.type) == _stored(c.type, is_wide=True) for c in bound.columns):
            raise
        state.release_snapshot(is_committed=False)  # The engine does nothing more on it.
        state.transaction.forget_work()
        return _create(state, statement, types, parameters, is_wide=True)
    except PgError:
        gone = _take_back(state, table.oid)
        with suppress(PgError):  # Where the statement's own wait is over, this one is at once.
            gone.wait(state.interrupt, takes_back=False)
        raise
    return Done(f"SELECT {count}")


def _make_empty(
    state: SessionState,
    catalog: Catalog,
    statement: s.CreateTable,
    types: Hints,
    is_wide: bool,  # noqa: FBT001 - as of _stored
) -> tuple[Table, Binding[BoundQuery]] | None:
    """Make the table and bind its query; None when it is there already and that is fine."""
    query = statement.query
    assert query is not None
    refuse_options(statement.options)
    refuse_format(statement.format)
    schema, name = new_table_name(state, catalog, statement)
    if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return None
    binding = bind(
        state, lambda context: bind_query(query, context), offset=statement.start, hints=types
    )
    for column in binding.bound.columns:
        check_type(state, catalog, column.type)
    if statement.with_data:
        if not binding.bound.columns:
            raise FeatureNotSupported("rows of tables without columns are not supported")
        binding.check(state)
    table = Table(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=tuple(
            replace(column, type=_stored(column.type, is_wide=is_wide))
            for column in result_columns(binding.bound, statement.column_names)
        ),
        definition=statement.text,
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        is_append_only=statement.rules.is_append_only,
        storage_parameters=table_parameters(state, without_retention(statement.options)),
        retention_s=retention_of(
            state, statement.options, is_append_only=statement.rules.is_append_only
        ),
        config=state.settings.job_config,
    )
    state.perform(creation(state, catalog, table))
    note_on_commit(state, statement, table)
    return table, binding


def _stored(pg_type: PgType, *, is_wide: bool = False) -> PgType:
    """Return the type of a column for values of a type.

    A table takes other rows later: the scale of ``1.5`` is no limit for them. So a numeric that
    nobody has declared becomes one like those of CREATE TABLE.

    Args:
        pg_type: The type.
        is_wide: Whether values have more digits before the point than these have; then there are
            as many behind it as their bounds allow.
    """
    if pg_type.element is not None:
        return array_of(plain_type(_stored(pg_type.element, is_wide=is_wide)))
    is_settled = pg_type.is_declared or pg_type.carries_scale
    if is_settled or pg_type.precision is None or pg_type.scale is None:
        return pg_type
    whole = pg_type.precision - pg_type.scale
    if pg_type.has_specials or not is_wide:
        whole = NUMERIC_PRECISION - NUMERIC_SCALE
    scale = max(pg_type.scale, min(NUMERIC_SCALE, NUMERIC_PRECISION - whole))
    return stored_type(special_numeric(scale))


def _fill(
    state: SessionState,
    table: Table,
    bound: BoundQuery,
    parameters: Sequence[object],
    *,
    is_wide: bool,
) -> int:
    state.wait_until_running()
    sql, values = engine_sql(bound.tree, parameters)
    name = state.manager.allocate_name()
    given = result_columns(bound, ())
    wanted = [_stored(column.type, is_wide=is_wide) for column in given]
    if wanted != [column.type for column in table.columns]:
        raise OutdatedError  # A relation was altered after the table had been made.
    columns = ", ".join(
        f"{_stored_value(column, source)} AS {column.storage_name}"
        for column, source in zip(table.columns, given, strict=True)
    )
    reader = state.reader
    with state.interruptible():
        count = reader.run(
            f"CREATE TABLE {name} AS SELECT {columns}, row_number() OVER () AS {ORDINAL} "
            f"FROM ({sql}) AS q",
            values,
        )
    # In a block the worker sees the rows only when the snapshot is let go; a fresh one follows.
    state.release_snapshot(is_committed=True)
    state.transaction.forget_work()
    if count:
        writes = TableWrites(table.oid, new=name, rows=count, ordinals=count, layout=table.layout)
        write(state, WriteSet((writes,), staging=(name,)))
    else:
        state.drop_staging([name])
    return count


def _stored_value(column: Column, source: Column) -> str:
    value = converted(exp.column(column.storage_name), source.type, column.type)
    return cast(value, column.type.duckdb).sql("duckdb")


def _take_back(state: SessionState, oid: Oid) -> Ticket:
    """Drop the table again."""
    return state.worker.submit(ChangeCatalog((DropRelations(frozenset({oid})),)))
