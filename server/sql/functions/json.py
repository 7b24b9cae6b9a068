"""json and jsonb (PostgreSQL 15, chapter 9.16)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from barrier.engine_errors import HINT_MARK
from catalog.errors import InvalidParameterValue
from catalog.types import FLOAT8, JSON, JSONB, TEXT, TIMESTAMP, PgType, array_of
from server.sql.casts import iso_text, text_of
from server.sql.fragment import call, cast, concatenated, fragment, string
from server.sql.json_operators import canonical_json, json_as_text, path_tree
from server.sql.overload import Overload, rule, table
from server.sql.special import lifted
from server.sql.typed import Typed
from server.value.style import current_style

_TABLE: Final = """
json_typeof(json) text = tg_json_typeof(_0)
jsonb_typeof(jsonb) text = tg_json_typeof(_0)
json_array_length(json) int4 = tg_json_array_length(_0)
jsonb_array_length(jsonb) int4 = tg_json_array_length(_0)
jsonb_pretty(jsonb) text = tg_jsonb_pretty(CAST(_0 AS TEXT))
jsonb_strip_nulls(jsonb) jsonb = tg_jsonb_strip_nulls(CAST(_0 AS TEXT))
jsonb_set(jsonb, text[], jsonb) jsonb = tg_jsonb_set(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), TRUE)
jsonb_set(jsonb, text[], jsonb, bool) jsonb = tg_jsonb_set(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), _3)
jsonb_insert(jsonb, text[], jsonb) jsonb = tg_jsonb_insert(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), FALSE)
jsonb_insert(jsonb, text[], jsonb, bool) jsonb = tg_jsonb_insert(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), _3)
json_strip_nulls(json) json = CAST(tg_json_strip_nulls(CAST(_0 AS TEXT)) AS JSON)
jsonb_set_lax(jsonb, text[], jsonb) jsonb = tg_jsonb_set_lax(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), TRUE, 'use_json_null')
jsonb_set_lax(jsonb, text[], jsonb, bool) jsonb = tg_jsonb_set_lax(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), _3, 'use_json_null')
jsonb_set_lax(jsonb, text[], jsonb, bool, text) jsonb = tg_jsonb_set_lax(CAST(_0 AS TEXT), _1, CAST(_2 AS TEXT), _3, _4)
jsonb_contains(jsonb, jsonb) bool = tg_jsonb_contains(CAST(_0 AS TEXT), CAST(_1 AS TEXT))
jsonb_exists(jsonb, text) bool = tg_jsonb_has_key(CAST(_0 AS TEXT), _1)
"""


def path_call(name: str, count: int, *, has_zone: bool) -> str:
    """Return the call of a function over paths with the defaults of what was not given."""
    given = [f"CAST(_{i} AS TEXT)" if i != 3 else "_3" for i in range(count)]
    rest = ["'{}'", "FALSE"][count - 2 :]
    zone = "CURRENT_SETTING('TimeZone')" if has_zone else "''"
    return f"tg_jsonb_path_{name}({', '.join([*given, *rest, zone])})"


#: The arguments of functions over paths, the last ones of which need not be given.
PATH_ARGUMENTS: Final = (
    "jsonb, jsonpath",
    "jsonb, jsonpath, jsonb",
    "jsonb, jsonpath, jsonb, bool",
)


def _path_functions() -> str:
    results = {"exists": "bool", "match": "bool", "query_array": "jsonb", "query_first": "jsonb"}
    lines = [
        f"jsonb_path_{name}{suffix}({types}) {result} = {path_call(name, count, has_zone=bool(suffix))}"
        for name, result in results.items()
        for suffix in ("", "_tz")
        for count, types in enumerate(PATH_ARGUMENTS, 2)
    ]
    return "\n".join(lines)


_NUMBERS: Final = frozenset({"int2", "int4", "int8", "numeric", "oid"})
_MOMENTS: Final = frozenset({"timestamp", "timestamptz"})
_PEER_FLOATS: Final = frozenset({"float4", "float8", "numeric"})


def _row_text(value: Typed, between: str) -> exp.Expr:
    """Return a row as a JSON object of its columns."""
    pieces: list[exp.Expr] = []
    for number, (name, pg_type) in enumerate(value.type.members, 1):
        column = Typed(fragment(f"STRUCT_EXTRACT(_0, 'f{number}')", value.tree), pg_type)
        pieces.append(
            string(f"{between if pieces else '{'}{json.dumps(name, ensure_ascii=False)}:")
        )
        pieces.append(fragment("COALESCE(_0, 'null')", json_text(column)))
    whole = concatenated([*pieces, string("}" if pieces else "{}")])
    return fragment("CASE WHEN _0 IS NOT NULL THEN _1 END", value.tree, whole)


def _map_text(value: Typed, entry: tuple[PgType, PgType]) -> exp.Expr:
    """Return a map as a JSON object, its keys as texts."""
    name = f"m{value.type.display().count('(')}"
    key, held = (
        Typed(fragment(f"STRUCT_EXTRACT({name}, '{part}')"), part_type)
        for part, part_type in zip(("key", "value"), entry, strict=True)
    )
    return fragment(
        f"'{{' || ARRAY_TO_STRING(LIST_TRANSFORM(MAP_ENTRIES(_0), LAMBDA {name} :"
        " CAST(TO_JSON(_1) AS TEXT) || ':' || COALESCE(_2, 'null')), ',') || '}'",
        value.tree,
        text_of(key.tree, key.type),
        json_text(held),
    )


def json_text(value: Typed, between: str = ",") -> exp.Expr:
    """Return a value as JSON text; NULL stays NULL.

    ``between`` is what stands between its own items or members.
    """
    kind = value.type.name
    if value.type.element is not None:
        element = value.type.element
        item_type = element
        if value.type.duckdb.endswith("[][]"):
            item_type = array_of(element)
        item = json_text(Typed(exp.column("j"), item_type))
        return fragment(
            "'[' || ARRAY_TO_STRING(LIST_TRANSFORM(_0, LAMBDA j : COALESCE(_1, 'null')), _2) || ']'",
            value.tree,
            item,
            string(between),
        )
    if value.type.is_row:
        return _row_text(value, between)
    if value.type.entry is not None:
        return _map_text(value, value.type.entry)
    if kind in {"json", "jsonb", "bool"}:
        return cast(value.tree, "VARCHAR")
    if value.type.has_specials:
        return lifted("json", [value], lambda n: Typed(json_text(n[0]), TEXT)).tree
    is_peer = current_style().is_peer
    if is_peer and kind in _PEER_FLOATS:
        # Of numbers with a fraction RisingWave's JSON has but floats of eight bytes.
        number = cast(value.tree, FLOAT8.duckdb)
        shown = fragment("CAST(_0 AS VARCHAR)", number)
        word = fragment("'\"' || _0 || '\"'", text_of(number.copy(), FLOAT8))
        return fragment("CASE WHEN ISFINITE(_0) THEN _1 ELSE _2 END", number, shown, word)
    if kind in _NUMBERS:
        return text_of(value.tree, value.type)
    if kind in {"float4", "float8"}:
        return fragment(
            "CASE WHEN ISNAN(_0) OR ISINF(_0) THEN '\"' || _1 || '\"' ELSE _1 END",
            value.tree,
            text_of(value.tree, value.type),
        )
    shows = iso_text if kind == "date" or kind in _MOMENTS else text_of
    text = shows(value.tree, value.type)
    if is_peer and kind == "timestamptz":
        local = Typed(fragment("_0 AT TIME ZONE 'UTC'", value.tree), TIMESTAMP)
        text = fragment("_0 || '+00:00'", text_of(local.tree, TIMESTAMP))
    if kind in _MOMENTS:
        text = fragment("REPLACE(_0, ' ', 'T')", text)
    if kind == "timestamptz":
        text = fragment("REGEXP_REPLACE(_0, '([+-][0-9][0-9])$', '\\1:00')", text)
    return fragment("CAST(TO_JSON(_0) AS TEXT)", text)


def _converted(result: PgType, arguments: Sequence[Typed]) -> Typed:
    value = arguments[0]
    if value.type.oid == result.oid:
        return value
    text = json_text(value)
    if current_style().is_peer and result.oid == JSONB.oid:
        text = fragment("COALESCE(_0, 'null')", text)
    return as_json(text, result)


def as_json(text: exp.Expr, result: PgType) -> Typed:
    """Return JSON text that is known to be valid as json, or canonical as jsonb."""
    if result.oid == JSONB.oid:
        return Typed(call("tg_jsonb", text), JSONB)
    return Typed(cast(text, "JSON"), JSON)


def _built_array(result: PgType, arguments: Sequence[Typed]) -> Typed:
    pieces = [string("[")]
    for i, argument in enumerate(arguments):
        pieces += [string(", ")] if i else []
        pieces.append(fragment("COALESCE(_0, 'null')", json_text(argument)))
    return as_json(concatenated([*pieces, string("]")]), result)


def _built_object(result: PgType, arguments: Sequence[Typed]) -> Typed:
    if len(arguments) % 2:
        raise InvalidParameterValue(
            "argument list must have even number of elements",
            hint=f"The arguments of {result.name}_build_object() must consist of alternating keys and values.",
        )
    pieces = [string("{")]
    for i, (key, value) in enumerate(zip(arguments[::2], arguments[1::2], strict=True)):
        pieces += [string(", ")] if i else []
        fault = f"argument {2 * i + 1}: key must not be null"
        if result.oid == JSON.oid:
            fault = f"argument {2 * i + 1} cannot be null{HINT_MARK}Object keys should be text."
        pieces.append(key_text(key, fault))
        pieces.append(string(" : "))
        pieces.append(fragment("COALESCE(_0, 'null')", json_text(value)))
    return as_json(concatenated([*pieces, string("}")]), result)


def key_text(key: Typed, of_null: str) -> exp.Expr:
    """Return a value as a member's key; what is no scalar is refused, and NULL with a message."""
    missing = call("ERROR", string(f"22023:{of_null}"))
    if key.type.is_array or key.type.is_row or key.type.name in {"json", "jsonb"}:
        refused = call("ERROR", string(f"22023:{_NO_KEY}"))
        tree = fragment("CASE WHEN _0 IS NULL THEN _1 ELSE _2 END", key.tree, missing, refused)
        return cast(tree, "VARCHAR")
    quoted = fragment("CAST(TO_JSON(_0) AS TEXT)", text_of(key.tree, key.type))
    return fragment("COALESCE(_0, _1)", quoted, missing)


