"""Functions that give rows (PostgreSQL 15, chapter 9.25 and the JSON ones of 9.16).

Each is a SELECT without FROM whose columns are c1, c2, ...; their arguments may refer to the
columns of FROM items before it.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from catalog.types import (
    BOOL,
    INT4,
    INT8,
    JSON,
    JSONB,
    NUMBER,
    REGCLASS,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    VECTORS,
    PgType,
    array_of,
)
from server.sql.casts import text_of
from server.sql.fragment import call, cast, fragment, string
from server.sql.functions.json import PATH_ARGUMENTS, path_call
from server.sql.functions.json_record import OF_DEFINED_COLUMNS, rows_of_array, undefined_columns
from server.sql.json_operators import TEXT_FORMS
from server.sql.overload import Overload, rule
from server.sql.typed import Typed
from server.value.interval import parse_interval
from server.value.style import current_style


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A function's call as a query, and its columns' names and types.

    Attributes:
        tree: A query whose projections give the rows.
        row_by_row: For a FROM clause, the query that makes the rows one after the other instead of
            a list of them all, given an alias that nobody else has; None if there is none.
        gives_records: Whether each row is a record, even one of a single column.
    """

    tree: exp.Expr
    columns: tuple[tuple[str, PgType], ...]
    row_by_row: Callable[[str], exp.Expr] | None = None
    gives_records: bool = False


RowsBuild = Callable[[Sequence[Typed]], TableFunction]


@dataclass(frozen=True, slots=True)
class RowsFunction:
    """An overload of a function that gives rows and how it is built."""

    overload: Overload
    build: RowsBuild


def _select(*columns: tuple[str, PgType, exp.Expr]) -> TableFunction:
    named = [exp.alias_(tree, f"c{i}") for i, (_, _, tree) in enumerate(columns, 1)]
    return TableFunction(
        exp.Select(expressions=named), tuple((name, pg_type) for name, pg_type, _ in columns)
    )


def _series(pg_type: PgType, name: str = "generate_series") -> RowsBuild:
    def build(arguments: Sequence[Typed]) -> TableFunction:
        trees = [a.tree for a in arguments]
        if len(trees) == 3:
            zero = "TO_DAYS(0)" if pg_type in {TIMESTAMP, TIMESTAMPTZ} else "0"
            trees[2] = fragment(
                f"CASE WHEN _0 = {zero} THEN ERROR('22023:step size cannot equal zero') ELSE _0 END",
                trees[2],
            )
        holes = ", ".join(f"_{i}" for i in range(len(trees)))
        rows = fragment(f"UNNEST({name.upper()}({holes}))", *trees)
        listed = _select((name, pg_type, cast(rows, pg_type.duckdb)))
        if any(any(tree.find_all(exp.Column, exp.Query)) for tree in trees):
            return listed
        return replace(listed, row_by_row=lambda alias: _series_of(name, trees, pg_type, alias))

    return build


def _moments(pg_type: PgType, name: str) -> RowsBuild:
    """Return a series of moments, which the engine makes where it can."""

    def build(arguments: Sequence[Typed]) -> TableFunction:
        start, stop, step, *zone = (a.tree for a in arguments)
        is_endless = any("infinity" in _text_of_constant(bound) for bound in (start, stop))
        if not zone and not is_endless and _goes_one_way(step, pg_type):
            return _series(pg_type, name)(arguments)
        given = zone[0] if zone else fragment("CURRENT_SETTING('TimeZone')")
        has_zone = pg_type.oid == TIMESTAMPTZ.oid
        items = fragment(
            "tg_moment_series(tg_finite_us(_0), tg_finite_us(_1), CAST([tg_interval_m(_2),"
            " DATEPART('day', _2), tg_interval_us(_2)] AS BIGINT[]), _3, _4)",
            start,
            stop,
            step,
            given if has_zone else string(""),
            exp.Boolean(this=name == "generate_series"),
        )
        made = f"MAKE_{pg_type.duckdb}(_0)" if has_zone else "MAKE_TIMESTAMP(_0)"
        rows = fragment(made, fragment("UNNEST(_0)", items))
        return _select((name, pg_type, cast(rows, pg_type.duckdb)))

    return build


def _text_of_constant(tree: exp.Expr) -> str:
    """Return the text that a constant is cast from; of what is none, an empty one."""
    while isinstance(tree, (exp.Cast, exp.Paren)):
        tree = tree.this
    return tree.name if isinstance(tree, exp.Literal) and tree.is_string else ""


