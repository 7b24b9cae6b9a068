"""CREATE."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from server.sql.parser import role
from server.sql.parser.create_table import (
    create_table,
    defining_query,
    if_not_exists_clause,
)
from server.sql.parser.cursor import Cursor
from server.sql.parser.function import create_function
from server.sql.parser.index import create_index
from server.sql.parser.options import value, with_options
from server.sql.parser.role_name import role_name
from server.sql.parser.secret import create_secret
from server.sql.parser.sequence import create_sequence
from server.sql.parser.sink import create_sink
from server.sql.parser.source_statement import create_source
from server.sql.parser.subscription import create_subscription
from server.sql.parser.user_type import create_domain, create_type
from server.sql.statement import (
    CreateDatabase,
    CreateMaterializedView,
    CreateSchema,
    CreateView,
    Option,
    Statement,
    Unsupported,
)

#: What else can be created, in PostgreSQL or in RisingWave.
_UNSUPPORTED: Final = (
    *("CONNECTION", "AGGREGATE"),
    *("TRIGGER", "EXTENSION", "PROCEDURE"),
    *("PUBLICATION", "RULE", "POLICY", "CAST", "COLLATION", "CONVERSION", "LANGUAGE", "OPERATOR"),
    *("SERVER", "STATISTICS", "TABLESPACE", "TRANSFORM"),
)
_UNSUPPORTED_PHRASES: Final = (
    *(("FOREIGN", "TABLE"), ("FOREIGN", "DATA", "WRAPPER")),
    *(("EVENT", "TRIGGER"), ("ACCESS", "METHOD"), ("CONSTRAINT", "TRIGGER")),
    *(("TEXT", "SEARCH"), ("DEFAULT", "CONVERSION"), ("USER", "MAPPING")),
)


def parse_create(cursor: Cursor) -> Statement:
    """Parse CREATE of anything."""
    cursor.expect("CREATE")
    replaces = cursor.accept("OR", "REPLACE")
    is_temporary = _temporary(cursor)
    if not is_temporary:
        cursor.accept("UNLOGGED")
    if is_temporary and cursor.word not in {"TABLE", "VIEW", "SEQUENCE"}:
        raise cursor.error()
    if is_temporary and cursor.accept("SEQUENCE"):
        return Unsupported("CREATE TEMPORARY SEQUENCE", source=cursor.source)
    kind = "MATERIALIZED VIEW" if cursor.accept("MATERIALIZED", "VIEW") else ""
    if not replaces and not is_temporary and not kind and cursor.accept("INDEX"):
        return create_index(cursor)
    if cursor.accept("UNIQUE", "INDEX"):
        return create_index(cursor, is_unique=True)
    if not is_temporary and not kind and cursor.accept("FUNCTION"):
        return create_function(cursor, replaces=replaces)
    if not replaces and not is_temporary and not kind:
        if cursor.accept("TYPE"):
            return create_type(cursor)
        if cursor.accept("DOMAIN"):
            return create_domain(cursor)
    if not replaces and not is_temporary and not kind and cursor.accept("SINK"):
        return create_sink(cursor, replaces=False)
    if not replaces and not is_temporary and not kind and cursor.accept("SUBSCRIPTION"):
        return create_subscription(cursor)
    if not replaces and not is_temporary and not kind and cursor.accept("SOURCE"):
        return create_source(cursor)
    if not replaces and not is_temporary and not kind and cursor.accept("SEQUENCE"):
        return create_sequence(cursor)
    if not replaces and not is_temporary and not kind and cursor.accept("SECRET"):
        return create_secret(cursor)
    kind = kind or cursor.accept_any("TABLE", "VIEW", "SCHEMA", "DATABASE")
    if replaces and kind in {"TABLE", "MATERIALIZED VIEW"}:
        return Unsupported(f"CREATE OR REPLACE {kind}", source=cursor.source)
    if replaces and cursor.word in role.KINDS:
        raise cursor.error()
    match kind:
        case "TABLE":
            return replace(create_table(cursor), is_temporary=is_temporary)
        case "VIEW":
            return replace(_view(cursor), is_temporary=is_temporary, replaces=replaces)
        case "MATERIALIZED VIEW":
            return _materialized_view(cursor)
        case "SCHEMA":
            return _schema(cursor)
        case "DATABASE":
            return _database(cursor)
        case _:
            return _role(cursor) or _unsupported(cursor)


def _temporary(cursor: Cursor) -> bool:
    """Take what says that something is the session's alone; LOCAL adds nothing."""
    index = cursor.index + (cursor.word == "LOCAL")
    if cursor.word_at(index) not in {"TEMPORARY", "TEMP"}:
        return False
    cursor.accept("LOCAL")
    cursor.expect_any("TEMPORARY", "TEMP")
    return True


