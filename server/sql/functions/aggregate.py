"""Aggregates (PostgreSQL 15, chapter 9.21).

Every argument is cast explicitly to its DuckDB type and every result to PostgreSQL's, so that a
tree keeps its types when it goes through text. Sums and averages of exact types are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from catalog.errors import DatatypeMismatch, FeatureNotSupported
from catalog.types import (
    BIT,
    BOOL,
    BYTEA,
    FLOAT8,
    INT8,
    INT256,
    INTERVAL,
    JSON,
    JSONB,
    NUMBER,
    NUMERIC,
    NUMERIC_PRECISION,
    NUMERIC_SCALE,
    TEXT,
    PgType,
    array_of,
    computed_numeric,
    special_numeric,
)
from server.sql.arithmetic import scaled
from server.sql.casts import numeric_width
from server.sql.fragment import call, cast, concatenated, fragment, string
from server.sql.functions.json import as_json, json_text, key_text
from server.sql.functions.modified import (
    Modifiers,
    aggregate_call,
    explicit,
    specials_apart,
)
from server.sql.functions.spread import SPREADS, spread
from server.sql.known import known_text
from server.sql.modifier import without_modifier
from server.sql.overload import Overload, rule
from server.sql.special import bounded, with_scale_code
from server.sql.typed import Typed
from server.sql.written_numeric import stored, summed_code, value_of
from server.value.style import current_style

#: Makes an aggregate of its arguments, which have the declared types.
AggregateBuild = Callable[[Sequence[Typed], Modifiers], Typed]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An overload of an aggregate and how it is built."""

    overload: Overload
    build: AggregateBuild


#: Those to which it is all the same in which order they see their rows.
_ORDERLESS: Final = frozenset(
    ("MIN", "MAX", "BOOL_AND", "BOOL_OR", "BIT_AND", "BIT_OR", "BIT_XOR", "REGR_COUNT")
)


#: Those to which it is all the same how often they see a value.
_REPEATABLE: Final = frozenset(("MIN", "MAX", "BOOL_AND", "BOOL_OR", "BIT_AND", "BIT_OR"))


def _simple(name: str, result: PgType | None = None) -> AggregateBuild:
    """Return the build of an aggregate that DuckDB has under a name."""

    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        pg_type = without_modifier(arguments[0].type) if result is None else result
        kept = modifiers
        if name in _ORDERLESS:
            is_distinct = modifiers.is_distinct and name not in _REPEATABLE
            kept = replace(modifiers, order_by=(), is_distinct=is_distinct)
        call = aggregate_call(name, [explicit(a) for a in arguments], kept)
        return Typed(cast(call, pg_type.duckdb), pg_type)

    return build


#: Of what there is no line or correlation: all that is one of a pair is the same.
_SPREADS_OF_PAIRS: Final = {
    "corr": ("REGR_SXX", "REGR_SYY"),
    "regr_slope": ("REGR_SXX",),
}


def _extreme(name: str) -> AggregateBuild:
    """Return the build of min or max; of a numeric the result keeps its scale."""
    plain = _simple(name)

    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        (value,) = arguments
        if value.scale_code is None:
            return plain(arguments, modifiers)
        return value_of(plain([stored(value, value.scale_code)], modifiers))

    return build


def _of_pairs(name: str) -> AggregateBuild:
    """Return the build of an aggregate of pairs, which is NULL where the engine divides by zero."""
    plain = _simple(name.upper(), INT8 if name == "regr_count" else FLOAT8)
    spreads = [_simple(spread, FLOAT8) for spread in _SPREADS_OF_PAIRS.get(name, ())]

    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        if modifiers.is_distinct:
            raise FeatureNotSupported(f"{name} of distinct pairs is not supported")
        held_by = [spread_of(arguments, modifiers) for spread_of in spreads]
        if name == "corr":
            # From sums as PostgreSQL has it: the engine's own misses 1 by the last digit.
            shared = _simple("REGR_SXY", FLOAT8)(arguments, modifiers)
            sums = [shared.tree, *(held.tree for held in held_by)]
            found = Typed(fragment("_0 / SQRT(_1 * _2)", *sums), FLOAT8)
        else:
            found = plain(arguments, modifiers)
        for held in held_by:
            tree = fragment("CASE WHEN _0 <> 0 THEN _1 END", held.tree, found.tree)
            found = Typed(cast(tree, FLOAT8.duckdb), FLOAT8)
        return found

    return build


def _bits(name: str) -> AggregateBuild:
    """Return the build of an aggregate of strings of bits, which are as long as one another."""
    combined = _simple(name)

    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        # The engine has no bits without any: there is one in front, which goes again.
        bits = fragment("CAST('0' || _0 AS BIT)", arguments[0].tree)
        found = combined([Typed(bits, replace(BIT, duckdb="BIT"))], modifiers)
        return Typed(cast(fragment("SUBSTR(CAST(_0 AS VARCHAR), 2)", found.tree), "VARCHAR"), BIT)

    return build


