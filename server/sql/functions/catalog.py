"""Functions that tell of objects and of the server (PostgreSQL 15, chapter 9.26 and 9.27).

Their answers come from the session (``server.sql.session_calls``), which knows the catalogs that
it sees. None of them can stand in a query that is maintained.
"""
# ruff: noqa: E501 -- a line of a table is not broken

from __future__ import annotations

from typing import Final

from server.sql.overload import Overload, table

_ME: Final = "GETVARIABLE('session')"

#: Name -> the kind of object that it asks about.
_VISIBLE: Final = {
    "pg_table_is_visible": "regclass",
    "pg_type_is_visible": "regtype",
    "pg_function_is_visible": "regprocedure",
    "pg_operator_is_visible": "regoperator",
    "pg_collation_is_visible": "regcollation",
    "pg_ts_config_is_visible": "regconfig",
    "pg_ts_dict_is_visible": "regdictionary",
    "pg_opclass_is_visible": "opclass",
    "pg_opfamily_is_visible": "opfamily",
    "pg_conversion_is_visible": "conversion",
    "pg_statistics_obj_is_visible": "statistics",
    "pg_ts_parser_is_visible": "parser",
    "pg_ts_template_is_visible": "template",
}

#: Definitions of objects that do not exist here: there is none for any OID.
_NOTHING: Final = """
pg_get_ruledef(oid) pg_get_ruledef(oid, bool)
pg_get_partkeydef(oid) pg_get_partition_constraintdef(oid) pg_get_statisticsobjdef(oid)
pg_get_statisticsobjdef_columns(oid) pg_get_statisticsobjdef_expressions(oid)
pg_get_function_sqlbody(oid) pg_get_function_arg_default(oid, int4) pg_tablespace_location(oid)
"""

