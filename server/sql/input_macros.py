"""Macros that read values from texts, and bring them within their type's modifier (see ``macros``).

Moments and UUIDs in their plainest form are read by the engine, all others by the input functions.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from typing import Final

from barrier.engine_errors import DETAIL_MARK


def _macro(signature: str, body: str) -> str:
    return f"CREATE OR REPLACE MACRO {signature} AS {body}"


def _moment(name: str, duckdb: str, plain: str) -> str:
    """Return the macro that reads a date or time from a text, in the session's style."""
    read = f"tg_moment_input('{name}', t, style, epoch_us(now()))"
    return _macro(
        f"tg_{name}_input(t, style)",
        f"COALESCE(CASE WHEN {plain} THEN TRY_CAST(t AS {duckdb}) END, CAST({read} AS {duckdb}))",
    )


INPUT_MACROS: Final = (
    _moment("date", "DATE", "t LIKE '____-__-__' AND t >= '0001'"),
    _moment("time", "TIME", "t LIKE '__:__:__%' AND strlen(t) <= 15 AND t < '24'"),
    _moment(
        "timestamp",
        "TIMESTAMP",
        "(t LIKE '____-__-__ __:__:__' "
        "OR t LIKE '____-__-__ __:__:__.%' AND strlen(t) <= 26 AND right(t, 1) <= '9') "
        "AND t >= '0001'",
    ),
    _moment(
        "timestamptz",
        "TIMESTAMPTZ",
        "t LIKE '____-__-__ __:__:__%' AND t >= '0001' "
        "AND ((t LIKE '%+__' OR t LIKE '%-__') AND strlen(t) BETWEEN 22 AND 29 AND right(t, 2) < '16' "
        "OR (t LIKE '%+__:__' OR t LIKE '%-__:__') AND strlen(t) BETWEEN 25 AND 32 AND right(t, 5) < '16')",
    ),
    _moment("timetz", "TIMETZ", "FALSE"),
    _macro(
        "tg_timestamptz_timetz(m)",
        "CASE WHEN isfinite(m) THEN CAST(strftime(CAST(m AS TIMESTAMP), '%H:%M:%S.%f') || tg_offset_text(datepart('timezone', m)) AS TIMETZ) END",
    ),
    _macro(
        "tg_offset_text(s)",
        "printf('%s%02d:%02d:%02d', CASE WHEN s < 0 THEN '-' ELSE '+' END, abs(s) // 3600, abs(s) // 60 % 60, abs(s) % 60)",
    ),
    _macro(
        "tg_uuid_input(t)",
        "COALESCE(CASE WHEN t LIKE '________-____-____-____-____________' THEN TRY_CAST(t AS UUID) END, "
        "CAST(tg_uuid_text(t) AS UUID))",
    ),
    _macro(
        "tg_float_input(t, x, type_name)",
        "CASE WHEN isinf(x) AND NOT contains(lower(t), 'inf') OR x = 0 AND regexp_matches(t, '^[^eE]*[1-9]') "
        "THEN error('22003:\"' || trim(t) || '\" is out of range for type ' || type_name) ELSE x END",
    ),
    _macro(
        "tg_oid_input(t, x, type_name)",
        "CASE WHEN x BETWEEN 0 AND 4294967295 THEN x WHEN x BETWEEN -2147483648 AND -1 THEN x + 4294967296 "
        "WHEN x IS NULL THEN NULL "
        "ELSE error('22003:value \"' || t || '\" is out of range for type ' || type_name) END",
    ),
    # Inner arrays of equal length; where all are empty so is the whole.
    _macro(
        "tg_matched(l)",
        "CASE WHEN len(list_distinct(list_transform(l, lambda x: coalesce(len(x), 0)))) > 1 "
        "THEN error('2202E:multidimensional arrays must have array expressions with matching dimensions') "
        "WHEN coalesce(len(flatten(l)), 0) = 0 THEN list_filter(l, lambda x: FALSE) ELSE l END",
    ),
    _macro(
        "tg_accumulated(l)",
        "CASE WHEN len(list_filter(l, lambda x: x IS NULL)) > 0 THEN error('22004:cannot accumulate null arrays') "
        "WHEN len(list_filter(l, lambda x: len(x) = 0)) > 0 THEN error('2202E:cannot accumulate empty arrays') "
        "WHEN len(list_distinct(list_transform(l, lambda x: len(x)))) > 1 "
        "THEN error('2202E:cannot accumulate arrays of different dimensionality') ELSE l END",
    ),
    _macro(
        "tg_matched_json(l)",
        "CASE WHEN len(list_distinct(list_transform(l, lambda x: coalesce(len(x), 0)))) > 1 "
        f"THEN error('22P02:malformed JSON array{DETAIL_MARK}Multidimensional arrays must have "
        "sub-arrays with matching dimensions.') ELSE l END",
    ),
    # Digits of a second, rounded away from the year 2000 as PostgreSQL's numbers are from zero.
    _macro(
        "tg_round_us(us, unit)",
        "CAST(sign(us) * ((abs(us) + unit // 2) // unit * unit) AS BIGINT)",
    ),
    _macro(
        "tg_round_timestamp(m, unit)",
        "CASE WHEN isfinite(m) THEN make_timestamp(tg_round_us(epoch_us(m) - 946684800000000, unit) + 946684800000000) ELSE m END",
    ),
    _macro(
        "tg_round_timestamptz(m, unit)",
        "CASE WHEN isfinite(m) THEN make_timestamptz(tg_round_us(epoch_us(m) - 946684800000000, unit) + 946684800000000) ELSE m END",
    ),
    _macro(
        "tg_round_time(m, unit)",
        "CASE WHEN tg_round_us(epoch_us(m), unit) >= 86400000000 THEN CAST('24:00:00' AS TIME) "
        "ELSE CAST(CAST('00:00:00' AS TIME) + to_microseconds(tg_round_us(epoch_us(m), unit)) AS TIME) END",
    ),
    # A time as RisingWave shows it: three or six digits of a fraction, minutes in its zone.
    _macro(
        "tg_peer_clock(t)",
        r"regexp_replace(regexp_replace(CASE WHEN contains(t, '.') THEN regexp_replace(regexp_replace(t, '(\.\d(?:\d{3})?)(\D|$)', '\100\2'), "
        r"'(\.\d\d(?:\d{3})?)(\D|$)', '\10\2') ELSE t END, '(:.*[+-]\d\d)( BC)?$', '\1:00\2'), "
        r"'([+-]\d\d:\d\d):\d\d( BC)?$', '\1\2')",
    ),
    # DuckDB puts the era after the date, PostgreSQL at the end.
    _macro(
        "tg_era_last(t)",
        "CASE WHEN contains(t, ' (BC)') THEN replace(t, ' (BC)', '') || ' BC' ELSE t END",
    ),
)
