"""What is said of a sequence, by itself or beside an identity column."""

from __future__ import annotations

from typing import Any

from catalog.errors import SqlSyntaxError
from server.sql.clause import SequenceOptions
from server.sql.parser.column_type import column_type
from server.sql.parser.cursor import Cursor


def sequence_options(cursor: Cursor) -> SequenceOptions:
    """Take the options of a sequence, up to what is none."""
    found: dict[str, Any] = {}
    while not cursor.is_at_end and cursor.word != ")":
        position = cursor.position
        option = _option(cursor)
        if option.keys() & found.keys():
            raise SqlSyntaxError("conflicting or redundant options", position=position)
        found |= option
    return SequenceOptions(**found)


def _option(cursor: Cursor) -> dict[str, Any]:
    if cursor.accept("AS"):
        position = cursor.position
        return {"type": column_type(cursor), "type_position": position}
    if cursor.accept("INCREMENT"):
        cursor.accept("BY")
        return {"increment": cursor.integer()}
    if cursor.accept("MINVALUE"):
        return {"minimum": cursor.integer(), "no_minimum": False}
    if cursor.accept("MAXVALUE"):
        return {"maximum": cursor.integer(), "no_maximum": False}
    if cursor.accept("NO"):
        word = cursor.expect_any("MINVALUE", "MAXVALUE", "CYCLE")
        if word == "CYCLE":
            return {"cycles": False}
        name = word.removesuffix("VALUE").lower() + "imum"
        return {name: None, f"no_{name}": True}
    if cursor.accept("START"):
        cursor.accept("WITH")
        return {"start": cursor.integer()}
    if cursor.accept("RESTART"):
        has_number = cursor.accept("WITH") or _is_number(cursor)
        return {"restarts": True, "restart": cursor.integer() if has_number else None}
    if cursor.accept("CACHE"):
        return {"cache": cursor.integer()}
    if cursor.accept("CYCLE"):
        return {"cycles": True}
    if cursor.accept("SEQUENCE", "NAME"):
        return {"name": cursor.qualified().name}
    if cursor.accept("OWNED"):
        cursor.expect("BY")
        return {"owned_by": _column(cursor)}
    raise cursor.error()


def _is_number(cursor: Cursor) -> bool:
    return cursor.word in {"-", "+"} or cursor.word.isdecimal()


def _column(cursor: Cursor) -> tuple[str, ...]:
    parts = [cursor.name()]
    while cursor.accept("."):
        parts.append(cursor.name())
    return () if parts == ["none"] else tuple(parts)
