"""SHOW, DESCRIBE and EXPLAIN."""

from __future__ import annotations

from typing import Final

from catalog.errors import InvalidParameterValue, SqlSyntaxError
from server.sql.parser.alter import object_kind
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import shown_name, value
from server.sql.statement import (
    Describe,
    ObjectKind,
    Option,
    Show,
    ShowColumns,
    ShowCreate,
    ShowIndexes,
    ShowObjects,
    Statement,
    Unsupported,
)

_OBJECTS: Final = (
    *("TABLES", "MATERIALIZED VIEWS", "VIEWS", "DATABASES", "SCHEMAS", "JOBS", "PARAMETERS"),
    *("SOURCES", "SINKS", "SUBSCRIPTIONS", "INTERNAL TABLES", "CONNECTIONS", "SECRETS"),
    *("FUNCTIONS", "USERS", "PROCESSLIST", "CLUSTER", "CURSORS", "SUBSCRIPTION CURSORS"),
)


def parse_show(cursor: Cursor) -> Statement:
    """Parse SHOW of a parameter, of objects, or of how one was created."""
    cursor.expect("SHOW")
    if cursor.accept("CREATE"):
        return _create(cursor)
    if cursor.accept("COLUMNS"):
        cursor.expect("FROM")
        return _at_end(cursor, ShowColumns(cursor.qualified(), source=cursor.source))
    if cursor.accept("INDEXES"):
        cursor.expect("FROM")
        return _at_end(cursor, ShowIndexes(cursor.qualified(), source=cursor.source))
    for kind in _OBJECTS:
        if cursor.accept(*kind.split()):
            return _objects(cursor, kind)
    return _at_end(cursor, Show(shown_name(cursor), source=cursor.source))


def _at_end(cursor: Cursor, statement: Statement) -> Statement:
    cursor.expect_end()
    return statement


def _create(cursor: Cursor) -> Statement:
    kind = object_kind(cursor)
    if kind is ObjectKind.SECRET:
        return Unsupported("SHOW CREATE SECRET", source=cursor.source)
    if kind is None:
        return Unsupported(f"SHOW CREATE {cursor.label().upper()}", source=cursor.source)
    return _at_end(cursor, ShowCreate(kind, cursor.qualified(), source=cursor.source))


def _objects(cursor: Cursor, kind: str) -> ShowObjects:
    schema = cursor.name() if cursor.accept_any("FROM", "IN") else None
    pattern = None
    like = cursor.accept_any("LIKE", "ILIKE")
    if like:
        pattern = cursor.string()
    if cursor.word == "WHERE":
        raise cursor.unsupported("SHOW with WHERE")
    cursor.expect_end()
    return ShowObjects(kind, schema, pattern, like == "ILIKE", source=cursor.source)


def parse_describe(cursor: Cursor) -> Statement:
    """Parse DESCRIBE."""
    cursor.expect_any("DESCRIBE", "DESC")
    for what in ("FRAGMENTS", "FRAGMENT"):
        if cursor.word == what and cursor.index + 1 < len(cursor.tokens):
            return Unsupported(f"DESCRIBE {what}", source=cursor.source)
    return _at_end(cursor, Describe(cursor.qualified(), source=cursor.source))


_FLAGS: Final = frozenset({"on", "true", "1", "off", "false", "0"})
_TRUE: Final = frozenset({"on", "true", "1"})
_FORMATS: Final = frozenset({"text", "json", "xml", "yaml", "dot"})
_OPTIONS: Final = frozenset(
    {"analyze", "verbose", "costs", "settings", "buffers", "wal", "timing", "summary", "format"}
    | {"generic_plan", "logical", "physical", "distsql", "trace", "backfill"}
)


class ExplainOptions:
    """What EXPLAIN says before its statement."""

    def __init__(self) -> None:
        self.is_analyze = False
        self.is_verbose = False
        self.format = "text"
        self.others: list[Option] = []

    def add(self, option: Option) -> None:
        """Take one option of the list in brackets."""
        if option.name not in _OPTIONS:
            raise SqlSyntaxError(
                f'unrecognized EXPLAIN option "{option.name}"', position=option.position
            )
        if option.name == "format":
            self.format = (option.value or "").lower()
            if self.format not in _FORMATS:
                raise InvalidParameterValue(
                    f'unrecognized value for EXPLAIN option "format": "{option.value}"',
                    position=option.position,
                )
            return
        text = (option.value or "on").lower()
        if text not in _FLAGS:
            raise SqlSyntaxError(f"{option.name} requires a Boolean value")
        if option.name == "analyze":
            self.is_analyze = text in _TRUE
        elif option.name == "verbose":
            self.is_verbose = text in _TRUE
        else:
            self.others.append(Option(option.name, text, option.position))


def explain_options(cursor: Cursor) -> ExplainOptions:
    """Take EXPLAIN and its options; the statement is left in front."""
    cursor.expect("EXPLAIN")
    options = ExplainOptions()
    if cursor.word == "(" and cursor.word_at(cursor.index + 1).lower() not in {
        *("select", "values", "with", "table", "(", ""),
    }:
        cursor.expect("(")
        while True:
            position = cursor.position
            name = cursor.label()
            text = None if cursor.word in {",", ")"} else value(cursor)
            options.add(Option(name, text, position))
            if not cursor.accept(","):
                break
        cursor.expect(")")
        return options
    options.is_analyze = bool(cursor.accept_any("ANALYZE", "ANALYSE"))
    options.is_verbose = cursor.accept("VERBOSE")
    return options
