"""LOCK TABLE."""

from __future__ import annotations

from typing import Final

from server.sql.parser.cursor import Cursor
from server.sql.session_statement import LockTable

#: The modes, the words of each.
_MODES: Final = (
    ("ACCESS", "SHARE"),
    ("ROW", "SHARE"),
    ("ROW", "EXCLUSIVE"),
    ("SHARE", "UPDATE", "EXCLUSIVE"),
    ("SHARE", "ROW", "EXCLUSIVE"),
    ("SHARE",),
    ("EXCLUSIVE",),
    ("ACCESS", "EXCLUSIVE"),
)


def parse_lock(cursor: Cursor) -> LockTable:
    """Parse LOCK."""
    cursor.expect("LOCK")
    cursor.accept("TABLE")
    tables = []
    while True:
        cursor.accept("ONLY")
        tables.append(cursor.qualified())
        cursor.accept("*")
        if not cursor.accept(","):
            break
    mode = "ACCESS EXCLUSIVE"
    if cursor.accept("IN"):
        mode = _mode(cursor)
        cursor.expect("MODE")
    is_patient = not cursor.accept("NOWAIT")
    cursor.expect_end()
    return LockTable(tuple(tables), mode, is_patient, source=cursor.source)


def _mode(cursor: Cursor) -> str:
    for words in _MODES:
        if cursor.accept(*words):
            return " ".join(words)
    raise cursor.error()
