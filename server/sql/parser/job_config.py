"""SET CONFIG and RESET CONFIG behind ALTER and the name of a streaming job."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from catalog.job_config import ConfigEntry, Number, WrittenValue
from server.sql.parser.cursor import Cursor
from server.sql.parser.options import option_name
from server.sql.statement import ObjectKind, QualifiedName
from server.sql.streaming_statement import AlterJobConfig


def alter_job_config(
    cursor: Cursor, kind: ObjectKind, name: QualifiedName, *, if_exists: bool
) -> AlterJobConfig | None:
    """Parse what follows the name; None, with nothing taken, when it is something else."""
    is_set = cursor.accept("SET", "CONFIG")
    if not is_set and not cursor.accept("RESET", "CONFIG"):
        return None
    cursor.expect("(")
    entries = [_entry(cursor, is_set=is_set)]
    while cursor.accept(","):
        entries.append(_entry(cursor, is_set=is_set))
    cursor.expect(")")
    cursor.expect_end()
    return AlterJobConfig(kind, name, tuple(entries), if_exists, source=cursor.source)


def _entry(cursor: Cursor, *, is_set: bool) -> ConfigEntry:
    position = cursor.position
    key = option_name(cursor)
    if not is_set:
        return ConfigEntry(key, None, position)
    cursor.expect("=")
    return ConfigEntry(key, _value(cursor), position)


def _value(cursor: Cursor) -> WrittenValue:
    """Take a number, a text in quotes of either kind, TRUE, FALSE or NULL."""
    if cursor.is_at_number or cursor.word in {"-", "+"}:
        return Number(cursor.number())
    if cursor.is_at_string:
        return cursor.string()
    if cursor.token is not None and cursor.token.token_type is TokenType.IDENTIFIER:
        return cursor.name()
    word = cursor.expect_any("TRUE", "FALSE", "NULL")
    return None if word == "NULL" else word == "TRUE"
