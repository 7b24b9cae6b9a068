"""Macros of json and jsonb (see ``macros``)."""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from typing import Final

from server.sql.macro import macro, once

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
    macro("tg_json_get(j, k)", "json_extract(j, tg_json_key(k))"),
    macro("tg_json_at(j, i)", "json_extract(j, CAST(i AS BIGINT))"),
    macro("tg_json_pointer(j, p)", "json_extract(j, p)"),
    # Of json, what is an object or an array stays as it was written; the engine writes it anew.
    *(
        once(
            f"tg_json_kept_{name}_of(j, k, found)",
            f"CASE WHEN json_type(found) IN ('OBJECT', 'ARRAY') {several}THEN CAST({whole} AS JSON) ELSE found END",
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
    macro("tg_json_elements(j)", "CAST(json_extract(j, '$[*]') AS JSON[])"),
    macro("tg_json_text(j)", "json_extract_string(j, '$')"),
    once(
        "tg_json_kept_text(j)",
        "CASE WHEN json_type(j) IN ('OBJECT', 'ARRAY') THEN CAST(j AS VARCHAR) ELSE json_extract_string(j, '$') END",
    ),
    once(
        "tg_jsonb_text(j)",
        "CASE WHEN json_type(j) IN ('OBJECT', 'ARRAY') THEN CAST(tg_jsonb(CAST(j AS VARCHAR)) AS VARCHAR) "
        "ELSE json_extract_string(j, '$') END",
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
    macro(
        "tg_json_values(j)",
        "list_transform(json_keys(j), lambda k: json_extract(j, tg_json_key(k)))",
    ),
    macro(
        "tg_json_kept_values(j)",
        "CAST(tg_json_member_texts(CAST(j AS VARCHAR)) AS JSON[])",
    ),
)
