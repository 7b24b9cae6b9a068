"""Which relation a name means, and how its rows are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from sqlglot import exp, parse_one

from catalog import roles
from catalog.acl import Privilege
from catalog.errors import (
    FeatureNotSupported,
    InsufficientPrivilege,
    ObjectNotInPrerequisiteState,
    PgError,
    UndefinedTable,
)
from catalog.index import Index
from catalog.oid import Oid
from catalog.relation import (
    ROW_ID,
    JobStatus,
    MaterializedView,
    Mirror,
    Readable,
    Relation,
    Rowless,
    Source,
    Table,
    View,
    is_temporary,
    storage_name,
    temporary_schema,
    view_name,
)
from catalog.types import INT8, OID, TID
from server.sql.bind.context import BindContext, SystemRelation
from server.sql.bind.query import subquery
from server.sql.bind.scope import FromItem, Scope, ScopeColumn, column_of
from server.sql.bind.statement import SYSTEM_COLUMNS, Statement, SystemItem
from server.sql.fragment import fragment
from server.sql.typed import Typed

#: Searched before the search path unless it names them.
_IMPLICIT_SCHEMAS: Final = ("pg_catalog", "rw_catalog")

_ALIAS: Final = re.compile(r"t\d+v?")
_VIEW: Final = re.compile(r"v\d+")

_NOW: Final = "CAST(GETVARIABLE('epoch_now') AS TIMESTAMPTZ)"


def find_relation(
    context: BindContext,
    name: str,
    schema: str | None = None,
    database: str | None = None,
    *,
    position: int | None = None,
) -> Relation | SystemRelation:
    """Return the relation that a name in a query means; errors as of ``find_with_schema``."""
    return find_with_schema(context, name, schema, database, position=position)[1]


def find_with_schema(
    context: BindContext,
    name: str,
    schema: str | None = None,
    database: str | None = None,
    *,
    position: int | None = None,
) -> tuple[str, Relation | SystemRelation]:
    """Return the relation that a name in a query means, and the schema that it is in.

    Raises:
        UndefinedTable: There is none, or its schema does not exist.
        UndefinedDatabase: There is no such database.
        InsufficientPrivilege: The user may not look into the schema that is named.
    """
    if database and database != context.catalog.database:
        return schema or "", context.elsewhere(database, schema or "", name, position)
    if schema and not may_use(context, schema):
        raise InsufficientPrivilege(f"permission denied for schema {schema}", position=position)
    if schema == "pg_temp":
        schema = temporary_schema(context.backend_pid)
    for candidate in (schema,) if schema else searched_schemas(context):
        found = context.system(candidate, name) or context.catalog.find(candidate, name)
        if found is not None and not isinstance(found, Rowless):
            if is_temporary(candidate) and candidate != temporary_schema(context.backend_pid):
                raise FeatureNotSupported(
                    "cannot access temporary tables of other sessions", position=position
                )
            return candidate, found
    raise UndefinedTable.named(f"{schema}.{name}" if schema else name, position=position)


def qualified_column(
    statement: Statement, scope: Scope, node: exp.Expr, position: int | None
) -> ScopeColumn:
    """Return the column that ``[schema.]table.name`` means; errors as of ``Scope.qualified``."""
    table, schema = node.text("table"), node.text("db")
    meant = partial(_meant, statement.context, table, schema)
    found = scope.qualified(table, node.name, schema=schema, position=position, meant=meant)
    statement.note_read(found)
    return found


def _meant(context: BindContext, name: str, schema: str) -> Oid | None:
    """Return the relation that a name would mean in FROM, if any."""
    try:
        _, found = find_with_schema(context, name, schema or None)
    except PgError:
        return None
    return getattr(found, "oid", None)


def find_index(
    context: BindContext, name: str, schema: str | None
) -> tuple[Table | MaterializedView, Index] | None:
    """Return the index that a name in a query means, and what it is of, or None."""
    schemas = (schema,) if schema else context.search_path
    for candidate in schemas:
        if may_use(context, candidate):
            found = context.catalog.find_index(candidate, name)
            if found is not None:
                return found
    return None


def read_index(
    statement: Statement,
    relation: Table | MaterializedView,
    index: Index,
    alias: str,
    bind_key: Callable[[str, FromItem], Typed],
) -> tuple[exp.Expr, FromItem]:
    """Return a FROM item that reads the columns of an index, its key's first, as the peer does.

    One without INCLUDE has all of the relation's columns.

    Args:
        statement: What reads it.
        relation: What it is of.
        index: The index.
        alias: The alias of the relation's rows.
        bind_key: Gives the value of an expression of the key over these rows.
    """
    tree, item = read_relation(statement, relation, alias)
    by_number = {column.number: column for column in item.columns}
    parts = [
        by_number[key.column]
        if key.column
        else ScopeColumn(str(key.source), bind_key(str(key.source), item))
        for key in index.keys
    ]
    numbers = index.include or [column.number for column in relation.columns]
    rest = [by_number[number] for number in numbers]
    columns = tuple(dict.fromkeys([*parts, *rest]))
    return tree, replace(item, name=index.name, relation_name=index.name, columns=columns)


def may_use(context: BindContext, name: str) -> bool:
    """Whether the user may look into a schema; there may be none of that name."""
    schema = context.catalog.schemas.get(name)
    return schema is None or roles.may_use(context.access, schema)


def searched_schemas(context: BindContext) -> tuple[str, ...]:
    """Return the schemas in which a bare name is looked for, in order."""
    implicit = tuple(s for s in _IMPLICIT_SCHEMAS if s not in context.search_path)
    first = 1 if context.search_path and is_temporary(context.search_path[0]) else 0
    return (*context.search_path[:first], *implicit, *context.search_path[first:])


def read_relation(
    statement: Statement, relation: Relation | SystemRelation, alias: str, schema: str = ""
) -> tuple[exp.Expr, FromItem]:
    """Return a FROM item that reads a relation, and what can be named of it."""
    assert not isinstance(relation, Rowless), relation  # Queries do not find it.
    if not isinstance(relation, (Table, View, MaterializedView, Source)):
        return _read_system(statement, relation, alias, schema)
    statement.depends_on.add(relation.oid)
    if not isinstance(relation, Mirror):  # Of which it was asked in the other database.
        statement.needs.add(relation.oid, Privilege.SELECT)
        statement.needs.aliases[alias] = relation.oid
    return _tree_of(statement, relation, alias), FromItem(
        alias,
        relation.name,
        tuple(
            ScopeColumn(
                column.name,
                column_of(
                    alias,
                    f"c{i}" if isinstance(relation, View) else column.storage_name,
                    column.type,
                ),
                relation.oid,
                column.number,
            )
            for i, column in enumerate(relation.columns, 1)
        ),
        schema=relation.schema,
        relation_name=relation.name,
        key=frozenset(relation.primary_key) if isinstance(relation, Table) else frozenset(),
        system=_system_columns(statement, relation, alias),
    )


def _tree_of(statement: Statement, relation: Readable, alias: str) -> exp.Expr:
    overlay = statement.context.overlay.get(relation.oid)
    if overlay is not None:
        query = overlay.this if isinstance(overlay, exp.Subquery) else overlay
        return subquery(query.copy(), alias)
    match relation:
        case View():
            catalog = statement.context.catalog
            for oid in sorted(catalog.base_tables(relation.oid)):
                match catalog.relations[oid]:
                    case MaterializedView() as stored:
                        _check_readable(stored)
                    case Source() as source:
                        _check_source(statement, source)
                    case _:
                        pass
            if statement.context.names_views:
                return _named(view_name(relation.oid), alias)
            return subquery(inlined(statement, relation), alias)
        case MaterializedView():
            _check_readable(relation)
        case Source():
            _check_source(statement, relation)
        case Table():
            pass
    return _named(storage_name(relation.oid), alias)


def _named(name: str, alias: str) -> exp.Table:
    return exp.Table(
        this=exp.to_identifier(name), alias=exp.TableAlias(this=exp.to_identifier(alias))
    )


def _check_source(statement: Statement, source: Source) -> None:
    if not statement.context.reads_sources:
        raise FeatureNotSupported(
            f'source "{source.name}" cannot be queried, since it keeps no rows',
            hint="Create a materialized view over it, and query that.",
        )


def _check_readable(view: MaterializedView) -> None:
    match view.status:
        case JobStatus.CREATED:
            return
        case JobStatus.CREATING:
            raise ObjectNotInPrerequisiteState(
                f'materialized view "{view.name}" has not been populated',
                hint="It can be read when its streaming job has been created; see SHOW JOBS.",
            )
        case JobStatus.FAILED:
            raise ObjectNotInPrerequisiteState(
                f'materialized view "{view.name}" has failed',
                detail=view.error,
                hint="RECOVER fills it anew, once the reason is gone.",
            )


def inlined(statement: Statement, view: View) -> exp.Expr:
    """Return a view's query with aliases of this statement's own, other views in their places."""
    tree = _parsed(view.query).copy()
    aliases: dict[str, str] = {}
    for identifier in list(tree.find_all(exp.Identifier)):
        name = identifier.name
        if _ALIAS.fullmatch(name):
            if name not in aliases:
                aliases[name] = statement.new_alias()
            identifier.set("this", aliases[name])
    for now in list(tree.find_all(exp.CurrentTimestamp)):
        if statement.context.is_streaming and now is not tree:
            now.replace(parse_one(_NOW, read="duckdb"))
    for node in list(tree.find_all(exp.Table)):
        if _VIEW.fullmatch(node.name):
            other = statement.context.catalog.relations[Oid(int(node.name[1:]))]
            assert isinstance(other, View), other
            node.replace(subquery(inlined(statement, other), node.alias))
        else:
            _overlay_inside(statement, node)
    return tree


def _overlay_inside(statement: Statement, node: exp.Table) -> None:
    """Put the session's own uncommitted rows in the place of a table that a view reads."""
    name = node.name
    if not (name.startswith("r") and name[1:].isdigit()):
        return
    for oid, overlay in statement.context.overlay.items():
        if name == storage_name(oid):
            query = overlay.this if isinstance(overlay, exp.Subquery) else overlay
            node.replace(subquery(query.copy(), node.alias))


