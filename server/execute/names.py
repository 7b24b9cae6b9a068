"""From the names in a statement to what they name, and to where something new goes."""

from __future__ import annotations

from typing import Final

from catalog.acl import Kind, Privilege
from catalog.errors import (
    DuplicateColumn,
    FeatureNotSupported,
    InsufficientPrivilege,
    InvalidTableDefinition,
    ReservedName,
    UndefinedSchema,
    UndefinedTable,
    WrongObjectType,
)
from catalog.relation import (
    ROW_ID,
    MaterializedView,
    Relation,
    Sink,
    Source,
    Subscription,
    Table,
    View,
    kind_name,
)
from catalog.relation import is_temporary as is_temporary_schema
from catalog.roles import may_use
from catalog.state import SYSTEM_SCHEMAS, Catalog
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.system.relation import SystemRelation
from server.execute.permission import check_create_in
from server.search_path import made_in
from server.session_state import SessionState
from server.sql.other_way import OTHER_DATABASE
from server.sql.statement import QualifiedName

#: Columns that the server keeps in its storage, or that the peer reserves.
_RESERVED_COLUMNS: Final = (ROW_ID, "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")
_RESERVED_PREFIX: Final = "_rw_"

#: What DROP and ALTER say of a kind, with its article.
WITH_ARTICLE: Final[dict[type, str]] = {
    Table: "a table",
    View: "a view",
    MaterializedView: "a materialized view",
    Sink: "a sink",
    Subscription: "a subscription",
    Source: "a source",
}


def schema_of(state: SessionState, name: QualifiedName) -> str | None:
    """Return the schema that a name gives, or None.

    Raises:
        FeatureNotSupported: It is of another database.
    """
    if name.database is not None and name.database != state.database:
        raise FeatureNotSupported(
            f'cross-database references are not implemented: "{name}"',
            hint=OTHER_DATABASE,
            position=name.position,
        )
    return state.temporary_schema if name.schema == "pg_temp" else name.schema


def find_relation(state: SessionState, catalog: Catalog, name: QualifiedName) -> Relation | None:
    """Return the relation of that name, looked up along the search path, or None."""
    schema = schema_of(state, name)
    held = None if schema is None else catalog.schemas.get(schema)
    if held is not None and not may_use(state.access, held):
        raise InsufficientPrivilege(
            f"permission denied for schema {schema}", position=name.position
        )
    schemas = state.search_path(catalog) if schema is None else (schema,)
    return next((r for s in schemas if (r := catalog.find(s, name.name)) is not None), None)


def get_relation(state: SessionState, catalog: Catalog, name: QualifiedName) -> Relation:
    """Return the relation of that name.

    Raises:
        UndefinedTable: There is none.
    """
    relation = find_relation(state, catalog, name)
    if relation is None:
        raise UndefinedTable.named(str(name), position=name.position)
    return relation


def get_materialized_view(
    state: SessionState, catalog: Catalog, name: QualifiedName
) -> MaterializedView:
    """Return the materialized view of that name.

    Raises:
        UndefinedTable: There is no relation of that name.
        WrongObjectType: It is something else.
    """
    relation = get_relation(state, catalog, name)
    if not isinstance(relation, MaterializedView):
        raise WrongObjectType(
            f'"{relation.name}" is not a materialized view', position=name.position
        )
    return relation


def system_relation(state: SessionState, name: QualifiedName) -> SystemRelation | None:
    """Return the system relation of that name, or None."""
    schema = schema_of(state, name)
    schemas = ("pg_catalog", "rw_catalog") if schema is None else (schema,)
    found = (SYSTEM_RELATIONS.get((s, name.name)) for s in schemas)
    return next((relation for relation in found if relation is not None), None)


def is_system_relation(state: SessionState, name: QualifiedName) -> bool:
    """Whether a name is that of a system relation."""
    return system_relation(state, name) is not None


