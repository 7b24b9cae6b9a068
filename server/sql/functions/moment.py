"""Dates, times and intervals (PostgreSQL 15, chapters 9.8 and 9.9)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlglot import exp

from catalog.errors import FeatureNotSupported, InvalidParameterValue
from catalog.types import (
    FLOAT8,
    INTERVAL,
    NUMBER,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    PgType,
    by_name,
    computed_numeric,
)
from server.sql.casts import text_of
from server.sql.coercion import Coercion, coerce
from server.sql.date_template import to_char_tree
from server.sql.fragment import call, cast, fragment, string
from server.sql.known import known_text
from server.sql.overload import Build, Overload, rule, table
from server.sql.typed import Typed

_CLOCK: Final = "MAKE_TIMESTAMPTZ(tg_clock(0))"

_TABLE: Final = f"""
now() timestamptz = NOW()
current_timestamp() timestamptz = NOW()
transaction_timestamp() timestamptz = NOW()
clock_timestamp() timestamptz = {_CLOCK}
timeofday() text = tg_timestamptz_text({_CLOCK}, 'Dy Mon DD HH24:MI:SS.US YYYY TZ')
proctime() timestamptz = NOW()
current_date() date = CURRENT_DATE
localtimestamp() timestamp = CAST(NOW() AS TIMESTAMP)
localtime() time = CAST(CAST(NOW() AS TIMESTAMP) AS TIME)
age(timestamp, timestamp) interval = AGE(_0, _1)
age(timestamptz, timestamptz) interval = AGE(_0, _1)
age(timestamp) interval = AGE(CAST(CURRENT_DATE AS TIMESTAMP), _0)
age(timestamptz) interval = AGE(CAST(CURRENT_DATE AS TIMESTAMPTZ), _0)
to_date(text, text) date = CAST(tg_parse_date(_0, _1) AS DATE)
to_timestamp(text, text) timestamptz = CAST(tg_parse_moment(_0, _1) AS TIMESTAMPTZ)
to_timestamp(float8) timestamptz = tg_timestamp_of(_0)
make_date(int4, int4, int4) date = tg_make_date(_0, _1, _2)
make_time(int4, int4, float8) time = tg_make_time(_0, _1, _2)
make_timestamp(int4, int4, int4, int4, int4, float8) timestamp = tg_make_timestamp(_0, _1, _2, _3, _4, _5)
make_timestamptz(int4, int4, int4, int4, int4, float8) timestamptz = CAST(tg_make_timestamp(_0, _1, _2, _3, _4, _5) AS TIMESTAMPTZ)
make_timestamptz(int4, int4, int4, int4, int4, float8, text) timestamptz = tg_make_timestamp(_0, _1, _2, _3, _4, _5) AT TIME ZONE CASE WHEN LEFT(_6, 1) IN ('+', '-') THEN 'GMT' || _6 ELSE tg_zone(_6) END
date_bin(interval, timestamp, timestamp) timestamp = tg_date_bin(_0, _1, _2)
date_bin(interval, timestamptz, timestamptz) timestamptz = tg_date_bin(_0, _1, _2)
to_char(interval, text) text = tg_interval_text(CAST(tg_interval_m(_0) AS BIGINT), CAST(DATEPART('day', _0) AS BIGINT), CAST(tg_interval_us(_0) AS BIGINT), NULLIF(_1, ''))
isfinite(date) bool = ISFINITE(_0)
isfinite(timestamp) bool = ISFINITE(_0)
isfinite(timestamptz) bool = ISFINITE(_0)
isfinite(interval) bool = _0 IS NOT NULL OR NULL
justify_hours(interval) interval = tg_justify_hours(_0)
justify_days(interval) interval = tg_justify_days(_0)
justify_interval(interval) interval = tg_justify_interval(_0)
timezone(text, timestamptz) timestamp = _1 AT TIME ZONE tg_zone(_0)
timezone(text, timestamp) timestamptz = _1 AT TIME ZONE tg_zone(_0)
timezone(text, timetz) timetz = _1 AT TIME ZONE tg_zone(_0)
timezone(interval, timestamp) timestamptz = (_1 - tg_zone_interval(_0)) AT TIME ZONE 'UTC'
timezone(interval, timestamptz) timestamp = (_1 AT TIME ZONE 'UTC') + tg_zone_interval(_0)
timezone(interval, timetz) timetz = CAST(tg_timetz_in(CAST(_1 AS VARCHAR), CAST(tg_interval_us(tg_zone_interval(_0)) AS BIGINT)) AS TIMETZ)
"""


def _overlaps() -> str:
    """Return OVERLAPS of two periods, each from a moment to another or for an interval."""
    lines = []
    for kind in ("timestamp", "timestamptz", "time", "timetz"):
        for ends in itertools.product((kind, "interval"), repeat=2):
            if kind == "timetz" and "interval" in ends:
                continue
            first, second = (
                f"_{i}" if end == kind else f"CAST(_{i - 1} + _{i} AS {by_name(kind).duckdb})"
                for i, end in zip((1, 3), ends, strict=True)
            )
            types = f"{kind}, {ends[0]}, {kind}, {ends[1]}"
            lines.append(f"overlaps({types}) bool = tg_overlaps(_0, {first}, _2, {second})")
    return "\n".join(lines)


_TRUNCATIONS: Final = frozenset(
    [
        "microseconds",
        "milliseconds",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
        "decade",
        "century",
        "millennium",
    ]
)
#: Units of many years, which the engine begins a year too early.
_YEARS: Final = frozenset({"decade", "century", "millennium"})
_ALIASES: Final = {
    "microsecond": "microseconds",
    "us": "microseconds",
    "usec": "microseconds",
    "usecs": "microseconds",
    "millisecond": "milliseconds",
    "ms": "milliseconds",
    "msec": "milliseconds",
    "msecs": "milliseconds",
    "sec": "second",
    "secs": "second",
    "seconds": "second",
    "min": "minute",
    "mins": "minute",
    "minutes": "minute",
    "hours": "hour",
    "hr": "hour",
    "hrs": "hour",
    "days": "day",
    "weeks": "week",
    "mon": "month",
    "mons": "month",
    "months": "month",
    "years": "year",
    "yr": "year",
    "yrs": "year",
    "decades": "decade",
    "centuries": "century",
    "cent": "century",
    "millennia": "millennium",
    "qtr": "quarter",
    "timezone_h": "timezone_hour",
    "timezone_m": "timezone_minute",
}

#: Fields that are whole numbers in DuckDB and PostgreSQL alike.
_DATE_FIELDS: Final = frozenset(
    [
        "year",
        "month",
        "day",
        "quarter",
        "week",
        "doy",
        "dow",
        "isodow",
        "isoyear",
        "decade",
        "century",
        "millennium",
    ]
)
_TIME_FIELDS: Final = frozenset({"hour", "minute"})
_ZONE_UNITS: Final = frozenset({"timezone", "timezone_hour", "timezone_minute"})
#: All that there are, of whatever type.
_UNITS: Final = (
    _DATE_FIELDS
    | _TIME_FIELDS
    | {"microseconds", "milliseconds", "second", "epoch", "julian"}
    | _ZONE_UNITS
)
_INTERVAL_FIELDS: Final = frozenset(
    ["year", "month", "day", "quarter", "decade", "century", "millennium", "hour", "minute"]
)


_CALENDARS: Final = frozenset({"date", "timestamp", "timestamptz"})
#: There is no year 0: before 1 comes -1, which is 1 BC; decades begin with the years that 10 divides.
_YEAR_FIELDS: Final = {
    **{
        field: f"DATEPART('{field}', _0) - CAST(DATEPART('{field}', _0) <= 0 AS BIGINT)"
        for field in ("year", "isoyear")
    },
    "decade": "CAST(FLOOR(DATEPART('year', _0) / 10) AS BIGINT)",
    "century": "DATEPART('century', _0)",
    "millennium": "DATEPART('millennium', _0)",
}
_WHOLE_FIELDS: Final = {
    "interval": _INTERVAL_FIELDS,
    "time": _TIME_FIELDS,
    "timetz": _TIME_FIELDS,
    "date": _DATE_FIELDS,
}


def _field(part: Typed, moment: Typed) -> str | None:
    """Return the name of a unit, None of NULL."""
    stand_in = "hour" if moment.type.name in {"time", "timetz"} else "day"
    name = known_text(part, "the unit of a date or time", stand_in=stand_in)
    if name is None:
        return None
    lowered = name.strip().lower()
    return _ALIASES.get(lowered, lowered)


def _null(pg_type: PgType) -> Typed:
    return Typed(cast(exp.Null(), pg_type.duckdb), pg_type)


def _by_unit(build: Build, arguments: Sequence[Typed]) -> Typed:
    """Return what a unit makes of a moment, whichever a row names if it is no constant."""
    part, moment, *zone = arguments
    try:
        known_text(part, "the unit of a date or time", stand_in="day")
    except FeatureNotSupported:
        return _by_named_unit(build, part, [moment, *zone])
    return build(arguments)


def _by_named_unit(build: Build, part: Typed, arguments: list[Typed]) -> Typed:
    moment = arguments[0]
    if moment.type.name == "date":  # Which has no more than a timestamp.
        moment = arguments[0] = coerce(moment, TIMESTAMP, Coercion.IMPLICIT)
    spellings: dict[str, list[str]] = {unit: [unit] for unit in sorted(_UNITS | _TRUNCATIONS)}
    for alias, unit in _ALIASES.items():
        spellings[unit].append(alias)
    branches: list[exp.If] = []
    found = moment.type
    named = fragment("LOWER(TRIM(_0))", part.tree)
    faults = dict.fromkeys(spellings, "not supported")
    for unit, words in spellings.items():
        try:
            one = build([Typed(string(unit), TEXT), *arguments])
        except (FeatureNotSupported, InvalidParameterValue) as error:
            if isinstance(error, InvalidParameterValue):
                del faults[unit]
            continue
        found = one.type
        del faults[unit]
        listed = [string(word) for word in words]
        branches.append(exp.If(this=exp.In(this=named.copy(), expressions=listed), true=one.tree))
    unsupported = [string(word) for unit in faults for word in spellings[unit]]
    kind = string(f" for type {moment.type.sql_name}")
    fault = fragment("'22023:unit \"' || _0 || '\" not recognized' || _1", named.copy(), kind)
    refused = fragment("'0A000:unit \"' || _0 || '\" not supported' || _1", named.copy(), kind)
    if unsupported:
        is_unsupported = exp.In(this=named.copy(), expressions=unsupported)
        branches.append(exp.If(this=is_unsupported, true=call("ERROR", refused)))
    missing = exp.Is(this=named.copy(), expression=exp.Null())
    branches.insert(0, exp.If(this=missing, true=exp.Null()))
    tree = exp.Case(ifs=branches, default=call("ERROR", fault))
    return Typed(cast(tree, found.duckdb), found)


def _truncated(result: str, arguments: Sequence[Typed]) -> Typed:
    part, moment, *zone = arguments
    unit = _field(part, moment)
    if unit is None:
        return _null(moment.type)
    if unit in _ZONE_UNITS:
        raise FeatureNotSupported(f'unit "{unit}" not supported for type {moment.type.sql_name}')
    if unit not in _TRUNCATIONS:
        raise InvalidParameterValue(f'unit "{unit}" not recognized for type {moment.type.sql_name}')
    if moment.type.oid == INTERVAL.oid:
        return _interval_truncated(unit, moment)
    if moment.type.oid == TIMESTAMPTZ.oid and unit in _MICROSECONDS:
        given = zone[0].tree if zone else fragment("CURRENT_SETTING('TimeZone')")
        return Typed(fragment(f"tg_trunc_{unit}_in(_0, _1)", moment.tree, given), moment.type)
    truncation = f"tg_trunc_{unit}(_0)" if unit in _YEARS else f"DATE_TRUNC('{unit}', _0)"
    if zone:
        local = fragment("_0 AT TIME ZONE tg_zone(_1)", moment.tree, zone[0].tree)
        tree = fragment(
            "CAST(_0 AS TIMESTAMP) AT TIME ZONE tg_zone(_1)",
            fragment(truncation, local),
            zone[0].tree,
        )
        return Typed(tree, moment.type)
    day = moment.tree
    if moment.type.oid == TIMESTAMPTZ.oid and unit in {"year", *_YEARS}:
        day = cast(day, "TIMESTAMP")  # The engine's years with a zone have no sign.
    return Typed(cast(fragment(truncation, day), result), moment.type)


_MONTHS: Final = {
    "millennium": 12000, "century": 1200, "decade": 120, "year": 12, "quarter": 3, "month": 1,
}  # fmt: skip
_MICROSECONDS: Final = {
    "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "milliseconds": 1000,
    "microseconds": 1,
}  # fmt: skip


def _interval_truncated(unit: str, interval: Typed) -> Typed:
    if unit == "week":
        raise FeatureNotSupported(
            'unit "week" not supported for type interval',
            detail="Months usually have fractional weeks.",
        )
    months, microseconds = _MONTHS.get(unit, 1), _MICROSECONDS.get(unit)
    sql = f"tg_interval_months(_0, {months})"
    if unit not in _MONTHS:
        sql += " + TO_DAYS(CAST(DATEPART('day', _0) AS INTEGER))"
    if microseconds is not None:
        sql += f" + TO_MICROSECONDS(CAST(tg_interval_us(_0) // {microseconds} * {microseconds} AS BIGINT))"
    return Typed(fragment(sql, interval.tree), INTERVAL)


def _extract(arguments: Sequence[Typed]) -> Typed:
    part, moment = arguments
    field = _field(part, moment)
    if field is None:
        return _null(computed_numeric(18, 0))
    tree, scale = _extracted(field, moment)
    result = computed_numeric(24 if scale else 18, scale)
    return Typed(cast(tree, result.duckdb), result)


def _date_part(arguments: Sequence[Typed]) -> Typed:
    part, moment = arguments
    if moment.type.name == "date":  # Which has no more than a timestamp.
        moment = coerce(moment, TIMESTAMP, Coercion.IMPLICIT)
    found = _extract([part, moment])
    return Typed(cast(found.tree, FLOAT8.duckdb), FLOAT8)


def _extracted(field: str, moment: Typed) -> tuple[exp.Expr, int]:
    """Return a field's value and how many digits it has after the point."""
    kind = moment.type.name
    whole = _WHOLE_FIELDS.get(kind, _DATE_FIELDS | _TIME_FIELDS)
    if kind in _CALENDARS and field in _YEAR_FIELDS:
        day = cast(moment.tree, "TIMESTAMP") if kind == "timestamptz" else moment.tree
        return fragment(_YEAR_FIELDS[field], day), 0
    if field in whole:
        return fragment(f"DATEPART('{field}', _0)", moment.tree), 0
    if field == "epoch":
        return _epoch(moment)
    if field == "julian" and kind in {"date", "timestamp", "timestamptz"}:
        return fragment("DATEPART('julian', _0)", moment.tree), 0 if kind == "date" else 6
    if kind != "date":
        microseconds = fragment("DATEPART('microsecond', _0)", moment.tree)
        match field:
            case "microseconds":
                return microseconds, 0
            case "milliseconds":
                return fragment("CAST(_0 AS DECIMAL(18, 0)) * 0.001", microseconds), 3
            case "second":
                return fragment("CAST(_0 AS DECIMAL(18, 0)) * 0.000001", microseconds), 6
            case "timezone" | "timezone_hour" | "timezone_minute" if kind in {
                "timestamptz",
                "timetz",
            }:
                return fragment(f"DATEPART('{field}', _0)", moment.tree), 0
    if field in _UNITS:
        raise FeatureNotSupported(f'unit "{field}" not supported for type {moment.type.sql_name}')
    raise InvalidParameterValue(f'unit "{field}" not recognized for type {moment.type.sql_name}')