def _role(cursor: Cursor) -> Statement | None:
    if cursor.word_at(cursor.index + 1) == "MAPPING":
        return None
    kind = cursor.accept_any(*role.KINDS)
    return role.parse_create_role(cursor, kind) if kind else None


def _unsupported(cursor: Cursor) -> Unsupported:
    for phrase in _UNSUPPORTED_PHRASES:
        if cursor.accept(*phrase):
            return Unsupported(f"CREATE {' '.join(phrase)}", source=cursor.source)
    return Unsupported(f"CREATE {cursor.expect_any(*_UNSUPPORTED)}", source=cursor.source)


def _view(cursor: Cursor) -> CreateView:
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    columns = cursor.columns() if cursor.word == "(" else ()
    options = with_options(cursor) if cursor.accept("WITH") else ()
    cursor.expect("AS")
    if cursor.accept_at_end("CHECK", "OPTION"):
        is_local = cursor.accept_at_end("LOCAL")
        if not is_local:
            cursor.accept_at_end("CASCADED")
        if not cursor.accept_at_end("WITH"):
            raise cursor.error()
        checks = "local" if is_local else "cascaded"
        options = (*options, Option("check_option", checks, None))
    query, text = defining_query(cursor)
    return CreateView(
        name, columns, query, text, if_not_exists, options=options, source=cursor.source
    )


def _materialized_view(cursor: Cursor) -> CreateMaterializedView:
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    columns = cursor.columns() if cursor.word == "(" else ()
    options = with_options(cursor) if cursor.accept("WITH") else ()
    cursor.expect("AS")
    on_close = cursor.accept_at_end("EMIT", "ON", "WINDOW", "CLOSE")
    if not on_close:
        cursor.accept_at_end("EMIT", "IMMEDIATELY")
    is_bare = cursor.accept_at_end("WITH", "NO", "DATA")
    cursor.accept_at_end("WITH", "DATA")
    query, text = defining_query(cursor)
    return CreateMaterializedView(
        *(name, columns, query, text, if_not_exists, options, not is_bare, on_close),
        source=cursor.source,
    )


def _schema(cursor: Cursor) -> CreateSchema:
    if_not_exists = if_not_exists_clause(cursor)
    name = None if cursor.word == "AUTHORIZATION" else cursor.name()
    owner = role_name(cursor) if cursor.accept("AUTHORIZATION") else None
    if not cursor.is_at_end and cursor.word in {"CREATE", "GRANT"}:
        raise cursor.unsupported("CREATE SCHEMA with its objects")
    cursor.expect_end()
    return CreateSchema(name, if_not_exists, owner, source=cursor.source)


def _database(cursor: Cursor) -> CreateDatabase:
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.name()
    cursor.accept("WITH")
    options = []
    while not cursor.is_at_end:
        position = cursor.position
        option = cursor.label()
        cursor.accept("=")
        options.append(Option(option, value(cursor), position))
    return CreateDatabase(name, if_not_exists, tuple(options), source=cursor.source)
