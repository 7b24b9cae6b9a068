"""DECLARE, FETCH, MOVE and CLOSE."""

from __future__ import annotations

from typing import Final

from catalog.session_errors import InvalidCursorDefinition
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import with_options
from server.sql.parser.query import query_tree
from server.sql.parser.subscription import declare_subscription_cursor
from server.sql.statement import (
    CloseCursor,
    DeclareCursor,
    Fetch,
    FetchDirection,
    Move,
    Statement,
)

_EXCLUSIVE: Final = (("SCROLL", "NO SCROLL"), ("ASENSITIVE", "INSENSITIVE"))


def parse_declare(cursor: Cursor) -> Statement:
    """Parse DECLARE ... CURSOR."""
    cursor.expect("DECLARE")
    name = cursor.name()
    options: set[str] = set()
    while not cursor.accept("CURSOR"):
        if not options and cursor.accept("SUBSCRIPTION", "CURSOR"):
            return declare_subscription_cursor(cursor, name)
        if cursor.accept("NO"):
            cursor.expect("SCROLL")
            options.add("NO SCROLL")
        else:
            options.add(cursor.expect_any("BINARY", "SCROLL", "INSENSITIVE", "ASENSITIVE"))
    is_binary = "BINARY" in options
    is_scroll = True if "SCROLL" in options else False if "NO SCROLL" in options else None
    is_holdable = False
    hold = cursor.accept_any("WITH", "WITHOUT")
    if hold:
        cursor.expect("HOLD")
        is_holdable = hold == "WITH"
    cursor.expect("FOR")
    query_source = cursor.source_from(cursor.index)
    tree = query_tree(cursor, cursor.rest())
    for one, other in _EXCLUSIVE:
        if {one, other} <= options:
            raise InvalidCursorDefinition(f"cannot specify both {one} and {other}")
    return DeclareCursor(
        name, tree, query_source, is_binary, is_scroll, is_holdable, source=cursor.source
    )


def parse_fetch(cursor: Cursor) -> Fetch | Move:
    """Parse FETCH and MOVE."""
    verb = cursor.expect_any("FETCH", "MOVE")
    direction, count = _direction(cursor)
    cursor.accept_any("FROM", "IN")
    name = cursor.name()
    if verb == "FETCH":
        options = with_options(cursor) if cursor.accept("WITH") else ()
        cursor.expect_end()
        return Fetch(name, direction, count, options, source=cursor.source)
    cursor.expect_end()
    return Move(name, direction, count, source=cursor.source)


def _direction(cursor: Cursor) -> tuple[FetchDirection, int | None]:
    if cursor.is_at_number or cursor.word in {"-", "+"}:
        return FetchDirection.FORWARD, cursor.integer()
    if cursor.accept("ALL"):
        return FetchDirection.FORWARD, None
    if _is_last_word(cursor):
        return FetchDirection.FORWARD, 1
    match cursor.accept_any(
        *("NEXT", "PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE", "FORWARD", "BACKWARD")
    ):
        case "PRIOR":
            return FetchDirection.BACKWARD, 1
        case "FIRST":
            return FetchDirection.ABSOLUTE, 1
        case "LAST":
            return FetchDirection.ABSOLUTE, -1
        case "ABSOLUTE":
            return FetchDirection.ABSOLUTE, cursor.integer()
        case "RELATIVE":
            return FetchDirection.RELATIVE, cursor.integer()
        case "FORWARD":
            return FetchDirection.FORWARD, _count(cursor)
        case "BACKWARD":
            return FetchDirection.BACKWARD, _count(cursor)
        case _:
            return FetchDirection.FORWARD, 1


def _is_last_word(cursor: Cursor) -> bool:
    """Tell whether the word in front is the last one, and so the name of the cursor."""
    return cursor.index + 1 == len(cursor.tokens) or cursor.word_at(cursor.index + 1) == "WITH"


def _count(cursor: Cursor) -> int | None:
    if cursor.accept("ALL"):
        return None
    if cursor.is_at_number or cursor.word in {"-", "+"}:
        return cursor.integer()
    return 1


def parse_close(cursor: Cursor) -> CloseCursor:
    """Parse CLOSE."""
    cursor.expect("CLOSE")
    name = None if cursor.accept("ALL") else cursor.name()
    cursor.expect_end()
    return CloseCursor(name, source=cursor.source)
