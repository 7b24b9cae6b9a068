"""ALTER SYSTEM, DATABASE and ROLE with SET and RESET of what sessions begin with."""

from __future__ import annotations

import logging

from barrier.cluster import Database
from catalog.errors import (
    CannotChangeParameter,
    InsufficientPrivilege,
    PgError,
    UndefinedDatabase,
    UndefinedObject,
)
from catalog.oid import INVALID_OID, Oid
from server.result import Done
from server.session_parameter import ALIASES, PARAMETERS
from server.session_state import SessionState
from server.sql.role_statement import AlterRoleSet

_log = logging.getLogger(__name__)

#: What RESET takes for every parameter.
EVERYTHING = "all"

#: What is over with a transaction, or is not a session's to begin with.
_NOT_TO_BEGIN_WITH = ("transaction_read_only", "transaction_isolation", "role")


def is_session_parameter(name: str) -> bool:
    """Whether sessions have a parameter of that name; a user's own have a point in it."""
    key = name.lower()
    return key in PARAMETERS or key in ALIASES or "." in key


def set_default(
    state: SessionState, database: Oid, role: Oid, name: str, value: str | None
) -> None:
    """Set what sessions begin with from now on; those that are there go on as they are.

    Args:
        state: The session that asks; it may.
        database: Of which sessions; no OID is of all.
        role: Likewise.
        name: The parameter, or all of them, to be reset.
        value: None takes the value away.

    Raises:
        PgError: There is no such parameter, or it may not have that value.
    """
    key = ALIASES.get(name.lower(), name.lower())
    if key == EVERYTHING and value is None:
        state.manager.defaults.change(database, role, None, None)
    else:
        if key in _NOT_TO_BEGIN_WITH:
            raise CannotChangeParameter(f'parameter "{name}" cannot be set for later sessions')
        checked = None if value is None else state.settings.canonical(name, value)
        if value is None:
            state.settings.check_known(name)
        state.manager.defaults.change(database, role, key, checked)
    state.manager.record(
        "ALTER_DEFAULT", user=state.user.name, database=database, role=role, name=name, value=value
    )


def begin_with_defaults(state: SessionState) -> None:
    """Set what a session begins with; what is no value any more is passed over."""
    defaults = state.manager.defaults.of_session(state.database, state.user.oid)
    for name, value in defaults.items():
        try:
            state.settings.set(name, value)
        except PgError as e:
            _log.warning('parameter "%s" of new sessions is passed over: %s', name, e.message)


def set_role_default(state: SessionState, statement: AlterRoleSet) -> Done:
    """Do ALTER ROLE with SET and RESET.

    Raises:
        PgError: The user may not, there is no such role, database or parameter, or it may not have
            that value.
    """
    user = state.user
    role = INVALID_OID
    if not statement.is_everybody:
        name = user.name if statement.role is None else statement.role
        target = state.manager.user(name)
        if target is None:
            raise UndefinedObject(f'role "{name}" does not exist')
        role = target.oid
        is_above = user.is_superuser or (user.can_create_user and not target.is_superuser)
        if not is_above and target.oid != user.oid:
            raise InsufficientPrivilege("permission denied")
    elif not user.is_superuser:
        raise InsufficientPrivilege("must be superuser to alter settings globally")
    database = INVALID_OID
    if statement.database is not None:
        database = _database(state, statement.database).oid
    value = statement.value
    if statement.is_from_current:
        value = state.settings.show(statement.parameter)
    set_default(state, database, role, statement.parameter, value)
    return Done("ALTER ROLE")


def _database(state: SessionState, name: str) -> Database:
    found = next((d for d in state.manager.databases() if d.name == name), None)
    if found is None:
        raise UndefinedDatabase.named(name)
    return found