@lru_cache(maxsize=256)
def _parsed(query: str) -> exp.Expr:
    return parse_one(query, read="duckdb")


def _system_columns(
    statement: Statement, relation: Relation, alias: str
) -> tuple[ScopeColumn, ...]:
    """Return the columns that every row of a stored relation has beside its own.

    They are NULL where an outer join found no row. A query that is maintained has none of them,
    and none has one that reads rows which the transaction has written.
    """
    context = statement.context
    own: tuple[ScopeColumn, ...] = ()
    if isinstance(relation, Table) and not relation.primary_key:
        own = (ScopeColumn(ROW_ID, column_of(alias, ROW_ID, INT8)),)
    is_bare = isinstance(relation, View | Source) or context.is_streaming
    if is_bare or relation.oid in context.overlay:
        return own
    row = column_of(alias, "rowid", INT8).tree
    oid = fragment(f"CASE WHEN _0 IS NOT NULL THEN CAST({relation.oid} AS BIGINT) END", row)
    place = fragment("((_0 // 256) << 16) + _0 % 256 + 1", row)
    return (*own, ScopeColumn("tableoid", Typed(oid, OID)), ScopeColumn("ctid", Typed(place, TID)))


def _read_system(
    statement: Statement, relation: SystemRelation, alias: str, schema: str
) -> tuple[exp.Expr, FromItem]:
    statement.system_items.append(SystemItem(relation, alias))
    return subquery(exp.Select(), alias), FromItem(
        alias,
        relation.name,
        tuple(
            ScopeColumn(column.name, column_of(alias, f"c{i}", column.type), relation.oid, i)
            for i, column in enumerate(relation.columns, 1)
        ),
        schema=schema,
        relation_name=relation.name,
        system=tuple(
            ScopeColumn(name, column_of(alias, f"s{i}", pg_type))
            for i, (name, pg_type, _) in enumerate(SYSTEM_COLUMNS)
        ),
    )
