"""Rows and maps made of JSON: json_populate_record and its like (PostgreSQL 15, table 9.47)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from barrier.engine_errors import HINT_MARK
from catalog.errors import FeatureNotSupported
from catalog.types import JSON, JSONB, TEXT, PgType
from server.sql.casts import converted, fitted
from server.sql.fragment import call, cast, fragment, row_fragment, string
from server.sql.functions.array import inner_type
from server.sql.json_operators import TEXT_FORMS
from server.sql.overload import Overload, rule
from server.sql.typed import Typed
from server.value.style import current_style

_KINDS: Final = (JSON, JSONB)


def read_json(
    form: str,
    item: exp.Expr,
    target: PgType,
    key: str,
    depth: int = 0,
    *,
    base: exp.Expr | None = None,
) -> exp.Expr:
    """Return the value that a JSON value stands for.

    Args:
        form: What makes a text of it.
        item: It, which is evaluated once.
        target: The type that is wanted.
        key: Whose value it is, for messages.
        depth: How many of these calls are around this one.
        base: Of a row the one that its members are put into.
    """
    name = f"j{depth}"
    one = exp.column(name)
    if target.is_array:
        found = _array(form, one, target, key, depth)
    elif target.is_row:
        found = _row(form, one, target, depth, base)
    elif target.name in {"json", "jsonb"}:
        is_canonical = target.oid == JSONB.oid or form == TEXT_FORMS["jsonb"]
        found = call("tg_jsonb", cast(one, "VARCHAR")) if is_canonical else one
    else:
        found = _from_text(call(form, one), target)
    read = fragment("CASE WHEN JSON_TYPE(_0) <> 'NULL' THEN _1 END", one.copy(), found)
    whole = fragment(f"LIST_EXTRACT(LIST_TRANSFORM([_0], LAMBDA {name} : _1), 1)", item, read)
    return checked(cast(whole, target.duckdb), target)


def checked(tree: exp.Expr, target: PgType) -> exp.Expr:
    """Return a value that a domain's conditions have been asked of, if the type is one."""
    if target.domain is None:
        return tree
    return cast(call(f"ut{target.domain.oid}_check", tree), target.duckdb)


def _elements(form: str) -> str:
    return "tg_json_elements" if form == TEXT_FORMS["jsonb"] else "tg_json_kept_elements"


def _from_text(text: exp.Expr, target: PgType) -> exp.Expr:
    read = cast(converted(text, TEXT, target.bare), target.duckdb)
    return fitted(read, target, is_explicit=False)


def _array(form: str, one: exp.Expr, target: PgType, key: str, depth: int) -> exp.Expr:
    # Of an array of arrays the inner ones are read like values of the same key.
    name = f"i{depth}"
    item = read_json(form, exp.column(name), inner_type(target), key, depth + 1)
    hint = f'{HINT_MARK}See the value of key "{key}".' if key else ""
    listed = f"LIST_TRANSFORM({_elements(form)}(_0), LAMBDA {name} : _1)"
    if target.dimensions > 1 and not current_style().is_peer:
        listed = f"tg_matched_json({listed})"
    return fragment(
        f"CASE JSON_TYPE(_0) WHEN 'ARRAY' THEN {listed} WHEN 'VARCHAR' THEN _2 ELSE ERROR(_3) END",
        one,
        item,
        cast(converted(call("tg_json_text", one.copy()), TEXT, target), target.duckdb),
        string(f"22P02:expected JSON array{hint}"),
    )


def _row(form: str, one: exp.Expr, target: PgType, depth: int, base: exp.Expr | None) -> exp.Expr:
    row = object_as_row(form, one, target, depth, base)
    return fragment(
        "CASE JSON_TYPE(_0) WHEN 'OBJECT' THEN _1 WHEN 'VARCHAR' THEN _2"
        " WHEN 'ARRAY' THEN ERROR('22023:cannot call populate_composite on an array')"
        " ELSE ERROR('22023:cannot call populate_composite on a scalar') END",
        one,
        row,
        cast(converted(call("tg_json_text", one.copy()), TEXT, target), target.duckdb),
    )


def object_as_row(
    form: str, holder: exp.Expr, target: PgType, depth: int, base: exp.Expr | None = None
) -> exp.Expr:
    """Return the row of an object's members; what it has not is taken from ``base``."""
    fields = []
    for number, (name, pg_type) in enumerate(target.members, 1):
        get = "tg_json_get" if form == TEXT_FORMS["jsonb"] else "tg_json_kept_get"
        member = call(get, holder.copy(), string(name))
        if base is None:
            fields.append(read_json(form, member, pg_type, name, depth + 1))
            continue
        own = fragment(f"STRUCT_EXTRACT(_0, 'f{number}')", base.copy())
        value = read_json(form, member, pg_type, name, depth + 1, base=own.copy())
        is_kept = "_0 IS NULL" if pg_type.domain is None else "_0 IS NULL AND _3 IS NOT NULL"
        tree = f"CASE WHEN {is_kept} THEN _1 ELSE _2 END"
        fields.append(fragment(tree, member.copy(), own, value, base.copy()))
    return cast(row_fragment(fields), target.duckdb)