def _goes_one_way(step: exp.Expr, pg_type: PgType) -> bool:
    """Whether a step is a constant whose parts have one sign, and is no days in any zone."""
    text = _text_of_constant(step)
    if not text:
        return False
    interval = parse_interval(text)
    parts = (interval.months, interval.days, interval.microseconds)
    if pg_type.oid == TIMESTAMPTZ.oid and (interval.months or interval.days):
        return False
    return all(part >= 0 for part in parts) or all(part <= 0 for part in parts)


def _series_of(name: str, arguments: Sequence[exp.Expr], pg_type: PgType, alias: str) -> exp.Expr:
    call = exp.Anonymous(this=name.upper(), expressions=[_argument(tree) for tree in arguments])
    item = exp.Table(
        this=call,
        alias=exp.TableAlias(this=exp.to_identifier(alias), columns=[exp.to_identifier("c1")]),
    )
    value = cast(exp.column("c1", table=alias), pg_type.duckdb)
    return exp.Select(expressions=[exp.alias_(value, "c1")], from_=exp.From(this=item))


def _argument(tree: exp.Expr) -> exp.Expr:
    """Return an argument of a table function.

    The engine binds macros there before it knows the types of what they are given, so they are
    called in a query of their own.
    """
    if tree.find(exp.Anonymous) is None:
        return tree.copy()
    return exp.Subquery(this=exp.Select(expressions=[tree.copy()]))


def _numeric_series(name: str) -> RowsBuild:
    def build(arguments: Sequence[Typed]) -> TableFunction:
        texts = [text_of(a.tree, a.type) for a in arguments]
        step = texts[2] if len(texts) > 2 else exp.Literal.string("1")
        has_end = exp.Boolean(this=name == "generate_series")
        rows = fragment("UNNEST(tg_numeric_series(_0, _1, _2, _3))", *texts[:2], step, has_end)
        return _select((name, NUMBER, cast(rows, NUMBER.duckdb)))

    return build


def _unnest(arguments: Sequence[Typed]) -> TableFunction:
    array = arguments[0]
    element = array.type.element
    assert element is not None
    tree = array.tree
    for _ in range(array.type.dimensions - 1):
        tree = fragment("FLATTEN(_0)", tree)
    return _select(("unnest", element, cast(fragment("UNNEST(_0)", tree), element.duckdb)))


def by_fields(unnested: TableFunction) -> TableFunction:
    """Return the rows of ``unnest`` as FROM gives them: of rows each field is a column."""
    ((_, element),) = unnested.columns
    if not element.is_row:
        return unnested
    row = unnested.tree.expressions[0].this
    fields = [
        (member, pg_type, fragment(f"STRUCT_EXTRACT(_0, 'f{i}')", row.copy()))
        for i, (member, pg_type) in enumerate(element.members, 1)
    ]
    return replace(_select(*fields), gives_records=True)


def _subscripts(arguments: Sequence[Typed]) -> TableFunction:
    array, dimension, *reverse = arguments
    is_vector = array.type.oid in VECTORS
    levels = [array.tree]
    for _ in range(array.type.dimensions - 1):
        levels.append(fragment("LIST_EXTRACT(_0, 1)", levels[-1]))
    branches = [
        exp.If(
            this=fragment(f"_0 = {number}", dimension.tree),
            true=fragment(
                f"GENERATE_SERIES({1 - is_vector}, LENGTH(_0) - {int(is_vector)})", level
            ),
        )
        for number, level in enumerate(levels, 1)
    ]
    tree: exp.Expr = exp.Case(ifs=branches)
    if reverse:
        tree = fragment("CASE WHEN _1 THEN LIST_REVERSE(_0) ELSE _0 END", tree, reverse[0].tree)
    rows = fragment("UNNEST(_0)", tree)
    return _select(("generate_subscripts", INT4, cast(rows, "INTEGER")))


def _elements(name: str, holder: PgType, *, is_text: bool) -> RowsBuild:
    kept, of_object, of_scalar = "", *_NO_ELEMENTS
    if holder.oid == JSON.oid:
        kept = "kept_"
        of_object, of_scalar = (
            f"cannot call {name} on a non-array",
            f"cannot call {name} on a scalar",
        )
    listed = f"CASE WHEN JSON_TYPE(_0) = 'ARRAY' THEN tg_json_{kept}elements(_0) END"

    def build(arguments: Sequence[Typed]) -> TableFunction:
        items = fragment(
            f"UNNEST(tg_json_items(_0, {listed}, _1, _2))",
            arguments[0].tree,
            string(of_object),
            string(of_scalar),
        )
        if is_text:
            return _select(("value", TEXT, call(TEXT_FORMS[holder.name], items)))
        return _select(("value", holder, _member(items, holder)))

    return build


_NO_ELEMENTS: Final = (
    "cannot extract elements from an object",
    "cannot extract elements from a scalar",
)


