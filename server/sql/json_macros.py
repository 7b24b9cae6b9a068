"""Macros of json and jsonb (see ``macros``)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from typing import Final

from server.sql.macro import macro, once

#: A number with a zero at the end of its fraction, more than 15 digits, an exponent, or as small
#: as to be written with one; or -0. What stands before and after it keeps most strings out.
_EXACT_NUMBER: Final = (
    r"(?:^|[\s\[:,])(?:-0(?:[\s,\]}]|$)"
    r"|-?(?:[0-9]+\.[0-9]*0(?:[\s,\]}]|$)|0\.0000|[0-9.]{17}|[0-9.]+[eE]))"
)

#: A fraction with a zero at its end, or with seven digits: a number of more than fifteen has this,
#: or nine digits before the point.
_EXACT_FRACTION: Final = r"\.[0-9]*(?:0[,\]}]|0$|[0-9]{7})"

JSON_MACROS: Final = (
    macro(
        "tg_json_key(k)",
        "CASE WHEN k = '' THEN '/' "
        "ELSE '$.\"' || replace(replace(k, '\\', '\\\\'), '\"', '\\\"') || '\"' END",
    ),
    once(
        "tg_jsonb_of(j)",
        "CASE WHEN json_type(j) IN ('OBJECT', 'ARRAY') THEN tg_jsonb(CAST(j AS VARCHAR)) ELSE j END",
    ),
    once(
        "tg_json_typeof(j)",
        "CASE json_type(j) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string' "
        "WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE CASE WHEN j IS NOT NULL THEN 'number' END END",
    ),
    once(
        "tg_jsonb_scalar(j, wanted, type_name)",
        "CASE WHEN j IS NULL OR json_type(j) = 'NULL' THEN NULL "
        "WHEN tg_json_typeof(j) = wanted THEN CAST(j AS VARCHAR) "
        "ELSE error('22023:cannot cast jsonb ' || tg_json_typeof(j) || ' to type ' || type_name) END",
    ),
    once(
        "tg_json_array_length(j)",
        "CASE json_type(j) WHEN 'ARRAY' THEN CAST(json_array_length(j) AS INTEGER) "
        "WHEN 'OBJECT' THEN error('22023:cannot get array length of a non-array') "
        "ELSE CASE WHEN j IS NULL THEN NULL ELSE error('22023:cannot get array length of a scalar') END END",
    ),
    # Whether a text may have a number that the engine, which reads doubles, would write otherwise.
    macro("tg_json_has_exact(t)", f"regexp_matches(t, '{_EXACT_NUMBER}')"),
    # The same of a number that was found, where the text is a jsonb's: this expression begins with
    # a letter that can be sought, so it is five times as fast.
    macro(
        "tg_json_is_exact(t, found)",
        f"regexp_matches(t, '{_EXACT_FRACTION}') OR regexp_matches(found, '^-?[0-9]{{9}}|e')",
    ),
    # What the engine finds in the text of a jsonb or, where a number was or may be lost in it, what
    # stands there. The text is copied wherever it is used: it is to be a column, or a constant.
    # AND would not do for CASE, since its sides are evaluated in any order.
    macro(
        "tg_json_taken(t, found, steps)",
        "list_extract(list_transform([found], lambda taken: CASE WHEN "
        "CASE CAST(taken AS VARCHAR)[1] WHEN '\"' THEN FALSE WHEN '{' THEN tg_json_has_exact(t) WHEN '[' THEN tg_json_has_exact(t) "
        "ELSE CASE WHEN contains(CAST(taken AS VARCHAR), '.') OR contains(CAST(taken AS VARCHAR), 'e') "
        "THEN tg_json_is_exact(t, CAST(taken AS VARCHAR)) ELSE FALSE END END "
        "THEN CAST(tg_json_at_steps(t, steps) AS JSON) ELSE taken END), 1)",
    ),
    macro("tg_json_find(j, k)", "json_extract(j, tg_json_key(k))"),
    macro("tg_json_find_at(j, i)", "json_extract(j, CAST(i AS BIGINT))"),
    # A jsonb that is a scalar counts as an array of it.
    once(
        "tg_json_find_end(j, i)",
        "COALESCE(json_extract(j, CAST(i AS BIGINT)), "
        "CASE WHEN i BETWEEN -1 AND 0 AND json_type(j) NOT IN ('OBJECT', 'ARRAY') THEN j END)",
    ),
    once("tg_json_get(j, k)", "tg_json_taken(CAST(j AS VARCHAR), tg_json_find(j, k), ['.' || k])"),
    once(
        "tg_json_at(j, i)", "tg_json_taken(CAST(j AS VARCHAR), tg_json_find_end(j, i), ['#' || i])"
    ),
    # Of json, what is no plain scalar stays as it was written; the engine writes it anew.
    *(
        once(
            f"tg_json_kept_{name}_of(j, k, found)",
            f"CASE WHEN json_type(found) IN ('OBJECT', 'ARRAY') {several}"
            "OR contains(CAST(j AS VARCHAR), '\\') OR (json_type(found) <> 'VARCHAR' AND tg_json_has_exact(CAST(j AS VARCHAR))) "
            f"THEN CAST({whole} AS JSON) ELSE found END",
        )
        for name, whole, several in (
            (
                "get",
                "tg_json_member(CAST(j AS VARCHAR), k)",
                # Of members of one name the last is meant.
                "OR contains(substr(CAST(j AS VARCHAR), strpos(CAST(j AS VARCHAR), '\"' || k || '\"') + 1), '\"' || k || '\"') ",
            ),
            ("at", "tg_json_element(CAST(j AS VARCHAR), CAST(k AS BIGINT))", ""),
        )
    ),
    *(
        once(
            f"tg_json_kept_{name}(j, k)",
            f"tg_json_kept_{name}_of(j, k, {found})",
        )
        for name, found in (
            ("get", "json_extract(j, tg_json_key(k))"),
            ("at", "json_extract(j, CAST(k AS BIGINT))"),
        )
    ),
    macro(
        "tg_json_kept_elements(j)",
        "CAST(tg_json_element_texts(CAST(j AS VARCHAR)) AS JSON[])",
    ),
    # Of a NULL that is constant the engine takes it for one value.
    once(
        "tg_json_elements(j)",
        "CASE WHEN tg_json_has_exact(CAST(j AS VARCHAR)) THEN tg_json_kept_elements(j) "
        "ELSE CAST(json_extract(j, '$[*]') AS JSON[]) END",
    ),
    once(
        "tg_json_text(j)",
        "CASE WHEN json_type(j) IN ('VARCHAR', 'NULL') THEN json_extract_string(j, '$') ELSE CAST(j AS VARCHAR) END",
    ),
    once(
        "tg_json_kept_text(j)",
        "CASE json_type(j) WHEN 'OBJECT' THEN CAST(j AS VARCHAR) WHEN 'ARRAY' THEN CAST(j AS VARCHAR) "
        "WHEN 'VARCHAR' THEN json_extract_string(j, '$') "
        "WHEN 'NULL' THEN NULL ELSE trim(CAST(j AS VARCHAR), E' \\t\\n\\r') END",
    ),
    once(
        "tg_jsonb_text(j)",
        "CASE CAST(j AS VARCHAR)[1] WHEN '\"' THEN json_extract_string(j, '$') WHEN 'n' THEN NULL "
        "WHEN '{' THEN CAST(tg_jsonb(CAST(j AS VARCHAR)) AS VARCHAR) "
        "WHEN '[' THEN CAST(tg_jsonb(CAST(j AS VARCHAR)) AS VARCHAR) ELSE CAST(j AS VARCHAR) END",
    ),
    once(
        "tg_json_items(j, items, of_object, of_scalar)",
        "CASE json_type(j) WHEN 'ARRAY' THEN items WHEN 'OBJECT' THEN error('22023:' || of_object) "
        "ELSE CASE WHEN j IS NULL THEN NULL ELSE error('22023:' || of_scalar) END END",
    ),
    once(
        "tg_json_keys(j, of_array, of_scalar)",
        "CASE json_type(j) WHEN 'OBJECT' THEN json_keys(j) WHEN 'ARRAY' THEN error('22023:' || of_array) "
        "ELSE CASE WHEN j IS NULL THEN NULL ELSE error('22023:' || of_scalar) END END",
    ),
    once(
        "tg_json_values(j)",
        "CASE WHEN tg_json_has_exact(CAST(j AS VARCHAR)) THEN tg_json_kept_values(j) "
        "ELSE list_transform(json_keys(j), lambda k: json_extract(j, tg_json_key(k))) END",
    ),
    macro(
        "tg_json_kept_values(j)",
        "CAST(tg_json_member_texts(CAST(j AS VARCHAR)) AS JSON[])",
    ),
)
