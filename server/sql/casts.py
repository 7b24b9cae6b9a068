"""How a value of one type becomes a value of another, as DuckDB trees.

Whether it may is coercion's business; here every pair that it allows has its way.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from sqlglot import exp

from catalog.oid import FIRST_USER_OID
from catalog.special_numeric import Special
from catalog.types import (
    BPCHAR,
    NUMERIC,
    NUMERIC_PRECISION,
    OBJECT_TYPES,
    TEXT,
    VECTORS,
    PgType,
    all_types,
    array_of,
)
from server.sql.bits import bits_of_integer, fitted_bits
from server.sql.fragment import call, cast, fragment, row_fragment, string
from server.sql.held_moment import held_moment
from server.sql.real import real_of
from server.sql.special import bounded, is_number, lifted, retyped
from server.sql.typed import Typed
from server.sql.written_numeric import scale_code_of, scale_code_of_text, stored, value_of
from server.value.restyle import CLOCKS, is_plain, shows_as_peer
from server.value.style import current_style
from server.wire.text_images import text_image

_OBJECTS: Final = frozenset(t.name for t in OBJECT_TYPES)
_INTEGERS: Final = _OBJECTS | {"int2", "int4", "int8", "oid", "xid", "cid", "xid8"}
#: The engine's name for the session, which knows what objects are called.
_ME: Final = "GETVARIABLE('session')"
_FLOAT_DIGITS: Final = {"float4": 6, "float8": 15}
_FLOATS: Final = frozenset(_FLOAT_DIGITS)


def is_text(pg_type: PgType) -> bool:
    """Whether values are stored as plain text of the string category."""
    return (
        pg_type.category == "S"
        or pg_type.name in {"unknown", "char"}
        or (pg_type.is_internal_text and pg_type.element is None)
    )


def text_of(tree: exp.Expr, source: PgType, depth: int = 1) -> exp.Expr:
    """Return the text that a client sees of a value."""
    if source.element is not None:
        return _array_text(tree, source, depth)
    plain = _plain_text(tree, source)
    style = current_style()
    if is_plain(source.name, style):
        return plain
    if source.name in CLOCKS and shows_as_peer(style):
        return fragment("tg_peer_clock(_0)", plain)
    return fragment(f"tg_shown('{source.name}', _0, _1)", plain, _style())


def iso_text(tree: exp.Expr, source: PgType) -> exp.Expr:
    """Return the text of a date or moment in the style ISO, whatever the session's is."""
    return _plain_text(tree, source)


def output_text(tree: exp.Expr, source: PgType, depth: int = 1) -> exp.Expr:
    """Return the text that a type's output function gives, which for booleans is no cast's."""
    if source.name == "bool":
        return fragment("CASE WHEN _0 THEN 't' WHEN NOT _0 THEN 'f' END", tree)
    return text_of(tree, source, depth)


def _plain_text(tree: exp.Expr, source: PgType) -> exp.Expr:
    if source.labels:
        return call(f"ut{source.oid}_text", tree)
    if source.is_row or source.entry is not None:
        return _image(tree, source)
    match source.name:
        case "bpchar":
            return fragment("RTRIM(_0, ' ')", tree)
        case "float8":
            return fragment("tg_float_text(_0, 1e15)", tree)
        case "float4":
            return fragment("tg_float4_text(_0)", tree)
        case "numeric" if source.carries_scale:
            return _image(tree, source)
        case "numeric" if source.has_specials:
            return _special_text(Typed(tree, source)).tree
        case "numeric" if source.scale and not source.keeps_scale:
            return fragment("tg_trimmed(CAST(_0 AS TEXT))", tree)
        case "interval" | "record":
            return _image(tree, source)
        case "date" | "timestamp" | "timestamptz":
            return fragment("tg_era_last(CAST(_0 AS TEXT))", tree)
        case "regtype":
            return fragment(_type_names(), tree)
        case name if name in _OBJECTS:
            return fragment(f"tg_object_text({_ME}, '{name}', _0)", tree)
        case "tid":
            return _image(tree, source)
        case "int2vector" | "oidvector":
            return fragment("ARRAY_TO_STRING(_0, ' ')", tree)
        case "bytea":
            return fragment("'\\x' || LOWER(HEX(_0))", tree)
        case _ if is_text(source):
            return tree
        case _:
            return cast(tree, "VARCHAR")