def _member(tree: exp.Expr, holder: PgType) -> exp.Expr:
    if holder.oid == JSONB.oid:
        return fragment("tg_jsonb(CAST(_0 AS TEXT))", tree)
    return tree


def _each(holder: PgType, *, is_text: bool) -> RowsBuild:
    of_array, of_scalar = "cannot deconstruct an array as an object", "cannot deconstruct a scalar"
    if holder.oid == JSONB.oid:
        of_array = of_scalar = f"cannot call jsonb_each{'_text' * is_text} on a non-object"

    def build(arguments: Sequence[Typed]) -> TableFunction:
        tree = arguments[0].tree
        keys = _member_names(tree, of_array, of_scalar)
        kept = "kept_" if holder.oid == JSON.oid else ""
        values = fragment(f"UNNEST(tg_json_{kept}values(_0))", tree)
        if is_text:
            text = call(TEXT_FORMS[holder.name], values)
            return _select(("key", TEXT, keys), ("value", TEXT, text))
        return _select(("key", TEXT, keys), ("value", holder, _member(values, holder)))

    return build


def _keys(name: str) -> RowsBuild:
    of_array, of_scalar = f"cannot call {name} on an array", f"cannot call {name} on a scalar"

    def build(arguments: Sequence[Typed]) -> TableFunction:
        return _select((name, TEXT, _member_names(arguments[0].tree, of_array, of_scalar)))

    return build


def _member_names(holder: exp.Expr, of_array: str, of_scalar: str) -> exp.Expr:
    """Return the names of an object's members as rows; the messages are of what is no object."""
    return fragment("UNNEST(tg_json_keys(_0, _1, _2))", holder, string(of_array), string(of_scalar))


def _texts(name: str, sql: str) -> RowsBuild:
    def build(arguments: Sequence[Typed]) -> TableFunction:
        return _select((name, TEXT, fragment(sql, *(a.tree for a in arguments))))

    return build


def _matches(arguments: Sequence[Typed]) -> TableFunction:
    flags = arguments[2].tree if len(arguments) > 2 else string("")
    if current_style().is_peer:
        flags = fragment("_0 || 'g'", flags)  # RisingWave gives all matches always.
    rows = fragment(
        "UNNEST(tg_regexp_groups(_0, _1, _2))", arguments[0].tree, arguments[1].tree, flags
    )
    return _select(("regexp_matches", array_of(TEXT), rows))


def _never(arguments: Sequence[Typed]) -> Typed:
    raise AssertionError(arguments)


def _of(signature: str, build: RowsBuild) -> RowsFunction:
    return RowsFunction(rule(signature, _never), build)


def _channels(arguments: Sequence[Typed]) -> TableFunction:  # noqa: ARG001
    rows = fragment("UNNEST(tg_channels(GETVARIABLE('session')))")
    return _select(("pg_listening_channels", TEXT, rows))


def _expanded(arguments: Sequence[Typed]) -> TableFunction:
    array = arguments[0]
    element = array.type.element
    assert element is not None
    return _select(
        ("x", element, fragment("UNNEST(_0)", array.tree)),
        ("n", INT4, cast(fragment("UNNEST(GENERATE_SERIES(1, LENGTH(_0)))", array.tree), "INT")),
    )


def _options(arguments: Sequence[Typed]) -> TableFunction:
    options = arguments[0].tree
    name = "UNNEST(LIST_TRANSFORM(_0, LAMBDA o : SPLIT_PART(o, '=', 1)))"
    value = "UNNEST(LIST_TRANSFORM(_0, LAMBDA o : SUBSTRING(o, STRPOS(o, '=') + 1)))"
    return _select(
        ("option_name", TEXT, fragment(name, options)),
        ("option_value", TEXT, fragment(value, options)),
    )


def _ancestors(arguments: Sequence[Typed]) -> TableFunction:
    # No relation is a partition.
    none = fragment("UNNEST(CASE WHEN _0 IS NULL THEN CAST([] AS BIGINT[]) END)", arguments[0].tree)
    return _select(("relid", REGCLASS, none))


def _partitions(arguments: Sequence[Typed]) -> TableFunction:
    none = _ancestors(arguments).tree.expressions[0].this
    return _select(
        ("relid", REGCLASS, none),
        ("parentrelid", REGCLASS, none.copy()),
        ("isleaf", BOOL, cast(none.copy(), "BOOLEAN")),
        ("level", INT4, cast(none.copy(), "INT")),
    )


#: RisingWave's range leaves its end out.
_SERIES: Final = ("generate_series", "range")