_NO_KEY: Final = "key value must be scalar, not array, composite, or json"


def _object_of_texts(result: PgType, arguments: Sequence[Typed]) -> Typed:
    """Return an object of the texts in an array, or in one of keys and one of values."""
    name = "tg_json_object"
    depth = max(a.type.dimensions for a in arguments)
    if depth > 2 or (depth > 1 and len(arguments) > 1):
        fault = call("ERROR", string("2202E:wrong number of array subscripts"))
        return as_json(cast(fault, "VARCHAR"), result)
    if len(arguments) > 1:
        name = "tg_json_object_of_two"
    elif arguments[0].type.dimensions > 1:
        name = "tg_json_object_of_rows"
    return as_json(call(name, *(a.tree for a in arguments)), result)


def _prettily(arguments: Sequence[Typed]) -> Typed:
    """Return a value as json, with a line for each of its own members if that is wanted."""
    value, is_wanted = arguments
    pretty = json_text(value, between=",\n ")
    tree = fragment("CASE WHEN _0 THEN _1 ELSE _2 END", is_wanted.tree, pretty, json_text(value))
    return as_json(fragment("CASE WHEN _0 IS NOT NULL THEN _1 END", is_wanted.tree, tree), JSON)


def _at_path(arguments: Sequence[Typed], *, is_text: bool) -> Typed:
    holder, *steps = arguments
    items = exp.Array(expressions=[s.tree.copy() for s in steps])
    path = Typed(cast(items, "VARCHAR[]"), holder.type)
    tree = path_tree(holder, path)
    return json_as_text(tree, holder.type) if is_text else canonical_json(tree, holder.type)


JSON_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *table(_TABLE),
    *table(_path_functions()),
    rule("to_json(any)", partial(_converted, JSON)),
    rule("to_jsonb(any)", partial(_converted, JSONB)),
    rule("row_to_json(record)", partial(_converted, JSON)),
    rule("array_to_json(anyarray)", partial(_converted, JSON)),
    rule("row_to_json(record, bool)", _prettily),
    rule("array_to_json(anyarray, bool)", _prettily),
    *(
        rule(f"{kind.name}_object({types})", partial(_object_of_texts, kind))
        for kind in (JSON, JSONB)
        for types in ("text[]", "text[], text[]")
    ),
    *(
        rule(f"{name}({types})", partial(build, kind))
        for kind in (JSON, JSONB)
        for name, build in (
            (f"{kind.name}_build_array", _built_array),
            (f"{kind.name}_build_object", _built_object),
        )
        for types in ("", "variadic any")
    ),
    *(
        rule(f"{kind}_{name}({kind}, variadic text)", partial(_at_path, is_text=is_text))
        for kind in ("json", "jsonb")
        for name, is_text in (("extract_path", False), ("extract_path_text", True))
    ),
)
