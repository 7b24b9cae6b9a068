"""Names of objects as values: ``'t'::regclass`` and ``'int4'::regtype``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sqlglot import exp

from catalog import types
from catalog.errors import InvalidName
from catalog.system.registry import SYSTEM_RELATIONS
from catalog.types import REGCLASS, REGTYPE, PgType
from server.sql.bind.context import BindContext
from server.sql.bind.relation import find_relation, searched_schemas
from server.sql.bind.statement import Statement
from server.sql.bind.walker import operand
from server.sql.fragment import cast, string
from server.sql.quoting import quoted_identifier
from server.sql.typed import Typed

#: Types whose values are OIDs and whose texts are names.
SHOWN_BY_NAME: Final = frozenset(
    {REGCLASS.oid, REGTYPE.oid, types.array_of(REGCLASS).oid, types.array_of(REGTYPE).oid}
)

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
    if text.isdigit() or text == "-":
        oid = 0 if text == "-" else int(text)
    elif target.oid == REGTYPE.oid:
        oid = int(types.by_name(text.strip().lower(), position=position).oid)
    else:
        *qualifiers, name = _parts(text, position)
        schema = qualifiers[-1] if qualifiers else None
        oid = int(find_relation(statement.context, name, schema, position=position).oid)
    return Typed(cast(exp.Literal.number(str(oid)), target.duckdb), target)


def object_names(context: BindContext, pg_type: PgType) -> Mapping[int, str]:
    """Return what the OIDs of a type of ``SHOWN_BY_NAME`` are in text."""
    base = pg_type.element or pg_type
    if base.oid == REGTYPE.oid:
        return _type_names()
    return {0: "-"} | _relation_names(context)


def object_text(context: BindContext, value: Typed) -> exp.Expr | None:
    """Return the text of a regclass, None for other types."""
    if value.type.oid != REGCLASS.oid:
        return None
    names = object_names(context, value.type)
    cases = [
        exp.If(this=exp.Literal.number(str(oid)), true=string(name)) for oid, name in names.items()
    ]
    number = cast(value.tree.copy(), types.TEXT.duckdb)
    return exp.Case(this=operand(value.tree), ifs=cases, default=number)


@lru_cache(maxsize=1)
def _type_names() -> Mapping[int, str]:
    return {0: "-"} | {int(pg_type.oid): pg_type.sql_name for pg_type in types.all_types()}


def _relation_names(context: BindContext) -> dict[int, str]:
    """Return the names of all relations, with the schema where the name alone is another's."""
    catalog = context.catalog
    named = [(r.schema, r.name, int(r.oid)) for r in catalog.relations.values()]
    named += [(r.schema, r.name, int(r.oid)) for r in SYSTEM_RELATIONS.values()]
    searched = {schema: i for i, schema in enumerate(searched_schemas(context))}
    first: dict[str, int] = {}
    for schema, name, _ in named:
        if schema in searched:
            first[name] = min(searched[schema], first.get(name, len(searched)))
    return {
        oid: quoted_identifier(name)
        if schema in searched and first[name] == searched[schema]
        else f"{quoted_identifier(schema)}.{quoted_identifier(name)}"
        for schema, name, oid in named
    }


def hidden_relations(context: BindContext) -> list[int]:
    """Return the relations that their names alone do not mean.

    Those of ``rw_catalog`` are found by their names but are not shown among the user's own.
    """
    shown = {"pg_catalog", *context.search_path}
    names = _relation_names(context)
    schemas = {int(r.oid): r.schema for r in context.catalog.relations.values()}
    schemas |= {int(r.oid): r.schema for r in SYSTEM_RELATIONS.values()}
    return [
        oid
        for oid, schema in schemas.items()
        if schema not in shown or names[oid].startswith(f"{quoted_identifier(schema)}.")
    ]


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
