"""The server's own things: databases, roles, settings, sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.oid import FIRST_USER_OID
from catalog.relation import FOREVER_MS, User
from catalog.system.relation import Row, Value, no_rows, pg_relation
from catalog.system.snapshot import Snapshot, moment

#: pg_database.encoding of UTF8.
_UTF8: Final = 6


def _databases(snapshot: Snapshot) -> Iterator[Row]:
    for database in snapshot.databases:
        yield {
            "oid": database.oid,
            "datname": database.name,
            "datdba": snapshot.user_oid(database.owner),
            "encoding": _UTF8,
            "datlocprovider": "c",
            "datistemplate": False,
            "datallowconn": True,
            "datconnlimit": -1,
            "datfrozenxid": 0,
            "datminmxid": 0,
            "dattablespace": 1663,
            "datcollate": "C",
            "datctype": "C",
        }


def _tablespaces(snapshot: Snapshot) -> Iterator[Row]:
    owner = snapshot.user_oid("root")
    for oid, name in ((1663, "pg_default"), (1664, "pg_global")):
        yield {"oid": oid, "spcname": name, "spcowner": owner}


#: What is shown of every password.
_HIDDEN: Final = "********"


def _bypasses(user: User) -> bool:
    """PostgreSQL gives this to the superusers that are there from the start."""
    return user.is_superuser and user.oid < FIRST_USER_OID


def _valid_until(user: User) -> Value:
    match user.valid_until_ms:
        case None:
            return None
        case ms if abs(ms) == FOREVER_MS:
            return "infinity" if ms > 0 else "-infinity"
        case ms:
            return moment(ms)


def _role(user: User) -> Row:
    return {
        "rolname": user.name,
        "rolsuper": user.is_superuser,
        "rolinherit": user.inherits,
        "rolcreaterole": user.can_create_user,
        "rolcreatedb": user.can_create_database,
        "rolcanlogin": user.can_login,
        "rolreplication": False,
        "rolconnlimit": user.connections_max,
        "rolpassword": _HIDDEN,
        "rolvaliduntil": _valid_until(user),
        "rolbypassrls": _bypasses(user),
        "oid": user.oid,
    }


def _roles(snapshot: Snapshot) -> Iterator[Row]:
    yield from (_role(user) for user in snapshot.users)


def _role_secrets(snapshot: Snapshot) -> Iterator[Row]:
    """Rows of pg_authid, which tells whether there is a password, and even here not which."""
    for user in snapshot.users:
        yield {**_role(user), "rolpassword": None if user.verifier is None else _HIDDEN}


def _users(snapshot: Snapshot) -> Iterator[Row]:
    for user in snapshot.users:
        if user.can_login:
            yield {
                "usename": user.name,
                "usesysid": user.oid,
                "usecreatedb": user.can_create_database,
                "usesuper": user.is_superuser,
                "userepl": False,
                "usebypassrls": _bypasses(user),
                "passwd": _HIDDEN,
                "valuntil": _valid_until(user),
            }


def _user_secrets(snapshot: Snapshot) -> Iterator[Row]:
    without = {user.name for user in snapshot.users if user.verifier is None}
    for row in _users(snapshot):
        yield {**row, "passwd": None if row["usename"] in without else _HIDDEN}


def _groups(snapshot: Snapshot) -> Iterator[Row]:
    for user in snapshot.users:
        if not user.can_login:
            yield {"groname": user.name, "grosysid": user.oid, "grolist": ()}


def _settings(snapshot: Snapshot) -> Iterator[Row]:
    for setting in snapshot.settings:
        yield {
            "name": setting.name,
            "setting": setting.value,
            "category": "Tidegate",
            "short_desc": setting.description,
            "context": setting.context,
            "vartype": "bool" if setting.value in ("on", "off") else "string",
            "source": "default",
            "boot_val": setting.value,
            "reset_val": setting.value,
            "pending_restart": False,
        }


def _activity(snapshot: Snapshot) -> Iterator[Row]:
    oids = {database.name: database.oid for database in snapshot.databases}
    for session in snapshot.sessions:
        yield {
            "datid": oids.get(session.database),
            "datname": session.database,
            "pid": session.process_id,
            "usesysid": snapshot.user_oid(session.user),
            "usename": session.user,
            "application_name": session.application_name,
            "client_addr": session.client_address,
            "backend_start": moment(session.backend_start_ms),
            "xact_start": moment(session.transaction_start_ms),
            "query_start": moment(session.query_start_ms),
            "state_change": moment(session.state_change_ms),
            "wait_event_type": None if session.state == "active" else "Client",
            "wait_event": None if session.state == "active" else "ClientRead",
            "state": session.state,
            "query": session.query,
            "backend_type": "client backend",
        }


def _locks(snapshot: Snapshot) -> Iterator[Row]:
    for lock in snapshot.locks:
        yield {
            "locktype": "advisory",
            "database": lock.database_oid,
            "classid": lock.class_id,
            "objid": lock.object_id,
            "objsubid": lock.sub_id,
            "pid": lock.process_id,
            "mode": lock.mode,
            "granted": lock.is_granted,
            "fastpath": False,
        }


def _cursors(snapshot: Snapshot) -> Iterator[Row]:
    for cursor in snapshot.cursors:
        yield {
            "name": cursor.name,
            "statement": cursor.statement,
            "is_holdable": cursor.is_holdable,
            "is_binary": cursor.is_binary,
            "is_scrollable": cursor.is_scrollable,
            "creation_time": moment(cursor.created_ms),
        }


def _prepared(snapshot: Snapshot) -> Iterator[Row]:
    for prepared in snapshot.prepared:
        yield {
            "name": prepared.name,
            "statement": prepared.statement,
            "prepare_time": moment(prepared.created_ms),
            "parameter_types": prepared.parameter_types,
            "from_sql": prepared.from_sql,
            "generic_plans": 0,
            "custom_plans": 0,
        }


_USER_COLUMNS: Final = (
    "usename name, usesysid oid, usecreatedb boolean, usesuper boolean, userepl boolean, "
    "usebypassrls boolean, passwd text, valuntil timestamp with time zone, useconfig text[]"
)

RELATIONS: Final = (
    pg_relation(
        1262,
        "pg_database",
        'oid oid, datname name, datdba oid, encoding integer, datlocprovider "char", '
        "datistemplate boolean, datallowconn boolean, datconnlimit integer, datfrozenxid "
        "bigint, datminmxid bigint, dattablespace oid, datcollate text, datctype text, "
        "daticulocale text, datcollversion text, datacl text[]",
        _databases,
    ),
    pg_relation(
        1213,
        "pg_tablespace",
        "oid oid, spcname name, spcowner oid, spcacl text[], spcoptions text[]",
        _tablespaces,
    ),
    pg_relation(
        12000,
        "pg_roles",
        "rolname name, rolsuper boolean, rolinherit boolean, rolcreaterole boolean, "
        "rolcreatedb boolean, rolcanlogin boolean, rolreplication boolean, rolconnlimit "
        "integer, rolpassword text, rolvaliduntil timestamp with time zone, rolbypassrls "
        "boolean, rolconfig text[], oid oid",
        _roles,
        "v",
    ),
    pg_relation(
        1260,
        "pg_authid",
        "oid oid, rolname name, rolsuper boolean, rolinherit boolean, rolcreaterole boolean, "
        "rolcreatedb boolean, rolcanlogin boolean, rolreplication boolean, rolbypassrls "
        "boolean, rolconnlimit integer, rolpassword text, rolvaliduntil timestamp with time zone",
        _role_secrets,
    ),
    pg_relation(12014, "pg_user", _USER_COLUMNS, _users, "v"),
    pg_relation(12005, "pg_shadow", _USER_COLUMNS, _user_secrets, "v"),
    pg_relation(12010, "pg_group", "groname name, grosysid oid, grolist oid[]", _groups, "v"),
    pg_relation(
        12104,
        "pg_settings",
        "name text, setting text, unit text, category text, short_desc text, extra_desc text, "
        "context text, vartype text, source text, min_val text, max_val text, enumvals "
        "text[], boot_val text, reset_val text, sourcefile text, sourceline integer, "
        "pending_restart boolean",
        _settings,
        "v",
    ),
    pg_relation(
        12222,
        "pg_stat_activity",
        "datid oid, datname name, pid integer, leader_pid integer, usesysid oid, usename "
        "name, application_name text, client_addr text, client_hostname text, client_port "
        "integer, backend_start timestamp with time zone, xact_start timestamp with time "
        "zone, query_start timestamp with time zone, state_change timestamp with time zone, "
        "wait_event_type text, wait_event text, state text, backend_xid bigint, backend_xmin "
        "bigint, query_id bigint, query text, backend_type text",
        _activity,
        "v",
    ),
    pg_relation(
        1261,
        "pg_auth_members",
        "roleid oid, member oid, grantor oid, admin_option boolean",
        no_rows,
    ),
    pg_relation(
        2396,
        "pg_shdescription",
        "objoid oid, classoid oid, description text",
        no_rows,
    ),
    pg_relation(
        12073,
        "pg_locks",
        "locktype text, database oid, relation oid, page integer, tuple smallint, virtualxid "
        "text, transactionid bigint, classid oid, objid oid, objsubid smallint, "
        "virtualtransaction text, pid integer, mode text, granted boolean, fastpath boolean, "
        "waitstart timestamp with time zone",
        _locks,
        "v",
    ),
    pg_relation(
        12077,
        "pg_cursors",
        "name text, statement text, is_holdable boolean, is_binary boolean, is_scrollable "
        "boolean, creation_time timestamp with time zone",
        _cursors,
        "v",
    ),
    pg_relation(
        12095,
        "pg_prepared_statements",
        "name text, statement text, prepare_time timestamp with time zone, parameter_types "
        "regtype[], from_sql boolean, generic_plans bigint, custom_plans bigint",
        _prepared,
        "v",
    ),
)