def populated(base: Typed, holder: Typed) -> Typed:
    """Return json_populate_record: a row with the members of an object put in.

    Raises:
        FeatureNotSupported: Nobody knows its columns.
    """
    if not base.type.members:
        raise undefined_columns(f"{holder.type.name}_populate_record")
    row = object_as_row(TEXT_FORMS[holder.type.name], holder.tree, base.type, 0, base.tree)
    tree = fragment(
        "CASE WHEN _0 IS NULL THEN _1 WHEN JSON_TYPE(_0) = 'OBJECT' THEN _2"
        " WHEN JSON_TYPE(_0) = 'ARRAY' THEN ERROR(_3) ELSE ERROR(_4) END",
        holder.tree,
        base.tree,
        row,
        string("22023:cannot call populate_composite on an array"),
        string("22023:cannot call populate_composite on a scalar"),
    )
    return Typed(checked(cast(tree, base.type.duckdb), base.type), base.type)


def undefined_columns(name: str) -> FeatureNotSupported:
    """Return the error of a function whose result's columns are not known."""
    return FeatureNotSupported(
        f"could not determine row type for result of {name}",
        hint="Provide a non-null record argument, or call the function in the FROM clause"
        " using a column definition list.",
    )


def rows_of_array(name: str, target: PgType, base: exp.Expr | None, holder: Typed) -> exp.Expr:
    """Return the list of rows that an array of objects holds."""
    item = exp.column("o")
    is_binary = holder.type.oid == JSONB.oid
    row = checked(object_as_row(TEXT_FORMS[holder.type.name], item, target, 0, base), target)
    objects = fragment(
        "CASE WHEN JSON_TYPE(_0) = 'OBJECT' THEN _1 ELSE ERROR(_2) END",
        item.copy(),
        row,
        string(f"22023:argument of {name} must be an array of objects"),
    )
    items = fragment(
        f"CASE JSON_TYPE(_0) WHEN 'ARRAY' THEN {_elements(TEXT_FORMS[holder.type.name])}(_0)"
        " WHEN 'OBJECT' THEN ERROR(_1)"
        " ELSE CASE WHEN _0 IS NOT NULL THEN ERROR(_2) END END",
        holder.tree,
        string(f"22023:cannot call {name} on {'a non-array' if is_binary else 'an object'}"),
        string(f"22023:cannot call {name} on {'a non-array' if is_binary else 'a scalar'}"),
    )
    return fragment("LIST_TRANSFORM(_0, LAMBDA o : _1)", items, objects)


def _populated_map(arguments: Sequence[Typed]) -> Typed:
    """Return RisingWave's jsonb_populate_map: a map with the members of an object put in."""
    base, holder = arguments
    assert base.type.entry is not None
    key_type, value_type = base.type.entry
    key = _from_text(exp.column("k"), key_type)
    value = read_json(
        TEXT_FORMS["jsonb"], fragment("tg_json_get(_0, k)", holder.tree), value_type, ""
    )
    names = call(
        "tg_json_keys",
        holder.tree,
        string("cannot convert to map"),
        string("cannot convert to map"),
    )
    put = fragment(
        "MAP_FROM_ENTRIES(LIST_TRANSFORM(_0, LAMBDA k : {'key': _1, 'value': _2}))",
        names,
        key,
        value,
    )
    merged = fragment("MAP_CONCAT(COALESCE(_0, _1), _1)", base.tree, cast(put, base.type.duckdb))
    tree = fragment("CASE WHEN _0 IS NULL THEN _1 ELSE _2 END", holder.tree, base.tree, merged)
    return Typed(cast(tree, base.type.duckdb), base.type)


#: Functions that give rows whose columns a call in FROM defines; the last two give many.
OF_DEFINED_COLUMNS: Final = (
    *(f"{kind.name}_to_record" for kind in _KINDS),
    *(f"{kind.name}_to_recordset" for kind in _KINDS),
)


def rows_of_definition(
    name: str, holder: Typed, target: PgType, base: exp.Expr | None = None
) -> exp.Expr:
    """Return the list of rows that such a function gives, of the type that is defined."""
    if name.endswith("set"):
        return rows_of_array(name, target, base, holder)
    nothing = cast(exp.Null(), target.duckdb) if base is None else base
    row = populated(Typed(nothing, target), holder).tree
    return fragment("CASE WHEN _0 IS NOT NULL THEN [_1] ELSE [_2] END", holder.tree, row, nothing)


#: Functions that take a row and give such ones, whose columns a call in FROM may define.
POPULATED: Final = (
    *(f"{kind.name}_populate_record" for kind in _KINDS),
    *(f"{kind.name}_populate_recordset" for kind in _KINDS),
)

JSON_RECORD_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *(
        rule(f"{name}_populate_record(record, {types})", lambda a: populated(a[0], a[1]))
        for name, types in (("json", "json"), ("json", "json, bool"), ("jsonb", "jsonb"))
    ),
    rule("jsonb_populate_map(anymap, jsonb)", _populated_map),
)
