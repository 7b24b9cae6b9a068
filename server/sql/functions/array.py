"""Arrays (PostgreSQL 15, chapter 9.19). Subscripts begin at 1; what is not there is NULL."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.errors import (
    ArraySubscriptError,
    DatatypeMismatch,
    FeatureNotSupported,
    UndefinedFunction,
    UndefinedObject,
)
from catalog.types import (
    INT4,
    NUMERIC_PRECISION,
    TEXT,
    PgType,
    array_of,
    by_name,
    computed_numeric,
)
from server.sql.coercion import Coercion, coerce
from server.sql.fragment import call, cast, fragment
from server.sql.overload import Overload, rule, table
from server.sql.typed import Typed

_TABLE: Final = """
array_append(anyarray, anyelement) anyarray = LIST_CONCAT(_0, [_1])
array_prepend(anyelement, anyarray) anyarray = LIST_CONCAT([_0], _1)
array_remove(anyarray, anyelement) anyarray = tg_array_remove(_0, _1)
array_replace(anyarray, anyelement, anyelement) anyarray = tg_array_replace(_0, _1, _2)
array_position(anyarray, anyelement) int4 = CAST(tg_array_position(_0, _1) AS INTEGER)
array_position(anyarray, anyelement, int4) int4 = CAST(tg_array_position_from(_0, _1, _2) AS INTEGER)
array_positions(anyarray, anyelement) int4[] = CAST(tg_array_positions(_0, _1) AS INTEGER[])
array_distinct(anyarray) anyarray = LIST_DISTINCT(_0)
array_sort(anyarray) anyarray = LIST_SORT(_0, 'ASC', 'NULLS LAST')
array_min(anyarray) anyelement = LIST_MIN(_0)
array_max(anyarray) anyelement = LIST_MAX(_0)
array_reverse(anyarray) anyarray = LIST_REVERSE(_0)
array_overlaps(anyarray, anyarray) bool = LIST_HAS_ANY(_0, _1)
array_is_overlap(anyarray, anyarray) bool = LIST_HAS_ANY(_0, _1)
array_is_intersect(anyarray, anyarray) bool = LIST_HAS_ANY(_0, _1)
array_contains(anyarray, anyarray) bool = tg_has_all(_0, _1)
array_contained(anyarray, anyarray) bool = tg_has_all(_1, _0)
trim_array(anyarray, int4) anyarray = tg_trim_array(_0, _1)
"""


def inner_type(pg_type: PgType) -> PgType:
    """Return the type of an array's items: its element, or an array with a dimension less."""
    assert pg_type.element is not None
    if pg_type.dimensions > 1:
        return replace(pg_type, duckdb=pg_type.duckdb.removesuffix("[]"))
    return pg_type.element


def subscript(array: Typed, index: Typed, *, position: int | None = None) -> Typed:
    """Return ``array[index]``."""
    at = coerce(index, INT4, Coercion.ASSIGNMENT, position=position)
    found = call("LIST_EXTRACT", array.tree, at.tree)
    if not _is_positive(at.tree):
        found = fragment("CASE WHEN _0 > 0 THEN _1 END", at.tree, found)
    return Typed(found, inner_type(array.type))


def slice_of(
    array: Typed, low: Typed | None, high: Typed | None, *, position: int | None = None
) -> Typed:
    """Return ``array[low:high]``; a bound that is None is the array's own."""
    bounds = [
        None if b is None else coerce(b, INT4, Coercion.ASSIGNMENT, position=position).tree
        for b in (low, high)
    ]
    first = exp.Literal.number("1") if bounds[0] is None else fragment("GREATEST(_0, 1)", bounds[0])
    last = (
        fragment("LENGTH(_0)", array.tree)
        if bounds[1] is None
        else fragment("GREATEST(_0, 0)", bounds[1])
    )
    return Typed(fragment("LIST_SLICE(_0, _1, _2)", array.tree, first, last), array.type)


def _is_positive(tree: exp.Expr) -> bool:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return isinstance(tree, exp.Literal) and str(tree.this) != "0"


def _length(arguments: Sequence[Typed]) -> Typed:
    array, dimension = arguments
    return Typed(_extent(array, dimension, "_0"), INT4)


def _bound(arguments: Sequence[Typed], *, is_upper: bool) -> Typed:
    array, dimension = arguments
    return Typed(_extent(array, dimension, "_0" if is_upper else "1"), INT4)


def _extent(array: Typed, dimension: Typed, sql: str) -> exp.Expr:
    """Return something of an array's length along a dimension; NULL where there is none."""
    levels = [fragment("LENGTH(_0)", array.tree)]
    tree = array.tree
    for _ in range(array.type.dimensions - 1):
        tree = fragment("LIST_EXTRACT(_0, 1)", tree)
        levels.append(fragment("LENGTH(_0)", tree))
    whens = " ".join(
        f"WHEN {i} THEN CASE WHEN _{i} > 0 THEN {sql.replace('_0', f'_{i}')} END"
        for i in range(1, len(levels) + 1)
    )
    return cast(fragment(f"CASE _0 {whens} END", dimension.tree, *levels), "INTEGER")


