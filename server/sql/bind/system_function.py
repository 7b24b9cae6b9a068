"""Functions about the system catalogs that clients call (PostgreSQL 15, chapter 9.26)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sqlglot import exp

from catalog.types import BOOL, INT4, NAME, OID, TEXT, PgType, all_types
from server.sql.bind.context import BindContext
from server.sql.bind.object_name import hidden_relations
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import cast, fragment
from server.sql.typed import Typed

#: Whether an object is meant by its name alone; only relations may be hidden.
_VISIBLE: Final = frozenset(
    f"pg_{kind}_is_visible"
    for kind in ("table", "type", "function", "opclass", "operator", "collation", "opfamily")
)

#: There are no comments.
_DESCRIPTIONS: Final = frozenset({"obj_description", "col_description", "shobj_description"})

#: Definitions that are not kept as text.
_DEFINITIONS: Final = frozenset(
    {"pg_get_indexdef", "pg_get_constraintdef", "pg_get_statisticsobjdef_columns"}
    | {"pg_get_function_arguments", "pg_get_function_result"}
)

#: Name -> the numbers of arguments that it takes.
_COUNTS: Final[dict[str, tuple[int, ...]]] = {
    **dict.fromkeys(_VISIBLE, (1,)),
    **dict.fromkeys(_DESCRIPTIONS, (1, 2)),
    **dict.fromkeys(_DEFINITIONS, (1, 2, 3)),
    "format_type": (2,),
    "pg_get_expr": (2, 3),
    "pg_encoding_to_char": (1,),
    "pg_is_in_recovery": (0,),
    "pg_relation_is_publishable": (1,),
    "pg_my_temp_schema": (0,),
}


#: Name -> the types of its arguments, where they are not an OID, a number and a condition.
_TYPES: Final[dict[str, tuple[PgType, ...]]] = {
    "obj_description": (OID, NAME),
    "shobj_description": (OID, NAME),
    "pg_get_constraintdef": (OID, BOOL),
    "pg_get_expr": (TEXT, OID, BOOL),
    "pg_encoding_to_char": (INT4,),
}


def is_system_function(name: str, arguments: Sequence[Typed]) -> bool:
    """Whether there is such a function that takes so many arguments."""
    return len(arguments) in _COUNTS.get(name, ())


def system_function(context: BindContext, name: str, arguments: Sequence[Typed]) -> Typed:
    """Return what the function gives."""
    declared = _TYPES.get(name, (OID, INT4, BOOL))
    arguments = [
        coerce(argument, pg_type, Coercion.IMPLICIT) if argument.is_unknown else argument
        for argument, pg_type in zip(arguments, declared, strict=False)
    ]
    if name in _VISIBLE:
        return Typed(_is_visible(context, name, arguments[0]), BOOL)
    if name in _DESCRIPTIONS | _DEFINITIONS:
        return Typed(cast(exp.Null(), TEXT.duckdb), TEXT)
    if name == "format_type":
        modifier = cast(arguments[1].tree, "INTEGER")
        return Typed(fragment(_format_type(), arguments[0].tree, modifier), TEXT)
    if name == "pg_get_expr":
        return Typed(cast(arguments[0].tree, TEXT.duckdb), TEXT)
    if name == "pg_encoding_to_char":
        return Typed(exp.Literal.string("UTF8"), NAME)
    if name in {"pg_is_in_recovery", "pg_relation_is_publishable"}:
        return Typed(exp.false(), BOOL)
    return Typed(cast(exp.Literal.number("0"), OID.duckdb), OID)


def _is_visible(context: BindContext, name: str, oid: Typed) -> exp.Expr:
    """Return whether an object is what its name alone means; NULL of NULL."""
    if name != "pg_table_is_visible":
        return fragment("CASE WHEN _0 IS NOT NULL THEN TRUE END", oid.tree)
    # No relation has number 0, so the list is never empty.
    hidden = [exp.Literal.number(str(number)) for number in (0, *hidden_relations(context))]
    return exp.Not(this=exp.In(this=cast(oid.tree, "BIGINT"), expressions=hidden))


@lru_cache(maxsize=1)
def _format_type() -> str:
    """Return format_type as DuckDB SQL: ``_0`` is the type's OID, ``_1`` its modifier."""
    names = " ".join(f"WHEN {t.oid} THEN '{t.sql_name}'" for t in all_types())
    return (
        f"CASE WHEN _0 IS NULL THEN NULL ELSE (CASE _0 {names} ELSE '???' END) || "
        "(CASE WHEN _1 IS NULL OR _1 < 4 THEN '' "
        "WHEN _0 IN (1042, 1043) THEN '(' || CAST(_1 - 4 AS TEXT) || ')' "
        "WHEN _0 = 1700 THEN '(' || CAST((_1 - 4) // 65536 AS TEXT) || ',' "
        "|| CAST((_1 - 4) % 65536 AS TEXT) || ')' ELSE '' END) END"
    )
