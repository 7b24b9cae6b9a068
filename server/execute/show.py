"""SHOW and DESCRIBE: short lists for people; titles and shapes are RisingWave's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from catalog.definition import definition_of as definition_of_table
from catalog.definition import (
    index_key,
    index_to_peers,
    quoted_name,
    reference_definition,
    source_definition,
    subscription_definition,
    type_in_show,
    type_to_peers,
)
from catalog.errors import FeatureNotSupported, UndefinedSchema, UndefinedTable
from catalog.function import definition_of, result_text
from catalog.parameters import parameter_rows
from catalog.relation import (
    ROW_ID,
    MaterializedView,
    Relation,
    Rowless,
    Sink,
    Source,
    Subscription,
    Table,
    View,
)
from catalog.roles import READ_ALL_STATS, may_see
from catalog.secret import may_use
from catalog.state import Catalog
from catalog.system.registry import find_system_relation
from catalog.system.relation import SystemRelation
from catalog.system.snapshot import HIDDEN_QUERY
from catalog.system.snapshot import SessionState as Listed
from catalog.types import INT8
from server.execute.change_cursor import show_cursors as show_change_cursors
from server.execute.function import find_function
from server.execute.index import find_index
from server.execute.names import find_relation, get_relation, wrong_kind_to_show
from server.read_rights import denied
from server.result import PythonRows, text_columns
from server.session_state import SessionState
from server.sql import statement as s
from server.sql.bind.result import OutputColumn
from server.sql.function_statement import FunctionName
from server.sql.spelling import is_from_query, peers_spelling
from server.sql.statement import QualifiedName

#: What a list of relations holds, by the words after SHOW. What does not exist here is empty.
RELATION_LISTS: Final[dict[str, type | None]] = {
    "TABLES": Table,
    "VIEWS": View,
    "MATERIALIZED VIEWS": MaterializedView,
    "SOURCES": Source,
    "SINKS": Sink,
    "SUBSCRIPTIONS": Subscription,
    "CONNECTIONS": None,
    "INTERNAL TABLES": None,
}


def show_parameter(state: SessionState, name: str) -> PythonRows:
    """Show one parameter, of the session or of the server.

    Raises:
        UndefinedObject: There is no such parameter.
    """
    if (system := state.manager.parameters().get(name.lower())) is not None:
        return PythonRows(text_columns(name.lower()), [(system,)])
    value = state.settings.show(name)
    follows_peer = state.settings.is_peer or state.settings.is_peers_own(name)
    if follows_peer and state.settings.is_boolean(name):
        value = "true" if value == "on" else "false"
    return PythonRows(text_columns(state.settings.title(name)), [(value,)])


ALL_COLUMNS: Final = text_columns("name", "setting", "description")


def show_all(state: SessionState) -> PythonRows:
    """Show every parameter, of the session and of the server."""
    system = [row[:3] for row in parameter_rows(state.manager.parameters())]
    rows = sorted([*state.settings.rows(), *system], key=_by_name)
    return PythonRows(ALL_COLUMNS, rows)


def _by_name(row: tuple[str, str, str]) -> str:
    return row[0].lower()


PARAMETER_COLUMNS: Final = text_columns("Name", "Value", "Description", "Mutable")


def show_system_parameters(state: SessionState) -> PythonRows:
    """Show every system parameter."""
    rows = [
        (name, value, description, "t" if is_mutable else "f")
        for name, value, description, is_mutable in parameter_rows(state.manager.parameters())
    ]
    return PythonRows(PARAMETER_COLUMNS, rows)


NAME_COLUMNS: Final = text_columns("Name")
SUBSCRIPTION_COLUMNS: Final = (*NAME_COLUMNS, OutputColumn("Retention Seconds", INT8))


def show_relations(
    state: SessionState, what: str, schema: str | None, pattern: Pattern | None
) -> PythonRows:
    """Show the relations of one kind in a schema, or in those of the search path.

    The pattern is one of their own names. A session that follows RisingWave's habits is shown them
    with their schemas, as its later versions do.

    Raises:
        UndefinedSchema: There is no such schema.
    """
    catalog = state.catalog()
    kind = RELATION_LISTS[what]
    with_schema = state.settings.is_peer
    found = [
        relation
        for searched in _searched(state, catalog, schema)
        for relation in catalog.in_schema(searched)
        if kind is not None and isinstance(relation, kind) and may_see(state.access, relation)
        if pattern is None or pattern.matches(relation.name)
    ]
    rows: list[tuple[object, ...]] = [
        (f"{relation.schema}.{relation.name}" if with_schema else relation.name,)
        for relation in found
    ]
    if kind is not Subscription:
        return PythonRows(NAME_COLUMNS, rows)
    lengths = (r.retention_ms // 1000 for r in found if isinstance(r, Subscription))
    return PythonRows(
        SUBSCRIPTION_COLUMNS, [(*row, kept) for row, kept in zip(rows, lengths, strict=True)]
    )


FUNCTION_COLUMNS: Final = text_columns("Name", "Arguments", "Return Type", "Language", "Link")


def show_functions(state: SessionState, schema: str | None, pattern: Pattern | None) -> PythonRows:
    """Show the functions that users have made in a schema, or in those of the search path.

    Raises:
        UndefinedSchema: There is no such schema.
    """
    catalog = state.catalog()
    rows = [
        (
            function.name,
            ", ".join(pg_type.display() for pg_type in function.types),
            result_text(function),
            "sql",
            None,
        )
        for searched in _searched(state, catalog, schema)
        for function in sorted(catalog.functions_in(searched), key=lambda f: (f.name, f.oid))
        if pattern is None or pattern.matches(function.name)
    ]
    return PythonRows(FUNCTION_COLUMNS, rows)


def show_secrets(state: SessionState, schema: str | None, pattern: Pattern | None) -> PythonRows:
    """Show the secrets that the user may use, in a schema or in those of the search path.

    Raises:
        UndefinedSchema: There is no such schema.
    """
    catalog = state.catalog()
    with_schema = state.settings.is_peer
    rows = [
        (f"{secret.schema}.{secret.name}" if with_schema else secret.name,)
        for searched in _searched(state, catalog, schema)
        for secret in sorted(catalog.secrets.values(), key=lambda s: s.name)
        if secret.schema == searched and may_use(state.access, secret)
        if pattern is None or pattern.matches(secret.name)
    ]
    return PythonRows(NAME_COLUMNS, rows)


def _searched(state: SessionState, catalog: Catalog, schema: str | None) -> Sequence[str]:
    if schema is None:
        return state.search_path(catalog)
    if schema not in catalog.schemas:
        raise UndefinedSchema.named(schema)
    return (schema,)


def show_objects(state: SessionState, statement: s.ShowObjects) -> PythonRows:
    """Show what there is of one kind.

    Raises:
        PgError: There is no such schema, or such a list is not kept.
    """
    pattern = None
    if statement.pattern is not None:
        pattern = Pattern(statement.pattern, is_case_sensitive=not statement.is_case_insensitive)
    match statement.kind:
        case kind if kind in RELATION_LISTS:
            return show_relations(state, kind, statement.schema, pattern)
        case "SECRETS":
            return show_secrets(state, statement.schema, pattern)
        case "FUNCTIONS":
            return show_functions(state, statement.schema, pattern)
        case "DATABASES":
            return _names([database.name for database in state.manager.databases()], pattern)
        case "SCHEMAS":
            return _names(sorted(state.catalog().schemas), pattern)
        case "USERS":
            return _names([user.name for user in state.manager.users()], pattern)
        case "SUBSCRIPTION CURSORS":
            return show_change_cursors(state)
        case "CURSORS":
            return _names(sorted(state.cursors), pattern)
        case "JOBS":
            return show_jobs(state)
        case "PARAMETERS":
            return show_system_parameters(state)
        case "PROCESSLIST":
            return show_processes(state)
        case kind:
            raise FeatureNotSupported(f"SHOW {kind} is not supported")


JOB_COLUMNS: Final = text_columns("Id", "Statement", "Create Type", "Progress")


def show_jobs(state: SessionState) -> PythonRows:
    """Show the streaming jobs that are not created yet."""
    rows = [
        (
            str(job.oid),
            job.statement,
            "BACKGROUND" if job.is_background else "FOREGROUND",
            job.progress,
        )
        for job in state.worker.jobs()
    ]
    return PythonRows(JOB_COLUMNS, rows)


CREATE_COLUMNS: Final = text_columns("Name", "Create Sql")


def show_create(state: SessionState, kind: type, qualified: QualifiedName) -> PythonRows:
    """Show the statement that creates a relation, as RisingWave spells it; text stays text.

    A table's is that of the table as it is now; with ``disable_purify_definition``, of what its
    own statement said of columns, which is nothing if they are those of a query.

    Raises:
        UndefinedTable: There is no such relation.
        InsufficientPrivilege: The user may do nothing with it.
        WrongObjectType: It is of another kind.
    """
    catalog = state.catalog()
    relation = _seen(state, catalog, qualified)
    if not isinstance(relation, kind):
        raise wrong_kind_to_show(relation, kind)
    name = f"{relation.schema}.{relation.name}"
    spelled = type_to_peers if state.settings.is_peer else type_in_show
    if isinstance(relation, Source):
        definition = source_definition(relation, spelled)
    elif isinstance(relation, Subscription):
        definition = subscription_definition(relation, catalog.relations[relation.source])
    elif not isinstance(relation, Table):
        definition = peers_spelling(relation.definition)
    else:
        shown = relation
        if state.settings.is_on("disable_purify_definition") and is_from_query(relation.definition):
            shown = replace(relation, columns=(), primary_key=(), foreign_keys=())
        definition = definition_of_table(shown, _references(catalog, shown), spelled)
    return PythonRows(CREATE_COLUMNS, [(name, definition)])


def _references(catalog: Catalog, table: Table) -> list[str]:
    """Return the foreign keys of a table as they are written."""
    targets = [catalog.table(key.target) for key in table.foreign_keys]
    return [
        reference_definition(table, key, target, quoted_name(target))
        for key, target in zip(table.foreign_keys, targets, strict=True)
    ]


def _seen(state: SessionState, catalog: Catalog, name: QualifiedName) -> Relation:
    """Return a relation of which the user may know more than its name.

    Raises:
        UndefinedTable: There is no such relation.
        InsufficientPrivilege: He may do nothing with it.
    """
    relation = get_relation(state, catalog, name)
    if not may_see(state.access, relation):
        raise denied(relation)
    return relation


DESCRIBE_COLUMNS: Final = text_columns("Name", "Type", "Is Hidden", "Description")


def describe(state: SessionState, qualified: QualifiedName, *, has_summary: bool) -> PythonRows:
    """Show the columns of a relation, and of DESCRIBE its key and description too.

    Raises:
        UndefinedTable: There is no such relation.
    """
    catalog = state.catalog()
    system = _system_relation(state, qualified)
    rows: list[tuple[str, str, str | None, str | None]]
    if system is not None:
        rows = [(column.name, column.type.display(), "false", None) for column in system.columns]
        if has_summary:
            rows.append(("table description", system.name, None, None))
        return PythonRows(DESCRIBE_COLUMNS, rows)
    relation = _seen(state, catalog, qualified)
    rows = [*_column_rows(relation)]
    if has_summary:
        rows.extend(_summary(relation))
    return PythonRows(DESCRIBE_COLUMNS, rows)


INDEX_COLUMNS: Final = text_columns("Name", "On", "Key", "Include", "Distributed By")


def show_indexes(state: SessionState, qualified: QualifiedName) -> PythonRows:
    """Show the indexes of a table: its primary key is none of them.

    Raises:
        UndefinedTable: There is no such relation.
    """
    relation = _seen(state, state.catalog(), qualified)
    if isinstance(relation, View | Rowless | Source):
        return PythonRows(INDEX_COLUMNS, [])
    names = {column.number: column.name for column in relation.columns}
    rows = [
        (
            index.name,
            relation.name,
            ", ".join(index_key(relation, key) for key in index.keys),
            ", ".join(names[number] for number in index.include),
            None,
        )
        for index in relation.indexes
    ]
    return PythonRows(INDEX_COLUMNS, rows)


def show_create_index(state: SessionState, name: QualifiedName) -> PythonRows:
    """Show the statement that creates an index.

    Raises:
        UndefinedTable: There is no such index.
    """
    found = find_index(state, state.catalog(), name)
    if found is None:
        raise UndefinedTable(f'index "{name.name}" does not exist', position=name.position)
    relation, index = found
    shown = (f"{relation.schema}.{index.name}", index_to_peers(relation, index))
    return PythonRows(CREATE_COLUMNS, [shown])


def show_create_function(state: SessionState, name: QualifiedName) -> PythonRows:
    """Show the statement that created a function.

    Raises:
        UndefinedFunction: There is no such function.
    """
    function = find_function(state, state.catalog(), FunctionName(name))
    shown = function.definition or definition_of(function)
    return PythonRows(CREATE_COLUMNS, [(f"{function.schema}.{function.name}", shown)])


PROCESS_COLUMNS: Final = text_columns("Worker Id", "Id", "User", "Host", "Database", "Time", "Info")


def show_processes(state: SessionState) -> PythonRows:
    """Show the sessions of the server."""
    listed = sorted((m.listed() for m in state.sessions.all()), key=lambda s: s.process_id)
    access = state.access

    def shown(session: Listed) -> str | None:
        may_see = access.owns(session.user) or access.owns(READ_ALL_STATS)
        return (session.query or None) if may_see else HIDDEN_QUERY

    rows = [
        (
            "1",
            f"1:{session.process_id}",
            session.user,
            None,
            session.database,
            None,
            shown(session),
        )
        for session in listed
    ]
    return PythonRows(PROCESS_COLUMNS, rows)


class Pattern:
    """LIKE or ILIKE after SHOW."""

    def __init__(self, text: str, *, is_case_sensitive: bool) -> None:
        pieces = (
            ".*" if piece == "%" else "." if piece == "_" else re.escape(piece[-1])
            for piece in re.findall(r"\\.|.", text, re.DOTALL)
        )
        flags = re.DOTALL if is_case_sensitive else re.DOTALL | re.IGNORECASE
        self._regex = re.compile("".join(pieces), flags)

    def matches(self, name: str) -> bool:
        """Whether a name is like it."""
        return self._regex.fullmatch(name) is not None


def _names(names: Sequence[str], pattern: Pattern | None) -> PythonRows:
    shown = [(name,) for name in names if pattern is None or pattern.matches(name)]
    return PythonRows(NAME_COLUMNS, shown)


def _system_relation(state: SessionState, qualified: QualifiedName) -> SystemRelation | None:
    """Return the system relation of a name that no relation of a user's has."""
    if qualified.schema:
        return find_system_relation(qualified.schema, qualified.name)
    if find_relation(state, state.catalog(), qualified) is not None:
        return None
    found = (find_system_relation(s, qualified.name) for s in ("pg_catalog", "rw_catalog"))
    return next((relation for relation in found if relation is not None), None)


def _column_rows(relation: Relation) -> Iterator[tuple[str, str, str, str | None]]:
    for column in relation.columns:
        yield column.name, column.type.display(), "false", column.comment
    if isinstance(relation, Table) and not relation.primary_key:
        yield ROW_ID, "serial", "true", None


def _summary(relation: Relation) -> Iterator[tuple[str, str, str | None, str | None]]:
    if isinstance(relation, Table):
        by_number = {column.number: column.name for column in relation.columns}
        key = ", ".join(by_number[number] for number in relation.primary_key) or ROW_ID
        yield "primary key", key, None, None
        yield "distribution key", key, None, None
    if not isinstance(relation, View | Rowless | Source):
        for index in relation.indexes:
            keys = ", ".join(index_key(relation, key) for key in index.keys)
            yield index.name, f"index({keys})", None, index.comment
    yield "table description", relation.name, None, relation.comment