def _cardinality(arguments: Sequence[Typed]) -> Typed:
    tree = arguments[0].tree
    for _ in range(arguments[0].type.dimensions - 1):
        tree = fragment("FLATTEN(_0)", tree)
    return Typed(cast(fragment("LENGTH(_0)", tree), "INTEGER"), INT4)


def _dimension_count(arguments: Sequence[Typed]) -> Typed:
    count = arguments[0].type.dimensions
    tree = fragment(f"CASE WHEN LENGTH(_0) > 0 THEN {count} END", arguments[0].tree)
    return Typed(cast(tree, "INTEGER"), INT4)


def _dimension_text(arguments: Sequence[Typed]) -> Typed:
    tree = arguments[0].tree
    text = fragment("'[1:' || CAST(LENGTH(_0) AS TEXT) || ']'", tree)
    for _ in range(arguments[0].type.dimensions - 1):
        tree = fragment("LIST_EXTRACT(_0, 1)", tree)
        text = fragment("_0 || '[1:' || CAST(LENGTH(_1) AS TEXT) || ']'", text, tree)
    return Typed(fragment("CASE WHEN LENGTH(_0) > 0 THEN _1 END", arguments[0].tree, text), TEXT)


def _filled(arguments: Sequence[Typed]) -> Typed:
    """Return an array of one value over and over.

    Of how many dimensions it is is its type; so where the sizes are not written as ARRAY[...], it
    has one.

    Raises:
        PgError: The value is an array or of no type, or the sizes are no list.
    """
    value, sizes, *lows = arguments
    if value.is_unknown:
        raise DatatypeMismatch(
            "could not determine polymorphic type because input has type unknown"
        )
    if value.type.element is not None:
        raise UndefinedObject(f"could not find array type for data type {value.type.sql_name}")
    if any(given.type.dimensions > 1 for given in arguments[1:]):
        raise ArraySubscriptError(
            "wrong number of array subscripts", detail="Dimension array must be one dimensional."
        )
    written = sizes.tree.find(exp.Array) if isinstance(sizes.tree, exp.Cast | exp.Array) else None
    dimensions = 1 if written is None else max(len(written.expressions), 1)
    low_bounds = lows[0].tree if lows else fragment("CAST([] AS INTEGER[])")
    checked = fragment(f"tg_fill_sizes(_0, _1, {dimensions})", sizes.tree, low_bounds)
    tree, filled = value.tree, value.type
    for place in range(dimensions, 0, -1):
        count = f"range(list_extract(s, {place}))"
        tree = fragment(f"list_transform({count}, lambda i{place}: _0)", tree)
        filled = array_of(filled)
    # The sizes are looked at once, and are an empty list where the array is empty.
    tree = fragment(
        "list_transform([_1], lambda s: CASE WHEN len(s) = 0 THEN [] ELSE _0 END)[1]", tree, checked
    )
    return Typed(cast(tree, filled.duckdb), filled)


_SUMS: Final = {
    "int2": "int8",
    "int4": "int8",
    "int8": "numeric",
    "float4": "float4",
    "float8": "float8",
    "interval": "interval",
}


def _total(arguments: Sequence[Typed]) -> Typed:
    (array,) = arguments
    assert array.type.element is not None
    name = _SUMS.get(array.type.element.name)
    if name is None:
        raise UndefinedFunction(f"function array_sum({array.type.sql_name}) does not exist")
    result = computed_numeric(NUMERIC_PRECISION, 0) if name == "numeric" else by_name(name)
    return Typed(cast(call("LIST_SUM", array.tree), result.duckdb), result)


#: What functions do to arrays of one dimension alone. PostgreSQL replaces in all.
_FLAT: Final = {
    "array_remove": "removing elements from multidimensional arrays is not supported",
    "array_replace": "replacing elements of multidimensional arrays is not supported",
    "array_position": "searching for elements in multidimensional arrays is not supported",
    "array_positions": "searching for elements in multidimensional arrays is not supported",
}


def _flat(overload: Overload) -> Overload:
    """Return a function that refuses arrays of arrays where it cannot look into them."""
    refusal = _FLAT.get(overload.name)
    if refusal is None:
        return overload

    def build(arguments: Sequence[Typed]) -> Typed:
        if arguments[0].type.dimensions > 1:
            raise FeatureNotSupported(refusal)
        return overload.build(arguments)

    return replace(overload, build=build)


ARRAY_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *(_flat(overload) for overload in table(_TABLE)),
    *(rule(f"array_fill(anyelement, {t})", _filled) for t in ("int4[]", "int4[], int4[]")),
    rule("array_sum(anyarray)", _total),
    rule("array_length(anyarray, int4)", _length),
    rule("array_upper(anyarray, int4)", partial(_bound, is_upper=True)),
    rule("array_lower(anyarray, int4)", partial(_bound, is_upper=False)),
    rule("cardinality(anyarray)", _cardinality),
    rule("array_ndims(anyarray)", _dimension_count),
    rule("array_dims(anyarray)", _dimension_text),
)
