"""What must be defined in a DuckDB instance before our expressions run in it.

``MACROS`` are statements for the database's main schema, run once when it is opened and before
anybody else connects; running them again changes nothing. ``PYTHON_FUNCTIONS`` are registered
with every instance, before the macros: they are not kept in the database's file.

A macro reports an error as ``error('<SQLSTATE>:<message>')``, a Python function by raising an
exception with such a text; barrier.engine_errors reads both.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from functools import partial
from typing import Final

from barrier.prelude import PythonFunction
from catalog.types import FLOAT4
from server.sql import input_functions, number_format, python_functions, special_operations
from server.sql.bits import BIT_MACROS
from server.sql.called import (
    bytes_value,
    json_path,
    json_value,
    moment,
    number,
    regular,
    series,
    spread,
    text_value,
)
from server.sql.called.python_function import called
from server.sql.input_macros import INPUT_MACROS
from server.sql.json_macros import JSON_MACROS
from server.sql.jsonb_equality import JSONB_EQUALITY_MACROS
from server.sql.macro import macro as _macro
from server.sql.macro import once as _once
from server.sql.moment_macros import MOMENT_MACROS
from server.sql.number_macros import NUMBER_MACROS
from server.sql.quoting import QUOTED_IDENTIFIER
from server.sql.session_calls import SESSION_CALLS
from server.sql.text_input import cut_name
from server.sql.written_numeric import WRITTEN_MACROS
from server.value.array_text import DIMENSIONS_MAX
from server.value.int256 import GREATEST, LEAST, calculated
from server.value.number_template import number_template_text
from server.value.record_text import parse_record
from server.value.restyle import escaped_bytes
from server.wire.numbers import parse_tid
from server.wire.text_images import engine_text, text_image

_function = called

_V: Final = "VARCHAR"
#: How much padding is wanted: none where the whole is too long, see ``tg_repeat``.
_PADDED: Final = "CASE WHEN n > 268435454 THEN 0 ELSE n - length(t) END"

PYTHON_FUNCTIONS: Final = (
    _function("tg_jsonb", python_functions.jsonb, (_V,), "JSON"),
    _function("tg_jsonb_pretty", python_functions.jsonb_pretty, (_V,), _V),
    _function("tg_jsonb_set", python_functions.jsonb_set, (_V, "VARCHAR[]", _V, "BOOLEAN"), "JSON"),
    _function(
        "tg_jsonb_insert", python_functions.jsonb_insert, (_V, "VARCHAR[]", _V, "BOOLEAN"), "JSON"
    ),
    _function("tg_jsonb_delete", python_functions.jsonb_delete, (_V, "VARCHAR[]"), "JSON"),
    _function("tg_jsonb_delete_key", python_functions.jsonb_delete_key, (_V, _V), "JSON"),
    _function("tg_jsonb_delete_index", python_functions.jsonb_delete_index, (_V, "BIGINT"), "JSON"),
    _function("tg_jsonb_concat", python_functions.jsonb_concat, (_V, _V), "JSON"),
    _function("tg_jsonb_contains", python_functions.jsonb_contains, (_V, _V), "BOOLEAN"),
    _function("tg_jsonb_strip_nulls", python_functions.jsonb_strip_nulls, (_V,), "JSON"),
    _function("tg_jsonb_has_key", python_functions.jsonb_has_key, (_V, _V), "BOOLEAN"),
    _function(
        "tg_jsonb_delete_keys", python_functions.jsonb_delete_keys, (_V, "VARCHAR[]"), "JSON"
    ),
    _function("tg_jsonb_has_any", python_functions.jsonb_has_any, (_V, "VARCHAR[]"), "BOOLEAN"),
    _function("tg_jsonb_has_all", python_functions.jsonb_has_all, (_V, "VARCHAR[]"), "BOOLEAN"),
    _function(
        "tg_json_path_get", python_functions.json_path_get, (_V, "VARCHAR[]"), _V, gives_null=True
    ),
    _function("tg_interval_input", input_functions.interval, (_V, _V), _V),
    _function("tg_moment_input", input_functions.moment, (_V, _V, _V, "BIGINT"), _V),
    _function("tg_jsonpath_input", input_functions.jsonpath, (_V,), _V),
    _function("tg_json_input", input_functions.json, (_V,), "JSON"),
    _function("tg_cut_name", cut_name, (_V,), _V),
    _function("tg_shown", input_functions.shown, (_V, _V, _V), _V),
    _function("tg_round_timetz", input_functions.rounded_timetz, (_V, "BIGINT"), _V),
    _function("tg_hold_interval", input_functions.held_interval, (_V, _V, "INTEGER"), _V),
    _function("tg_size_pretty", python_functions.size_pretty, ("BIGINT",), _V),
    _function("tg_tid_input", parse_tid, (_V,), "BIGINT"),
    _function("tg_record_input", parse_record, (_V, "INTEGER"), "VARCHAR[]"),
    _function("tg_bits_text", input_functions.bits, (_V,), _V),
    _function("tg_uuid_text", input_functions.uuid, (_V,), _V),
    _function("tg_int256_input", input_functions.int256, (_V,), _V),
    _function("tg_int256_of_hex", python_functions.int256_of_hexadecimal, (_V,), _V),
    _function("tg_int256_image", python_functions.int256_image, (_V,), "BLOB"),
    _function("tg_int256_calculated", calculated, (_V, _V, _V), _V),
    _function("tg_bytea_input", python_functions.bytea_input, (_V,), "BLOB"),
    _function("tg_array_input", input_functions.array, (_V,), "VARCHAR[]"),
    *(
        _function(
            f"tg_array_input_{depth}",
            partial(input_functions.nested_array, depth),
            (_V,),
            _V + "[]" * depth,
        )
        for depth in range(2, DIMENSIONS_MAX + 1)
    ),
    _function("tg_parse_date", python_functions.parse_date, (_V, _V), _V),
    _function("tg_parse_moment", python_functions.parse_moment, (_V, _V), _V),
    _function("tg_format", python_functions.format_text, (_V, "VARCHAR[]"), _V),
    _function("tg_number_text", number_template_text, (_V, _V, _V), _V),
    _function("tg_number_input", number_format.number_input, (_V, _V), _V),
    _function("tg_initcap", python_functions.initcap, (_V,), _V),
    _function("tg_escape", escaped_bytes, ("BLOB",), _V),
    _function("tg_special", special_operations.of_one, (_V, "INTEGER", _V), _V),
    _function("tg_special_of_two", special_operations.of_two, (_V, "INTEGER", _V, _V), _V),
    _function("tg_special_of_four", special_operations.of_four, (_V, "INTEGER", *[_V] * 4), _V),
    *json_path.CALLED,
    *json_value.CALLED,
    *moment.CALLED,
    *series.CALLED,
    *spread.CALLED,
    *text_value.CALLED,
    *number.CALLED,
    *bytes_value.CALLED,
    *regular.CALLED,
    *(PythonFunction(*call) for call in SESSION_CALLS),
)


MACROS: Final = (
    *INPUT_MACROS,
    _once(
        "tg_map(keys, held)",
        "CASE WHEN keys IS NULL OR held IS NULL THEN NULL "
        "WHEN len(keys) <> len(held) THEN error('22023:map keys and values have different length') "
        "WHEN list_count(keys) < len(keys) THEN error('22023:map keys must not be NULL') "
        "WHEN len(list_distinct(keys)) < len(keys) THEN error('22023:map keys must be unique') "
        "ELSE map(keys, held) END",
    ),
    # Catalog queries of psql ask it of every column that there is.
    _once("tg_quote_ident(name)", QUOTED_IDENTIFIER),
    # Guards.
    _macro(
        "tg_nonzero(b)",
        "CASE WHEN b = 0 THEN error('22012:division by zero') ELSE b END",
    ),
    _macro(
        "tg_fit(t, n, type_name)",
        "CASE WHEN length(t) <= n THEN t WHEN length(rtrim(t, ' ')) <= n THEN left(t, n) "
        "WHEN t IS NULL THEN NULL "
        "ELSE error('22001:value too long for type ' || type_name || '(' || n || ')') END",
    ),
    # Exact division of two integers to 16 digits after the point, rounded half away from zero.
    _once(
        "tg_int256(n)",
        f"CASE WHEN n NOT BETWEEN CAST('{LEAST}' AS BIGNUM) AND CAST('{GREATEST}' AS BIGNUM) "
        "THEN error('22003:rw_int256 out of range') ELSE n END",
    ),
    _once(
        "tg_whole_quotient(a, b)",
        "CASE WHEN a IS NULL OR b IS NULL THEN NULL "
        "WHEN b = 0 THEN error('22012:division by zero') ELSE a // b END",
    ),
    _once(
        "tg_divide(a, b)",
        "CASE WHEN a IS NULL OR b IS NULL THEN NULL "
        "WHEN b = 0 THEN error('22012:division by zero') "
        "WHEN abs(b) < 1000000000000000000000 THEN CAST(CAST(a // b AS DECIMAL(38, 0)) AS DECIMAL(38, 16)) "
        "+ CAST(CAST(sign(a) * sign(b) * ((abs(a % b) * 20000000000000000 + abs(b)) // (2 * abs(b))) "
        "AS DECIMAL(17, 0)) * 0.0000000000000001 AS DECIMAL(38, 16)) "
        "WHEN abs(b) < 400000000000000000000000000000 THEN CAST(CAST(a // b AS DECIMAL(38, 0)) AS DECIMAL(38, 16)) "
        "+ CAST(CAST(sign(a) * sign(b) * ((abs(a % b) * 100000000 // abs(b)) * 100000000 "
        "+ (abs(a % b) * 100000000 % abs(b) * 200000000 + abs(b)) // (2 * abs(b))) "
        "AS DECIMAL(17, 0)) * 0.0000000000000001 AS DECIMAL(38, 16)) "
        "ELSE CAST(CAST(a AS DOUBLE) / CAST(b AS DOUBLE) AS DECIMAL(38, 16)) END",
    ),
    # Multiplication that keeps 16 digits, exact before: whole and broken parts apart.
    _once(
        "tg_multiply(a, b)",
        "CAST(CAST(CAST(trunc(a) AS HUGEINT) * CAST(trunc(b) AS HUGEINT) AS DECIMAL(38, 0)) AS DECIMAL(38, 16)) "
        "+ CAST(CAST(trunc(a) AS DECIMAL(22, 0)) * CAST(b - trunc(b) AS DECIMAL(16, 16)) AS DECIMAL(38, 16)) "
        "+ CAST(CAST(trunc(b) AS DECIMAL(22, 0)) * CAST(a - trunc(a) AS DECIMAL(16, 16)) AS DECIMAL(38, 16)) "
        "+ CAST(CAST(a - trunc(a) AS DECIMAL(19, 16)) * CAST(b - trunc(b) AS DECIMAL(19, 16)) AS DECIMAL(38, 16))",
    ),
    # A numeric as the integer that is a power of ten times as large: all its digits.
    _once(
        "tg_scaled(a, p)",
        "CAST(trunc(a) AS HUGEINT) * p + CAST((a - trunc(a)) * p AS HUGEINT)",
    ),
    # Repeating text: the engine takes a short one time after time, a million times in seconds. As
    # long as PostgreSQL's values, whose characters it counts as of four bytes before it pads.
    _macro(
        "tg_repeat(t, n)",
        "CASE WHEN n <= 0 THEN left(t, 0) "
        "WHEN strlen(t) * n > 1073741819 THEN error('54000:requested length too large') "
        "WHEN n <= 4096 THEN repeat(t, least(n, 4096)) "
        # What is too long is not made either where the engine computes constants beforehand.
        "ELSE repeat(repeat(t, 1024), CASE WHEN strlen(t) * n > 1073741819 THEN 0 ELSE n // 1024 END)"
        " || repeat(t, n % 1024) END",
    ),
    _macro(
        "tg_padding(n, fill)",
        "left(tg_repeat(fill, n // length(fill) + 1), n)",
    ),
    *(
        _macro(
            f"tg_{side}pad(t, n, fill)",
            "CASE WHEN n IS NULL OR fill IS NULL THEN NULL WHEN n <= 0 THEN left(t, 0) "
            "WHEN n > 268435454 AND fill <> '' THEN error('54000:requested length too large') "
            "WHEN fill = '' OR length(t) >= n THEN left(t, n) "
            f"WHEN n <= 4096 THEN {side}pad(t, least(n, 4096), fill) ELSE {long} END",
        )
        for side, long in (
            ("l", f"tg_padding({_PADDED}, fill) || t"),
            ("r", f"t || tg_padding({_PADDED}, fill)"),
        )
    ),
    # Reading text.
    _macro(
        "tg_integer_text(t, type_name)",
        "CASE WHEN regexp_full_match(t, '\\s*[+-]?[0-9]+\\s*') THEN trim(t) WHEN t IS NULL THEN NULL "
        "ELSE error('22P02:invalid input syntax for type ' || type_name || ': \"' || t || '\"') END",
    ),
    _macro(
        "tg_number_word(t, type_name)",
        "CASE WHEN regexp_full_match(t, '(?i)\\s*[+-]?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity|nan)\\s*') "
        "THEN trim(t) WHEN t IS NULL THEN NULL "
        "ELSE error('22P02:invalid input syntax for type ' || type_name || ': \"' || t || '\"') END",
    ),
    _macro(
        "tg_numeric_word(t, number, nan, infinity)",
        "CASE WHEN t IS NULL THEN NULL "
        "WHEN regexp_full_match(t, '\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?\\s*') THEN number "
        "WHEN lower(trim(t)) = 'nan' THEN nan "
        "WHEN lower(trim(t)) IN ('inf', 'infinity', '+inf', '+infinity') THEN infinity "
        "WHEN lower(trim(t)) IN ('-inf', '-infinity') THEN -infinity "
        "ELSE error('22P02:invalid input syntax for type numeric: \"' || t || '\"') END",
    ),
    # A numeric that is too close to the end of its type to be told from NaN and the infinities is
    # driven over it. Adding is cheaper than looking at the value twice.
    _macro("tg_bounded(a, unit)", "((a + unit) - (unit + unit)) + unit"),
    _macro(
        "tg_boolean(t)",
        "CASE WHEN t IS NULL THEN NULL "
        "WHEN lower(trim(t)) IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1') THEN TRUE "
        "WHEN lower(trim(t)) IN ('f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0') THEN FALSE "
        "ELSE error('22P02:invalid input syntax for type boolean: \"' || t || '\"') END",
    ),
    # Writing text.
    _once(
        "tg_scientific(t)",
        "CASE WHEN starts_with(t, '-') THEN '-' ELSE '' END "
        "|| left(ltrim(t, '-'), 1) "
        "|| rtrim('.' || rtrim(substr(replace(ltrim(t, '-'), '.', ''), 2), '0'), '.') "
        "|| 'e+' || lpad(CAST(strpos(ltrim(t, '-'), '.') - 2 AS VARCHAR), 2, '0')",
    ),
    _once(
        "tg_float_text(x, fixed_max)",
        "CASE WHEN isnan(x) THEN 'NaN' "
        "WHEN isinf(x) THEN CASE WHEN x > 0 THEN 'Infinity' ELSE '-Infinity' END "
        "WHEN abs(x) >= fixed_max AND abs(x) < 1e16 THEN tg_scientific(CAST(x AS VARCHAR)) "
        "ELSE regexp_replace(CAST(x AS VARCHAR), '\\.0$', '') END",
    ),
    _macro("tg_float4_digits(x)", engine_text("x", FLOAT4)),
    _macro("tg_float4_text(x)", text_image("x", FLOAT4, "tg_float4_digits(x)")),
    _macro(
        "tg_shown_scale(t)",
        "CAST(CASE WHEN contains(t, '.') THEN length(t) - strpos(t, '.') "
        "WHEN right(t, 1) BETWEEN '0' AND '9' THEN 0 END AS INTEGER)",
    ),
    _macro(
        "tg_trimmed(t)",
        "CASE WHEN contains(t, '.') THEN rtrim(rtrim(t, '0'), '.') ELSE t END",
    ),
    _once(
        "tg_array_item(t)",
        "CASE WHEN t = '' OR upper(t) = 'NULL' OR regexp_matches(t, '[{},\"\\\\\\s]') "
        "THEN '\"' || replace(replace(t, '\\', '\\\\'), '\"', '\\\"') || '\"' ELSE t END",
    ),
    *JSON_MACROS,
    *JSONB_EQUALITY_MACROS,
    # Arrays.
    _once(
        "tg_any(l)",
        "CASE WHEN l IS NULL THEN NULL WHEN list_contains(l, TRUE) THEN TRUE "
        "WHEN len(list_filter(l, lambda x: x IS NULL)) > 0 THEN NULL ELSE FALSE END",
    ),
    _once(
        "tg_all(l)",
        "CASE WHEN l IS NULL THEN NULL WHEN list_contains(l, FALSE) THEN FALSE "
        "WHEN len(list_filter(l, lambda x: x IS NULL)) > 0 THEN NULL ELSE TRUE END",
    ),
    _once(
        "tg_array_join(items, separator)",
        "CASE WHEN separator IS NULL THEN NULL WHEN len(items) = 0 THEN '' ELSE list_reduce(items, lambda p, q: p || separator || q) END",
    ),
    _macro(
        "tg_trim_array(a, n)",
        "CASE WHEN n < 0 OR n > len(a) THEN error('2202E:number of elements to trim must be between 0 and ' || len(a)) "
        "ELSE list_slice(a, 1, len(a) - n) END",
    ),
    _macro(
        "tg_fill_sizes(sizes, lows, dimensions)",
        "CASE WHEN sizes IS NULL OR lows IS NULL THEN error('22004:dimension array or low bound array cannot be null') "
        "WHEN len(sizes) > 6 THEN error('54000:number of array dimensions (' || len(sizes) || ') exceeds the maximum allowed (6)') "
        "WHEN len(lows) <> 0 AND len(lows) <> len(sizes) THEN error('2202E:wrong number of array subscripts') "
        "WHEN len(list_filter(sizes, lambda n: n IS NULL)) > 0 OR len(list_filter(lows, lambda n: n IS NULL)) > 0 "
        "THEN error('22004:dimension values cannot be null') "
        "WHEN len(sizes) = 0 THEN [] "
        "WHEN len(list_filter(sizes, lambda n: n < 0)) > 0 OR len(sizes) = 1 AND sizes[1] > 134217727 "
        "OR list_reduce(list_prepend(1::HUGEINT, sizes::HUGEINT[]), lambda a, b: CASE WHEN a > 134217727 THEN a ELSE a * b END) > 134217727 "
        "THEN error('54000:array size exceeds the maximum allowed (134217727)') "
        "WHEN len(list_filter(lows, lambda n: n <> 1)) > 0 THEN error('0A000:arrays that do not begin at 1 are not supported') "
        "WHEN len(list_filter(sizes, lambda n: n = 0)) > 0 THEN [] "
        "WHEN len(sizes) <> dimensions THEN error('0A000:array_fill of other dimensions than are written as ARRAY[...] is not supported') "
        "ELSE sizes END",
    ),
    _macro(
        "tg_bytes_joined(t)",
        "CASE WHEN t IS NOT NULL THEN unhex(list_reduce(list_prepend('', list_transform(list_zip(string_split(t, ';'), range(len(string_split(t, ';')))), "
        "lambda p: CASE WHEN p[2] = 0 THEN split_part(p[1], ':', 2) ELSE replace(p[1], ':', '') END)), lambda a, b: a || b)) END",
    ),
    _once(
        "tg_texts_joined(pairs)",
        "list_extract(pairs, 1).t || array_to_string(list_transform(list_slice(pairs, 2, len(pairs)), lambda p: p.d || p.t), '')",
    ),
    # Percentiles of values in order.
    _macro(
        "tg_fraction(f)",
        "CASE WHEN f < 0 OR f > 1 OR isnan(f) THEN error('22003:percentile value ' || tg_trimmed(CAST(f AS VARCHAR)) || ' is not between 0 and 1') ELSE f END",
    ),
    _once(
        "tg_percentile_disc(items, f)",
        "list_extract(items, greatest(CAST(ceil(tg_fraction(f) * len(items)) AS BIGINT), 1))",
    ),
    _macro(
        "tg_item_at(items, f)",
        "list_extract(items, CAST(floor((len(items) - 1) * f) AS BIGINT) + 1)",
    ),
    _once(
        "tg_percentile_cont(items, f)",
        "tg_between_items(items, tg_fraction(f) * (len(items) - 1))",
    ),
    _once(
        "tg_between_items(items, place)",
        "CASE WHEN place = floor(place) THEN list_extract(items, CAST(place AS BIGINT) + 1) "
        "ELSE list_extract(items, CAST(floor(place) AS BIGINT) + 1) + (place - floor(place)) "
        "* (list_extract(items, CAST(ceil(place) AS BIGINT) + 1) - list_extract(items, CAST(floor(place) AS BIGINT) + 1)) END",
    ),
    _once(
        "tg_percentile_interval(items, f)",
        "tg_between_intervals(items, tg_fraction(f) * (len(items) - 1))",
    ),
    _once(
        "tg_between_intervals(items, place)",
        "CASE WHEN place = floor(place) THEN list_extract(items, CAST(place AS BIGINT) + 1) "
        "ELSE list_extract(items, CAST(floor(place) AS BIGINT) + 1) + tg_interval_times("
        "list_extract(items, CAST(ceil(place) AS BIGINT) + 1) - list_extract(items, CAST(floor(place) AS BIGINT) + 1), place - floor(place)) END",
    ),
    # What is NULL is in no array.
    _macro(
        "tg_has_all(a, b)",
        "CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN len(b) > len(list_filter(b, lambda x: x IS NOT NULL)) THEN FALSE "
        "ELSE list_has_all(a, b) END",
    ),
    # What they look for may be a query, which no lambda may hold.
    _once("tg_array_remove(a, v)", "list_filter(a, lambda x: x IS DISTINCT FROM v)"),
    _once(
        "tg_array_replace(a, v, w)",
        "list_transform(a, lambda x: CASE WHEN x IS NOT DISTINCT FROM v THEN w ELSE x END)",
    ),
    _once(
        "tg_array_positions(a, v)",
        "list_filter(generate_series(1, len(a)), lambda i: list_extract(a, i) IS NOT DISTINCT FROM v)",
    ),
    _macro("tg_array_position(a, v)", "list_extract(tg_array_positions(a, v), 1)"),
    _macro(
        "tg_array_position_from(a, v, first)",
        "CASE WHEN a IS NULL OR len(a) = 0 THEN NULL WHEN first IS NULL THEN error('22004:initial position must not be null') "
        "ELSE tg_array_position(list_slice(a, greatest(first, 1), len(a)), v) + greatest(first, 1) - 1 END",
    ),
    _macro(
        "tg_string_to_array(t, d)",
        "CASE WHEN t = '' THEN CAST([] AS VARCHAR[]) WHEN d IS NULL THEN string_split(t, '') "
        "WHEN d = '' THEN [t] ELSE string_split(t, d) END",
    ),
    # Bits: the number of places counts modulo the width, what leaves the width is lost.
    _once(
        "tg_wrapped(v, bits)",
        "((v + (CAST(1 AS HUGEINT) << (bits - 1))) % (CAST(1 AS HUGEINT) << bits) + (CAST(1 AS HUGEINT) << bits)) "
        "% (CAST(1 AS HUGEINT) << bits) - (CAST(1 AS HUGEINT) << (bits - 1))",
    ),
    _once(
        "tg_shift_left(a, n, bits)",
        "tg_wrapped(CAST(a AS HUGEINT) * (CAST(1 AS HUGEINT) << (n & (greatest(bits, 32) - 1))), bits)",
    ),
    _once(
        "tg_shift_right(a, n, bits)",
        "(CAST(a AS HUGEINT) - ((CAST(a AS HUGEINT) % (CAST(1 AS HUGEINT) << (n & (greatest(bits, 32) - 1))) "
        "+ (CAST(1 AS HUGEINT) << (n & (greatest(bits, 32) - 1)))) % (CAST(1 AS HUGEINT) << (n & (greatest(bits, 32) - 1))))) "
        "// (CAST(1 AS HUGEINT) << (n & (greatest(bits, 32) - 1)))",
    ),
    _once(
        "tg_float_numeric(x, digits, nan, infinity)",
        "CASE WHEN isnan(x) THEN nan WHEN isinf(x) THEN CASE WHEN x > 0 THEN infinity ELSE '-' || infinity END "
        "ELSE format('{:.' || digits || 'g}', x) END",
    ),
    _once(
        "tg_float_decimal(x, digits)",
        "CASE WHEN isnan(x) OR isinf(x) THEN error('22003:numeric field overflow') "
        "ELSE format('{:.' || digits || 'g}', x) END",
    ),
    _macro(
        "tg_oid_of(n)",
        "CASE WHEN n NOT BETWEEN 0 AND 4294967295 THEN error('22003:OID out of range') ELSE n END",
    ),
    # A "char" is one byte, of a sign of its own, and empty for zero.
    _macro(
        "tg_char_of(n)",
        "CASE WHEN n < -128 OR n > 127 THEN error('22003:\"char\" out of range') "
        "WHEN n = 0 THEN '' WHEN n < 0 THEN error('0A000:bytes above 127 in \"char\" are not supported') ELSE chr(n) END",
    ),
    _macro("tg_code_of(c)", "CASE WHEN c = '' THEN 0 ELSE unicode(c) END"),
    _macro(
        "tg_chr(n)",
        "CASE WHEN n = 0 THEN error('54000:null character not permitted') "
        "WHEN n < 0 THEN error('22023:character number must be positive') "
        "WHEN n > 1114111 THEN error('54000:requested character too large for encoding: ' || n) "
        "ELSE chr(n) END",
    ),
    _macro(
        "tg_split_part(t, d, n)",
        "CASE WHEN t IS NULL OR n IS NULL THEN NULL WHEN n = 0 THEN error('22023:field position must not be zero') "
        "WHEN d = '' THEN CASE WHEN n IN (1, -1) THEN t ELSE '' END ELSE split_part(t, d, n) END",
    ),
    _once(
        "tg_substr(t, start, n)",
        "CASE WHEN t IS NULL OR start IS NULL THEN NULL "
        "WHEN n < 0 THEN error('22011:negative substring length not allowed') "
        "WHEN CAST(start AS BIGINT) + n <= 1 THEN substr(t, 1, 0) "
        "ELSE substr(t, greatest(start, 1), n + least(start - 1, 0)) END",
    ),
    _macro("tg_substr_from(t, start)", "CASE WHEN start < 1 THEN t ELSE substr(t, start) END"),
    _once(
        "tg_overlay(t, put, start, n)",
        "CASE WHEN t IS NULL OR put IS NULL OR n IS NULL THEN NULL WHEN start <= 0 THEN error('22011:negative substring length not allowed') "
        "ELSE left(t, start - 1) || put || substr(t, greatest(CAST(start AS BIGINT) + n, 1)) END",
    ),
    *BIT_MACROS,
    *NUMBER_MACROS,
    *MOMENT_MACROS,
    *WRITTEN_MACROS,
)
