"""Types as texts: those of columns, of PREPARE and of names that are given as values."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from catalog import types
from catalog.errors import SqlSyntaxError, UndefinedObject
from catalog.types import PgType
from catalog.user_type import FindType
from server.sql.bind.type_name import (
    array_of,
    find_none,
    interval_of_fields,
    map_of,
    resolve_type,
)
from server.sql.object_text import name_parts

_BRACKETS: Final = re.compile(r"\s*\[\d*\]\Z")
_STRUCT: Final = re.compile(r"struct\s*<(.*)>\Z", re.DOTALL)
_MAP: Final = re.compile(r"map\s*[(<](.*)[)>]\Z", re.DOTALL)
_VARYING: Final = re.compile(r"bit varying(?=\s*\(|\Z)")
#: Types that are one character or bit long where no length is given.
_ONE_LONG: Final = frozenset({"char", "character", "bit"})
_MEMBER: Final = re.compile(r'\s*("(?:[^"]|"")+"|[^\s"]+)\s+(.+)\Z', re.DOTALL)


def type_of_text(text: str, find: FindType = find_none, *, position: int | None = None) -> PgType:
    """Return the type that a text names, with small letters outside of quotes.

    Args:
        text: Such as ``numeric(10,2)[]``, ``"Mood"`` or ``struct<a int,b varchar>``.
        find: Finds types that users have made.
        position: Of the text, for errors.

    Raises:
        PgError: There is no such type, or not with such modifiers.
    """
    bare = text.strip()
    if (brackets := _BRACKETS.search(bare)) is not None:
        inner = type_of_text(bare[: brackets.start()], find, position=position)
        return array_of(inner, position=position)
    if (held := interval_of_fields(bare)) is not None:
        return held
    if (found := _STRUCT.match(bare)) is not None:
        return _struct(found[1], find, position)
    if (found := _MAP.match(bare)) is not None:
        parts = _split(found[1])
        if len(parts) != 2:
            raise SqlSyntaxError("a map has one type of keys and one of values", position=position)
        key, value = (type_of_text(part, find, position=position) for part in parts)
        return map_of(key, value, position=position)
    bare = _VARYING.sub("varbit", bare)
    if "(" in bare or bare in _ONE_LONG:
        node = exp.DataType.build(bare, dialect="risingwave", udt=True)
        return resolve_type(node, find, position=position)
    return _named(bare, find, position)


def _named(text: str, find: FindType, position: int | None) -> PgType:
    try:
        return types.by_name(text, position=position)
    except UndefinedObject:
        *qualifiers, name = name_parts(text, position=position)
        found = find(qualifiers[-1] if qualifiers else None, name)
        if found is None:
            raise
        return found


def _struct(inner: str, find: FindType, position: int | None) -> PgType:
    members: list[tuple[str, PgType]] = []
    for part in _split(inner) if inner.strip() else ():
        member = _MEMBER.match(part)
        if member is None:
            raise SqlSyntaxError("columns of a struct have a name and a type", position=position)
        (name,) = name_parts(member[1], position=position)
        members.append((name, type_of_text(member[2], find, position=position)))
    return types.record(members)


def _split(text: str) -> list[str]:
    """Split at the commas that are outside of brackets and quotes."""
    parts, depth, start, is_quoted = [], 0, 0, False
    for index, character in enumerate(text):
        if character == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif character in "<([":
            depth += 1
        elif character in ">)]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]