def _path_items(count: int, *, has_zone: bool) -> RowsBuild:
    name = f"jsonb_path_query{'_tz' if has_zone else ''}"
    sql = f"CAST(UNNEST({path_call('items', count, has_zone=has_zone)}) AS JSON)"

    def build(arguments: Sequence[Typed]) -> TableFunction:
        return _select((name, JSONB, fragment(sql, *(a.tree for a in arguments))))

    return build


def rows_of_list(target: PgType, rows: exp.Expr) -> TableFunction:
    """Return the rows of a list of them, column by column."""
    columns = []
    for number, (name, pg_type) in enumerate(target.members, 1):
        sql = f"UNNEST(LIST_TRANSFORM(_0, LAMBDA w : STRUCT_EXTRACT(w, 'f{number}')))"
        columns.append((name, pg_type, cast(fragment(sql, rows), pg_type.duckdb)))
    return replace(_select(*columns), gives_records=True)


def _record_set(name: str) -> RowsBuild:
    def build(arguments: Sequence[Typed]) -> TableFunction:
        base, holder = arguments[:2]
        if not base.type.members:
            raise undefined_columns(name)
        return rows_of_list(base.type, rows_of_array(name, base.type, base.tree, holder))

    return build


def _of_undefined_columns(name: str) -> RowsBuild:
    def build(arguments: Sequence[Typed]) -> TableFunction:
        del arguments
        raise undefined_columns(name)

    return build


ROWS_FUNCTIONS: Final[tuple[RowsFunction, ...]] = (
    _of("pg_listening_channels()", _channels),
    _of("information_schema._pg_expandarray(anyarray)", _expanded),
    _of("pg_options_to_table(text[])", _options),
    _of("pg_partition_ancestors(regclass)", _ancestors),
    _of("pg_partition_tree(regclass)", _partitions),
    *(
        _of(f"{name}({types})", _series(t, name))
        for name in _SERIES
        for t in (INT4, INT8)
        for types in (f"{t.name}, {t.name}", f"{t.name}, {t.name}, {t.name}")
    ),
    *(
        _of(f"{name}({t.name}, {t.name}, interval{zone})", _moments(t, name))
        for name in _SERIES
        for t, zone in ((TIMESTAMP, ""), (TIMESTAMPTZ, ""), (TIMESTAMPTZ, ", text"))
    ),
    *(
        _of(f"{name}({types})", _numeric_series(name))
        for name in _SERIES
        for types in ("number, number", "number, number, number")
    ),
    *(
        _of(
            f"jsonb_path_query{'_tz' if has_zone else ''}({types})",
            _path_items(count, has_zone=has_zone),
        )
        for has_zone in (False, True)
        for count, types in enumerate(PATH_ARGUMENTS, 2)
    ),
    _of("unnest(anyarray)", _unnest),
    *(
        _of(f"generate_subscripts({array}, int4{reverse})", _subscripts)
        for array in ("anyarray", "int2vector", "oidvector")
        for reverse in ("", ", bool")
    ),
    *(
        _of(f"{name}({t.name})", _elements(name, t, is_text=name.endswith("text")))
        for t in (JSON, JSONB)
        for name in (f"{t.name}_array_elements", f"{t.name}_array_elements_text")
    ),
    *(
        _of(f"{t.name}_each{suffix}({t.name})", _each(t, is_text=bool(suffix)))
        for t in (JSON, JSONB)
        for suffix in ("", "_text")
    ),
    *(
        _of(f"{t.name}_object_keys({t.name})", _keys(f"{t.name}_object_keys"))
        for t in (JSON, JSONB)
    ),
    _of(
        "regexp_split_to_table(text, text)",
        _texts(
            "regexp_split_to_table", "UNNEST(tg_regexp_split(_0, _1, '', 'regexp_split_to_table'))"
        ),
    ),
    _of(
        "regexp_split_to_table(text, text, text)",
        _texts(
            "regexp_split_to_table", "UNNEST(tg_regexp_split(_0, _1, _2, 'regexp_split_to_table'))"
        ),
    ),
    *(
        _of(
            f"{t.name}_populate_recordset(record, {t.name})",
            _record_set(f"{t.name}_populate_recordset"),
        )
        for t in (JSON, JSONB)
    ),
    *(
        _of(f"{name}({name.partition('_')[0]})", _of_undefined_columns(name))
        for name in OF_DEFINED_COLUMNS
    ),
    _of("regexp_matches(text, text)", _matches),
    _of("regexp_matches(text, text, text)", _matches),
    _of(
        "string_to_table(text, text)",
        _texts("string_to_table", "UNNEST(tg_string_to_array(_0, _1))"),
    ),
    _of(
        "string_to_table(text, text, text)",
        _texts("string_to_table", "NULLIF(UNNEST(tg_string_to_array(_0, _1)), _2)"),
    ),
)
