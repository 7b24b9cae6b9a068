"""CREATE SUBSCRIPTION, what ALTER SUBSCRIPTION alone does, and cursors over changes."""

from __future__ import annotations

from server.sql.clause import QualifiedName
from server.sql.parser.create_table import if_not_exists_clause
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import value, with_options
from server.sql.subscription_statement import (
    AlterRetention,
    CreateSubscription,
    CursorStart,
    DeclareSubscriptionCursor,
)


def create_subscription(cursor: Cursor) -> CreateSubscription:
    """Parse what follows CREATE SUBSCRIPTION."""
    if_not_exists = if_not_exists_clause(cursor)
    name = cursor.qualified()
    cursor.expect("FROM")
    relation = cursor.qualified()
    options = with_options(cursor) if cursor.accept("WITH") else ()
    cursor.expect_end()
    return CreateSubscription(name, relation, options, if_not_exists, source=cursor.source)


def alter_retention(
    cursor: Cursor, name: QualifiedName, *, if_exists: bool
) -> AlterRetention | None:
    """Parse SET RETENTION behind ALTER SUBSCRIPTION and its name; None for all else."""
    if not cursor.accept("SET", "RETENTION"):
        return None
    cursor.expect_any("=", "TO")
    retention = value(cursor)
    cursor.expect_end()
    return AlterRetention(name, retention, if_exists, source=cursor.source)


def declare_subscription_cursor(cursor: Cursor, name: str) -> DeclareSubscriptionCursor:
    """Parse what follows DECLARE name SUBSCRIPTION CURSOR."""
    cursor.expect("FOR")
    subscription = cursor.qualified()
    start, since_ms = CursorStart.NOW, 0
    if cursor.accept("FULL"):
        start = CursorStart.FULL
    elif cursor.accept("SINCE"):
        start, since_ms = _since(cursor)
    cursor.expect_end()
    return DeclareSubscriptionCursor(name, subscription, start, since_ms, source=cursor.source)


def _since(cursor: Cursor) -> tuple[CursorStart, int]:
    if cursor.is_at_number:
        return CursorStart.TIME, cursor.integer()
    word = cursor.expect_any("NOW", "PROCTIME", "BEGIN")
    cursor.expect("(", ")")
    return (CursorStart.BEGIN if word == "BEGIN" else CursorStart.NOW), 0