_TABLE: Final = """
format_type(oid, int4) text = tg_told({me}, 'type', _0, COALESCE(_1, -2), '')
pg_get_userbyid(oid) name = tg_told({me}, 'user', _0, 0, '')
pg_get_viewdef(oid) text = tg_told({me}, 'view', _0, 0, '')
pg_get_viewdef(oid, bool) text = tg_told({me}, 'view', _0, 0, '')
pg_get_viewdef(oid, int4) text = tg_told({me}, 'view', _0, 0, '')
pg_get_viewdef(text) text = tg_told({me}, 'view', tg_object_oid({me}, 'regclass', _0), 0, '')
pg_get_viewdef(text, bool) text = tg_told({me}, 'view', tg_object_oid({me}, 'regclass', _0), 0, '')
pg_get_indexdef(oid) text = tg_told({me}, 'index', _0, 0, '')
pg_get_indexdef(oid, int4, bool) text = tg_told({me}, 'index', _0, _1, _2::VARCHAR)
pg_get_constraintdef(oid) text = tg_told({me}, 'constraint', _0, 0, '')
pg_get_constraintdef(oid, bool) text = tg_told({me}, 'constraint', _0, CASE WHEN _1 THEN 1 WHEN NOT _1 THEN 0 END, '')
pg_get_expr(pg_node_tree, oid) text = CASE WHEN _1 IS NOT NULL THEN CASE WHEN contains(_0::VARCHAR, 'regclass') THEN tg_told({me}, 'expression', _1, 0, _0::VARCHAR) ELSE _0 END END
pg_get_expr(pg_node_tree, oid, bool) text = CASE WHEN _1 IS NOT NULL THEN CASE WHEN contains(_0::VARCHAR, 'regclass') THEN tg_told({me}, 'expression', _1, 0, _0::VARCHAR) ELSE _0 END END
pg_get_serial_sequence(text, text) text = tg_told({me}, 'sequence', tg_object_oid({me}, 'regclass', _0), 0, _1)
pg_get_functiondef(oid) text = tg_told({me}, 'function', _0, 0, '')
pg_get_function_arguments(oid) text = tg_told({me}, 'arguments', _0, 0, '')
pg_get_function_identity_arguments(oid) text = tg_told({me}, 'arguments', _0, 0, 'identity')
pg_get_function_result(oid) text = tg_told({me}, 'result', _0, 0, '')
pg_describe_object(oid, oid, int4) text = tg_told({me}, 'object', _0, _1, CAST(_2 AS TEXT))
pg_get_triggerdef(oid) text = tg_told({me}, 'trigger', _0, 0, '')
pg_get_triggerdef(oid, bool) text = tg_told({me}, 'trigger', _0, 0, '')
obj_description(oid) text = tg_told({me}, 'comment', _0, 0, '')
obj_description(oid, name) text = tg_told({me}, 'comment', _0, 0, _1)
col_description(oid, int4) text = tg_told({me}, 'comment', _0, _1, 'pg_class')
shobj_description(oid, name) text = tg_told({me}, 'shared_comment', _0, 0, _1)
pg_table_size(regclass) int8 = CAST(tg_told({me}, 'size', _0, 0, '') AS BIGINT)
pg_relation_size(regclass) int8 = CAST(tg_told({me}, 'size', _0, 0, '') AS BIGINT)
pg_relation_size(regclass, text) int8 = CASE WHEN _1 = 'main' THEN CAST(tg_told({me}, 'size', _0, 0, '') AS BIGINT) ELSE 0 END
pg_total_relation_size(regclass) int8 = CAST(tg_told({me}, 'size', _0, 0, '') AS BIGINT)
pg_indexes_size(regclass) int8 = CASE WHEN _0 IS NOT NULL THEN CAST(0 AS BIGINT) END
pg_database_size(oid) int8 = CAST(tg_told({me}, 'database_size', _0, 0, '') AS BIGINT)
pg_database_size(name) int8 = CAST(tg_told({me}, 'database_size', 0, 0, _0) AS BIGINT)
pg_tablespace_size(oid) int8 = CAST(tg_told({me}, 'tablespace_size', _0, 0, '') AS BIGINT)
pg_tablespace_size(name) int8 = CAST(tg_told({me}, 'tablespace_size', 0, 0, _0) AS BIGINT)
pg_size_pretty(int8) text = tg_size_pretty(_0)
pg_size_pretty(numeric) text = tg_size_pretty(CAST(ROUND(_0) AS BIGINT))
pg_stat_get_numscans(oid) int8 = CASE WHEN _0 IS NOT NULL THEN CAST(0 AS BIGINT) END
pg_relation_filenode(regclass) oid = _0
pg_relation_is_publishable(regclass) bool = CASE WHEN _0 IS NOT NULL THEN FALSE END
pg_relation_is_updatable(regclass, bool) int4 = CASE WHEN tg_told({me}, 'updatable', _0, 0, '') = 't' THEN 28 WHEN _0 IS NOT NULL THEN 0 END
pg_column_is_updatable(regclass, int2, bool) bool = CASE WHEN _1 IS NOT NULL THEN COALESCE(tg_told({me}, 'updatable', _0, _1, ''), '') = 't' END
pg_is_in_recovery() bool = FALSE
rw_recovery_status() text = 'RUNNING'
pg_is_wal_replay_paused() bool = FALSE
pg_jit_available() bool = FALSE
pg_encoding_to_char(int4) name = CASE _0 WHEN 6 THEN 'UTF8' WHEN 0 THEN 'SQL_ASCII' WHEN 8 THEN 'LATIN1' ELSE '' END
pg_char_to_encoding(name) int4 = CASE UPPER(_0) WHEN 'UTF8' THEN 6 WHEN 'UTF-8' THEN 6 WHEN 'SQL_ASCII' THEN 0 WHEN 'LATIN1' THEN 8 ELSE -1 END
getdatabaseencoding() name = 'UTF8'
pg_client_encoding() name = tg_setting({me}, 'client_encoding', FALSE)
txid_current() int8 = tg_epoch({me})
pg_current_xact_id() xid8 = tg_epoch({me})
age(xid) int4 = CASE WHEN _0 IS NOT NULL THEN 0 END
pg_postmaster_start_time() timestamptz = CAST(tg_started({me}) AS TIMESTAMPTZ)
pg_conf_load_time() timestamptz = CAST(tg_started({me}) AS TIMESTAMPTZ)
pg_blocking_pids(int4) int4[] = CASE WHEN _0 IS NOT NULL THEN CAST([] AS INTEGER[]) END
row_security_active(oid) bool = CASE WHEN _0 IS NOT NULL THEN FALSE END
row_security_active(text) bool = CASE WHEN _0 IS NOT NULL THEN FALSE END
to_regclass(text) regclass = tg_find_object({me}, 'regclass', _0)
to_regtype(text) regtype = tg_find_object({me}, 'regtype', _0)
to_regproc(text) regproc = tg_find_object({me}, 'regproc', _0)
to_regprocedure(text) regprocedure = tg_find_object({me}, 'regprocedure', _0)
to_regoper(text) regoper = tg_find_object({me}, 'regoper', _0)
to_regoperator(text) regoperator = tg_find_object({me}, 'regoperator', _0)
to_regnamespace(text) regnamespace = tg_find_object({me}, 'regnamespace', _0)
to_regrole(text) regrole = tg_find_object({me}, 'regrole', _0)
to_regcollation(text) regcollation = tg_find_object({me}, 'regcollation', _0)
"""


def _lines() -> str:
    lines = [_TABLE]
    for name, kind in _VISIBLE.items():
        told = f"CAST(tg_told({{me}}, 'is_visible', _0, 0, '{kind}') AS BOOLEAN)"
        lines.append(f"{name}(oid) bool = {told}")
    for signature in _NOTHING.replace(", ", ",").split():
        lines.append(f"{signature.replace(',', ', ')} text = tg_told({{me}}, 'nothing', _0, 0, '')")
    return "\n".join(lines).replace("{me}", _ME)


CATALOG_FUNCTIONS: Final[tuple[Overload, ...]] = table(_lines())

#: Their names: what they give depends on the catalogs of the session that calls them.
CATALOG_FUNCTION_NAMES: Final = frozenset(overload.name for overload in CATALOG_FUNCTIONS)