def _epoch(moment: Typed) -> tuple[exp.Expr, int]:
    match moment.type.name:
        case "date":
            return fragment("EPOCH_US(_0) // 1000000", moment.tree), 0
        case "interval":
            return fragment("tg_interval_epoch(_0)", moment.tree), 6
        case "timetz":
            seconds = "CAST(tg_time_us(CAST(_0 AS TIME)) AS DECIMAL(18, 0)) * 0.000001"
            return fragment(f"{seconds} - DATEPART('timezone', _0)", moment.tree), 6
        case "time":
            return fragment("CAST(tg_time_us(_0) AS DECIMAL(18, 0)) * 0.000001", moment.tree), 6
        case _:
            return fragment("CAST(EPOCH_US(_0) AS DECIMAL(24, 0)) * 0.000001", moment.tree), 6


def _moment_text(arguments: Sequence[Typed]) -> Typed:
    moment, template = arguments
    full = fragment(f"tg_{moment.type.name}_text(_0, _1)", moment.tree, template.tree)
    text = template.constant_text
    plain = None if text is None else to_char_tree(moment.tree, text)
    if plain is None:
        return Typed(full, TEXT)
    is_plain = "_0 >= CAST('1000-01-01' AS TIMESTAMP) AND _0 < CAST('10000-01-01' AS TIMESTAMP)"
    return Typed(
        fragment(f"CASE WHEN {is_plain} THEN _1 ELSE _2 END", moment.tree, plain, full), TEXT
    )