def _image(tree: exp.Expr, source: PgType) -> exp.Expr:
    """Return the text that a client would be sent."""
    return fragment(text_image("_0", source), tree)


def _special_text(value: Typed) -> Typed:
    return lifted(
        "digits" if value.type.keeps_scale else "text",
        [value],
        lambda numbers: Typed(text_of(numbers[0].tree, numbers[0].type), TEXT),
    )


@lru_cache(maxsize=1)
def _type_names() -> str:
    """Return what tells the name of the type with the OID ``_0``, in DuckDB's SQL."""
    names = " ".join(f"WHEN {t.oid} THEN '{t.sql_name}'" for t in all_types())
    others = f"tg_object_text({_ME}, 'regtype', _0)"
    made = f"WHEN _0 >= {FIRST_USER_OID} THEN {others}"
    return f"CASE WHEN _0 = 0 THEN '-' {made} ELSE CASE _0 {names} ELSE CAST(_0 AS VARCHAR) END END"


def _array_text(tree: exp.Expr, source: PgType, depth: int) -> exp.Expr:
    element = source.element
    assert element is not None
    name = f"e{depth}"
    item: exp.Expr = exp.column(name)
    if source.duckdb.endswith("[][]"):
        text = _array_text(item, _without_dimension(source), depth + 1)
    else:
        text = fragment(
            "COALESCE(tg_array_item(_0), 'NULL')", output_text(item, element, depth + 1)
        )
    return fragment(
        f"'{{' || ARRAY_TO_STRING(LIST_TRANSFORM(_0, LAMBDA {name} : _1), ',') || '}}'", tree, text
    )


def _without_dimension(source: PgType) -> PgType:
    return replace(source, duckdb=source.duckdb.removesuffix("[]"))


def converted(tree: exp.Expr, source: PgType, target: PgType, depth: int = 1) -> exp.Expr:
    """Return a tree of the target's DuckDB type; lengths of strings are not looked at."""
    source = _as_array(source, target)
    if source.carries_scale != target.carries_scale:
        return _converted_written(tree, source, target, depth)
    if source.element is not None and target.element is not None:
        return _array_converted(tree, source, target, depth)
    if source.has_specials != target.has_specials or (
        source.has_specials and source.scale != target.scale
    ):
        return _converted_special(tree, source, target)
    if source.oid == target.oid and source.duckdb == target.duckdb:
        return tree
    if source.is_row and target.is_row:
        return _record_converted(tree, source, target, depth)
    if source.entry is not None and target.entry is not None:
        return _map_converted(tree, source.entry, target, depth)
    if (source.name, target.name) == ("int4", "char"):
        return call("tg_char_of", tree)
    if (source.name, target.name) == ("char", "int4"):
        return cast(call("tg_code_of", tree), "INTEGER")
    if is_text(target):
        text = text_of(tree, source, depth)
        if target.name == "name":
            return fragment("CASE WHEN STRLEN(_0) > 63 THEN tg_cut_name(_0) ELSE _0 END", text)
        return fragment("LEFT(_0, 1)", text) if target.name == "char" else text
    if is_text(source):
        return _from_text(text_of(tree, source), target, depth)
    match source.name, target.name:
        case "float4" | "float8", "numeric":
            digits = _FLOAT_DIGITS[source.name]
            return cast(fragment(f"tg_float_decimal(_0, {digits})", tree), target.duckdb)
        case "float8", "float4":
            return real_of(tree)
        case "int4" | "int8", "bit":
            return bits_of_integer(tree, source, target)
        case "bit", "int4" | "int8":
            return fragment(f"tg_bits_{target.name}(_0)", tree)
        case "int2" | "int4", name if name == "oid" or name in _OBJECTS:
            return fragment(
                "_0 + CASE WHEN _0 < 0 THEN 4294967296 ELSE 0 END", cast(tree, "BIGINT")
            )
        case "int8", name if name == "oid" or name in _OBJECTS:
            fault = "ERROR('22003:OID out of range')"
            return fragment(
                f"CASE WHEN _0 NOT BETWEEN 0 AND 4294967295 THEN {fault} ELSE _0 END", tree
            )
        case "time", "interval":
            return fragment("TO_MICROSECONDS(CAST(tg_time_us(_0) AS BIGINT))", tree)
        case "interval", "time":
            return fragment("CAST(CAST('00:00:00' AS TIME) + _0 AS TIME)", tree)
        case "timestamp" | "timestamptz", "time":
            return fragment(
                "CASE WHEN ISFINITE(_0) THEN CAST(CAST(_0 AS TIMESTAMP) AS TIME) END", tree
            )
        case "timestamptz", "timetz":
            return fragment("tg_timestamptz_timetz(_0)", tree)
        case "time", "timetz":
            return fragment("tg_timetz_input(CAST(_0 AS TEXT), _1)", tree, _style())
        case "json", "jsonb":
            return fragment("tg_jsonb(CAST(_0 AS TEXT))", tree)
        case "jsonb", "json":
            return tree
        case "jsonb", "bool":
            return fragment("CAST(tg_jsonb_scalar(_0, 'boolean', 'boolean') AS BOOLEAN)", tree)
        case "jsonb", _:
            number = fragment("tg_jsonb_scalar(_0, 'number', _1)", tree, string(target.sql_name))
            exact = number if target.name in _FLOATS else cast(number, "DECIMAL(38, 16)")
            return cast(exact, target.duckdb)
        case _, "bool":
            return fragment("CAST(_0 <> 0 AS BOOLEAN)", tree)
        case _ if source.duckdb == target.duckdb:
            return tree
        case _:
            return cast(tree, target.duckdb)