def new_name(
    state: SessionState,
    catalog: Catalog,
    name: QualifiedName,
    *,
    is_table: bool = False,
    is_temporary: bool = False,
) -> tuple[str, str]:
    """Return the schema and name for something that is created.

    Args:
        state: The session.
        catalog: What there is.
        name: As written.
        is_table: Whether it is a table's: then PostgreSQL says where it stands.
        is_temporary: Whether it goes with the session.

    Raises:
        UndefinedSchema: The schema does not exist.
        InsufficientPrivilege: It is the system's, or the user may make nothing there.
        InvalidTableDefinition: It is temporary and the schema is not, or is another session's.
    """
    position = name.position if is_table else None
    schema = schema_of(state, name)
    if is_temporary or schema == state.temporary_schema:
        return _temporary_name(state, name, schema)
    if schema is None:
        try:
            schema = made_in(state.search_path(catalog))
        except UndefinedSchema as e:
            e.position = position
            raise
        check_create_in(state, catalog.schemas[schema], position=position)
        return schema, name.name
    if schema not in catalog.schemas:
        raise UndefinedSchema.named(schema, position=name.position)
    if is_temporary_schema(schema):
        raise InvalidTableDefinition(
            "cannot create relations in temporary schemas of other sessions"
        )
    if schema in SYSTEM_SCHEMAS:
        raise InsufficientPrivilege(
            f'permission denied to create "{schema}.{name.name}"',
            detail="System catalog modifications are currently disallowed.",
        )
    check_create_in(state, catalog.schemas[schema], position=position)
    return schema, name.name


def new_lasting_name(state: SessionState, catalog: Catalog, name: QualifiedName) -> tuple[str, str]:
    """As ``new_name``, for what cannot be of one session only.

    Raises:
        FeatureNotSupported: It is said to be of one.
        PgError: There can be nothing of that name there.
    """
    schema, bare = new_name(state, catalog, name)
    if is_temporary_schema(schema):
        raise FeatureNotSupported(
            "in a schema of temporary relations nothing else is supported", position=name.position
        )
    return schema, bare


def _temporary_name(
    state: SessionState, name: QualifiedName, schema: str | None
) -> tuple[str, str]:
    if schema not in (None, state.temporary_schema):
        raise InvalidTableDefinition(
            "cannot create temporary relation in non-temporary schema", position=name.position
        )
    database = state.manager.database(state.database)
    if database is not None and not state.access.has(
        database.acl, Kind.DATABASE, database.owner, Privilege.TEMPORARY
    ):
        raise InsufficientPrivilege(
            f'permission denied to create temporary tables in database "{database.name}"'
        )
    return state.temporary_schema, name.name


def check_schema_name(name: str) -> None:
    """Refuse names that are kept for the system.

    Raises:
        ReservedName: It begins with ``pg_``.
    """
    if name.startswith("pg_"):
        raise ReservedName(
            f'unacceptable schema name "{name}"',
            detail='The prefix "pg_" is reserved for system schemas.',
        )


def is_system_column(name: str) -> bool:
    """Whether every row has a column of that name beside its own."""
    return name in _RESERVED_COLUMNS


def check_column_name(name: str, *, position: int | None = None) -> None:
    """Refuse names of columns that the server keeps for itself.

    Raises:
        DuplicateColumn: Every row has one of that name.
        ReservedName: It is kept for what rows have beside that.
    """
    if name in _RESERVED_COLUMNS:
        said = f'column name "{name}" conflicts with a system column name'
        raise ReservedName(said) if name == ROW_ID else DuplicateColumn(said)
    if name.startswith(_RESERVED_PREFIX):
        raise ReservedName(
            f'unacceptable column name "{name}"',
            detail=f'The prefix "{_RESERVED_PREFIX}" is reserved for system columns.',
            position=position,
        )


def wrong_kind(relation: Relation, wanted: type, verb: str = "DROP") -> WrongObjectType:
    """Build the error for a relation of another kind than DROP or ALTER wants."""
    hint = None
    if verb == "DROP":
        right = f"DROP {kind_name(relation).upper()}"
        hint = f"Use {right} to remove {WITH_ARTICLE[type(relation)]}."
    return WrongObjectType(f'"{relation.name}" is not {WITH_ARTICLE[wanted]}', hint=hint)


def wrong_kind_to_show(relation: Relation, wanted: type) -> WrongObjectType:
    """Build the error for SHOW CREATE of a relation of another kind."""
    return WrongObjectType(
        f'"{relation.name}" is not {WITH_ARTICLE[wanted]}',
        hint=f"Use SHOW CREATE {kind_name(relation).upper()}.",
    )