def _number_text(arguments: Sequence[Typed]) -> Typed:
    number, template = arguments
    text = text_of(number.tree, number.type)
    return Typed(call("tg_number_text", text, template.tree, string(number.type.name)), TEXT)


def _to_number(arguments: Sequence[Typed]) -> Typed:
    text, template = arguments
    tree = fragment("tg_number_input(_0, NULLIF(_1, ''))", text.tree, template.tree)
    return Typed(cast(tree, NUMBER.duckdb), NUMBER)


def _make_interval(arguments: Sequence[Typed]) -> Typed:
    pieces = (
        "TO_MONTHS(_0 * 12)",
        "TO_MONTHS(_0)",
        "TO_DAYS(_0 * 7)",
        "TO_DAYS(_0)",
        "TO_MICROSECONDS(CAST(_0 AS BIGINT) * 3600000000)",
        "TO_MICROSECONDS(CAST(_0 AS BIGINT) * 60000000)",
        "TO_MICROSECONDS(CAST(ROUND(_0 * 1000000) AS BIGINT))",
    )
    trees = [fragment(sql, a.tree) for sql, a in zip(pieces, arguments, strict=False)]
    tree = trees[0] if trees else fragment("TO_DAYS(0)")
    for other in trees[1:]:
        tree = fragment("_0 + _1", tree, other)
    return Typed(tree, INTERVAL)