def converted_value(value: Typed, target: PgType) -> Typed:
    """Return a value of the target type; lengths of strings are not looked at."""
    source = value.type
    if source.carries_scale != target.carries_scale or not source.has_specials:
        return Typed(converted(value.tree, source, target), target)
    if is_text(target):
        return retyped(_special_text(value), target)
    if target.has_specials and source.scale == target.scale:
        return retyped(value, target)
    operation = "numeric"
    if not target.has_specials:
        operation = f"declared {target.precision} {target.scale}"
    if target.name != "numeric":
        operation = target.sql_name if target.name in _INTEGERS else "text"
    found = lifted(
        operation,
        [value],
        lambda numbers: Typed(cast(numbers[0].tree, target.duckdb), is_number(target)),
    )
    return retyped(found, target)


def _converted_special(tree: exp.Expr, source: PgType, target: PgType) -> exp.Expr:
    """Convert where one side is a numeric that may be NaN or infinite."""
    if source.has_specials:
        if is_text(target):
            return text_of(tree, source)
        return converted_value(Typed(tree, source), target).tree
    if is_text(source):
        text = text_of(tree, source)
        number = bounded(cast(fragment("TRIM(_0)", text), target.duckdb), target)
        words = [cast(string(word), target.duckdb) for word in _special_numbers(target)]
        return fragment("tg_numeric_word(_0, _1, _2, _3)", text, number, *words)
    if source.name in _FLOATS:
        digits = _FLOAT_DIGITS[source.name]
        words = [string(word) for word in _special_numbers(target)]
        return cast(
            fragment(f"tg_float_numeric(_0, {digits}, _1, _2)", tree, *words), target.duckdb
        )
    number = converted(tree, source, is_number(target))
    is_as_wide = source.name == "jsonb" or (
        source.precision == NUMERIC_PRECISION and source.scale == target.scale
    )
    return bounded(number, target) if is_as_wide else number


def _converted_written(tree: exp.Expr, source: PgType, target: PgType, depth: int) -> exp.Expr:
    """Convert where one side is a numeric that carries its scale."""
    if source.carries_scale:
        if target.same_base(NUMERIC) or not is_text(target):
            return converted(value_of(Typed(tree, source)).tree, NUMERIC, target, depth)
        return text_of(tree, source)
    number = Typed(converted(tree, source, NUMERIC, depth), NUMERIC)
    if is_text(source):
        return stored(number, scale_code_of_text(tree)).tree
    return stored(number, scale_code_of(Typed(tree, source))).tree


def _special_numbers(target: PgType) -> tuple[str, str]:
    """Return the numbers that stand for NaN and Infinity."""
    assert target.scale is not None
    return Special.NAN.stored(target.scale), Special.INFINITY.stored(target.scale)


