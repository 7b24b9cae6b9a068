"""Names of objects as they stand in texts: qualified names and names of types."""

from __future__ import annotations

import re
from typing import Final

from catalog import types
from catalog.errors import InvalidName, UndefinedObject, UndefinedSchema
from catalog.user_type import FindType

_PART: Final = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\s".]+))\s*(\.|$)')
_MODIFIER: Final = re.compile(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")
_TYPE_SCHEMAS: Final = frozenset({"pg_catalog", "information_schema"})


def name_parts(text: str, *, position: int | None = None) -> list[str]:
    """Split a qualified name; what is not quoted is folded.

    Raises:
        InvalidName: It is none.
    """
    parts: list[str] = []
    at = 0
    while at < len(text) or not parts:
        match = _PART.match(text, at)
        if match is None:
            raise InvalidName("invalid name syntax", position=position)
        quoted, plain, _ = match.groups()
        parts.append(quoted.replace('""', '"') if quoted else plain.lower())
        at = match.end()
    return parts


def _find_none(schema: str | None, name: str) -> types.PgType | None:  # noqa: ARG001
    return None


def type_of_name(
    text: str, find: FindType = _find_none, *, position: int | None = None
) -> types.PgType:
    """Return the type that a text names; its modifier is read and left aside.

    Args:
        text: The name.
        find: Finds types that users have made.
        position: Of the text, for errors.

    Raises:
        UndefinedObject: There is no such type.
        UndefinedSchema: Types are not kept there.
    """
    bare = _MODIFIER.sub("", text).strip()
    dimensions = 0
    while bare.endswith("]"):
        bare = bare[: bare.rfind("[")].rstrip()
        dimensions += 1
    if '"' in bare or "." in bare:
        found = _qualified(bare, find, position)
    else:
        name = " ".join(bare.lower().split())
        try:
            # Quoted, it is another type.
            known = "bpchar" if name == "char" else name
            found = types.by_name(known, position=position)
        except UndefinedObject:
            made = find(None, name)
            if made is None:
                raise
            found = made
    for _ in range(dimensions):
        found = types.array_of(found)
    return found


def _qualified(text: str, find: FindType, position: int | None) -> types.PgType:
    *qualifiers, name = name_parts(text, position=position)
    made = find(qualifiers[-1] if qualifiers else None, name)
    if made is not None:
        return made
    if qualifiers and qualifiers[-1] not in _TYPE_SCHEMAS:
        raise UndefinedSchema.named(qualifiers[-1], position=position)
    if name == "char" and f'"{name}"' in text:
        return types.CHAR
    schema = "".join(f"{part}." for part in qualifiers[-1:])
    return types.by_name(f"{schema}{name}", position=position)