def _count(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    return Typed(
        cast(aggregate_call("COUNT", [explicit(a) for a in arguments], modifiers), "BIGINT"), INT8
    )


def counted(
    arguments: Sequence[exp.Expr], condition: exp.Expr | None, modifiers: Modifiers
) -> exp.Expr:
    """Return the number of rows, or of values, that a condition and FILTER let through."""
    filter_ = modifiers.filter_
    if condition is not None:
        filter_ = condition if filter_ is None else fragment("_0 AND _1", filter_, condition)
    return cast(aggregate_call("COUNT", arguments, replace(modifiers, filter_=filter_)), "BIGINT")


def _sum_type(argument: PgType) -> PgType:
    match argument.name:
        case "int2" | "int4":
            return INT8
        case "int8":
            return computed_numeric(NUMERIC_PRECISION, 0)
        case "numeric":
            _, scale = numeric_width(argument)
            if argument.has_specials:
                return special_numeric(scale, keeps_scale=argument.keeps_scale)
            return computed_numeric(NUMERIC_PRECISION, scale, keeps_scale=argument.keeps_scale)
        case _:
            return argument


def _sum(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    total = _sum_of_values(arguments, modifiers)
    if (code := summed_code(arguments[0])) is None:
        return total
    kept = replace(modifiers, order_by=(), is_distinct=False)
    return with_scale_code(total, aggregate_call("MIN", [code], kept))


def _sum_of_values(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    result = _sum_type(arguments[0].type)
    if result.has_specials:
        numbers, specials = specials_apart(arguments[0], result, modifiers)
        total = fragment("COALESCE(_0, _1)", specials, bounded(_total(numbers, modifiers), result))
        return Typed(cast(total, result.duckdb), result)
    value = explicit(arguments[0])
    is_float = result.name in _FLOATS
    total = aggregate_call("SUM", [value], modifiers) if is_float else _total(value, modifiers)
    return Typed(cast(total, result.duckdb), result)


def _total(numbers: exp.Expr, modifiers: Modifiers) -> exp.Expr:
    """Return an exact sum.

    DuckDB 2.0 takes an outer join for empty when no row of its other side can satisfy a filter of
    its own, foretells a sum of 0 then and drops what HAVING compares with more. Of GREATEST it
    foretells nothing.
    """
    total = aggregate_call("SUM", [numbers], modifiers)
    return exp.Greatest(this=total, expressions=[exp.Null()], ignore_nulls=True)


def _average(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    value = arguments[0]
    numbers, specials = value.tree, None
    if value.type.has_specials:
        numbers, specials = specials_apart(value, NUMERIC, modifiers)
    total = aggregate_call("SUM", [cast(numbers, value.type.duckdb)], modifiers)
    count = cast(aggregate_call("COUNT", [explicit(value)], modifiers), "HUGEINT")
    if value.type.name == "numeric":
        # The quotient has no more digits than that.
        scale = min(numeric_width(value.type)[1], NUMERIC_SCALE)
        wide = computed_numeric(NUMERIC_PRECISION, scale)
        total = scaled(Typed(cast(total, wide.duckdb), wide), scale)
        if scale:
            count = fragment("_0 * _1", count, exp.Literal.number("1" + "0" * scale))
    else:
        total = cast(total, "HUGEINT")
    tree = fragment("tg_divide(_0, _1)", total, count)
    if specials is None:
        return Typed(cast(tree, NUMBER.duckdb), NUMBER)
    return Typed(cast(fragment("COALESCE(_0, _1)", specials, tree), NUMERIC.duckdb), NUMERIC)


def _wide_sum(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    total = aggregate_call("SUM", [explicit(arguments[0])], modifiers)
    return Typed(cast(fragment("tg_int256(_0)", total), INT256.duckdb), INT256)


def _wide_average(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    """Return the average of rw_int256, as RisingWave has it: divided as floats."""
    value = explicit(arguments[0])
    total, count = (
        aggregate_call("SUM", [value], modifiers),
        aggregate_call("COUNT", [value.copy()], modifiers),
    )
    quotient = fragment("CAST(_0 AS DOUBLE) / NULLIF(_1, 0)", total, count)
    return Typed(cast(quotient, "DOUBLE"), FLOAT8)


def _wide_spread(name: str) -> AggregateBuild:
    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        call = aggregate_call(name, [cast(explicit(arguments[0]), "DOUBLE")], modifiers)
        return Typed(cast(call, "DOUBLE"), FLOAT8)

    return build


#: The parts that an interval is summed by, since DuckDB does not sum intervals.
_INTERVAL_PARTS: Final = (
    "CAST(DATEPART('year', _0) * 12 + DATEPART('month', _0) AS BIGINT)",
    "CAST(DATEPART('day', _0) AS BIGINT)",
    "CAST(tg_interval_us(_0) AS BIGINT)",
)


def _interval_sum(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    value = explicit(arguments[0])
    sums = [aggregate_call("SUM", [fragment(sql, value)], modifiers) for sql in _INTERVAL_PARTS]
    tree = fragment("tg_interval_of(_0, _1, _2)", *sums)
    return Typed(cast(tree, "INTERVAL"), INTERVAL)


def _interval_average(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    total = _interval_sum(arguments, modifiers)
    count = aggregate_call("COUNT", [explicit(arguments[0])], modifiers)
    tree = fragment("tg_interval_divided(_0, CAST(_1 AS DOUBLE))", total.tree, count)
    return Typed(cast(tree, "INTERVAL"), INTERVAL)


def _in_order(modifiers: Modifiers, value: Typed) -> Modifiers:
    """Return the modifiers of an aggregate whose distinct values come in their order."""
    if not modifiers.is_distinct or modifiers.order_by:
        return modifiers
    key = exp.Ordered(this=explicit(Typed(value.tree.copy(), value.type)), nulls_first=False)
    return replace(modifiers, order_by=(key,))


def _string_agg(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    text, separator = arguments
    modifiers = _in_order(modifiers, text)
    try:
        between = known_text(separator, "the delimiter of string_agg", stand_in=",") or ""
    except FeatureNotSupported:
        return _text_with_delimiters(text, separator, modifiers)
    call = aggregate_call("STRING_AGG", [explicit(text), string(between)], modifiers)
    return Typed(cast(call, "VARCHAR"), TEXT)


def _text_with_delimiters(text: Typed, delimiter: Typed, modifiers: Modifiers) -> Typed:
    """Return texts together; the delimiter of each stands before it, but for the first."""
    is_text = fragment("_0 IS NOT NULL", text.tree)
    if modifiers.filter_ is not None:
        is_text = fragment("_0 AND _1", is_text, modifiers.filter_)
    pair = fragment("{'t': _0, 'd': COALESCE(_1, '')}", explicit(text), explicit(delimiter))
    modifiers = replace(modifiers, filter_=is_text)
    if modifiers.is_distinct:
        keys = modifiers.order_by
        if any(key.args.get("desc") or key.this != explicit(text) for key in keys):
            raise FeatureNotSupported(
                "string_agg of distinct values in this order is not supported"
            )
        distinct = aggregate_call("ARRAY_AGG", [pair], replace(modifiers, order_by=()))
        return Typed(cast(fragment("tg_texts_joined(LIST_SORT(_0))", distinct), "VARCHAR"), TEXT)
    pairs = aggregate_call("ARRAY_AGG", [pair], modifiers)
    return Typed(cast(fragment("tg_texts_joined(_0)", pairs), "VARCHAR"), TEXT)


def _bytes_agg(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    """Return bytes together; the delimiter of each stands before it, but for the first."""
    value, delimiter = arguments
    text = fragment(
        "HEX(COALESCE(_1, CAST('' AS BLOB))) || ':' || HEX(_0)", value.tree, delimiter.tree
    )
    joined = aggregate_call("STRING_AGG", [cast(text, "VARCHAR"), string(";")], modifiers)
    tree = fragment("tg_bytes_joined(_0)", joined)
    return Typed(cast(tree, "BLOB"), BYTEA)


def _at_extreme(name: str) -> AggregateBuild:
    """Return the build of a value, of those that are not NULL, where another is least or greatest.

    Raises:
        DatatypeMismatch: The other one is of a type that RisingWave does not look for extremes of.
    """

    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        value, key = arguments
        if key.type.is_array or key.type.is_row or key.type.entry or key.type.name == "jsonb":
            raise DatatypeMismatch(
                f"{name} does not support struct, array, map, vector, jsonb for comparison"
                f" argument, got {key.type.display()}"
            )
        found = aggregate_call(name.upper(), [explicit(value), explicit(key)], modifiers)
        return Typed(cast(found, value.type.duckdb), value.type)

    return build


def _array_agg(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
    value = arguments[0]
    modifiers = _in_order(modifiers, value)
    result = array_of(without_modifier(value.type))
    tree = aggregate_call("ARRAY_AGG", [explicit(value)], modifiers)
    if value.type.is_array and not current_style().is_peer:  # To RisingWave a list as any other.
        tree = call("tg_accumulated", tree)
    return Typed(cast(tree, result.duckdb), result)


def _json_agg(result: PgType) -> AggregateBuild:
    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        (value,) = arguments
        piece = cast(fragment("COALESCE(_0, 'null')", json_text(value)), "VARCHAR")
        is_structured = value.type.is_array or value.type.is_row
        if result.oid == JSON.oid and is_structured:
            # Each begins a line, but for the first.
            piece = fragment("CASE WHEN _0 IS NULL THEN _1 ELSE '\n ' || _1 END", value.tree, piece)
        joined = aggregate_call("STRING_AGG", [cast(piece, "VARCHAR"), string(", ")], modifiers)
        if result.oid == JSON.oid and is_structured:
            joined = fragment("LTRIM(_0, CHR(10) || ' ')", joined)
        return as_json(concatenated([string("["), joined, string("]")]), result)

    return build


def _json_object_agg(result: PgType) -> AggregateBuild:
    def build(arguments: Sequence[Typed], modifiers: Modifiers) -> Typed:
        key, value = arguments
        name = key_text(key, "field name must not be null")
        member = concatenated(
            [name, string(" : "), fragment("COALESCE(_0, 'null')", json_text(value))]
        )
        joined = aggregate_call("STRING_AGG", [cast(member, "VARCHAR"), string(", ")], modifiers)
        return as_json(concatenated([string("{ "), joined, string(" }")]), result)

    return build


def _never(arguments: Sequence[Typed]) -> Typed:
    raise AssertionError(arguments)


def _of(signature: str, build: AggregateBuild) -> Aggregate:
    return Aggregate(rule(signature, _never), build)


_EXACT: Final = ("int2", "int4", "int8", "number")
_FLOATS: Final = ("float4", "float8")
_ORDERED: Final = (
    *("int2", "int4", "int8", "number", "float4", "float8", "text", "bpchar", "date", "time"),
    *(
        "timestamp",
        "timestamptz",
        "timetz",
        "xid8",
        "tid",
        "interval",
        "oid",
        "anyarray",
        "uuid",
        "bytea",
        "rw_int256",
        "anyenum",
        "record",
    ),
)
_PAIRS: Final = (
    *("corr", "covar_pop", "covar_samp", "regr_avgx", "regr_avgy", "regr_intercept", "regr_r2"),
    *("regr_count", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy"),
)

#: Window functions that RisingWave has as aggregates too, over rows in an order.
VALUES_IN_ORDER: Final[tuple[Aggregate, ...]] = (
    _of("first_value(any)", _simple("FIRST")),
    _of("last_value(any)", _simple("LAST")),
)

AGGREGATES: Final[tuple[Aggregate, ...]] = (
    _of("count()", _count),
    _of("count(any)", _count),
    *(_of(f"sum({t})", _sum) for t in (*_EXACT, *_FLOATS)),
    _of("sum(rw_int256)", _wide_sum),
    _of("avg(rw_int256)", _wide_average),
    *(_of(f"{n}(rw_int256)", _wide_spread(d)) for n, d in SPREADS.items()),
    _of("sum(interval)", _interval_sum),
    _of("avg(interval)", _interval_average),
    *(_of(f"avg({t})", _average) for t in _EXACT),
    _of("avg(float8)", _simple("AVG", FLOAT8)),
    *(_of(f"{n}({t})", _extreme(n.upper())) for n in ("min", "max") for t in _ORDERED),
    *(_of(f"{n}(bool)", _simple("BOOL_AND", BOOL)) for n in ("bool_and", "every")),
    _of("bool_or(bool)", _simple("BOOL_OR", BOOL)),
    _of("string_agg(text, text)", _string_agg),
    _of("string_agg(bytea, bytea)", _bytes_agg),
    *(_of(f"{n}(any, any)", _at_extreme(n)) for n in ("arg_min", "arg_max")),
    _of("array_agg(any)", _array_agg),
    *(_of(f"{t.name}_agg(any)", _json_agg(t)) for t in (JSON, JSONB)),
    *(_of(f"{t.name}_object_agg(any, any)", _json_object_agg(t)) for t in (JSON, JSONB)),
    *(_of(f"{n}({t})", spread(n)) for n in SPREADS for t in (*_EXACT, "float8")),
    *(
        _of(f"bit_{n}({t})", _simple(f"BIT_{n.upper()}"))
        for n in ("and", "or", "xor")
        for t in ("int2", "int4", "int8")
    ),
    *(_of(f"bit_{n}(bit)", _bits(f"BIT_{n.upper()}")) for n in ("and", "or", "xor")),
    *(_of(f"{n}(float8, float8)", _of_pairs(n)) for n in _PAIRS),
    _of("approx_count_distinct(any)", _simple("APPROX_COUNT_DISTINCT", INT8)),
)