_MOMENTS: Final = ("timestamp", "timestamptz")
_INTERVAL_PARTS: Final = ("int4", "int4", "int4", "int4", "int4", "int4", "float8")

MOMENT_FUNCTIONS: Final[tuple[Overload, ...]] = (
    *table(_TABLE),
    *table(_overlaps()),
    rule("date_trunc(text, timestamp)", partial(_by_unit, partial(_truncated, "TIMESTAMP"))),
    rule("date_trunc(text, timestamptz)", partial(_by_unit, partial(_truncated, "TIMESTAMPTZ"))),
    rule("date_trunc(text, interval)", partial(_by_unit, partial(_truncated, "INTERVAL"))),
    rule(
        "date_trunc(text, timestamptz, text)", partial(_by_unit, partial(_truncated, "TIMESTAMPTZ"))
    ),
    *(
        rule(f"{name}(text, {kind})", build)
        for name, build in (("extract", _extract), ("date_part", partial(_by_unit, _date_part)))
        for kind in ("date", "time", "timetz", "timestamp", "timestamptz", "interval")
    ),
    *(rule(f"to_char({kind}, text)", _moment_text) for kind in _MOMENTS),
    *(
        rule(f"to_char({kind}, text)", _number_text)
        for kind in ("int4", "int8", "number", "float4", "float8")
    ),
    rule("to_number(text, text)", _to_number),
    *(
        rule(f"make_interval({', '.join(_INTERVAL_PARTS[:n])})", _make_interval)
        for n in range(len(_INTERVAL_PARTS) + 1)
    ),
)
