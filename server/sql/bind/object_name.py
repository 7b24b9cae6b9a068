"""Names of objects as values: ``'t'::regclass`` and ``'int4'::regtype``."""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from catalog import types
from catalog.errors import InvalidName
from catalog.types import REGCLASS, REGTYPE, PgType
from server.sql.bind.relation import find_relation
from server.sql.bind.statement import Statement
from server.sql.fragment import cast
from server.sql.typed import Typed

_PART: Final = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\s".]+))\s*(\.|$)')


def object_constant(
    statement: Statement, text: str, target: PgType, *, position: int | None = None
) -> Typed | None:
    """Return the OID that a name means when it is cast to ``target``; None for other types.

    Raises:
        UndefinedTable: There is no such relation.
        UndefinedObject: There is no such type.
    """
    if target.oid not in (REGCLASS.oid, REGTYPE.oid):
        return None
    if text.isdigit():
        oid = int(text)
    elif target.oid == REGTYPE.oid:
        oid = int(types.by_name(text.strip().lower(), position=position).oid)
    else:
        *qualifiers, name = _parts(text, position)
        schema = qualifiers[-1] if qualifiers else None
        oid = int(find_relation(statement.context, name, schema, position=position).oid)
    return Typed(cast(exp.Literal.number(str(oid)), target.duckdb), target)


def _parts(text: str, position: int | None) -> list[str]:
    """Split a qualified name; what is not quoted is folded."""
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
