"""CREATE SINK ... INTO a table: a query whose result is kept in a table of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlglot import exp

from catalog.acl import Privilege
from catalog.dependence import feeding
from catalog.errors import (
    DatatypeMismatch,
    DuplicateColumn,
    FeatureNotSupported,
    InvalidParameterValue,
    InvalidTableDefinition,
    SqlSyntaxError,
    UndefinedColumn,
    WrongObjectType,
)
from catalog.oid import Oid
from catalog.relation import Column, Sink, Table
from catalog.state import Catalog
from server.execute.connector import refuse_secrets
from server.execute.ddl import bound_for_view, is_there_already
from server.execute.names import get_relation, new_lasting_name
from server.execute.permission import check
from server.execute.sink_type import APPEND_ONLY, UPSERT, appends_only, ignores_delete
from server.execute.source_reader import with_readers
from server.execute.streaming import create_job, refuse_batch_refresh_upstream
from server.execute.temporary import refuse_in_job
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.needs import Needs
from server.sql.bind.result import BoundQuery
from server.sql.coercion import Coercion, can_coerce, coerce
from server.sql.typed import Typed
from server.version import VERSION_TEXT

_TYPES: Final = (APPEND_ONLY, UPSERT)
_FLAGS: Final = ("force_append_only", "ignore_delete", "snapshot")

_ONLY_APPENDED: Final = (
    "Only append-only sinks can sink to a table without primary keys. Please try to add "
    "type = 'append-only' in the with option. e.g. create sink s into t as select * from t1 with "
    "(type = 'append-only')"
)


def planned_sink(state: SessionState, catalog: Catalog, statement: s.CreateSink) -> Sink | None:
    """Have a sink into a table created; None when it is there already and that is fine.

    Raises:
        PgError: The name is taken, or the query, the table or an option does not make sense.
    """
    assert statement.target is not None, statement
    if statement.replaces:
        raise FeatureNotSupported("REPLACE SINK into a table is not supported")
    schema, name = new_lasting_name(state, catalog, statement.name)
    if is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return None
    table = _target(state, catalog, statement)
    options = _options(statement)
    bound = bound_for_view(state, catalog, statement.query, statement.start, is_streaming=True)
    check(state, bound.needs, bound.tree)
    refuse_in_job(catalog, bound.depends_on)
    refuse_batch_refresh_upstream(catalog, bound.depends_on)
    _refuse_circle(catalog, bound.depends_on, table.oid)
    columns = _columns(table, statement, bound)
    is_appending = _is_appending(catalog, table, columns, options, bound)
    tree, readers = with_readers(state, catalog, replace(bound, tree=_fitted(bound, columns)))
    sink = Sink(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=tuple(
            Column(column.name, target.type, number)
            for number, (column, target) in enumerate(zip(bound.columns, columns, strict=True), 1)
        ),
        query=tree.sql(dialect="duckdb"),
        depends_on=bound.depends_on,
        functions=bound.functions,
        definition=statement.text,
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        is_background=state.settings.is_on("background_ddl"),
        time_zone=state.settings.time_zone,
        readers=readers,
        connector="table",
        sink_type=APPEND_ONLY if is_appending else UPSERT,
        properties=tuple(sorted(options.items())),
        target=table.oid,
        target_columns=tuple(column.number for column in columns),
        is_appending=is_appending,
        ignores_delete=ignores_delete(options),
        skips_snapshot=options.get("snapshot") == "false",
        config=state.settings.job_config,
    )
    create_job(state, catalog, sink, also=(table,), in_barrier=sink.skips_snapshot)
    return sink


def _target(state: SessionState, catalog: Catalog, statement: s.CreateSink) -> Table:
    assert statement.target is not None, statement
    table = get_relation(state, catalog, statement.target)
    position = statement.target.position
    if not isinstance(table, Table):
        raise WrongObjectType(f'"{table.name}" is not a table', position=position)
    needs = Needs()
    needs.add(table.oid, Privilege.INSERT | Privilege.UPDATE | Privilege.DELETE)
    check(state, needs)
    refuse_in_job(catalog, frozenset({table.oid}))
    if table.binds_rows or catalog.referring(table.oid):
        raise FeatureNotSupported(
            f'sinks into table "{table.name}" are not supported',
            detail="UNIQUE or FOREIGN KEY constraints bind its rows to others.",
            position=position,
        )
    return table


def _options(statement: s.CreateSink) -> dict[str, str]:
    found: dict[str, str] = {}
    refuse_secrets(statement.options)
    for option in statement.options:
        name, value = option.name.lower(), (option.value or "").lower()
        if name in found:
            raise InvalidParameterValue(f'Duplicated option: "{name}"', position=option.position)
        if name == "type" and value not in _TYPES:
            raise InvalidParameterValue(
                f'invalid type "{value}" of a sink into a table',
                hint=f"Available values: {', '.join(_TYPES)}.",
                position=option.position,
            )
        if name in _FLAGS and value not in {"true", "false"}:
            raise InvalidParameterValue(f'option "{name}" must be true or false')
        if name not in {"type", *_FLAGS}:
            raise InvalidParameterValue(
                f'unexpected options in WITH clause: ["{option.name}"]', position=option.position
            )
        found[name] = value
    return found


def _refuse_circle(catalog: Catalog, reads: frozenset[Oid], target: Oid) -> None:
    """Refuse a sink into what it reads, through views, jobs and other sinks.

    Raises:
        InvalidTableDefinition: It would write what it then reads.
    """
    fed = feeding(catalog.relations)
    pending, seen = set(reads), set[Oid]()
    while pending:
        oid = pending.pop()
        seen.add(oid)
        relation = catalog.relations[oid]
        pending |= fed.get(oid, set()) if isinstance(relation, Table) else relation.depends_on
        pending -= seen
    if target in seen:
        raise InvalidTableDefinition("Creating such a sink will result in circular dependency.")


def _columns(table: Table, statement: s.CreateSink, bound: BoundQuery) -> list[Column]:
    """Return the table's columns that the query's are for."""
    by_name = {column.name: column for column in table.columns}
    found: list[Column] = []
    for named in statement.target_columns:
        column = by_name.get(named.name)
        if column is None:
            raise UndefinedColumn(
                f'column "{named.name}" of relation "{table.name}" does not exist',
                position=named.position,
            )
        if column in found:
            raise DuplicateColumn(
                f'column "{named.name}" specified more than once', position=named.position
            )
        found.append(column)
    width = len(bound.columns)
    if found and len(found) != width:
        which = "more target columns than expressions"
        if len(found) < width:
            which = "more expressions than target columns"
        raise SqlSyntaxError(f"the sink has {which}")
    found = found or [c for c in table.columns if c.generated is None][:width]
    if len(found) < width:
        raise SqlSyntaxError("the sink has more expressions than target columns")
    if any(column.generated is not None for column in found):
        raise InvalidTableDefinition("a sink cannot write to generated columns")
    missing = [c for c in table.columns if c not in found and c.default and "nextval" in c.default]
    if missing:
        raise FeatureNotSupported(
            f'column "{missing[0].name}" needs a value: sinks take no numbers from sequences'
        )
    return found


def _is_appending(
    catalog: Catalog,
    table: Table,
    columns: Sequence[Column],
    options: dict[str, str],
    bound: BoundQuery,
) -> bool:
    """Return whether a sink only appends; errors in the words of RisingWave."""
    is_appending = appends_only(catalog, bound, options)
    has_key = {column.number for column in columns}.issuperset(table.primary_key)
    if not table.primary_key or table.is_append_only:
        if not is_appending:
            raise InvalidTableDefinition(_ONLY_APPENDED)
    elif "type" not in options:
        is_appending = False  # Rows of the table's own keys come and go in any case.
    if is_appending and not has_key:
        raise InvalidTableDefinition(
            "the primary key of the table must be included in the sink result"
        )
    if not has_key:
        raise InvalidTableDefinition(
            "When using non append only sink into table, the primary key of the table must be "
            "included in the sink result."
        )
    return is_appending


def _fitted(bound: BoundQuery, columns: Sequence[Column]) -> exp.Expr:
    """Return a query with its columns as values of the table's types.

    Raises:
        DatatypeMismatch: No assignment does that.
    """
    pairs = list(zip(bound.columns, columns, strict=True))
    if all(given.type == column.type for given, column in pairs):
        return bound.tree
    shown: list[exp.Expr] = []
    for place, (given, column) in enumerate(pairs, 1):
        if not can_coerce(given.type, column.type, Coercion.ASSIGNMENT):
            raise DatatypeMismatch(
                f'column "{column.name}" is of type {column.type.sql_name} but expression is of '
                f"type {given.type.sql_name}",
                hint="You will need to rewrite or cast the expression.",
            )
        read = Typed(exp.column(f"c{place}", table="sunk"), given.type)
        value = coerce(read, column.type, Coercion.ASSIGNMENT).tree
        shown.append(exp.alias_(value, f"c{place}"))
    inner = exp.Subquery(
        this=bound.tree.copy(), alias=exp.TableAlias(this=exp.to_identifier("sunk"))
    )
    return exp.select(*shown).from_(inner)
