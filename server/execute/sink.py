"""CREATE SINK and REPLACE SINK.

What a sink writes goes out of the database, so that there is none here but for the connector
``blackhole``, which forgets all that it is given. Of such a sink nothing could be told from one
that evaluates its query; so it holds on to what it reads, as any sink does, and costs no epoch
anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from barrier.command import ChangeCatalog
from catalog.change import Change, CreateRelation, DropRelations
from catalog.errors import (
    FeatureNotSupported,
    InvalidParameterValue,
    UndefinedColumn,
    UndefinedTable,
)
from catalog.relation import Column, Sink
from catalog.state import Catalog
from server.execute.connector import refuse_secrets
from server.execute.ddl import bound_for_view, is_there_already, result_columns
from server.execute.latest import on_latest
from server.execute.names import find_relation, get_relation, new_lasting_name, wrong_kind
from server.execute.permission import check, must_own
from server.execute.sink_type import APPEND_ONLY, UPSERT, appends_only
from server.execute.streaming import wait_until_created
from server.execute.table_sink import planned_sink
from server.execute.temporary import refuse_in_job
from server.execute.transaction import commit_on_the_way
from server.result import Done
from server.session_state import SessionState
from server.sql import statement as s
from server.version import VERSION_TEXT

_CONNECTOR: Final = "connector"
_BLACKHOLE: Final = "blackhole"
_TYPES: Final = ("append-only", "upsert", "debezium", "retract")
_FLAGS: Final = ("force_append_only", "force_compaction", "ignore_delete", "snapshot")
_KNOWN: Final = frozenset({_CONNECTOR, "type", "primary_key", *_FLAGS})


def create_sink(state: SessionState, statement: s.CreateSink) -> Done:
    """Make a sink, or put one in the place of another.

    Raises:
        PgError: The name is taken, or the query or an option does not make sense.
    """
    commit_on_the_way(state)
    if statement.target is None:
        return on_latest(state, lambda catalog: _create_sink(state, catalog, statement))
    sink = on_latest(state, lambda catalog: planned_sink(state, catalog, statement))
    if sink is not None and not sink.is_background:
        wait_until_created(state, sink)
    return Done("CREATE SINK")


def _create_sink(state: SessionState, catalog: Catalog, statement: s.CreateSink) -> Done:
    tag = Done("REPLACE SINK" if statement.replaces else "CREATE SINK")
    changes: list[Change] = []
    schema, name = new_lasting_name(state, catalog, statement.name)
    if statement.replaces:
        replaced = _replaced(state, catalog, statement)
        schema, name = replaced.schema, replaced.name
        changes.append(DropRelations(frozenset({replaced.oid})))
    elif is_there_already(state, catalog, schema, name, if_not_exists=statement.if_not_exists):
        return tag
    properties = _properties(statement.options)
    bound = bound_for_view(state, catalog, statement.query, statement.start)
    check(state, bound.needs, bound.tree)
    refuse_in_job(catalog, bound.depends_on)
    columns = result_columns(bound, ())
    _check_properties(properties, columns)
    is_appending = appends_only(catalog, bound, properties)
    sink = Sink(
        oid=state.manager.allocate_oid(),
        schema=schema,
        name=name,
        owner=state.user.name,
        columns=columns,
        query=bound.tree.sql(dialect="duckdb"),
        depends_on=bound.depends_on,
        functions=bound.functions,
        definition=statement.text,
        created_ms=state.now_ms(),
        created_by=VERSION_TEXT,
        connector=_BLACKHOLE,
        sink_type=properties.get("type", APPEND_ONLY if is_appending else UPSERT),
        properties=tuple(sorted(properties.items())),
        config=state.settings.job_config,
    )
    based_on = catalog.beneath(sink.depends_on)
    state.perform(ChangeCatalog((*changes, CreateRelation(sink, based_on))))
    return tag


def _replaced(state: SessionState, catalog: Catalog, statement: s.CreateSink) -> Sink:
    if find_relation(state, catalog, statement.name) is None:
        raise UndefinedTable(f'sink "{statement.name.name}" does not exist')
    found = get_relation(state, catalog, statement.name)
    if not isinstance(found, Sink):
        raise wrong_kind(found, Sink, "REPLACE")
    must_own(state, found)
    return found


def _properties(options: tuple[s.Option, ...]) -> dict[str, str]:
    """Return what WITH says by name, in lower case.

    Raises:
        FeatureNotSupported: The sink would write to another system, or something is a secret.
        InvalidParameterValue: There is no connector, or a name is not known or there twice.
    """
    found: dict[str, str] = {}
    refuse_secrets(options)
    for option in options:
        name = option.name.lower()
        if name in found:
            raise InvalidParameterValue(f'Duplicated option: "{name}"', position=option.position)
        found[name] = option.value or ""
    connector = found.get(_CONNECTOR)
    if connector == "table":
        raise FeatureNotSupported("unsupported sink type table", hint="Say CREATE SINK ... INTO.")
    if connector is None:
        raise InvalidParameterValue("missing connector in the WITH clause of CREATE SINK")
    if connector.lower() != _BLACKHOLE:
        raise FeatureNotSupported(
            f'sinks with connector "{connector}" are not supported',
            hint=f'The only connector is "{_BLACKHOLE}".',
        )
    unknown = [option for option in options if option.name.lower() not in _KNOWN]
    if unknown:
        listed = ", ".join(f'"{option.name}"' for option in unknown)
        raise InvalidParameterValue(
            f"unexpected options in WITH clause: [{listed}]", position=unknown[0].position
        )
    return found


def _check_properties(properties: Mapping[str, str], columns: tuple[Column, ...]) -> None:
    kind = properties.get("type")
    if kind is not None and kind not in _TYPES:
        raise InvalidParameterValue(
            f'invalid sink type "{kind}"', hint=f"Available values: {', '.join(_TYPES)}."
        )
    for name in _FLAGS:
        if properties.get(name, "true").lower() not in {"true", "false"}:
            raise InvalidParameterValue(f'option "{name}" must be true or false')
    names = {column.name for column in columns}
    keys = [key.strip() for key in properties.get("primary_key", "").split(",")]
    if "primary_key" in properties and not any(keys):
        raise InvalidParameterValue(
            "Specified primary key should not be empty.",
            hint="To use derived primary key, remove primary_key from WITH options instead.",
        )
    for key in filter(None, keys):
        if key not in names:
            raise UndefinedColumn(f'column "{key}" of "primary_key" does not exist')