def _record_converted(tree: exp.Expr, source: PgType, target: PgType, depth: int) -> exp.Expr:
    converted_members = []
    pairs = zip(source.members, target.members, strict=True)
    for number, ((_, given), (_, wanted)) in enumerate(pairs, 1):
        member = fragment(f"STRUCT_EXTRACT(_0, 'f{number}')", tree)
        made = cast(converted(member, given, wanted, depth), wanted.duckdb)
        converted_members.append(fitted(made, wanted, is_explicit=False))
    row = fragment("CASE WHEN _0 IS NOT NULL THEN _1 END", tree, row_fragment(converted_members))
    return cast(row, target.duckdb)


def _record_from_text(tree: exp.Expr, target: PgType, depth: int) -> exp.Expr:
    name = f"r{depth}"
    members = []
    for number, (_, member) in enumerate(target.members, 1):
        column = fragment(f"LIST_EXTRACT({name}, {number})")
        made = cast(converted(column, TEXT, member, depth + 1), member.duckdb)
        members.append(fitted(made, member, is_explicit=False))
    row = fragment(
        f"LIST_EXTRACT(LIST_TRANSFORM([tg_record_input(_0, {len(members)})],"
        f" LAMBDA {name} : CASE WHEN {name} IS NOT NULL THEN _1 END), 1)",
        tree,
        row_fragment(members),
    )
    return cast(row, target.duckdb)


def _map_converted(
    tree: exp.Expr, source: tuple[PgType, PgType], target: PgType, depth: int
) -> exp.Expr:
    assert target.entry is not None
    name = f"m{depth}"
    key, value = (
        converted(fragment(f"STRUCT_EXTRACT({name}, '{part}')"), given, wanted, depth + 1)
        for part, given, wanted in zip(("key", "value"), source, target.entry, strict=True)
    )
    entries = fragment(
        f"LIST_TRANSFORM(MAP_ENTRIES(_0), LAMBDA {name} : {{'key': _1, 'value': _2}})",
        tree,
        key,
        value,
    )
    return cast(call("MAP_FROM_ENTRIES", entries), target.duckdb)


def _array_converted(tree: exp.Expr, source: PgType, target: PgType, depth: int) -> exp.Expr:
    assert source.element is not None
    assert target.element is not None
    if (
        source.duckdb == target.duckdb
        and source.element.oid == target.element.oid
        and source.element.has_specials == target.element.has_specials
    ):
        return tree
    name = f"e{depth}"
    if source.duckdb.endswith("[][]"):
        inner = _array_converted(exp.column(name), _without_dimension(source), target, depth + 1)
    else:
        inner = converted(exp.column(name), source.element, target.element, depth + 1)
    return fragment(f"LIST_TRANSFORM(_0, LAMBDA {name} : _1)", tree, inner)


def _as_array(source: PgType, target: PgType) -> PgType:
    """Return an int2vector or oidvector that becomes an array as the array that it is."""
    if target.element is not None and source.oid in VECTORS:
        return array_of(VECTORS[source.oid])
    return source


def _array_from_text(tree: exp.Expr, target: PgType, depth: int) -> exp.Expr:
    """Read an array of as many dimensions as its type has."""
    assert target.element is not None
    count = target.dimensions
    item = _from_text(exp.column(f"e{depth + count - 1}"), target.element, depth + count)
    for level in reversed(range(depth, depth + count)):
        items: exp.Expr = exp.column(f"e{level - 1}")
        if level == depth:
            items = call(f"tg_array_input_{count}" if count > 1 else "tg_array_input", tree)
        item = fragment(f"LIST_TRANSFORM(_0, LAMBDA e{level} : _1)", items, item)
    return item


