"""Functions that act on the session or on others (PostgreSQL 15, chapters 9.9.5 and 9.27).

The engine calls the session back (``server.sql.session_calls``); ``GETVARIABLE('session')`` tells
which it is. None of them can stand in a query that is maintained: there is no session then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from server.sql.overload import Overload, table

_ME: Final = "GETVARIABLE('session')"

_TABLE: Final = f"""
pg_sleep(float8) void = tg_sleep({_ME}, _0)
pg_sleep_for(interval) void = tg_sleep({_ME}, EPOCH(NOW() + _0) - EPOCH(NOW()))
pg_sleep_until(timestamptz) void = tg_sleep_until({_ME}, EPOCH(_0))
statement_timestamp() timestamptz = GREATEST(NOW(), MAKE_TIMESTAMPTZ(tg_query_ms({_ME}) * 1000))
current_query() text = tg_query({_ME})
pg_notify(text, text) void = tg_notify({_ME}, _0, _1)
pg_notification_queue_usage() float8 = tg_queue_usage({_ME})
nextval(regclass) int8 = tg_nextval({_ME}, _0)
currval(regclass) int8 = tg_currval({_ME}, _0)
lastval() int8 = tg_lastval({_ME})
setval(regclass, int8) int8 = tg_setval({_ME}, _0, _1, TRUE)
setval(regclass, int8, bool) int8 = tg_setval({_ME}, _0, _1, _2)
pg_sequence_last_value(regclass) int8 = tg_sequence_last({_ME}, _0, FALSE)
pg_cancel_backend(int4) bool = tg_cancel_backend({_ME}, _0)
pg_terminate_backend(int4) bool = tg_terminate_backend({_ME}, _0, 0)
pg_terminate_backend(int4, int8) bool = tg_terminate_backend({_ME}, _0, _1)
pg_advisory_unlock_all() void = tg_unlock_all({_ME})
current_setting(text) text = tg_setting({_ME}, _0, FALSE)
current_setting(text, bool) text = tg_setting({_ME}, _0, _1)
set_config(text, text, bool) text = tg_set_config({_ME}, _0, _1, _2)
"""


def _locks() -> Iterator[str]:
    """Yield the functions of advisory locks: of a number of 64 bits, or of two of 32."""
    # A NULL anywhere in the key gives NULL; a list with one in it would be none.
    for types, key in (
        ("int8", "CASE WHEN _0 IS NOT NULL THEN [_0] END"),
        ("int4, int4", "CASE WHEN _0 IS NOT NULL AND _1 IS NOT NULL THEN [_0, _1] END"),
    ):
        for suffix, shared in (("", "FALSE"), ("_shared", "TRUE")):
            for infix, session in (("", "TRUE"), ("_xact", "FALSE")):
                arguments = f"{_ME}, {key}, {shared}, {session}"
                name = f"advisory{infix}_lock{suffix}"
                yield f"pg_{name}({types}) void = tg_lock({arguments})"
                yield f"pg_try_{name}({types}) bool = tg_try_lock({arguments})"
            yield f"pg_advisory_unlock{suffix}({types}) bool = tg_unlock({_ME}, {key}, {shared})"


_DEFAULT_ACL: Final = f'acldefault("char", oid) aclitem[] = tg_acl_default({_ME}, _0, _1)'

#: Kinds of objects whose privileges are asked for by a function of their own.
_OWNED: Final = ("table", "sequence", "schema", "database", "function", "type")


def _privileges() -> Iterator[str]:
    """Yield the functions about privileges: each of a name or an OID, of a user or of oneself."""
    users = (("", "''"), ("name, ", "'=' || _0"), ("oid, ", "'#' || CAST(_0 AS VARCHAR)"))
    for user, who in users:
        first = 1 if user else 0
        for type_name, mark in (("text", "="), ("oid", "#")):
            named = f"'{mark}' || CAST(_{first} AS VARCHAR)"
            asked = f"_{first + 1}"
            for kind in _OWNED:
                yield (
                    f"has_{kind}_privilege({user}{type_name}, text) bool = "
                    f"tg_has_privilege({_ME}, '{kind}', {who}, {named}, {asked})"
                )
            yield (
                f"has_any_column_privilege({user}{type_name}, text) bool = "
                f"tg_has_privilege({_ME}, 'column', {who}, {named}, {asked})"
            )
            for column, sign in (("text", "="), ("int2", "#")):
                place = f"'{sign}' || CAST(_{first + 1} AS VARCHAR)"
                yield (
                    f"has_column_privilege({user}{type_name}, {column}, text) bool = "
                    f"tg_has_column({_ME}, {who}, {named}, {place}, _{first + 2})"
                )
        for type_name, mark in (("name", "="), ("oid", "#")):
            role = f"'{mark}' || CAST(_{first} AS VARCHAR)"
            yield (
                f"pg_has_role({user}{type_name}, text) bool = "
                f"tg_has_role({_ME}, {who}, {role}, _{first + 1})"
            )


SESSION_FUNCTIONS: Final[tuple[Overload, ...]] = table(
    "\n".join((_TABLE, *_locks(), *_privileges(), _DEFAULT_ACL))
)

#: Their names: each may give something else, and do something, at every call.
SESSION_FUNCTION_NAMES: Final = frozenset(
    {*(overload.name for overload in SESSION_FUNCTIONS), "pg_listening_channels"}
)
