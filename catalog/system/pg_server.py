"""The server's own things: databases, roles, settings, sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.acl import shown
from catalog.oid import FIRST_USER_OID
from catalog.relation import FOREVER_MS, User
from catalog.system.relation import Make, Row, Value
from catalog.system.snapshot import HIDDEN_QUERY, Snapshot, moment

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
            "datacl": shown(database.acl),
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
    configs = {d.role: d.config for d in snapshot.defaults() if not d.database}
    yield from ({**_role(user), "rolconfig": configs.get(user.oid)} for user in snapshot.users)


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
            members = [m.member for m in snapshot.roles.memberships if m.role == user.oid]
            yield {"groname": user.name, "grosysid": user.oid, "grolist": members}


def _settings(snapshot: Snapshot) -> Iterator[Row]:
    for setting in snapshot.settings():
        yield {
            "name": setting.name,
            "setting": setting.value,
            "category": "Tidegate",
            "short_desc": setting.description,
            "context": setting.context,
            "unit": setting.kind.unit,
            "vartype": setting.kind.vartype,
            "source": setting.source,
            "min_val": _number(setting.kind.least),
            "max_val": _number(setting.kind.most),
            "enumvals": setting.kind.values,
            "boot_val": setting.boot,
            "reset_val": setting.reset,
            "pending_restart": False,
        }


def _number(bound: int | None) -> str | None:
    return None if bound is None else str(bound)


def _defaults(snapshot: Snapshot) -> Iterator[Row]:
    for defaults in snapshot.defaults():
        yield {
            "setdatabase": defaults.database,
            "setrole": defaults.role,
            "setconfig": defaults.config,
        }


def _activity(snapshot: Snapshot) -> Iterator[Row]:
    oids = {database.name: database.oid for database in snapshot.databases}
    for session in snapshot.sessions():
        known: Row = {
            "datid": oids.get(session.database),
            "datname": session.database,
            "pid": session.process_id,
            "usesysid": snapshot.user_oid(session.user),
            "usename": session.user,
            "application_name": session.application_name,
            "backend_type": "client backend",
        }
        if not snapshot.may_see(session):
            yield {**known, "query": HIDDEN_QUERY, "backend_type": None}
            continue
        yield {
            **known,
            "client_addr": session.client_address,
            "backend_start": moment(session.backend_start_ms),
            "xact_start": moment(session.transaction_start_ms),
            "query_start": moment(session.query_start_ms),
            "state_change": moment(session.state_change_ms),
            "wait_event_type": None if session.state == "active" else "Client",
            "wait_event": None if session.state == "active" else "ClientRead",
            "state": session.state,
            "query": session.query,
        }


def _locks(snapshot: Snapshot) -> Iterator[Row]:
    for lock in snapshot.locks():
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


def _time_zones(snapshot: Snapshot) -> Iterator[Row]:
    for name, abbreviation, offset, is_summer in snapshot.time_zones():
        yield {"name": name, "abbrev": abbreviation, "utc_offset": offset, "is_dst": is_summer}


def _cursors(snapshot: Snapshot) -> Iterator[Row]:
    for cursor in snapshot.cursors():
        yield {
            "name": cursor.name,
            "statement": cursor.statement,
            "is_holdable": cursor.is_holdable,
            "is_binary": cursor.is_binary,
            "is_scrollable": cursor.is_scrollable,
            "creation_time": moment(cursor.created_ms),
        }


def _prepared(snapshot: Snapshot) -> Iterator[Row]:
    for prepared in snapshot.prepared():
        yield {
            "name": prepared.name,
            "statement": prepared.statement,
            "prepare_time": moment(prepared.created_ms),
            "parameter_types": prepared.parameter_types,
            "from_sql": prepared.from_sql,
            "generic_plans": 0,
            "custom_plans": 0,
        }


#: What makes the rows, by the relation's name.
ROWS: Final[dict[str, Make]] = {
    "pg_database": _databases,
    "pg_tablespace": _tablespaces,
    "pg_roles": _roles,
    "pg_authid": _role_secrets,
    "pg_user": _users,
    "pg_shadow": _user_secrets,
    "pg_group": _groups,
    "pg_settings": _settings,
    "pg_db_role_setting": _defaults,
    "pg_stat_activity": _activity,
    "pg_locks": _locks,
    "pg_timezone_names": _time_zones,
    "pg_cursors": _cursors,
    "pg_prepared_statements": _prepared,
}