def _from_text(tree: exp.Expr, target: PgType, depth: int) -> exp.Expr:
    if target.oid in VECTORS:
        return cast(fragment("STRING_SPLIT(TRIM(_0), ' ')", tree), target.duckdb)
    if target.name in _OBJECTS:
        return fragment(f"tg_object_oid({_ME}, '{target.name}', _0)", tree)
    if target.element is not None:
        return _array_from_text(tree, target, depth)
    if target.labels:
        return call(f"ut{target.oid}_in", tree)
    if target.is_row:
        return _record_from_text(tree, target, depth)
    if target.has_specials:
        return _converted_special(tree, TEXT, target)
    name = target.name
    if name in _INTEGERS:
        checked = fragment("tg_integer_text(_0, _1)", tree, string(target.sql_name))
        number = cast(checked, target.duckdb)
        if target.size == 4 and target.duckdb == "BIGINT":
            return fragment("tg_oid_input(_0, _1, _2)", tree, number, string(target.sql_name))
        return number
    if name in _FLOATS:
        checked = fragment("tg_number_word(_0, _1)", tree, string(target.sql_name))
        number = cast(checked, target.duckdb)
        return fragment("tg_float_input(_0, _1, _2)", tree, number, string(target.sql_name))
    if name == "numeric":
        checked = fragment("tg_number_word(_0, _1)", tree, string(target.sql_name))
        return cast(checked, target.duckdb)
    match name:
        case "bool":
            return call("tg_boolean", tree)
        case "interval":
            read = fragment("tg_interval_input(_0, _1)", tree, _style())
            return cast(read, "INTERVAL")
        case "date" | "time" | "timetz" | "timestamp" | "timestamptz":
            return cast(fragment(f"tg_{name}_input(_0, _1)", tree, _style()), target.duckdb)
        case "bytea":
            return call("tg_bytea_input", tree)
        case "jsonb":
            return call("tg_jsonb", tree)
        case "json":
            return call("tg_json_input", tree)
        case "jsonpath":
            return call("tg_jsonpath_input", tree)
        case "tid":
            return call("tg_tid_input", tree)
        case "bit" | "varbit":
            return call("tg_bits_input", tree)
        case "uuid":
            return call("tg_uuid_input", tree)
        case "rw_int256":
            return cast(call("tg_int256_input", tree), "BIGNUM")
        case _:
            return tree if is_text(target) else cast(tree, target.duckdb)


def _style() -> exp.Expr:
    return string(current_style().key)


def fitted(tree: exp.Expr, target: PgType, *, is_explicit: bool) -> exp.Expr:
    """Return a value within the length of varchar(n) or char(n), or the digits of its seconds.

    An explicit cast cuts silently; otherwise only blanks may be lost. A domain's value is checked.
    """
    if target.domain is not None:
        held = cast(fitted(tree, target.bare, is_explicit=is_explicit), target.duckdb)
        return cast(call(f"ut{target.domain.oid}_check", held), target.duckdb)
    if target.members and _holds_domains(target):
        return _record_converted(tree, target, target, 1)
    if target.element is not None:
        return _fitted_items(tree, target, is_explicit=is_explicit)
    if target.seconds is not None or target.fields:
        return held_moment(tree, target)
    length = target.length
    if length is None:
        return tree
    if target.is_bits:
        return fitted_bits(tree, target, is_explicit=is_explicit)
    size = exp.Literal.number(str(length))
    if is_explicit:
        cut = fragment("LEFT(_0, _1)", tree, size)
    else:
        cut = fragment("tg_fit(_0, _1, _2)", tree, size, string(target.sql_name))
    return fragment("RPAD(_0, _1, ' ')", cut, size) if target.oid == BPCHAR.oid else cut


def _holds_domains(pg_type: PgType) -> bool:
    return pg_type.domain is not None or any(_holds_domains(m) for _, m in pg_type.members)


def _fitted_items(tree: exp.Expr, target: PgType, *, is_explicit: bool) -> exp.Expr:
    element = target.element
    assert element is not None
    is_bounded = element.length is not None or element.seconds is not None or element.fields
    if not is_bounded and not _holds_domains(element):
        return tree
    depth = target.dimensions
    inner = _without_dimension(target) if depth > 1 else element
    name = f"x{depth}"
    item = fitted(exp.column(name), inner, is_explicit=is_explicit)
    return fragment(f"LIST_TRANSFORM(_0, LAMBDA {name} : _1)", tree, item)


def numeric_width(pg_type: PgType) -> tuple[int, int]:
    """Return precision and scale that hold every value of an integer or numeric type."""
    match pg_type.name:
        case "int2":
            return 5, 0
        case "int4":
            return 10, 0
        case "int8" | "oid":
            return 19, 0
        case _:
            assert pg_type.precision is not None
            assert pg_type.scale is not None
            assert not pg_type.carries_scale, pg_type
            return min(pg_type.precision, NUMERIC_PRECISION), pg_type.scale
