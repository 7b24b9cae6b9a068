"""ALTER SYSTEM SET and ALTER DATABASE SET."""

from __future__ import annotations

from dataclasses import replace

from catalog.errors import CannotChangeParameter, Notice
from catalog.oid import INVALID_OID
from catalog.parameters import DATABASE_PARAMETERS, SYSTEM_PARAMETERS, slowness_notice
from server.execute.database import refuse_in_block
from server.execute.defaults import EVERYTHING, is_session_parameter, set_default
from server.execute.pause import database_of_user, must_be_superuser
from server.result import Done
from server.session_state import SessionState


def set_system_parameter(state: SessionState, name: str, value: str | None) -> Done:
    """Set a system parameter for good; None is its default.

    Raises:
        PgError: The user may not, there is no such parameter, or it may not have that value.
    """
    refuse_in_block(state, "ALTER SYSTEM")
    must_be_superuser(state)
    key = name.lower()
    if key not in SYSTEM_PARAMETERS and (is_session_parameter(key) or key == EVERYTHING):
        set_default(state, INVALID_OID, INVALID_OID, name, value)
        if key == EVERYTHING:
            _reset_system(state)
        return Done("ALTER SYSTEM")
    state.manager.set_parameter(key, value)
    shown = state.manager.parameters()[key]
    _tell_of_slowness(state, key, shown)
    state.manager.record("ALTER_SYSTEM", user=state.user.name, name=key, value=shown)
    return Done("ALTER SYSTEM")


def _reset_system(state: SessionState) -> None:
    """Give every system parameter that may be changed its default."""
    for parameter in SYSTEM_PARAMETERS.values():
        if parameter.is_mutable:
            state.manager.set_parameter(parameter.name, None)


def set_database_parameter(
    state: SessionState, database: str, name: str, value: str | None
) -> Done:
    """Give a database its own value of a system parameter; None is the system's.

    Raises:
        PgError: The user may not, there is no such parameter, or it may not have that value.
    """
    found = database_of_user(state, database)
    key = name.lower()
    if key not in DATABASE_PARAMETERS:
        if key in SYSTEM_PARAMETERS:
            raise CannotChangeParameter(f'parameter "{name}" cannot be set for a database')
        set_default(state, found.oid, INVALID_OID, name, value)
        if key == EVERYTHING:
            state.manager.change_database(
                found.name,
                lambda d: replace(d, barrier_interval_ms=None, checkpoint_frequency=None),
            )
        return Done("ALTER DATABASE")
    number = None
    if value is not None:
        canonical = DATABASE_PARAMETERS[key].canonical(key, value)
        _tell_of_slowness(state, key, canonical)
        number = int(canonical)
    if key == "barrier_interval_ms":
        state.manager.change_database(found.name, lambda d: replace(d, barrier_interval_ms=number))
    else:
        state.manager.change_database(found.name, lambda d: replace(d, checkpoint_frequency=number))
    state.manager.record(
        "ALTER_DATABASE", user=state.user.name, database=database, name=key, value=number
    )
    return Done("ALTER DATABASE")


def _tell_of_slowness(state: SessionState, name: str, value: str) -> None:
    notice: Notice | None = slowness_notice(name, value)
    if notice is not None:
        state.notice(notice)
